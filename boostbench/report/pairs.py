"""Methods against each other, in pairs: on each data set, and over all of them."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.metrics import Metric
from boostbench.report.cells import LEVEL
from boostbench.report.runs import Runs
from boostbench.report.winners import (
    ALPHA,
    LEAST_DATASETS,
    PairOnDataset,
    Standing,
    compare_on,
)

Floats = NDArray[np.float64]
Standings = Mapping[str, Sequence[Standing]]
MOST_METHODS = 6
"""The most methods that are compared in all pairs, and not only with the first one."""
SETS_LEVEL = 0.98
"""Fieller's intervals of 95 % held the ratio of other data sets in 90 % of simulated runs."""
_EQUAL = 5e-13


@dataclass(frozen=True)
class RatioWithout:
    """The ratio of two means without the data set that changes it most."""

    dataset: str
    ratio: stats.Ratio


@dataclass(frozen=True, kw_only=True)
class MethodPair:
    """Two methods over all ``datasets`` on which they have runs in common.

    ``left_mean`` and ``right_mean`` are over data sets, ``runs`` counts those of all. Ratios are of
    the left mean to the right one: ``ratio`` with Fieller's interval, for data sets like these;
    ``fixed`` by the delta method, on exactly these. Values that need :data:`LEAST_DATASETS`, or a
    positive mean on the right, are ``None`` otherwise, and where no mean over data sets is
    meaningful. ``wins`` counts those of the left method, with ties within the metric's tolerance,
    ``decided`` the data sets on which the corrected t-test decides after Holm, for the left and for
    the right method: over the pair's data sets, and for the best method of a data set also over all
    that are compared with it (:func:`~boostbench.report.winners.standings`). ``reversed_without``
    are the fewest data sets without which the order of the means is the other one. ``p_holm`` is
    the p of ``wilcoxon`` adjusted for all pairs that are ``shown``. ``lacking`` are the data sets
    without a common run.
    """

    left: str
    right: str
    shown: bool
    datasets: Sequence[PairOnDataset]
    left_mean: float
    right_mean: float
    runs: int
    wins: stats.WinTieLoss
    decided: tuple[int, int]
    wilcoxon: stats.Wilcoxon | None
    p_holm: float | None = None
    ratio: stats.Ratio | None
    fixed: stats.FixedRatio | None
    without: RatioWithout | None
    reversed_without: Sequence[str] | None
    lacking: Sequence[str]

    @property
    def tries_order(self) -> bool:
        """Whether the order of the means is tried: there are enough data sets, and an order."""
        has_order = abs(self.left_mean - self.right_mean) >= _EQUAL
        return self.wilcoxon is not None and (has_order or self.reversed_without is not None)


def own_methods(results: Runs) -> list[str]:
    """Return the labels of the methods of the user's own, none where all methods are.

    They are those of the user's own code; without such code, the estimators that the experiment
    names itself, and that are no registered methods.
    """
    coded = {trial.method for trial in results.planned if trial.code}
    named = {method.label for method in results.methods if method.is_own or not method.registered}
    labels = [method.label for method in results.methods]
    own = [label for label in labels if label in (coded or named)]
    return own if len(own) < len(labels) else []


def compare_methods(results: Runs, standings: Standings) -> list[MethodPair]:
    """Return the pairs of methods that have runs in common, an own one on the left.

    ``standings`` are those of the methods on each data set, the best first.
    With more than :data:`MOST_METHODS` only the pairs of own methods are shown and tested, or,
    without any, those of the first method, on the right.
    """
    labels, own = results.with_runs, own_methods(results)
    many = len(labels) > MOST_METHODS
    pairs = []
    for two in combinations(labels, 2):
        if own:
            ordered = two if two[0] in own or two[1] not in own else two[::-1]
            is_shown = ordered[0] in own
        else:
            ordered = two[::-1] if many and two[0] == labels[0] else two
            is_shown = ordered[1] == labels[0]
        pairs.append(_compare(results, standings, *ordered, shown=not many or is_shown))
    return _adjusted([pair for pair in pairs if pair is not None])


def _adjusted(pairs: Sequence[MethodPair]) -> list[MethodPair]:
    """Return pairs with the p of Wilcoxon's test adjusted by Holm for all that are shown."""
    tests = {n: pair.wilcoxon for n, pair in enumerate(pairs) if pair.wilcoxon and pair.shown}
    if not tests:
        return list(pairs)
    adjusted = stats.holm([test.p for test in tests.values()])
    p_holm = dict(zip(tests, map(float, adjusted), strict=True))
    return [replace(pair, p_holm=p_holm.get(n)) for n, pair in enumerate(pairs)]


