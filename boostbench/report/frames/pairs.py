"""The frame of pairs: two methods on one data set, their difference, and what it decides.

The family of tests over which a p is adjusted is all comparisons of one reference method on the
data set. The reference of a pair is the best method of the data set if it is one of the two, else
the method of the user's own, else the one that the experiment names first.
"""

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import stats
from boostbench.report.frames.runs import Runs, test_ratio
from boostbench.report.sentences.caveats import Caveats
from boostbench.stats.paired import (
    LEAST_PARTITIONS,
    as_array,
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


class PairColumn(NamedTuple):
    """A column of the frame of pairs; what is unknown is NaN or empty."""

    dtype: str
    meaning: str


COLUMNS = {
    "dataset": PairColumn("str", "the label of the data set"),
    "method": PairColumn("str", "the label of the first method"),
    "against": PairColumn("str", "the label of the second method"),
    "is_first": PairColumn("bool", "whether it is shown so, and not with the second one first"),
    "is_shown": PairColumn("bool", "whether the pair is shown over data sets"),
    "mean": PairColumn("float64", "the first mean of folds over the runs that both have"),
    "mean_against": PairColumn("float64", "the second mean of folds over the same runs"),
    "difference": PairColumn("float64", "the first mean less the second"),
    "better": PairColumn("float64", "by how much the first is better, whatever the metric"),
    "low": PairColumn("float64", "the lower end of the 95 % interval of that for other rows"),
    "high": PairColumn("float64", "its upper end"),
    "parts": PairColumn("object", "the first means of what another partition would change"),
    "parts_against": PairColumn("object", "the second means of the same partitions or folds"),
    "runs": PairColumn("int64", "the runs that both have"),
    "splits": PairColumn("int64", "the folds or splits with such runs"),
    "limit": PairColumn("str", "why nothing is decided: one split or windows, or nothing"),
    "same_test_rows": PairColumn("bool", "whether several training sets have one test set"),
    "groups": PairColumn("bool", "whether the units of the test are groups of rows"),
    "p": PairColumn("float64", "that of the corrected resampled t-test on fold means"),
    "reference": PairColumn("str", "the one of the two with which others are compared"),
    "comparisons": PairColumn("int64", "the comparisons of the reference on the data set"),
    "p_adjusted": PairColumn("float64", "p after Holm's adjustment for these, if several"),
    "p_deciding": PairColumn("float64", "the adjusted p, or p where nothing is adjusted"),
    "verdict": PairColumn("str", "whether the first is better, a PairVerdict"),
}
"""The columns of the frame of pairs by name."""
DTYPES = {name: column.dtype for name, column in COLUMNS.items()}
_TURNED = {
    "method": "against",
    "against": "method",
    "mean": "mean_against",
    "mean_against": "mean",
    "parts": "parts_against",
    "parts_against": "parts",
}
"""The columns from the other side."""


class Tested(NamedTuple):
    """The test of a difference over so many runs and splits, without values if it has a limit."""

    runs: int
    splits: int
    limit: str
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan


def tested(a: Floats, b: Floats, ratio: float, windows: bool, sign: int) -> Tested:
    """Return the corrected resampled t-test of a - b, the scores of common runs, times a sign.

    ``ratio`` is the size of the test parts to that of the training parts.
    """
    paired = stats.paired_differences(a, b)
    differences = sign * np.array(paired.differences)
    runs, splits = paired.runs, len(differences)
    if limit := limit_of(splits, windows):
        return Tested(runs, splits, limit)
    test = stats.corrected_ttest(differences, ratio)
    return Tested(runs, splits, "", test.low, test.high, test.p)


def limit_of(splits: int, windows: bool) -> str:
    """Return why so many splits say nothing of others, "" where they do."""
    if splits < 2:
        return PairVerdict.ONE_SPLIT
    return PairVerdict.WINDOWS if windows else ""


def verdict_of(p: float, better: float) -> PairVerdict:
    """Return the verdict of a test with this p that decides, on a difference."""
    if not p < ALPHA:
        return PairVerdict.UNDECIDED
    return PairVerdict.BETTER if better > 0 else PairVerdict.WORSE


def holm(p: pd.Series) -> pd.Series:
    """Return all p of one family, adjusted by Holm's method; an unknown one counts as 1.

    NaN where p is unknown or the only one, so that nothing is adjusted.
    """
    if len(p) < 2:
        return pd.Series(math.nan, p.index)
    return pd.Series(stats.holm(p.fillna(1.0).to_numpy()), p.index).where(p.notna())


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


def make_pairs(results: Runs) -> pd.DataFrame:
    """Return the frame of pairs: a row from either side of all that have common runs.

    The side that is shown comes first.
    """
    rows = [row for data in results.datasets for row in _rows_on(results, data.label)]
    first = pd.DataFrame(rows, columns=[*COLUMNS])
    second = first.rename(columns=_TURNED).assign(is_first=False, low=-first.high, high=-first.low)
    pairs = pd.concat([first, second]).sort_index(kind="stable").reset_index(drop=True)
    pairs["difference"] = pairs["mean"] - pairs.mean_against
    pairs["better"] = results.metric.sign * pairs.difference
    pairs = _adjusted(pairs, _references(results, pairs))
    pairs["p_deciding"] = pairs.p_adjusted.fillna(pairs.p)
    decided = zip(pairs.limit, pairs.p_deciding, pairs.better, strict=True)
    pairs["verdict"] = [limit or verdict_of(p, better) for limit, p, better in decided]
    return pairs.astype(DTYPES)


def _rows_on(results: Runs, dataset: str) -> Iterator[dict[str, object]]:
    """Yield the pairs of a data set as they are shown, with their tests before any adjustment."""
    done = results.done[results.done.dataset == dataset]
    limits = done[["windows", "same_test_rows", "groups"]].any()
    ratio, scores = test_ratio(done), results.scores_on[dataset]
    runs = scores.index.to_numpy()
    for method, against, is_shown in ordered_pairs(results):
        known = scores[[method, against]].to_numpy()
        both = ~np.isnan(known).any(axis=1)
        if not both.any():
            continue
        a, b = (as_array(runs[both], own) for own in known[both].T)
        yield {
            "dataset": dataset,
            "method": method,
            "against": against,
            "is_first": True,
            "is_shown": is_shown,
            "mean": mean_of_folds(a),
            "mean_against": mean_of_folds(b),
            "parts": _parts(a),
            "parts_against": _parts(b),
            "same_test_rows": limits.same_test_rows,
            "groups": limits.groups,
            **tested(a, b, ratio, limits.windows, results.metric.sign)._asdict(),
        }


def _parts(values: Floats) -> list[float]:
    """Return the means of complete partitions if there are three or more, else those of folds."""
    whole = whole_partitions(values)
    if len(whole) >= LEAST_PARTITIONS:
        return [mean_of_folds(one) for one in whole]
    return [float(mean) for mean in fold_means(values)]


def _references(results: Runs, pairs: pd.DataFrame) -> list[str]:
    """Return the reference of each pair."""
    labels, order = [method.label for method in results.methods], {}
    for dataset, own in pairs.groupby("dataset", sort=False):
        here = [label for label in labels if len(results.of(str(dataset), label))]
        order[dataset] = [*best_methods(own, here), *own_methods(results), *labels]
    named = zip(pairs.dataset, pairs.method, pairs.against, strict=True)
    return [min(two, key=order[dataset].index) for dataset, *two in named]


def best_methods(pairs: pd.DataFrame, labels: Sequence[str]) -> list[str]:
    """Return the methods of a data set with a mean that no other one exceeds; several are tied.

    ``labels`` are all methods with runs on the data set. Means are compared pair by pair, unrounded
    and over common runs. None is the best where two methods have no common run.
    """
    if len(pairs) < len(labels) * (len(labels) - 1):
        return []
    beaten = set(pairs.method[pairs.better < -EQUAL])
    return [label for label in labels if label not in beaten]


def _adjusted(pairs: pd.DataFrame, references: Sequence[str]) -> pd.DataFrame:
    """Return pairs with p adjusted in the family of their reference, equally from both sides."""
    pairs = pairs.assign(reference=references)
    by_method = pairs.groupby(["dataset", "method"], sort=False).p
    sides = pairs[["dataset", "method", "against"]].assign(
        comparisons=by_method.transform("size"), p_adjusted=by_method.transform(holm)
    )
    other = pairs.against.where(pairs.method == pairs.reference, pairs.method)
    of_reference = pd.MultiIndex.from_arrays([pairs.dataset, pairs.reference, other])
    families = sides.set_index(["dataset", "method", "against"]).reindex(of_reference)
    return pairs.assign(**{str(name): families[name].to_numpy() for name in families})


def is_adjusted(pairs: pd.DataFrame) -> bool:
    """Return whether the p of any pair is adjusted."""
    return bool((pairs.comparisons > 1).any())


def caveats_of(pairs: pd.DataFrame) -> Caveats:
    """Return what limits the comparisons of some pairs."""
    several = pairs[pairs.limit != PairVerdict.ONE_SPLIT]
    return Caveats(
        one_split=_datasets(pairs, pairs.limit == PairVerdict.ONE_SPLIT),
        windows=_datasets(pairs, pairs.limit == PairVerdict.WINDOWS),
        same_test_rows=_datasets(several, several.same_test_rows),
        groups=_datasets(several, several.groups),
    )


def _datasets(pairs: pd.DataFrame, are_of: pd.Series) -> list[str]:
    return list(pairs.dataset[are_of].unique())
