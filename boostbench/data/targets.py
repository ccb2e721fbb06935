"""The target: numbers for regression, codes of classes for classification."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.features import labels_of
from boostbench.data.numbers import PLAIN, NumberFormat, formats_of
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import Column, numbers_of
from boostbench.data.texts import convert, describe, is_truth
from boostbench.errors import DataError
from boostbench.suggest import listing

# When labels are continuous, see _continuous: counts of different labels, and rows per label.
_FEW_LABELS = 20
_FEW_FRACTIONS = 5
_SOME_FRACTIONS = 10
_MANY_FRACTIONS = 100
_ROWS_PER_LABEL = 5
_SPREAD = 1.2


@dataclass(frozen=True)
class Target:
    """(n,) float64 with NaN where missing, or int64 codes with -1 there, and their classes.

    ``formats`` are those in which all the numbers can be read, None for all or where unknown.
    """

    values: NDArray[np.float64] | NDArray[np.int64]
    classes: tuple[str, ...] = ()
    remark: str = ""
    formats: frozenset[NumberFormat] | None = None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each of the n values is missing."""
        missing: NDArray[np.bool_] = (
            np.isnan(self.values) if self.values.dtype.kind == "f" else self.values < 0
        )
        return missing


def regression_target(
    column: Column, number_format: NumberFormat, problems: Problems, *, assumed: bool
) -> Target:
    """Return the numbers of ``column``; add it to ``problems`` if it holds something else.

    :param assumed: whether nobody has said that the task is regression
    """
    if column.labels is None:
        return Target(column.values, formats=column.formats)
    numbers = numbers_of(column.labels, number_format)
    if numbers is not None:
        return Target(numbers, formats=formats_of({x for x in column.labels if x is not None}))
    read = convert(column.labels, number_format)
    if read is not None and read.kind == "percentages":
        remark = f"percentages read as numbers (72 for 72%) in the target {quoted(column.name)}"
        return Target(read.values, remark=remark, formats=read.formats)
    problems.text_target(column, describe(column.labels, number_format), assumed=assumed)
    return Target(np.zeros(len(column)))


def class_target(column: Column, order: Sequence[str], problems: Problems) -> Target:
    """Return the codes of the classes in ``column``, sorted (numbers as such) or as in ``order``.

    A column whose labels are continuous is added to ``problems``, unless the file declares them as
    levels.

    :raises DataError: if there are too many classes, or one that is not in ``order``
    """
    labels = labels_of(column)
    found = {label for label in labels if label is not None}
    known = sum(label is not None for label in labels)
    continuous = "" if order or column.nominal else _continuous(found, known, column.labels is None)
    if continuous == "yes":
        problems.continuous(column, labels, len(found), known)
        return Target(np.zeros(len(column), dtype=np.int64))
    if not order and {x.casefold() for x in found if is_truth(x)} and found & {"0", "1"}:
        problems.two_spellings(column.name)
    where = problems.where
    if len(found) > bounds.MAX_LEVELS:
        raise DataError(
            f"{where} has {len(found):,} classes in column {quoted(column.name)}; "
            f"at most {bounds.MAX_LEVELS:,} are allowed"
        )
    if order and not found <= set(order):
        raise DataError(
            f"{where} has the class {min(found - set(order))!r} in column {column.name!r}; "
            f"{listing(order)} are expected"
        )
    numeric = all(PLAIN.number(label) is not None for label in found)
    classes = list(order) or (sorted(found, key=float) if numeric else sorted(found))
    position = {label: i for i, label in enumerate(classes)}
    codes = np.array([position.get(label, -1) for label in labels], dtype=np.int64)
    remark = (
        f"{len(found):,} different numbers in the {known:,} rows of the target "
        f"{quoted(column.name)}: set 'task: regression' if it is continuous"
    )
    return Target(codes, tuple(classes), remark if continuous else "")


def _continuous(labels: set[str], n_rows: int, numbers: bool) -> str:
    """Return ``yes`` if ``labels`` cannot be classes, ``maybe`` if they are hardly, or "".

    No classes are:

    - texts and whole numbers, halves and quarters, of which most occur once, if more than 20;
    - whole numbers (halves, quarters) of which there are more than 20, with fewer than five rows
      per label, and gaps between them: codes of classes such as 0, 1, 2, ... have none;
    - other fractions, if more than 100, or more than five with fewer than five rows per label.
    """
    n_labels = len(labels)
    few_rows = n_rows < _ROWS_PER_LABEL * n_labels
    if not numbers:
        return "yes" if n_labels > _FEW_LABELS and 2 * n_labels > n_rows else ""
    quarters = 4.0 * np.array(sorted(map(float, labels)))
    if not np.isfinite(quarters).all():
        return ""
    if (quarters != np.floor(quarters)).any():
        if n_labels > _MANY_FRACTIONS or (n_labels > _FEW_FRACTIONS and few_rows):
            return "yes"
        return "maybe" if n_labels > _SOME_FRACTIONS else ""
    if n_labels <= _FEW_LABELS or not few_rows:
        return ""
    steps = np.diff(quarters)
    gaps = (quarters[-1] - quarters[0]) / steps.min() + 1 > _SPREAD * n_labels
    return "yes" if gaps or 2 * n_labels > n_rows else "maybe"
