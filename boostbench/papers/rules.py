"""Figures and rules of claims that papers share: differences, gains, ratios, counts, averages.

Gains, and figures with a value per data set, compare the first role on the left with the first on
the right; the others are the least over all pairs of a left and a right role.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boostbench.papers.claim import Array, Figure, Mask, Quantity, Rule, Sets, Test, Values

INF = np.inf


def left(sets: Sets, quantity: Quantity = "score") -> Array:
    """Return the means of the method that a claim is about."""
    return sets.mean(sets.left[0], quantity)


def right(sets: Sets, quantity: Quantity = "score") -> Array:
    """Return the means of the method that it is compared with."""
    return sets.mean(sets.right[0], quantity)


def left_sd(sets: Sets) -> Array:
    """Return the standard deviations of the score of the method that a claim is about."""
    return sets.sd(sets.left[0])


def right_sd(sets: Sets) -> Array:
    """Return those of the method that it is compared with."""
    return sets.sd(sets.right[0])


def geometric(values: Array) -> np.floating[Any]:
    """Return the geometric mean, NaN where a value is not positive."""
    if (values <= 0).any():
        return np.float64(np.nan)
    return np.exp(np.mean(np.log(values)))


def least(of: Callable[[str, str], np.floating[Any]], sets: Sets) -> np.floating[Any]:
    """Return the least of a figure's values over all pairs of a left and a right role."""
    return np.min([of(mine, theirs) for mine in sets.left for theirs in sets.right])


def least_pair(
    of: Callable[[Sets, str, str], np.floating[Any]],
) -> Callable[[Sets], np.floating[Any]]:
    """Return a figure's least value over all pairs of a left and a right role."""
    return lambda sets: np.min([of(sets, own, other) for own in sets.left for other in sets.right])


def inside(values: Array, low: float, high: float) -> bool:
    """Return whether all values are from ``low`` to ``high``."""
    return bool(np.all((values >= low) & (values <= high)))


def above(values: Array, bound: float) -> bool:
    """Return whether all values are above ``bound``."""
    return bool(np.all(values > bound))


def number_above(bound: float) -> Callable[[Array], int]:
    """Return a summary that counts the values above ``bound``."""
    return lambda values: int(np.count_nonzero(values > bound))


def number_below(bound: float) -> Callable[[Array], int]:
    """Return a summary that counts the values below ``bound``."""
    return lambda values: int(np.count_nonzero(values < bound))


def number_at_most(bound: float) -> Callable[[Array], int]:
    """Return a summary that counts the values of at most ``bound``."""
    return lambda values: int(np.count_nonzero(values <= bound))


def count(values: Mask) -> Array:
    """Return how many values are true, by depth."""
    return np.sum(values, axis=-1).astype(np.float64)


GAIN = Figure(
    "gain", "mean higher by", "percent",
    lambda sets: 100 * (np.mean(left(sets)) / np.mean(right(sets)) - 1),
)  # fmt: skip
GAINS = Figure(
    "gains", "least gain", "percent", lambda sets: 100 * (left(sets) / right(sets) - 1), np.min
)
LARGEST_GAIN = Figure(
    "gains", "largest gain", "percent", lambda sets: 100 * (left(sets) / right(sets) - 1), np.max
)
GAP = Figure(
    "gap", "difference of means", "difference",
    least_pair(lambda sets, own, other: np.mean(sets.mean(own) - sets.mean(other))),
)  # fmt: skip
GAPS = Figure(
    "gaps", "least difference", "difference", lambda sets: left(sets) - right(sets), np.min
)
WINS = Figure("gaps", "higher on", "sets", lambda sets: left(sets) - right(sets), number_above(0.0))
GEOMETRIC_GAP = Figure(
    "geometric_gap", "difference of geometric means", "difference",
    least_pair(lambda sets, own, other: geometric(sets.mean(own)) - geometric(sets.mean(other))),
)  # fmt: skip
SD_RATIO = Figure(
    "sd_ratio", "sd of the other to its own", "ratio",
    least_pair(lambda sets, own, other: np.mean(sets.sd(other)) / np.mean(sets.sd(own))),
)  # fmt: skip
GEOMETRIC_SD_RATIO = Figure(
    "geometric_sd_ratio", "the same of geometric means", "ratio",
    least_pair(lambda sets, own, other: geometric(sets.sd(other)) / geometric(sets.sd(own))),
)  # fmt: skip
SD_RATIOS = Figure(
    "sd_ratios", "smaller sd on", "sets", lambda sets: right_sd(sets) / left_sd(sets),
    number_above(1.0),
)  # fmt: skip
TIME_RATIO = Figure(
    "time", "time of the other to its own", "ratio",
    least_pair(
        lambda sets, own, other: np.mean(sets.mean(other, "fit_s"))
        / np.mean(sets.mean(own, "fit_s"))
    ),
)  # fmt: skip
GEOMETRIC_TIME_RATIO = Figure(
    "geometric_time", "the same of geometric means", "ratio",
    least_pair(
        lambda sets, own, other: geometric(sets.mean(other, "fit_s"))
        / geometric(sets.mean(own, "fit_s"))
    ),
)  # fmt: skip
TIME_RATIOS = Figure(
    "times", "least ratio of times", "ratio",
    lambda sets: right(sets, "fit_s") / left(sets, "fit_s"), np.min,
)  # fmt: skip
FASTER = Figure(
    "times", "faster on", "sets",
    lambda sets: right(sets, "fit_s") / left(sets, "fit_s"), number_above(1.0),
)  # fmt: skip
SAVINGS = Figure(
    "savings", "least saving of time", "percent",
    lambda sets: 100 * (1 - left(sets, "fit_s") / right(sets, "fit_s")), np.min,
)  # fmt: skip


