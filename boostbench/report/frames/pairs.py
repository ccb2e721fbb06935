"""Two methods on one data set: their difference, its test, and the one adjusted p that decides.

The family of tests over which a p is adjusted is all comparisons of one reference method on the
data set. The reference of a pair is the best method of the data set if it is one of the two, else
the method of the user's own, else the one that the experiment names first.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.report.frames.runs import Runs, test_ratio
from boostbench.stats.paired import (
    LEAST_PARTITIONS,
    fold_means,
    mean_of_folds,
    whole_partitions,
)

Floats = NDArray[np.float64]
ALPHA = 0.05
EQUAL = 5e-13
"""Means that are no further apart are equal, as after rounding to 12 decimals."""
MOST_METHODS = 6
"""The most methods that are compared in all pairs, and not only with the first one."""


class PairVerdict(StrEnum):
    """Whether the first method of a pair is better than the second on a data set.

    One split cannot tell a difference from chance, and windows train on earlier test rows: they
    decide nothing.
    """

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    ONE_SPLIT = "one split"
    WINDOWS = "windows"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two methods, ``method`` and ``against``, over the ``runs`` that both have.

    ``mean`` and ``mean_against`` are their means, and ``better`` is by how much the first is
    better. ``p`` is that of their test, NaN where there is none. ``p_adjusted`` is it after Holm's
    adjustment for the ``comparisons`` of its family, NaN where there is one, so that nothing is
    adjusted.
    """

    method: str
    against: str
    mean: float
    mean_against: float
    runs: int
    better: float
    p: float
    comparisons: int = 1
    p_adjusted: float = math.nan

    @property
    def is_tested(self) -> bool:
        """Whether there is a test of the two."""
        return not math.isnan(self.p)

    @property
    def p_deciding(self) -> float:
        """The p that decides: the adjusted one, or where nothing is adjusted ``p`` itself."""
        return self.p if math.isnan(self.p_adjusted) else self.p_adjusted

    @property
    def verdict(self) -> PairVerdict | None:
        """Whether the first method is better, ``None`` without a test."""
        if not self.is_tested:
            return None
        if self.p_deciding >= ALPHA:
            return PairVerdict.UNDECIDED
        return PairVerdict.BETTER if self.better > 0 else PairVerdict.WORSE


AnyPair = TypeVar("AnyPair", bound=Pair)


def adjusted(family: Sequence[AnyPair]) -> list[AnyPair]:
    """Return all pairs of one family with p adjusted by Holm's method; an unknown one counts."""
    after = holm([each.p for each in family])
    return [
        replace(each, comparisons=len(family), p_adjusted=p)
        for each, p in zip(family, after, strict=True)
    ]


def holm(family: Sequence[float]) -> list[float]:
    """Return all p of one family, adjusted by Holm's method; an unknown one counts as 1.

    NaN where p is unknown or the only one, so that nothing is adjusted.
    """
    p = np.array(family)
    if len(p) < 2:
        return [math.nan] * len(p)
    after = stats.holm(np.nan_to_num(p, nan=1.0))
    return [float(value) for value in np.where(np.isnan(p), np.nan, after)]


@dataclass(frozen=True, kw_only=True)
class PairOnDataset(Pair):
    """Two methods on a data set.

    ``mean`` and ``mean_against`` are means of folds; ``parts`` and ``parts_against`` are means of
    complete partitions if there are three or more, else of folds: the units that another partition
    of these rows would change. ``better`` is by how much the first mean is better, whatever the
    metric's direction, with the 95 % interval ``low`` to ``high`` for new rows of the same kind,
    from so many ``splits``. ``p`` is that of the corrected resampled t-test on fold means (NaN from
    one fold, and from ``windows``, which have no interval either), adjusted for all comparisons of
    the ``reference``, one of the two, on the data set.
    """

    dataset: str
    low: float
    high: float
    splits: int
    parts: Sequence[float]
    parts_against: Sequence[float]
    windows: bool = False
    reference: str = ""

    @property
    def verdict(self) -> PairVerdict:
        """Whether the first method is better, or why no test says that."""
        without_test = PairVerdict.ONE_SPLIT if self.splits < 2 else PairVerdict.WINDOWS
        return super().verdict or without_test

    def seen_from(self, method: str) -> Self:
        """Return the pair with ``method``, which is one of the two, as the first."""
        if method == self.method:
            return self
        return replace(
            self,
            method=self.against,
            against=self.method,
            mean=self.mean_against,
            mean_against=self.mean,
            better=-self.better,
            low=-self.high,
            high=-self.low,
            parts=self.parts_against,
            parts_against=self.parts,
        )


