"""Columns that look like groups of rows though the data set names none.

A customer, a patient or a machine has several rows, whose targets resemble each other. Folds of
single rows then test on customers that were trained on.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from boostbench.data.dataset import Dataset, Floats
from boostbench.data.splits import Rows, Split
from boostbench.numbers import fixed
from boostbench.suggest import listing

_LEAST_LEVELS = 10
_MOST_ROWS_PER_LEVEL = 30.0
_LEAST_SHARED = 0.5
_MOST_CHANCE = 1e-3
_MOST_COLUMNS = 500
"""With more, such as pixels, none is looked at."""
_MOST_NAMED = 3
_NAMES = re.compile(
    r"(?i:(?:.*[ _.-])?(?:id|uid|uuid|guid|key|nr|no|number|code|name|group|subject|patient|person"
    r"|participant|customer|client|user|household|family|school|class|hospital|site|store|shop"
    r"|machine|device|sensor|batch|session|animal|plot|driver|player|seller|company|firm)s?\.?)"
    r"|.*[a-z](?:Id|ID|Nr|No|Key)"
)
"""Names of columns whose values name something: ``customer``, ``patient_id``, ``batchNo``."""


class _Column(NamedTuple):
    """A column as codes in the order of its values.

    ``is_named`` says that its name is that of something with several rows, and ``counts`` that its
    values are texts, or consecutive whole numbers.
    """

    name: str
    codes: Rows
    is_named: bool
    counts: bool

    @property
    def rows_per_level(self) -> float:
        """How many rows a level has in the mean."""
        return len(self.codes) / (int(self.codes.max()) + 1)


def group_hint(dataset: Dataset, split: Split) -> str:
    """Return in a sentence which columns look like groups of which a split divides many, or "".

    Such a column has few rows per level, the same level on both sides of the split, and a name as
    customers and patients have. Or its values are texts or count something, and targets differ by
    level.
    """
    if dataset.groups is not None or dataset.X.shape[1] > _MOST_COLUMNS:
        return ""
    found = [
        column
        for column in _columns(dataset)
        if _is_divided(column.codes, split)
        if column.is_named or (column.counts and _differ_by_level(column.codes, dataset))
    ]
    if not found:
        return ""
    names = [f"'{each.name}' ({fixed(each.rows_per_level, 1)} rows per value)" for each in found]
    looks = "looks like a group" if len(found) == 1 else "look like groups"
    return (
        f"{dataset.name}: {listing(names, _MOST_NAMED)} {looks} of rows, and folds train and test "
        f"on rows of one value; add 'group: {found[0].name}' to the data set to keep these "
        "together, unless new rows will have the values of these rows"
    )


def _columns(dataset: Dataset) -> Iterator[_Column]:
    """Yield the columns with few rows per level."""
    for name, values in _values(dataset):
        levels, codes = np.unique(values, return_inverse=True)
        column = _Column(
            name,
            codes.astype(np.int64),
            is_named=bool(_NAMES.fullmatch(name)),
            counts=bool(levels[-1] - levels[0] == len(levels) - 1),
        )
        if len(levels) >= _LEAST_LEVELS and 2.0 <= column.rows_per_level <= _MOST_ROWS_PER_LEVEL:
            yield column


def _values(dataset: Dataset) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield columns of whole numbers, and of categories as their codes, one-hot ones together."""
    frame = dataset.frame
    if frame is not None:
        for name, column in frame.items():
            if column.dtype == "category":
                yield str(name), np.asarray(column.cat.codes, dtype=np.float64)
            elif _are_whole(column.to_numpy(dtype=np.float64)):
                yield str(name), column.to_numpy(dtype=np.float64)
        return
    levels: dict[str, list[int]] = {}
    for place, name in enumerate(dataset.feature_names):
        if "=" in name:
            levels.setdefault(name.partition("=")[0], []).append(place)
        elif _are_whole(dataset.X[:, place]):
            yield name, dataset.X[:, place]
    for name, places in levels.items():
        yield name, dataset.X[:, places].argmax(axis=1).astype(np.float64)


def _are_whole(values: Floats) -> bool:
    """Return whether all values are whole numbers, none missing."""
    return bool((values == np.floor(values)).all())


def _is_divided(codes: Rows, split: Split) -> bool:
    """Return whether most test rows have a level that training rows have too."""
    train, test = split
    return float(np.isin(codes[test], codes[train]).mean()) >= _LEAST_SHARED


def _differ_by_level(codes: Rows, dataset: Dataset) -> bool:
    """Return whether targets differ between levels by more than a trend over them, and chance.

    A quantity, such as an age, has targets that change little from one value to the next.
    """
    y = dataset.y.astype(np.float64)
    targets = [y] if dataset.task == "regression" else [y == code for code in np.unique(y)]
    chances = [_chance_of_levels(codes, target.astype(np.float64)) for target in targets]
    return min(chances) * len(chances) <= _MOST_CHANCE


def _chance_of_levels(codes: Rows, target: Floats) -> float:
    """Return the p of the F-test of levels, for a target without its quadratic trend over them."""
    rest = target - np.polyval(np.polyfit(codes, target, 2), codes)
    sizes = np.bincount(codes)
    means = np.bincount(codes, weights=rest) / sizes
    between, within = float((sizes * means**2).sum()), float(((rest - means[codes]) ** 2).sum())
    of_levels, of_rows = len(sizes) - 1, len(codes) - len(sizes)
    if within == 0.0:
        return 0.0 if between > 0.0 else 1.0
    return float(scipy.special.fdtrc(of_levels, of_rows, between / of_levels / (within / of_rows)))
