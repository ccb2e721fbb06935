"""The columns of reports: what is shown of each cell, where, and by which name.

They are those of the main table, of the paper's tables, of each method's table, of the cards on the
page, of ``table.csv``, and of ``Results.means()`` and ``boostbench report --json``.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from boostbench import numbers
from boostbench.numbers import Setting
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.document import cell_items
from boostbench.report.document.table import Header, Item
from boostbench.report.frames.cell import Cell, Spread, missing_text
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences.beside_print import would_decide

Value = str | float | None


class Place(Enum):
    """Where a column is shown: in tables of a report, on the cards of its page, for programs."""

    MAIN = auto()
    PAPER = auto()
    DETAIL = auto()
    CARD = auto()
    CSV = auto()
    FRAME = auto()


MAIN, PAPER, DETAIL, CARD, CSV, FRAME = Place


class Shown(NamedTuple):
    """A cell or an average, and the results that it is of."""

    cell: Cell
    results: ReportData

    @property
    def metric(self) -> Metric:
        """The metric of the results."""
        return self.results.metric

    @property
    def method(self) -> PlannedMethod:
        """The method of the cell."""
        return self.results.method_of[self.cell.method]

    @property
    def published_as(self) -> str:
        """The name of the data set in the paper, "" for an average or without one."""
        data = self.results.dataset_of.get(self.cell.dataset)
        return data.published_as if data else ""

    @property
    def conditions(self) -> Mapping[str, Value]:
        """The values of the paper's conditions, as far as they are known."""
        data = self.results.dataset_of.get(self.cell.dataset)
        return {**(data.conditions if data else {}), **self.method.conditions}

    @property
    def is_best(self) -> bool:
        """Whether the method is the best of several on the data set."""
        return (self.cell.row, self.cell.method) in self.results.best


@dataclass(frozen=True)
class Column:
    """A value of every cell.

    ``where`` has the places in which it is shown, with its name in each, which may have that of a
    group before it. ``{metric.…}`` in a name is a word of the metric; a column whose name has
    ``{metric.exploded_…}`` is only for metrics with such runs. ``value`` is for programs and
    ``text`` for readers. ``dtype`` and ``meaning`` are those of a column of ``Results.means()``.
    """

    where: Mapping[Place, Header]
    value: Callable[[Shown], Value] = lambda _: None
    text: Callable[[Shown], Item | str] = lambda _: ""
    dtype: str = "float"
    meaning: str = ""

    def name(self, place: Place, metric: Metric) -> Header | None:
        """Return its name in a place, ``None`` where it is not shown."""
        name = self.where.get(place)
        if name is None or not _has_words(name, metric):
            return None
        if isinstance(name, tuple):
            return name[0], name[1].format(metric=metric)
        return name.format(metric=metric, unit=f", {metric.unit}" if metric.unit else "")


def _has_words(name: Header, metric: Metric) -> bool:
    """Return whether a metric has the words for runs that exploded, where a name has them."""
    return all(getattr(metric, word) for word in re.findall(r"{metric\.(exploded_\w+)}", str(name)))


def columns_in(
    place: Place, metric: Metric, conditions: Iterable[str] = ()
) -> list[tuple[Header, Column]]:
    """Return the columns of a place, each with its name there."""
    of_conditions = list(map(_of_condition, conditions))
    every = [of_conditions if each is _CONDITIONS else [each] for each in COLUMNS]
    named = [(each.name(place, metric), each) for each in chain(*every)]
    return [(name, each) for name, each in named if name is not None]


def items_in(place: Place, cell: Cell, results: ReportData) -> list[tuple[Header, Item | str]]:
    """Return what readers see of a cell in a place, by name."""
    columns = columns_in(place, results.metric)
    return [(name, each.text(Shown(cell, results))) for name, each in columns]


def _spread(name: str, spread: Callable[[Cell], Spread]) -> list[Column]:
    """Return the mean and the sd of a quantity for programs."""
    return [
        Column({CSV: f"{name}_mean"}, lambda at: spread(at.cell).mean),
        Column({CSV: f"{name}_sd"}, lambda at: spread(at.cell).sd),
    ]


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""


