"""Methods over data sets: in pairs, and by mean ranks; the unit is a data set."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.metrics import Metric
from boostbench.report.frames.pairs import (
    ALPHA,
    EQUAL,
    Pair,
    PairOnDataset,
    adjusted,
    ordered_pairs,
)
from boostbench.report.frames.runs import Runs
from boostbench.stats.paired import mean_of_folds
from boostbench.suggest import counted

Floats = NDArray[np.float64]
OnDatasets = Mapping[str, Sequence[PairOnDataset]]
"""All pairs of methods on each data set."""
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
class MethodPair(Pair):
    """Two methods over all ``datasets`` on which they have runs in common.

    ``mean`` and ``mean_against`` are over data sets, ``runs`` counts those of all. Ratios are of
    the first mean to the second: ``ratio`` with Fieller's interval, for data sets like these;
    ``fixed`` by the delta method, on exactly these. Values that need :data:`LEAST_DATASETS`, or a
    positive second mean, are ``None`` otherwise, and where no mean over data sets is
    meaningful. ``wins`` counts those of the first method, with ties within the metric's tolerance,
    ``decided`` the data sets on which the corrected t-test decides after Holm over the pair's data
    sets, for the first and for the second method (``None`` on a single one, where nothing is
    adjusted). ``reversed_without`` are the fewest data sets
    without which the order of the means is the other one. ``p`` and ``better``, which is its
    effect, are those of Wilcoxon's test, adjusted for all pairs that are ``shown``. ``lacking`` are
    the data sets without a common run.
    """

    shown: bool
    datasets: Sequence[PairOnDataset]
    wins: stats.WinTieLoss
    decided: tuple[int, int] | None
    ratio: stats.Ratio | None
    fixed: stats.FixedRatio | None
    without: RatioWithout | None
    reversed_without: Sequence[str] | None
    lacking: Sequence[str]

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


def compare_methods(results: Runs, on_datasets: OnDatasets) -> list[MethodPair]:
    """Return the pairs of methods that have runs in common, an own one on the left."""
    names = [data.label for data in results.counted]
    of_two: dict[tuple[str, str], dict[str, PairOnDataset]] = {}
    for name in names:
        for one in on_datasets[name]:
            of_two.setdefault((one.method, one.against), {})[name] = one
    pairs = []
    for left, right, is_shown in ordered_pairs(results):
        if known := of_two.get((left, right)):
            lacking = [name for name in names if name not in known]
            pairs.append(_over(list(known.values()), lacking, results.metric, is_shown))
    return _adjusted(pairs)


def _adjusted(pairs: Sequence[MethodPair]) -> list[MethodPair]:
    """Return pairs with the p of Wilcoxon's test adjusted by Holm for all that are shown."""
    family = adjusted([pair for pair in pairs if pair.shown and pair.is_tested])
    after = {(pair.method, pair.against): pair for pair in family}
    return [after.get((pair.method, pair.against), pair) for pair in pairs]


def _over(
    datasets: Sequence[PairOnDataset], lacking: Sequence[str], metric: Metric, shown: bool
) -> MethodPair:
    """Return the comparison of two methods over the data sets on which they are compared."""
    a = np.array([one.mean for one in datasets])
    b = np.array([one.mean_against for one in datasets])
    better = np.array([one.better for one in datasets])
    averaged = "arithmetic" in metric.averages
    enough = averaged and len(datasets) >= LEAST_DATASETS
    has_ratio = enough and float(b.mean()) > 0.0
    test = stats.wilcoxon(better) if enough else NO_TEST
    return MethodPair(
        method=datasets[0].method,
        against=datasets[0].against,
        shown=shown,
        datasets=datasets,
        mean=float(a.mean()),
        mean_against=float(b.mean()),
        runs=sum(one.runs for one in datasets),
        wins=_wins(better, b, metric),
        decided=_decided(datasets),
        p=test.p,
        better=test.effect,
        ratio=stats.ratio_interval(a, b, SETS_LEVEL) if has_ratio else None,
        fixed=_fixed_ratio(datasets) if averaged else None,
        without=_ratio_without(a, b, datasets) if has_ratio else None,
        reversed_without=_reversed_without(datasets),
        lacking=lacking,
    )


def _decided(datasets: Sequence[PairOnDataset]) -> tuple[int, int] | None:
    """Return on how many data sets the test decides for the left, and for the right method."""
    if len(datasets) < 2:
        return None
    better = [one.better for one in adjusted(datasets) if one.p_adjusted < ALPHA]
    return sum(lead > 0 for lead in better), sum(lead < 0 for lead in better)


def _wins(better: Floats, right: Floats, metric: Metric) -> stats.WinTieLoss:
    """Return wins, ties and losses, with ties after rounding to 12 decimals, as everywhere."""
    ties = np.array([metric.least_difference(mean) for mean in right]) + EQUAL
    return stats.win_tie_loss(np.where(np.abs(better) > ties, better, 0.0), 0.0)


def _reversed_without(datasets: Sequence[PairOnDataset]) -> list[str] | None:
    """Return the fewest data sets without which the order of the means reverses, if any."""
    few = stats.fewest_to_reverse([one.better for one in datasets])
    return None if few is None else [datasets[place].dataset for place in few]


def _fixed_ratio(datasets: Sequence[PairOnDataset]) -> stats.FixedRatio | None:
    """Return the ratio on exactly these data sets; a mean of 0 or a single fold gives none."""
    left = _columns([one.parts for one in datasets])
    right = _columns([one.parts_against for one in datasets])
    with suppress(ValueError):
        return stats.ratio_interval_fixed(left, right)
    return None


def _columns(parts: Sequence[Sequence[float]]) -> Floats:
    """Return the parts of each data set as a row, with NaN where others have more."""
    return np.array([*zip_longest(*parts, fillvalue=np.nan)]).T


def _ratio_without(
    left: Floats, right: Floats, datasets: Sequence[PairOnDataset]
) -> RatioWithout | None:
    """Return the ratio without the data set that changes it most, ``None`` where there is none."""
    with suppress(ValueError):
        carrier = stats.ratio_means(left, right).carrier
        rest = np.arange(len(left)) != carrier
        ratio = stats.ratio_interval(left[rest], right[rest], SETS_LEVEL)
        return RatioWithout(datasets[carrier].dataset, ratio)
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
    labels = results.with_runs
    shared = {data.label: results.shared(data.label, labels) for data in results.counted}
    return {name: [*map(mean_of_folds, own)] for name, own in shared.items() if own}
