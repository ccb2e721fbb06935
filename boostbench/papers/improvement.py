"""Printed tables of by how many percent the better of two methods is better, and faster."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from boostbench.papers.tables import Published

SCORE, TIME = "score", "time"


@dataclass(frozen=True)
class Improvements:
    """A table that compares the printed columns ``left`` and ``right`` on each data set, by depth.

    ``printed`` has the percentage by method, by (data set, depth, quantity): score or time.
    """

    table: str
    left: str
    right: str
    printed: Mapping[tuple[str, int, str], Mapping[str, float]]

    @classmethod
    def of(cls, table: str, rows: Iterable[Published], order: Sequence[str]) -> Self:
        """Return a table of its rows, the methods in an order."""
        found: dict[tuple[str, int, str], dict[str, float]] = {}
        for row in rows:
            for quantity, percent in ((SCORE, row.gain_percent), (TIME, row.saving_percent)):
                if percent is not None:
                    own = found.setdefault((row.dataset, row.depth or 0, quantity), {})
                    own[row.method] = percent
        methods = {method for own in found.values() for method in own}
        left, right, *_ = [*(m for m in order if m in methods), *sorted(methods - set(order)), ""]
        return cls(table, left, right, found)

    @property
    def depths(self) -> list[int]:
        """The depths of trees that are printed, in order."""
        return sorted({depth for _, depth, _ in self.printed})


def gain_in_percent(quantity: str, mine: float | None, other: float | None) -> float | None:
    """Return by how many percent ``mine`` is better than ``other``: positive if it is better.

    A score's gain is relative to the smaller score, time saved to the longer time. ``None`` where
    one is unknown, or the figure that it is relative to is not positive.
    """
    if mine is None or other is None:
        return None
    base = max(mine, other) if quantity == TIME else min(mine, other)
    lead = other - mine if quantity == TIME else mine - other
    return 100.0 * lead / base if base > 0 else None
