"""All reasons why a table's columns cannot be used, in one sentence with the keys that help."""

import json
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from boostbench.data.dates import date_rows
from boostbench.data.table import EMPTY, Table
from boostbench.errors import DataError
from boostbench.suggest import listing

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*")
_NO_TEXTS = ("true", "false", "yes", "no", "on", "off", "null")
_NUMBER_KEYS = "'decimal:', 'thousands:', 'na_values:' (how numbers and gaps are written)"
_LEVELS = "'categorical: auto' (0/1 features, one per level; names are left out)"
_CLASSES = "'task: classification' (for classes; a regression needs a numeric target)"
_NO_CLASSES = "'task: regression' (classification needs classes; write their labels as text)"
_MISTYPED = "'categorical:' with their names (if they are levels; else correct the file)"
_MISTYPED_TARGET = "'na_values:' (if it means missing; else correct the file)"
_DROP = "'missing: drop' (leave out the rows)"
_MEDIAN = "'missing: median' (fill by the training rows)"
# The keys that may help with each problem of a column, and of a target; none with other problems.
_KINDS = {
    "text": ([_LEVELS, _NUMBER_KEYS], [_CLASSES, _NUMBER_KEYS]),
    "values that are no numbers": ([_NUMBER_KEYS], [_NUMBER_KEYS]),
    "text among the numbers": ([_MISTYPED, _NUMBER_KEYS], [_MISTYPED_TARGET]),
    "dates": ([], ["'target:' (another column: dates are not predicted)"]),
    "missing values": ([f"{_MEDIAN} or {_DROP}"], [_DROP]),
    "continuous values": ([], [_NO_CLASSES]),
}


class Problems:
    """Collects the columns of a table that cannot be used; :meth:`raise_any` reports them."""

    def __init__(self, table: Table, target: str) -> None:
        self._table, self._target, self.where = table, target, table.where
        self._found: dict[tuple[str, bool], list[tuple[int, str]]] = {}

    def dates_in(self, column: pd.Series) -> pd.Series:
        """Return in which rows a column of texts has dates; in all if the file declares them."""
        return column.notna() if column.name in self._table.dates else date_rows(column)

    def add(self, what: str, column: pd.Series, rows: pd.Series, *, show: bool = True) -> None:
        """Add a column and the affected ``rows``; the first of their values is shown."""
        name, row, many = str(column.name), int(np.argmax(rows)), int(rows.sum())
        share, first = "", "first " if many > 1 else ""
        if show:
            share = f" of {column.count():,} values"
            first = f"{quoted(str(column.iloc[row]), 40)} "
        line = self._table.line_of(int(column.index[row]))
        detail = f" ({many:,}{share}, {first}in {line})" if many else ""
        place = self._table.names.index(name)
        found = self._found.setdefault((what, name == self._target), [])
        found.append((place, f"{quoted(name)}{detail}"))

    def raise_any(self) -> None:
        """Raise DataError, one sentence of all added problems, if there are any."""
        if not self._found:
            return
        has: list[str] = []
        keys: list[str] = []
        dropped: set[int] = set()
        for (what, target), columns in self._found.items():
            columns.sort()
            many = f"{len(columns):,} columns:" if len(columns) > 1 else "column"
            shown = listing((text for _, text in columns), 100)
            has.append(f"{what} in {'the target column' if target else many} {shown}")
            keys += _KINDS.get(what, ([], []))[target]
            if what == "missing values" and (marks := self._marks(columns)):
                keys.append(f"'na_values: []' (where these are values: {listing(marks, 5)})")
            if not target and what != "missing values":
                dropped |= {place for place, _ in columns}
        if dropped:
            names = yaml_list([self._table.names[place] for place in sorted(dropped)])
            keys.append(f"'drop: {names}' (leave out columns)")
        if keys:
            has.append(f"add to the data set: {', '.join(dict.fromkeys(keys))}")
        raise DataError(f"{self.where} has {'; '.join(has)}")

    def _marks(self, columns: Sequence[tuple[int, str]]) -> list[str]:
        """Return the texts that were read as missing in the columns at these places."""
        names = [self._table.names[place] for place, _ in columns]
        found = {mark for name in names for mark in self._table.marks.get(name, {})}
        return [quoted(mark, 20) for mark in sorted(found - self._table.nulls - EMPTY)]


def quoted(text: str, limit: int = 60) -> str:
    """Return a text of the data in quotes, on one line, cut after ``limit`` characters."""
    return repr(" ".join(text.split())[:limit])


def yaml_list(names: Sequence[str]) -> str:
    """Return texts as a YAML list on one line, cut after 100."""
    # YAML reads some words as truth values, or as nothing.
    plain = {n for n in names if _PLAIN.fullmatch(n) and n.casefold() not in _NO_TEXTS}
    shown = [n if n in plain else json.dumps(n[:60], ensure_ascii=False) for n in names[:100]]
    return f"[{', '.join(shown)}{', ...' if len(names) > 100 else ''}]"
