"""Methods against each other: over the runs that both have, then over data sets.

A mean of a method on a data set is that of its fold means, over the (split seed, fold, seed) runs
that all sides of the comparison have; over data sets the unit is the data set. A data set that is
published as one before it counts once. The formulas are those of :mod:`boostbench.stats`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.metrics import Metric
from boostbench.report.collect import Collected, Run
from boostbench.report.equivalence import LEAST_PARTITIONS, test_ratio
from boostbench.report.paired import Index, as_array, common, fold_means
from boostbench.report.reference import repeated

if TYPE_CHECKING:
    from boostbench.report.summary import Summary

T = TypeVar("T")
Floats = NDArray[np.float64]
Runs = Mapping[Index, "Run"]
LEAST_DATASETS = 5
"""With fewer data sets nothing is said of others like them."""
MOST_METHODS = 6
"""With more methods than these all are compared with the first one only, and not in all pairs."""
LEVEL = 0.95
DRAWS, DRAWS_SEED = 20_000, 0


@dataclass(frozen=True)
class OnDataset:
    """Two methods on one data set: means over the ``runs`` that both have, and of their parts.

    Parts are what another partition of these rows varies: partitions that have all folds where
    there are three or more, else folds.
    ``better`` is by how much the left mean is better, whatever the metric's direction. ``p`` is
    that of the corrected resampled t-test (NaN from one fold), ``p_holm`` adjusted for all data
    sets of the pair. ``exploded`` counts runs with R2 < 0 of the left and of the right method.
    """

    dataset: str
    left: float
    right: float
    better: float
    runs: int
    left_parts: Sequence[float]
    right_parts: Sequence[float]
    p: float
    p_holm: float
    exploded: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class PublishedRatio:
    """What the paper's rows of the same data sets say: their ratio with Fieller's interval.

    ``difference`` is that of the measured ratio on these data sets less the published one, with a
    percentile interval over resampled data sets.
    """

    tables: Sequence[str]
    datasets: int
    ratio: stats.Ratio
    difference: stats.Ratio | None


@dataclass(frozen=True)
class PairComparison:
    """Two methods over all data sets of which both have runs in common.

    Ratios are of the left mean over data sets to the right one: ``ratio`` with Fieller's interval,
    for data sets like these; ``fixed`` by the delta method, on exactly these; ``bootstrap`` (BCa).
    ``without`` is the ratio without the data set that changes it most. What takes
    :data:`LEAST_DATASETS`, or a positive mean on the right, is ``None`` otherwise. ``strict`` and
    ``practical`` count wins of the left method, without and with ties within the metric's
    tolerance. ``decided`` counts the data sets of which the corrected t-test decides after Holm,
    for the left and for the right method. ``without_exploded`` compares without the runs that have
    exploded on either side, ``None`` where there are none. ``lacking`` says which data sets are
    left out, and why.
    """

    left: str
    right: str
    metric: Metric
    datasets: Sequence[OnDataset]
    left_mean: float
    right_mean: float
    strict: stats.WinTieLoss
    practical: stats.WinTieLoss
    decided: tuple[int, int]
    wilcoxon: stats.Wilcoxon | None = None
    ratio: stats.Ratio | None = None
    fixed: stats.FixedRatio | None = None
    bootstrap: stats.Ratio | None = None
    without: tuple[str, stats.Ratio] | None = None
    published: PublishedRatio | None = None
    without_exploded: PairComparison | None = None
    lacking: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """The runs that both methods have, over all data sets."""
        return sum(each.runs for each in self.datasets)

    @property
    def exploded(self) -> tuple[int, int]:
        """The runs that have exploded among them, of the left and of the right method."""
        found = [each.exploded for each in self.datasets]
        return sum(left for left, _ in found), sum(right for _, right in found)


@dataclass(frozen=True)
class Ranking:
    """Friedman's test of all ``methods`` on the ``datasets`` that all of them have.

    ``friedman.ranks`` are mean ranks in the order of ``methods``, 1 the best. ``cd`` is Nemenyi's
    critical difference at 5 %, for a diagram only: pairs are tested by Wilcoxon. ``left_out`` are
    the data sets that not all methods have.
    """

    methods: Sequence[str]
    datasets: Sequence[str]
    friedman: stats.Friedman
    cd: float
    left_out: Sequence[str] = ()


@dataclass(frozen=True)
class Comparisons:
    """Every pair that is compared, with Wilcoxon's p adjusted by Holm for the family of them.

    ``against`` is the method that all others are compared with, "" for all pairs.
    """

    pairs: Sequence[PairComparison]
    p_holm: Sequence[float | None]
    against: str = ""
    ranking: Ranking | None = None


def compare_methods(summary: Summary) -> Comparisons | None:
    """Return the comparisons of the methods that have runs, ``None`` with fewer than two."""
    labels = _measured(summary)
    if len(labels) < 2:
        return None
    against = labels[0] if len(labels) > MOST_METHODS else ""
    wanted = [(other, against) for other in labels[1:]] if against else combinations(labels, 2)
    found = [_compare(summary.collected, *pair) for pair in wanted]
    pairs = [pair for pair in found if pair is not None]
    tested = [pair.wilcoxon.p for pair in pairs if pair.wilcoxon]
    adjusted = iter(stats.holm(tested).tolist() if tested else ())
    p_holm = [next(adjusted) if pair.wilcoxon else None for pair in pairs]
    return Comparisons(pairs, p_holm, against, rank_methods(summary)) if pairs else None


def compare_pair(summary: Summary, left: str, right: str) -> PairComparison:
    """Return two methods, by their labels, compared in full.

    Raises ValueError for a label that is not there, and where they have no run in common.
    """
    labels = [method.label for method in summary.methods]
    for label in (left, right):
        if label not in labels:
            raise ValueError(f"there is no method '{label}'; the methods are {', '.join(labels)}")
    found = _compare(summary.collected, left, right, draws=DRAWS)
    if found is None:
        raise ValueError(f"'{left}' and '{right}' have no finished run in common")
    without = None
    if any(found.exploded):
        without = _compare(summary.collected, left, right, keep_exploded=False)
    return replace(found, without_exploded=without, published=_published(summary, found))


def rank_methods(summary: Summary) -> Ranking | None:
    """Return the ranks of three methods or more, ``None`` where they share too few data sets."""
    collected, labels = summary.collected, _measured(summary)
    if len(labels) < 3:
        return None
    names, scores, left_out = [], [], []
    for dataset in _counted(collected):
        found = [collected.finished.get((dataset, label), {}) for label in labels]
        shared = common(*found)
        if shared:
            names.append(dataset)
            scores.append([_mean(_scores(runs, shared)) for runs in found])
        else:
            left_out.append(dataset)
    if len(names) < LEAST_DATASETS:
        return None
    test = stats.friedman(scores, greater_is_better=summary.metric.greater_is_better)
    return Ranking(labels, names, test, stats.nemenyi_cd(len(labels), len(names)), left_out)


def _measured(summary: Summary) -> list[str]:
    done = {cell.method for cell in summary.cells.values() if cell.finished}
    return [method.label for method in summary.methods if method.label in done]


def _counted(collected: Collected) -> list[str]:
    again = repeated(collected)
    return [data.label for data in collected.datasets if data.label not in again]


def _scores(runs: Runs, indices: Sequence[Index]) -> Floats:
    return as_array({index: runs[index].score or 0.0 for index in indices})


def _parts(scores: Floats) -> list[float]:
    whole = [one for one in scores if not np.isnan(one).all(axis=1).any()]
    if len(whole) >= LEAST_PARTITIONS:
        return [_mean(one) for one in whole]
    return [float(mean) for mean in fold_means(scores)]


def _mean(scores: Floats) -> float:
    return float(fold_means(scores).mean())


def _compare(
    collected: Collected, left: str, right: str, *, draws: int = 0, keep_exploded: bool = True
) -> PairComparison | None:
    """Return two methods compared, ``None`` where no run is common; a bootstrap takes ``draws``."""
    metric = collected.metric
    found: list[OnDataset] = []
    lacking: dict[str, str] = {}
    for dataset in _counted(collected):
        one = _on(collected, dataset, left, right, keep_exploded)
        if isinstance(one, str):
            lacking[dataset] = one
        else:
            found.append(one)
    for label, first in repeated(collected).items():
        lacking[label] = f"published as {first}, which counts"
    if not found:
        return None
    adjusted = stats.holm([1.0 if np.isnan(one.p) else one.p for one in found])
    datasets = [replace(one, p_holm=float(p)) for one, p in zip(found, adjusted, strict=True)]
    better = np.array([one.better for one in datasets])
    a, b = np.array([one.left for one in datasets]), np.array([one.right for one in datasets])
    # After rounding to 12 decimals, as all ties are.
    ties = np.array([metric.least_difference(one.right) for one in datasets]) + 5e-13
    decided = [np.sign(one.better) for one in datasets if one.p_holm < 1.0 - LEVEL]
    made = PairComparison(
        left=left,
        right=right,
        metric=metric,
        datasets=datasets,
        left_mean=float(a.mean()),
        right_mean=float(b.mean()),
        strict=stats.win_tie_loss(better, 0.0),
        practical=stats.win_tie_loss(np.where(np.abs(better) > ties, better, 0.0), 0.0),
        decided=(decided.count(1.0), decided.count(-1.0)),
        fixed=_fixed(datasets),
        lacking=lacking,
    )
    if len(datasets) < LEAST_DATASETS:
        return made
    made = replace(made, wilcoxon=stats.wilcoxon(better))
    if made.right_mean <= 0.0:
        return made
    made = replace(
        made,
        ratio=stats.ratio_interval(a, b, LEVEL),
        without=_or_none(lambda: _without(datasets, a, b)),
    )
    if not draws:
        return made
    picked = _indices(len(a), draws)
    return replace(made, bootstrap=_or_none(lambda: stats.ratio_bootstrap(a, b, picked, LEVEL)))


def _on(
    collected: Collected, dataset: str, left: str, right: str, keep_exploded: bool
) -> OnDataset | str:
    """Return two methods on a data set, or why they cannot be compared there."""
    metric = collected.metric
    sides = [collected.finished.get((dataset, label), {}) for label in (left, right)]
    for label, runs in zip((left, right), sides, strict=True):
        if not runs:
            return f"{label} has no finished run"
    shared = common(*sides)
    if not shared:
        return "no finished run in common"
    exploded = [{i for i in shared if metric.exploded(runs[i].score or 0.0)} for runs in sides]
    if not keep_exploded:
        shared = [index for index in shared if index not in exploded[0] | exploded[1]]
        if not shared:
            return f"all common runs have {metric.exploded_label}"
    a, b = (_scores(runs, shared) for runs in sides)
    differences = stats.paired_differences(a, b).differences
    test = stats.corrected_ttest(differences, test_ratio(list(sides[0].values())))
    mean_a, mean_b = _mean(a), _mean(b)
    return OnDataset(
        dataset=dataset,
        left=mean_a,
        right=mean_b,
        better=metric.sign * (mean_a - mean_b),
        runs=len(shared),
        left_parts=_parts(a),
        right_parts=_parts(b),
        p=test.p,
        p_holm=test.p,
        exploded=(len(exploded[0]), len(exploded[1])) if keep_exploded else (0, 0),
    )


def _fixed(datasets: Sequence[OnDataset]) -> stats.FixedRatio | None:
    most = max(len(one.left_parts) for one in datasets)

    def parts(side: Callable[[OnDataset], Sequence[float]]) -> Floats:
        found = np.full((len(datasets), most), np.nan)
        for row, one in enumerate(datasets):
            found[row, : len(side(one))] = side(one)
        return found

    left, right = parts(lambda one: one.left_parts), parts(lambda one: one.right_parts)
    return _or_none(lambda: stats.ratio_interval_fixed(left, right, LEVEL))


def _or_none(made: Callable[[], T]) -> T | None:
    """Return what ``made`` returns, ``None`` where a mean of 0 or a lone fold gives no ratio."""
    try:
        return made()
    except ValueError:
        return None


def _indices(n: int, draws: int) -> NDArray[np.int64]:
    return np.random.default_rng(DRAWS_SEED).integers(n, size=(draws, n))


def _without(datasets: Sequence[OnDataset], a: Floats, b: Floats) -> tuple[str, stats.Ratio]:
    place = stats.ratio_means(a, b).carrier
    rest = np.arange(len(a)) != place
    return datasets[place].dataset, stats.ratio_interval(a[rest], b[rest], LEVEL)


def _published(summary: Summary, pair: PairComparison) -> PublishedRatio | None:
    """Return the paper's ratio on the same data sets, of methods that are meant as the paper's."""
    ours, theirs, tables = [], [], set()
    for one in pair.datasets:
        cells = [summary.cell(one.dataset, label) for label in (pair.left, pair.right)]
        printed = [cell.published for cell in cells if cell.counts and cell.meant]
        known = [value for value in printed if value is not None]
        if len(known) == len(cells):
            ours.append((one.left, one.right))
            theirs.append([value.mean for value in known])
            tables |= {value.table for value in known}
    if len(ours) < LEAST_DATASETS:
        return None
    (a, b), (theirs_a, theirs_b) = np.array(ours).T, np.array(theirs).T
    ratio = stats.ratio_interval(theirs_a, theirs_b, LEVEL)
    picked = _indices(len(ours), DRAWS)
    difference = None
    if min(b[picked].mean(axis=1).min(), theirs_b[picked].mean(axis=1).min()) > 0.0:
        drawn = a[picked].mean(axis=1) / b[picked].mean(axis=1)
        drawn -= theirs_a[picked].mean(axis=1) / theirs_b[picked].mean(axis=1)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        gap = float(a.mean() / b.mean()) - ratio.ratio
        difference = stats.Ratio(gap, float(low), float(high))
    return PublishedRatio(sorted(tables), len(ours), ratio, difference)
