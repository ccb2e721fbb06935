"""The claims of the boosting paper, put to runs made by hand."""

from dataclasses import replace

import pytest
from boosting_parts import ok

from boostbench.report.classification.claimtable import claim_tables
from boostbench.report.classification.curves import curves
from boostbench.report.classification.runs import load_results
from boostbench.report.classification.stats import summarise
from boostbench.report.page import Item, Table
from boostbench.store.store import Store
from boostbench.store.types import Outcome

SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]


def claim_table(store: Store) -> Table:
    results = load_results(store)
    (table,) = claim_tables(summarise(results), curves(results))
    return table


def claims(store: Store) -> dict[str, list[Item]]:
    results = load_results(store)
    tables = claim_tables(summarise(results), curves(results))
    return {row[0].text: list(row[2:]) for table in tables for row in table.rows}


FASTER = "multiboost_cw converges much faster than multiboost (iterations to the same error)"
CHEAPER = "multiboost_cw needs less training time than multiboost by L-BFGS-B"
EARLY = "multiboost_cw has the lower test error at a tenth of the iterations than multiboost"
BEST = "CW or CW-1 has the best test error on most data sets"


def test_claims_follow_what_is_measured(make) -> None:
    params = {name: {"max_iter": 20} for name in ("multiboost_cw", "multiboost")}
    good = {("vowel", "multiboost_cw"): [ok(FAST)], ("vowel", "multiboost"): [ok(SLOW, 0.1)]}
    found = claims(make(good, params))
    # 0.2 is reached after 3 and after 9 iterations; a tenth of 20 is the second.
    assert [(item.text, item.tone) for item in found[FASTER]] == [
        ("holds", "holds"),
        ("× 3", "holds"),
    ]
    assert (found[EARLY][1].text, found[CHEAPER][1].text) == ("−30.00 pp", "× 10")
    bad = {("vowel", "multiboost_cw"): [ok(SLOW, 0.1)], ("vowel", "multiboost"): [ok(FAST)]}
    found = claims(make(bad, params))
    assert {found[name][0].text for name in (FASTER, EARLY, CHEAPER, BEST)} == {"fails"}


def test_a_training_that_has_converged_keeps_its_error_and_one_cut_off_has_none(make) -> None:
    params = {"multiboost_cw": {"max_iter": 90}, "multiboost": {"max_iter": 90}}
    for stop, expected in (("optimal", "−10.00 pp"), ("time", None)):
        cells = {
            ("vowel", "multiboost_cw"): [ok(FAST[:5], stop=stop)],
            ("vowel", "multiboost"): [ok(SLOW)],
        }
        found = claims(make(cells, params))
        assert (found[EARLY][1].text if EARLY in found else None) == expected


def test_most_data_sets_are_enough_where_the_paper_says_most(make) -> None:
    cells = {}
    for number, (mine, theirs) in enumerate([(FAST, SLOW), (FAST, SLOW), (SLOW, FAST)]):
        cells[f"d{number}", "multiboost_cw"] = [ok(mine)]
        cells[f"d{number}", "multiboost"] = [ok(theirs)]
    found = claims(make(cells))
    assert found[BEST][0].text == "holds"
    assert found[FASTER][0].text == "partly"


def test_times_of_multiboost_by_descent_are_no_evidence_and_fewer_iterations_compare(make) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok(FAST, 0.1)],
        ("vowel", "multiboost"): [ok(SLOW, 0.001)],
        ("vowel", "lbfgsb"): [ok(SLOW[:5], 0.3)],
    }
    params = {
        "multiboost_cw": {"max_iter": 10},
        "multiboost": {"max_iter": 10, "solver": "fcd"},
        "lbfgsb": {"max_iter": 5, "solver": "lbfgsb"},
    }
    assert CHEAPER not in claims(make(cells, params))
    entries = [{"name": "lbfgsb", "method": "multiboost"}]
    found = claims(make(cells, params, methods=entries))
    assert (found[CHEAPER][1].text, found[CHEAPER][1].tone) == ("× 3", "holds")


