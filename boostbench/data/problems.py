"""All that keeps the columns of a table from being used, in one sentence with what to do."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.numbers import FORMATS, PLAIN, NumberFormat, fitting
from boostbench.data.table import Column, Table
from boostbench.data.texts import FEW_LEVELS, Texts, describe
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

_MOST_COLUMNS = 100
_MOST_OTHERS = 5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*")
_NO_TEXTS = ("true", "false", "yes", "no", "on", "off", "null")
_WRITTEN = {
    "decimal": "a decimal {mark}",
    "comma": "a {mark}",
    "thousands": "thousands separators",
    "currency": "a sign of currency",
    "parentheses": "parentheses",
    "slash": "a slash",
    "bound": "a sign of comparison",
    "misplaced": "misplaced marks",
    "hexadecimal": "hexadecimal digits",
    "underscore": "underscores",
    "formula": 'a formula (="...") around them',
    "digits": "digits other than 0 to 9",
    "percent": "a percent sign",
    "apostrophe": "a leading apostrophe",
    "dash": "a dash for a minus sign",
    "unit": "a unit",
}
_MARKED = ("decimal", "comma", "thousands")
_KEYS = {
    "levels": "'categorical: auto' (0/1 features, one per level; names are left out)",
    "missing": "'missing: median' (fill by the training rows) or 'missing: drop' (leave out the "
    "rows)",
    "missing target": "'missing: drop' (leave out the rows)",
    "format": "{text}",
    "na_values": "'na_values: {names}' (texts that mean missing)",
    "drop": "'drop: {names}'",
}
_CORRECTIONS = {
    "numbers": "a regression needs a numeric target",
    "classes": "a regression needs a numeric target; for classes add 'task: classification' to the "
    "data set",
    "regression": "classification needs classes: set 'task: regression', or write labels that are "
    "classes as text",
    "one format": "no format of numbers fits all columns ({text}); write them alike in the file",
    "currency": "write amounts as plain numbers",
    "parentheses": "write negative numbers with a minus sign",
    "slash": "write a fraction as a decimal number, and two numbers as two columns",
    "bound": "write the numbers without signs of comparison",
    "misplaced": "correct numbers with misplaced marks",
    "hexadecimal": "write hexadecimal numbers as decimal ones",
    "underscore": "write numbers without underscores",
    "formula": "write the numbers without the formula",
    "digits": "write numbers with the digits 0 to 9",
    "percent": "write a percent sign after all numbers of a column or after none",
    "apostrophe": "take the apostrophes out of the file",
    "dash": "write minus signs as -",
    "unit": "write the numbers without their units",
    "others": "correct text among numbers, or list it under 'na_values:' if it means missing",
    "infinite": "correct infinite values",
    "dates": "write dates as numbers",
    "two spellings": "write the classes of the target in one way",
}


class Problems:
    """Collects the columns of a table that cannot be used; :meth:`raise_any` reports them."""

    def __init__(
        self, table: Table, number_format: NumberFormat = PLAIN, missing: str = "error"
    ) -> None:
        self.where = table.where
        self._table = table
        self._refuses_missing = missing == "error"
        self._now = number_format
        self._mark = "comma" if number_format.decimal == "." else "point"
        self._formats: dict[str, frozenset[NumberFormat]] = {}
        self._marked: dict[str, bool] = {}
        self._examples: list[str] = []
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

    def numbers(self, column: str, formats: frozenset[NumberFormat] | None) -> None:
        """Take note of the formats in which all numbers of a column can be read; None: in all."""
        if formats is not None and len(formats) < len(FORMATS):
            self._formats[column] = formats

    def two_spellings(self, column: str) -> None:
        """Add the target of a classification that holds true or false beside 1 or 0."""
        self.add("both true/false and 1/0 in", column, target=True)
        self.advise("two spellings")

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
            if form not in _MARKED:
                self.advise(form)
                if not target:
                    self.advise("drop", column.name)
        if texts.readable is not None:
            assert column.labels is not None
            self._marked[column.name] = target
            rows = [row for form, (_, row) in texts.formats.items() if form in _MARKED]
            self._examples += [str(column.labels[row]).rstrip("% ") for row in rows]
            self.numbers(column.name, texts.readable)
        if not texts.others:
            return
        row = min(texts.others.values())
        shown = self._example(column, row)
        detail = f" ({texts.n_others:,} {of}, {shown})"
        self.add("text among the numbers of", column.name, detail, target=target)
        if len(texts.others) <= _MOST_OTHERS and not texts.codes and texts.others_may_be_missing:
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
        self._advise_format()
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

    def _advise_format(self) -> None:
        """Add the keys by which all columns can be read, or say that there are none."""
        if not self._marked:
            return
        common = frozenset(FORMATS).intersection(*self._formats.values())
        read: dict[tuple[float | None, ...], NumberFormat] = {}
        for form in fitting(common, self._now):
            read.setdefault(tuple(form.number(text) for text in self._examples), form)
        if len(read) == 1:
            self.advise("format", _keys(next(iter(read.values())), self._now))
        elif read:
            (some, a), (others, b) = read.items()
            triples = zip(self._examples, some, others, strict=True)
            text, x, y = next(triple for triple in triples if triple[1] != triple[2])
            self.advise(
                "format",
                f"{_keys(a, self._now)} if {quoted(text)} is {x:.12g}, or {_keys(b, self._now)} "
                f"if it is {y:.12g}",
            )
        else:
            by_format: dict[str, list[str]] = {}
            for name, formats in self._formats.items():
                best = fitting(formats, self._now)[:1]
                reader = f"'{_written(best[0])}' reads" if best else "none reads"
                by_format.setdefault(reader, []).append(quoted(name))
            how = "; ".join(f"{reader} {listing(n, 5)}" for reader, n in by_format.items())
            self.advise("one format", how)
            if not any(self._marked.values()):
                for name in self._marked:
                    self.advise("drop", name)

    def _worded(self, sentence: str, kind: str) -> str:
        return sentence.format(
            mark=self._mark, names=yaml_list(self._advice[kind]), text=self._advice[kind][0]
        )

    def _example(self, column: Column, row: int) -> str:
        assert column.labels is not None
        return f"{quoted(str(column.labels[row]), 40)} in {self._table.line_of(row)}"

    def _first(self, rows: NDArray[np.bool_]) -> str:
        line = self._table.line_of(int(np.argmax(rows)))
        return f"first in {line}" if rows.sum() > 1 else f"in {line}"


def _written(form: NumberFormat) -> str:
    thousands = f', thousands: "{form.thousands}"' if form.thousands else ""
    return f'decimal: "{form.decimal}"{thousands}'


def _keys(form: NumberFormat, now: NumberFormat) -> str:
    """Return the keys that say ``form`` to a data set which says ``now``."""
    new, old = [], []
    if form.decimal != now.decimal:
        new.append(f"'decimal: \"{form.decimal}\"'")
        old += [f"'decimal: \"{now.decimal}\"'"] * (now.decimal != PLAIN.decimal)
    if form.thousands != now.thousands:
        new += [f"'thousands: \"{form.thousands}\"'"] * bool(form.thousands)
        old += [f"'thousands: \"{now.thousands}\"'"] * bool(now.thousands)
    return " and ".join(new) + f" in place of {' and '.join(old)}" * bool(old)


def quoted(text: str, limit: int = 60) -> str:
    """Return a text of the data in quotes, on one line, cut after ``limit`` characters."""
    return repr(" ".join(text.split())[:limit])


def yaml_list(names: Sequence[str]) -> str:
    """Return texts as a YAML list on one line, cut after 100."""
    shown = [n if _is_plain(n) else json.dumps(n[:60], ensure_ascii=False) for n in names]
    return f"[{', '.join(shown[:_MOST_COLUMNS])}{', ...' if len(names) > _MOST_COLUMNS else ''}]"


def _is_plain(text: str) -> bool:
    # YAML reads some words as truth values, or as nothing.
    return bool(_PLAIN.fullmatch(text)) and text.casefold() not in _NO_TEXTS
