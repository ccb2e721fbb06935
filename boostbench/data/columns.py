"""Columns as numbers, as 0/1 features of their levels, as classes, or left out."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.labels import are_numbers, as_labels, sorted_labels
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import PLAIN, Table, TextFormat, check_cells, is_text
from boostbench.errors import DataError
from boostbench.suggest import listing

_FEW_LEVELS = 20
# So many numbers beside at most one other value, or one in a hundred: that is mistyped. If it has
# letters for digits, one in ten.
_MANY_NUMBERS, _RARE = 20, 100
# A number in any notation: of another country, in brackets, with a currency sign...
_NUMBER_LIKE = re.compile(
    r"[-+−–—(='’\"]{0,3}[$¢£¥฿\u20a0-\u20cf]? ?"
    r"(?:\d+(?:[.,'’\s]\d{3})*(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
    r" ?[$¢£¥฿\u20a0-\u20cf%)\"]{0,2}"
)
_LIKE_DIGITS = str.maketrans("OolI", "0011")
_PROBLEM = {
    "numbers": "values that are no numbers",
    "mistyped": "text among the numbers",
    "dates": "dates",
}
_CODE = re.compile(r"[^\W_]*[0-9][^\W_]*")
_STANDS_FOR_MISSING = re.compile(
    r"[-–—_.*?x#/\\ ]+|\\N|n[./ ]?a\.?|#[\w/]+[!?]"
    r"|nan|nil|none|null|missing|unknown|undefined|empty",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Encoding:
    """How a table becomes ``X`` and ``y``.

    Parameters
    ----------
    target : a column's name, or its number from 1 (negative: from the end); None takes the one
        output that the file itself names
    order : the order of features, where it is not the table's; columns not in it drop out
    codes : nominal columns that become one feature: the position of the level in its list
    onehot : columns that become one 0/1 feature per level, levels sorted
    every_text : whether other columns of text are encoded so too, except those of names
    strict : whether nominal columns in neither must be numbers; else they become one-hot
    missing : ``error`` refuses missing values, ``drop`` leaves out their rows, ``median`` leaves
        numbers missing, to be filled from the training rows, and gives a category that is missing
        none of its levels; a row without a target is left out
    classes : the target's labels in the order of their codes, sorted if none are given
    texts : how the table writes numbers that it holds as text
    na_values : the marks of missing values that the user gave, None for the usual ones
    """

    target: str | int | None = None
    order: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    onehot: tuple[str, ...] = ()
    every_text: bool = False
    strict: bool = False
    missing: str = "error"
    classes: tuple[str, ...] = ()
    texts: TextFormat = PLAIN
    na_values: tuple[str, ...] | None = None


@dataclass
class Features:
    """The columns that become features; a column of text becomes one 0/1 feature per level.

    ``read_as`` lists the columns of text that were read as numbers, by their kind of content;
    ``left_out`` says which columns are no features, and why.
    """

    columns: list[pd.Series] = field(default_factory=list)
    read_as: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def labels_of(self, column: pd.Series, encoding: Encoding) -> pd.Series:
        """Return a column's labels: its texts, whole numbers without a point."""
        texts = texts_of(column)
        if encoding.strict or isinstance(column.dtype, pd.CategoricalDtype):
            return texts
        labels, merged = as_labels(texts, encoding.texts)
        if merged:
            how = f"numbers written in two ways read as one ({listing(merged, 3)})"
            self.read_as.setdefault(how, []).append(quoted(str(column.name)))
        return labels

    def arrays(self, rows: pd.Series, where: str) -> tuple[NDArray[np.float64], list[str]]:
        """Return X (n, p) of ``rows``, NaN where a number is missing, and the features' names.

        A column of text gives one 0/1 feature per level, in sorted order; a row without a value has
        none of the levels.
        """
        names: list[str] = []
        parts: list[pd.Series] = []
        for column in self.columns:
            used = column if rows.all() else column[rows]
            if is_text(column):
                known = levels(used)
                if len(known) > bounds.MAX_LEVELS:
                    many = f"{len(known):,} levels in column {quoted(str(column.name))}"
                    limit = f"at most {bounds.MAX_LEVELS:,} become features; drop it"
                    raise DataError(f"{where} has {many}; {limit}")
                parts += [(used == level).astype(np.float64) for level in known]
                names += [f"{column.name}={level}" for level in known]
            else:
                parts.append(used)
                names.append(str(column.name))
            check_cells(len(used), len(parts), where)
        X = np.empty((int(rows.sum()), len(parts)))
        for j, part in enumerate(parts):
            X[:, j] = part
        return X, names


