"""The names of columns: whether a first row holds them, and whether they are distinct."""

import re
from collections.abc import Sequence
from dataclasses import replace

from boostbench.data.numbers import NumberFormat
from boostbench.data.table import MISSING_TOKENS, Column
from boostbench.errors import DataError

_NUMBER_LIKE = re.compile(r"[-+]?[$€£¥]?\s?[0-9][0-9.,' ]*(?:[eE][-+]?[0-9]+)?\s?[%$€£¥]?")


def is_header(first: Sequence[str], second: Sequence[str], number_format: NumberFormat) -> bool:
    """Return whether some text is above a number, or there is nothing but text."""

    def is_number(token: str) -> bool:
        number_like = _NUMBER_LIKE.fullmatch(token) is not None
        return number_like or number_format.number(token) is not None

    over_number = any(
        not is_number(a) and a not in MISSING_TOKENS and is_number(b)
        for a, b in zip(first, second, strict=False)
    )
    # R and pandas leave the name of their row names out, and nothing else.
    named = first[1:] if not first[0] and len(first) > 1 else first
    return over_number or not any(is_number(a) or a in MISSING_TOKENS for a in named)


def named(columns: Sequence[Column], where: str) -> tuple[Column, ...]:
    """Return the columns with names for a first one that has none, and for empty ones.

    :raises DataError: if another column has no name, or two have the same
    """
    taken = {column.name for column in columns}
    found = []
    for i, column in enumerate(columns):
        name, unnamed = column.name, not column.name
        if unnamed and (i == 0 or column.missing.all()):
            name = f"unnamed_{i + 1}"
            while name in taken:
                name += "_"
        found.append(replace(column, name=name, unnamed=unnamed))
    check_names([column.name for column in found], where)
    return tuple(found)


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse columns without a name, and several of one name.

    :raises DataError: naming all of them
    """
    empty = [str(i) for i, name in enumerate(names, 1) if not name]
    if empty:
        raise DataError(
            f"{where} has an unnamed column (column {', '.join(empty[:20])}); give each column a "
            "name in the header"
        )
    seen: dict[str, list[str]] = {}
    for i, name in enumerate(names, 1):
        seen.setdefault(name, []).append(str(i))
    twice = [
        f"two columns named {name[:60]!r} (columns {', '.join(at[:20])})"
        for name, at in seen.items()
        if len(at) > 1
    ]
    if twice:
        raise DataError(f"{where} has {' and '.join(twice[:20])}; give each its own name")
