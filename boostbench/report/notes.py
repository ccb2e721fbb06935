"""What a reader must know to judge a report's numbers; a paper adds its own notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.report import processors
from boostbench.report.cells import Cell, mean_of
from boostbench.report.collect import parts, runs_over
from boostbench.report.page import Item, Table
from boostbench.report.summary import Summary

Stated = Sequence[float] | str
_SPREAD = (
    "The sd (±) is the sample standard deviation (n − 1) over all finished {runs} "
    "together. The {parts} overlap in their training rows, so that it understates the uncertainty "
    "of the mean."
)
_HELD = (
    "A curve of scores is the mean over runs, the band one sd to either side. On logarithmic axes "
    "(times, objectives) it is the median, the band from the smallest to the largest. The score "
    "after an iteration is that of the model with the coefficients of that iteration. A training "
    "that stopped early keeps its last values in the mean; where all of a method's have ended, a "
    "thin dotted line continues them. Where trainings were cut off by a time budget, the mean "
    "curve ends where the first of them does. A method that recorded no stages is a horizontal "
    "line at its final score or time. Values of the first iterations may lie outside a panel; the "
    "CSV files have them."
)
_CLOCK = (
    "Times are of training only, one thread per run, and the same in figures and tables: what the "
    "method's own clock shows at the end of its last iteration. It starts with `fit`, so that "
    "checking and sorting the data are inside. Outside are the choice of parameters, errors after "
    "each iteration, and what `fit` does after the last one: certificates of the optimum, putting "
    "the model together."
)
_WALL = "Times are of training only, one thread per run: the wall time of all of `fit`."
_WALL_OF = "Of {methods}, without such a clock, it is the wall time of all of `fit`."
_EXPLODED = (
    "One run with {label} can decide a mean: {cells}. Read the median and the count of runs with "
    "{label} beside the mean."
)


def notes(summary: Summary, learning_curves: bool) -> list[str]:
    """Return the paragraphs that apply; ``learning_curves``: whether the page shows any."""
    texts = [_SPREAD.format(parts=parts(summary.experiment), runs=runs_over(summary.experiment))]
    texts += [_HELD] if learning_curves else []
    texts.append(_times(summary))
    texts += filter(None, [processors.note(summary)])
    exploded = [cell for cell in summary.cells.values() if cell.includes_exploded]
    if exploded:
        label = summary.metric.exploded_label
        texts.append(_EXPLODED.format(label=label, cells="; ".join(map(_describe, exploded))))
    return [*texts, *(summary.paper.notes(_used(summary, summary.paper)) if summary.paper else ())]


def _times(summary: Summary) -> str:
    done = [run for run in summary.collected.runs if run.status == "ok"]
    without = dict.fromkeys(f"`{run.method}`" for run in done if not run.clocked)
    if all(not run.clocked for run in done):
        return _WALL
    return " ".join([_CLOCK, *([_WALL_OF.format(methods=", ".join(without))] if without else [])])


def _describe(cell: Cell) -> str:
    metric = cell.metric
    text = (
        f"{cell.method} on {cell.dataset}, {cell.exploded} of {cell.finished} runs, "
        f"mean {metric.text(mean_of(cell.score))}, median {metric.text(cell.median)}"
    )
    return text + (f", mean without them {metric.text(cell.kept.mean)}" if cell.kept else "")


def _used(summary: Summary, paper: Paper) -> set[str]:
    """Return the methods, roles and cards that a paper's notes may be about."""
    methods = {method.registered for method in summary.methods}
    roles = (paper.roles_of(m.registered, m.params, bool(m.choose)) for m in summary.methods)
    return {*methods, *chain(*roles), *(data.card for data in summary.datasets)}


def protocol(summary: Summary) -> Table | None:
    """Return the paper's protocol beside this experiment's, ``None`` where it states none."""
    paper = summary.paper
    if paper is None or not paper.protocol or not summary.cells:
        return None
    words = [(what, _words(there), _words(here)) for what, there, here in _rows(summary, paper)]
    return Table(
        key="protocol",
        title="The paper's protocol and this one",
        header=("", "Paper", "Here"),
        rows=[
            [Item(what), Item(there), Item(here, tone="" if there == here else "partly")]
            for what, there, here in words
        ],
        left=frozenset({0, 1, 2}),
    )


def _rows(summary: Summary, paper: Paper) -> Iterator[tuple[str, Stated, Stated]]:
    stated, splits = paper.protocol, summary.experiment.get("splits") or {}
    if paper.runs:
        yield "Runs per method and data set", [paper.runs], summary.planned_runs()
    folds = summary.experiment.get("folds")
    share = splits.get("test_size") or (1 / folds if isinstance(folds, int) else None)
    test = splits.get("test_size")
    how = f"split {100 - 100 * test:g}/{100 * test:g}" if test else f"in {folds} folds"
    divided = {
        data.label: (
            listed.division,
            f"{data.per_class:,} per class, {how}" if data.per_class else data.rule.words,
        )
        for data in summary.datasets
        for listed in paper.datasets.values()
        if data.rule and data.card in listed.cards and listed.division
    }
    if share is not None and stated.get("test_size") and len(divided) < len(summary.datasets):
        yield "Share of test rows", [stated["test_size"]], [share]
    for label, (there, here) in divided.items():
        yield f"Rows of {label}", there, here
    for name, value in (stated.get("params") or {}).items():
        found = {method.params.get(name, value) for method in summary.methods}
        yield name, [value], sorted(found)
    for name, values in (stated.get("choose") or {}).items():
        for own in dict.fromkeys(
            tuple(m.choose[name]) for m in summary.methods if name in m.choose
        ):
            yield f"{name} chosen from", values, own


def _words(values: Stated) -> str:
    return values if isinstance(values, str) else ", ".join(map(numbers.setting, values))
