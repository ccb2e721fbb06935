"""The numbers of a printed cell: their digits, their spreads, and what is doubtful in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from boostbench.papers.latex.text import CITED, UNKNOWN

BOUND = "bound"
WORD_BESIDE = "word beside number"
CHANGE = "difference in parentheses"
SMALL_NUMBER = "second number"
RAISED_DIGIT = "raised digit"
TWO_SIDES = "spread with two sides"
FACTOR = "factor of one number or both"

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?\.?"
_NUMBER = rf"[-+]?(?=\.?\d){_DIGITS}"
_PLUS_MINUS = r"(?:±|\+/-|\+-)"
_MISSING = re.compile(
    r"[-–—‒\s]*|n\.?\s?/?\s?a\.?|nan|none|null|\?+|[x✗×✓]|oom|oot|dnf|nr|n\.?r\.?|fail(ed)?"
    r"|time-?out|t/o|\(?(crash|oom|fail|n/a|na|-+)\w*\)?|…|\.\.\.|\*+|/|·|∞|inf",
    re.I,
)
_MARK = re.compile(
    r"\^\{[^{}]*[*†‡§¶⋆★#•△▽◦∗a-zA-Z↑↓⋄■□∙⇑⇓][^{}±]*\}|\^\{\}|_\{\}"
    r"|(?<=[\d)%])\s*[*∗†‡§¶⋆★]+|^[*∗†‡]+\s*(?=[-+.\d])|[↑↓▲▼⇑⇓](?=\s*$)|(?<=\d)\s*[✓✗](?=\s*$)"
)
_UNITS = (
    r"%|×|x|[kKmMBbGT]|[KMGTkmg]i?[bB]|ns|µs|μs|us|ms|s|secs?\.?|seconds?|m|mins?\.?|minutes?|h"
    r"|hr?s?\.?|hours?|d|days?|dB|°C?|\^\{°\}|[mckµ]m|px|pp|pts?|Hz|[kMG]Hz|J|W|fps|FPS|FLOPs|GFLOPs"
)
_SPACES = {0x2212: "-", 0x2010: "-", 0x2011: "-", 0x00A0: " ", 0x202F: " "}


@dataclass(frozen=True)
class Number:
    """A printed number: its digits and those of its spread, and a doubt where it is not sure."""

    value: str
    spread: str = ""
    doubt: str = ""
    is_percent: bool = False
    part: int = 0  # of several numbers in a cell, from 1


@lru_cache(maxsize=10_000)
def read_numbers(text: str, decimal_comma: bool = False) -> Sequence[Number] | None:
    """Return the numbers of a cell: none where it says that there is none, ``None`` for text.

    A number without a value is a spread that stands alone.
    """
    text = _normal(text, decimal_comma)
    if _MISSING.fullmatch(text):
        return ()
    alone = _read_one(text)
    if alone is not None:
        return (alone,)
    return _read_several(text)


def _read_several(text: str) -> Sequence[Number] | None:
    """Return the numbers of a cell with slashes or bars between them."""
    pieces = re.split(r"\s*[/|\\]\s*", text)
    if len(pieces) < 2:
        return None
    found = []
    for part, piece in enumerate(pieces, 1):
        number = _read_one(piece)
        if number is not None and number.value:
            found.append(replace(number, part=part))
        elif not _MISSING.fullmatch(piece):
            return None
    return tuple(found) or None


def _normal(text: str, decimal_comma: bool) -> str:
    """Return a cell's text with one sign for each thing, without marks and unknown commands."""
    text = re.sub(f"{CITED}[^{CITED}]*{CITED}", "", UNKNOWN.sub(" ", text)).translate(_SPACES)
    text = re.sub(r"(?<=\d)\N{THIN SPACE}(?=\d{3}(?!\d))", "", text)
    text = text.replace("\N{THIN SPACE}", " ").strip()
    text = re.sub(r"^(?:–|--)\s*(?=[\d.])", "-", text)
    text = _MARK.sub("", text).strip()
    # A spread may be set high or low.
    text = re.sub(rf"[\^_]\{{\s*({_PLUS_MINUS}.*?|\(.*?\))\s*\}}", r" \1", text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text) if decimal_comma else text
    text = re.sub(r"(?<=[-+±])\s+(?=[\d.])", "", text)
    return _with_exponents(text)


