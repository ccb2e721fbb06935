"""All reasons why a table's columns cannot be used, in one sentence with the keys that help."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.data import dates
from boostbench.data.table import Table
from boostbench.data.text_format import EMPTY
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
_KEEP = "'missing: keep' (leave the gaps in the frame)"
_DATES = "'dates: parts' (year, month, day...), 'dates: ordinal' (days) or 'dates: drop'"
_WRITE_DATES = "write the dates as 2021-04-03 in the file"


@dataclass(frozen=True)
class _Remedies:
    """The keys that may help with a problem of a column, of one in a frame, and of a target.

    ``file`` is what may be done with the file instead.
    """

    column: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    frame: tuple[str, ...] | None = None
    file: str = ""


_REMEDIES = {
    "text": _Remedies((_LEVELS, _NUMBER_KEYS), (_CLASSES, _NUMBER_KEYS)),
    "values that are no numbers": _Remedies((_NUMBER_KEYS,), (_NUMBER_KEYS,)),
    "text among the numbers": _Remedies((_MISTYPED, _NUMBER_KEYS), (_MISTYPED_TARGET,)),
    "dates": _Remedies((_DATES,), ("'target:' (another column: dates are not predicted)",)),
    "missing values": _Remedies((f"{_MEDIAN} or {_DROP}",), (_DROP,), (f"{_KEEP} or {_DROP}",)),
    "continuous values": _Remedies(target=(_NO_CLASSES,)),
} | dict.fromkeys(dates.PROBLEMS, _Remedies(file=_WRITE_DATES))


class _Affected(NamedTuple):
    """A column with a problem: its place in the table, and a text on it."""

    place: int
    text: str


class Problems:
    """Collects the columns of a table that cannot be used; :meth:`raise_any` reports them."""

    def __init__(self, table: Table, target: str, *, in_frame: bool = False) -> None:
        self.where = table.where
        self._in_frame = in_frame
        self._table = table
        self._target = target
        # By the problem, and whether it is one of the target.
        self._columns: dict[tuple[str, bool], list[_Affected]] = {}

    def add_dates(self, column: pd.Series) -> bool:
        """Add a column of texts if it has dates, or is declared to; return whether it was added."""
        rows = self._table.date_values(column)
        if rows.any():
            self.add("dates", column, rows)
        return bool(rows.any())

    def add(self, problem: str, column: pd.Series, rows: pd.Series, *, show: bool = True) -> None:
        """Add a column and the affected ``rows``; the first of their values is shown."""
        name = str(column.name)
        row = int(np.argmax(rows))
        n_rows = int(rows.sum())
        line = self._table.line_of(int(column.index[row]))
        detail = ""
        if n_rows and show:
            value = quoted(column.iloc[row], 40)
            detail = f" ({n_rows:,} of {column.count():,} values, {value} in {line})"
        elif n_rows:
            detail = f" ({n_rows:,}, {'first ' if n_rows > 1 else ''}in {line})"
        columns = self._columns.setdefault((problem, name == self._target), [])
        columns.append(_Affected(self._table.names.index(name), f"{quoted(name)}{detail}"))

    def raise_any(self) -> None:
        """Raise DataError, one sentence of all added problems, if there are any."""
        if not self._columns:
            return
        parts: list[str] = []
        keys: list[str] = []
        files: list[str] = []
        for (problem, is_target), columns in self._columns.items():
            columns.sort()
            several = f"{len(columns):,} columns:" if len(columns) > 1 else "column"
            shown = listing((column.text for column in columns), 100)
            parts.append(f"{problem} in {'the target column' if is_target else several} {shown}")
            remedies = _REMEDIES.get(problem, _Remedies())
            keys += self._keys(remedies, is_target=is_target)
            files += [remedies.file] if remedies.file else []
            if problem == "missing values" and (marks := self._marks(columns)):
                keys.append(f"'na_values: []' (where these are values: {listing(marks, 5)})")
        if names := self._may_be_dropped():
            keys.append(f"'drop: {yaml_list(names)}' (leave out columns)")
        if keys:
            add = f"add to the data set: {', '.join(dict.fromkeys(keys))}"
            parts.append(" or ".join([*dict.fromkeys(files), add]))
        raise DataError(f"{self.where} has {'; '.join(parts)}")

    def _keys(self, remedies: _Remedies, *, is_target: bool) -> tuple[str, ...]:
        if is_target:
            return remedies.target
        in_frame = remedies.frame if self._in_frame else None
        return remedies.column if in_frame is None else in_frame

    def _may_be_dropped(self) -> list[str]:
        """Return the columns whose problems end when these are left out, in the table's order."""
        places: set[int] = set()
        for (problem, is_target), columns in self._columns.items():
            if not is_target and problem != "missing values":
                places.update(column.place for column in columns)
        return [self._table.names[place] for place in sorted(places)]

    def _marks(self, columns: Sequence[_Affected]) -> list[str]:
        """Return the texts that were read as missing in these columns."""
        names = [self._table.names[column.place] for column in columns]
        marks = {mark for name in names for mark in self._table.marks.get(name, {})}
        return [quoted(mark, 20) for mark in sorted(marks - self._table.nulls - EMPTY)]


def quoted(text: object, limit: int = 60) -> str:
    """Return a name or text of the data in quotes, on one line, cut after ``limit`` characters."""
    return repr(" ".join(str(text).split())[:limit])


def yaml_list(names: Sequence[str]) -> str:
    """Return texts as a YAML list on one line, cut after 100."""
    # YAML reads some words as truth values, or as nothing.
    plain = {n for n in names if _PLAIN.fullmatch(n) and n.casefold() not in _NO_TEXTS}
    shown = [n if n in plain else json.dumps(n[:60], ensure_ascii=False) for n in names[:100]]
    return f"[{', '.join(shown)}{', ...' if len(names) > 100 else ''}]"
