"""A table of runs that others made, read by a paper's names: methods, data sets, splits, scores.

Whatever is wrong is told in one sentence with its file and line: names that the paper does not
have, runs that one method has and another lacks, and scores in another unit or of another
direction than the printed ones.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from boostbench.data.catalog import Catalog
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers.metrics import Metric, known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.plausible import limits
from boostbench.papers.reading import delimited_lines
from boostbench.papers.runs_beside import Run, number_in, runs_in
from boostbench.papers.settings import Setting, in_words, is_given
from boostbench.suggest import counted, did_you_mean, listing
from boostbench.values import RunKey

COLUMNS = ("dataset", "method", "split", "seed")
_REMEDIES = {
    "split": "number the splits of each data set, from 0 or from 1",
    "seed": "with 0 in every row where each split was run once",
}
_NUMBERED = re.compile(r"(?:(\d+)/)?(\d+)(?:\.0*)?")
_FAR = 4.0
"""A turned score must be so many times nearer to the printed one than the score itself."""
_FAR_OF_SHARES = 0.25
"""And shares themselves so far from the printed ones: about a half both are alike."""


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
        cells: dict[tuple[str, str], list[RunElsewhere]] = {}
        for run in self.runs:
            cells.setdefault((run.label, run.method), []).append(run)
        return cells

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


def read_run_table(path: Path, paper: Paper, metric: str | None = None) -> RunTable:
    """Return the runs in a CSV file; ConfigError with file, line and value where it is wrong.

    The score is in the column ``score`` or in that of its metric, which is the paper's first one
    with a column unless it is named. Further columns may hold other metrics.
    """
    header, rows = delimited_lines(path)
    name, column = _score_column(path, header, paper, metric)
    _check_columns(path, header)
    if not rows:
        raise ConfigError(f"{path} has a header and no runs; give a row for each run")
    own = paper.in_metric(name)
    columns = _columns_of_metrics(header, own, column)
    names = _Names(own)
    # A run is told apart by what it is of, and not by a table.
    read = runs_in(rows, {"score": column, "table": ""}, [*own.conditions])
    runs = [names.read(run, columns) for run in read]
    used = {"", *COLUMNS, *map(str.casefold, own.conditions), *columns.values()}
    not_used = [each for each in header if each not in used]
    known = known_metrics({}, own)[name]
    table = RunTable(path, own, known, column, _by_setting(_from_0(runs), own), not_used)
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
    return table


def _columns_of_metrics(header: Sequence[str], paper: Paper, score: str) -> dict[str, str]:
    """Return the metrics of which there are columns, the one of the ``score`` first."""
    others = {name: name.casefold() for name in known_metrics({}, paper) if name != paper.metric}
    there = {name: own for name, own in others.items() if own in header and own != score}
    return {paper.metric: score} | there


def _score_column(
    path: Path, header: Sequence[str], paper: Paper, metric: str | None
) -> tuple[str, str]:
    """Return the metric of the scores, and the column with them."""
    if metric is not None and metric not in paper.metric_names:
        raise ConfigError(
            f"--metric {metric}: the paper {paper.key} prints no '{metric}'"
            f"{did_you_mean(metric, paper.metric_names)}; it has {listing(paper.metric_names)}"
        )
    if "score" in header:
        name = metric or paper.metric
        if name.casefold() in header:
            raise ConfigError(
                f"{path}:1: both 'score' and '{name.casefold()}' may be the scores to judge: leave "
                "one of these columns out"
            )
        return name, "score"
    for name in [metric] if metric else paper.metric_names:
        if name.casefold() in header:
            return name, name.casefold()
    raise ConfigError(
        f"{path}:1: there is no column 'score'{did_you_mean('score', header)}, nor one called "
        f"{listing(list(paper.metric_names))}; the first row must name the columns, and names "
        f"{listing(header)}"
    )


def _check_columns(path: Path, header: Sequence[str]) -> None:
    for name in COLUMNS:
        if name not in header:
            remedy = _REMEDIES.get(name, f"with the name of the {name} in every row")
            raise ConfigError(
                f"{path}:1: there is no column '{name}'{did_you_mean(name, header)}; add it, "
                f"{remedy}"
            )


@dataclass(frozen=True)
class _Names:
    """What the names in a table mean to a paper."""

    paper: Paper

    def read(self, run: Run, columns: Mapping[str, str]) -> RunElsewhere:
        """Return a run by the paper's names; ``columns`` has those of its metrics."""
        place = run.place
        scores = {
            name: number_in(place, column, run.row[column])
            for name, column in columns.items()
            if run.row[column]
        }
        partition, fold = _numbered(place, "split", run.split)
        published, role = self._published(run), self._role(run)
        key = partition, fold, _numbered(place, "seed", run.seed)[1]
        return RunElsewhere(
            run.dataset, published, run.method, role, run.setting, key, scores, place
        )

    def _role(self, run: Run) -> str:
        """Return the role, or the registered method, of a run's method."""
        paper, name = self.paper, run.method
        if name in (*paper.names, *paper.roles, *paper.printed_names):
            return name
        if meant := paper.meant_by(name):
            return meant[0]
        if name in method_names():
            return name
        every = [*paper.method_names, *method_names()]
        raise ConfigError(
            f"{run.place}, method: the paper {paper.key} has no method '{name}'"
            f"{did_you_mean(name, paper.method_names) or did_you_mean(name, every)}; its methods "
            f"are {listing(list(paper.method_names), 12)}"
        )

    def _published(self, run: Run) -> str:
        """Return the paper's name of a run's data set, "" for another one that is known here."""
        paper, name = self.paper, run.dataset
        if name in paper.datasets:
            return name
        cards = {card: data.name for data in paper.datasets.values() for card in data.known_cards}
        if name in cards:
            return cards[name]
        others = Catalog(paper.folder.parent if paper.folder else None).names
        if name in others:
            return ""
        names = list(paper.datasets)
        raise ConfigError(
            f"{run.place}, dataset: the paper {paper.key} has no data set '{name}'"
            f"{did_you_mean(name, names) or did_you_mean(name, [*cards, *others])}; its data sets "
            f"are {listing(names, 12)}"
        )


