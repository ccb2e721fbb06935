"""Randomized regression trees (Blanquero et al. 2022), the paper's ORRT: all leaves predict."""

from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult, minimize
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from threadpoolctl import threadpool_limits

from boostbench.kernels.arrays import aligned_zeros
from boostbench.trees._base import RandomStateLike, TreeRegressor, in_threads
from boostbench.trees._blocks import BLOCK, to_points
from boostbench.trees._importance import feature_importances
from boostbench.trees._initialisation import initialise
from boostbench.trees._orrt_loss import randomized_tree_loss
from boostbench.trees._range import warn_if_out_of_range
from boostbench.trees._types import FloatArray, Penalty, Points, Tree
from boostbench.trees.objective import orrt_objective
from boostbench.trees.structure import (
    check_enough_samples,
    from_inner,
    leaf_outputs,
    leaf_probabilities,
)


class RandomizedRegressionTree(TreeRegressor):
    """Soft regression tree that predicts by the mixture of all leaves; minimises (4) as a whole.

    The defaults are the setting behind the published figures: with mu = 512 the splits are almost
    hard and hardly move. ``mu=1, branch_bound=None`` trains the same model well.

    Parameters
    ----------
    depth : int, default=3
        D, 1 to 12; the tree has 2**D - 1 branch nodes and 2**D leaves.
    solver : {"slsqp", "lbfgsb"}, default="slsqp"
        The solver of scipy; SLSQP is the paper's.
    mu : float, default=512.0
        The steepness of the logistic function (1), above 0.
    branch_bound : float or None, default=1.0
        The coefficients omega are kept within [-branch_bound, branch_bound]; None for no bounds.
    init : {"random", "clustering"}, default="random"
        "random" draws omega and beta from the uniform distribution on [-1, 1]; "clustering" takes
        the initialisation procedure of :class:`SoftRegressionTree`.
    objective_scaling : {"mean", "sum"}, default="mean"
        Whether the solver minimises the mean or the sum of squared residuals, to which ``tol`` is
        absolute.
    max_iter : int, default=300
        The solver's limit of iterations.
    tol : float, default=1e-5
        SLSQP's absolute ftol, or L-BFGS-B's relative one.
    n_restarts : int, default=1
        The number of independent initial solutions. The tree of least objective (4) on the training
        data is kept, the first of several. The first start is that of ``n_restarts=1``.
    random_state : int, RandomState instance or None, default=None
        Draws the initial solutions.
    n_jobs : int or None, default=None
        The number of threads that share the restarts: None for 1 unless in a
        ``joblib.parallel_config`` context, -1 for all processors. The result is the same, bit for
        bit, for any number.

    Attributes
    ----------
    branch_coef_ : ndarray of shape (2**D - 1, n_features + 1)
        The coefficients omega, intercepts first, in heap order.
    leaf_coef_ : ndarray of shape (2**D, n_features + 1)
        The coefficients beta, intercepts first, from left to right.
    feature_importances_ : ndarray of shape (n_features,)
        As in :class:`SoftRegressionTree`, each leaf weighted by P_it.
    objective_ : float
        (4) at the end.
    objective_history_ : ndarray of shape (n_values,)
        (4) at the start and after each iteration.
    n_iter_ : int
        The number of iterations, as the solver reports it.
    converged_ : bool
        Whether the solver reports success.
    message_ : str
        The solver's message.
    n_features_in_ : int
        The number p of features.

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río and D. Romero Morales, "On sparse optimal regression
    trees", European Journal of Operational Research 299, 2022. A. Consolo, E. Amaldi and A. Manno,
    "Soft regression trees", 2026, equation (4).

    Examples
    --------
    >>> import numpy as np
    >>> from boostbench.trees import RandomizedRegressionTree
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> y = np.where(X[:, 0] < 0.5, 2 * X[:, 0], 2 - 2 * X[:, 0])
    >>> tree = RandomizedRegressionTree(depth=1, mu=1, branch_bound=None, random_state=0)
    >>> tree.fit(X, y).leaf_probabilities(X).sum(axis=1).round(6).tolist() == [1.0] * 50
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "depth": [Interval(Integral, 1, 12, closed="both")],
        "solver": [StrOptions({"slsqp", "lbfgsb"})],
        "mu": [Interval(Real, 0, None, closed="neither")],
        "branch_bound": [Interval(Real, 0, None, closed="neither"), None],
        "init": [StrOptions({"random", "clustering"})],
        "objective_scaling": [StrOptions({"mean", "sum"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        depth: int = 3,
        solver: str = "slsqp",
        *,
        mu: float = 512.0,
        branch_bound: float | None = 1.0,
        init: str = "random",
        objective_scaling: str = "mean",
        max_iter: int = 300,
        tol: float = 1e-5,
        n_restarts: int = 1,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.depth = depth
        self.solver = solver
        self.mu = mu
        self.branch_bound = branch_bound
        self.init = init
        self.objective_scaling = objective_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        check_enough_samples(len(X), self.depth)
        warn_if_out_of_range(self, X, y, self.depth)
        points = to_points(X, y)
        rng = check_random_state(self.random_state)
        starts = [self._initial_solution(points, rng) for _ in range(self.n_restarts)]
        # More BLAS threads would change the solver's last bits, and slow it down.
        with threadpool_limits(limits=1, user_api="blas"):
            runs = in_threads(self.n_jobs, lambda start: self._minimise(points, start), starts)
        finite = [run for run in runs if run.is_finite]
        if not finite:
            raise ValueError("the objective overflowed; scale the features to [0, 1] or so first")
        self._keep(points, min(finite, key=lambda run: float(run.result.fun)))

    def _minimise(self, points: Points, start: FloatArray) -> "_Run":
        objective = _Objective(points, self.depth, self.mu, self.objective_scaling == "sum")
        history = [objective.mean_at(start)]
        result = minimize(
            objective.value_and_gradient,
            start,
            jac=True,
            bounds=self._bounds(objective.n_branch, len(start)),
            method={"slsqp": "SLSQP", "lbfgsb": "L-BFGS-B"}[self.solver],
            options={"maxiter": self.max_iter, "ftol": self.tol},
            callback=lambda x: history.append(objective.mean_at(x)),
        )
        return _Run(objective, result, history)

    def _bounds(
        self, n_branch: int, n_variables: int
    ) -> list[tuple[float | None, float | None]] | None:
        if self.branch_bound is None:
            return None
        box = (-self.branch_bound, self.branch_bound)
        return [box] * n_branch + [(None, None)] * (n_variables - n_branch)

    def _keep(self, points: Points, run: "_Run") -> None:
        """Set the fitted attributes."""
        objective, result, history = run
        tree = objective.tree(result.x.copy())
        self.branch_coef_ = result.x[: objective.n_branch].reshape(tree.branch.shape).copy()
        self.leaf_coef_ = tree.leaf.copy()
        self.feature_importances_ = np.empty(tree.leaf.shape[1] - 1)
        feature_importances(points, tree, False, self.feature_importances_)
        self.objective_ = objective.mean(result.fun)
        if history[-1] != self.objective_:  # SLSQP does not call back after its last iteration
            history.append(self.objective_)
        self.objective_history_ = np.array(history)
        self.n_iter_ = int(result.nit)
        self.converged_ = bool(result.success)
        self.message_ = str(result.message)

    def _initial_solution(self, points: Points, rng: np.random.RandomState) -> FloatArray:
        n_leaves, columns = 2**self.depth, points.blocks.shape[1]
        if self.init == "random":
            return np.asarray(rng.uniform(-1.0, 1.0, (2 * n_leaves - 1) * columns))
        tree = Tree(self.depth, np.zeros((n_leaves - 1, columns)), np.zeros((n_leaves, columns)))
        uniforms = rng.random_sample((1, n_leaves - 1, 2))
        penalty = Penalty(0.0, 0.0, 1.0 / ((columns - 1) * n_leaves), False)
        initialise(points, points, tree, uniforms, penalty)
        branch = from_inner(tree.branch, self.mu)
        if self.branch_bound is not None:
            branch = np.clip(branch, -self.branch_bound, self.branch_bound)
        return np.concatenate([branch.ravel(), tree.leaf.ravel()])

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the mixture of all leaves, sum_t P_it yhat_it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, in the unit of the target.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        X = self._new_data(X)
        weights = leaf_probabilities(self.branch_coef_, X, self.mu)
        return np.asarray(np.einsum("ij,ij->i", weights, leaf_outputs(self.leaf_coef_, X)))

    def leaf_probabilities(self, X: ArrayLike) -> FloatArray:
        """Return P_it, the probability of falling into each leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, 2**D)
            The probabilities, leaves from left to right; rows sum to 1.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        X = self._new_data(X)
        return leaf_probabilities(self.branch_coef_, X, self.mu)

    def objective(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return (4), the mean squared residual of the fitted tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        float
            The objective, in the squared unit of the target.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If the shapes do not fit, or a value is not finite.
        """
        X, y = self._scoring_data(X, y)
        return orrt_objective(self.branch_coef_, self.leaf_coef_, X, y, self.mu)[0]

    def benchmark_metrics_(self) -> dict[str, float | int]:
        """Return the numbers that a benchmark stores beside the scores.

        Returns
        -------
        dict
            The final ``objective``, the number of iterations ``n_iter`` and whether the solver
            ``converged``, as 0 or 1.
        """
        return {
            "objective": self.objective_,
            "n_iter": self.n_iter_,
            "converged": int(self.converged_),
        }


class _Objective:
    """Objective (4), times the number of points if it ``is_sum``, as the solvers take it.

    Their variables are omega, (2**D - 1, p + 1), followed by beta, (2**D, p + 1), in one array.
    """

    def __init__(self, points: Points, depth: int, mu: float, is_sum: bool) -> None:
        n_leaves = 2**depth
        columns = points.blocks.shape[1]
        self.n_branch = (n_leaves - 1) * columns
        self._points = points
        self._depth = depth
        self._factor = 1.0 if is_sum else 1.0 / points.n
        self._scale = np.full(columns, mu / (columns - 1))
        self._scale[0] = mu
        self._gradient = np.empty((2 * n_leaves - 1) * columns)
        self._nodes = aligned_zeros((4, 2 * n_leaves, BLOCK))
        self._last_x = np.empty(0)
        self._last_value = np.nan

    def tree(self, x: FloatArray) -> Tree:
        """Return the tree of the variables ``x``, as the kernels take it."""
        columns = len(self._scale)
        inner = x[: self.n_branch].reshape(-1, columns) * self._scale
        return Tree(self._depth, inner, x[self.n_branch :].reshape(-1, columns))

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and its gradient in the variables."""
        columns = len(self._scale)
        grad_branch = self._gradient[: self.n_branch].reshape(-1, columns)
        grad_leaf = self._gradient[self.n_branch :].reshape(-1, columns)
        loss = randomized_tree_loss(self._points, self.tree(x), grad_branch, grad_leaf, self._nodes)
        np.multiply(grad_branch, self._scale, out=grad_branch)
        self._last_x = x.copy()
        self._last_value = self._factor * loss
        return self._last_value, self._factor * self._gradient

    def mean_at(self, x: FloatArray) -> float:
        """Return (4) at ``x``, not computed again where it was computed last."""
        if not np.array_equal(x, self._last_x):
            self.value_and_gradient(x)
        return self.mean(self._last_value)

    def mean(self, value: float) -> float:
        """Return (4) from the value that the solver minimises."""
        return float(value) / (self._factor * self._points.n)


class _Run(NamedTuple):
    """A solver's result from one start, and (4) at the start and after each iteration."""

    objective: _Objective
    result: OptimizeResult
    history: list[float]

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.result.fun) and np.all(np.isfinite(self.result.x)))
