"""Labels of classes and levels: the texts of the file, with whole numbers written in one way."""

import re
from collections.abc import Iterable

import pandas as pd

from boostbench.data.text_format import TextFormat

# Beyond it, float64 does not hold every whole number.
_LARGEST_WHOLE = 2.0**53
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")


def are_numbers(labels: Iterable[str], texts: TextFormat) -> bool:
    """Return whether labels are numbers, and none of them is a code.

    Codes are 007 and numbers of so many digits that float64 does not tell them apart.
    """
    for label in labels:
        number = texts.number(label)
        if number is None or abs(number) > _LARGEST_WHOLE or _LEADING_ZERO.match(label):
            return False
    return True


def sorted_labels(labels: Iterable[str], texts: TextFormat) -> list[str]:
    """Return labels in their order: as numbers if all of them are, else as texts."""
    ordered = sorted(labels)
    numbers = {label: number for label in ordered if (number := texts.number(label)) is not None}
    return ordered if len(numbers) < len(ordered) else sorted(ordered, key=numbers.__getitem__)


def as_labels(column: pd.Series, texts: TextFormat) -> tuple[pd.Series, list[str]]:
    """Return the texts of a column as labels, and which texts count as one, as in "1 = 1.0".

    In a column of numbers, whole numbers are written without a point and a sign of their own: 1.0
    and +1 are 1. All other texts stay as they are, 007 and 7.10 too.
    """
    known = list(column.dropna().unique())
    if not are_numbers(known, texts):
        return column, []
    point = re.escape(texts.decimal)
    short = {text: _whole(re.sub(rf"^([-+]?[0-9]+){point}0*$", r"\1", text)) for text in known}
    first: dict[str, str] = {}
    merged = [
        f"{first[label]} = {text}"
        for text, label in short.items()
        if first.setdefault(label, text) != text
    ]
    return column.map(short).astype("str"), merged


def _whole(text: str) -> str:
    return "0" if text == "-0" else text.removeprefix("+")
