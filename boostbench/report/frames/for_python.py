"""Results as frames of numbers: means, pairs of methods, mean ranks; for Python and for JSON.

Their columns are described in ``docs/results-in-python.md``. Scores are as recorded, not scaled to
percent, and what is unknown is NaN.
"""

import math
from collections.abc import Hashable, Mapping

import pandas as pd

from boostbench.errors import ConfigError
from boostbench.papers.metrics import Metric
from boostbench.report.frames.cell import Cell
from boostbench.report.frames.over_datasets import why_no_ranks
from boostbench.report.frames.pairs import PairOnDataset
from boostbench.report.frames.results import ReportData

MEANS = {
    "dataset": "str",
    "method": "str",
    "mean": "float",
    "sd": "float",
    "low": "float",
    "high": "float",
    "median": "float",
    "runs": "int",
    "planned": "int",
    "best": "bool",
    "fit_s": "float",
    "left_out": "int",
    "compared": "float",
    "printed": "float",
    "agreement": "str",
}
"""The columns of :func:`means` and their types."""
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
    """Return a row per planned data set and method, in the order of the plan."""
    best = results.best
    metric = results.metric
    rows = [_mean(cell, metric, (cell.dataset, cell.method) in best) for cell in results.only_cells]
    return _frame(rows, MEANS)


def _mean(cell: Cell, metric: Metric, is_best: bool) -> Row:
    low = high = math.nan
    if cell.mean is not None and cell.half_width is not None:
        low, high = metric.interval(cell.mean, cell.half_width)
    return {
        "dataset": cell.dataset,
        "method": cell.method,
        "mean": _or_nan(cell.mean),
        "sd": _or_nan(cell.sd),
        "low": low,
        "high": high,
        "median": _or_nan(cell.median),
        "runs": cell.finished,
        "planned": cell.planned,
        "best": is_best,
        "fit_s": _or_nan(cell.fit_s.mean),
        "left_out": int(cell.exploded or 0) if cell.leaves_out else 0,
        "compared": _or_nan(cell.compared if cell.printed else None),
        "printed": _or_nan(cell.published),
        "agreement": str(cell.verdict or ""),
    }


def pairs(results: ReportData) -> pd.DataFrame:
    """Return a row per data set and pair of methods that have runs in common there."""
    sign = results.metric.sign
    rows = [_pair(pair, sign) for data in results.counted for pair in results.pairs[data.label]]
    return _frame(rows, PAIRS)


def _pair(pair: PairOnDataset, sign: int) -> Row:
    """Return the row of a pair on a data set; ``sign`` is that of a gain in the metric."""
    is_tested = not math.isnan(pair.p)
    ends = sorted([sign * pair.low, sign * pair.high]) if is_tested else [math.nan, math.nan]
    return {
        "dataset": pair.dataset,
        "method": pair.method,
        "against": pair.against,
        "mean": pair.mean,
        "mean_against": pair.mean_against,
        "difference": pair.mean - pair.mean_against,
        "low": ends[0],
        "high": ends[1],
        "runs": pair.runs,
        "splits": pair.splits,
        "p": pair.p,
        "reference": pair.reference,
        "comparisons": pair.comparisons,
        "p_adjusted": pair.p_adjusted,
        "verdict": str(pair.verdict),
    }


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


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
