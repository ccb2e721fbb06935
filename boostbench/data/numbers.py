"""Numbers as texts write them: the decimal mark, the thousands separator, and which ones fit."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

THOUSANDS = (",", ".", " ", "'")
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
# Beside the blank: no-break, thin and narrow no-break spaces; beside ', the one of typesetting.
_MARKS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}
_MAY_BE_NUMBER = re.compile(
    "[+-]?[0-9.,][0-9.,'’ \u00a0\u2009\u202f]*(?:[eE][+-]?[0-9]+)?", re.IGNORECASE
)


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written.

    ``decimal`` is the mark between the whole and the fraction, ``.`` or ``,``. ``thousands``
    separates groups of three digits in the whole, or the groups of two before the last three that
    India writes: one of ``THOUSANDS``, or empty where there is no such mark.
    """

    decimal: str = "."
    thousands: str = ""

    def number(self, text: str) -> float | None:
        """Return the number that ``text`` is, None if it is none."""
        if self.is_grouped(text):
            text = re.sub(_MARKS[self.thousands], "", text)
        if self.decimal == ",":
            if "." in text:
                return None
            text = text.replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text) else None

    def is_grouped(self, text: str) -> bool:
        """Return whether ``text`` is a number with a thousands separator in it."""
        return bool(self.thousands) and (
            _grouped(self.decimal, self.thousands).fullmatch(text) is not None
        )


PLAIN = NumberFormat()
FORMATS = tuple(
    NumberFormat(decimal, thousands)
    for decimal in (".", ",")
    for thousands in ("", *THOUSANDS)
    if thousands != decimal
)


@lru_cache(maxsize=32)
def _grouped(decimal: str, thousands: str) -> re.Pattern[str]:
    mark = _MARKS[thousands]
    threes = rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
    twos = rf"[1-9][0-9]?(?:{mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
    fraction = rf"(?:{re.escape(decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    return re.compile(rf"[+-]?(?:{threes}|{twos}){fraction}")


def formats_of(
    texts: Iterable[str], among: Iterable[NumberFormat] = FORMATS
) -> frozenset[NumberFormat]:
    """Return the formats, of those in ``among``, in which each of ``texts`` is a number."""
    found = frozenset(among)
    for text in texts:
        if not (text.isascii() and text.isdigit()):
            found = frozenset(form for form in found if form.number(text) is not None)
    return found


def may_be_number(text: str) -> bool:
    """Return whether ``text`` is a number in some format."""
    return bool(_MAY_BE_NUMBER.fullmatch(text)) and bool(formats_of([text]))


def same_marks(decimal: str) -> str:
    """Return a sentence on marks that are both ``decimal``, with the keys that would be right."""
    other = "," if decimal == "." else "."
    return (
        f"'decimal' and 'thousands' are both {decimal!r} but must differ; beside "
        f"'thousands: \"{decimal}\"' set 'decimal: \"{other}\"'"
    )


def fitting(formats: Iterable[NumberFormat], now: NumberFormat) -> list[NumberFormat]:
    """Return the simplest of ``formats`` for each decimal mark, beginning with that of ``now``.

    The simplest has the thousands separator of ``now``, else none, if it is among them.
    """
    order = [now.thousands, "", *THOUSANDS]
    best: dict[str, NumberFormat] = {}
    for form in sorted(formats, key=lambda f: (f.decimal != now.decimal, order.index(f.thousands))):
        best.setdefault(form.decimal, form)
    return list(best.values())
