"""The claims of the boosting paper, judged on learning curves made by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from boosting_parts import EXPERIMENT, ok, trial
from claim_parts import Memory

from boostbench.papers import get_paper
from boostbench.papers.claim import Ruling
from boostbench.report.claimtable import measured
from boostbench.report.collect import collect
from boostbench.report.ledger import Judged, judge
from boostbench.report.sources import Sources
from boostbench.report.summary import Summary, summarise
from boostbench.store.types import Outcome

PAPER = get_paper("multiboost")
UCI = ("vowel", "isolet", "usps", "pendigits")
SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
RIVALS = ("multiboost", "adaboost_ecc", "adaboost_mh")
OURS = ("multiboost_cw", "multiboost_cw1")
FCD = {
    **{f"FCD-{n}": {"C": 1e4, "max_sweeps": n} for n in (1, 2, 5, 10, 50)},
    "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
}
Runs = Mapping[tuple[str, str], Sequence[Outcome | None]]


def summary_of(
    cells: Runs,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    processors: Mapping[str, str] | None = None,
    **experiment: Any,
) -> Summary:
    """Return the summary of these runs; ``processors`` are by method."""
    planned, recorded, where = [], {}, {}
    for (dataset, method), outcomes in cells.items():
        for split, outcome in enumerate(outcomes):
            one = trial(dataset, method, split, (params or {}).get(method))
            planned.append(one)
            if outcome is not None:
                recorded[one.key] = outcome
                where[one.key] = (processors or {}).get(method, "")
    names = dict.fromkeys(dataset for dataset, _ in cells)
    experiment.setdefault("datasets", [{"name": name, "card": name} for name in names])
    settings = {**EXPERIMENT, "splits": {"n": 5, "test_size": 0.25}, **experiment}
    return summarise(collect(Memory(planned, recorded, settings, where)))


def judged_as(name: str, cells: Runs, *args: Any, **experiment: Any) -> Judged:
    claim = next(claim for claim in PAPER.claims if claim.id == name)
    sources = Sources.of(PAPER, [summary_of(cells, *args, **experiment)])
    return judge(claim, PAPER.readings[0], sources)


def every(methods: Mapping[str, Outcome], names: Sequence[str] = UCI, splits: int = 5) -> dict:
    """Return the same run of each method on each split of each data set."""
    return {(name, method): [run] * splits for name in names for method, run in methods.items()}


def solvers(runs: Mapping[str, Outcome]) -> tuple[dict, dict, list]:
    """Return cells, parameters and entries of CW by several solvers."""
    names = {name: FCD[name] for name in runs}
    entries = [{"name": name, "method": "multiboost_cw"} for name in runs]
    return every(runs, ("vowel", "usps", "scene15")), names, entries


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.016, Ruling.REPRODUCED),
        (0.014, Ruling.DIRECTION),
        (0.0101, Ruling.DIRECTION),
        (0.0099, Ruling.CONTRADICTED),
    ],
)
def test_training_time_is_compared_with_multiboost_by_lbfgsb(seconds, expected) -> None:
    """M-ABS-5: 1.5 times less on every data set, or less on most."""
    cells = every({"multiboost_cw": ok(FAST, 0.01), "multiboost": ok(SLOW, seconds)})
    judged = judged_as("M-ABS-5", cells)
    assert judged.ruling is expected
    assert judged.runs == 20
    # By descent it is another claim's.
    params = {"multiboost": {"solver": "fcd"}}
    assert judged_as("M-ABS-5", cells, params).why == "multiboost_lbfgsb is not measured"


def test_most_data_sets_are_enough_where_the_claim_says_most() -> None:
    for slower, expected in ((1, Ruling.DIRECTION), (2, Ruling.CONTRADICTED)):
        cells = every({"multiboost_cw": ok(FAST, 0.01), "multiboost": ok(SLOW, 0.1)})
        for name in UCI[:slower]:
            cells[name, "multiboost"] = [ok(SLOW, 0.001)] * 5
        assert judged_as("M-ABS-5", cells).ruling is expected


def test_times_are_compared_after_as_many_iterations() -> None:
    # All runs have reached the fourth: 16 * 0.3 s against 0.4 s; in all it is another ratio.
    times = [0.3 * step**2 for step in range(1, 11)]
    slow = replace(ok(SLOW), time_curve={"fit_s": times, "solver_s": [t / 3 for t in times]})
    short = ok(FAST[:4], 0.1, stop="optimal")
    cells = every({"multiboost_cw": ok(FAST[:6], 0.1), "multiboost": slow})
    for name in UCI:
        cells[name, "multiboost_cw"] = [short, *cells[name, "multiboost_cw"][1:]]
    judged = judged_as("M-ABS-5", cells)
    assert judged.shown[0].values[0][0] == pytest.approx(12.0)
    assert "× 12" in measured(judged, summary_of(cells).metric)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (FAST, SLOW, Ruling.REPRODUCED),
        # The same at the end, where the lowest error is both's.
        (FAST, [*SLOW, *[0.2] * 400, 0.1], Ruling.REPRODUCED),
        # Quicker, and worse at the end; slower, and better at the end.
        ([*FAST, *[0.1] * 400, 0.3], SLOW, Ruling.DIRECTION),
        ([*SLOW, *[0.2] * 400, 0.05], FAST, Ruling.DIRECTION),
        (SLOW, FAST, Ruling.CONTRADICTED),
    ],
)
def test_error_along_the_way_and_at_the_end(ours, theirs, expected) -> None:
    """M-ABS-4, which needs six of eleven data sets."""
    names = (*UCI, "scene15", "labelme12")
    methods = {method: ok(ours, 0.01) for method in OURS}
    methods |= {method: ok(theirs, 0.1) for method in (*RIVALS, "adaboost_mo")}
    assert judged_as("M-ABS-4", every(methods, names)).ruling is expected
    assert judged_as("M-ABS-4", every(methods)).why == "4 of 11 data sets"


def test_a_caption_is_of_three_parts() -> None:
    """M-F2: smaller areas, the lowest error and less time, on every data set; or two, on most."""
    names = ("usps", "pendigits")
    good = {method: ok(FAST, 0.01) for method in OURS}
    good |= {method: ok(SLOW, 0.1) for method in RIVALS}
    assert judged_as("M-F2", every(good, names)).ruling is Ruling.REPRODUCED
    slow = {**good, "multiboost": ok(SLOW, 0.01)}
    assert judged_as("M-F2", every(slow, names)).ruling is Ruling.DIRECTION
    bad = {**slow, "adaboost_mh": ok(FAST[1:], 0.1)}
    assert judged_as("M-F2", every(bad, names)).ruling is Ruling.CONTRADICTED
    assert judged_as("M-F2", every(good, names[:1])).why == "1 of 3 data sets"


def test_a_training_that_has_converged_keeps_its_error_and_one_cut_off_has_none() -> None:
    methods = {method: ok(FAST[:5], 0.01, stop="optimal") for method in OURS}
    methods |= {method: ok(SLOW, 0.1) for method in RIVALS}
    converged = judged_as("M-F1", every(methods, ("vowel", "isolet")))
    assert converged.ruling is Ruling.REPRODUCED
    methods |= {method: ok(FAST[:5], 0.01, stop="time") for method in OURS}
    cut = judged_as("M-F1", every(methods, ("vowel", "isolet")))
    assert cut.ruling is Ruling.NOT_JUDGED
    assert cut.why.startswith("smaller mean error over the iterations on: not known")


def test_only_splits_that_all_methods_have_count() -> None:
    """One split of five is easy, and MultiBoost did not end on the others."""
    cut = Outcome("timeout", "over the limit of 10 s")
    cells = {}
    for name in UCI:
        for method in OURS:
            cells[name, method] = [ok([0.1] * 10, 0.01), *[ok([0.5] * 10, 0.01)] * 4]
        cells[name, "multiboost"] = [ok([0.2] * 10, 0.1), *[cut] * 4]
        for method in RIVALS[1:]:
            cells[name, method] = [ok([0.3] * 10, 0.1)] * 5
    judged = judged_as("M-F1", {key: runs for key, runs in cells.items() if key[0] in UCI[:2]})
    assert judged.why == "2 paired runs of at least 10"
    assert judged.shown[0].values[0][0] == 2
    # Behind the lowest of the others: .1 against .2, and not the mean of .42.
    assert judged.shown[1].values[0][0] == pytest.approx(-10.0)


def test_a_method_of_no_iterations_does_not_play_multiboost() -> None:
    cells = every({"first": ok([0.9], 0.5), "multiboost_cw": ok(FAST), "multiboost": ok(SLOW, 0.1)})
    entries = [
        {"name": "first", "method": "multiboost"},
        {"name": "multiboost_cw"},
        {"name": "multiboost"},
    ]
    params = {"first": {"max_iter": 0}}
    judged = judged_as("M-ABS-5", cells, params, methods=entries)
    assert judged.shown[0].values[0][0] == pytest.approx(10.0)
    weak = {key: runs for key, runs in cells.items() if key[1] != "multiboost"}
    assert judged_as("M-ABS-5", weak, params, methods=entries[:2]).ruling is Ruling.NOT_JUDGED
    # Fewer iterations than the paper's are compared at as many of the other's.
    params = {"first": {"max_iter": 1}}
    judged = judged_as("M-ABS-5", weak, params, methods=entries[:2])
    assert judged.shown[0].values[0][0] == pytest.approx(50.0)


def test_one_search_and_the_whole_training_are_compared_with_multiboost_by_descent() -> None:
    """M-ABS-2: an iteration is half search; 1.25 times as long at most, or the search alone."""
    params = {"multiboost": {"solver": "fcd"}}
    for seconds, expected in (
        (0.011, Ruling.REPRODUCED),
        (0.018, Ruling.DIRECTION),
        (0.021, Ruling.CONTRADICTED),
        # Less than half of the other's search is between the bands.
        (0.004, Ruling.UNDECIDED),
    ):
        cells = every({"multiboost_cw": ok(FAST, seconds), "multiboost": ok(SLOW, 0.01)})
        assert judged_as("M-ABS-2", cells, params).ruling is expected
    # An iteration of .01 s, of which the solver takes nearly all: its search is .5 ms against 5.
    run = ok(SLOW, 0.01)
    solver = [0.95 * second for second in run.time_curve["fit_s"]]
    quick = replace(run, time_curve={**run.time_curve, "solver_s": solver})
    cells = every({"multiboost_cw": run, "multiboost": quick})
    judged = judged_as("M-ABS-2", cells, params)
    assert [one.values[0][0] for one in judged.shown] == [pytest.approx(10.0), pytest.approx(1.0)]
    assert judged.ruling is Ruling.CONTRADICTED


def test_adaboost_mo_is_as_good_and_slower() -> None:
    names = ("vowel", "usps", "pendigits")
    for errors, seconds, similar, slower in (
        (FAST, 0.2, Ruling.REPRODUCED, Ruling.REPRODUCED),
        (SLOW, 0.05, Ruling.DIRECTION, Ruling.DIRECTION),
        ([0.9] * 10, 0.005, Ruling.CONTRADICTED, Ruling.CONTRADICTED),
    ):
        methods = {method: ok(FAST, 0.01) for method in OURS}
        cells = every({**methods, "adaboost_mo": ok(errors, seconds)}, names)
        assert judged_as("M-MO-1", cells).ruling is similar
        assert judged_as("M-MO-2", cells).ruling is slower
    # With one bit per class it is AdaBoost.MH.
    params = {"adaboost_mo": {"code": "one_vs_all"}}
    assert judged_as("M-MO-1", cells, params).why == "adaboost_mo is run with code = one_vs_all"
    limit = judged_as("M-MO-4", cells)
    assert (limit.ruling, limit.why) == (
        Ruling.NOT_COMPARABLE, "the limit of 1,000 s belongs to a machine of 2012",
    )  # fmt: skip


def test_claims_on_solvers() -> None:
    runs = {
        "FCD-1": ok([0.5] * 4, 0.01, [100, 50, 25, 20]),
        "FCD-2": ok([0.5] * 4, 0.02, [100, 40, 20, 10.05]),
        "FCD-5": ok([0.5] * 4, 0.03, [100, 40, 20, 10.02]),
        "FCD-10": ok([0.5] * 4, 0.04, [100, 40, 20, 10.01]),
        "FCD-50": ok([0.5] * 4, 0.05, [100, 40, 20, 10]),
        "LBFGS-B": ok([0.5] * 4, 0.4, [100, 40, 20, 10]),
    }
    cells, params, entries = solvers(runs)

    def found(name: str, cells: Runs = cells) -> tuple[float, Ruling]:
        judged = judged_as(name, cells, params, methods=entries)
        return pytest.approx(judged.shown[0].values[0][0]), judged.ruling

    assert found("M-F6-1") == (2.0, Ruling.REPRODUCED)
    assert found("M-F6-2") == (8.0, Ruling.REPRODUCED)
    assert found("M-F6-3") == (0.5, Ruling.REPRODUCED)
    assert found("M-F6-4") == (20.0, Ruling.REPRODUCED)
    quick = {**runs, "LBFGS-B": ok([0.5] * 4, 0.03, [100, 40, 20, 9.6])}
    cells = solvers(quick)[0]
    assert found("M-F6-4", cells) == (1.5, Ruling.DIRECTION)
    assert found("M-F6-3", cells)[1] is Ruling.DIRECTION
    quicker = {**runs, "LBFGS-B": ok([0.5] * 4, 0.005, [100, 40, 20, 9])}
    cells = solvers(quicker)[0]
    assert {found(f"M-F6-{n}", cells)[1] for n in (1, 2, 3, 4)} == {Ruling.CONTRADICTED}


def test_creeping_to_the_last_digit_is_not_waited_for() -> None:
    creeping = [100, 40, 20, 10.109, 10.107, 10.105, 10.103, 10.1]
    runs = {name: ok([0.5] * 8, 0.02, creeping) for name in FCD}
    runs["LBFGS-B"] = ok([0.5] * 8, 0.4, [100, 40, 20, 10, 10, 10, 10, 10])
    cells, params, entries = solvers(runs)
    # 10.109 is within a thousandth of 10.1, and both are there in the fourth iteration.
    judged = judged_as("M-F6-2", cells, params, methods=entries)
    assert judged.shown[0].values[0][0] == pytest.approx(20.0)
    assert judged.ruling is Ruling.REPRODUCED


def test_solvers_of_other_problems_are_not_compared() -> None:
    cells, params, entries = solvers({name: ok([0.5] * 4) for name in FCD})
    params["FCD-50"] = {**params["FCD-50"], "C": 1e3}
    assert "not measured" in judged_as("M-F6-1", cells, params, methods=entries).why
