"""What the texts of a column are: numbers in another notation, mistyped, names or levels."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from enum import Enum, auto

import pandas as pd

from boostbench.data.text_format import TextFormat, looks_like_number

FEW_LEVELS = 20
# So many numbers beside at most one other value, or one in a hundred: that is mistyped. If it has
# letters for digits, one in ten.
_MANY_NUMBERS, _RARE = 20, 100
_LIKE_DIGITS = str.maketrans("OolI", "0011")
_WHOLE = re.compile(r"[0-9]+")
_ZERO_FIRST = re.compile(r"0[0-9]+")
_CODE = re.compile(r"[^\W_]*[0-9][^\W_]*")
_STANDS_FOR_MISSING = re.compile(
    r"[-–—_.*?x#/\\ ]+|\\N|n[./ ]?a\.?|#[\w/]+[!?]"
    r"|nan|nil|none|null|missing|unknown|undefined|empty",
    re.IGNORECASE,
)


class TextKind(Enum):
    """What the texts of a column are.

    ``NUMBERS``: at least half of the values are, in whichever notation, though they may be levels
    where there are only a few, and codes such as 136 and 136A; ``MISTYPED``: almost all of them
    are, and the others are texts, or have letters like digits (4O for 40); ``NAMES``: so many
    different texts that most are never both trained and tested on; ``LEVELS`` else.
    """

    NUMBERS = auto()
    MISTYPED = auto()
    NAMES = auto()
    LEVELS = auto()


def kind_of(column: pd.Series, texts: TextFormat) -> tuple[TextKind, pd.Series]:
    """Return the kind of a column of texts, and its values that are neither missing nor numbers."""
    counts = Counter(column.dropna())
    plain, marked, others = _by_notation(counts, texts)
    odd = column.isin(marked | others)
    total = counts.total()
    may_be_codes = not marked and _may_be_codes(plain, others, texts)
    may_be_gaps = all(map(_STANDS_FOR_MISSING.fullmatch, others))
    may_be_levels = len(counts) <= FEW_LEVELS and not (marked or may_be_gaps)
    n_odd = int(odd.sum())
    if not (marked or may_be_gaps) and _is_rare(n_odd, total, others, texts):
        return TextKind.MISTYPED, odd
    if may_be_codes or 2 * sum(counts[text] for text in others) > total:
        are_names = len(counts) > max(FEW_LEVELS, total // 2)
        return (TextKind.NAMES if are_names else TextKind.LEVELS), odd
    return (TextKind.LEVELS if may_be_levels else TextKind.NUMBERS), odd


def are_codes(words: Collection[str]) -> bool:
    """Return whether texts are whole numbers, of which some begin with a zero, such as 007."""
    return any(map(_ZERO_FIRST.fullmatch, words)) and all(map(_WHOLE.fullmatch, words))


def _by_notation(words: Iterable[str], texts: TextFormat) -> tuple[set[str], set[str], set[str]]:
    """Return the numbers in the notation of ``texts``, those in others, and what is no number."""
    plain: set[str] = set()
    marked: set[str] = set()
    others: set[str] = set()
    for text in words:
        if texts.number(text) is not None:
            plain.add(text)
        elif looks_like_number(text):
            marked.add(text)
        else:
            others.add(text)
    return plain, marked, others


def _may_be_codes(plain: Iterable[str], others: Iterable[str], texts: TextFormat) -> bool:
    """Return whether ``plain`` numbers are whole, and ``others`` are as 136A is beside 136."""
    if not all(map(_CODE.fullmatch, others)):
        return False
    return all(float(texts.number(text) or 0).is_integer() for text in plain)


def _is_rare(n_odd: int, total: int, others: Iterable[str], texts: TextFormat) -> bool:
    """Return whether so few of the values are no numbers that these are mistyped."""
    are_misread = all(texts.number(text.translate(_LIKE_DIGITS)) is not None for text in others)
    most = total // 10 if are_misread else max(1, total // _RARE)
    return total - n_odd >= _MANY_NUMBERS and n_odd <= most
