"""The numbers of a printed cell: their digits, their spreads, and what is doubtful in them."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
    text = _with_spread(text)
    for form, doubt in _FORMS:
        if found := re.fullmatch(form, text):
            parts = {name: part or "" for name, part in found.groupdict().items()}
            return _number(defaultdict(str, parts), doubt)
    return None


def _with_spread(text: str) -> str:
    """Return 0.123(4), in which the last digits are uncertain, as (0.123 ± 0.004)."""
    found = re.fullmatch(r"([-+]?\d*\.(\d+))\((\d+)\)(%?)((?:e[-+]?\d+)?)", text)
    if found is None or len(found[3]) > len(found[2]) + 1:
        return text
    places = len(found[2])
    return f"({found[1]} ± {int(found[3]) / 10**places:.{places}f}){found[4]}{found[5]}"


_DoubtOf = Callable[[str, str], str]
"""Returns the doubt of a number with these digits and those of its spread."""


def _number(parts: Mapping[str, str], doubt: str | _DoubtOf) -> Number:
    """Return a number of the parts of its form, "" for those that the form does not have."""
    value = _without_commas(parts["bound"] + parts["value"] + parts["factor"])
    spread = _without_commas(parts["spread"] + parts["factor"])
    if parts["above"]:
        spread = _without_commas(f"{parts['above']} {parts['below']}")
    if parts["open"]:
        spread = f"{parts['open']}{parts['low']}, {parts['high']}{parts['close']}"
    why = doubt if isinstance(doubt, str) else doubt(parts["value"], parts["spread"])
    return Number(value, spread, why, "%" in parts.values())


def _without_commas(digits: str) -> str:
    return digits.replace(",", "").rstrip(".")


def _doubt_of_factor(value: str, spread: str) -> str:
    """Return that a factor behind the spread may be the value's, too."""
    return FACTOR if "e" in spread and "e" not in value else ""


def _doubt_in_parentheses(value: str, spread: str) -> str:
    """Return what a number in parentheses may be: a change, a rank, or the last digits."""
    if "." in value and re.fullmatch(r"\d+", spread):
        return SMALL_NUMBER
    return CHANGE if spread[0] in "+-" else ""


_VALUE, _SPREAD = rf"(?P<value>{_NUMBER})", rf"(?P<spread>{_NUMBER})"
_UNIT, _PERCENT = rf"\s*(?P<unit>{_UNITS})?", r"\s*(?P<percent>%)?"
_BEHIND = rf"[(\[]?{_PLUS_MINUS}\s*\(?\s*{_SPREAD}\s*"
_ABOVE, _BELOW = r"\^\{\s*(?P<above>\+[^{}]*)\}", r"_\{\s*(?P<below>-[^{}]*)\}"
_ENDS = rf"(?P<low>{_NUMBER})\s*%?\s*(?:[,;–—]|to|--|-)\s*(?P<high>{_NUMBER})\s*%?"
_WORD = r"\s*[_^]\{[^{}]*\}|\s*\([^()]{1,20}\)|\s*[↑↓▲▼⇑⇓△▽+-]\s*[\d.]+\s*%?|\s+[^\W\d][\w.]{0,15}"
_FORMS: Sequence[tuple[str, str | _DoubtOf]] = (
    # A number, with its unit or its bound.
    (rf"[$€£×]?\s*{_VALUE}{_UNIT}", ""),
    (rf"(?:p\s*)?(?P<bound>[<>≤≥~≈≪≫∼]=?)\s*{_VALUE}{_UNIT}", BOUND),
    # a ± s, (a ± s)e-3, ± s alone, and a ± without a spread.
    (
        rf"{_VALUE}{_UNIT}\s*{_BEHIND}(?P<inner>{_UNITS})?\s*[)\]]?\s*(?P<outer>{_UNITS})?",
        _doubt_of_factor,
    ),
    (
        rf"\(\s*{_VALUE}\s*{_PLUS_MINUS}\s*{_SPREAD}\s*\){_PERCENT}(?P<factor>e[-+]?\d+)?",
        "",
    ),
    (rf"{_BEHIND}(?:{_UNITS})?\s*[)\]]?", ""),
    (rf"(?i:{_VALUE}{_UNIT}\s*{_PLUS_MINUS}\s*(?:-+|–|—|n/?a|nan)?)", ""),
    # a (s), and (s) alone.
    (
        rf"{_VALUE}{_PERCENT}\s*[(\[]\s*{_SPREAD}\s*(?:{_UNITS})?\s*[)\]]\s*(?P<outer>%)?",
        _doubt_in_parentheses,
    ),
    (rf"\(\s*{_SPREAD}\s*\)", ""),
    # a [lo, hi], a (lo, hi) and a (lo-hi), and a with different spreads above and below.
    (
        rf"{_VALUE}{_PERCENT}\s*(?P<open>[(\[])\s*(?:95\s?%\s*(?:CI)?:?\s*)?{_ENDS}\s*"
        r"(?P<close>[)\]])",
        "",
    ),
    (rf"{_VALUE}\s*{_ABOVE}\s*{_BELOW}", TWO_SIDES),
    (rf"{_VALUE}\s*{_BELOW}\s*{_ABOVE}", TWO_SIDES),
    # Another number that is set low, high or small beside it.
    (rf"{_VALUE}{_PERCENT}\s*_\{{\s*\(?{_SPREAD}\)?\s*%?\s*\}}", SMALL_NUMBER),
    (rf"{_VALUE}{_PERCENT}\s+{_SPREAD}\s*%?", SMALL_NUMBER),
    (rf"{_VALUE}{_PERCENT}\s*\^\{{\s*[-+]?[\d,.]+\s*%?\s*\}}", RAISED_DIGIT),
    # A word, an arrow or a change behind it.
    (rf"{_VALUE}{_PERCENT}(?:\s*{_PLUS_MINUS}\s*{_SPREAD})?(?:{_WORD})", WORD_BESIDE),
)


def have_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether the commas of a table's cells are those of decimals."""
    if any(re.search(r"\d\.\d", text) for text in texts):
        return False
    with_comma = [text for text in texts if re.match(r"[-+]?\d+,\d+(?![\d,])", text)]
    return not all(re.match(r"[-+]?[1-9]\d{0,2},\d{3}(?!\d)", text) for text in with_comma)
