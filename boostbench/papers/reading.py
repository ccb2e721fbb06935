"""Read the CSV files of printed values; what is wrong in one is said with file, line and column."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from boostbench.errors import ConfigError

MEAN_RANK = "mean_rank"
MEANS = ("arithmetic_mean", "geometric_mean", MEAN_RANK)
"""The names of the rows of averages, and of mean ranks over data sets."""


def lines(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return (line number, row) of a CSV file; ConfigError where it cannot be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    for line, row in rows:
        if None in row:
            raise ConfigError(
                f"{path}:{line}: more cells than columns; put a text with a comma in quotes"
            )
    return rows


def number(path: Path, line: int, row: Mapping[str, str], name: str) -> float | None:
    """Return a column's number, ``None`` where it is empty; ConfigError for anything else."""
    text = row.get(name)
    try:
        return float(text) if text else None
    except ValueError:
        raise ConfigError(f"{path}:{line}: '{name}' is {text!r}, not a number") from None


def words(path: Path, line: int, row: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Return columns that may not be empty; ConfigError names the first one that is."""
    for name in names:
        if not row.get(name):
            raise ConfigError(f"{path}:{line}: '{name}' is empty; every row needs one")
    return [row[name] for name in names]


def listed(text: str | None) -> list[str]:
    """Return the parts of a text that semicolons divide."""
    return [part.strip() for part in (text or "").split(";") if part.strip()]


def half_a_unit(text: str) -> float:
    """Return half a unit of the last digit of a number as it is printed: 2.460 is not 2.46."""
    return float(Decimal(5).scaleb(int(Decimal(text.strip()).as_tuple().exponent) - 1))
