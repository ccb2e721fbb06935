"""Fitting by column generation: the rounds, their record, and resuming them later."""

import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from numbers import Integral, Real
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from threadpoolctl import ThreadpoolController

from boostbench.boosting._column_generation import (
    MOST_SWEEPS,
    ColumnGeneration,
    Master,
    Snapshot,
    timed,
)
from boostbench.boosting._probabilities import pairwise
from boostbench.boosting._seeds import seed_from
from boostbench.boosting._types import Floats, Integers, RandomStateLike, Stumps
from boostbench.boosting.base import Begun, History, StumpBooster, Update
from boostbench.boosting.stumps import stump_outputs


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


def _one_thread() -> AbstractContextManager[object]:
    """One BLAS thread: more make L-BFGS-B several times slower on problems of this size."""
    limit: AbstractContextManager[object] = _thread_pools().limit(limits=1)
    return limit


class _Positive(Interval):
    """The range of ``C``, in plain words."""

    def __str__(self) -> str:
        return "a number above 0 and below 1e100"


class ColumnGenerationBooster(StumpBooster):
    """Fits a ``ColumnGeneration`` and keeps its stumps: base of MultiBoost-cw and MultiBoost."""

    C: float
    solver: str
    max_sweeps: int
    tol: float
    objective_tol: float
    polish: bool
    time_limit: float | None
    random_state: RandomStateLike

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "C": [_Positive(Real, 0, 1e100, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions({"fcd", "lbfgsb"})],
        "max_sweeps": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "objective_tol": [Interval(Real, 0, None, closed="left")],
        "polish": ["boolean"],
        "time_limit": [None, Interval(Real, 0, None, closed="neither")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def _prepare(self) -> None:
        self._seed = seed_from(self.random_state)

    def _master(self, seed: int) -> Master:
        """How to solve the problem; ParameterError for parameters that do not go together."""
        raise NotImplementedError

    def _stump_indices(self, classes: Integers, rounds: Integers) -> Integers:
        """Return the indices in ``stumps_`` of the stumps of variables (class, round)."""
        raise NotImplementedError

    def _coefficients(self) -> Floats:
        """Return the coefficients as (K, n_iter_)."""
        raise NotImplementedError

    def _begin(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Begun:
        begun = super()._begin(X, y, sample_weight)
        # Refuse parameters before an earlier fit's state is given up.
        self._master(self._seed)
        return begun

    def _conditions(self, begun: Begun) -> tuple[object, ...]:
        return begun.digest, self._master(self._seed), self.objective_tol

    def _boost(self, begun: Begun, history: History, start: float) -> Stumps:
        master = self._master(self._seed)
        if begun.resuming:
            state = self._resume(begun, master, history)
        else:
            n_classes = self.classes_.shape[0]
            state = ColumnGeneration(begun.X, begun.y, n_classes, begun.weight, master)
        first = state.n
        with _one_thread() if master.corrective else nullcontext():
            self.stop_reason_ = self._run(state, history, start)
            last = self._polish(state, history, start)
        new = state.search.decode(*self._new_stumps(state, first))
        self._n_columns = self.classes_.shape[0]
        self.C_ = master.C
        self._set_coef(state.coef[:, : state.n])
        self.kkt_residual_ = state.kkt_residual()
        self._warn_if_not_solved(state)
        self.dual_bound_ = state.find()
        if self.warm_start:
            self._state = (begun.digest, state, last)
        elif hasattr(self, "_state"):
            del self._state
        return new

    def _resume(self, begun: Begun, master: Master, history: History) -> ColumnGeneration:
        """Return the state that ``warm_start`` resumes; ``history`` is cut back to it."""
        kept, state, last = getattr(self, "_state", (b"", None, None))
        if state is not None and state.master == master and kept == begun.digest:
            if last is not None:
                snapshot, history.updates[-1], history.objective[-1] = last
                state.restore(snapshot)
            unpolished: ColumnGeneration = state
            return unpolished
        X = begun.X
        n_classes = self.classes_.shape[0]
        n = self.n_iter_
        state = ColumnGeneration(X, begun.y, n_classes, begun.weight, master)
        h = stump_outputs(self.stumps_, X).reshape(n, -1, X.shape[0])
        state.adopt(np.broadcast_to(h, (n, n_classes, X.shape[0])), self._coefficients())
        return state

    def _warn_if_not_solved(self, state: ColumnGeneration) -> None:
        if state.can_polish and self.kkt_residual_ > self.tol:
            warnings.warn(
                f"{type(self).__name__} ended with a KKT residual of {self.kkt_residual_:.2g}, "
                f"above tol={self.tol:g}: at C={self.C_:g} the problem is too ill-conditioned for "
                "that. Lower C or raise tol.",
                ConvergenceWarning,
                stacklevel=6,  # where ``fit`` is called
            )

    def _run(self, state: ColumnGeneration, history: History, start: float) -> str:
        """Run rounds until a stop; return the reason for stopping."""
        self._earlier = history.time[-1] if history.time else 0.0
        solver_time = history.solver_time[-1] if history.solver_time else 0.0
        while state.n < self.max_iter:
            bound = state.find()
            before = state.objective
            if state.n and before - bound <= self.objective_tol * abs(before):
                return "optimal"
            old = state.coef[:, : state.n + 1].copy()
            is_new, seconds = self._add_stumps(state)
            solver_time += seconds
            if not is_new:
                self._record(state, history, old[:, :-1], start, solver_time)
                return "optimal" if state.is_solved else "stalled"
            solver_time += timed(state.solve)
            allowed = self.objective_tol * abs(state.objective)
            if before - state.objective <= allowed:
                # Too few sweeps may be why nothing moves: solve properly before giving up.
                solver_time += state.polish()
            elapsed = self._record(state, history, old, start, solver_time, is_new=True)
            reason = self._reason_to_stop(state, before, allowed, elapsed)
            if reason is not None:
                return reason
        return "max_iter"

    def _reason_to_stop(
        self, state: ColumnGeneration, before: float, allowed: float, elapsed: float
    ) -> str | None:
        """Return why no further round follows; ``before`` is the objective before this one."""
        change = before - state.objective
        if state.master.adaboost_rule:
            # Rule (13) may raise the objective on its way.
            change = abs(change)
        if self.objective_tol > 0 and change <= allowed:
            return "objective"
        if self.time_limit is not None and elapsed >= self.time_limit:
            return "time"
        return None

    def _add_stumps(self, state: ColumnGeneration) -> tuple[bool, float]:
        """Add the stumps of ``find`` or of further sweeps; whether they are new, solver seconds."""
        if not state.can_polish:
            state.add()
            return True, 0.0
        if state.add_if_new():
            return True, 0.0
        return self._sweep_for_new(state)

    def _sweep_for_new(self, state: ColumnGeneration) -> tuple[bool, float]:
        """Add stumps that are new if only sweeps were too few to find them; and solver seconds."""
        seconds = 0.0
        few = state.master.max_sweeps if state.master.solver == "fcd" else MOST_SWEEPS
        sweeps = min(few, MOST_SWEEPS // 2)
        # To solve this problem to the end before looking for the next would take far longer.
        while sweeps < MOST_SWEEPS and not state.is_solved:
            sweeps *= 2
            seconds += state.polish(sweeps)
            state.find()
            if state.add_if_new():
                return True, seconds
        return False, seconds

    def _record(
        self,
        state: ColumnGeneration,
        history: History,
        old: Floats,
        start: float,
        solver_time: float,
        is_new: bool = False,
    ) -> float:
        """Note the step from ``old`` (K, n) as a new round or part of the last; seconds so far."""
        classes, rounds = np.nonzero(state.coef[:, : state.n] != old)
        steps = state.coef[classes, rounds] - old[classes, rounds]
        update = Update(self._stump_indices(classes, rounds), classes, steps)
        elapsed = perf_counter() - start
        if not is_new:
            last = history.updates.pop()
            update = Update(
                np.concatenate([last.stumps, update.stumps]),
                np.concatenate([last.columns, update.columns]),
                np.concatenate([last.steps, update.steps]),
            )
            for values in (history.objective, history.time, history.solver_time):
                values.pop()
        history.updates.append(update)
        history.objective.append(state.objective)
        history.time.append(self._earlier + elapsed)
        history.solver_time.append(solver_time)
        return elapsed

    def _polish(
        self, state: ColumnGeneration, history: History, start: float
    ) -> tuple[Snapshot, Update, float] | None:
        """Solve the last master problem to ``tol``; the state to restore before further rounds."""
        if not state.can_polish or state.kkt_residual() <= self.tol:
            return None
        before = (state.snapshot(), history.updates[-1], history.objective[-1])
        old = state.coef[:, : state.n].copy()
        seconds = state.polish()
        self._record(state, history, old, start, history.solver_time[-1] + seconds)
        return before

    def _new_stumps(self, state: ColumnGeneration, first: int) -> tuple[Integers, Integers]:
        raise NotImplementedError

    def _set_coef(self, coef: Floats) -> None:
        raise NotImplementedError

    def _link(self, scores: Floats) -> Floats:
        return pairwise(scores, 2.0)

    def _final_update(self) -> Update:
        coef = self._coefficients()
        rounds, classes = np.nonzero(coef.T)
        return Update(self._stump_indices(classes, rounds), classes, coef[classes, rounds])

    def __getstate__(self) -> dict[str, object]:
        kept = dict(super().__getstate__())
        kept.pop("_state", None)
        return kept

    def benchmark_metrics_(self) -> dict[str, float | int | str]:
        """Deterministic numbers about the fit, for a benchmark's record."""
        return super().benchmark_metrics_() | {
            "kkt_residual": self.kkt_residual_,
            "dual_bound": self.dual_bound_,
            "n_nonzero": int(np.count_nonzero(self.coef_)),
        }

    coef_: Floats
