"""What a paper's text says of its own tables, in numbers: a statistic of two printed columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from boostbench.papers.paper import Column, Published

Value = float | frozenset[str]


class Row(NamedTuple):
    """A data set with what two columns print of it."""

    dataset: str
    left: Published
    right: Published


@dataclass(frozen=True)
class Sentence:
    """A sentence of the text on columns ``left`` and ``right`` of a table, at one depth of trees.

    ``statistic`` is evaluated on their rows, all or those of ``datasets`` (``None`` where it cannot
    be); the sentence agrees with the table if the value is from ``low`` to ``high``, or the set of
    data sets is ``names``. ``stated`` is what the text says, in a few words.
    """

    text: str
    where: str
    table: str
    left: str
    right: str
    depth: int
    statistic: Callable[[Sequence[Row]], Value | None]
    stated: str
    low: float = -math.inf
    high: float = math.inf
    names: Collection[str] | None = None
    datasets: Collection[str] = ()

    def value(self, columns: Sequence[Column]) -> Value | None:
        """Return the statistic of the printed rows, ``None`` where there are none."""
        left, right = (self._column(columns, method) for method in (self.left, self.right))
        if left is None or right is None:
            return None
        rows = [
            Row(name, left.cells[name], right.cells[name])
            for name in left.datasets
            if name in right.cells and (not self.datasets or name in self.datasets)
        ]
        return self.statistic(rows) if rows else None

    def _column(self, columns: Sequence[Column], method: str) -> Column | None:
        return next(
            (
                column
                for column in columns
                if (column.table, column.method) == (self.table, method)
                and column.depth in (self.depth, None)
            ),
            None,
        )

    def agrees(self, value: Value) -> bool:
        """Return whether the sentence is true of a value of its statistic."""
        if isinstance(value, frozenset):
            return value == frozenset(self.names or ())
        return self.low <= value <= self.high

    def written(self, value: Value) -> str:
        """Return a value in words; of data sets those that are too many and those that lack."""
        if not isinstance(value, frozenset):
            return f"{value:.3g}".replace("-", "−")
        named = frozenset(self.names or ())
        more, fewer = sorted(value - named), sorted(named - value)
        words = [f"also {', '.join(more)}"] if more else []
        return "; ".join([*words, *([f"not {', '.join(fewer)}"] if fewer else [])])


def wins(rows: Sequence[Row]) -> float:
    """Return on how many data sets the left mean is higher; ties count for neither side."""
    return float(sum(row.left.mean > row.right.mean for row in rows))


def losses(rows: Sequence[Row]) -> float:
    """Return on how many data sets the right mean is higher."""
    return float(sum(row.left.mean < row.right.mean for row in rows))


def least_lead(rows: Sequence[Row]) -> float:
    """Return the least difference of means, left minus right."""
    return min(row.left.mean - row.right.mean for row in rows)


def lost_on(rows: Sequence[Row]) -> frozenset[str]:
    """Return the data sets on which the right mean is higher."""
    return frozenset(row.dataset for row in rows if row.left.mean < row.right.mean)


def slower_on(rows: Sequence[Row]) -> frozenset[str]:
    """Return the data sets on which the right column took less time."""
    return frozenset(
        row.dataset
        for row in rows
        if row.left.time_s is not None
        and row.right.time_s is not None
        and row.right.time_s < row.left.time_s
    )


def least_speedup(rows: Sequence[Row]) -> float | None:
    """Return the least ratio of times, right to left."""
    return min(ratios) if (ratios := _ratios(rows)) else None


def largest_speedup(rows: Sequence[Row]) -> float | None:
    """Return the largest ratio of times, right to left."""
    return max(ratios) if (ratios := _ratios(rows)) else None


def least_time_saved(rows: Sequence[Row]) -> float | None:
    """Return the least share of the right time that the left column saves, in percent."""
    return 100.0 * min(1.0 - 1.0 / ratio for ratio in ratios) if (ratios := _ratios(rows)) else None


def _ratios(rows: Sequence[Row]) -> list[float]:
    return [
        row.right.time_s / row.left.time_s for row in rows if row.left.time_s and row.right.time_s
    ]
