"""The printed cells of a paper's ``tables.csv``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import FiniteFloat

from boostbench.errors import ConfigError
from boostbench.papers.improvement import Percent
from boostbench.papers.reading import (
    MEAN_RANK,
    MEANS,
    check_columns,
    columns_of,
    half_a_unit,
    lines,
    typed,
)


@dataclass(frozen=True)
class Published:
    """One printed cell: the mean score over runs, its sd, seconds of training, exploded runs.

    ``dataset`` is a data set or one of :data:`MEANS`; ``depth`` is ``None`` where it has no
    meaning (random forest). ``mean`` and ``sd`` are in the paper's metric, shares where that is
    printed in percent; in the row :data:`MEAN_RANK` they are mean ranks. ``exploded_runs`` counts
    runs with R2 < 0. ``printed`` is the mean with the digits that are printed, ``rounding`` half a
    unit of the last of them. ``se`` is the standard error of ``runs``, where the paper prints that:
    then the sd is the error times the root of the number of runs. What the paper leaves out is
    ``None``.
    """

    table: str
    dataset: str
    method: str
    mean: FiniteFloat
    depth: int | None = None
    sd: float | None = None
    time_s: float | None = None
    exploded_runs: float | None = None
    printed: str = ""
    rounding: float = 0.0
    se: float | None = None
    runs: int | None = None


@dataclass(frozen=True)
class Column:
    """What a table prints of one method at one depth, by data set (or one of :data:`MEANS`)."""

    table: str
    method: str
    depth: int | None
    cells: Mapping[str, Published]

    @property
    def datasets(self) -> Sequence[str]:
        """The data sets that it has a value of."""
        return [name for name in self.cells if name not in MEANS]


_SCALED = ("mean", "sd", "se")


def read_tables(
    path: Path,
    metric: str,
    runs_of: Callable[[str], int | None] = lambda dataset: None,
    metrics: Sequence[str] = (),
) -> tuple[list[Published], list[Percent]]:
    """Return the printed cells of a CSV file in one metric, and the rows of percentages.

    Its columns are ``table``, ``dataset``, ``method``, ``METRIC_mean`` or ``METRIC_percent_mean``
    and, where printed, the ``_sd`` or ``_se`` beside it, ``depth``, ``time_s``, ``runs`` and
    ``negative_r2_runs``. An sd is the standard error times the root of ``runs``, or of what
    ``runs_of`` says of the data set. A row with ``gain_percent`` or ``saving_percent`` and no mean
    says by how much its method is better or faster than the other one of that table. Of several
    ``metrics`` each may have its columns, and rows without this one are passed over. Raises
    ConfigError, with file and line, where a column is lacking or unknown, or a value is no number.
    """
    rows = lines(path)
    header = rows[0][1] if rows else {}
    stem = next((s for s in (metric, f"{metric}_percent") if f"{s}_mean" in header), None)
    if stem is None:
        raise ConfigError(
            f"{path}:1: there must be a column '{metric}_mean' or '{metric}_percent_mean', and rows"
        )
    names = {"mean": f"{stem}_mean", "printed": f"{stem}_mean", "sd": f"{stem}_sd",
             "se": f"{stem}_se", "exploded_runs": "negative_r2_runs"}  # fmt: skip
    others = [f"{other}{scale}_{what}" for other in metrics for scale in ("", "_percent")
              for what in _SCALED]  # fmt: skip
    known = [*columns_of(Published, names), *columns_of(Percent), *others]
    check_columns(path, header, [name for name in known if name != "rounding"])
    cells: list[Published] = []
    percents: list[Percent] = []
    seen: dict[tuple[str, ...], int] = {}
    for line, row in rows:
        marks = [row.get(name, "") for name in ("table", "dataset", "method", "depth")]
        key = *marks, *(name for name in ("gain_percent", "saving_percent") if row.get(name))
        if line != seen.setdefault(key, line):
            raise ConfigError(f"{path}:{line}: this is the cell of line {seen[key]} again")
        if len(key) > len(marks):
            percents.append(typed(path, line, row, Percent))
        elif len(metrics) < 2 or row[names["mean"]]:
            cell = typed(path, line, row, Published, names)
            scale = 0.01 if stem != metric and cell.dataset != MEAN_RANK else 1.0
            if cell.se is not None:
                place = f"{path}:{line}: '{names['se']}'"
                if cell.sd is not None:
                    raise ConfigError(f"{place} and '{names['sd']}' are both given; leave one out")
                if not (runs := cell.runs or runs_of(cell.dataset)):
                    raise ConfigError(f"{place} needs 'runs', how many runs it is of")
                cell = replace(cell, sd=cell.se * math.sqrt(runs))
            printed, rounding = cell.printed.strip(), scale * half_a_unit(cell.printed)
            scaled: Any = {name: _scaled(getattr(cell, name), scale) for name in _SCALED}
            cells.append(replace(cell, printed=printed, rounding=rounding, **scaled))
    return cells, percents


def _scaled(value: float | None, scale: float) -> float | None:
    # 91.3 % is the share that one would write, not 0.9129999999999999.
    return value if value is None or scale == 1.0 else float(f"{value * scale:.12g}")
