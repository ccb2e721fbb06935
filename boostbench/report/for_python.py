"""Results as frames of numbers: means, pairs of methods, mean ranks; for Python and for JSON.

Their columns are described in ``docs/reference/results-in-python.md``. Scores are as
recorded, not scaled to percent, and what is unknown is NaN.
"""

from collections.abc import Hashable

import pandas as pd

from boostbench.errors import ConfigError
from boostbench.report.document.columns import FRAME, Shown, columns_in
from boostbench.report.frames.over_datasets import why_no_ranks
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences.elsewhere import REMARK

PAIRS = [
    "dataset",
    "method",
    "against",
    "mean",
    "mean_against",
    "difference",
    "low",
    "high",
    "runs",
    "splits",
    "p",
    "reference",
    "comparisons",
    "p_adjusted",
    "verdict",
]
"""The columns of :func:`pairs`."""
RANKS = {
    "method": "str",
    "rank": "float",
    "behind": "float",
    "separate": "bool",
    "datasets": "int",
    "friedman_chi2": "float",
    "friedman_p": "float",
    "nemenyi_cd": "float",
}
"""The columns of :func:`ranks` and their types."""
Row = dict[str, object]


def means(results: ReportData) -> pd.DataFrame:
    """Return a row per planned data set and method, in the order of the plan.

    Runs that others made have one more column, ``source``, which says so.
    """
    columns = columns_in(FRAME, results.metric)
    shown = [Shown(cell, results) for cell in results.only_cells]
    values = {str(name): list(map(column.value, shown)) for name, column in columns}
    frame = pd.DataFrame(values).astype({str(name): column.dtype for name, column in columns})
    return frame.assign(source=REMARK) if results.elsewhere else frame


def pairs(results: ReportData) -> pd.DataFrame:
    """Return a row per data set and pair of methods that have runs in common there."""
    counted = [data.label for data in results.counted]
    made = results.pairs[results.pairs.is_first & results.pairs.dataset.isin(counted)]
    # The interval is of the difference, whichever direction is better.
    ends = results.metric.sign * made[["low", "high"]]
    made = made.assign(low=ends.min(axis=1), high=ends.max(axis=1))
    return made[PAIRS].reset_index(drop=True)


def ranks(results: ReportData) -> pd.DataFrame:
    """Return a row per method, the best mean rank first.

    Raises ConfigError where there are too few methods, or data sets that all of them have.
    """
    ranking = results.ranking
    if ranking is None:
        raise ConfigError(why_no_ranks(results))
    test = ranking.friedman
    best = min(test.ranks)
    rows: list[Row] = [
        {
            "method": method,
            "rank": rank,
            "behind": rank - best,
            "separate": rank - best > ranking.cd,
            "datasets": len(ranking.datasets),
            "friedman_chi2": test.chi2,
            "friedman_p": test.p,
            "nemenyi_cd": ranking.cd,
        }
        for rank, method in sorted(zip(test.ranks, ranking.methods, strict=True))
    ]
    return pd.DataFrame(rows).astype(RANKS)


def records(frame: pd.DataFrame) -> list[dict[Hashable, object]]:
    """Return the rows of a frame as values of JSON's types: what is unknown is None."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")
