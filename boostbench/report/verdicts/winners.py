"""The best method of each data set, and how certain that is."""

import numpy as np
import pandas as pd

from boostbench.report.frames.pairs import PairVerdict, best_methods

_OF_PAIR = ["better", "low", "high", "p_deciding", "comparisons", "limit", "verdict"]


def standings(cells: pd.DataFrame, pairs: pd.DataFrame, sign: int) -> pd.DataFrame:
    """Return a row for each cell with a mean, on each data set the best first.

    ``is_best`` is true for a method that no other one exceeds, of which several may be tied; no
    method is best if two of them have no common run, so that they cannot be compared. All other
    columns are those of the pair of the first of these against the method, unknown for that first
    one itself.
    """
    made = cells.loc[cells["mean"].notna(), ["dataset", "method", "mean"]]
    best = {
        (dataset, label)
        for dataset, own in made.groupby("dataset")
        for label in best_methods(pairs[pairs.dataset == dataset], list(own.method))
    }
    is_best = [key in best for key in zip(made.dataset, made.method, strict=True)]
    made = made.assign(is_best=np.array(is_best, dtype=bool))
    place = pd.factorize(made.dataset)[0]
    order = made.assign(place=place, is_beaten=~made.is_best, worse=-sign * made["mean"])
    made = made.loc[order.sort_values(["place", "is_beaten", "worse"]).index]
    first = made[made.is_best].drop_duplicates("dataset")[["dataset", "method"]]
    behind = pairs.merge(first, on=["dataset", "method"]).set_index(["dataset", "against"])
    return made.join(behind[_OF_PAIR], on=["dataset", "method"]).reset_index(drop=True)


def is_separate(standings: pd.DataFrame) -> "pd.Series[bool]":
    """Return for which methods the test decides that they are worse than the best."""
    return standings.verdict == PairVerdict.BETTER


def certainty(own: pd.DataFrame) -> str:
    """Return ``sure``, ``partly sure`` or ``not sure`` of the standings on a data set.

    "" without another method, ``one split`` or ``windows`` where these decide nothing.
    """
    behind = own[own.verdict.notna()]
    if behind.empty:
        return ""
    if (behind.limit == PairVerdict.ONE_SPLIT).all():
        return PairVerdict.ONE_SPLIT
    if (behind.limit == PairVerdict.WINDOWS).any():
        return PairVerdict.WINDOWS
    separate = is_separate(behind)
    return "sure" if separate.all() else "partly sure" if separate.any() else "not sure"