def choose(table: Table, names: list[str], encoding: Encoding, problems: Problems) -> Features:
    """Return the features of the table's columns ``names``; add unusable ones to ``problems``."""
    chosen = Features()
    for name in names:
        column = table.frame[name]
        nominal = isinstance(column.dtype, pd.CategoricalDtype) and not encoding.strict
        if name in encoding.codes:
            column = _to_codes(column, encoding.codes[name], table.where)
        elif name in encoding.onehot or nominal:
            column = chosen.labels_of(column, encoding)
        elif name in table.unnamed and not encoding.strict:
            # R and pandas give the names of rows no name; others end each row with a separator.
            what = "empty" if column.isna().all() else "names of rows"
            chosen.left_out.append(f"column {table.names.index(name) + 1} (unnamed, {what})")
            continue
        elif is_text(column):
            if (dates := problems.dates_in(column)).any():
                problems.add(_PROBLEM["dates"], column, dates)
                continue
            numbers, how = numbers_in(column, encoding.texts, percent=not encoding.strict)
            if how:
                chosen.read_as.setdefault(how, []).append(quoted(name))
            if numbers is not None:
                column = numbers
            elif not _is_nominal(column, encoding, chosen, problems):
                continue
        if encoding.missing != "error" and column.isna().all():
            chosen.left_out.append(f"{quoted(name)} (empty)")
        else:
            chosen.columns.append(column)
    return chosen


def _is_nominal(
    column: pd.Series, encoding: Encoding, chosen: Features, problems: Problems
) -> bool:
    what, odd = _kind_of(column, encoding.texts)
    n_levels, known = column.nunique(), column.notna()
    if encoding.every_text and what == "names":
        of = f"{n_levels:,} different texts in {known.sum():,} values"
        chosen.left_out.append(f"{quoted(str(column.name))} ({of})")
    elif encoding.every_text and what == "levels":
        if n_levels <= bounds.MAX_LEVELS:
            return True
        problems.add("too many levels", column, odd)
    else:
        problems.add(_PROBLEM.get(what, "text"), column, odd)
        if encoding.missing == "error" and what != "names" and not known.all():
            problems.add("missing values", column, ~known, show=False)
    return False


def levels(column: pd.Series) -> list[str]:
    """Return the different texts of a column, sorted."""
    return sorted(column.dropna().unique())


