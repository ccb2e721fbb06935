"""Results as frames of numbers: means, pairs of methods, mean ranks; for Python and for JSON.

Their columns are described in ``docs/reference/results-in-python.md``. Scores are as
recorded, not scaled to percent, and what is unknown is NaN.
"""

import math
from collections.abc import Hashable, Mapping

import pandas as pd

from boostbench.errors import ConfigError
from boostbench.report.document.columns import FRAME, Shown, columns_in
from boostbench.report.frames.over_datasets import why_no_ranks
from boostbench.report.frames.pairs import PairOnDataset
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences.elsewhere import REMARK

PAIRS = {
    "dataset": "str",
    "method": "str",
    "against": "str",
    "mean": "float",
    "mean_against": "float",
    "difference": "float",
    "low": "float",
    "high": "float",
    "runs": "int",
    "splits": "int",
    "p": "float",
    "reference": "str",
    "comparisons": "int",
    "p_adjusted": "float",
    "verdict": "str",
}
"""The columns of :func:`pairs` and their types."""
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
    sign = results.metric.sign
    rows = [_pair(pair, sign) for data in results.counted for pair in results.pairs[data.label]]
    return _frame(rows, PAIRS)


def _pair(pair: PairOnDataset, sign: int) -> Row:
    """Return the row of a pair on a data set; ``sign`` is that of a gain in the metric."""
    is_tested = not math.isnan(pair.p)
    ends = sorted([sign * pair.low, sign * pair.high]) if is_tested else [math.nan, math.nan]
    same = {name: getattr(pair, name) for name in PAIRS if name != "difference"}
    difference = pair.mean - pair.mean_against
    own = {"difference": difference, "low": ends[0], "high": ends[1], "verdict": str(pair.verdict)}
    return same | own


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
    return _frame(rows, RANKS)


def records(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a frame as values of JSON's types: what is unknown is None."""
    return [_json_row(row) for row in frame.to_dict("records")]


def _json_row(row: Mapping[Hashable, object]) -> Row:
    return {str(name): None if value != value else value for name, value in row.items()}


def _frame(rows: list[Row], columns: dict[str, str]) -> pd.DataFrame:
    """Return rows as a frame with these columns and types, also where there are no rows."""
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)
