"""Labels of classes and levels: the texts of the file, with whole numbers written in one way.

Labels are compared as text: those that a user would take for one class are never put together, but
reported, as are classes of few rows.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from boostbench.data.dataset import Dataset
from boostbench.data.splits import Split
from boostbench.data.table import TEXT, in_one_form
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.grouping import grouped
from boostbench.suggest import counted, listing

_MOST_NAMED = 8
_TRUTH = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("1", "0"))
# Soft hyphens, zero width characters, marks of direction and of byte order.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
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


def in_order(labels: Sequence[str], texts: TextFormat) -> Sequence[str]:
    """Return labels, sorted as texts, in the order of their numbers if all of them are numbers."""
    numbers = {label: number for label in labels if (number := texts.number(label)) is not None}
    return labels if len(numbers) < len(labels) else sorted(labels, key=numbers.__getitem__)


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
    return column.map(short).astype(TEXT), merged


def _whole(text: str) -> str:
    return "0" if text == "-0" else text.removeprefix("+")


def mixed_truth(labels: Iterable[str]) -> bool:
    """Return whether the labels have both true or false and 1 or 0."""
    lower = {label.casefold() for label in labels}
    return bool(lower & {"true", "false"}) and any(PLAIN.number(one) in (0, 1) for one in lower)


def near_equal(labels: Sequence[str]) -> list[list[str]]:
    """Return labels that differ only in case, blanks, a trailing dot or unseen characters.

    The two encodings of an accented letter are unseen too.
    """

    def seen(label: str) -> str:
        return "".join(_UNSEEN.sub("", in_one_form(label)).split()).casefold().rstrip(".")

    return _alike(labels, seen)


def equal_numbers(labels: Sequence[str], texts: TextFormat = PLAIN) -> list[list[str]]:
    """Return labels that are one number, such as 1.5 and 1.50, where all labels are numbers."""
    return _alike(labels, texts.number) if are_numbers(labels, texts) else []


def _alike(labels: Sequence[str], key: Callable[[str], object]) -> list[list[str]]:
    """Return the labels that share their ``key`` with others, in groups."""
    groups = grouped((key(label), label) for label in labels).values()
    return [group for group in groups if len(group) > 1]


def truth_notations(labels: Sequence[str]) -> list[list[str]]:
    """Return the labels by their notation, if all mean true or false, in two or more notations."""
    notation = {word: pair for pair in _TRUTH for word in pair}
    by_notation = grouped((notation.get(label.casefold()), label) for label in labels)
    return list(by_notation.values()) if len(by_notation) > 1 and None not in by_notation else []


def doubtful_labels(labels: Sequence[str], texts: TextFormat = PLAIN) -> list[str]:
    """Return sentences on labels that may mean one class, if there are any."""
    unseen = "differ only in case, blanks, a trailing dot or characters that are not seen"
    doubts = {
        unseen: near_equal(labels),
        "are one number": equal_numbers(labels, texts),
        "say true and false in several ways": truth_notations(labels),
    }
    return [
        f"labels that {doubt}: {_in_groups(groups)} (each is a class of its own; write them in one "
        "way if they are one class)"
        for doubt, groups in doubts.items()
        if groups
    ]


def _in_groups(groups: Sequence[Sequence[str]]) -> str:
    return listing((" and ".join(map(repr, group)) for group in groups), _MOST_NAMED)


def counts_of_classes(dataset: Dataset) -> str:
    """Return the classes with their numbers of rows, as in ``2 classes: no 30, yes 10``."""
    counts = dataset.rows_by_class
    shown = listing(f"{_written(label)} {count:,}" for label, count in counts.items())
    kinds = "class" if len(counts) == 1 else "classes"
    return f"{len(counts):,} {kinds}: {shown}"


class Untrained:
    """Collects the classes that a split tests but does not train; see :attr:`sentences`."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        # The names of the splits by the label of the class.
        self._splits_of: dict[str, list[str]] = {}

    def add(self, split: Split, name: str) -> None:
        """Add the classes that are in the test part only of a split, which is called ``name``."""
        if self._dataset.task == "classification":
            train, test = (self._dataset.y[rows] for rows in split)
            for code in np.setdiff1d(test, train).tolist():
                label = self._dataset.label_of(int(code))
                self._splits_of.setdefault(label, []).append(name)

    @property
    def sentences(self) -> list[str]:
        """A sentence on the classes that were added, if any."""
        if not self._splits_of:
            return []
        tested = [f"{_written(label)} in {listing(n, 3)}" for label, n in self._splits_of.items()]
        shown = listing(tested, _MOST_NAMED)
        return [
            f"classes that are tested without having been trained: {shown} (no method can predict "
            "them there; check how the labels are written, or divide the rows otherwise)"
        ]


def rare_classes(dataset: Dataset, folds: int) -> list[str]:
    """Return a sentence on the classes with fewer rows than there are stratified folds."""
    counts = dataset.rows_by_class.items()
    few = [f"{_written(label)} {counted(n, 'row')}" for label, n in counts if 0 < n < folds]
    if not few:
        return []
    return [
        f"classes with fewer rows than the {folds} folds: {listing(few, _MOST_NAMED)} (some folds "
        "do not test them; have fewer folds, or more rows of these)"
    ]


def _written(label: str) -> str:
    """Return a label, in quotes if it has blanks, commas or characters that are not seen."""
    plain = label.isprintable() and not re.search(r"[\s,;'\"]", label)
    return label if plain and label else repr(label[:60])
