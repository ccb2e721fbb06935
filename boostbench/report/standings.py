"""The best method of a data set, and those that a test does not separate from it.

Methods are compared pair by pair, over the runs that both have: one that failed where it is hard
is not the best for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from boostbench import stats
from boostbench.papers.metrics import Metric
from boostbench.report.collect import Collected, Run
from boostbench.report.equivalence import test_ratio
from boostbench.report.paired import Index, as_array, common

BEST, CLOSE = "best", "close"
ALPHA = 0.05


def standings(collected: Collected, dataset: str) -> dict[str, str]:
    """Return which methods are :data:`BEST` on a data set and which :data:`CLOSE`, by label.

    Best is a method whose mean is not below that of any other, pair by pair, as the report writes
    them: more digits decide nothing. Close are those that the corrected resampled t-test on fold
    means, adjusted by Holm for all that are compared with the best one, does not separate from it
    at 5 %; one fold separates nothing. No method is best where it is the only one, or where two of
    them have no run in common, so that nothing compares these.
    """
    found = {
        method.label: runs
        for method in collected.methods
        if (runs := collected.finished.get((dataset, method.label)))
    }
    best = _best(found, collected.metric)
    if not best:
        return {}
    others = [label for label in found if label not in best]
    close = _close(found[best[0]], [found[label] for label in others])
    return {
        **dict.fromkeys(best, BEST),
        **{label: CLOSE for label, is_close in zip(others, close, strict=True) if is_close},
    }


def _best(found: Mapping[str, Mapping[Index, Run]], metric: Metric) -> list[str]:
    if len(found) < 2:
        return []
    beaten = set()
    for label, mine in found.items():
        for other, theirs in found.items():
            shared = common(mine, theirs)
            if not shared:
                return []
            means = [metric.rounded(_mean(runs, shared)) for runs in (mine, theirs)]
            if other != label and means[0] < means[1]:
                beaten.add(label)
    return [label for label in found if label not in beaten]


def _mean(runs: Mapping[Index, Run], shared: Sequence[Index]) -> float:
    return float(np.mean([runs[index].score for index in shared]))


def _close(best: Mapping[Index, Run], others: Sequence[Mapping[Index, Run]]) -> list[bool]:
    """Return of which ``others`` the test cannot say that they are worse than ``best``."""
    if not others:
        return []
    ps = []
    for runs in others:
        shared = common(best, runs)
        a, b = (as_array({i: own[i].score or 0.0 for i in shared}) for own in (best, runs))
        differences = stats.paired_differences(a, b).differences
        p = stats.corrected_ttest(differences, test_ratio(list(best.values()))).p
        ps.append(1.0 if np.isnan(p) else p)
    return [bool(p >= ALPHA) for p in stats.holm(ps)]
