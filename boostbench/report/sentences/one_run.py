"""Means, verdicts and conclusions that are others without one run."""

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.papers.metrics import Metric
from boostbench.papers.one_run import WithoutOneRun
from boostbench.papers.settings import in_words
from boostbench.report.appearance import appearance
from boostbench.report.frames.cell import Cell, WithoutRun
from boostbench.report.words import series
from boostbench.suggest import counted
from boostbench.values import RunKey

LEGEND = (
    "[x without s/f/r]: the mean, with the sign of a verdict that is another, without the run of "
    "split seed s, fold or split f and seed r, the farthest from the mean of its cell. It is said "
    "where the mean moves by more than its margin or the verdict changes, in cells of 16 runs or "
    "more; the margin of an average is that of a mean over the root of its number of data sets."
)


def place(run: RunKey, part: str) -> str:
    """Return the words for a run; ``part`` is "fold" or "split"."""
    split_seed, number, seed = run
    return f"split seed {split_seed}, {part} {number}, seed {seed}"


def in_brackets(cell: Cell, left: WithoutRun, metric: Metric) -> str:
    """Return what a cell or an average is without one run, as a note beside it."""
    other = left.cell
    sign = appearance(other.verdict).sign if other.verdict is not cell.verdict else ""
    where = on_dataset(left) if cell.average else "/".join(map(str, left.run))
    return " ".join(filter(None, [metric.text(other.compared), sign, "without", where]))


def on_dataset(left: WithoutRun) -> str:
    """Return the run that is left out, with its data set, as a table has it."""
    return f"{left.dataset} {'/'.join(map(str, left.run))}"


def of_cell(cell: Cell, left: WithoutRun, metric: Metric) -> str:
    """Return what a cell is without one run, in a sentence."""
    verdict = f", {left.cell.verdict}" if left.cell.verdict is not cell.verdict else ""
    return (
        f"Without the run of {place(left.run, left.part)} ({metric.text(left.score)}) the mean is "
        f"{metric.text(left.cell.compared)}{verdict}."
    )


@dataclass(frozen=True)
class Moved:
    """A method's mean on a data set, and the ``averages`` by label, that one run moves."""

    method: str
    cell: Cell
    left: WithoutRun
    averages: Sequence[Cell]
    conclusions: Sequence[str] = ()


def means(moved: Sequence[Moved], others: int, metric: Metric) -> list[str]:
    """Return which means one run each moves by more than their margins; ``others`` are counted."""
    clauses = [_moved(one, metric) for one in moved]
    if others:
        clauses.append(f"and {counted(others, 'other mean')}")
    text = f"Means that one run decides: {'; '.join(clauses)}."
    return [text, *(_then(one) for one in moved if one.conclusions)] if clauses else []


def _moved(one: Moved, metric: Metric) -> str:
    means = [f"{_from_to(one.cell, one.left, metric)} on {one.cell.dataset}"]
    for average in one.averages:
        if average.without:
            label = average.row[:1].lower() + average.row[1:]
            means.append(f"{_from_to(average, average.without, metric)} in the {label}")
    run = f"{place(one.left.run, one.left.part)} ({metric.text(one.left.score)})"
    return f"without {run} {one.method} has {series(means)}"


def _then(one: Moved) -> str:
    """Return the conclusions that are others without a run."""
    run = place(one.left.run, one.left.part)
    return f"Without {run} of {one.method}: {' '.join(one.conclusions)}"


def _from_to(cell: Cell, left: WithoutRun, metric: Metric) -> str:
    return f"{metric.text(left.cell.compared)} in place of {metric.text(cell.compared)}"


def of_claim(left: WithoutOneRun, verdict: str, figures: str) -> str:
    """Return what a claim is without one run: its ``verdict`` and ``figures``, if others."""
    run = left.run
    setting = in_words(left.judged.conditions, left.setting)
    of = f" of {setting}" if setting else ""
    where = f"{place(run.index, run.part)} of {run.method}{of} on {run.dataset}"
    return f"without {where}: {'; '.join(filter(None, [verdict, figures]))}"


def verdicts(cells: int, claims: int) -> str:
    """Return how many verdicts would be others without one run each, "" if none would."""
    counts = {"cells": cells, "claims": claims}
    some = [f"{number:,} of the verdicts on {of}" for of, number in counts.items() if number]
    others = "another" if cells + claims == 1 else "others"
    return f"Without one run each, {series(some)} would be {others}." if some else ""
