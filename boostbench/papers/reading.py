"""A paper's files as typed objects; mistakes are reported with file, line and column."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from boostbench.data.content import read_text
from boostbench.errors import ConfigError, DataError
from boostbench.suggest import did_you_mean

T = TypeVar("T")
MEAN_RANK = "mean_rank"
MEANS = ("arithmetic_mean", "geometric_mean", MEAN_RANK)
"""The names of the rows of averages, and of mean ranks over data sets."""
SCORE, TIME = "score", "time"


Line = tuple[str, dict[str, str]]
"""The place of a row, ``file:line``, and its cells by column."""


def lines(path: Path, known: Collection[str] = (), remedy: str = "") -> list[Line]:
    """Return the lines of a CSV file; ConfigError if it cannot be read.

    ConfigError also for columns that are not ``known``, if that is not empty; ``remedy`` says what
    to do about one that is nearly none of them.
    """
    rows = _cells_of_lines(path, text_of(path))
    (_, header), *below = rows or [("", [])]
    wrong = list(_wrong_columns(path, header, known if below else (), remedy))
    wrong += [
        f"{place}: more cells than columns; put a text with a comma in quotes"
        for place, row in below
        if len(row) > len(header)
    ]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return _by_column(header, below)


def delimited_lines(path: Path) -> tuple[list[str], list[Line]]:
    """Return the columns, in lower case, and the lines of a table of another program.

    Its values have commas, semicolons, tabs or blanks between them; the name of R's names of rows
    may be left out. ConfigError where it cannot be read.
    """
    (_, first), *below = _rows_of_table(path)
    header = [name.strip().casefold() for name in first]
    if below and all(len(row) == len(header) + 1 and row[0].isdigit() for _, row in below):
        header = ["", *header]
    for sentence in _wrong_columns(path, [name for name in header if not name.isdecimal()], ()):
        raise ConfigError(sentence)
    for place, row in below:
        if len(row) > len(header):
            raise ConfigError(
                f"{place}: {len(row)} cells below {len(header)} columns; put a text with the "
                "separator, or a number with a decimal comma, in quotes"
            )
    return header, _by_column(header, below)


def _rows_of_table(path: Path) -> list[tuple[str, list[str]]]:
    """Return the cells of each row with any, of a table whose separator is found."""
    text = text_of(path)
    from boostbench.data.delimited import start_of_table

    start, separator = start_of_table(text.split("\n"))
    cells = _cells_of_lines(path, text, start, delimiter=separator, skipinitialspace=True)
    rows = [(place, row) for place, row in cells if "".join(row).strip()]
    if not rows:
        raise ConfigError(f"{path} is empty; give a table with a header and a row for each run")
    return rows


def _cells_of_lines(
    path: Path, text: str, start: int = 0, **options: Any
) -> list[tuple[str, list[str]]]:
    """Return (``file:line``, cells) of each row from a line on; ConfigError if it is no CSV.

    ``options`` are those of Python's reader.
    """
    body = io.StringIO("\n".join(text.split("\n")[start:]), newline="")
    reader = csv.reader(body, **options)
    try:
        return [(f"{path}:{start + reader.line_num}", row) for row in reader if row]
    except csv.Error:
        raise ConfigError(f"{path} is not a CSV file; save it as one") from None


def _by_column(header: Sequence[str], rows: Iterable[tuple[str, list[str]]]) -> list[Line]:
    """Return rows by column, without blanks around their cells."""
    return [
        (place, dict(zip_longest(header, map(str.strip, row), fillvalue=""))) for place, row in rows
    ]


def text_of(path: Path) -> str:
    """Return the text of a paper's file; ConfigError if it cannot be read."""
    try:
        return read_text(path)
    except DataError as error:
        raise ConfigError(str(error)) from None


def _wrong_columns(
    path: Path, header: Sequence[str], known: Collection[str], remedy: str = ""
) -> Iterator[str]:
    """Yield the columns of a file that are not ``known``, if that is not empty, or occur twice."""
    for name in dict.fromkeys(header):
        if known and name and name not in known:
            yield f"{path}:1: there is no column '{name}'{did_you_mean(name, known) or remedy}"
    for name, n in Counter(header).items():
        if name and n > 1:
            yield f"{path}:1: two columns are called '{name}'; leave one out"


def read_rows(
    rows: Iterable[Line],
    keys: Sequence[str],
    read: Callable[..., T],
    columns: Mapping[str, str] = MappingProxyType({}),
) -> list[T]:
    """Return the results of ``read`` for the places and rows.

    Raises ConfigError with all mistakes, including rows with the ``keys`` of another row.
    ``columns`` has the names in the file of fields that are called otherwise.
    """
    read_ones: list[T] = []
    wrong: list[str] = []
    seen: dict[tuple[str, ...], str] = {}
    for place, row in rows:
        own = tuple(row.get(key, "") for key in keys)
        try:
            if place != (first := seen.setdefault(own, place)):
                line = first.rpartition(":")[2]
                raise ConfigError(f"{place}: '{' '.join(own).strip()}' again, as in line {line}")
            read_ones.append(read(place, row))
        except ConfigError as error:
            wrong.append(str(error))
        except ValidationError as error:
            wrong += [
                f"{place}, {columns.get(str(each['loc'][0]), each['loc'][0])}: {_in_words(each)}"
                for each in error.errors()
            ]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return read_ones


DID_NOT_FINISH = "dnf"
"""What is written in place of a number where the paper says that a method did not finish."""
_NOTHING = ("-", "--", "–", "—", "−", "n/a", "na", "nan", "none", "/", "?", "x", "*")
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def _in_words(error: ErrorDetails) -> str:
    """Return what is wrong with a cell, with its value and a remedy, from an error of pydantic."""
    value, kind = error["input"], error["type"]
    limits = error.get("ctx", {})
    if kind == "missing":
        return "this is empty, or there is no such column; every row needs it"
    if kind in ("float_parsing", "finite_number"):
        return f"'{value}' is not a number: {_remedy(str(value))}"
    if kind in ("int_parsing", "int_from_float"):
        return f"'{value}' is not a whole number: {_remedy(str(value))}"
    if bounds := [f"{words} {limits[key]:g}" for key, words in _BOUNDS.items() if key in limits]:
        return f"{value} must be {' and '.join(bounds)}"
    if kind == "bool_parsing":
        return f"'{value}' must be true or false"
    return f"'{value}': {error['msg'].removeprefix('Value error, ')}"


def _remedy(text: str) -> str:
    """Return how to write a cell that should be a number."""
    if text.casefold() in _NOTHING:
        return f"write {DID_NOT_FINISH} where a method did not finish, else nothing"
    alone = re.split(r"±|\+/?-|\\pm|\(", text)[0].replace("\N{MINUS SIGN}", "-")
    alone = re.sub(r"[^0-9.,eE-]", "", alone).rstrip("eE-")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d*)?", alone):
        alone = alone.replace(",", "")
    alone = alone.replace(",", ".")
    try:
        float(alone)
    except ValueError:
        return "write the number alone"
    percent = ", and means in percent in a column such as error_percent_mean" if "%" in text else ""
    return f"write the number alone, such as {alone}{percent}"


_adapter: Any = cache(TypeAdapter)


def columns_of(kind: type) -> list[str]:
    """Return the columns of a kind of row: its fields, by their aliases."""
    return list(_adapter(kind).json_schema()["properties"])


def typed(row: Mapping[str, object], kind: type[T]) -> T:
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
