"""What the runs of a cell say of its printed mean: agrees, differs, or undecided.

The interval of measured - printed, its margin and the ways to a standard error are those of
:mod:`boostbench.stats`. From one or two partitions the printed standard error follows from the
printed sd, all of whose variance is taken to be between folds; from three or more partitions of the
same rows the printed mean is one more partition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.design import Design
from boostbench.papers.metrics import Metric
from boostbench.report.printed import Printed
from boostbench.report.runs import scores
from boostbench.stats.paired import as_array, fold_means, whole_partitions

Scores = NDArray[np.float64]
AGREES, DIFFERS, UNDECIDED, NOT_COMPARABLE = "agrees", "differs", "undecided", "not comparable"
VERDICTS = (AGREES, DIFFERS, UNDECIDED)
_VERDICT = {
    stats.Verdict.EQUIVALENT: AGREES,
    stats.Verdict.DIFFERENT: DIFFERS,
    stats.Verdict.INCONCLUSIVE: UNDECIDED,
}
MOST_LEFT_OUT = 0.1
"""Above this share of printed runs that are left out, no verdict but *undecided*."""
LEAST_PARTITIONS = 3


@dataclass(frozen=True)
class Evidence:
    """The interval of measured - printed and what follows; ``None`` and "" where unknown.

    ``difference`` is that of the mean of fold means. ``way`` is what the standard error comes from:
    "folds", "partitions" or "rows". ``because`` says why the verdict is *undecided* whatever the
    interval. ``seeds`` per fold or ``partitions`` would decide; ``to_decide`` says so in words, or
    that none does.
    """

    difference: float
    margin: float
    way: str = ""
    interval: stats.Equivalence | None = None
    because: str = ""
    seeds: int | None = None
    partitions: int | None = None
    to_decide: str = ""

    @property
    def verdict(self) -> str:
        """Agrees, differs or undecided."""
        if self.because or self.interval is None:
            return UNDECIDED
        return _VERDICT[self.interval.verdict]

    def columns(self) -> Mapping[str, object]:
        """Return the columns of a cell."""
        ends = {
            name: _finite(getattr(self.interval, name, None))
            for name in ("low", "high", "p_equivalent", "p_different")
        }
        return {
            "verdict": self.verdict,
            "margin": self.margin,
            "way": self.way,
            **ends,
            "because": self.because,
            "seeds_to_decide": self.seeds,
            "partitions_to_decide": self.partitions,
            "to_decide": self.to_decide,
        }


def test_ratio(runs: pd.DataFrame) -> float:
    """Return n_test / n_train, the mean over finished runs; 0 where it is not recorded."""
    known = runs[runs.n_test.gt(0) & runs.n_rows.gt(runs.n_test)]
    if known.empty:
        return 0.0
    return float(np.mean((known.n_test / (known.n_rows - known.n_test)).to_numpy()))


def evidence(kept: pd.DataFrame, ratio: float, metric: Metric, printed: Printed) -> Evidence | None:
    """Return what the runs that are ``kept`` in a cell's mean say of the printed one.

    ``ratio`` is the size of the test parts to that of the training parts. ``None`` without a run,
    or where they cannot be compared.
    """
    if kept.empty or printed.not_comparable:
        return None
    array = as_array(scores(kept))
    value, design = printed.value, printed.design
    found = Evidence(
        difference=_mean(array) - value.mean,
        margin=metric.margin(value.mean, printed.sd),
        because=_too_many_left_out(printed),
    )
    if design is None:
        return _undecided(found, "the paper does not say how it split the rows")
    found = _undecided(found, _incomplete(array, design))
    whole = whole_partitions(array)
    all_folds = array.shape[1] == design.split.folds
    if printed.same_rows and all_folds and len(whole) >= LEAST_PARTITIONS:
        return _by_partitions(found, whole, printed, design)
    if value.sd is None:
        return _undecided(found, "no sd is printed")
    if printed.sd is None:
        return _undecided(found, "no scores can have the printed sd")
    if design.parts < 2:
        return _undecided(found, "the printed mean is over one fold")
    return _by_printed_sd(found, array, printed, design, ratio)


def _undecided(found: Evidence, because: str) -> Evidence:
    return replace(found, because=found.because or because)


def _too_many_left_out(printed: Printed) -> str:
    if printed.left_out <= MOST_LEFT_OUT:
        return ""
    return f"{100 * printed.left_out:.0f} % of the printed runs are left out"


def _incomplete(array: Scores, design: Design) -> str:
    """Return which folds are missing: folds of a partition complete each other."""
    have = int((~np.isnan(array).all(axis=2)).sum(axis=1).max())
    if design.split.split in ("kfold", "stratified") and have < design.split.folds:
        return f"{have} of {design.split.folds} folds have a finished run"
    return "" if have > 1 else "one split says nothing of others"


def _mean(array: Scores) -> float:
    return float(fold_means(array).mean())


def _finite(value: float | None) -> float:
    return float(value) if value is not None and math.isfinite(value) else math.nan


def _by_partitions(found: Evidence, whole: Scores, printed: Printed, design: Design) -> Evidence:
    found = replace(found, difference=_mean(whole) - printed.value.mean)
    means = np.nanmean(whole, axis=2).mean(axis=1)
    seed = stats.variance_components(whole.reshape(-1, whole.shape[-1])).seed
    counts = (~np.isnan(whole)).sum(axis=2)
    error = stats.partition_se(
        means,
        # One seed per fold cannot separate the two: all variance is then taken for that of folds.
        0.0 if np.isnan(seed) else seed,
        whole.shape[1],
        max(1, round(len(counts.ravel()) / float(np.sum(1.0 / counts)))),
        design.seeds,
        design.partitions,
    )
    margin, rounding = found.margin, printed.value.rounding
    interval = stats.equivalence(found.difference, error.se, error.df, margin, rounding)
    found = replace(found, way="partitions", interval=interval)
    if found.verdict != UNDECIDED or found.because:
        return found
    variance = float(np.var(means, ddof=1))
    number = stats.partitions_to_decide(
        found.difference, variance, margin, least_variance=error.one, rounding=rounding
    )
    if number is not None:
        return replace(found, partitions=number, to_decide=f"{number:,} split seeds would decide")
    least = stats.decidable_margin(found.difference, error.one**0.5, rounding=rounding)
    words = f"no number of runs decides: that takes a margin of {least:.3g}"
    return replace(found, to_decide=words)


def _by_printed_sd(
    found: Evidence, array: Scores, printed: Printed, design: Design, ratio: float
) -> Evidence:
    assert printed.sd is not None
    # Divisions anew are taken as further folds, as those of what is measured are.
    folds, seeds = design.parts, design.seeds
    if printed.same_rows:
        way, own, ratio = "folds", stats.se_over_partitions(array), 0.0
    else:
        way, own = "rows", stats.se_over_rows(array, ratio)
    # Means of other rows differ by what the overlap of training parts hides, on either side.
    wider = (1.0 + folds * ratio) ** 0.5
    theirs = stats.StandardError(wider * stats.published_se(printed.sd, folds, seeds), folds - 1.0)
    error = stats.difference_se(own, theirs)
    rounding = printed.value.rounding
    interval = stats.equivalence(found.difference, error.se, error.df, found.margin, rounding)
    found = replace(found, way=way, interval=interval)
    if found.verdict != UNDECIDED or found.because:
        return found
    return _with_seeds(found, array, theirs, ratio, rounding)


def _with_seeds(
    found: Evidence, array: Scores, theirs: stats.StandardError, ratio: float, rounding: float
) -> Evidence:
    folds = array.reshape(-1, array.shape[-1])
    parts = stats.variance_components(folds)
    more = f"; {LEAST_PARTITIONS} or more split seeds may" if found.way == "folds" else ""
    if np.isnan(parts.fold):
        return replace(found, to_decide=f"not known from one seed per fold{more}")
    number = stats.seeds_to_decide(
        found.difference,
        parts.fold,
        parts.seed,
        int((~np.isnan(folds).all(axis=1)).sum()),
        found.margin,
        test_ratio=ratio,
        other_se=theirs.se,
        other_df=theirs.df,
        rounding=rounding,
    )
    if number is not None:
        return replace(found, seeds=number, to_decide=f"{number:,} seeds per fold would decide")
    return replace(found, to_decide=f"no number of seeds decides{more}")
