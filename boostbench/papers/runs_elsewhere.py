"""Runs that others made, by the names of a paper, and what a table of them cannot be."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from boostbench.errors import ConfigError
from boostbench.grouping import grouped
from boostbench.papers.metrics import Metric, known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.plausible import limits
from boostbench.papers.runs_beside import repeated
from boostbench.papers.settings import Setting, is_given
from boostbench.suggest import counted, listing
from boostbench.values import RunKey


class RunElsewhere(NamedTuple):
    """One run: its data set and method as the table and as the paper call them, and its scores.

    ``published`` is "" for a data set that the paper does not have. ``setting`` has the values of
    the paper's conditions, None where the table has none. ``scores`` are by metric.
    """

    label: str
    published: str
    method: str
    role: str
    setting: Setting
    run: RunKey
    scores: Mapping[str, float]
    place: str


@dataclass(frozen=True)
class RunTable:
    """A table of runs: its ``metric``, the ``column`` of that, the runs, and columns not used."""

    path: Path
    paper: Paper
    metric: Metric
    column: str
    runs: Sequence[RunElsewhere]
    not_used: Sequence[str]

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], Sequence[RunElsewhere]]:
        """The runs by the labels of their data set and method."""
        return grouped(((run.label, run.method), run) for run in self.runs)

    @cached_property
    def splits(self) -> Mapping[str, int]:
        """The number of splits of a partition of each data set, by its label."""
        places = {(run.label, *run.run[:2]) for run in self.runs}
        several = {label: len({p for own, p, _ in places if own == label}) for label, *_ in places}
        each = Counter(label for label, _, _ in places)
        return {label: number // several[label] for label, number in each.items()}

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of which some run has a score, by name."""
        known = known_metrics({}, self.paper)
        return {name: known[name] for name in known if any(name in r.scores for r in self.runs)}

    def column_of(self, metric: str) -> str:
        """Return the column with the scores of a metric."""
        return self.column if metric == self.metric.name else metric.casefold()

    @property
    def without_runs(self) -> list[tuple[str, str]]:
        """The data sets and methods of which there are no runs together."""
        labels = dict.fromkeys(label for label, _ in self.by_cell)
        methods = dict.fromkeys(method for _, method in self.by_cell)
        return [cell for cell in product(labels, methods) if cell not in self.by_cell]

    @property
    def not_published(self) -> list[str]:
        """The data sets that the paper does not have."""
        return list(dict.fromkeys(run.label for run in self.runs if not run.published))


# -- what a table cannot be ------------------------------------------------------------------------


_FAR = 4.0
"""A turned score must be so many times nearer to the printed one than the score itself."""
_FAR_OF_SHARES = 0.25
"""And shares themselves so far from the printed ones: about a half both are alike."""


def check_run_table(table: RunTable) -> None:
    """Raise ConfigError for the first mistake in a table of runs."""
    for wrong in (
        _without_conditions,
        _one_method_twice,
        _twice,
        _uneven,
        _in_some_runs,
        _beyond_limits,
        _in_percent,
        _turned,
    ):
        for sentence in wrong(table):
            raise ConfigError(sentence)


def _without_conditions(table: RunTable) -> Iterator[str]:
    """Yield a condition that is not given where print depends on it, or has other values."""
    paper = table.paper
    for place, (name, printed) in enumerate(paper.printed_values.items()):
        asked = [run for run in table.runs if run.published and _depends(paper, run)[place]]
        values = dict.fromkeys(run.setting[place] for run in asked)
        if not printed or not asked or set(values) & set(printed):
            continue
        known = listing(map(str, printed))
        if shown := listing(map(str, filter(is_given, values))):
            yield (
                f"{asked[0].place}, {name}: the paper {paper.key} prints nothing at {shown}; it "
                f"prints {known}"
            )
        elif paper.conditions[name].default is None:
            yield (
                f"{table.path}:1: there is no value of '{name}', by which the paper {paper.key} "
                f"tells its means apart; add a column '{name}' with one of {known} in every row"
            )


def _depends(paper: Paper, run: RunElsewhere) -> list[bool]:
    """Return on which conditions the printed value beside a run depends."""
    both = zip(paper.depends(run.role), paper.data_depends(run.published), strict=True)
    return [of_method or of_data for of_method, of_data in both]


def _one_method_twice(table: RunTable) -> Iterator[str]:
    """Yield two names of one method or data set."""
    paper, runs = table.paper, table.runs
    for what, named in (
        ("method", [(r, r.method, r.role, paper.of_methods(r.setting)) for r in runs]),
        ("dataset", [(r, r.label, r.published or r.label, paper.of_data(r.setting)) for r in runs]),
    ):
        first: dict[object, str] = {}
        for run, name, *own in named:
            meant = tuple(own)
            if first.setdefault(meant, name) != name:
                yield (
                    f"{run.place}, {what}: '{name}' and '{first[meant]}' are one {what} of the "
                    f"paper {table.paper.key}; leave the rows of one of them out"
                )


def _twice(table: RunTable) -> Iterator[str]:
    """Yield a run that is there twice, its numbers written differently."""
    for runs in table.by_cell.values():
        yield from repeated((run.run, run.place) for run in runs)