def _with_exponents(text: str) -> str:
    """Return a text with 3.1e-3 for every 3.1 × 10^{-3}, and 1e-3 for 10^{-3}."""
    text = re.sub(r"\s*[×·∙]\s*10\^\{([-+]?\d+)\}", r"e\1", text)
    text = re.sub(r"(?<![\d.])10\^\{([-+]?\d+)\}", r"1e\1", text)
    return re.sub(r"(?<=\d)E(?=[-+]?\d)", "e", text)


def _read_one(text: str) -> Number | None:
    """Return the only number of a text; ``None`` if it is not one number."""
    for read in (_plain, _plus_minus, _in_parentheses, _interval, _uncertain, _beside_words):
        found = read(text)
        if found is not None:
            return replace(
                found, value=_without_commas(found.value), spread=_without_commas(found.spread)
            )
    return None


def _without_commas(digits: str) -> str:
    return digits if digits[:1] in ("[", "(") else digits.replace(",", "").rstrip(".")


def _plain(text: str) -> Number | None:
    """Read a number, with its unit or its bound."""
    found = re.fullmatch(rf"[$€£×]?\s*({_NUMBER})\s*({_UNITS})?", text)
    if found:
        return Number(found[1], is_percent=found[2] == "%")
    found = re.fullmatch(rf"(?:p\s*)?([<>≤≥~≈≪≫∼]=?)\s*({_NUMBER})\s*({_UNITS})?", text)
    return Number(found[1] + found[2], doubt=BOUND, is_percent=found[3] == "%") if found else None


def _plus_minus(text: str) -> Number | None:
    """Read ``a ± s``, ``(a ± s)e-3`` and ``± s`` alone."""
    unit = rf"\s*({_UNITS})?"
    spread = rf"[(\[]?{_PLUS_MINUS}\s*\(?\s*({_NUMBER}){unit}\s*[)\]]?"
    found = re.fullmatch(rf"({_NUMBER}){unit}\s*{spread}{unit}", text)
    if found:
        return _of_one_scale(found[1], found[3], "%" in (found[2], found[4], found[5]))
    in_parentheses = rf"\(\s*({_NUMBER})\s*{_PLUS_MINUS}\s*({_NUMBER})\s*\)"
    found = re.fullmatch(rf"{in_parentheses}\s*(%)?(e[-+]?\d+)?", text)
    if found:
        factor = found[4] or ""
        return Number(found[1] + factor, found[2] + factor, is_percent=bool(found[3]))
    found = re.fullmatch(spread, text)
    if found:
        return Number("", found[1])
    found = re.fullmatch(rf"({_NUMBER}){unit}\s*{_PLUS_MINUS}\s*(?:-+|–|—|n/?a|nan)?", text, re.I)
    return Number(found[1], is_percent=found[2] == "%") if found else None


def _of_one_scale(value: str, spread: str, is_percent: bool) -> Number:
    """Return a number; it is doubtful whether a factor of the spread is the value's, too."""
    has_factor = "e" in spread and "e" not in value
    doubt = FACTOR if has_factor else ""
    return Number(value, spread, doubt, is_percent)


