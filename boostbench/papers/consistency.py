"""Inconsistencies of a paper's printed tables, found by arithmetic.

Every printed number is read as the interval of the numbers that round to it. Intervals without a
common number are reported, so that a difference that rounding explains is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from boostbench.papers.metrics import metric_from
from boostbench.papers.reading import MEANS

if TYPE_CHECKING:
    from boostbench.papers.paper import Column, Paper, Published


class Kind(StrEnum):
    """What is wrong with printed numbers."""

    AVERAGE = "an average does not follow from its rows"
    DIFFERENT = "two tables print different figures of the same runs"
    ROUNDED = "two tables round the same figure to different sides"
    REPEATED = "several methods or depths have the same mean and sd"
    SPREAD = "an sd is larger than scores between 0 and 1 can have"
    SEARCH = "a search takes less time than one of its trainings"
    TEXT = "the text does not follow from the tables"


@dataclass(frozen=True)
class Inconsistency:
    """Printed numbers that contradict each other, or that hardly can both be so.

    ``where`` names the columns, ``datasets`` the rows (none: the row of averages); ``printed`` and
    ``against`` hold one number in words for each of them.
    """

    kind: Kind
    tables: Sequence[str]
    where: str
    datasets: Sequence[str]
    printed: Sequence[str]
    against: Sequence[str]
    remark: str = ""


class Interval(NamedTuple):
    """The numbers from ``low`` to ``high``, both included: some number rounds to either side."""

    low: Decimal
    high: Decimal

    def meets(self, other: Interval) -> bool:
        """Return whether some number is in both."""
        return self.low <= other.high and other.low <= self.high

    def touches(self, other: Interval) -> bool:
        """Return whether the only number in both is an end of each."""
        return self.low == other.high or other.low == self.high


QUANTITIES = {"mean": "score", "sd": "sd", "time_s": "time, s", "exploded_runs": "exploded runs"}
_ROUNDING = Decimal("1e-12")


def inconsistencies(paper: Paper) -> list[Inconsistency]:
    """Return what is inconsistent in the tables of ``paper``, by kind and then in their order."""
    return [
        *_averages(paper),
        *_differences(paper),
        *_repetitions(paper),
        *_spreads(paper),
        *_searches(paper),
        *_sentences(paper),
    ]


def interval(value: float, decimals: int = 0) -> Interval:
    """Return the numbers that round to ``value`` at its own decimals, or at more of them."""
    number = Decimal(repr(value)).normalize()
    last = min(int(number.as_tuple().exponent), -decimals)
    half = Decimal(5).scaleb(last - 1)
    return Interval(number - half, number + half)


def _decimals(value: float) -> int:
    return max(0, -int(Decimal(repr(value)).normalize().as_tuple().exponent))


class _Table:
    """How the numbers of a table are to be read."""

    def __init__(self, columns: Sequence[Column]) -> None:
        # Means are printed with the same decimals, final zeros left out (0.98 beside 0.979); sds
        # and times with different ones.
        means = [_decimals(cell.mean) for column in columns for cell in column.cells.values()]
        self.decimals = max(set(means), key=means.count, default=0)

    def interval(self, quantity: str, value: float) -> Interval:
        if quantity == "exploded_runs" and value.is_integer():
            return Interval(Decimal(int(value)), Decimal(int(value)))
        return interval(value, self.decimals if quantity == "mean" else 0)


def _tables(paper: Paper) -> dict[str, _Table]:
    names = dict.fromkeys(column.table for column in paper.columns)
    return {name: _Table([c for c in paper.columns if c.table == name]) for name in names}


def _averages(paper: Paper) -> Iterator[Inconsistency]:
    tables = _tables(paper)
    for column in paper.columns:
        rows = [column.cells[name] for name in paper.averaged(column.table)]
        read = tables[column.table].interval
        for kind, mean in (("arithmetic", _arithmetic), ("geometric", _geometric)):
            printed = column.cells.get(f"{kind}_mean")
            for quantity, words in QUANTITIES.items() if printed and rows else ():
                value = getattr(printed, quantity)
                known = [getattr(cell, quantity) for cell in rows]
                if value is None or any(each is None for each in known):
                    continue
                ranges = [read(quantity, each) for each in known]
                follows = _mean_of(ranges, mean)
                if follows is not None and not follows.meets(read(quantity, value)):
                    yield Inconsistency(
                        Kind.AVERAGE,
                        (column.table,),
                        f"{_name(column)}, {kind} mean of the {words}",
                        (),
                        (_text(value),),
                        (f"{float(follows.low):.4g} to {float(follows.high):.4g}",),
                    )


def _mean_of(
    ranges: Sequence[Interval], mean: Callable[[Sequence[Decimal]], Decimal | None]
) -> Interval | None:
    low, high = mean([each.low for each in ranges]), mean([each.high for each in ranges])
    if low is None or high is None:
        return None
    return Interval(low - _ROUNDING, high + _ROUNDING)


def _arithmetic(values: Sequence[Decimal]) -> Decimal | None:
    return sum(values, Decimal(0)) / len(values)


def _geometric(values: Sequence[Decimal]) -> Decimal | None:
    if min(values) <= 0:
        return None
    return Decimal(math.exp(math.fsum(math.log(value) for value in values) / len(values)))


def _differences(paper: Paper) -> Iterator[Inconsistency]:
    """Yield what a later table prints unlike the first that has it, by both tables and column."""
    tables = _tables(paper)
    first: dict[tuple[Any, ...], tuple[Column, float]] = {}
    found: dict[tuple[Any, ...], list[tuple[str, float, float]]] = {}
    for column in paper.columns:
        for name, cell in column.cells.items():
            # Averages are of the same runs only where they are over the same data sets.
            over = () if name in column.datasets else tuple(paper.averaged(column.table))
            for quantity in QUANTITIES:
                value = getattr(cell, quantity)
                if value is None:
                    continue
                key = (column.method, column.depth, name, over, quantity)
                other, before = first.setdefault(key, (column, value))
                ranges = [
                    tables[where.table].interval(quantity, number)
                    for where, number in ((other, before), (column, value))
                ]
                kind = Kind.ROUNDED if ranges[0].meets(ranges[1]) else Kind.DIFFERENT
                if kind is Kind.DIFFERENT or (before != value and ranges[0].touches(ranges[1])):
                    place = (kind, other.table, column.table, _name(column), QUANTITIES[quantity])
                    found.setdefault(place, []).append((name, before, value))
    for (kind, there, here, where, words), pairs in found.items():
        yield Inconsistency(
            kind,
            (there, here),
            f"{where}, {words}",
            [name for name, _, _ in pairs],
            [_text(before) for _, before, _ in pairs],
            [_text(value) for _, _, value in pairs],
            _direction([value > before for _, before, value in pairs], here),
        )


def _direction(higher: Sequence[bool], table: str) -> str:
    if len(higher) < 2:
        return ""
    if all(higher) or not any(higher):
        return f"all {'higher' if higher[0] else 'lower'} in Table {table}"
    return f"{sum(higher)} of {len(higher)} higher in Table {table}"


def _repetitions(paper: Paper) -> Iterator[Inconsistency]:
    """Yield the figures, mean and sd, that several methods or depths have on a data set."""
    groups: dict[tuple[str, float, float], dict[tuple[str, int | None], list[Column]]] = {}
    for column in paper.columns:
        for name in column.datasets:
            cell = column.cells[name]
            if cell.sd is not None and cell.sd > 0:
                same = groups.setdefault((name, cell.mean, cell.sd), {})
                same.setdefault((column.method, column.depth), []).append(column)
    for (name, mean, sd), same in groups.items():
        if len(same) > 1:
            columns = [found[0] for found in same.values()]
            methods = {column.method for column in columns}
            searched = {paper.searches.get(method) for method in methods} & methods
            yield Inconsistency(
                Kind.REPEATED,
                tuple(dict.fromkeys(c.table for found in same.values() for c in found)),
                ", ".join(map(_name, columns)),
                (name,),
                (f"{_text(mean)} ± {_text(sd)}",),
                ("",),
                "the search may have chosen the same parameters"
                if searched and len({column.depth for column in columns}) == 1
                else "",
            )


def impossible_sds(paper: Paper) -> dict[Published, float]:
    """Return the printed cells whose sd is too large for scores from 0 to 1, with the largest one.

    That is sqrt(m (1 - m)) of scores of mean m. Where runs below 0 are counted there is none.
    """
    if not metric_from(paper.metric).is_share:
        return {}
    runs = paper.runs or 2
    found = {}
    for cell in paper.cells:
        if cell.dataset in MEANS or cell.sd is None or cell.exploded_runs:
            continue
        if not 0 <= cell.mean <= 1:
            continue
        largest = math.sqrt(cell.mean * (1 - cell.mean) * runs / (runs - 1))
        if float(interval(cell.sd).low) > largest:
            found[cell] = largest
    return found


def _spreads(paper: Paper) -> Iterator[Inconsistency]:
    found = impossible_sds(paper)
    for column in paper.columns:
        for cell in column.cells.values():
            if cell in found:
                yield Inconsistency(
                    Kind.SPREAD,
                    (column.table,),
                    f"{_name(column)}, sd",
                    (cell.dataset,),
                    (_text(cell.sd or 0.0),),
                    (f"at most {found[cell]:.3g}",),
                    "unless uncounted runs scored below 0; not taken as a tolerance",
                )


def _searches(paper: Paper) -> Iterator[Inconsistency]:
    columns = {(c.table, c.method, c.depth): c for c in paper.columns}
    for search in paper.columns:
        part = columns.get((search.table, paper.searches.get(search.method, ""), search.depth))
        for name in search.datasets if part else ():
            whole, single = search.cells[name], part.cells.get(name) if part else None
            if (
                part is not None
                and single is not None
                and whole.time_s is not None
                and single.time_s is not None
                and interval(whole.time_s).high < interval(single.time_s).low
            ):
                yield Inconsistency(
                    Kind.SEARCH,
                    (search.table,),
                    f"{_name(search)}, {QUANTITIES['time_s']}",
                    (name,),
                    (_text(whole.time_s),),
                    (f"{_text(single.time_s)} for {part.method}",),
                )


def _sentences(paper: Paper) -> Iterator[Inconsistency]:
    for sentence in paper.sentences:
        value = sentence.value(paper.columns)
        if value is not None and not sentence.agrees(value):
            yield Inconsistency(
                Kind.TEXT,
                (sentence.table,),
                f"{sentence.where}: “{sentence.text}”",
                (),
                (sentence.stated,),
                (sentence.written(value),),
            )


def _name(column: Column) -> str:
    return column.method + ("" if column.depth is None else f" (D = {column.depth})")


def _text(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e5 else repr(value)
