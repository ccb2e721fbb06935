"""A paper's files as typed objects; mistakes are reported with file, line and column."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean

T = TypeVar("T")
MEAN_RANK = "mean_rank"
MEANS = ("arithmetic_mean", "geometric_mean", MEAN_RANK)
"""The names of the rows of averages, and of mean ranks over data sets."""
_SAME: Mapping[str, str] = MappingProxyType({})
_KINDS = {
    "string": "a text", "int": "a whole number", "float": "a number", "finite": "a number",
    "bool": "true or false", "list": "a list", "dict": "a mapping", "dataclass": "a mapping",
}  # fmt: skip


def lines(path: Path, known: Collection[str] = ()) -> list[tuple[int, dict[str, str]]]:
    """Return (line number, row) of a CSV file; ConfigError where it cannot be read.

    Also where a column is not among those known, if any are.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            rows = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise ConfigError(f"{path} is not a CSV file in UTF-8; save it as one") from None
    for line, row in rows:
        if None in row:
            raise ConfigError(
                f"{path}:{line}: more cells than columns; put a text with a comma in quotes"
            )
    if known and rows:
        check_columns(path, rows[0][1], known)
    return rows


def check_columns(path: Path, header: Iterable[str], known: Collection[str]) -> None:
    """Raise ConfigError with every column that is not known."""
    wrong = [f"{path}:1: there is no column '{name}'{did_you_mean(name, known)}"
             for name in header if name not in known]  # fmt: skip
    if wrong:
        raise ConfigError("\n".join(wrong))


def columns_of(kind: Any, names: Mapping[str, str] = _SAME) -> list[str]:
    """Return the columns of a kind of row; ``names`` maps fields to columns of other names."""
    return [names.get(each.name, each.name) for each in fields(kind)]


def typed(
    path: Path, line: int, row: Mapping[str, str], kind: type[T], names: Mapping[str, str] = _SAME
) -> T:
    """Return a row as an object, with defaults for empty cells; ConfigError names wrong cells."""
    columns = {each: names.get(each, each) for each in columns_of(kind)}
    given = {name: row[column] for name, column in columns.items() if row.get(column)}
    try:
        return cast(T, _adapter(kind).validate_python(given))
    except ValidationError as error:
        wrong = [
            f"{path}:{line}: '{columns[str(loc[0])]}' is "
            + (f"{given!r}, not {what}" if what else "empty; every row needs one")
            for loc, what, given in complaints(error)
        ]
        raise ConfigError("\n".join(wrong)) from None


_adapter: Any = cache(TypeAdapter)


def complaints(error: ValidationError) -> Iterator[tuple[tuple[str | int, ...], str | None, Any]]:
    """Yield the place of each wrong value, what it must be, and the value given.

    What it must be is "" where the value is missing, and ``None`` where there is no such key.
    """
    special: dict[str, str | None] = {"missing": "", "unexpected_keyword_argument": None}
    for each in error.errors(include_url=False):
        kind = each["type"]
        usual = _KINDS.get(kind.partition("_")[0], each["msg"])
        yield each["loc"], special.get(kind, usual), each["input"]


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


Listed = Annotated[list[T], BeforeValidator(_split)]
"""A list in one cell, with semicolons between its values."""


def half_a_unit(number: str) -> float:
    """Return half a unit of the last digit of a number as it is printed: 2.460 is not 2.46."""
    return float(Decimal(5).scaleb(int(Decimal(number.strip()).as_tuple().exponent) - 1))
