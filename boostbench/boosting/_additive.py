"""Boosting by rounds whose coefficients never change again, the base of .MH, .MO and .ECC."""

import numpy as np

from boostbench.boosting._adaboost_rounds import label_masses
from boostbench.boosting._slots import Slots, make_slots
from boostbench.boosting._types import Floats, Integers, Samples, Stumps
from boostbench.boosting.base import Begun, History, StumpBooster, Update
from boostbench.boosting.output_codes import one_vs_all
from boostbench.boosting.stumps import StumpSearch, stump_outputs

# Below this share of the initial loss, rounding decides which stump is found.
_NO_LOSS = float(np.finfo(np.float64).eps)


class AdditiveBooster(StumpBooster):
    """Rounds that add stumps with coefficients that never change again."""

    coef_: Floats

    def __init__(
        self,
        max_iter: int = 500,
        time_limit: float | None = None,
        warm_start: bool = False,
        objective_tol: float = 0.0,
    ) -> None:
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.objective_tol = objective_tol

    def _signs(self) -> Floats:
        """(K, L) labels of the classes in the binary problems."""
        return one_vs_all(len(self.classes_))

    def _search_signs(self) -> Floats:
        """(K, S) the same for the columns of the search."""
        return self._signs()

    def _round(self, state: "State") -> Update:
        """Find the next stumps, and add them to the scores."""
        raise NotImplementedError

    def _start(self, state: "State") -> None:
        """Fill ``state.masses`` and ``state.loss`` from ``state.agreement``."""
        raise NotImplementedError

    def _boost(self, begun: Begun, history: History) -> Stumps:
        slots = make_slots(begun.y, len(self.classes_), begun.weight)
        state = State(begun.X, slots, self._n_columns, self._search_signs())
        if begun.resuming:
            self._replay(state, begun.X, history)
        self._start(state)
        self.stop_reason_ = self._run(state, history)
        self._set_coef(history.updates, state.n_stumps)
        stumps = np.array(state.model_stumps, dtype=np.intp).reshape(-1, 5)
        return state.search.decode(stumps, np.array(state.model_columns, dtype=np.intp))

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
        state.n = len(history.rounds)
        state.n_stumps = len(self.stumps_)
        state.solver_time = history.rounds[-1].solver_time

    def _run(self, state: "State", history: History) -> str:
        before = history.rounds[-1].objective if history.rounds else 1.0
        while state.n < self.max_iter:
            update = self._round(state)
            state.n += 1
            state.idle = state.idle + 1 if update.is_idle else 0
            history.add(update, state.objective, state.solver_time)
            if state.idle >= self._most_idle():
                return "no edge"
            if state.separated or state.loss <= _NO_LOSS * state.initial:
                return "separated"
            change = abs(before - state.objective)
            reason = self._reason_to_stop(change, self.objective_tol * before, history)
            if reason is not None:
                return reason
            before = state.objective
        return "max_iter"

    def _set_coef(self, updates: list[Update], n_stumps: int) -> None:
        self.coef_ = np.zeros((n_stumps, self._n_columns))
        for update in updates:
            self.coef_[update.stumps, update.columns] = update.steps


class State:
    """Training state of one fit."""

    def __init__(self, X: Samples, slots: Slots, n_columns: int, search_signs: Floats) -> None:
        self.slots = slots
        self.search = StumpSearch(X, slots, search_signs)
        self.n_columns = n_columns
        n_searched = search_signs.shape[1]
        self.pairs = slots.pairs(n_columns)
        self.agreement = self.pairs.agreement
        self.masses = self.pairs.masses
        self.column_sums = np.zeros((n_columns, 2))
        self.colour_sums = np.zeros((slots.n_blocks, 2, 2))
        self.searched = np.zeros((n_searched, slots.n_slots))
        self.bits = np.empty((n_searched, 1, slots.n_slots // 8), dtype=np.uint8)
        self.stumps = np.zeros((n_searched, 5), dtype=np.intp)
        self.scores = np.zeros(n_searched)
        self.initial = float(slots.weights.sum()) * self.n_columns
        self.loss = 0.0
        self.separated = False
        self.solver_time = 0.0
        self.n = 0
        self.idle = 0
        self.n_stumps = 0
        self.model_stumps: list[Integers] = []
        self.model_columns: list[int] = []

    @property
    def objective(self) -> float:
        """The exponential loss per pair that the rounds descend."""
        return self.loss / self.initial

    def label_masses(self) -> float:
        """Fill ``masses`` with those of labels; their sum."""
        agreement, weights, _, masses, sums = self.pairs
        return float(label_masses(agreement, weights, masses, sums))

    def keep(self, stumps: Integers, columns: list[int]) -> Integers:
        """Record stumps (s, 5) as part of the model; their numbers in ``stumps_``."""
        self.model_stumps.extend(stumps.copy())
        self.model_columns.extend(columns)
        self.n_stumps += stumps.shape[0]
        return np.arange(self.n_stumps - stumps.shape[0], self.n_stumps)
