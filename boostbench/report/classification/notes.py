"""What a reader must know to judge errors, curves and times, and how the protocol compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.papers.multiboost import PROTOCOL
from boostbench.report import numbers
from boostbench.report.frame import parts
from boostbench.report.page import Item, Table

if TYPE_CHECKING:
    from boostbench.report.classification.stats import ErrorSummary

SPREAD = (
    "± is the sample standard deviation (n − 1) over all finished {parts} × seeds together. The "
    "{parts} overlap in their training rows, so that it understates the uncertainty of the mean."
)
HELD = (
    "A curve is the mean over runs, the band one sd to either side. The error after an "
    "iteration is that of the model with the coefficients of that iteration. A training that "
    "ended early by itself keeps its last values in the mean; where all of a method's have "
    "ended, a thin dotted line goes on with them. Where trainings were cut off by a time budget, "
    "the mean curve ends where the first of them does. Legends give the mean ± sd at the last "
    "iteration of each run. Errors of the first iterations may lie above a panel; the CSV files "
    "have them."
)
CLOCK = (
    "Times are of training alone, one thread a run, and the same in figures and tables: what the "
    "method's own clock shows at the end of its last iteration. It starts with `fit`, so that "
    "checking and sorting the data are inside. Outside are the choice of parameters, errors after "
    "each iteration, and what `fit` does after the last one: certificates of the optimum, putting "
    "the model together."
)
WALL = "Times are of training alone, one thread a run: the wall time of all of `fit`."
WALL_OF = "Of {methods}, without such a clock, it is the wall time of all of `fit`."
NO_NUMBERS = (
    "The paper prints its errors and times in the legends of its figures alone, not in its "
    "text, so no published number stands beside the measured ones; its claims are put to them "
    "instead."
)
SAME_OPTIMUM = (
    "With an equal C, `multiboost_cw` and `multiboost` minimise the same function over the same "
    "stumps, and differ in the way there. Whatever better generalisation there is shows at equal "
    "early iterations and need not last to the end."
)
OWN_C = (
    "Here each chooses its C on every split by itself, so that the two functions can differ; "
    "where the runs of a cell chose different values, no mean objective is given."
)
DESCENT = (
    "The paper solves MultiBoost by L-BFGS-B. By fast coordinate descent (`solver: fcd`) it has "
    "the same optimum after each iteration, up to the tolerance, and is many times faster; its "
    "times say nothing of the paper's claims, which are put to L-BFGS-B where that is measured, "
    "over as many iterations as both have."
)
VOWEL = (
    "The authors' own VOWEL file has 1,452 rows: the 462 test rows stand in it twice, so that a"
    " random split puts copies of training rows into the test part. The data here are the 990 "
    "distinct rows, and errors are higher."
)
SCENE = "`scene15` here has 119 features (GIST, PHOG, LBP), not the paper's 6,200 code word counts."
PARTIAL = (
    "`isolet_partial` is two of ISOLET's five groups of speakers. Results on it are not results"
    " on ISOLET."
)
MNIST = (
    "The paper trains on 1,000 digits a class of MNIST and tests on the original 10,000. Here so "
    "many a class are drawn, and then divided into training and test rows like every data set."
)


def notes(summary: ErrorSummary, curves: bool) -> list[str]:
    """Return the paragraphs that apply to ``summary``; ``curves``: whether there are any."""
    spread = SPREAD.format(parts=parts(summary.results.experiment))
    texts = [spread, *([HELD] if curves else []), _clock(summary)]
    if summary.paper is None or summary.paper.key != "multiboost":
        return texts
    registered = {method.registered for method in summary.methods}
    cards = {data.published_as for data in summary.datasets}
    for applies, text in (
        (True, NO_NUMBERS),
        ({"multiboost_cw", "multiboost"} <= registered, _same_optimum(summary)),
        (_by_descent(summary), DESCENT),
        ("vowel" in cards, VOWEL),
        ("isolet_partial" in cards, PARTIAL),
        (bool(_mnist(summary)), MNIST),
        ("scene15" in cards, SCENE),
    ):
        texts += [text] if applies else []
    return texts


def _clock(summary: ErrorSummary) -> str:
    done = [run for run in summary.results.runs if run.status == "ok"]
    without = dict.fromkeys(f"`{run.method}`" for run in done if not run.clocked)
    if done and all(not run.clocked for run in done):
        return WALL
    return " ".join([CLOCK, *([WALL_OF.format(methods=", ".join(without))] if without else [])])


def _same_optimum(summary: ErrorSummary) -> str:
    chooses = any(
        "C" in method.choose or "C" in summary.cell(data.label, method.label).chosen
        for method in summary.methods
        for data in summary.datasets
        if method.registered in ("multiboost_cw", "multiboost")
    )
    return f"{SAME_OPTIMUM} {OWN_C}" if chooses else SAME_OPTIMUM


def _by_descent(summary: ErrorSummary) -> bool:
    return any(
        method.registered == "multiboost" and method.params.get("solver") == "fcd"
        for method in summary.methods
    )


def protocol(summary: ErrorSummary) -> Table | None:
    """Return the paper's protocol beside this experiment's; ``None`` without the paper."""
    if summary.paper is None or summary.paper.key != "multiboost" or not summary.cells:
        return None
    experiment = summary.results.experiment
    runs = sorted({cell.planned for cell in summary.cells.values()})
    rows = [("Runs a method and data set", str(PROTOCOL.runs), _words(runs))]
    splits = experiment.get("splits")
    test = splits.get("test_size") if isinstance(splits, Mapping) else None
    if test is None and isinstance(folds := experiment.get("folds"), int):
        test = 1 / folds
    if test is not None:
        rows.append(("Share of test rows", numbers.setting(PROTOCOL.test_size), f"{test:g}"))
    rows += _mnist(summary)
    rows.append(
        (
            "Iterations",
            str(PROTOCOL.iterations),
            _words(_given(summary, "max_iter", PROTOCOL.iterations)),
        )
    )
    candidates = _candidates(experiment)
    if candidates:
        rows.append(("C chosen from", _words(PROTOCOL.candidates), candidates))
    return Table(
        key="protocol",
        title="The paper's protocol and this one",
        header=("", "Paper", "Here"),
        rows=[
            [Item(what), Item(said), Item(here, tone="" if said == here else "partly")]
            for what, said, here in rows
        ],
        left=frozenset({0, 1, 2}),
    )


def _mnist(summary: ErrorSummary) -> list[tuple[str, str, str]]:
    """Return which rows of MNIST are trained and tested on, where a part of each class is taken."""
    experiment = summary.results.experiment
    entries = [e for e in experiment.get("datasets") or () if isinstance(e, Mapping)]
    taken = {str(entry.get("name")): entry.get("per_class") for entry in entries}
    said = f"{PROTOCOL.mnist_per_class:,} a class for training, its own 10,000 for the test"
    splits = experiment.get("splits")
    test = 100 * float(splits.get("test_size") or 0) if isinstance(splits, Mapping) else 0.0
    how = f"split {100 - test:g}/{test:g}" if test else f"in {experiment.get('folds')} folds"
    return [
        (f"Rows of {data.label}", said, f"{taken[data.label]:,} a class, {how}")
        for data in summary.datasets
        if data.published_as == "mnist" and taken.get(data.label)
    ]


def _given(summary: ErrorSummary, name: str, default: Any) -> list[Any]:
    return sorted({method.params.get(name, default) for method in summary.methods})


def _candidates(experiment: Mapping[str, Any]) -> str:
    lists: dict[str, None] = {}
    for entry in experiment.get("methods") or ():
        choose = entry.get("choose") if isinstance(entry, Mapping) else None
        if isinstance(choose, Mapping) and choose.get("C"):
            lists[_words(choose["C"])] = None
    return "; ".join(lists)


def _words(values: Sequence[float]) -> str:
    return ", ".join(numbers.setting(value) for value in values)
