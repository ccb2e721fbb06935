"""MultiBoost-cw (Lin, Shen, van den Hengel, Suter 2012) and MultiBoost (Shen, Hao 2011)."""

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from boostbench.boosting._column_generation import ColumnGeneration, Master
from boostbench.boosting._corrective import ColumnGenerationBooster
from boostbench.boosting._types import Floats, Integers, RandomStateLike
from boostbench.boosting.errors import ParameterError

STAGEWISE_C = 1e8


class MultiBoostCW(ColumnGenerationBooster):
    """Multi-class boosting with its own weak learners for every class, by column generation.

    Each round finds one decision stump per class (4) and re-optimises
    ``min_{w >= 0} ||w||_1 + C/p sum_i sum_{y != y_i} exp(F_y(x_i) - F_{y_i}(x_i))`` (2), where
    p = m (K - 1) for m samples of K classes, by fast coordinate descent (Algorithm 2).

    ``predict_proba`` is the softmax of ``2 F``: with probabilities p of the classes at a point, the
    expected loss ``sum_k p_k sum_{y != k} exp(F_y - F_k)`` is least at ``F_k = log(p_k) / 2`` plus
    a constant, for two classes the half log-odds of AdaBoost. The penalty on w draws the scores
    together, the more the smaller C.

    Parameters
    ----------
    C : float, default=1e4
        The weight of the loss, above 0.
    max_iter : int, default=500
        The greatest number of rounds.
    solver : {"fcd", "lbfgsb"}, default="fcd"
        Fast coordinate descent, or scipy's L-BFGS-B for comparison.
    max_sweeps : int, default=2
        The paper's tau_max, working sets visited each round; the first is the new stumps.
    tol : float, default=0.1
        The paper's epsilon: with ``polish``, the largest violated KKT value (16) that a fit may end
        with. "fcd" does not update variables whose value is within it (within a fifth of it where
        the problem is solved to ``tol``: fewer sweeps do). The rounds of "lbfgsb" stop by scipy's
        own settings, as in the paper, whatever ``tol`` is.
    stagewise : bool, default=False
        Update only the new variables, once (the paper's CW-1), with C raised to 1e8 if it is less.
    random_state : int, RandomState instance or None, default=None
        Draws the order of the coordinates in sweeps after the first.
    rule : {"exact", "adaboost"}, default="exact"
        "exact" takes each coordinate's minimiser (12), "adaboost" the limit (13) for large C.
    objective_tol : float, default=1e-10
        Stop when a round changes the objective, or the objective exceeds the dual bound, by at most
        this share of it; 0 continues through rounds that change nothing.
    time_limit : float or None, default=None
        Seconds after which no new round starts, None for no limit.
    warm_start : bool, default=False
        Resume the last fit up to ``max_iter`` rounds in all. On the same data the result is bit for
        bit that of an uninterrupted fit, and a fit that has stopped with "optimal" or "objective"
        stays as it is. The training state is kept for that, but not in a pickle or copy, which
        resume from the polished coefficients.
    polish : bool, default=True
        Also solve the problem to ``tol``, by any solver, at the end of the fit and before giving up
        (a round that changes nothing or finds no new stump): ``kkt_residual_`` is then at most
        ``tol``, or a ConvergenceWarning is given. False leaves the paper's algorithm unchanged,
        which may select a stump twice; ``stagewise`` and ``rule="adaboost"`` never polish.

    Attributes
    ----------
    stumps_ : structured ndarray of shape (n_rounds * K,)
        The fields class (index into ``classes_``), feature, threshold and polarity; round by round,
        class by class.
    coef_ : ndarray of shape (n_rounds * K,)
        The coefficients of the stumps, at least 0.
    classes_ : ndarray of shape (K,)
        The labels.
    n_iter_ : int
        The number of rounds.
    n_features_in_ : int
        The number of features.
    C_ : float
        The C that was used.
    objective_history_ : ndarray of shape (n_rounds,)
        The value of (2) after each round.
    time_history_, solver_time_history_ : ndarray of shape (n_rounds,)
        Seconds of training until the end of each round, in all and in the solver.
    fit_time_, solver_time_ : float
        The last of these; evaluation, certificates and the compilation of kernels are not in them.
    kkt_residual_ : float
        The largest violated value (16) over the variables at the end.
    dual_bound_ : float
        A certified lower bound on (2) over *all* stumps.
    stop_reason_ : str
        "optimal" (dual gap, or no stump that is new to any class), "stalled" (none that is new, but
        ``tol`` was not reached), "objective" (no more change), "max_iter" or "time".

    Notes
    -----
    A stump without error gets a large coefficient (16.6 at C = 1e8): legal, and finite for any C.

    References
    ----------
    G. Lin, C. Shen, A. van den Hengel and D. Suter, "Fast training of
    effective multi-class boosting using coordinate descent optimization", ACCV 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from boostbench.boosting import MultiBoostCW
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiBoostCW(max_iter=20, random_state=0).fit(X, y)
    >>> model.coef_.shape == (3 * model.n_iter_,), bool(model.score(X, y) > 0.95)
    (True, True)
    """

    def __init__(
        self,
        C: float = 1e4,
        max_iter: int = 500,
        solver: Literal["fcd", "lbfgsb"] = "fcd",
        max_sweeps: int = 2,
        tol: float = 0.1,
        stagewise: bool = False,
        random_state: RandomStateLike = None,
        rule: Literal["exact", "adaboost"] = "exact",
        objective_tol: float = 1e-10,
        time_limit: float | None = None,
        warm_start: bool = False,
        polish: bool = True,
    ) -> None:
        super().__init__(
            C=C,
            max_iter=max_iter,
            solver=solver,
            max_sweeps=max_sweeps,
            tol=tol,
            random_state=random_state,
            objective_tol=objective_tol,
            time_limit=time_limit,
            warm_start=warm_start,
            polish=polish,
        )
        self.stagewise = stagewise
        self.rule = rule

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **ColumnGenerationBooster._parameter_constraints,
        "stagewise": ["boolean"],
        "rule": [StrOptions({"exact", "adaboost"})],
    }

    def _master(self) -> Master:
        if self.stagewise and self.solver != "fcd":
            raise ParameterError(
                'stagewise=True is a way of coordinate descent: use solver="fcd", '
                f"not {self.solver!r}."
            )
        if self.rule != "exact" and self.solver != "fcd":
            raise ParameterError(
                f'rule={self.rule!r} is a rule of coordinate descent: use solver="fcd", '
                f"not {self.solver!r}."
            )
        master = super()._master()
        return replace(
            master,
            C=max(master.C, STAGEWISE_C) if self.stagewise else master.C,
            adaboost_rule=self.rule == "adaboost",
            corrective=not self.stagewise,
        )

    def _stump_indices(self, classes: Integers, rounds: Integers) -> Integers:
        numbers: Integers = rounds * len(self.classes_) + classes
        return numbers

    def _coefficients(self) -> Floats:
        return self.coef_.reshape(-1, len(self.classes_)).T

    def _new_stumps(self, state: ColumnGeneration, first: int) -> tuple[Integers, Integers]:
        stumps = state.stumps[first : state.n]
        return stumps.reshape(-1, 5), np.tile(np.arange(state.n_classes), stumps.shape[0])

    def _set_coef(self, coef: Floats) -> None:
        self.coef_ = coef.T.ravel()