def _compare(
    results: Runs, standings: Standings, left: str, right: str, *, shown: bool
) -> MethodPair | None:
    """Return the comparison of two methods, ``None`` without common runs."""
    tests = {data.label: compare_on(results, data.label, left, right) for data in results.counted}
    known = [test for test in tests.values() if test is not None]
    if not known:
        return None
    lacking = [label for label, test in tests.items() if test is None]
    datasets = _adjusted_on_datasets(standings, left, right, known)
    return _over_datasets(left, right, datasets, lacking, results.metric, shown)


def _over_datasets(
    left: str,
    right: str,
    datasets: Sequence[PairOnDataset],
    lacking: Sequence[str],
    metric: Metric,
    shown: bool,
) -> MethodPair:
    """Return the comparison of two methods over their data sets."""
    a = np.array([one.left for one in datasets])
    b = np.array([one.right for one in datasets])
    better = np.array([one.better for one in datasets])
    averaged = "arithmetic" in metric.averages
    enough = averaged and len(datasets) >= LEAST_DATASETS
    has_ratio = enough and float(b.mean()) > 0.0
    return MethodPair(
        left=left,
        right=right,
        shown=shown,
        datasets=datasets,
        left_mean=float(a.mean()),
        right_mean=float(b.mean()),
        runs=sum(one.runs for one in datasets),
        wins=_wins(better, b, metric),
        decided=_decided(datasets),
        wilcoxon=stats.wilcoxon(better) if enough else None,
        ratio=stats.ratio_interval(a, b, SETS_LEVEL) if has_ratio else None,
        fixed=_fixed_ratio(datasets) if averaged else None,
        without=_ratio_without(a, b, datasets) if has_ratio else None,
        reversed_without=_reversed_without(datasets),
        lacking=lacking,
    )


def _adjusted_on_datasets(
    standings: Standings, left: str, right: str, tests: Sequence[PairOnDataset]
) -> list[PairOnDataset]:
    """Return tests with p adjusted over the data sets, and over the methods of each data set."""
    over_datasets = stats.holm(np.nan_to_num([test.p for test in tests], nan=1.0))
    # What is said of the best method of a data set holds here too.
    among = [_p_among_methods(standings, test.dataset, left, right) for test in tests]
    p_holm = np.maximum(over_datasets, among)
    return [replace(test, p_holm=float(p)) for test, p in zip(tests, p_holm, strict=True)]


def _decided(datasets: Sequence[PairOnDataset]) -> tuple[int, int]:
    """Return on how many data sets the test decides for the left, and for the right method."""
    decided = [one.better for one in datasets if one.p_holm < ALPHA]
    return sum(better > 0 for better in decided), sum(better < 0 for better in decided)


def _wins(better: Floats, right: Floats, metric: Metric) -> stats.WinTieLoss:
    """Return wins, ties and losses, with ties after rounding to 12 decimals, as everywhere."""
    ties = np.array([metric.least_difference(mean) for mean in right]) + _EQUAL
    return stats.win_tie_loss(np.where(np.abs(better) > ties, better, 0.0), 0.0)


def _reversed_without(datasets: Sequence[PairOnDataset]) -> list[str] | None:
    """Return the fewest data sets without which the order of the means reverses, if any."""
    few = stats.fewest_to_reverse([one.better for one in datasets])
    return None if few is None else [datasets[place].dataset for place in few]


def _fixed_ratio(datasets: Sequence[PairOnDataset]) -> stats.FixedRatio | None:
    """Return the ratio on exactly these data sets; a mean of 0 or a single fold gives none."""
    left = _columns([one.left_parts for one in datasets])
    right = _columns([one.right_parts for one in datasets])
    with suppress(ValueError):
        return stats.ratio_interval_fixed(left, right, LEVEL)
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


def _p_among_methods(standings: Standings, dataset: str, left: str, right: str) -> float:
    """Return the p of two methods adjusted for all that are compared with the best, 0 otherwise."""
    best, *others = standings[dataset]
    of_others = {each.method: each.p for each in others}
    p = of_others.get(right if best.method == left else left, math.nan)
    return p if best.method in (left, right) and not math.isnan(p) else 0.0
