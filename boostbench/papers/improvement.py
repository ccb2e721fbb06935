"""Printed tables of by how many percent the better of two methods is better, and faster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    def of(
        cls, table: str, rows: Iterable[tuple[str, int, str, str, float]], order: Sequence[str]
    ) -> Improvements:
        """Return the table of rows (data set, depth, quantity, method, percent)."""
        found: dict[tuple[str, int, str], dict[str, float]] = {}
        for dataset, depth, quantity, method, percent in rows:
            found.setdefault((dataset, depth, quantity), {})[method] = percent
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
    if quantity == TIME:
        longer = max(mine, other)
        return 100.0 * (other - mine) / longer if longer > 0 else None
    smaller = min(mine, other)
    return 100.0 * (mine - other) / smaller if smaller > 0 else None