def test_claims_on_solvers(make) -> None:
    params = {
        "FCD-1": {"C": 1e4, "max_sweeps": 1},
        "FCD-2": {"C": 1e4, "max_sweeps": 2},
        "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
    }
    cells = {
        ("vowel", "FCD-1"): [ok([0.5] * 4, 0.01, [100, 50, 25, 20])],
        ("vowel", "FCD-2"): [ok([0.5] * 4, 0.02, [100, 40, 20, 10.05])],
        ("vowel", "LBFGS-B"): [ok([0.5] * 4, 0.4, [100, 40, 20, 10])],
    }
    entries = [{"name": name, "method": "multiboost_cw"} for name in params]
    found = claims(make(cells, params, methods=entries))
    told = {text: (row[1].text, row[1].tone) for text, row in found.items()}
    assert told == {
        "FCD with τ = 1 is the fastest (solver time of the next to its own)": ("× 2", "holds"),
        "FCD with τ = 2 converges much faster than L-BFGS-B (solver time to the same objective)": (
            "× 20",
            "holds",
        ),
        "FCD with τ = 2 is very accurate (objective above the lowest of all)": ("0.5 %", "holds"),
        "FCD with τ = 2 needs less running time than L-BFGS-B": ("× 20", "holds"),
    }


def test_creeping_to_the_last_digit_is_not_waited_for(make) -> None:
    params = {"FCD-2": {"C": 1e4, "max_sweeps": 2}, "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"}}
    entries = [{"name": name, "method": "multiboost_cw"} for name in params]
    creeping = [100, 40, 20, 10.109, 10.107, 10.105, 10.103, 10.1]
    cells = {
        ("vowel", "FCD-2"): [ok([0.5] * 8, 0.02, creeping)],
        ("vowel", "LBFGS-B"): [ok([0.5] * 8, 0.4, [100, 40, 20, 10, 10, 10, 10, 10])],
    }
    found = claims(make(cells, params, methods=entries))
    (row,) = (row for text, row in found.items() if "same objective" in text)
    # 10.109 is within a thousandth of 10.1, and both are there in the fourth iteration.
    assert row[1].text == "× 20"


def test_nothing_is_claimed_without_the_paper_or_finished_runs(make) -> None:
    cells = {("vowel", name): [ok(FAST)] for name in ("multiboost_cw", "multiboost")}
    assert claims(make(cells)) != {}
    assert claims(make(cells, paper=None)) == {}
    assert claims(make({("vowel", "multiboost_cw"): [None], ("vowel", "multiboost"): [None]})) == {}


def quick_and_thorough(thorough: float = 0.3) -> dict:
    """Return a quick method that ends early, and one whose iterations take longer and longer."""
    times = [thorough * step**2 for step in range(1, 11)]
    slow = ok(SLOW)
    slow = replace(slow, time_curve={"fit_s": times, "solver_s": [t / 3 for t in times]})
    return {
        ("vowel", "multiboost_cw"): [ok(FAST[:4], 0.1, stop="optimal"), ok(FAST[:6], 0.1)],
        ("vowel", "multiboost"): [slow, slow],
    }


def test_times_are_compared_after_as_many_iterations(make) -> None:
    table = claim_table(make(quick_and_thorough()))
    found = {row[0].text: row[3] for row in table.rows}
    # All runs have reached the fourth: 16 * 0.3 s against 0.4 s; in the solver, a third and a half.
    assert (found[CHEAPER].text, found[CHEAPER].note) == ("× 12", "at 4")
    cheaper = "multiboost_cw needs less solver time than multiboost by L-BFGS-B"
    assert (found[cheaper].text, found[cheaper].note) == ("× 8", "at 4")
    assert "same number of iterations" in table.legend
    assert "do not look at their spread" in table.legend
    assert "so far" not in table.legend


def test_large_ratios_are_written_out(make) -> None:
    found = claims(make(quick_and_thorough(27.68)))
    assert found[CHEAPER][1].text == "× 1,110"


