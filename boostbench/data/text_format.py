"""How texts write numbers, missing values and dates."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

# The marks that pandas reads as missing, with ARFF's "?" and KEEL's "<null>".
MISSING = frozenset(
    {
        *("", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>"),
        *("NaN", "nan", "NAN", "Nan", "-NaN", "-nan"),
        *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
        *("NULL", "null", "None"),
    }
)
# What is missing however the key na_values is set.
EMPTY = frozenset({""})
# Beside the blank: no-break, thin and narrow no-break spaces; beside ', the one of typesetting.
THOUSANDS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
_CURRENCY = "$¢£¥฿\u20a0-\u20cf"
_IN_ANY_NOTATION = re.compile(
    rf"[-+−–—(='’\"]{{0,3}}[{_CURRENCY}]? ?"
    r"(?:\d+(?:[.,'’\s]\d{3})*(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
    rf" ?[{_CURRENCY}%)\"]{{0,2}}"
)
_IN_ANY_GROUPS = re.compile(
    rf"[-+]?[{_CURRENCY}]?\s?[0-9][0-9.,' ]*(?:[eE][-+]?[0-9]+)?\s?[{_CURRENCY}%]?"
)

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:1[5-9]|2\d)\d\d"
MONTH_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[-+]\d{2}:?\d{2}))?"
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[,.]? +"
_DATE = re.compile(
    rf"(?:{WEEKDAY})?(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"
    rf"|{_DAY}([-/.]){_DAY}\2{_YEAR}"
    rf"|{_DAY}/{_DAY}/\d\d"
    rf"|{_DAY}\.?[- ]?{MONTH_NAME}[-, ]*(?:{_YEAR}|\d\d)"
    rf"|{MONTH_NAME} {_DAY},? {_YEAR})"
    rf"(?:[t ]+{_TIME})?"
    # As ISO 8601 has it without marks; without a time it would be a number.
    r"|(?:1[5-9]|2\d)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])t\d{4}(?:\d\d)?z?",
    re.IGNORECASE,
)


def looks_like_number(text: str, *, any_groups: bool = False) -> bool:
    """Return whether a text is a number in some notation.

    That may be the notation of another country, in brackets or quotes, with a currency sign or a
    percent sign. With ``any_groups`` the digits may be in groups of any size, as in a date such as
    1.2.2020 or in a version, but in neither brackets nor quotes: '90 may be a name.
    """
    pattern = _IN_ANY_GROUPS if any_groups else _IN_ANY_NOTATION
    return pattern.fullmatch(text) is not None


@dataclass(frozen=True)
class TextFormat:
    """How texts write numbers and missing values.

    ``decimal`` is ``.`` or ``,``; ``thousands`` is a key of ``THOUSANDS``, or empty, and separates
    groups of three digits (or, as in India, groups of two before the last three).
    """

    decimal: str = "."
    thousands: str = ""
    missing: frozenset[str] = MISSING

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        mark = THOUSANDS[self.thousands]
        threes = rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
        twos = rf"[1-9][0-9]?(?:{mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
        rest = rf"(?:{re.escape(self.decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"[+-]?(?:{threes}|{twos}){rest}")

    def number(self, text: str) -> float | None:
        """Return ``text`` as a number, None if it is none."""
        if self.thousands and self._grouped.fullmatch(text):
            text = re.sub(THOUSANDS[self.thousands], "", text)
        if self.decimal == ",":
            text = text.translate({ord(","): ".", ord("."): ","})
        return float(text) if _NUMBER.fullmatch(text) else None

    def numbers(self, texts: "pd.Series") -> "pd.Series | None":
        """Return texts as numbers, NaN where missing; None if one is no number."""
        known = {text: self.number(text) for text in texts.dropna().unique()}
        return None if None in known.values() else texts.map(known).astype(np.float64)


PLAIN = TextFormat()


def is_date(text: str) -> bool:
    """Return whether a text is a date, with or without a time."""
    return _DATE.fullmatch(text) is not None


def date_rows(column: "pd.Series") -> "pd.Series":
    """Return in which rows a column of texts has dates; in none if most values are none."""
    known = column.dropna()
    dates = {text for text in known.unique() if is_date(text)}
    rows = column.isin(dates)
    return rows if 2 * rows.sum() > len(known) else rows & False