def named(names: Sequence[str], of: Callable[[Sets], Array]) -> Callable[[Sets], Array]:
    """Return values with the sign turned on all data sets but those of ``names``.

    So a negative one is a data set on which a list of those with a value above 0 is wrong.
    """

    def signed(sets: Sets) -> Array:
        values = of(sets)
        return np.where([name in names for name in sets.names], values, -values)

    return signed


def on(names: Sequence[str], sets: Sets, values: Array) -> Array:
    """Return the values of the data sets ``names``, NaN of those that are not measured."""
    known = dict(zip(sets.names, values, strict=True))
    return np.array([known.get(name, np.nan) for name in names])


def _rest(sets: Sets, name: str) -> Mask:
    """Return which data sets are other ones than ``name``, or all where there is no other."""
    others = np.array([other != name for other in sets.names])
    return others if others.any() else ~others


def gain_without(name: str) -> Figure:
    """Return the gain in the mean without one data set, which may carry it."""
    return Figure(
        "gain_without", f"without {name}", "percent",
        lambda sets: 100 * (
            np.mean(left(sets)[_rest(sets, name)]) / np.mean(right(sets)[_rest(sets, name)]) - 1
        ),
    )  # fmt: skip


def time_without(name: str) -> Figure:
    """Return the ratio of mean times without one data set, which may carry it."""
    return Figure(
        "time_without", f"without {name}", "ratio",
        lambda sets: np.mean(right(sets, "fit_s")[_rest(sets, name)])
        / np.mean(left(sets, "fit_s")[_rest(sets, name)]),
    )  # fmt: skip


def exploded(role: int = 0, of: str = "left", title: str = "runs with R² < 0") -> Figure:
    """Return the number of runs with R2 < 0 per data set, scaled to the paper's 80 runs."""
    return Figure(
        "exploded", title, "count",
        lambda sets: 80 * sets.mean(getattr(sets, of)[role], "exploded"), np.mean,
    )  # fmt: skip


def bands(
    figure: Figure,
    reproduced: tuple[float, float],
    direction: tuple[float, float],
    contradicted: tuple[float, float] | None = None,
    *others: Figure,
    least_runs: int | None = None,
) -> Rule:
    """Return the rule that a figure lies in a band, at every depth that is judged.

    It is contradicted where the figure is in that band at any depth; without one, wherever it is
    in neither of the others. Bands include their ends.
    """
    name = figure.name

    def in_any(values: Values, band: tuple[float, float]) -> bool:
        return bool(np.any((values[name] >= band[0]) & (values[name] <= band[1])))

    against: Test | None = None
    if contradicted is not None:
        worst = contradicted
        against = lambda values: in_any(values, worst)  # noqa: E731
    return Rule(
        (figure, *others),
        lambda values: inside(values[name], *reproduced),
        lambda values: inside(values[name], *direction),
        against,
        least_runs,
    )