def _uneven(table: RunTable) -> Iterator[str]:
    """Yield a run that one method has on a data set and another one lacks."""
    there = {cell: set(map(attrgetter("run"), runs)) for cell, runs in table.by_cell.items()}
    for (label, method), runs in table.by_cell.items():
        for other in [name for own, name in there if own == label]:
            extra = next((run for run in runs if run.run not in there[label, other]), None)
            if extra is not None:
                yield (
                    f"{extra.place}: on {label} '{method}' has {counted(len(runs), 'run')} and "
                    f"'{other}' has {len(there[label, other])}, without this split and seed; add "
                    "the row, or leave this run out for all methods"
                )


def _in_some_runs(table: RunTable) -> Iterator[str]:
    """Yield a metric that some runs of a method on a data set have, and others lack."""
    for (label, method), runs in table.by_cell.items():
        for name in table.metrics:
            without = [run for run in runs if name not in run.scores]
            if without and len(without) < len(runs):
                yield (
                    f"{without[0].place}, {table.column_of(name)}: there is no number, and other "
                    f"runs of '{method}' on {label} have one; give it, or leave the column empty "
                    "in all of them"
                )


def _beyond_limits(table: RunTable) -> Iterator[str]:
    """Yield a score that its metric cannot have."""
    for run in table.runs:
        for name, score in run.scores.items():
            least, most = limits(table.metrics[name])
            if least <= score <= most:
                continue
            bound = f"below {least:g}" if score < least else f"above {most:g}"
            yield (
                f"{run.place}, {table.column_of(name)}: {score:g} is {bound}, which '{name}' "
                f"cannot be; {_remedy_beyond(score, least, most)}"
            )


def _remedy_beyond(score: float, least: float, most: float) -> str:
    if score < least:
        return "write it without the minus if its sign was turned"
    if most == 1 and 2 < score <= 100:
        return "write shares, such as 0.913 for 91.3 %, and no errors where larger is better"
    return "write the scores of this metric, and no errors where larger is better"


class _Beside(NamedTuple):
    """The mean of a cell beside the printed one, and its first run."""

    mean: float
    printed: float
    first: RunElsewhere


def _beside_print(table: RunTable, metric: str) -> list[_Beside]:
    """Return the means of the cells that have a printed one of a metric."""
    found = []
    paper = table.paper.in_metric(metric)
    for runs in table.by_cell.values():
        first = runs[0]
        column = paper.column(first.role, paper.with_defaults(first.setting))
        cell = column.cells.get(first.published) if column else None
        if cell is not None and metric in first.scores:
            found.append(_Beside(fmean(run.scores[metric] for run in runs), cell.mean, first))
    return found


def _in_percent(table: RunTable) -> Iterator[str]:
    """Yield that scores are about 100 times the printed ones, or a hundredth of them."""
    for name in table.metrics:
        beside = _beside_print(table, name)
        ratios = [(one.mean / one.printed, one) for one in beside if one.printed]
        for factor, words in ((100.0, "100 times"), (0.01, "a hundredth of")):
            near = [one for ratio, one in ratios if factor / 3 < ratio < factor * 3]
            if near and 4 * len(near) >= 3 * len(ratios):
                yield (
                    f"{_said(table, name, near[0])}: these scores are about {words} the printed "
                    "ones; write them in the unit of print, shares where it has shares"
                )


def _turned(table: RunTable) -> Iterator[str]:
    """Yield that scores are near the printed ones once their direction is turned."""
    for metric in table.metrics.values():
        cells = _beside_print(table, metric.name)
        least = _FAR_OF_SHARES if limits(metric)[1] == 1 else _FAR * metric.tolerance
        for words, turn in _turns(metric).items():
            near = [
                one
                for one in cells
                if _FAR * abs(turn(one.mean) - one.printed) < abs(one.mean - one.printed)
            ]
            gap = median(abs(one.mean - one.printed) for one in near) if near else 0.0
            if 4 * len(near) >= 3 * len(cells) and gap > least:
                better = "larger" if metric.greater_is_better else "smaller"
                yield (
                    f"{_said(table, metric.name, near[0])}: {words} would be near the printed "
                    f"value in {len(near)} of {len(cells)} cells; these seem to be scores of the "
                    f"other direction: write '{metric.name}', of which {better} values are better"
                )


def _turns(metric: Metric) -> dict[str, Callable[[float], float]]:
    """Return what the scores of a metric may have been mistaken for, by what is done to them."""
    turns: dict[str, Callable[[float], float]] = {
        "the score with its sign turned": lambda score: -score
    }
    if limits(metric)[1] == 1:
        turns["1 less the score"] = lambda score: 1 - score
    if metric.name == "r2":
        turns["1 less the square of the score, an RMSE,"] = lambda score: 1 - score**2
    if metric.name == "rmse":
        turns["the root of 1 less the score, an R2,"] = lambda s: math.sqrt(max(1 - s, 0.0))
    if metric.name == "mse":
        turns["1 less the score, an R2,"] = lambda score: 1 - score
    return turns


def _said(table: RunTable, metric: str, one: _Beside) -> str:
    """Return where a cell begins, its mean of a metric and the printed one."""
    first = one.first
    return (
        f"{first.place}, {table.column_of(metric)}: on {first.label} '{first.method}' has a mean "
        f"of {one.mean:.4g} and the paper prints {one.printed:.4g}"
    )
