"""Soft regression trees with single leaf predictions (SRT, SRT-l2), trained by NODEC-DR."""

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from boostbench.trees._base import RandomStateLike, TreeRegressor, in_threads
from boostbench.trees._blocks import to_points
from boostbench.trees._convergent import nodec_dr_convergent
from boostbench.trees._importance import feature_importances
from boostbench.trees._nodec import nodec_dr
from boostbench.trees._range import warn_if_out_of_range
from boostbench.trees._types import (
    BranchStep,
    Convergence,
    FloatArray,
    Imbalance,
    IntArray,
    Penalty,
    Points,
    Tree,
)
from boostbench.trees.objective import euclidean_norm, penalised_srt_objective
from boostbench.trees.structure import (
    check_enough_samples,
    checked_weights,
    from_inner,
    leaf_probabilities,
    path_matrix,
    predict_hard,
    route,
    total_variance,
)

# Constants of a branch step that the paper does not give.
_FIRST_STEP = 1.0
_BRANCH_TOL = 1e-6


class SoftRegressionTree(TreeRegressor):
    """Soft multivariate regression tree whose prediction comes from a single leaf: SRT and SRT-l2.

    It is trained by NODEC-DR. Features should lie in about [0, 1] and the target be standardised,
    as in the paper.

    Parameters
    ----------
    depth : int, default=3
        D, 1 to 12; the tree has 2**D - 1 branch nodes and 2**D leaves.
    regularization : {"l2"} or None, default=None
        None for SRT, "l2" for SRT-l2.
    max_iter : int, default=10
        Macro iterations (M_it), each over all branch nodes.
    n_restarts : int, default=1
        The number of independent initial solutions; the tree of least training error is kept.
    n_clusterings : int, default=1
        Clusterings per initial solution (r), picked by the Davies-Bouldin index.
    target_weight : float, default=0.0
        The weight of the standardised target as one more column of the points that are clustered: 0
        as the text of Section 5.4 says ("C_1, which consists of all the input vectors in I"); the
        pseudo-code's C = [I], where I holds pairs (x, y), can be read as 1.
    mu : float, default=1.0
        The steepness of the logistic function (1), above 0.
    lambda_branch, lambda_leaf : float or None, default=None
        The l2 weights lambda_omega and lambda_beta, used only with ``regularization="l2"``. None
        takes the paper's 2 / (p (2**D - 1)) and 2 / (p 2**D).
    penalty_scaling : {"sum", "mean"}, default="sum"
        "mean" adds the penalties to the mean loss, as (7) is printed, which with the paper's
        lambdas collapses to omega = 0. "sum" adds lambda_leaf to the *sum* of losses and, with
        ``lambda_branch=None``, the paper's lambda_omega to the sum of the squared slopes of z =
        omega_0 + (1/p) sum_j omega_j x_j times the total variance of the training features, which
        does not depend on their scale and gives the paper's figures.
    max_branch_iter : int, default=10
        Quasi-Newton iterations of a branch step; stopping early is essential.
    branch_solver : {"auto", "slsqp", "lbfgs"}, default="auto"
        "slsqp" takes the iterations of SLSQP on the *sum* of losses: BFGS from the identity with
        Powell's damping, and SLSQP's line search. "lbfgs" takes those of L-BFGS.
    leaf_solver : {"auto", "lsmr", "cholesky"}, default="auto"
        "lsmr" takes LSMR's result from beta = 0 with scipy's defaults, at most one iteration per
        coefficient, which shrinks ill-conditioned leaves. "cholesky" takes the exact solution.
        "auto" takes for both the solvers of the paper's Section 6.1, SLSQP and a least-squares
        solver of scipy.sparse, if neither ``regularization`` nor ``convergent_after`` is given, and
        "lbfgs" and "cholesky" otherwise.
    branch_metric : {"auto", "omega", "slope"}, default="auto"
        The variables in which the branch steps are measured: "omega" or "slope" (omega / p). "auto"
        takes "slope" with regularization and "omega" without.
    clip : bool, default=False
        Whether, for predictions, a feature beyond its range over the training samples counts as the
        nearer end of that range, so that no leaf extrapolates (as in MinMaxScaler).
    imbalance_threshold, high_imbalance_threshold : float, default=0.1 and 0.3
        The paper's epsilon_1 and epsilon_2 of the reassignment heuristic, 0 to 0.5.
    reassigned_share : float, default=0.4
        The paper's epsilon_3 of the reassignment heuristic, 0 to 1.
    threshold_decay : float, default=0.8
        The paper's zeta of the reassignment heuristic, 0 to 1.
    convergent_after : int or None, default=None
        The paper's k_0, the inner iteration after which a step must meet conditions (15), (16) and
        starts from the best iterate so far; None leaves them off, as the paper's runs do.
    skip_factor : float, default=0.0
        The paper's theta_omega: a branch step is skipped while its gradient's norm is at most
        skip_factor**k. Only with ``convergent_after``.
    armijo_step, armijo_slope, armijo_shrink : float, default=1.0, 1e-4 and 0.5
        The paper's a, gamma and delta of Armijo's rule.
    sufficient_decrease : float, default=1e-10
        The paper's tau of condition (16).
    tol : float, default=0.0
        With ``convergent_after``, stop when the gradient's norm is at most this.
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
    objective_history_ : ndarray of shape (n_values,)
        Error (7) at the start and after each inner iteration of the kept run.
    objective_ : float
        Error (7) of the tree kept.
    feature_importances_ : ndarray of shape (n_features,)
        The share of each feature in the variance of the predictions on the training samples, node
        by node: in a leaf the variance of each term of the regression, at a branch the variance
        that the choice of the side causes, divided among the features as the variance of z is. Sum
        1, or all 0 if the predictions are constant.
    feature_range_ : ndarray of shape (2, n_features)
        The least and largest training value of each feature; with ``clip``.
    total_variance_ : float
        The sum of the features' variances among the training samples; with ``regularization``.
    n_iter_ : int
        Macro iterations done.
    n_features_in_ : int
        The number p of features.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees: a model variant and a decomposition
    training algorithm", European Journal of Operational Research, 2026, Sections 3 to 5.

    Examples
    --------
    >>> import numpy as np
    >>> from boostbench.trees import SoftRegressionTree
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.where(X[:, 0] < 0.5, 4 * X[:, 0], 4 - 4 * X[:, 0]) - 1
    >>> tree = SoftRegressionTree(depth=1, random_state=0).fit(X, y)
    >>> sorted(set(tree.apply(X).tolist())), bool(tree.score(X, y) > 0.99)
    ([2, 3], True)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "depth": [Interval(Integral, 1, 12, closed="both")],
        "regularization": [StrOptions({"l2"}), None],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "target_weight": [Interval(Real, 0, None, closed="left")],
        "mu": [Interval(Real, 0, None, closed="neither")],
        "lambda_branch": [Interval(Real, 0, None, closed="left"), None],
        "lambda_leaf": [Interval(Real, 0, None, closed="left"), None],
        "penalty_scaling": [StrOptions({"sum", "mean"})],
        "max_branch_iter": [Interval(Integral, 1, None, closed="left")],
        "branch_solver": [StrOptions({"auto", "slsqp", "lbfgs"})],
        "leaf_solver": [StrOptions({"auto", "lsmr", "cholesky"})],
        "branch_metric": [StrOptions({"auto", "omega", "slope"})],
        "clip": ["boolean"],
        "imbalance_threshold": [Interval(Real, 0, 0.5, closed="both")],
        "high_imbalance_threshold": [Interval(Real, 0, 0.5, closed="both")],
        "reassigned_share": [Interval(Real, 0, 1, closed="both")],
        "threshold_decay": [Interval(Real, 0, 1, closed="both")],
        "convergent_after": [Interval(Integral, 0, None, closed="left"), None],
        "skip_factor": [Interval(Real, 0, 1, closed="left")],
        "armijo_step": [Interval(Real, 0, None, closed="neither")],
        "armijo_slope": [Interval(Real, 0, 1, closed="neither")],
        "armijo_shrink": [Interval(Real, 0, 1, closed="neither")],
        "sufficient_decrease": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        depth: int = 3,
        regularization: str | None = None,
        max_iter: int = 10,
        n_restarts: int = 1,
        *,
        n_clusterings: int = 1,
        target_weight: float = 0.0,
        mu: float = 1.0,
        lambda_branch: float | None = None,
        lambda_leaf: float | None = None,
        penalty_scaling: str = "sum",
        max_branch_iter: int = 10,
        branch_solver: str = "auto",
        leaf_solver: str = "auto",
        branch_metric: str = "auto",
        clip: bool = False,
        imbalance_threshold: float = 0.1,
        high_imbalance_threshold: float = 0.3,
        reassigned_share: float = 0.4,
        threshold_decay: float = 0.8,
        convergent_after: int | None = None,
        skip_factor: float = 0.0,
        armijo_step: float = 1.0,
        armijo_slope: float = 1e-4,
        armijo_shrink: float = 0.5,
        sufficient_decrease: float = 1e-10,
        tol: float = 0.0,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.depth = depth
        self.regularization = regularization
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.n_clusterings = n_clusterings
        self.target_weight = target_weight
        self.mu = mu
        self.lambda_branch = lambda_branch
        self.lambda_leaf = lambda_leaf
        self.penalty_scaling = penalty_scaling
        self.max_branch_iter = max_branch_iter
        self.branch_solver = branch_solver
        self.leaf_solver = leaf_solver
        self.branch_metric = branch_metric
        self.clip = clip
        self.imbalance_threshold = imbalance_threshold
        self.high_imbalance_threshold = high_imbalance_threshold
        self.reassigned_share = reassigned_share
        self.threshold_decay = threshold_decay
        self.convergent_after = convergent_after
        self.skip_factor = skip_factor
        self.armijo_step = armijo_step
        self.armijo_slope = armijo_slope
        self.armijo_shrink = armijo_shrink
        self.sufficient_decrease = sufficient_decrease
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples, in about [0, 1].
        y : array-like of shape (n_samples,)
            The target of each sample, standardised.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts, at least 0: a weight of 2 is a sample given twice, one of 0 a sample left out.
            The penalties stand beside the weighted sum of losses. None for equal weights.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            For bad input or a bad parameter, among it fewer samples than leaves.

        Warns
        -----
        OutOfRangeWarning
            Where the data are unlike the paper's.
        """
        X, y = self._training_data(X, y)
        weights = checked_weights(sample_weight, X)
        kept = weights > 0.0
        if not kept.all():
            X, y, weights = X[kept], y[kept], weights[kept]
        self._fit(X, y, weights)
        return self

    def _fit(self, X: FloatArray, y: FloatArray, weights: FloatArray | None = None) -> None:
        points = to_points(X, y, weights)
        check_enough_samples(max(points.n, int(points.total)), self.depth)
        warn_if_out_of_range(self, X, y, self.depth)
        if self.clip:
            self.feature_range_ = np.stack([X.min(axis=0), X.max(axis=0)])
        if self.regularization is not None:
            self.total_variance_ = total_variance(X, points.weights)
        n_leaves = 2**self.depth
        rng = check_random_state(self.random_state)
        uniforms = rng.random_sample((self.n_restarts, self.n_clusterings, n_leaves - 1, 2))
        clustered = self._clustered(X, points) if self.target_weight > 0.0 else points
        runs = in_threads(
            self.n_jobs, lambda numbers: self._train(X, points, clustered, numbers), uniforms
        )
        # The first of the least error: one that is not a number never replaces another.
        self.objective_, tree, self.objective_history_ = min(runs, key=lambda run: run[0])
        self.feature_importances_ = np.empty(X.shape[1])
        feature_importances(points, tree, True, self.feature_importances_)
        self.branch_coef_, self.leaf_coef_ = from_inner(tree.branch, self.mu), tree.leaf
        self.n_iter_ = (len(self.objective_history_) - 1) // (n_leaves - 1)

    def _clustered(self, X: FloatArray, points: Points) -> Points:
        """Return the points with the standardised target, times its weight, as one more column."""
        deviation = points.y - np.average(points.y, weights=points.weights)
        spread = float(np.sqrt(np.average(deviation**2, weights=points.weights)))
        target = deviation / spread if spread > 0.0 else np.zeros_like(deviation)
        return to_points(np.column_stack([X, self.target_weight * target]), None, points.weights)

    def _new_data(self, X: ArrayLike) -> FloatArray:
        return self._clipped(super()._new_data(X))

    def _scoring_data(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        X, y = super()._scoring_data(X, y)
        return self._clipped(X), y

    def _clipped(self, X: FloatArray) -> FloatArray:
        return np.clip(X, *self.feature_range_) if self.clip else X

    def _takes(self, solver: str, given: str) -> bool:
        """Return whether to use ``solver``, one of those that the paper names."""
        as_published = self.regularization is None and self.convergent_after is None
        return given == solver or (given == "auto" and as_published)

    def _penalty(self, n: float, p: int) -> Penalty:
        """Return the penalties beside the sum of losses whose weights have the sum ``n``."""
        lsmr = self._takes("lsmr", self.leaf_solver)
        if self.regularization is None:
            return Penalty(0.0, 0.0, 0.0, lsmr)
        n_leaves = 2**self.depth
        leaf = 2.0 / (p * n_leaves) if self.lambda_leaf is None else self.lambda_leaf
        branch = 2.0 / (p * (n_leaves - 1)) if self.lambda_branch is None else self.lambda_branch
        if self.penalty_scaling == "mean":
            leaf, branch = n * leaf, n * branch
        elif self.lambda_branch is None:
            return Penalty(0.0, branch * self.total_variance_, 0.5 * leaf, lsmr)
        return Penalty(branch / self.mu**2, branch * (p / self.mu) ** 2, 0.5 * leaf, lsmr)

    def _branch_step(self, p: int) -> BranchStep:
        in_omega = self.branch_metric == "omega" or (
            self.branch_metric == "auto" and self.regularization is None
        )
        slope_scale = 1.0 / p if in_omega else 1.0
        slsqp = self._takes("slsqp", self.branch_solver)
        return BranchStep(int(self.max_branch_iter), _FIRST_STEP, slope_scale, _BRANCH_TOL, slsqp)

    def _imbalance(self) -> Imbalance:
        return Imbalance(
            float(self.imbalance_threshold),
            float(self.high_imbalance_threshold),
            float(self.reassigned_share),
            float(self.threshold_decay),
        )

    def _convergence(self, p: int) -> Convergence:
        scale = np.full(p + 1, self.mu / p)
        scale[0] = self.mu
        return Convergence(
            scale,
            float(self.skip_factor),
            float(self.armijo_step),
            float(self.armijo_slope),
            float(self.armijo_shrink),
            float(self.sufficient_decrease),
        )

    def _train(
        self, X: FloatArray, points: Points, clustered: Points, uniforms: FloatArray
    ) -> tuple[float, Tree, FloatArray]:
        """Error (7), tree and history of one run from the initialisation of ``uniforms``."""
        n_branches, p = 2**self.depth - 1, X.shape[1]
        penalty = self._penalty(points.total, p)
        tree = Tree(self.depth, np.zeros((n_branches, p + 1)), np.zeros((n_branches + 1, p + 1)))
        step, imbalance = self._branch_step(p), self._imbalance()
        total = self.max_iter * n_branches
        free = total if self.convergent_after is None else min(self.convergent_after, total)
        history = np.zeros(total + 1)
        nodec_dr(points, clustered, tree, uniforms, free, step, imbalance, penalty, history)
        done = free
        step = step._replace(slope_scale=1.0, tol=0.0)
        convergence = self._convergence(p)
        while done < total:
            last = min(total, done - done % n_branches + n_branches)
            nodec_dr_convergent(
                points, tree, done, last, step, imbalance, penalty, convergence, history
            )
            done = last
            if self.tol > 0.0 and self._is_stationary(X, points, tree):
                break
        history = history[: done + 1]
        least = float(history[free:].min() if done > free else history.min())
        return least, tree, history

    def _gradient(
        self,
        X: FloatArray,
        y: FloatArray,
        sample_weight: ArrayLike | None,
        branch_coef: FloatArray,
        leaf_coef: FloatArray,
    ) -> tuple[float, FloatArray, FloatArray]:
        """Error (7) with this model's penalties, and its gradients in omega and beta."""
        weights = checked_weights(sample_weight, X)
        penalty = self._penalty(float(weights.sum()), X.shape[1])
        return penalised_srt_objective(branch_coef, leaf_coef, X, y, self.mu, weights, penalty)

    def _is_stationary(self, X: FloatArray, points: Points, tree: Tree) -> bool:
        coef = from_inner(tree.branch, self.mu), tree.leaf
        gradients = self._gradient(X, points.y, points.weights, *coef)[1:]
        return euclidean_norm(*gradients) <= self.tol

    def objective(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return error (7), penalties included, of the fitted tree.

        It is the weighted mean of the expected squared residual plus, with regularization,
        [lambda_omega / 2 * V sum_jt (mu omega_jt / p)^2 + lambda_leaf / 2 * norm(beta)^2] / n where
        ``penalty_scaling`` is "sum" (lambda_omega = 2 / (p (2**D - 1)), V = ``total_variance_``,
        and omega's intercepts are free; a given ``lambda_branch`` adds lambda_branch / 2 *
        norm(omega)^2 instead), or lambda_branch / 2 * norm(omega)^2 + lambda_leaf / 2 *
        norm(beta)^2 where it is "mean"; n is the number of samples or, with ``sample_weight``, the
        sum of their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the samples, None for equal ones.

        Returns
        -------
        float
            The error, in the squared unit of the target.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If the shapes do not fit, a value is not finite, or a weight is negative.
        """
        X, y = self._scoring_data(X, y)
        return float(self._gradient(X, y, sample_weight, self.branch_coef_, self.leaf_coef_)[0])

    def gradient_norm(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the Euclidean norm of the gradient of (7) at the fitted tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the samples, None for equal ones.

        Returns
        -------
        float
            The norm over omega and beta together, 0 if the tree is stationary.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If the shapes do not fit, a value is not finite, or a weight is negative.
        """
        X, y = self._scoring_data(X, y)
        gradients = self._gradient(X, y, sample_weight, self.branch_coef_, self.leaf_coef_)[1:]
        return euclidean_norm(*gradients)

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the regression of the leaf that each sample reaches: equation (2).

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
        return predict_hard(self.branch_coef_, self.leaf_coef_, X)

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the leaf that each sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The leaves' numbers in heap order, 2**D to 2**(D + 1) - 1. The coefficients of a leaf
            are ``leaf_coef_[leaf - 2**D]``, its column in :meth:`decision_path` is ``leaf``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        X = self._new_data(X)
        return route(self.branch_coef_, X)

    def decision_path(self, X: ArrayLike) -> sparse.csr_matrix:
        """Return which nodes each sample passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        sparse matrix of shape (n_samples, 2**(D + 1))
            1 in column t where the sample meets node t, numbered in heap order; column 0 is not
            used.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        return path_matrix(self.apply(X), self.depth)

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

    def benchmark_metrics_(self) -> dict[str, float | int]:
        """Return the numbers that a benchmark stores beside the scores.

        Returns
        -------
        dict
            The final ``objective`` and the number of macro iterations, ``n_iter``.
        """
        return {"objective": float(self.objective_), "n_iter": int(self.n_iter_)}
