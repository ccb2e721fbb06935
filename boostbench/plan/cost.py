"""What trials will cost, learned from the times and the memory of recorded ones.

Of each method ``log(seconds) = a + b log(rows) + c log(features) + sum of d log(size)``, where the
sizes are the method's own: its depth (as a power of two), how many trees, restarts or iterations it
makes, from how many values it chooses. With few records the slopes stay near what is usual; with
more they follow the records. Nothing is guessed of a method that has no record.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.plan.trial import Trial, canonical_json

START_S = 2.0
"""Seconds until the first trial begins: libraries imported, kernels read from their cache."""
OVERHEAD_S = 0.003
"""Seconds of a worker between two trials (``scripts/bench_engine.py`` measures them)."""

# Usual slopes, and how far from them a method may be (standard deviations).
_ROWS, _FEATURES, _DEPTH, _SIZE = (0.9, 0.4), (0.7, 0.4), (0.9, 0.35), (0.9, 0.25)
_LEAST_NOISE = 0.1
_USUAL_NOISE = 0.3
_PRIOR_CELLS = 3
# Another setting of the same estimator may well be twice as fast or as slow.
_OTHER_SETTING = math.log(2.0)
# A part of every time does not depend on the data: which share of the least one, is tried out
# where there are enough data sets to try it on.
_MANY_SETS = 4
_FLOORS = (0.0, 0.5, 0.8, 0.95)
_AS_GOOD = 1.3
_BYTES = 8
# MiB in which the law of memory is fitted, so that its usual noise is ten of them.
_MEMORY_UNIT = 33.0
_DEPTHS = frozenset({"depth", "max_depth"})
_COUNTS = frozenset({"max_iter", "iterations", "epochs", "rounds", "max_iterations"})


@dataclass(frozen=True)
class Work:
    """What the cost of a trial depends on; trials alike but for fold and seed are equal.

    ``setting`` is everything that is said of the method, ``kind`` that without its sizes; ``rows``
    are those of one training, ``sizes`` (name, logarithm) pairs.
    """

    fingerprint: str
    estimator: str
    setting: str
    kind: str
    rows: float
    features: int
    sizes: tuple[tuple[str, float], ...]

    @property
    def data_mib(self) -> float:
        """MiB that the features of one training take."""
        return self.rows * self.features * _BYTES / 2**20


@dataclass(frozen=True)
class Record:
    """A trial that ended well: its seconds and, where known, the peak of its process in MiB."""

    work: Work
    seconds: float
    peak_mib: float | None = None


@dataclass(frozen=True)
class Estimate:
    """``seconds``, between ``seconds / factor`` and ``seconds * factor`` two times in three.

    ``peak_mib``: of the worker. ``exact``: trials alike are recorded, on the same data.
    """

    seconds: float
    factor: float
    peak_mib: float | None
    exact: bool


def work_of(
    trial: Trial, shape: tuple[int, int], defaults: Mapping[str, Any] | None = None
) -> Work:
    """Return what ``trial`` costs by, on data of ``shape`` (rows, features).

    ``defaults`` are the values of the estimator's parameters that the trial does not give.
    """
    share = (trial.folds - 1) / trial.folds if trial.test_size is None else 1 - trial.test_size
    sizes: dict[str, float] = {}
    others: dict[str, Any] = {}
    for name, value in {**(defaults or {}), **trial.params}.items():
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if is_number and name in _DEPTHS:
            sizes[name] = value * math.log(2)
        elif is_number and (name in _COUNTS or name.startswith("n_")):
            sizes[name] = math.log(value)
        else:
            others[name] = value
    if trial.choose:
        sizes["choose"] = math.log(1 + math.prod(map(len, trial.choose.values())))
    choice = [sorted(trial.choose), dict(trial.choose_with)]
    named = [trial.task, trial.scale_features, trial.curves, choice, sorted(sizes)]
    settings = [dict(trial.params), dict(trial.choose), dict(trial.choose_with)]
    return Work(
        fingerprint=trial.fingerprint,
        estimator=trial.estimator,
        setting=canonical_json([*settings, trial.curves, share]),
        kind=canonical_json([*named, others]),
        rows=max(1.0, shape[0] * share),
        features=max(1, shape[1]),
        sizes=tuple(sorted(sizes.items())),
    )


class CostModel:
    """Learns from ``records``, and estimates."""

    def __init__(self, records: Iterable[Record]) -> None:
        cells: dict[Work, list[Record]] = defaultdict(list)
        for record in records:
            if record.seconds > 0 and math.isfinite(record.seconds):
                cells[record.work].append(record)
        self._cells = {work: _Cell(work, found) for work, found in cells.items()}
        self._laws: dict[tuple[str, ...], _Law] = {}
        self._known: dict[Work, Estimate | None] = {}

    def estimate(self, work: Work) -> Estimate | None:
        """Return what a trial costs, None where no trial of its estimator is recorded."""
        if work not in self._known:
            self._known[work] = self._estimate(work)
        return self._known[work]

    def _estimate(self, work: Work) -> Estimate | None:
        cell = self._cells.get(work)
        if cell is not None:
            factor = math.exp(cell.spread)
            return Estimate(math.exp(cell.log_seconds), factor, cell.peak_mib, exact=True)
        law = self._law(work.estimator, work.kind)
        doubt = 0.0
        if law is None:
            law, doubt = self._law(work.estimator), _OTHER_SETTING
        if law is None:
            return None
        log_seconds, spread = law.predict(work)
        return Estimate(
            math.exp(log_seconds), math.exp(math.hypot(spread, doubt)), law.peak(work), exact=False
        )

    def _law(self, *of: str) -> "_Law | None":
        if of not in self._laws:
            cells = [
                cell
                for cell in self._cells.values()
                if (cell.work.estimator, cell.work.kind)[: len(of)] == of
            ]
            if not cells:
                return None
            self._laws[of] = _Law(cells)
        return self._laws[of]


class _Cell:
    """Trials that are alike, on one data set: one point to learn from."""

    def __init__(self, work: Work, records: Sequence[Record]) -> None:
        logs = np.log([record.seconds for record in records])
        self.work = work
        self.log_seconds = float(np.median(logs))
        deviation = float(np.std(logs)) if len(logs) > 2 else _USUAL_NOISE
        self.spread = max(_LEAST_NOISE, deviation / math.sqrt(len(logs)))
        peaks = [record.peak_mib for record in records if record.peak_mib is not None]
        self.peak_mib = max(peaks, default=None)


class _Law:
    """One method's law, and how far off it was for each data set when it had not seen it."""

    def __init__(self, cells: Sequence[_Cell]) -> None:
        self._cells = cells
        names = set.intersection(*({name for name, _ in cell.work.sizes} for cell in cells))
        self._names = sorted(names)
        self._X = np.array([self._row(cell.work) for cell in cells])
        self._seconds = np.exp([cell.log_seconds for cell in cells])
        self._sets = np.array([cell.work.fingerprint for cell in cells])
        self._prior = _prior(self._names)
        floors = [0.0]
        if len(set(self._sets)) >= _MANY_SETS:
            floors = [share * float(self._seconds.min()) for share in _FLOORS]
        errors = [self._unseen_error(floor) for floor in floors]
        everything = np.ones(len(cells), dtype=bool)
        fits = [(floor, *self._fit(everything, floor)) for floor in floors]
        # Floors that do about as well far from each other's guesses are a doubt, too.
        good = [error <= _AS_GOOD * min(errors) for error in errors]
        self._fits = [fit for fit, is_good in zip(fits, good, strict=True) if is_good]
        self._noise = max(min(errors), min(fit[3] for fit in self._fits))

    def predict(self, work: Work) -> tuple[float, float]:
        """Return the logarithm of the seconds and its standard deviation."""
        x = self._row(work)
        logs, doubts = [], []
        for floor, slopes, covariance, _ in self._fits:
            above = math.exp(x @ slopes)
            logs.append(math.log(floor + above))
            doubts.append(above / (floor + above) * math.sqrt(x @ covariance @ x))
        spread = math.hypot(self._noise, max(doubts), float(np.std(logs)))
        return float(np.mean(logs)), spread

    def peak(self, work: Work) -> float | None:
        """Return the peak of a worker's memory in MiB, None where none is recorded."""
        if self._memory is None:
            return None
        return float(_memory_row(work) @ self._memory) * _MEMORY_UNIT

    @cached_property
    def _memory(self) -> NDArray[np.float64] | None:
        known = [cell for cell in self._cells if cell.peak_mib is not None]
        if not known:
            return None
        X = np.array([_memory_row(cell.work) for cell in known])
        y = np.array([cell.peak_mib for cell in known], dtype=float) / _MEMORY_UNIT
        # A training takes a few copies of its data; a forest also grows by its rows alone.
        mean = np.array([0.0, 4.0, 0.0]) / _MEMORY_UNIT
        deviation = np.array([1e6, 3.0, 10.0]) / _MEMORY_UNIT
        return _never_falling(X, y, np.ones(len(y)), mean, deviation)[0]

    def _unseen_error(self, floor: float) -> float:
        """The root mean square of the errors, as logarithms, on data sets left out one by one."""
        errors: list[float] = []
        for fingerprint in set(self._sets):
            left_out = self._sets == fingerprint
            if not left_out.all():
                slopes, _, _ = self._fit(~left_out, floor)
                guessed = floor + np.exp(self._X[left_out] @ slopes)
                errors += list(np.log(self._seconds[left_out] / guessed))
        return float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0

    def _row(self, work: Work) -> NDArray[np.float64]:
        sizes = dict(work.sizes)
        own = [sizes.get(name, 0.0) for name in self._names]
        return np.array([1.0, math.log(work.rows), math.log(work.features), *own])

    def _fit(
        self, which: NDArray[np.bool_], floor: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        seconds = self._seconds[which]
        above = np.maximum(seconds - floor, 0.02 * seconds)
        # Of a time just above the floor, what is above is hardly known.
        weights = (above / seconds) ** 2
        return _never_falling(self._X[which], np.log(above), weights, *self._prior)


def _memory_row(work: Work) -> NDArray[np.float64]:
    return np.array([1.0, work.data_mib, work.rows / 1000])


def _never_falling(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    mean: NDArray[np.float64],
    deviation: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Fit as :func:`_robust_fit`, no slope below zero: more of anything is never cheaper."""
    for _ in range(len(mean)):
        slopes, covariance, noise = _robust_fit(X, y, weights, mean, deviation)
        wrong = slopes < -1e-5
        wrong[0] = False
        if not wrong.any():
            break
        mean = np.where(wrong, 0.0, mean)
        deviation = np.where(wrong, 1e-6, deviation)
    slopes[1:] = np.maximum(slopes[1:], 0.0)
    return slopes, covariance, noise


def _prior(names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    own = [_DEPTH if name in _DEPTHS else _SIZE for name in names]
    mean, deviation = np.array([(0.0, 1e3), _ROWS, _FEATURES, *own]).T
    return mean, deviation


def _robust_fit(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    mean: NDArray[np.float64],
    deviation: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Fit by Huber's method, the slopes drawn towards ``mean`` as far as ``deviation`` says.

    Returns the slopes (k,), their covariance (k, k) and the noise.
    """
    noise = _USUAL_NOISE
    trust = weights
    many = float(weights.sum())
    for _ in range(20):
        precision = X.T @ (trust[:, None] * X) / noise**2 + np.diag(deviation**-2)
        covariance = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        slopes = covariance @ (X.T @ (trust * y) / noise**2 + mean / deviation**2)
        residuals = np.abs(y - X @ slopes)
        # Few records hug any law: what is usual counts as much as some more of them.
        squares = float(trust @ residuals**2) + _PRIOR_CELLS * _USUAL_NOISE**2
        noise = max(_LEAST_NOISE, math.sqrt(squares / (many + _PRIOR_CELLS)))
        trust = weights * np.minimum(1.0, 1.345 * noise / np.maximum(residuals, 1e-12))
    return slopes, covariance, noise


def makespan(seconds: Iterable[float], jobs: int) -> float:
    """Return when ``jobs`` workers, each taking the next trial when it is free, are done."""
    free = [0.0] * max(1, jobs)
    for one in seconds:
        heapq.heapreplace(free, free[0] + one)
    return max(free)