def _in_parentheses(text: str) -> Number | None:
    """Read ``a (s)``, ``a(13)`` of the last digits, and ``(s)`` alone."""
    found = re.fullmatch(r"([-+]?\d*\.\d+)\((\d+)\)(%)?(e[-+]?\d+)?", text)
    if found:
        places = len(found[1].partition(".")[2])
        if len(found[2]) <= places + 1:
            factor = found[4] or ""
            spread = f"{int(found[2]) / 10**places:.{places}f}"
            return Number(found[1] + factor, spread + factor, is_percent=bool(found[3]))
    found = re.fullmatch(
        rf"({_NUMBER})\s*(%)?\s*[(\[]\s*({_NUMBER})\s*({_UNITS})?\s*[)\]]\s*(%)?", text
    )
    if found:
        doubt = CHANGE if found[3][0] in "+-" else ""
        if "." in found[1] and re.fullmatch(r"\d+", found[3]):
            doubt = SMALL_NUMBER  # a rank, or the last digits
        return Number(found[1], found[3], doubt, "%" in (found[2], found[5]))
    found = re.fullmatch(rf"\(\s*({_NUMBER})\s*\)", text)
    return Number("", found[1]) if found else None


def _interval(text: str) -> Number | None:
    """Read ``a [lo, hi]``, ``a (lo, hi)`` and ``a (lo-hi)``."""
    ends = rf"({_NUMBER})\s*%?\s*(?:[,;–—]|to|--|-)\s*({_NUMBER})\s*%?"
    found = re.fullmatch(
        rf"({_NUMBER})\s*(%)?\s*([(\[])\s*(?:95\s?%\s*(?:CI)?:?\s*)?{ends}\s*([)\]])", text
    )
    if found:
        interval = f"{found[3]}{found[4]}, {found[5]}{found[6]}"
        return Number(found[1], interval, is_percent=bool(found[2]))
    above, below = r"\^\{\s*(\+[^{}]*)\}", r"_\{\s*(-[^{}]*)\}"
    found = re.fullmatch(rf"({_NUMBER})\s*{above}\s*{below}", text)
    if found:
        return Number(found[1], f"{found[2]} {found[3]}", doubt=TWO_SIDES)
    found = re.fullmatch(rf"({_NUMBER})\s*{below}\s*{above}", text)
    if found:
        return Number(found[1], f"{found[3]} {found[2]}", doubt=TWO_SIDES)
    return None


def _uncertain(text: str) -> Number | None:
    """Read a number with another one that is set low, high or small beside it."""
    found = re.fullmatch(rf"({_NUMBER})\s*(%)?\s*_\{{\s*\(?({_NUMBER})\)?\s*%?\s*\}}", text)
    if found:
        return Number(found[1], found[3], SMALL_NUMBER, bool(found[2]))
    found = re.fullmatch(rf"({_NUMBER})\s*(%)?\s+({_NUMBER})\s*%?", text)
    if found:
        return Number(found[1], found[3], SMALL_NUMBER, bool(found[2]))
    found = re.fullmatch(rf"({_NUMBER})\s*(%)?\s*\^\{{\s*([-+]?[\d,.]+)\s*%?\s*\}}", text)
    return Number(found[1], "", RAISED_DIGIT, bool(found[2])) if found else None


def _beside_words(text: str) -> Number | None:
    """Read a number with a word, an arrow or a change behind it."""
    beside = (
        r"\s*[_^]\{[^{}]*\}|\s*\([^()]{1,20}\)|\s*[↑↓▲▼⇑⇓△▽+-]\s*[\d.]+\s*%?|\s+[^\W\d][\w.]{0,15}"
    )
    found = re.fullmatch(
        rf"({_NUMBER})\s*(%)?(?:\s*{_PLUS_MINUS}\s*({_NUMBER}))?(?:{beside})", text
    )
    if found:
        return Number(found[1], found[3] or "", WORD_BESIDE, bool(found[2]))
    return None


def have_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether the commas of a table's cells are those of decimals."""
    if any(re.search(r"\d\.\d", text) for text in texts):
        return False
    return any(not re.match(r"[-+]?[1-9]\d{0,2},\d{3}(?!\d)", text) for text in _with_comma(texts))


def _with_comma(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if re.match(r"[-+]?\d+,\d+(?![\d,])", text):
            yield text
