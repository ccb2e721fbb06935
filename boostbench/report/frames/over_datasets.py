"""Methods over data sets: in pairs, and by mean ranks; the unit is a data set."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.metrics import Metric
from boostbench.report.frames.pairs import (
    ALPHA,
    EQUAL,
    PairVerdict,
    holm,
    ordered_pairs,
    verdict_of,
)
from boostbench.report.frames.runs import Runs, in_folds
from boostbench.stats.paired import mean_of_folds
from boostbench.suggest import counted

Floats = NDArray[np.float64]
LEAST_METHODS = 3
"""The fewest methods that are ranked."""
LEAST_DATASETS = 5
"""The fewest data sets for a statement about others like them."""
NO_TEST = stats.Wilcoxon(np.nan, np.nan, p=np.nan, effect=np.nan, n=0, zeros=0)
"""The test of methods on too few data sets."""
SETS_LEVEL = 0.98
"""Fieller's intervals of 95 % held the ratio of other data sets in 90 % of simulated runs."""


@dataclass(frozen=True)
class RatioWithout:
    """The ratio of two means without the data set that changes it most."""

    dataset: str
    ratio: stats.Ratio


@dataclass(frozen=True, kw_only=True)
class MethodPair:
    """Two methods over all data sets on which they have runs in common: the rows of ``pairs``.

    ``mean`` and ``mean_against`` are over data sets, ``runs`` counts those of all. Ratios are of
    the first mean to the second: ``ratio`` with Fieller's interval, for data sets like these;
    ``fixed`` by the delta method, on exactly these. Values that need :data:`LEAST_DATASETS`, or a
    positive second mean, are ``None`` otherwise, and where no mean over data sets is
    meaningful. ``wins`` counts those of the first method, with ties within the metric's tolerance,
    ``decided`` the data sets on which the corrected t-test decides after Holm over the pair's data
    sets, for the first and for the second method (``None`` on a single one, where nothing is
    adjusted). ``reversed_without`` are the fewest data sets
    without which the order of the means is the other one. ``p`` and ``better``, which is its
    effect, are those of Wilcoxon's test, NaN without one; ``p_adjusted`` is it after Holm's
    adjustment for the ``comparisons`` of all pairs that are ``shown``, NaN where there is one.
    ``lacking`` are the data sets without a common run.
    """

    method: str
    against: str
    pairs: pd.DataFrame
    shown: bool
    mean: float
    mean_against: float
    runs: int
    better: float
    p: float
    comparisons: int = 1
    p_adjusted: float = math.nan
    wins: stats.WinTieLoss
    decided: tuple[int, int] | None
    ratio: stats.Ratio | None
    fixed: stats.FixedRatio | None
    without: RatioWithout | None
    reversed_without: Sequence[str] | None
    lacking: Sequence[str]

    @property
    def datasets(self) -> list[str]:
        """The data sets on which they are compared."""
        return list(self.pairs.dataset)

    @property
    def is_tested(self) -> bool:
        """Whether there is a test of the two."""
        return not math.isnan(self.p)

    @property
    def verdict(self) -> PairVerdict | None:
        """Whether the first method is better, ``None`` without a test."""
        p = self.p if math.isnan(self.p_adjusted) else self.p_adjusted
        return verdict_of(p, self.better) if self.is_tested else None

    @property
    def tries_order(self) -> bool:
        """Whether the order of the means is tried: there are enough data sets, and an order."""
        has_order = abs(self.mean - self.mean_against) >= EQUAL
        return self.is_tested and (has_order or self.reversed_without is not None)


@dataclass(frozen=True)
class Ranking:
    """Friedman's test of all ``methods`` on the ``datasets`` that all of them have.

    ``friedman.ranks`` are mean ranks in the order of ``methods``, 1 the best. ``cd`` is Nemenyi's
    critical difference at 5 %; pairs are tested by Wilcoxon. ``left_out`` are the data sets that
    not all methods have.
    """

    methods: Sequence[str]
    datasets: Sequence[str]
    friedman: stats.Friedman
    cd: float
    left_out: Sequence[str] = ()


def compare_methods(results: Runs, pairs: pd.DataFrame) -> list[MethodPair]:
    """Return the pairs of methods that have runs in common, an own one on the left."""
    names = [data.label for data in results.counted]
    known = pairs[pairs.dataset.isin(names)]
    of_two = dict(iter(known.groupby(["method", "against"])))
    made = [
        _over(of_two[left, right], names, results.metric, is_shown)
        for left, right, is_shown in ordered_pairs(results)
        if (left, right) in of_two
    ]
    family = pd.Series([pair.p if pair.shown else math.nan for pair in made]).dropna()
    for place, p in zip(family.index, holm(family), strict=True):
        made[place] = replace(made[place], comparisons=len(family), p_adjusted=p)
    return made