def test_the_fastest_solver_is_judged_after_as_many_iterations(make) -> None:
    params = {
        "FCD-1": {"C": 1e4, "max_sweeps": 1},
        "FCD-2": {"C": 1e4, "max_sweeps": 2},
        "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
    }
    cells = {
        # In all it takes longer, since it needs so many iterations.
        ("vowel", "FCD-1"): [ok([0.5] * 40, 0.01)],
        ("vowel", "FCD-2"): [ok([0.5] * 4, 0.02, stop="optimal")],
        ("vowel", "LBFGS-B"): [ok([0.5] * 3, 0.4, stop="optimal")],
    }
    entries = [{"name": name, "method": "multiboost_cw"} for name in params]
    found = claims(make(cells, params, methods=entries))
    told = found["FCD with τ = 1 is the fastest (solver time of the next to its own)"][1]
    assert (told.text, told.note) == ("× 2", "at 3")


@pytest.mark.parametrize(("iterations", "expected"), [(4, "× 10"), (5, None)])
def test_without_time_curves_only_equally_long_trainings_compare(
    make, iterations: int, expected: str | None
) -> None:
    def bare(errors: list[float], seconds: float) -> Outcome:
        return replace(ok(errors, seconds), time_curve=None)

    cells = {
        ("vowel", "multiboost_cw"): [bare(FAST[:4], 0.1)],
        ("vowel", "multiboost"): [bare(SLOW[:iterations], 1.0)],
    }
    found = claims(make(cells))
    assert (found[CHEAPER][1].text if CHEAPER in found else None) == expected


UNFINISHABLE = "adaboost_mo cannot finish 500 iterations in 1,000 s"


@pytest.mark.parametrize(
    ("run", "params", "expected"),
    [
        (ok([0.2] * 500, 3.0), {}, ("1,500 s", "holds")),
        (ok([0.2] * 500, 0.01), {}, ("5.00 s", "fails")),
        (ok([0.2] * 600, 1.9), {"max_iter": 600}, ("950 s", "fails")),
        (ok([0.2] * 60, 3.0, stop="separated"), {}, ("180 s", "fails")),
        (ok([0.2] * 60, 20.0, stop="time"), {"time_limit": 1000}, ("1,200 s", "holds")),
        (ok([0.2] * 60, 20.0, stop="time"), {"time_limit": 10}, None),
        (ok([0.2] * 60, 20.0), {"max_iter": 60}, None),
    ],
)
def test_what_takes_too_long_is_judged_only_where_it_was_seen(
    make, run: Outcome, params: dict, expected: tuple[str, str] | None
) -> None:
    # Another data set of the paper's Figure 2 was run to the end, and one is not in that figure.
    done = ok([0.2] * 600, 0.01)
    cells = {("usps", "adaboost_mo"): [run], ("mnist", "adaboost_mo"): [done]}
    cells["vowel", "adaboost_mo"] = [ok([0.2] * 500, 3.0)]
    found = claims(make(cells, {"adaboost_mo": {"max_iter": 600, **params}}))[UNFINISHABLE]
    told = [(item.text, item.tone) for item in found[1:]]
    assert told[0] == (expected or ("–", "empty"))
    assert found[1].note == ("" if expected else "not run far enough")
    assert found[3] == Item("–", note="not claimed")


def test_nothing_is_said_of_finishing_on_other_data_sets_than_the_papers(make) -> None:
    cells = {("vowel", "adaboost_mo"): [ok([0.2] * 500, 3.0)]}
    cells["vowel", "multiboost_cw"] = [ok(FAST)]
    assert UNFINISHABLE not in claims(make(cells))


def test_verdicts_are_so_far_while_runs_are_missing(make) -> None:
    cells = quick_and_thorough()
    cells["usps", "multiboost_cw"] = [None]
    legend = claim_table(make(cells)).legend
    assert "1 of 5 runs are missing: the verdicts are so far" in legend
