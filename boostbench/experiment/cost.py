"""How long a trial takes, and how much memory, by the trials that are recorded.

A trial is expected to take the median of the recorded trials of its estimator with the same
parameters on the same data. Where there are none, the median on the data set nearest in size (rows
times features) is taken times the ratio of the sizes, and where nothing is recorded with these
parameters, the same is done with those of other parameters.
"""

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from statistics import median

from boostbench.plan.trial import Trial, canonical_json

START_S = 2.0
"""Seconds until the first trial begins: libraries imported, kernels read from their cache."""
OVERHEAD_S = 0.003
"""Seconds of a worker between two trials (``scripts/bench_engine.py`` measures them)."""

_MOST_TIMES = 200
_MIB = 2**20
# A training holds its data a few times over.
_COPIES = 4


@dataclass(frozen=True)
class Work:
    """What the cost of a trial depends on; trials that differ in fold and seed only are equal.

    ``setting`` is all that is given to the estimator, ``rows`` are those of one training.
    """

    fingerprint: str
    estimator: str
    setting: str
    rows: float
    features: int

    @property
    def size(self) -> float:
        """Rows times features."""
        return self.rows * self.features


@dataclass(frozen=True)
class Estimate:
    """The seconds of a trial and, where known, the peak of its worker's memory in MiB.

    ``exact``: trials with the same parameters on the same data are recorded.
    """

    seconds: float
    peak_mib: float | None
    exact: bool


def work_of(trial: Trial, shape: tuple[int, int]) -> Work:
    """Return what ``trial`` costs by, on data of ``shape`` (rows, features).

    A sample of each class counts as all training rows, since the number of classes is not known.
    """
    rows = float(shape[0])
    if trial.split == "given":
        rows = min(rows, trial.train_rows or rows) / (trial.train_batches or 1)
    elif trial.test_size is not None:
        rows *= 1 - trial.test_size
    else:
        rows *= (trial.folds - 1) / trial.folds
    given = trial.to_dict()
    names = (
        "params", "choose", "choose_with", "curves", "task", "scale_features", "train_per_class",
    )  # fmt: skip
    return Work(
        fingerprint=trial.fingerprint,
        estimator=trial.estimator,
        setting=canonical_json([given[name] for name in names]),
        rows=max(1.0, rows),
        features=max(1, shape[1]),
    )


class CostModel:
    """Medians of recorded trials, by what their cost depends on."""

    def __init__(self) -> None:
        self._seconds: dict[Work, deque[float]] = {}
        self._peaks: dict[Work, float] = {}
        self._of_estimator: dict[str, list[Work]] = defaultdict(list)
        self._known: dict[Work, Estimate | None] = {}

    def add(self, work: Work, seconds: float, peak_mib: float | None = None) -> None:
        """Take in a recorded trial; of very many alike the last ones count."""
        if not (seconds > 0 and math.isfinite(seconds)):
            return
        if work not in self._seconds:
            self._seconds[work] = deque(maxlen=_MOST_TIMES)
            self._of_estimator[work.estimator].append(work)
        self._seconds[work].append(seconds)
        if peak_mib is not None:
            self._peaks[work] = max(peak_mib, self._peaks.get(work, 0.0))
        self._known.clear()

    @property
    def least_peak_mib(self) -> float:
        """The smallest recorded peak, which is about what an idle worker takes; 0 without any."""
        return min(self._peaks.values(), default=0.0)

    def estimate(self, work: Work) -> Estimate | None:
        """Return what a trial costs, None where no trial of its estimator is recorded."""
        if work not in self._known:
            self._known[work] = self._estimate(work)
        return self._known[work]

    def _estimate(self, work: Work) -> Estimate | None:
        if work in self._seconds:
            return Estimate(median(self._seconds[work]), self._peaks.get(work), exact=True)
        others = self._of_estimator[work.estimator]
        nearest = _nearest(work, [o for o in others if o.setting == work.setting] or others)
        if not nearest:
            return None
        seconds = median(median(self._seconds[o]) * work.size / o.size for o in nearest)
        grown = _COPIES * 8 * max(0.0, work.size - nearest[0].size) / _MIB
        peaks = [self._peaks[o] + grown for o in nearest if o in self._peaks]
        return Estimate(seconds, max(peaks, default=None), exact=False)


def _nearest(work: Work, others: list[Work]) -> list[Work]:
    """Return those of ``others`` whose size is nearest by ratio; several of one size are equals."""

    def distance(other: Work) -> float:
        return abs(math.log(other.size / work.size))

    least = min(map(distance, others), default=0.0)
    return [other for other in others if distance(other) <= least + 1e-9]
