"""The best method of each data set, the lead over the others, and how certain that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.report.evidence import LEAST_PARTITIONS, test_ratio
from boostbench.report.runs import Runs
from boostbench.stats.paired import fold_means, mean_of_folds, whole_partitions

Floats = NDArray[np.float64]
ALPHA = 0.05
NAN = float("nan")
ONE_SPLIT = "one split"


@dataclass(frozen=True)
class Standing:
    """A method on a data set: its mean, and by how much it is behind the best.

    ``low`` to ``high`` is the 95 % interval of that by itself. ``p`` is that of the corrected
    resampled t-test on fold means, adjusted by Holm over all methods compared with the best: it
    decides whether the method is worse, ``separate`` if it is below 5 %. One fold separates
    nothing. For the best these are NaN and False, and ``best`` is true. ``splits`` is the number
    of splits on which it is compared with the best.
    """

    method: str
    mean: float
    best: bool = False
    behind: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    separate: bool = False
    splits: int = 0

    @property
    def apart_alone(self) -> bool:
        """Whether only its interval, which is not adjusted, lies wholly above 0."""
        return self.low > 0.0 and not (self.separate or self.best)


def standings(results: Runs, dataset: str) -> list[Standing]:
    """Return the methods with finished runs on a data set, the best first.

    A method is best if its mean, as the report writes it, is not worse than that of any other, pair
    by pair over common runs. No method is best if two of them have no common run, so that they
    cannot be compared.
    """
    metric = results.metric
    found = {
        method.label: own
        for method in results.methods
        if len(own := results.of(dataset, method.label))
    }
    best = _best(results, dataset, list(found))
    order = sorted(found, key=lambda m: (m not in best, -metric.sign * found[m].score.mean()))
    others = [label for label in order if label not in best]
    tests = {label: compare_on(results, dataset, order[0], label) for label in order[1:]}
    # Methods that cannot be compared with the best are left out.
    raw = {label: tests.get(label, {}).get("p", NAN) for label in others}
    ps = stats.holm(np.nan_to_num([*raw.values()], nan=1.0)) if raw else ()
    adjusted = {
        m: float(p) for m, p in zip(others, ps, strict=True) if best and not np.isnan(raw[m])
    }
    intervals = {m: (t["better"], t["low"], t["high"]) for m, t in tests.items() if t}
    return [
        Standing(
            label,
            float(found[label].score.mean()),
            label in best,
            *intervals.get(label, (NAN, NAN, NAN)),
            adjusted.get(label, NAN),
            adjusted.get(label, 1.0) < ALPHA,
            tests.get(label, {}).get("splits", 0),
        )
        for label in order
    ]


def _best(results: Runs, dataset: str, labels: Sequence[str]) -> list[str]:
    beaten = set()
    for pair in combinations(labels, 2):
        shared = results.shared(dataset, pair)
        if not shared:
            return []
        a, b = (results.metric.rounded(float(np.nanmean(scores))) for scores in shared)
        if a != b:
            beaten.add(pair[0] if a < b else pair[1])
    return [label for label in labels if label not in beaten]


def champions(results: Any) -> dict[str, Sequence[Standing]]:
    """Return the standings of each data set with a best method, by its label."""
    return {label: own for label, own in results.standings.items() if own and own[0].best}


def certainty(own: Sequence[Standing]) -> str:
    """Return ``sure``, ``partly sure``, ``not sure`` or ``one split``, "" without another method.

    One split decides nothing: it cannot tell a difference from chance.
    """
    others = own[1:]
    if not others:
        return ""
    if max(each.splits for each in others) == 1:
        return ONE_SPLIT
    separate = sum(each.separate for each in others)
    return "sure" if separate == len(others) else "partly sure" if separate else "not sure"


def compare_on(results: Runs, dataset: str, left: str, right: str) -> dict[str, Any]:
    """Return the comparison of two methods on a data set, empty without common finished runs.

    ``left`` and ``right`` are means over the ``runs`` that both have; ``left_parts`` and
    ``right_parts`` are means of complete partitions if there are three or more, else of folds: the
    units that another partition of these rows would change. ``better`` is by how much the left mean
    is better, whatever the metric's direction, with the 95 % interval ``low`` to ``high`` for new
    rows of the same kind, from so many ``splits``. ``p`` is that of the corrected resampled t-test
    (NaN from one fold).
    """
    metric, found = results.metric, results.shared(dataset, (left, right))
    if not found:
        return {}
    a, b = found
    paired = stats.paired_differences(a, b)
    differences = metric.sign * np.array(paired.differences)
    test = stats.corrected_ttest(differences, test_ratio(results.of(dataset, left)))
    mean_a, mean_b = mean_of_folds(a), mean_of_folds(b)
    return {
        "dataset": dataset,
        "left": mean_a,
        "right": mean_b,
        "better": metric.sign * (mean_a - mean_b),
        "low": test.low,
        "high": test.high,
        "runs": paired.runs,
        "splits": len(differences),
        "left_parts": _parts(a),
        "right_parts": _parts(b),
        "p": test.p,
    }


def _parts(values: Floats) -> list[float]:
    whole = whole_partitions(values)
    if len(whole) >= LEAST_PARTITIONS:
        return [mean_of_folds(one) for one in whole]
    return [float(mean) for mean in fold_means(values)]