def _kind_of(column: pd.Series, texts: TextFormat) -> tuple[str, pd.Series]:
    """Return the kind of a column of texts, and its values that are neither missing nor numbers.

    ``numbers``: at least half of the values are, in whichever notation, though they may be levels
    where there are only a few, and codes such as 136 and 136A; ``mistyped``: almost all of them
    are, and the others are texts, or have letters like digits (4O for 40); ``names``: so many
    different texts that most are never both trained and tested on; ``levels`` else.
    """
    counts = Counter(column.dropna())
    plain = {text for text in counts if texts.number(text) is not None}
    marked = {text for text in counts.keys() - plain if _NUMBER_LIKE.fullmatch(text)}
    others = counts.keys() - plain - marked
    odd = column.isin(marked | others)
    total = counts.total()
    codes = not marked and all(map(_CODE.fullmatch, others))
    codes = codes and all(float(texts.number(text) or 0).is_integer() for text in plain)
    gaps = all(map(_STANDS_FOR_MISSING.fullmatch, others))
    few = len(counts) <= _FEW_LEVELS and not gaps
    n_odd = int(odd.sum())
    are_misread = all(texts.number(text.translate(_LIKE_DIGITS)) is not None for text in others)
    most = total // 10 if are_misread else max(1, total // _RARE)
    if total - n_odd >= _MANY_NUMBERS and n_odd <= most and not (marked or gaps):
        return "mistyped", odd
    if codes or 2 * sum(counts[text] for text in others) > total:
        names = len(counts) > max(_FEW_LEVELS, total // 2)
        return ("names" if names else "levels"), odd
    return ("levels" if few and not marked else "numbers"), odd


def numbers_in(
    column: pd.Series, texts: TextFormat, *, percent: bool
) -> tuple[pd.Series | None, str]:
    """Return texts as numbers, None if one is no number, and how they were read.

    With ``percent`` those that are all true or false (or 1 and 0) become 1 and 0, and those that
    are all percentages their number.
    """
    numbers = texts.numbers(column)
    known = column.dropna()
    if numbers is not None or not percent:
        return numbers, ""
    if known.str.casefold().isin(["true", "false", "1", "0"]).all():
        truth = column.str.casefold().replace({"true": "1", "false": "0"})
        return PLAIN.numbers(truth), "true/false read as 1/0"
    if known.str.endswith("%").all():
        numbers = texts.numbers(column.str[:-1].str.rstrip())
        return numbers, "" if numbers is None else "percentages read as numbers (72 for 72%)"
    return None, ""


def _to_codes(column: pd.Series, known: Sequence[object], where: str) -> pd.Series:
    position = {str(level): float(i) for i, level in enumerate(known)}
    texts = texts_of(column)
    if unknown := set(texts.dropna()) - position.keys():
        odd = f"{min(unknown)!r} in column {column.name!r}"
        raise DataError(f"{where} has {odd}, not in {', '.join(position)}")
    return texts.map(position).astype(np.float64)


def texts_of(column: pd.Series) -> pd.Series:
    """Return values as text, whole numbers without a point: 6.0000 and 6 are one."""
    if is_text(column):
        return column.astype("str")

    def as_text(value: float) -> str:
        return str(int(value)) if np.isfinite(value) and value == int(value) else str(value)

    return column.map({v: as_text(v) for v in column.dropna().unique().tolist()}).astype("str")


Encoded = tuple[pd.Series, tuple[str, ...]]
"""float64, or codes and their classes."""


def target_of(
    column: pd.Series, task: str, encoding: Encoding, chosen: Features, problems: Problems
) -> Encoded:
    """Return numbers for a regression, else codes; add an unusable column to ``problems``."""
    if task == "classification":
        return _classes(column, encoding, chosen, problems)
    if not is_text(column):
        return column, ()
    column = column.astype("str")
    if (dates := problems.dates_in(column)).any():
        problems.add(_PROBLEM["dates"], column, dates)
        return column.notna() * 1.0, ()
    numbers, how = numbers_in(column, encoding.texts, percent=True)
    if numbers is not None and not how.startswith("true"):
        if how:
            chosen.read_as.setdefault(how, []).append(quoted(str(column.name)))
        return numbers, ()
    what, odd = _kind_of(column, encoding.texts)
    problems.add(_PROBLEM.get(what, "text"), column, odd)
    return column.notna() * 1.0, ()


def _classes(
    column: pd.Series, encoding: Encoding, chosen: Features, problems: Problems
) -> Encoded:
    """Return the codes of the classes in ``column``, sorted (numbers as such) or as on a card.

    A column whose labels are continuous is added to ``problems``, unless the file declares them as
    levels. Raises DataError if there are too many classes, or one that is not on the card.
    """
    order, name = encoding.classes, quoted(str(column.name))
    texts = chosen.labels_of(column, encoding)
    found, n_known = levels(texts), int(texts.count())
    where, declared = f"{problems.where} has", isinstance(column.dtype, pd.CategoricalDtype)
    if not (order or declared) and _continuous(found, n_known, encoding.texts):
        problems.add("continuous values", texts, texts.notna())
        return texts.notna() * 1, ()
    if len(found) > bounds.MAX_LEVELS:
        many = f"{len(found):,} classes in column {name}; at most {bounds.MAX_LEVELS:,}"
        raise DataError(f"{where} {many} are allowed")
    if odd := [label for label in found if order and label not in order]:
        odd_class = f"the class {odd[0]!r} in column {column.name!r}"
        raise DataError(f"{where} {odd_class}; {listing(order)} are expected")
    classes = tuple(order or sorted_labels(found, encoding.texts))
    return texts.map({label: i for i, label in enumerate(classes)}).astype(np.int64), classes


def _continuous(labels: Sequence[str], n_rows: int, texts: TextFormat) -> bool:
    """Return whether ``labels`` cannot be classes.

    These are no classes:

    - texts, codes such as 007, and whole numbers of which most occur once, if more than 20;
    - whole numbers of which there are more than 20, with fewer than five rows per label, and gaps
      between them: codes of classes such as 0, 1, 2, ... have none;
    - fractions, if more than 100, or more than five with fewer than five rows per label.
    """
    n_labels = len(labels)
    few_rows, most_once = n_rows < 5 * n_labels, 2 * n_labels > n_rows
    if not are_numbers(labels, texts):
        return n_labels > _FEW_LEVELS and most_once
    values = np.array(sorted(float(texts.number(label) or 0.0) for label in labels))
    if (values != np.floor(values)).any():
        return n_labels > 100 or (n_labels > 5 and few_rows)
    if n_labels <= _FEW_LEVELS or not few_rows or not np.isfinite(values).all():
        return False
    return most_once or bool(np.ptp(values) / np.diff(values).min() + 1 > 1.2 * n_labels)
