"""What a reader must know to judge a report's numbers; a paper adds its own notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boostbench import numbers
from boostbench.report import processors
from boostbench.report.cells import mean_of
from boostbench.report.collect import parts, runs_over
from boostbench.report.page import Item, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boostbench.report.cells import Cell
from boostbench.report.summary import Summary

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
    return [*texts, *(summary.paper.notes(summary) if summary.paper else ())]


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


def protocol(summary: Summary) -> Table | None:
    """Return the paper's protocol beside this experiment's, ``None`` where it states none."""
    rows = summary.paper.protocol(summary) if summary.paper and summary.cells else ()
    if not rows:
        return None
    words = [(what, _words(there), _words(here)) for what, there, here in rows]
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


def _words(values: Sequence[float] | str) -> str:
    return values if isinstance(values, str) else ", ".join(map(numbers.setting, values))
