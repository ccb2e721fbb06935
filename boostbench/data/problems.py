"""All that keeps the columns of a table from being used, in one sentence with what to do."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.table import Column, Table
from boostbench.data.texts import FEW_LEVELS, Texts, describe
from boostbench.errors import DataError
from boostbench.suggest import counted

_MOST_COLUMNS = 100
_MOST_OTHERS = 5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*")
_WRITTEN = {
    "decimal": "a decimal {mark}",
    "comma": "a {mark}",
    "thousands": "thousands separators",
    "currency": "a sign of currency",
    "percent": "a percent sign",
    "apostrophe": "a leading apostrophe",
    "dash": "a dash for a minus sign",
    "unit": "a unit",
}
_KEYS = {
    "levels": "'categorical: auto' (0/1 features, one per level; names are left out)",
    "missing": "'missing: median' (fill by the training rows) or 'missing: drop' (leave out the "
    "rows)",
    "missing target": "'missing: drop' (leave out the rows)",
    "decimal": "'decimal: \"{other}\"'",
    "na_values": "'na_values: {names}' (texts that mean missing)",
    "drop": "'drop: {names}'",
}
_CORRECTIONS = {
    "numbers": "a regression needs a numeric target",
    "classes": "a regression needs a numeric target; for classes add 'task: classification' to the "
    "data set",
    "regression": "classification needs classes: set 'task: regression', or write labels that are "
    "classes as text",
    "comma": "where the {mark} separates thousands, take it out of the file instead",
    "thousands": "take thousands separators out of the file",
    "currency": "write amounts as plain numbers",
    "percent": "write a percent sign after all numbers of a column or after none",
    "apostrophe": "take the apostrophes out of the file",
    "dash": "write minus signs as -",
    "unit": "write the numbers without their units",
    "others": "correct text among numbers, or list it under 'na_values:' if it means missing",
    "infinite": "correct infinite values",
    "dates": "write dates as numbers",
}


class Problems:
    """Collects the columns of a table that cannot be used; :meth:`raise_any` reports them."""

    def __init__(self, table: Table, decimal: str = ".", missing: str = "error") -> None:
        self.where = table.where
        self._table = table
        self._refuses_missing = missing == "error"
        self._mark = "comma" if decimal == "." else "point"
        self._other = "," if decimal == "." else "."
        self._places = {name: i for i, name in enumerate(table.names)}
        self._columns: dict[str, list[tuple[int, str]]] = {}
        self._advice: dict[str, list[str]] = {}

    def add(self, what: str, column: str, detail: str = "", *, target: bool = False) -> None:
        """Add a column; those of which the same is said are listed together."""
        what = f"{what} the target" if target else what
        place = self._places.get(column, 0)
        self._columns.setdefault(what, []).append((place, f"{quoted(column)}{detail}"))

    def advise(self, kind: str, name: str = "") -> None:
        """Add what would mend a problem, once for each ``name``."""
        names = self._advice.setdefault(kind, [])
        if name not in names:
            names.append(name)

    def texts(self, column: Column, texts: Texts, *, strict: bool = False) -> None:
        """Add a column that must be numeric; ``strict``: it cannot become categories either."""
        if texts.numeric:
            self._odd_numbers(column, texts)
        else:
            n_levels, n_known = counted(texts.n_levels, "level"), counted(texts.n_known, "value")
            shown = self._example(column, texts.first_row)
            what = "dates in" if texts.dates else "text in"
            self.add(what, column.name, f" ({n_levels} in {n_known}, {shown})")
            if texts.dates:
                self.advise("dates")
        if strict:
            return
        if texts.can_be_levels or texts.are_names:
            self.advise("levels")
        if texts.are_names or texts.dates:
            self.advise("drop", column.name)

    def _odd_numbers(self, column: Column, texts: Texts, *, target: bool = False) -> None:
        of = f"of {counted(texts.n_known, 'value')}"
        for form, (number, row) in texts.formats.items():
            what = f"numbers with {_WRITTEN[form].format(mark=self._mark)} in"
            detail = f" ({number:,} {of}, {self._example(column, row)})"
            self.add(what, column.name, detail, target=target)
            self.advise(form)
            if form == "comma":
                self.advise("decimal")
            elif form != "decimal" and not target:
                self.advise("drop", column.name)
        if not texts.others:
            return
        row = min(texts.others.values())
        shown = self._example(column, row)
        detail = f" ({texts.n_others:,} {of}, {shown})"
        self.add("text among the numbers of", column.name, detail, target=target)
        if len(texts.others) <= _MOST_OTHERS and not texts.codes:
            for text in texts.others:
                self.advise("na_values", text)
            if self._refuses_missing:
                self.advise("missing target" if target else "missing")
        else:
            self.advise("others")

    def text_target(self, column: Column, texts: Texts, *, assumed: bool) -> None:
        """Add the target of a regression that holds ``texts``."""
        if texts.numeric:
            self._odd_numbers(column, texts, target=True)
            if assumed and texts.others and texts.n_levels <= FEW_LEVELS:
                self.advise("classes")
            return
        shown = self._example(column, texts.first_row)
        detail = f" ({counted(texts.n_levels, 'level')}, {shown})"
        self.add("text in", column.name, detail, target=True)
        self.advise("classes" if assumed else "numbers")

    def continuous(
        self, column: Column, labels: NDArray[np.object_], n_labels: int, n_known: int
    ) -> None:
        """Add the target of a classification whose (n,) ``labels`` are no classes."""
        row = next(i for i, label in enumerate(labels) if label is not None)
        shown = f"{quoted(str(labels[row]), 40)} in {self._table.line_of(row)}"
        detail = f" ({n_labels:,} different in {counted(n_known, 'row')}, such as {shown})"
        texts = None if column.labels is None else describe(labels)
        if texts is not None and texts.numeric:
            self._odd_numbers(column, texts, target=True)
            self.advise("regression")
        elif texts is None:
            self.add("continuous values in", column.name, detail, target=True)
            self.advise("regression")
        else:
            self.add("nearly all different texts in", column.name, detail, target=True)

    def too_many_levels(self, column: str, n_levels: int) -> None:
        """Add a column with more levels than can become features."""
        self.add(f"more than {bounds.MAX_LEVELS:,} levels in", column, f" ({n_levels:,})")
        self.advise("drop", column)

    def missing(self, column: str, rows: NDArray[np.bool_], *, target: bool = False) -> None:
        """Add a column whose values are missing in ``rows``, (n,) truth values."""
        if rows.all():
            self.add("no values in", column, target=target)
            if not target:
                self.advise("drop", column)
            return
        detail = f" ({rows.sum():,}, {self._first(rows)})"
        self.add("missing values in", column, detail, target=target)
        self.advise("missing target" if target else "missing")

    def infinite(self, column: str, values: NDArray[Any], *, target: bool = False) -> None:
        """Add a column with infinite ``values``, (n,) numbers, if it has any."""
        rows = np.isinf(values)
        if rows.any():
            detail = f" ({rows.sum():,}, {self._first(rows)})"
            self.add("infinite values in", column, detail, target=target)
            self.advise("infinite")

    def raise_any(self, also: Callable[[], list[str]] = list) -> None:
        """Raise DataError, one sentence of everything that was added, if there is anything.

        :param also: what is no problem, but worth knowing where there is one
        """
        if not self._columns:
            return
        parts = [f"{self._table.where} has {'; '.join(map(self._clause, self._columns))}"]
        if "missing" in self._advice:
            self._advice.pop("missing target", None)
        keys = [self._worded(_KEYS[kind], kind) for kind in _KEYS if kind in self._advice]
        if keys:
            parts.append(f"add to the data set {', '.join(keys)}")
        parts += [self._worded(_CORRECTIONS[k], k) for k in _CORRECTIONS if k in self._advice]
        raise DataError("; ".join(parts + also()))

    def _clause(self, what: str) -> str:
        columns = [shown for _, shown in sorted(self._columns[what])]
        shown = ", ".join(columns[:_MOST_COLUMNS])
        if len(columns) > _MOST_COLUMNS:
            shown += f" and {len(columns) - _MOST_COLUMNS:,} more"
        return f"{what} {'column' if len(columns) == 1 else f'{len(columns):,} columns:'} {shown}"

    def _worded(self, sentence: str, kind: str) -> str:
        return sentence.format(
            mark=self._mark, other=self._other, names=yaml_list(self._advice[kind])
        )

    def _example(self, column: Column, row: int) -> str:
        assert column.labels is not None
        return f"{quoted(str(column.labels[row]), 40)} in {self._table.line_of(row)}"

    def _first(self, rows: NDArray[np.bool_]) -> str:
        line = self._table.line_of(int(np.argmax(rows)))
        return f"first in {line}" if rows.sum() > 1 else f"in {line}"


def quoted(text: str, limit: int = 60) -> str:
    """Return a text of the data in quotes, on one line, cut after ``limit`` characters."""
    return repr(" ".join(text.split())[:limit])


def yaml_list(names: Sequence[str]) -> str:
    """Return texts as a YAML list on one line, cut after 100."""
    shown = [n if _PLAIN.fullmatch(n) else json.dumps(n[:60], ensure_ascii=False) for n in names]
    return f"[{', '.join(shown[:_MOST_COLUMNS])}{', ...' if len(names) > _MOST_COLUMNS else ''}]"
