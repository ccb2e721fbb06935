"""Printed tables of by how many percent the better of two methods is better, and faster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.papers.reading import lines, number, words

SCORE, TIME = "score", "time"


@dataclass(frozen=True)
class Improvements:
    """A table that compares the printed columns ``left`` and ``right`` on each data set, by depth.

    ``file`` has one row per printed figure: ``table``, ``dataset``, ``depth``, ``quantity`` (score
    or time), ``method`` (the column that is better there) and ``percent``.
    """

    table: str
    left: str
    right: str
    file: Path

    @cached_property
    def printed(self) -> Mapping[tuple[str, int, str], Mapping[str, float]]:
        """Percent by method, by (data set, depth, quantity); ConfigError if the file is wrong."""
        found: dict[tuple[str, int, str], dict[str, float]] = {}
        for line, row in lines(self.file):
            names = ("table", "dataset", "quantity", "method", "depth", "percent")
            table, dataset, quantity, method, *_ = words(self.file, line, row, names)
            for name, value, known in (
                ("quantity", quantity, (SCORE, TIME)),
                ("method", method, (self.left, self.right)),
            ):
                if value not in known:
                    raise ConfigError(
                        f"{self.file}:{line}: '{name}' is {value!r}, not {' or '.join(known)}"
                    )
            if table == self.table:
                depth, percent = (number(self.file, line, row, n) for n in ("depth", "percent"))
                key = dataset, int(depth or 0), quantity
                found.setdefault(key, {})[method] = percent or 0.0
        return found

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
