"""Columns and rows of a user's table that are likely mistakes: what they do, and the remedy."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.data.dataset import Floats, Target, differ_by_rounding
from boostbench.data.problems import quoted, yaml_list
from boostbench.data.table import TEXT, Table, is_text
from boostbench.data.text_format import TextFormat
from boostbench.suggest import counted, listing

# Fewer rows are likely to be equal, or in order, by chance.
_LEAST_ROWS = 10
_MOST_NAMED = 8
_IDENTIFIER = re.compile(
    r"(?i:(?:.*[ _.-])?(?:id|idx|index|key|uid|uuid|guid|nr|no|obs|row|code|number)\.?"
    r"|rows?[ _.-]?(?:nr|no|num|number|names?|id)|unnamed.*|#)|.*[a-z](?:Id|ID|Index|Nr|No|Key)"
)
_YEARS = (1800.0, 2100.0)
_MOST_EXACT = 2.0**53

_Same = Callable[[pd.Series, pd.Series], bool]


def doubtful_columns(
    columns: Sequence[pd.Series], target: pd.Series, *, are_classes: bool
) -> list[str]:
    """Return sentences on constant columns, on those that identify rows, and copies of the target.

    ``columns`` are features, of numbers or texts, and ``target`` is as the file writes it, both of
    the rows that are used.
    """
    same = partial(_same_classes, n_classes=target.nunique()) if are_classes else _same_numbers
    doubts: list[tuple[str, Callable[[pd.Series], bool], str]] = [
        ("constant columns", _is_constant, "they tell no rows apart"),
        (
            "columns that vary only by rounding",
            _varies_by_rounding,
            "scaling makes them constant, unless very small ones get another unit",
        ),
        (
            "columns that number or name the rows",
            _identifies_rows,
            "a method can learn the order of the file from them, which says nothing of new rows",
        ),
        (
            "columns with the values of the target",
            partial(_is_copy, target=target, same=same),
            "the answers are then among the features",
        ),
    ]
    sentences = []
    for doubt, is_doubtful, why in doubts:
        if names := [str(column.name) for column in columns if is_doubtful(column)]:
            shown = listing(map(quoted, names), _MOST_NAMED)
            sentences.append(f"{doubt}: {shown} ({why}; leave out with 'drop: {yaml_list(names)}')")
    return sentences


def merged_numbers(columns: Sequence[pd.Series], table: Table) -> dict[str, str]:
    """Return which columns have long whole numbers that become one in 64 bits, and how many.

    ``columns`` are features of ``table``, of the rows that are used.
    """
    large = [
        column
        for column in columns
        if not is_text(column) and np.abs(column).max() > _MOST_EXACT and _are_whole(column)
    ]
    merged: dict[str, str] = {}
    if table.read_texts is None or not large:
        return merged
    texts = table.read_texts([str(column.name) for column in large])
    for column in large:
        written = texts[str(column.name)][column.index][column.notna()]
        with suppress(ArithmeticError):  # in another notation than Python's
            values, numbers = len({Decimal(text) for text in written}), column.nunique()
            if values > numbers:
                merged[str(column.name)] = (
                    f"{values:,} values in {len(written):,} rows become "
                    f"{counted(numbers, 'number')}"
                )
    return merged


def _are_whole(column: pd.Series) -> bool:
    known = column.dropna()
    return bool((known == np.floor(known)).all())


def repeated_rows(X: Floats, y: Target) -> list[str]:
    """Return a sentence where more than half of the rows have an exact copy.

    Fewer are usual in data of few small whole numbers.
    """
    if len(y) < _LEAST_ROWS:
        return []
    hashes = pd.util.hash_pandas_object(pd.DataFrame(X), index=False)
    copied = int(pd.DataFrame({"row": hashes, "target": y}).duplicated(keep=False).sum())
    if 2 * copied <= len(y):
        return []
    return [
        f"{copied:,} of {len(y):,} rows occur several times, the target included (copies of "
        "rows that are tested are then trained on; remove them, or keep them together with "
        "splits: {test_rows: ...})"
    ]


def _is_constant(column: pd.Series) -> bool:
    if not is_text(column):
        return bool(column.min() == column.max())
    # A missing category has none of the levels, and so differs from the only one.
    return column.nunique() == 1 and not column.hasnans


def _varies_by_rounding(column: pd.Series) -> bool:
    """Return whether scaling makes a column constant, see :func:`prepare_split`."""
    if is_text(column) or _is_constant(column):
        return False
    return bool(differ_by_rounding(np.float64(column.min()), np.float64(column.max()), 1.0))


def _identifies_rows(column: pd.Series) -> bool:
    """Return whether each row has its own value, which counts the rows or is named so."""
    n = len(column)
    if n < _LEAST_ROWS or column.hasnans or not column.is_unique:
        return False
    if is_text(column):
        return True
    values = column.to_numpy()
    if (values != np.floor(values)).any():
        return False
    return bool(_IDENTIFIER.fullmatch(str(column.name))) or _counts_rows(values)


def _counts_rows(values: Floats) -> bool:
    """Return whether values count the rows, in any order and from any number; years do not."""
    ordered = np.sort(values)
    are_years = _YEARS[0] <= ordered[0] and ordered[-1] <= _YEARS[1]
    return bool((np.diff(ordered) == 1.0).all()) and not are_years


def _is_copy(column: pd.Series, target: pd.Series, same: _Same) -> bool:
    known = column.notna() & target.notna()
    many = known.sum() >= max(_LEAST_ROWS, len(column) / 2)
    return bool(many) and same(column[known], target[known])


def _same_numbers(column: pd.Series, target: pd.Series) -> bool:
    if is_text(column):
        return False
    return bool((column.to_numpy() == pd.to_numeric(target, errors="coerce").to_numpy()).all())


def _same_classes(column: pd.Series, target: pd.Series, *, n_classes: int) -> bool:
    """Return whether each class has one value of the column, and each value one class."""
    # Most columns have too many values among their first ones.
    if 2 * n_classes > len(target) or column.iloc[:1000].nunique() > n_classes:
        return False
    if column.nunique() != n_classes:
        return False
    pairs = pd.DataFrame({"mine": column, "theirs": target.astype(TEXT)})
    return len(pairs.drop_duplicates()) == n_classes


# -- numbers and dates that stand for missing ones ------------------------------------------------

# Fewer values are likely to be far from each other by chance.
_LEAST_VALUES = 10
_MOST_SENTINELS = 3


class _Distance(NamedTuple):
    """How far a sentinel is: so many times the spread of all others, of which so many differ."""

    spreads: float
    least_others: int


# Usual ones are 998, -9999, 999.9 and the like, and, among more values, 98.
_OF_NINES = re.compile(r"-?99+[789](?:\.[09]+)?|-?99+\.9+")
_OF_TWO_DIGITS = re.compile(r"-?9[789]")
# The first and last days of the years 1, 1900, 2099, 9999 and the like, and of Unix' first year.
_OF_DATES = re.compile(r"(?:\d\d(?:00|01|99)|1970)-(?:01-01|12-3[01])")
_USUAL = _Distance(3, 2)
_USUAL_IF_MANY = _Distance(3, 5)
_UNUSUAL = _Distance(100, 5)
_NONE = _Distance(np.inf, 0)


def number_sentinels(column: pd.Series, texts: TextFormat) -> list[str]:
    """Return a sentence on the values of a column of numbers that are far from all others, if any.

    ``texts`` says how its file writes numbers.
    """
    values = column.dropna().to_numpy(np.float64)
    far = _far_values(values, _distance_of_number)
    if not far:
        return []

    def written(value: float) -> str:
        short = f"{value:.15g}"
        return (short if float(short) == value else repr(float(value))).replace(".", texts.decimal)

    counts = {written(value): int((values == value).sum()) for value in far}
    others = values[~np.isin(values, far)]
    return _sentence(column, counts, written(others.min()), written(others.max()))


def date_sentinels(column: pd.Series, dates: pd.Series) -> list[str]:
    """Return a sentence on the values of a column whose ``dates`` are far from others, if any."""
    known = dates.dropna()
    days = ((known - known.min()) / pd.Timedelta(days=1)).to_numpy(np.float64)
    iso = dict(zip(days.tolist(), (date.isoformat()[:10] for date in known), strict=True))

    def distance(day: float) -> _Distance:
        return _USUAL if _OF_DATES.fullmatch(iso[day]) else _UNUSUAL

    far = _far_values(days, distance)
    if not far:
        return []
    is_far = np.isin(days, far)
    counts = Counter(column[known.index][is_far].astype(TEXT))
    others = days[~is_far]
    return _sentence(column, counts, iso[others.min()], iso[others.max()])


def _distance_of_number(value: float) -> _Distance:
    """Return how far a number must be to be a sentinel, which has no more digits than it needs."""
    text = f"{value:.15g}"
    if _OF_NINES.fullmatch(text):
        return _USUAL
    if _OF_TWO_DIGITS.fullmatch(text):
        return _USUAL_IF_MANY
    return _UNUSUAL if value == np.floor(value) else _NONE


def _far_values(values: Floats, distance: Callable[[float], _Distance]) -> list[float]:
    """Return the few smallest and largest of the different values that are far from all others."""
    if len(values) < _LEAST_VALUES:
        return []
    different = np.unique(values[np.isfinite(values)]).tolist()
    # All of them: one is less far from the others while a second is among these.
    for n_far in range(_MOST_SENTINELS, 0, -1):
        for n_low in range(n_far + 1):
            end = len(different) - (n_far - n_low)
            others = different[n_low:end]
            far = [*different[:n_low], *different[end:]]
            if len(others) > 1 and _are_far(far, others, distance):
                return far
    return []


def _are_far(
    values: Sequence[float], others: Sequence[float], distance: Callable[[float], _Distance]
) -> bool:
    """Return whether each value is far enough from the sorted others."""
    first, last = others[0], others[-1]
    for value in values:
        spreads, least_others = distance(value)
        away = first - value if value < first else value - last
        if len(others) < least_others or away < spreads * (last - first):
            return False
    return True


def _sentence(column: pd.Series, counts: Mapping[str, int], first: str, last: str) -> list[str]:
    n_far = sum(counts.values())
    shown = (f"{text} ({n:,})" for text, n in counts.items()) if len(counts) > 1 else counts
    return [
        f"{n_far:,} of {column.count():,} values of {quoted(column.name)} "
        f"{'is' if n_far == 1 else 'are'} {listing(shown, _MOST_SENTINELS)}, far from all others "
        f"({first} to {last}); if that means missing: 'na_values: {yaml_list(list(counts))}'"
    ]
