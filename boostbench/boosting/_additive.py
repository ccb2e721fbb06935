"""Boosting by rounds whose coefficients never change again, the base of .MH, .MO and .ECC."""

from numbers import Integral, Real
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from boostbench.boosting._adaboost_rounds import label_masses
from boostbench.boosting._slots import Slots, make_slots
from boostbench.boosting._types import Floats, Integers, Pairs, Samples, Stumps
from boostbench.boosting.base import Begun, History, StumpBooster, Update
from boostbench.boosting.stumps import StumpSearch, stump_outputs
from boostbench.kernels.arrays import aligned_empty

# Below this share of the initial loss, rounding decides which stump is found.
_NO_LOSS = float(np.finfo(np.float64).eps)


class AdditiveBooster(StumpBooster):
    """Rounds that add stumps with coefficients that never change again."""

    time_limit: float | None
    objective_tol: float
    coef_: Floats

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [None, Interval(Real, 0, None, closed="neither")],
        "warm_start": ["boolean"],
        "objective_tol": [Interval(Real, 0, None, closed="left")],
    }

    def _signs(self) -> Floats:
        """(K, L) labels of the classes in the binary problems."""
        raise NotImplementedError

    def _search_signs(self) -> Floats:
        """(K, S) the same for the columns of the search."""
        return self._signs()

    def _round(self, state: "State") -> tuple[Update, str | None]:
        """One round: its update, and a reason to stop after it."""
        raise NotImplementedError

    def _objective(self, state: "State") -> float:
        """Return the exponential loss per pair that the rounds descend."""
        return state.loss / state.initial

    def _start(self, state: "State") -> None:
        """Fill ``state.masses`` and ``state.loss`` from ``state.agreement``."""
        raise NotImplementedError

    def _conditions(self, begun: Begun) -> tuple[object, ...]:
        return begun.digest, self.objective_tol

    def _boost(self, begun: Begun, history: History, start: float) -> Stumps:
        slots = make_slots(begun.y, self.classes_.shape[0], begun.weight)
        state = State(begun.X, slots, self._signs().shape[1], self._search_signs())
        if begun.resuming:
            self._replay(state, begun.X, history)
        self._start(state)
        self.stop_reason_ = self._run(state, history, start)
        self._set_coef(history.updates, state.n_stumps)
        stumps = np.array(state.model_stumps, dtype=np.intp).reshape(-1, 5)
        return state.search.decode(stumps, np.array(state.model_columns, dtype=np.intp))

    def _prepare(self) -> None:
        self._n_columns = self.classes_.shape[0]

    def _sample_signs(self, state: "State") -> Floats:
        """(L, n_slots) labels of the slots in the columns of the agreement."""
        classes = np.repeat(np.arange(state.slots.n_classes), np.diff(state.slots.starts))
        return np.ascontiguousarray(self._signs()[classes].T)

    def _most_idle(self) -> int:
        """Return the number of successive rounds without an edge that end the boosting."""
        return 1

    _agreement_scale = 1.0

    def _replay(self, state: "State", X: Samples, history: History) -> None:
        """Bring a new state to the end of the rounds of ``history``."""
        signs = self._sample_signs(state) * self._agreement_scale
        filled = np.flatnonzero(state.slots.rows >= 0)
        rows = state.slots.rows[filled]
        for update in history.updates:
            numbers, which = np.unique(update.stumps, return_inverse=True)
            h = stump_outputs(self.stumps_[numbers], X)[:, rows]
            for place, column, step in zip(which, update.columns, update.steps, strict=True):
                gain = step * h[place]
                if update.offsets is not None:
                    gain += update.offsets[column]
                state.agreement[column, filled] += signs[column, filled] * gain
            state.idle = state.idle + 1 if update.is_idle else 0
        state.n = len(history.updates)
        state.n_stumps = self.stumps_.shape[0]

    def _run(self, state: "State", history: History, start: float) -> str:
        earlier = history.time[-1] if history.time else 0.0
        before = history.solver_time[-1] if history.solver_time else 0.0
        while state.n < self.max_iter:
            update, stop = self._round(state)
            state.n += 1
            history.updates.append(update)
            state.idle = state.idle + 1 if update.is_idle else 0
            if state.idle >= self._most_idle():
                stop = "no edge"
            elapsed = perf_counter() - start
            last = history.objective[-1] if history.objective else 1.0
            history.objective.append(self._objective(state))
            history.time.append(earlier + elapsed)
            history.solver_time.append(before + state.solver_time)
            stop = stop or self._reason_to_stop(state, last, elapsed)
            if stop is not None:
                return stop
        return "max_iter"

    def _reason_to_stop(self, state: "State", last: float, elapsed: float) -> str | None:
        """Return why no further round follows; ``last`` is the objective before this one."""
        if state.loss <= _NO_LOSS * state.initial:
            return "separated"
        change = abs(last - self._objective(state))
        if self.objective_tol > 0 and change <= self.objective_tol * last:
            return "objective"
        if self.time_limit is not None and elapsed >= self.time_limit:
            return "time"
        return None

    def _set_coef(self, updates: list[Update], n_stumps: int) -> None:
        self.coef_ = np.zeros((n_stumps, self._n_columns))
        for update in updates:
            self.coef_[update.stumps, update.columns] = update.steps


class State:
    """Training state of one fit."""

    def __init__(self, X: Samples, slots: Slots, n_columns: int, search_signs: Floats) -> None:
        self.slots = slots
        self.search = StumpSearch(X, slots, search_signs.copy())
        self.n_columns = n_columns
        n_searched = search_signs.shape[1]
        self.agreement = aligned_empty((n_columns, slots.n_slots), np.float64)
        self.agreement[:] = 0.0
        self.masses = aligned_empty((n_columns, slots.n_slots), np.float64)
        self.sums = np.zeros((slots.n_blocks, 2))
        self.pairs = Pairs(self.agreement, slots.weights, slots.starts, self.masses, self.sums)
        self.column_sums = np.zeros((n_columns, 2))
        self.colour_sums = np.zeros((slots.n_blocks, 2, 2))
        self.searched = np.zeros((n_searched, slots.n_slots))
        self.bits = np.empty((n_searched, 1, slots.n_slots // 8), dtype=np.uint8)
        self.stumps = np.zeros((n_searched, 5), dtype=np.intp)
        self.scores = np.zeros(n_searched)
        self.initial = float(slots.weights.sum()) * self.n_columns
        self.loss = 0.0
        self.solver_time = 0.0
        self.n = 0
        self.idle = 0
        self.n_stumps = 0
        self.model_stumps: list[Integers] = []
        self.model_columns: list[int] = []

    def label_masses(self) -> float:
        """Fill ``masses`` with those of labels; their sum."""
        return float(label_masses(self.agreement, self.slots.weights, self.masses, self.sums))

    def keep(self, stumps: Integers, columns: list[int]) -> Integers:
        """Record stumps (s, 5) as part of the model; their numbers in ``stumps_``."""
        self.model_stumps.extend(stumps.copy())
        self.model_columns.extend(columns)
        self.n_stumps += stumps.shape[0]
        return np.arange(self.n_stumps - stumps.shape[0], self.n_stumps)