class MultiBoost(ColumnGenerationBooster):
    """Multi-class boosting with weak learners shared by all classes, by column generation.

    Each round finds the one stump that is best for any class (6); it joins every class's set, and
    the problem (2) of :class:`MultiBoostCW` is re-optimised over all coefficients.
    ``predict_proba`` is that of :class:`MultiBoostCW`.

    Parameters
    ----------
    C : float, default=1e4
        The weight of the loss, above 0.
    max_iter : int, default=500
        The greatest number of rounds.
    solver : {"fcd", "lbfgsb"}, default="lbfgsb"
        Fast coordinate descent, or scipy's L-BFGS-B.
    max_sweeps : int, default=2
        Of "fcd": working sets visited each round; the first is the new stumps.
    tol : float, default=0.1
        With ``polish``, the largest violated KKT value (16) that a fit may end with, as in
        :class:`MultiBoostCW`.
    random_state : int, RandomState instance or None, default=None
        Draws the order of the coordinates in sweeps of "fcd" after the first.
    objective_tol : float, default=1e-10
        Stop when a round changes the objective, or the objective exceeds the dual bound, by at most
        this share of it; 0 continues through rounds that change nothing.
    time_limit : float or None, default=None
        Seconds after which no new round starts, None for no limit.
    warm_start : bool, default=False
        Resume the last fit up to ``max_iter`` rounds in all, as in :class:`MultiBoostCW`.
    polish : bool, default=True
        Also solve the problem to ``tol`` at the end of the fit and before giving up, as in
        :class:`MultiBoostCW`.

    Attributes
    ----------
    stumps_ : structured ndarray of shape (n_rounds,)
        The fields class (the one that the stump was found for), feature, threshold and polarity.
    coef_ : ndarray of shape (n_rounds, K)
        The coefficients of the stumps for each class, at least 0.
    classes_ : ndarray of shape (K,)
        The labels; all other attributes are those of :class:`MultiBoostCW` too.

    References
    ----------
    C. Shen and Z. Hao, "A direct formulation for totally-corrective
    multi-class boosting", CVPR 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from boostbench.boosting import MultiBoost
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiBoost(max_iter=10).fit(X, y)
    >>> model.coef_.shape == (model.n_iter_, 3), bool(model.score(X, y) > 0.9)
    (True, True)
    """

    def _master(self) -> Master:
        return replace(super()._master(), shared=True)

    def _stump_indices(self, classes: Integers, rounds: Integers) -> Integers:
        return rounds

    def _coefficients(self) -> Floats:
        return self.coef_.T

    def _new_stumps(self, state: ColumnGeneration, first: int) -> tuple[Integers, Integers]:
        stumps = state.stumps[first : state.n, 0]
        return stumps, state.chosen_class[first : state.n]

    def _set_coef(self, coef: Floats) -> None:
        self.coef_ = np.ascontiguousarray(coef.T)
