"""The values of parameters that were chosen on a part of the training rows, and how often each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Setting = float | int | str
Counts = Mapping[Setting, int]
PREFIX = "chosen_"


def chosen_in(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run chose, by parameter, from what was recorded of it."""
    return {
        name.removeprefix(PREFIX): value
        for name, value in metrics.items()
        if name.startswith(PREFIX)
    }


def count_chosen(runs: Sequence[Mapping[str, Any]]) -> dict[str, Counts]:
    """Return how many of the ``runs`` chose each value, by parameter."""
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: count_values(run.get(name) for run in runs) for name in names}


def count_values(values: Iterable[Setting | None]) -> dict[Setting, int]:
    """Return how often each value is there, ``None`` left out."""
    counts = Counter(value for value in values if value is not None)
    # Numbers by size, text by the alphabet; a parameter may have both ("auto", 0.5).
    order = sorted(counts, key=lambda value: (isinstance(value, str), value))
    return {value: counts[value] for value in order}
