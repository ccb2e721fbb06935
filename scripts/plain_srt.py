"""NODEC-DR written plainly with NumPy, scipy's SLSQP and scikit-learn: the peer of bench_trees.py.

Built as the paper's own program, without compiled kernels. Follows the same readings as
``boostbench.trees.SoftRegressionTree(regularization="l2")``.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

EPSILON_1 = 0.1
EPSILON_2 = 0.3
EPSILON_3 = 0.4
ZETA = 0.8


def reach(v, X1, top, depth_below):
    """Probabilities (n, 2**depth_below) of the leaves of the subtree ``top``."""
    shares = np.ones((len(X1), 1))
    for step in range(depth_below):
        nodes = np.arange(top << step, (top + 1) << step)
        p = expit(X1 @ v[nodes - 1].T)
        shares = np.stack([shares * p, shares * (1 - p)], axis=2).reshape(len(X1), -1)
    return shares


def fit_plain_srt(X, y, depth=3, max_iter=10, branch_iter=10, seed=0):
    """Return (v, beta, least error) with v in z = v0 + v.x."""
    tree = PlainTree(X, y, depth, branch_iter)
    tree.initialise(seed)
    best = (tree.error(), tree.v.copy(), tree.beta.copy())
    epsilons = (EPSILON_1, EPSILON_2, EPSILON_3)
    for _ in range(max_iter):
        for node in range(1, tree.n_leaves):
            if not tree.update(node, *epsilons):
                continue
            value = tree.error()
            if value < best[0]:
                best = (value, tree.v.copy(), tree.beta.copy())
        epsilons = tuple(ZETA * epsilon for epsilon in epsilons)
    return best[1], best[2], best[0]


class PlainTree:
    """A soft tree under training: ``v`` of its branch nodes, ``beta`` of its leaves."""

    def __init__(self, X, y, depth, branch_iter):
        self.X = X
        self.y = y
        self.depth = depth
        self.branch_iter = branch_iter
        self.n, self.p = X.shape
        self.n_leaves = 2**depth
        self.X1 = np.column_stack([np.ones(self.n), X])
        self.ridge = 1.0 / (self.p * self.n_leaves)
        self.slope_penalty = 2.0 / (self.p * (self.n_leaves - 1)) * X.var(axis=0).sum()
        self.v = np.zeros((self.n_leaves - 1, self.p + 1))
        self.beta = np.zeros((self.n_leaves, self.p + 1))

    def initialise(self, seed):
        """Split the rows of each node by clusters, and fit the leaves to theirs."""
        node = np.ones(self.n, int)
        rng = np.random.RandomState(seed)
        for t in range(1, self.n_leaves):
            rows = np.flatnonzero(node == t)
            labels = np.arange(len(rows)) * 2 >= len(rows)
            if len(np.unique(self.X[rows], axis=0)) > 1:
                labels = KMeans(2, n_init=1, random_state=rng).fit_predict(self.X[rows])
                labels = labels.astype(bool)
            if 0 < labels.sum() < len(labels):
                model = LogisticRegression().fit(self.X[rows], ~labels)
                self.v[t - 1] = np.r_[model.intercept_, model.coef_[0]]
            node[rows] = 2 * t + labels
        for k in range(self.n_leaves):
            rows = np.flatnonzero(node == self.n_leaves + k)
            if len(rows):
                self.beta[k] = self.solve_leaf(np.ones(len(rows)), rows)

    def solve_leaf(self, weights, rows):
        """Return the coefficients of a leaf for weighted rows."""
        X1 = self.X1[rows]
        gram = X1.T @ (weights[:, None] * X1) + self.ridge * np.eye(self.p + 1)
        return np.linalg.solve(gram, X1.T @ (weights * self.y[rows]))

    def error(self):
        """Return the training error with its penalties."""
        losses = (self.X1 @ self.beta.T - self.y[:, None]) ** 2
        penalty = 0.5 * self.slope_penalty * np.sum(self.v[:, 1:] ** 2)
        penalty += self.ridge * np.sum(self.beta**2)
        return (np.sum(reach(self.v, self.X1, 1, self.depth) * losses) + penalty) / self.n

    def update(self, t, e1, e2, e3):
        """Do the branch step and the leaf step of a node; return False where it has no rows."""
        level = t.bit_length() - 1
        is_root = t == 1 and self.depth > 1
        down = 1 if is_root else self.depth - level
        rows = self.rows_of(t)
        if not len(rows):
            return False
        here = self.X1[rows]
        bottoms = self.bottom_losses(t, here, rows, down, self.depth - level - down)
        left = here @ self.v[t - 1] >= 0
        share = min(left.mean(), 1 - left.mean())
        if share <= e1 and e1 * self.n >= 1:
            if share <= e2:
                self.move_worst(t, here, bottoms, left, down, e3)
            if 0 < left.sum() < len(left):
                model = LogisticRegression(class_weight="balanced").fit(here[:, 1:], left)
                self.v[t - 1] = np.r_[model.intercept_, model.coef_[0]]
        else:
            self.minimise(t, here, bottoms, down)
        if down + level == self.depth and not is_root:
            shares = reach(self.v, here, t, down)
            for k in range(1 << down):
                if shares[:, k].sum() > 1e-10:
                    leaf = (t << down) + k - self.n_leaves
                    self.beta[leaf] = self.solve_leaf(shares[:, k], rows)
        return True

    def rows_of(self, t):
        """Return the rows whose most probable path goes through a node."""
        path = np.ones(self.n, bool)
        u = t
        while u > 1:
            left = self.X1 @ self.v[(u >> 1) - 1] >= 0
            path &= left if u % 2 == 0 else ~left
            u >>= 1
        return np.flatnonzero(path)

    def bottom_losses(self, t, here, rows, down, below):
        """Return the expected losses (rows, 2**down) of the nodes ``down`` levels below."""
        losses = (here @ self.beta.T - self.y[rows, None]) ** 2
        bottoms = np.empty((len(rows), 1 << down))
        for k in range(1 << down):
            child = (t << down) + k
            first = (child << below) - self.n_leaves
            share = reach(self.v, here, child, below)
            bottoms[:, k] = np.sum(share * losses[:, first : first + (1 << below)], axis=1)
        return bottoms

    def move_worst(self, t, here, bottoms, left, down, e3):
        """Move the rows with the greatest losses from the crowded side to the other."""
        crowded = left.sum() >= len(left) - left.sum()
        residual = np.sum(reach(self.v, here, t, down) * bottoms, axis=1)
        side = np.flatnonzero(left == crowded)
        worst = side[np.argsort(-residual[side], kind="stable")]
        left[worst[: int(len(side) * e3)]] = not crowded

    def minimise(self, t, here, bottoms, down):
        """Minimise the loss of a subtree over its branch nodes by SLSQP."""
        levels = [np.arange(t << step, (t + 1) << step) for step in range(down)]
        nodes = np.concatenate(levels)
        result = minimize(
            subtree_loss,
            self.v[nodes - 1].ravel(),
            args=(here, bottoms, down, self.slope_penalty),
            jac=True,
            method="SLSQP",
            options={"maxiter": self.branch_iter},
        )
        self.v[nodes - 1] = result.x.reshape(-1, self.p + 1)


def subtree_loss(flat, here, bottoms, down, slope_penalty):
    """Return the loss of a subtree of ``down`` levels, and its gradient."""
    w = flat.reshape(-1, here.shape[1])
    probability = expit(here @ w.T)
    value = [np.empty(0)] * (2 << down)
    for k in range(1 << down):
        value[(1 << down) + k] = bottoms[:, k]
    for u in range((1 << down) - 1, 0, -1):
        q = probability[:, u - 1]
        value[u] = q * value[2 * u] + (1 - q) * value[2 * u + 1]
    arrive = [np.empty(0)] * (2 << down)
    arrive[1] = np.ones(len(here))
    slope = np.empty_like(probability)
    for u in range(1, 1 << down):
        q = probability[:, u - 1]
        gap = value[2 * u] - value[2 * u + 1]
        slope[:, u - 1] = arrive[u] * q * (1 - q) * gap
        arrive[2 * u], arrive[2 * u + 1] = arrive[u] * q, arrive[u] * (1 - q)
    gradient = slope.T @ here
    gradient[:, 1:] += slope_penalty * w[:, 1:]
    total = value[1].sum() + 0.5 * slope_penalty * np.sum(w[:, 1:] ** 2)
    return total, gradient.ravel()