def _numbered(place: str, column: str, text: str) -> tuple[int, int]:
    """Return the partition, 0 where there is none, and the number in a cell."""
    found = _NUMBERED.fullmatch(text)
    if found is None or (found[1] and column != "split"):
        form = " or PARTITION/FOLD" if column == "split" else ""
        raise ConfigError(f"{place}, {column}: '{text}' must be a whole number{form}")
    return int(found[1] or 0), int(found[2])


def _from_0(runs: Sequence[RunElsewhere]) -> list[RunElsewhere]:
    """Return runs with partitions and folds numbered from 0, which a table may number from 1."""
    first = [min(run.run[part] for run in runs) for part in (0, 1)]
    partition, fold = (int(least == 1) for least in first)
    return [
        run._replace(run=(run.run[0] - partition, run.run[1] - fold, run.run[2])) for run in runs
    ]


def _by_setting(runs: Sequence[RunElsewhere], paper: Paper) -> Sequence[RunElsewhere]:
    """Return runs whose methods and data sets are named with their settings, if with several."""
    of_methods = _told_apart(paper, [paper.of_methods(run.setting) for run in runs])
    of_data = _told_apart(paper, [paper.of_data(run.setting) for run in runs])
    return [
        run._replace(method=f"{run.method}{of_method}", label=f"{run.label}{of_one}")
        for run, of_method, of_one in zip(runs, of_methods, of_data, strict=True)
    ]


def _told_apart(paper: Paper, settings: Sequence[Setting]) -> list[str]:
    """Return what is added to each name, nothing where all have one setting."""
    words = [in_words(paper.conditions, setting) for setting in settings]
    is_one = len(set(settings)) == 1
    return ["" if is_one or not own else f", {own}" for own in words]


# -- what a table cannot be ------------------------------------------------------------------------


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
        first: dict[RunKey, str] = {}
        for run in runs:
            if (place := first.setdefault(run.run, run.place)) != run.place:
                yield (
                    f"{run.place}: this run is again that of line {place.rpartition(':')[2]}; give "
                    "each its split and seed"
                )


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
