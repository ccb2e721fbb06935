"""The best method of each data set, how certain that is, and mean ranks over data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.report.runs import Runs
from boostbench.report.verdicts import LEAST_PARTITIONS, test_ratio
from boostbench.stats.paired import fold_means, mean_of_folds, whole_partitions

Floats = NDArray[np.float64]
ALPHA = 0.05
NAN = float("nan")
ONE_SPLIT = "one split"
WINDOWS = "windows"
LEAST_METHODS = 3
"""The fewest methods that are ranked."""
LEAST_DATASETS = 5
"""The fewest data sets for a statement about others like them."""


@dataclass(frozen=True)
class Standing:
    """A method on a data set: its mean, and by how much it is behind the best.

    ``low`` to ``high`` is the 95 % interval of that by itself. ``p`` is that of the corrected
    resampled t-test on fold means, adjusted by Holm over all methods compared with the best: it
    decides whether the method is worse, ``separate`` if it is below 5 %. One fold separates
    nothing, nor do ``windows``: splits that train on earlier test rows. For the best these are NaN
    and False, and ``best`` is true. ``splits`` is the number of splits on which it is compared with
    the best.
    """

    method: str
    mean: float
    best: bool = False
    behind: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    separate: bool = False
    splits: int = 0
    windows: bool = False

    @property
    def apart_alone(self) -> bool:
        """Whether only its interval, which is not adjusted, lies wholly above 0."""
        return self.low > 0.0 and not (self.separate or self.best)


@dataclass(frozen=True)
class PairOnDataset:
    """Two methods on a data set, over the ``runs`` that both have.

    ``left`` and ``right`` are their means; ``left_parts`` and ``right_parts`` are means of complete
    partitions if there are three or more, else of folds: the units that another partition of these
    rows would change. ``better`` is by how much the left mean is better, whatever the metric's
    direction, with the 95 % interval ``low`` to ``high`` for new rows of the same kind, from so
    many ``splits``. ``p`` is that of the corrected resampled t-test (NaN from one fold, and from
    ``windows``, splits that train on earlier test rows, which have no interval either), and
    ``p_holm`` that adjusted for the data sets and for the methods with which it is compared.
    """

    dataset: str
    left: float
    right: float
    better: float
    low: float
    high: float
    runs: int
    splits: int
    left_parts: Sequence[float]
    right_parts: Sequence[float]
    p: float
    p_holm: float = NAN
    windows: bool = False


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


def standings(results: Runs, dataset: str) -> list[Standing]:
    """Return the methods with finished runs on a data set, the best first.

    A method is best if its mean, as the report writes it, is not worse than that of any other, pair
    by pair over common runs. No method is best if two of them have no common run, so that they
    cannot be compared.
    """
    metric = results.metric
    runs = {method.label: results.of(dataset, method.label) for method in results.methods}
    means = {label: float(own.score.mean()) for label, own in runs.items() if len(own)}
    best = _best(results, dataset, list(means))
    order = sorted(means, key=lambda label: (label not in best, -metric.sign * means[label]))
    tests = {label: compare_on(results, dataset, order[0], label) for label in order[1:]}
    # Methods that cannot be compared with the best are left out.
    adjusted = _adjusted({label: test for label, test in tests.items() if label not in best})
    made = []
    for label in order:
        standing, test = Standing(label, means[label], label in best), tests.get(label)
        if test is not None:
            standing = replace(
                standing,
                behind=test.better,
                low=test.low,
                high=test.high,
                splits=test.splits,
                windows=test.windows,
            )
        if best and label in adjusted:
            p = adjusted[label]
            standing = replace(standing, p=p, separate=p < ALPHA)
        made.append(standing)
    return made


def _adjusted(tests: Mapping[str, PairOnDataset | None]) -> dict[str, float]:
    """Return the p of each comparison, adjusted by Holm for all; a missing one counts as 1."""
    raw = {label: NAN if test is None else test.p for label, test in tests.items()}
    if not raw:
        return {}
    adjusted = stats.holm(np.nan_to_num([*raw.values()], nan=1.0))
    return {
        label: float(p)
        for (label, known), p in zip(raw.items(), adjusted, strict=True)
        if not np.isnan(known)
    }


def _best(results: Runs, dataset: str, labels: Sequence[str]) -> list[str]:
    beaten = set()
    for pair in combinations(labels, 2):
        shared = results.shared(dataset, pair)
        if not shared:
            return []
        a, b = (results.metric.rounded(float(np.nanmean(scores))) for scores in shared)
        if a != b:
            beaten.add(pair[0] if a < b else pair[1])
    return [label for label in labels if label not in beaten]


def certainty(own: Sequence[Standing]) -> str:
    """Return ``sure``, ``partly sure`` or ``not sure``, "" without another method.

    Or else ``one split`` or ``windows``, which decide nothing: one split cannot tell a difference
    from chance, and windows train on earlier test rows.
    """
    others = own[1:]
    if not others:
        return ""
    if max(each.splits for each in others) == 1:
        return ONE_SPLIT
    if any(each.windows for each in others):
        return WINDOWS
    separate = sum(each.separate for each in others)
    return "sure" if separate == len(others) else "partly sure" if separate else "not sure"


def compare_on(results: Runs, dataset: str, left: str, right: str) -> PairOnDataset | None:
    """Return the comparison of two methods on a data set, ``None`` without common runs."""
    metric, shared = results.metric, results.shared(dataset, (left, right))
    if not shared:
        return None
    a, b = shared
    paired = stats.paired_differences(a, b)
    differences = metric.sign * np.array(paired.differences)
    own = results.of(dataset, left)
    test = stats.corrected_ttest(differences, test_ratio(own))
    in_windows = bool(own.windows.any())
    if in_windows:
        test = replace(test, p=NAN, low=-np.inf, high=np.inf)
    mean_a, mean_b = mean_of_folds(a), mean_of_folds(b)
    return PairOnDataset(
        dataset=dataset,
        left=mean_a,
        right=mean_b,
        better=metric.sign * (mean_a - mean_b),
        low=test.low,
        high=test.high,
        runs=paired.runs,
        splits=len(differences),
        left_parts=_parts(a),
        right_parts=_parts(b),
        p=test.p,
        windows=in_windows,
    )


def _parts(values: Floats) -> list[float]:
    whole = whole_partitions(values)
    if len(whole) >= LEAST_PARTITIONS:
        return [mean_of_folds(one) for one in whole]
    return [float(mean) for mean in fold_means(values)]


def common_means(results: Runs, labels: Sequence[str]) -> dict[str, list[float]]:
    """Return the means of methods over their common runs, by data set on which there are any."""
    shared = {data.label: results.shared(data.label, labels) for data in results.counted}
    return {name: [*map(mean_of_folds, own)] for name, own in shared.items() if own}


def rank_methods(results: Runs) -> Ranking | None:
    """Return the ranks of three methods or more, ``None`` where they share too few data sets."""
    labels = results.with_runs
    if len(labels) < LEAST_METHODS:
        return None
    means = common_means(results, labels)
    if len(means) < LEAST_DATASETS:
        return None
    left_out = [data.label for data in results.counted if data.label not in means]
    higher = results.metric.greater_is_better
    test = stats.friedman([*means.values()], greater_is_better=higher)
    cd = stats.nemenyi_cd(len(labels), len(means))
    return Ranking(labels, list(means), test, cd, left_out)
