"""What the texts of a column are: numbers that are written otherwise, dates, names, categories."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.data.table import to_number

FEW_LEVELS = 20
"""A column of at most so many different texts is one of categories, however few its rows."""

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_GROUPS = r"[+-]?[0-9]{1,3}(?:%s[0-9]{3})+(?:%s[0-9]*)?"
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+,")
_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+\.")
_AMOUNT = r"[+-]?[0-9][0-9., ]*"
_PATTERNS = [
    ("currency", re.compile(rf"[+-]?[$€£¥] ?{_AMOUNT}|{_AMOUNT} ?[$€£¥]|\({_AMOUNT}\)")),
    ("percent", re.compile(rf"{_AMOUNT} ?%")),
    ("dash", re.compile(rf"[−–—]{_NUMBER}")),
    ("apostrophe", re.compile(rf"['’]{_AMOUNT}")),
    (
        "date",
        re.compile(
            r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?"
            r"|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2,4}(?: [0-9:.]+(?: ?[AaPp][Mm])?)?"
            r"|[0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?"
        ),
    ),
    ("unit", re.compile(rf"{_NUMBER} ?[^\W\d_]+[²³]?(?:/[^\W\d_]+)?")),
]
_SPACED_GROUPS = re.compile(_GROUPS % ("[ '\u00a0\u202f]", "[.,]"))
_WHOLE_GROUP = re.compile(r"[+-]?[1-9][0-9]{0,2}[,.][0-9]{3}")
_WRITTEN = ("decimal", "comma", "thousands", "currency", "percent", "dash", "apostrophe")
_CODE = re.compile(r"[^\W_]*[0-9][^\W_]*")
_STANDS_FOR_MISSING = re.compile(
    r"[-–—_.*?x#/\\ ]+|\\N|n[./ ]?a\.?|#[\w/]+[!?]"
    r"|nan|nil|none|null|missing|unknown|undefined|empty",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Texts:
    """The contents of a column of texts.

    ``n_known`` values are not missing, ``n_levels`` of them different; the first that is no plain
    number is in row ``first_row``. ``numeric``: at least half are numbers, plain or in another
    format; ``dates``: at least half are dates or times. ``formats`` counts the numbers in other
    formats, with the first row of each: a ``decimal`` comma (or point), ``thousands`` separators, a
    ``comma`` that may be either, ``currency``, ``percent``, a ``dash`` for the minus sign, an
    ``apostrophe`` before, a ``unit``. ``others`` are the different other texts, with the first row
    of each, ``n_others`` values. ``codes``: whole numbers, some with letters, such as 136 and 136A.
    """

    n_known: int
    n_levels: int
    first_row: int
    numeric: bool
    dates: bool
    codes: bool
    formats: Mapping[str, tuple[int, int]]
    others: Mapping[str, int]
    n_others: int

    @property
    def others_are_missing(self) -> bool:
        """Whether the other texts are those that mean a missing value."""
        return all(_STANDS_FOR_MISSING.fullmatch(text) for text in self.others)

    @property
    def are_names(self) -> bool:
        """Whether these are names or free text, of which nothing can be learned."""
        return (self.codes or not self.numeric) and are_names(self.n_levels, self.n_known)

    @property
    def can_be_levels(self) -> bool:
        """Whether these may be categories: at most a few of them are numbers."""
        if self.codes or not self.numeric:
            return not self.are_names
        return not self.formats and not self.others_are_missing and self.n_levels <= FEW_LEVELS


def describe(labels: NDArray[np.object_], decimal: str = ".") -> Texts:
    """Return what (n,) ``labels`` hold, at least one of which is there and no plain number."""
    counts = Counter(label for label in labels if label is not None)
    rows: dict[str, int] = {}
    for row, label in enumerate(labels):
        if label is not None and label not in rows:
            rows[label] = row
    numbers = {label: to_number(label, decimal) for label in counts}
    odd = [label for label, number in numbers.items() if number is None]
    by_format: dict[str, list[str]] = {}
    for label in odd:
        by_format.setdefault(_format_of(label, decimal), []).append(label)
    if all(_WHOLE_GROUP.fullmatch(label) for label in by_format.get("decimal", ())):
        by_format["comma"] = by_format.pop("decimal", [])

    def count(found: Collection[str]) -> int:
        return sum(counts[label] for label in found)

    n_known = count(counts)
    written = [form for form in _WRITTEN if by_format.get(form)]
    units = by_format.get("unit", [])
    # Few values with a unit, such as 2wd and 4wd, are rather categories; 136A and 136B codes.
    one_unit = len(set(map(_unit, units))) == 1
    if one_unit and 2 * count(units) >= n_known and len(counts) > FEW_LEVELS:
        written.append("unit")
    as_numbers = {label for form in written for label in by_format[form]}
    others = [label for label in odd if label not in as_numbers]
    return Texts(
        n_known=n_known,
        n_levels=len(counts),
        first_row=min(rows[label] for label in odd),
        numeric=2 * (n_known - count(others)) >= n_known,
        dates=2 * count(by_format.get("date", ())) >= n_known,
        codes=not written
        and all(_CODE.fullmatch(label) for label in others)
        and all(number is None or number.is_integer() for number in numbers.values()),
        formats={f: (count(by_format[f]), min(rows[x] for x in by_format[f])) for f in written},
        others={label: rows[label] for label in others},
        n_others=count(others),
    )


def _unit(label: str) -> str:
    return label.lstrip("+-0123456789.").strip()


def are_names(n_levels: int, n_known: int) -> bool:
    """Return whether so many different values are too many to be categories.

    With fewer than two rows a value, most of them are never both trained and tested on.
    """
    return n_levels > max(FEW_LEVELS, n_known // 2)


def plain_numbers(
    labels: NDArray[np.object_], decimal: str = "."
) -> tuple[NDArray[np.float64], str] | None:
    """Return labels that are all true or false (1 and 0) or all percentages (72 for 72%).

    With them comes which of the two they are, ``true and false`` or ``percentages``; None: neither.
    """
    known = {label for label in labels if label is not None}
    found: dict[str | None, float] = {None: np.nan}
    if known and {label.casefold() for label in known} <= {"true", "false"}:
        found |= {label: float(label.casefold() == "true") for label in known}
        kind = "true and false"
    elif known and all(label.endswith("%") for label in known):
        for label in known:
            number = to_number(label[:-1].rstrip(), decimal)
            if number is None:
                return None
            found[label] = number
        kind = "percentages"
    else:
        return None
    return np.array([found[label] for label in labels], dtype=np.float64), kind


def _format_of(label: str, decimal: str) -> str:
    """Return how a text that is no plain number is written, empty if it is no number at all."""
    other = "," if decimal == "." else "."
    groups = re.fullmatch(_GROUPS % (re.escape(other), re.escape(decimal)), label)
    if groups and (label.count(other) > 1 or decimal in label):
        return "thousands"
    if (_COMMA if other == "," else _POINT).fullmatch(label):
        return "decimal"
    if _SPACED_GROUPS.fullmatch(label):
        return "thousands"
    return next((form for form, pattern in _PATTERNS if pattern.fullmatch(label)), "")