def _over(pairs: pd.DataFrame, names: Sequence[str], metric: Metric, shown: bool) -> MethodPair:
    """Return the comparison of two methods over those of the data sets where they are compared."""
    datasets = list(pairs.dataset)
    a, b = pairs["mean"].to_numpy(), pairs.mean_against.to_numpy()
    better = pairs.better.to_numpy()
    averaged = "arithmetic" in metric.averages
    enough = averaged and len(pairs) >= LEAST_DATASETS
    has_ratio = enough and float(b.mean()) > 0.0
    test = stats.wilcoxon(better) if enough else NO_TEST
    few = stats.fewest_to_reverse(better)
    return MethodPair(
        method=pairs.method.iloc[0],
        against=pairs.against.iloc[0],
        pairs=pairs,
        shown=shown,
        mean=float(a.mean()),
        mean_against=float(b.mean()),
        runs=int(pairs.runs.sum()),
        wins=_wins(better, b, metric),
        decided=_decided(pairs),
        p=test.p,
        better=test.effect,
        ratio=stats.ratio_interval(a, b, SETS_LEVEL) if has_ratio else None,
        fixed=_fixed_ratio(pairs) if averaged else None,
        without=_ratio_without(a, b, datasets) if has_ratio else None,
        reversed_without=None if few is None else [datasets[place] for place in few],
        lacking=[name for name in names if name not in datasets],
    )


def _decided(pairs: pd.DataFrame) -> tuple[int, int] | None:
    """Return on how many data sets the test decides for the left, and for the right method."""
    if len(pairs) < 2:
        return None
    better = pairs.better[holm(pairs.p) < ALPHA]
    return int((better > 0).sum()), int((better < 0).sum())


def _wins(better: Floats, right: Floats, metric: Metric) -> stats.WinTieLoss:
    """Return wins, ties and losses, with ties after rounding to 12 decimals, as everywhere."""
    ties = np.array([metric.least_difference(mean) for mean in right]) + EQUAL
    return stats.win_tie_loss(np.where(np.abs(better) > ties, better, 0.0), 0.0)


def _fixed_ratio(pairs: pd.DataFrame) -> stats.FixedRatio | None:
    """Return the ratio on exactly these data sets; a mean of 0 or a single fold gives none."""
    # A row for each data set, with NaN where others have more parts.
    left, right = (
        np.array([*zip_longest(*own, fillvalue=np.nan)]).T
        for own in (pairs.parts, pairs.parts_against)
    )
    with suppress(ValueError):
        return stats.ratio_interval_fixed(left, right)
    return None


def _ratio_without(left: Floats, right: Floats, datasets: Sequence[str]) -> RatioWithout | None:
    """Return the ratio without the data set that changes it most, ``None`` where there is none."""
    with suppress(ValueError):
        carrier = stats.ratio_means(left, right).carrier
        rest = np.arange(len(left)) != carrier
        ratio = stats.ratio_interval(left[rest], right[rest], SETS_LEVEL)
        return RatioWithout(datasets[carrier], ratio)
    return None


def rank_methods(results: Runs) -> Ranking | None:
    """Return the ranks of three methods or more, ``None`` where they share too few data sets."""
    labels, means = results.with_runs, _common_means(results)
    if len(labels) < LEAST_METHODS or len(means) < LEAST_DATASETS:
        return None
    left_out = [data.label for data in results.counted if data.label not in means]
    higher = results.metric.greater_is_better
    test = stats.friedman([*means.values()], greater_is_better=higher)
    cd = stats.nemenyi_cd(len(labels), len(means))
    return Ranking(labels, list(means), test, cd, left_out)


def why_no_ranks(results: Runs) -> str:
    """Return why methods have no mean ranks, and what to do."""
    methods = counted(len(results.with_runs), "method")
    return (
        f"mean ranks need at least {LEAST_METHODS} methods and {LEAST_DATASETS} data sets with "
        f"runs of all of them, and here are {methods} and "
        f"{counted(len(_common_means(results)), 'such data set')}: compare the methods in pairs "
        "or run more"
    )


def _common_means(results: Runs) -> dict[str, list[float]]:
    """Return the means of the methods over their common runs, by data set that has any."""
    shared = {data.label: results.scores_on[data.label].dropna() for data in results.counted}
    return {name: _means(scores) for name, scores in shared.items() if len(scores)}


def _means(scores: pd.DataFrame) -> list[float]:
    """Return the mean of fold means of each method."""
    return [mean_of_folds(in_folds(scores[label])) for label in scores]
