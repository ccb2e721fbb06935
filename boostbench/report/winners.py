"""The best method of each data set, by how much the others are behind, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boostbench import stats
from boostbench.stats.paired import as_array, common

ALPHA = 0.05
NAN = float("nan")


@dataclass(frozen=True)
class Standing:
    """A method on a data set: its mean, and by how much it is behind the best, whatever the metric.

    ``low`` to ``high`` is the 95 % interval of that, ``separate`` whether the corrected resampled
    t-test on fold means says at 5 % that it is worse, by Holm for all that are compared with the
    best; one fold separates nothing. Of the best these are NaN and False, ``best`` is true.
    """

    method: str
    mean: float
    runs: int
    best: bool = False
    behind: float = NAN
    low: float = NAN
    high: float = NAN
    separate: bool = False


def standings(results: Any, dataset: str) -> list[Standing]:
    """Return the methods that have finished runs on a data set, the best first.

    Each is compared with the best over the runs that both have.
    """
    sign = results.metric.sign
    found = {
        method.label: own.score
        for method in results.methods
        if len(own := results.finished.get((dataset, method.label), ()))
    }
    order = sorted(found, key=lambda label: -sign * found[label].mean())
    if not order:
        return []
    first, *others = order
    tests = [_test(results, dataset, first, label) for label in others]
    known = [1.0 if test is None or np.isnan(test.p) else test.p for test in tests]
    adjusted = stats.holm(known) if known else []
    made = [Standing(first, float(found[first].mean()), len(found[first]), best=True)]
    for label, test, p in zip(others, tests, adjusted, strict=True):
        behind = (NAN,) * 3
        if test is not None:
            ends = (test.low, test.high) if sign > 0 else (-test.high, -test.low)
            behind = (sign * test.mean, *ends)
        separate = bool(p < ALPHA) and behind[0] > 0
        made.append(
            Standing(label, float(found[label].mean()), len(found[label]), False, *behind, separate)
        )
    return made


def _test(results: Any, dataset: str, best: str, other: str) -> stats.TTest | None:
    """Return the test of the best against another, ``None`` where they share no run."""
    runs = [results.finished[dataset, label] for label in (best, other)]
    shared = common(*(own.index for own in runs))
    if not shared:
        return None
    a, b = (as_array(own.score.loc[shared].to_dict()) for own in runs)
    part = runs[0].loc[shared]
    ratio = (part.n_test / (part.n_rows - part.n_test)).mean()
    differences = stats.paired_differences(a, b).differences
    return stats.corrected_ttest(differences, 0.0 if np.isnan(ratio) else float(ratio))


def champions(results: Any) -> dict[str, list[Standing]]:
    """Return the standings of each data set that has finished runs, by its label."""
    found = {data.label: standings(results, data.label) for data in results.datasets}
    return {label: own for label, own in found.items() if own}


def certainty(own: Sequence[Standing]) -> str:
    """Return ``sure``, ``partly sure`` or ``not sure``, "" where there is nothing to compare."""
    others = own[1:]
    if not others:
        return ""
    separate = sum(each.separate for each in others)
    return "sure" if separate == len(others) else "partly sure" if separate else "not sure"
