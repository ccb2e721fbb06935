"""A paper's files as typed objects; mistakes are reported with file, line and column."""

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean

T = TypeVar("T")
MEAN_RANK = "mean_rank"
MEANS = ("arithmetic_mean", "geometric_mean", MEAN_RANK)
"""The names of the rows of averages, and of mean ranks over data sets."""
SCORE, TIME = "score", "time"


def lines(path: Path, known: Collection[str] = ()) -> list[tuple[str, dict[str, str]]]:
    """Return (``file:line``, row) of a CSV file; ConfigError if it cannot be read.

    ConfigError also for columns that are not ``known``, if that is not empty.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            rows = [(f"{path}:{reader.line_num}", row) for row in reader]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise ConfigError(f"{path} is not a CSV file in UTF-8; save it as one") from None
    header = rows[0][1] if known and rows else {}
    wrong = [f"{path}:1: there is no column '{name}'{did_you_mean(name, known)}"
             for name in header if name and name not in known]  # fmt: skip
    wrong += [f"{place}: more cells than columns; put a text with a comma in quotes"
              for place, row in rows if None in row]  # fmt: skip
    if wrong:
        raise ConfigError("\n".join(wrong))
    return [(place, {name: cell.strip() for name, cell in row.items()}) for place, row in rows]


def read_rows(
    rows: Iterable[tuple[str, dict[str, str]]], keys: Sequence[str], read: Callable[..., T]
) -> list[T]:
    """Return the results of ``read`` for the places and rows.

    Raises ConfigError with all mistakes, including rows with the ``keys`` of another row.
    """
    found: list[T] = []
    wrong: list[str] = []
    seen: dict[tuple[str, ...], str] = {}
    for place, row in rows:
        own = tuple(row.get(key, "") for key in keys)
        try:
            if place != (first := seen.setdefault(own, place)):
                line = first.rpartition(":")[2]
                raise ConfigError(f"{place}: '{' '.join(own).strip()}' again, as in line {line}")
            found.append(read(place, row))
        except ConfigError as error:
            wrong.append(str(error))
        except ValidationError as error:
            wrong += [f"{place}: '{each['loc'][0]}': {each['msg']}" for each in error.errors()]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return found


_adapter: Any = cache(TypeAdapter)


def columns_of(kind: type) -> list[str]:
    """Return the columns of a kind of row: its fields, by their aliases."""
    return list(_adapter(kind).json_schema()["properties"])


def typed(row: Mapping[str, str], kind: type[T]) -> T:
    """Return a row as an object, with defaults for empty cells; ValidationError if one is wrong."""
    given = {name: cell for name, cell in row.items() if cell}
    return cast(T, _adapter(kind).validate_python(given))


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


Listed = Annotated[list[T], BeforeValidator(_split)]
"""A list in one cell, with semicolons between its values."""


def half_a_unit(number: str) -> float:
    """Return half a unit of the last printed digit of a number: 2.460 is not 2.46."""
    return float(Decimal(5).scaleb(int(Decimal(number).as_tuple().exponent) - 1))
