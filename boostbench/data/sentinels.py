"""Values far from all others, such as -9999 or 9999-12-31, which may stand for a missing value."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.data.dataset import Floats
from boostbench.data.problems import quoted, yaml_list
from boostbench.data.table import TEXT
from boostbench.data.text_format import TextFormat
from boostbench.suggest import listing

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
