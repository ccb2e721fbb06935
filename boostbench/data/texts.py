"""What the texts of a column are: numbers that are written otherwise, dates, names, categories."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.data.numbers import PLAIN, NumberFormat, formats_of, may_be_number

FEW_LEVELS = 20
"""A column of at most so many different texts is one of categories, however few its rows."""

_AMOUNT = "[+-]?(?:[0-9][0-9.,'’ \u00a0\u2009\u202f]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_CURRENCY = "(?:[$¢£¥฿\u20a0-\u20cf]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)(?![A-Za-z]))"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_PATTERNS = [
    ("currency", rf"[+-]?{_CURRENCY} ?{_AMOUNT}|{_AMOUNT} ?{_CURRENCY}|\({_CURRENCY}{_AMOUNT}\)"),
    ("parentheses", rf"\({_AMOUNT}\)"),
    ("percent", rf"{_AMOUNT} ?%"),
    ("dash", rf"[−–—] ?{_AMOUNT} ?%?"),
    ("apostrophe", rf"['’]{_AMOUNT}"),
    (
        "date",
        r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?"
        r"|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2,4}(?: [0-9:.]+(?: ?[AaPp][Mm])?)?"
        r"|[0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?|(?:19|20)[0-9]{2}[-/](?:0[1-9]|1[0-2])"
        rf"|[0-9]{{1,2}}[-/ ](?i:{_MONTHS})[a-z]*[-/ ][0-9]{{2,4}}",
    ),
    ("slash", r"[+-]?(?:[0-9]+ )?[0-9]+ ?/ ?[0-9]+"),
    ("bound", rf"(?:[<>]=?|[≤≥~≈±]) ?{_AMOUNT}"),
    ("misplaced", _AMOUNT),
    ("hexadecimal", r"[+-]?0[xX][0-9a-fA-F]+"),
    ("underscore", r"[+-]?[0-9]{1,3}(?:_[0-9]{3})+"),
    ("formula", rf'="{_AMOUNT}"'),
    ("digits", r"[+-]?\d[\d.,]*"),
    ("unit", rf"{_AMOUNT} ?°?(?:[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?)?"),
]
_COMPILED = [(form, re.compile(pattern)) for form, pattern in _PATTERNS]
_WRITTEN = (
    "decimal", "comma", "thousands", "currency", "parentheses", "percent", "dash", "apostrophe",
    "slash", "hexadecimal", "underscore", "formula", "digits",
)  # fmt: skip
_MEASURE = re.compile(r"[0-9.,] |(?:[kKmcµ]?[gmlLWVA]|lbs?|oz|ft|mi|[mk]?s|min|h|°.*)$")
_TRUTH = re.compile("true|false|yes|no", re.IGNORECASE)
_DIGIT = re.compile("[0-9]")
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
    ``comma`` that may be either, and those of ``_PATTERNS``. ``readable`` are the formats in which
    all numbers of the first three kinds, and plain ones, can be read; None where there is none of
    these kinds. ``others`` are the different other texts, with the first row of each, ``n_others``
    values. ``codes``: whole numbers, some with letters, such as 136 and 136A.
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
    readable: frozenset[NumberFormat] | None

    @property
    def others_are_missing(self) -> bool:
        """Whether the other texts are those that mean a missing value."""
        return all(_STANDS_FOR_MISSING.fullmatch(text) for text in self.others)

    @property
    def others_may_be_missing(self) -> bool:
        """Whether the other texts may mean a missing value: no truth value, nothing with digits."""
        return all(
            _STANDS_FOR_MISSING.fullmatch(text)
            or not (_TRUTH.fullmatch(text) or _DIGIT.search(text))
            for text in self.others
        )

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


def describe(labels: NDArray[np.object_], number_format: NumberFormat = PLAIN) -> Texts:
    """Return what (n,) ``labels`` hold, at least one of which is there and no plain number."""
    counts = Counter(label for label in labels if label is not None)
    rows: dict[str, int] = {}
    for row, label in enumerate(labels):
        if label is not None and label not in rows:
            rows[label] = row
    bare = _without_percent(counts)
    numbers = {label: number_format.number(text) for label, text in bare.items()}
    odd = [label for label, number in numbers.items() if number is None]
    marked = {label for label in odd if may_be_number(bare[label])}
    readable = None
    if marked:
        plain = (bare[label] for label, number in numbers.items() if number is not None)
        readable = formats_of(plain, formats_of(bare[label] for label in marked))
    by_format: dict[str, list[str]] = {}
    for label in odd:
        if label in marked:
            form = _marks_in(bare[label], readable or formats_of([bare[label]]))
        else:
            form = _format_of(label)
        by_format.setdefault(form, []).append(label)

    def count(found: Collection[str]) -> int:
        return sum(counts[label] for label in found)

    n_known = count(counts)
    written = [form for form in _WRITTEN if by_format.get(form)]
    units = by_format.get("unit", [])
    # Few values with a unit, such as 2wd and 4wd, are rather categories; 136A and 136B codes.
    one_unit = len(set(map(_unit, units))) == 1
    measured = len(counts) > FEW_LEVELS or all(_MEASURE.search(label) for label in units)
    if one_unit and 2 * count(units) >= n_known and measured:
        written.append("unit")
    # Where most values are such, as <50 and >=50 or 1.2.3 and 1.2.4, they are categories.
    if 2 * (n_known - count(odd)) >= n_known:
        written += [form for form in ("bound", "misplaced") if by_format.get(form)]
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
        readable=readable,
    )


def _without_percent(labels: Collection[str]) -> dict[str, str]:
    """Return each label without its percent sign, where all have one."""
    if all(label.endswith("%") for label in labels):
        return {label: label[:-1].rstrip() for label in labels}
    return {label: label for label in labels}


def _marks_in(text: str, formats: Collection[NumberFormat]) -> str:
    """Return what the marks in ``text`` are in ``formats``, each of which reads it."""
    grouped = {form.is_grouped(text) for form in formats}
    return "comma" if len(grouped) > 1 else "thousands" if True in grouped else "decimal"


def _unit(label: str) -> str:
    return label.lstrip("+-0123456789.,'’ \u00a0\u2009\u202f").strip()


def are_names(n_levels: int, n_known: int) -> bool:
    """Return whether so many different values are too many to be categories.

    With fewer than two rows a value, most of them are never both trained and tested on.
    """
    return n_levels > max(FEW_LEVELS, n_known // 2)


@dataclass(frozen=True)
class Converted:
    """(n,) numbers that were read from texts of a ``kind``: ``true and false``, ``percentages``."""

    values: NDArray[np.float64]
    kind: str
    formats: frozenset[NumberFormat] | None = None


def convert(labels: NDArray[np.object_], number_format: NumberFormat = PLAIN) -> Converted | None:
    """Return labels that are all true or false (or 1 and 0), or all percentages (72 for 72%).

    None: they are neither.
    """
    known = {label for label in labels if label is not None}
    if any(is_truth(label) for label in known):
        truth = {label: _truth(label) for label in known}
        if None in truth.values():
            return None
        return Converted(_values(labels, truth), "true and false")
    bare = _without_percent(known)
    numbers = {label: number_format.number(text) for label, text in bare.items()}
    if not known or None in numbers.values() or all(text == label for label, text in bare.items()):
        return None
    return Converted(_values(labels, numbers), "percentages", formats_of(bare.values()))


def is_truth(label: str) -> bool:
    """Return whether ``label`` is ``true`` or ``false``, in capitals or not."""
    return label.casefold() in ("true", "false")


def _truth(label: str) -> float | None:
    if is_truth(label):
        return float(label.casefold() == "true")
    number = PLAIN.number(label)
    return number if number in (0.0, 1.0) else None


def _values(labels: NDArray[np.object_], found: Mapping[str, float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if x is None else found[x] for x in labels], dtype=np.float64)


def _format_of(label: str) -> str:
    """Return how a text that is no number in any format is written, empty if it is none at all."""
    return next((form for form, pattern in _COMPILED if pattern.fullmatch(label)), "")