def _keys(counts: Mapping[Setting, int]) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _exploded(at: Shown) -> float | None:
    """Return how many runs have exploded: with decimals where averages have them in this column."""
    every = [cell.exploded for cell in at.results.cells]
    is_whole = all(number is not None and number % 1 == 0 for number in every)
    if at.cell.exploded is None:
        return None
    return int(at.cell.exploded) if is_whole else float(at.cell.exploded)


def _interval(at: Shown) -> tuple[float | None, float | None]:
    """Return the ends of the 95 % interval of the mean, ``None`` where it has none."""
    mean, half = at.cell.mean, at.cell.half_width
    return (None, None) if mean is None or half is None else at.metric.interval(mean, half)


def _to_decide(at: Shown, *, by_partitions: bool) -> int | None:
    """Return how many seeds per fold, or split seeds, would decide."""
    plan = at.cell.to_decide
    return plan.number if plan and plan.by_partitions is by_partitions else None


_NAMES = "their names in the experiment"
_ENDS = "the interval of the mean, cut at the bounds of the metric"
_RUNS = "how many have finished, and how many there are to be"
_MEAN = "of all finished runs, sd with n - 1"

_CONDITIONS = Column({})
"""Stands for the columns of the paper's conditions."""
_SUBJECT = [
    Column({CSV: "row"}, lambda at: at.cell.row if at.cell.average else "cell"),
    Column(
        {CSV: "dataset", FRAME: "dataset"}, attrgetter("cell.dataset"), dtype="str", meaning=_NAMES
    ),
    Column({CSV: "published_as"}, attrgetter("published_as")),
    Column(
        {CSV: "method", FRAME: "method"}, attrgetter("cell.method"), dtype="str", meaning=_NAMES
    ),
    Column({CSV: "registered"}, attrgetter("method.registered")),
    _CONDITIONS,
    Column({CSV: "params"}, lambda at: _json(at.method.params)),
    Column({CSV: "planned"}, attrgetter("cell.planned")),
]
_MEASURED = [
    Column(
        {CSV: "finished", DETAIL: ("Measured", "Runs")},
        attrgetter("cell.finished"),
        lambda at: cell_items.runs(at.cell),
    ),
    Column(
        {CSV: "{metric.name}_mean", FRAME: "mean", DETAIL: ("Measured", "{metric.label}")},
        attrgetter("cell.mean"),
        lambda at: at.metric.text(at.cell.mean) or Item(numbers.DASH, meaning="empty"),
        meaning=_MEAN,
    ),
    Column(
        {CSV: "{metric.name}_sd", FRAME: "sd", DETAIL: ("Measured", "sd")},
        attrgetter("cell.sd"),
        lambda at: at.metric.sd(at.cell.sd, at.cell.mean),
        meaning=_MEAN,
    ),
    Column({FRAME: "low"}, lambda at: _interval(at)[0], meaning=_ENDS),
    Column({FRAME: "high"}, lambda at: _interval(at)[1], meaning=_ENDS),
    Column(
        {CSV: "{metric.name}_median", FRAME: "median"},
        attrgetter("cell.median"),
        meaning="of all finished runs",
    ),
    Column({FRAME: "runs"}, attrgetter("cell.finished"), dtype="int", meaning=_RUNS),
    Column({FRAME: "planned"}, attrgetter("cell.planned"), dtype="int", meaning=_RUNS),
    Column(
        {FRAME: "best"},
        attrgetter("is_best"),
        dtype="bool",
        meaning="whether no other method has a better mean over the runs that both have; equal "
        "ones are all the best",
    ),
    Column(
        {
            CSV: "{metric.exploded_name}_runs",
            DETAIL: ("Measured", "{metric.exploded_label}"),
        },
        _exploded,
        lambda at: numbers.count(at.cell.exploded),
    ),
    Column(
        {CSV: "{metric.name}_mean_without_{metric.exploded_name}"}, lambda at: at.cell.kept_mean
    ),
    Column(
        {DETAIL: ("Measured", "{metric.train_label}")},
        text=lambda at: cell_items.with_sd(at.metric, at.cell.train.mean, at.cell.train.sd),
    ),
    *_spread("train_{metric.name}", lambda cell: cell.train),
    *_spread("objective", lambda cell: Spread() if cell.mixed else cell.objective),
    Column({DETAIL: ("Measured", "Objective")}, text=lambda at: cell_items.objective(at.cell)),
    *_spread("iterations", lambda cell: cell.iterations),
    Column(
        {DETAIL: ("Measured", "Iterations")},
        text=lambda at: numbers.count(at.cell.iterations.mean),
    ),
    Column({DETAIL: ("Measured", "Ended by")}, text=lambda at: numbers.counted(at.cell.stops)),
    Column({DETAIL: ("Measured", "Chosen")}, text=lambda at: numbers.chosen(at.cell.chosen)),
    Column(
        {CSV: "fit_s_mean", FRAME: "fit_s", DETAIL: ("Measured", "Time, s")},
        attrgetter("cell.fit_s.mean"),
        lambda at: numbers.seconds(at.cell.fit_s.mean),
        meaning="mean seconds of one training",
    ),
    Column({CSV: "fit_s_sd"}, attrgetter("cell.fit_s.sd")),
    *_spread("solver_s", lambda cell: cell.solver_s),
    *_spread("choose_s", lambda cell: cell.choose_s),
]
# A mean, or a time, beside the printed one; "compared" is that without the runs that print lacks.
_BESIDE_PRINT = [
    Column(
        {MAIN: "{metric.label}"},
        text=lambda at: cell_items.score(
            at.cell, at.metric, at.results.compares, at.is_best and not at.results.compares
        ),
    ),
    Column(
        {PAPER: "{metric.label}"},
        text=lambda at: cell_items.score(at.cell, at.metric, compares=True),
    ),
    Column({PAPER: "sd"}, text=lambda at: cell_items.sd_beside_print(at.cell, at.metric)),
    Column({PAPER: "Time, s"}, text=lambda at: cell_items.time_beside_print(at.cell)),
    Column(
        {CARD: "mean{unit}"},
        text=lambda at: "" if at.cell.leaves_out else at.metric.text(at.cell.compared),
    ),
    Column(
        {CARD: "mean{unit}, without {metric.exploded_label}"},
        text=lambda at: at.metric.text(at.cell.compared) if at.cell.leaves_out else "",
    ),
    Column({CARD: "sd"}, text=lambda at: at.metric.sd(at.cell.compared_sd, at.cell.compared)),
    Column({CARD: "95 % interval{unit}"}, text=lambda at: cell_items.interval(at.cell, at.metric)),
    Column(
        {FRAME: "left_out"},
        lambda at: int(at.cell.exploded or 0) if at.cell.leaves_out else 0,
        dtype="int",
        meaning="how many runs `compared` is without: those with R2 below 0, where the published "
        "mean leaves such runs out",
    ),
    Column(
        {FRAME: "compared"},
        lambda at: at.cell.compared if at.cell.printed else None,
        meaning="the mean that is compared with the published one, without the runs `left_out`",
    ),
    Column({CSV: "published_table"}, attrgetter("cell.published_table")),
    Column(
        {
            CSV: "published_{metric.name}",
            FRAME: "printed",
            DETAIL: ("Printed", "{metric.label}"),
            CARD: "printed",
        },
        attrgetter("cell.published"),
        lambda at: cell_items.printed(at.cell, at.metric),
        meaning="the published mean",
    ),
    Column(
        {CSV: "published_sd", DETAIL: ("Printed", "sd"), CARD: "printed sd"},
        attrgetter("cell.published_sd"),
        lambda at: at.metric.sd(at.cell.published_sd, at.cell.published),
    ),
    Column(
        {DETAIL: ("Printed", "{metric.exploded_label}")},
        text=lambda at: numbers.count(at.cell.published_exploded),
    ),
    Column(
        {CSV: "published_time_s", DETAIL: ("Printed", "Time, s")},
        attrgetter("cell.published_time_s"),
        lambda at: numbers.seconds(at.cell.published_time_s),
    ),
    Column({CSV: "published_{metric.exploded_name}_runs"}, attrgetter("cell.published_exploded")),
    Column({CSV: "compared_{metric.name}"}, attrgetter("cell.compared")),
]
_COMPARED = [
    Column(
        {CSV: "difference", DETAIL: ("Compared", "Difference")},
        attrgetter("cell.difference"),
        lambda at: at.metric.difference(at.cell.difference),
    ),
    Column(
        {CARD: "difference"},
        text=lambda at: at.metric.difference(None if at.cell.low is None else at.cell.difference),
    ),
    Column(
        {CARD: "90 % interval"},
        text=lambda at: cell_items.difference_interval(at.cell, at.metric, "[{}, {}]"),
    ),
    Column(
        {DETAIL: ("Compared", "90 % interval")},
        text=lambda at: cell_items.difference_interval(at.cell, at.metric, "{} to {}"),
    ),
    Column({DETAIL: ("Compared", "Margin")}, text=lambda at: at.metric.width(at.cell.margin)),
    Column(
        {CSV: "verdict", FRAME: "agreement", DETAIL: ("Compared", "Verdict")},
        lambda at: str(at.cell.verdict or ""),
        lambda at: cell_items.verdict(at.cell),
        dtype="str",
        meaning="of `compared` and `printed`: agrees, differs, undecided, not comparable, or empty",
    ),
    Column({CSV: "not_comparable"}, attrgetter("cell.not_comparable")),
    Column({CSV: "same_published_as"}, attrgetter("cell.duplicate_of")),
    Column({CSV: "meant"}, lambda at: cell_items.meant(at.cell)),
    Column({CSV: "margin"}, attrgetter("cell.margin")),
    Column({CSV: "interval_from"}, attrgetter("cell.interval_from")),
    Column({CSV: "interval_low"}, attrgetter("cell.low")),
    Column({CSV: "interval_high"}, attrgetter("cell.high")),
    Column({CSV: "p_equivalent"}, attrgetter("cell.p_equivalent")),
    Column({CSV: "p_different"}, attrgetter("cell.p_different")),
    Column({CSV: "undecided_because"}, attrgetter("cell.undecided_reason")),
    Column({CSV: "seeds_to_decide"}, lambda at: _to_decide(at, by_partitions=False)),
    Column({CSV: "split_seeds_to_decide"}, lambda at: _to_decide(at, by_partitions=True)),
    Column({CSV: "to_decide"}, lambda at: would_decide(at.cell.to_decide)),
    Column(
        {DETAIL: ("Compared", "Why, or what would decide")},
        text=lambda at: cell_items.reasons(at.cell),
    ),
]
_RUNS_BEHIND = [
    Column({CARD: "runs"}, text=lambda at: f"{at.cell.finished:,} of {at.cell.planned:,}"),
    Column({CARD: "one fit, s"}, text=lambda at: numbers.seconds(at.cell.fit_s.mean)),
    Column(
        {CSV: "chosen"},
        lambda at: _json({name: _keys(counts) for name, counts in at.cell.chosen.items()}),
    ),
    Column({CSV: "stops"}, lambda at: _json(_keys(at.cell.stops))),
    Column(
        {CSV: "missing"},
        lambda at: at.cell.problem if at.cell.average else missing_text(at.cell.missing),
    ),
]
# The order is that of each place; a column with two places in the order is here twice.
COLUMNS = [*_SUBJECT, *_MEASURED, *_BESIDE_PRINT, *_COMPARED, *_RUNS_BEHIND]
"""All columns: a further one is one more entry."""


def _of_condition(name: str) -> Column:
    return Column({CSV: name}, lambda at: at.conditions.get(name))