def own_methods(results: Runs) -> list[str]:
    """Return the labels of the methods of the user's own, none where all methods are.

    They are those of the user's own code; without such code, the estimators that the experiment
    names itself, and that are no registered methods.
    """
    coded = {trial.method for trial in results.planned if trial.like.code}
    named = {method.label for method in results.methods if method.is_own or not method.registered}
    labels = [method.label for method in results.methods]
    own = [label for label in labels if label in (coded or named)]
    return own if len(own) < len(labels) else []


def ordered_pairs(results: Runs) -> Iterator[tuple[str, str, bool]]:
    """Yield all pairs of methods with runs, and whether a pair is shown over data sets.

    An own method comes first. With more than :data:`MOST_METHODS` only the pairs of own methods are
    shown or, without any, those of the first method, which is then the second of each pair.
    """
    labels, own = results.with_runs, own_methods(results)
    is_many = len(labels) > MOST_METHODS
    for a, b in combinations(labels, 2):
        if own:
            first, second = (a, b) if a in own or b not in own else (b, a)
            is_shown = first in own
        else:
            first, second = (b, a) if is_many and a == labels[0] else (a, b)
            is_shown = second == labels[0]
        yield first, second, is_shown or not is_many


def pairs_on(results: Runs, dataset: str) -> list[PairOnDataset]:
    """Return the pairs of methods that have common runs on a data set, with their adjusted p."""
    done = results.done[results.done.dataset == dataset]
    ratio = test_ratio(done)
    pairs = [
        _compare(dataset, (method, against), shared, results.metric.sign, ratio)
        for method, against, _ in ordered_pairs(results)
        if (shared := results.shared(dataset, (method, against)))
    ]
    if done.windows.any():
        pairs = [_without_test(pair) for pair in pairs]
    labels = [m.label for m in results.methods if len(results.of(dataset, m.label))]
    references = [*best_methods(pairs, labels), *own_methods(results), *labels]
    return _adjusted(pairs, list(dict.fromkeys(references)))


def best_methods(pairs: Sequence[PairOnDataset], labels: Sequence[str]) -> list[str]:
    """Return the methods with a mean that no other one exceeds; several are tied.

    ``labels`` are all methods with runs on the data set. Means are compared pair by pair, unrounded
    and over common runs. None is the best where two methods have no common run.
    """
    if len(pairs) < math.comb(len(labels), 2):
        return []
    unequal = [pair for pair in pairs if abs(pair.better) > EQUAL]
    beaten = {pair.against if pair.better > 0 else pair.method for pair in unequal}
    return [label for label in labels if label not in beaten]


def _adjusted(pairs: Sequence[PairOnDataset], references: Sequence[str]) -> list[PairOnDataset]:
    """Return pairs with p adjusted; of the two methods the earlier of ``references`` is it."""
    made: dict[tuple[str, str], PairOnDataset] = {}
    for reference in references:
        for pair in adjusted([p for p in pairs if reference in (p.method, p.against)]):
            made.setdefault((pair.method, pair.against), replace(pair, reference=reference))
    return [made[pair.method, pair.against] for pair in pairs]


def _compare(
    dataset: str, methods: tuple[str, str], shared: Sequence[Floats], sign: int, ratio: float
) -> PairOnDataset:
    """Return the comparison of two methods by their scores in ``shared`` runs on a data set.

    ``sign`` is that of a gain, ``ratio`` the size of the test parts to that of the training parts.
    """
    a, b = shared
    paired = stats.paired_differences(a, b)
    differences = sign * np.array(paired.differences)
    test = stats.corrected_ttest(differences, ratio)
    mean, mean_against = mean_of_folds(a), mean_of_folds(b)
    return PairOnDataset(
        dataset=dataset,
        method=methods[0],
        against=methods[1],
        mean=mean,
        mean_against=mean_against,
        better=sign * (mean - mean_against),
        low=test.low,
        high=test.high,
        runs=paired.runs,
        splits=len(differences),
        parts=_parts(a),
        parts_against=_parts(b),
        p=test.p,
    )


def _without_test(pair: PairOnDataset) -> PairOnDataset:
    """Return a pair on windows, which overlap too much for a test or an interval."""
    return replace(pair, windows=True, p=math.nan, low=-math.inf, high=math.inf)


def _parts(values: Floats) -> list[float]:
    whole = whole_partitions(values)
    if len(whole) >= LEAST_PARTITIONS:
        return [mean_of_folds(one) for one in whole]
    return [float(mean) for mean in fold_means(values)]
