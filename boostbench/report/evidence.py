"""The verdict of a cell's runs on its printed mean: agrees, differs, or undecided.

The interval of measured - printed, its margin and the ways to a standard error are those of
:mod:`boostbench.stats`. From one or two partitions the printed standard error follows from the
printed sd, whose whole variance is taken as that between folds; from three or more partitions of
the same rows the printed mean counts as one more partition.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.design import Design
from boostbench.papers.metrics import Metric
from boostbench.report.printed import Printed
from boostbench.report.runs import scores
from boostbench.stats.paired import mean_of_folds, whole_partitions

Scores = NDArray[np.float64]
AGREES, DIFFERS, UNDECIDED, NOT_COMPARABLE = "agrees", "differs", "undecided", "not comparable"
_VERDICT = {
    stats.Verdict.EQUIVALENT: AGREES,
    stats.Verdict.DIFFERENT: DIFFERS,
    stats.Verdict.INCONCLUSIVE: UNDECIDED,
}
MOST_LEFT_OUT = 0.1
"""Above this share of printed runs that are left out, no verdict but *undecided*."""
LEAST_PARTITIONS = 3


_NOTHING: dict[str, object] = {
    "verdict": "", "margin": math.nan, "way": "", "low": math.nan, "high": math.nan,
    "p_equivalent": math.nan, "p_different": math.nan, "because": "", "seeds_to_decide": None,
    "partitions_to_decide": None, "to_decide": "",
}  # fmt: skip
_MORE = {"seeds_to_decide": "seeds per fold", "partitions_to_decide": "split seeds"}


class Way(NamedTuple):
    """A ``difference`` of means, its standard error, and how many ``more`` decide at a margin."""

    name: str
    difference: float
    error: stats.StandardError | stats.PartitionError
    more: str
    number: Callable[[float], int | None]


def test_ratio(runs: pd.DataFrame) -> float:
    """Return n_test / n_train, the mean over finished runs; 0 where it is not recorded."""
    test, rows = runs.n_test.to_numpy(), runs.n_rows.to_numpy()
    known = (test > 0) & (rows > test)
    return float(np.mean(test[known] / (rows - test)[known])) if known.any() else 0.0


def evidence(
    kept: pd.DataFrame, ratio: float, metric: Metric, printed: Printed | None
) -> dict[str, Any]:
    """Return the verdict of the runs that are ``kept`` in a cell's mean on the printed mean.

    ``ratio`` is the size of the test parts to that of the training parts. ``low`` to ``high`` is
    the 90 % interval of the difference of the mean of fold means, ``way`` the source of its
    standard error: "folds", "partitions" or "rows". ``because`` says why the verdict is *undecided*
    whatever the interval. ``seeds_to_decide`` per fold or ``partitions_to_decide`` would decide;
    ``to_decide`` says so in words, or that no number does. Unknown values are NaN, "" or ``None``,
    as is the margin if nothing is compared.
    """
    if printed is None or kept.empty or printed.not_comparable:
        not_comparable = printed is not None and printed.not_comparable
        return _NOTHING | ({"verdict": NOT_COMPARABLE} if not_comparable else {})
    array, value, design = scores(kept), printed.value, printed.design
    whole = whole_partitions(array)
    margin = metric.margin(value.mean, printed.sd)
    found = _NOTHING | {"verdict": UNDECIDED, "margin": margin}
    because = ""
    if printed.left_out > MOST_LEFT_OUT:
        because = f"{100 * printed.left_out:.0f} % of the printed runs are left out"
    if design is None:
        return found | {"because": because or "the paper does not say how it split the rows"}
    found["because"] = because = because or _incomplete(array, design)
    all_folds = array.shape[1] == design.split.folds
    if printed.same_rows and all_folds and len(whole) >= LEAST_PARTITIONS:
        way = _by_partitions(whole, printed, design)
    elif lacking := _no_printed_sd(printed, design):
        return found | {"because": because or lacking}
    else:
        way = _by_printed_sd(array, printed, design, ratio)
    error = way.error
    interval = stats.equivalence(way.difference, error.se, error.df, margin, value.rounding)
    found["way"] = way.name
    for name in ("low", "high", "p_equivalent", "p_different"):
        end = getattr(interval, name)
        found[name] = float(end) if end is not None and math.isfinite(end) else math.nan
    if not because:
        found["verdict"] = _VERDICT[interval.verdict]
        if found["verdict"] == UNDECIDED:
            found[way.more] = number = way.number(margin)
            words = f"{number:,} {{}} would decide" if number else "no known number of {} decides"
            found["to_decide"] = words.format(_MORE[way.more])
    return found


def _no_printed_sd(printed: Printed, design: Design) -> str:
    """Return why the printed sd gives no standard error of the printed mean, "" if it does."""
    if printed.value.sd is None:
        return "no sd is printed"
    if printed.sd is None:
        return "no scores can have the printed sd"
    return "the printed mean is over one fold" if design.parts < 2 else ""


def _incomplete(array: Scores, design: Design) -> str:
    """Return which folds are missing, as a partition needs all of its folds."""
    have = int((~np.isnan(array).all(axis=2)).sum(axis=1).max())
    if design.split.split in ("kfold", "stratified") and have < design.split.folds:
        verb = "has" if have == 1 else "have"
        return f"{have} of {design.split.folds} folds {verb} a finished run"
    return "" if have > 1 or len(array) >= LEAST_PARTITIONS else "one split says nothing of others"


def _by_partitions(whole: Scores, printed: Printed, design: Design) -> Way:
    difference, rounding = mean_of_folds(whole) - printed.value.mean, printed.value.rounding
    means = np.nanmean(whole, axis=2).mean(axis=1)
    seed = stats.variance_components(whole.reshape(-1, whole.shape[-1])).seed
    counts = (~np.isnan(whole)).sum(axis=2)
    error = stats.partition_se(
        means,
        # One seed per fold cannot separate the two: the variance then counts as that of folds.
        0.0 if np.isnan(seed) else seed,
        whole.shape[1],
        max(1, round(len(counts.ravel()) / float(np.sum(1.0 / counts)))),
        design.seeds,
        design.partitions,
    )
    variance, least = float(np.var(means, ddof=1)), error.one
    number = partial(stats.partitions_to_decide, difference, variance, least_variance=least,
                     rounding=rounding)  # fmt: skip
    return Way("partitions", difference, error, "partitions_to_decide", number)


def _by_printed_sd(array: Scores, printed: Printed, design: Design, ratio: float) -> Way:
    assert printed.sd is not None
    difference, rounding = mean_of_folds(array) - printed.value.mean, printed.value.rounding
    # Further divisions count as further folds, as those of the measured runs do.
    if printed.same_rows:
        name, own, ratio = "folds", stats.se_over_partitions(array), 0.0
    else:
        name, own = "rows", stats.se_over_rows(array, ratio)
    # Overlapping training parts hide a part of the variance between means of other rows.
    wider = (1.0 + design.parts * ratio) ** 0.5
    printed_se = stats.published_se(printed.sd, design.parts, design.seeds)
    theirs = stats.StandardError(wider * printed_se, design.parts - 1.0)
    folds = array.reshape(-1, array.shape[-1])
    parts = stats.variance_components(folds)

    def number(margin: float) -> int | None:
        # One seed per fold says nothing about other numbers of seeds.
        return None if np.isnan(parts.fold) else stats.seeds_to_decide(
            difference, parts.fold, parts.seed, int((~np.isnan(folds).all(axis=1)).sum()), margin,
            test_ratio=ratio, other_se=theirs.se, other_df=theirs.df, rounding=rounding,
        )  # fmt: skip

    return Way(name, difference, stats.difference_se(own, theirs), "seeds_to_decide", number)
