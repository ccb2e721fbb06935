"""The interval of a cell's mean: for new rows of the same kind, from the means of its folds.

It is the corrected resampled t-interval (:func:`boostbench.stats.se_over_rows`). Seeds are averaged
within folds, so that more seeds make it no shorter than the folds allow.
"""

from __future__ import annotations

from collections.abc import Sequence

import scipy

from boostbench.report.collect import Run
from boostbench.report.equivalence import test_ratio
from boostbench.report.paired import as_array, finished
from boostbench.stats import se_over_rows

LEVEL = 0.95


def half_width(runs: Sequence[Run], level: float = LEVEL) -> float | None:
    """Return half the width of the interval of the mean score of ``runs``, those of one cell.

    ``None`` where fewer than two folds (or splits) have a finished run, or their sizes are unknown.
    """
    done = finished(runs)
    ratio = test_ratio(list(done.values()))
    if len({index[:2] for index in done}) < 2 or not ratio:
        return None

    scores = {index: run.score for index, run in done.items() if run.score is not None}
    found = se_over_rows(as_array(scores), ratio)
    return float(scipy.special.stdtrit(found.df, 0.5 + level / 2)) * found.se
