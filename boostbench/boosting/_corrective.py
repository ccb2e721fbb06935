"""Fitting by column generation: the rounds, their record, and resuming them later."""

import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from numbers import Integral, Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from threadpoolctl import ThreadpoolController

from boostbench.boosting._column_generation import (
    MOST_SWEEPS,
    ColumnGeneration,
    Master,
    Snapshot,
)
from boostbench.boosting._probabilities import pairwise
from boostbench.boosting._seeds import seed_from
from boostbench.boosting._types import Floats, Integers, RandomStateLike, Stumps
from boostbench.boosting.base import Begun, History, Round, StumpBooster, Update, joined
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
    """Fits a ``ColumnGeneration`` and keeps its stumps: base of MultiBoost-cw and MultiBoost.

    The defaults are those of MultiBoost.
    """

    coef_: Floats

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **StumpBooster._parameter_constraints,
        "C": [_Positive(Real, 0, 1e100, closed="neither")],
        "solver": [StrOptions({"fcd", "lbfgsb"})],
        "max_sweeps": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "polish": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1e4,
        max_iter: int = 500,
        solver: Literal["fcd", "lbfgsb"] = "lbfgsb",
        max_sweeps: int = 2,
        tol: float = 0.1,
        random_state: RandomStateLike = None,
        objective_tol: float = 1e-10,
        time_limit: float | None = None,
        warm_start: bool = False,
        polish: bool = True,
    ) -> None:
        self.C = C
        self.max_iter = max_iter
        self.solver = solver
        self.max_sweeps = max_sweeps
        self.tol = tol
        self.random_state = random_state
        self.objective_tol = objective_tol
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.polish = polish

    def _prepare(self) -> None:
        super()._prepare()
        self._seed = seed_from(self.random_state)

    def _master(self) -> Master:
        """How to solve the problem; ParameterError for parameters that do not go together."""
        return Master(
            C=float(self.C),
            solver=self.solver,
            max_sweeps=int(self.max_sweeps),
            tol=float(self.tol),
            polish=self.polish,
            seed=self._seed,
        )

    def _stump_indices(self, classes: Integers, rounds: Integers) -> Integers:
        """Return the indices in ``stumps_`` of the stumps of variables (class, round)."""
        raise NotImplementedError

    def _coefficients(self) -> Floats:
        """Return the coefficients as (K, n_iter_)."""
        raise NotImplementedError

    def _conditions(self, begun: Begun) -> tuple[object, ...]:
        return *super()._conditions(begun), self._master()

    def _boost(self, begun: Begun, history: History) -> Stumps:
        master = self._master()
        if begun.resuming:
            state = self._resume(begun, master, history)
        else:
            state = self._new_state(begun, master)
        first = state.n
        with _one_thread() if master.corrective else nullcontext():
            self.stop_reason_ = self._run(state, history)
            last = self._polish(state, history)
        new = state.search.decode(*self._new_stumps(state, first))
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
                snapshot, history.rounds[-1] = last
                state.restore(snapshot)
            unpolished: ColumnGeneration = state
            return unpolished
        state = self._new_state(begun, master)
        n, n_samples = self.n_iter_, len(begun.X)
        h = stump_outputs(self.stumps_, begun.X).reshape(n, -1, n_samples)
        state.adopt(np.broadcast_to(h, (n, state.n_classes, n_samples)), self._coefficients())
        state.solver_time = history.rounds[-1].solver_time
        return state

    def _new_state(self, begun: Begun, master: Master) -> ColumnGeneration:
        return ColumnGeneration(begun.X, begun.y, len(self.classes_), begun.weight, master)

    def _warn_if_not_solved(self, state: ColumnGeneration) -> None:
        if state.can_polish and self.kkt_residual_ > self.tol:
            warnings.warn(
                f"{type(self).__name__} ended with a KKT residual of {self.kkt_residual_:.2g}, "
                f"above tol={self.tol:g}: at C={self.C_:g} the problem is too ill-conditioned for "
                "that. Lower C or raise tol.",
                ConvergenceWarning,
                stacklevel=6,  # where ``fit`` is called
            )

    def _run(self, state: ColumnGeneration, history: History) -> str:
        """Run rounds until a stop; return the reason for stopping."""
        while state.n < self.max_iter:
            bound = state.find()
            before = state.objective
            if state.n and before - bound <= self.objective_tol * abs(before):
                return "optimal"
            old = state.coef[:, : state.n + 1].copy()
            if not self._add_stumps(state):
                self._record_more(state, history, old[:, :-1])
                return "optimal" if state.is_solved else "stalled"
            state.solve()
            allowed = self.objective_tol * abs(state.objective)
            if before - state.objective <= allowed:
                # Too few sweeps may be why nothing moves: solve properly before giving up.
                state.polish()
            history.add(self._update(state, old), state.objective, state.solver_time)
            change = before - state.objective
            if state.master.adaboost_rule:
                # Rule (13) may raise the objective on its way.
                change = abs(change)
            reason = self._reason_to_stop(change, allowed, history)
            if reason is not None:
                return reason
        return "max_iter"

    def _add_stumps(self, state: ColumnGeneration) -> bool:
        """Add the stumps of ``find`` or of further sweeps; whether they are new."""
        if not state.can_polish:
            state.add()
            return True
        return state.add_if_new() or self._sweep_for_new(state)

    def _sweep_for_new(self, state: ColumnGeneration) -> bool:
        """Add stumps that are new if only sweeps were too few to find them; whether there are."""
        few = state.master.max_sweeps if state.master.solver == "fcd" else MOST_SWEEPS
        sweeps = min(few, MOST_SWEEPS // 2)
        # To solve this problem to the end before looking for the next would take far longer.
        while sweeps < MOST_SWEEPS and not state.is_solved:
            sweeps *= 2
            state.polish(sweeps)
            state.find()
            if state.add_if_new():
                return True
        return False

    def _update(self, state: ColumnGeneration, old: Floats) -> Update:
        """Return the step from the coefficients ``old`` (K, n) to those of ``state``."""
        classes, rounds = np.nonzero(state.coef[:, : state.n] != old)
        steps = state.coef[classes, rounds] - old[classes, rounds]
        return Update(self._stump_indices(classes, rounds), classes, steps)

    def _record_more(self, state: ColumnGeneration, history: History, old: Floats) -> None:
        """Note the step from ``old`` (K, n) as a part of the last round."""
        update = joined([history.rounds.pop().update, self._update(state, old)])
        history.add(update, state.objective, state.solver_time)

    def _polish(self, state: ColumnGeneration, history: History) -> tuple[Snapshot, Round] | None:
        """Solve the last master problem to ``tol``; what to restore before further rounds."""
        if not state.can_polish or state.kkt_residual() <= self.tol:
            return None
        before = (state.snapshot(), history.rounds[-1])
        old = state.coef[:, : state.n].copy()
        state.polish()
        self._record_more(state, history, old)
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
        """Return deterministic numbers about the fit, for a benchmark's record.

        Returns
        -------
        dict
            The numbers of rounds ``n_iter``, of stumps ``n_stumps`` and of coefficients above 0
            ``n_nonzero``, the final ``objective``, ``kkt_residual`` and ``dual_bound``, and the
            ``stop_reason``.
        """
        return super().benchmark_metrics_() | {
            "kkt_residual": self.kkt_residual_,
            "dual_bound": self.dual_bound_,
            "n_nonzero": int(np.count_nonzero(self.coef_)),
        }
