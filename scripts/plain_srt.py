"""NODEC-DR written plainly with NumPy, scipy's SLSQP and scikit-learn: the peer of bench_trees.py.

Built as the paper's own program, without compiled kernels. Follows the same readings as
``boostbench.trees.SoftRegressionTree(regularization="l2")``.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

EPSILON_1, EPSILON_2, EPSILON_3, ZETA = 0.1, 0.3, 0.4, 0.8


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
    n, p = X.shape
    n_leaves = 2**depth
    X1 = np.column_stack([np.ones(n), X])
    ridge = 1.0 / (p * n_leaves)
    slope_penalty = 2.0 / (p * (n_leaves - 1)) * X.var(axis=0).sum()
    v, beta = np.zeros((n_leaves - 1, p + 1)), np.zeros((n_leaves, p + 1))

    def solve_leaf(weights, rows):
        gram = X1[rows].T @ (weights[:, None] * X1[rows]) + ridge * np.eye(p + 1)
        return np.linalg.solve(gram, X1[rows].T @ (weights * y[rows]))

    node = np.ones(n, int)
    rng = np.random.RandomState(seed)
    for t in range(1, n_leaves):
        rows = np.flatnonzero(node == t)
        labels = np.arange(len(rows)) * 2 >= len(rows)
        if len(np.unique(X[rows], axis=0)) > 1:
            labels = KMeans(2, n_init=1, random_state=rng).fit_predict(X[rows]).astype(bool)
        if 0 < labels.sum() < len(labels):
            model = LogisticRegression().fit(X[rows], ~labels)
            v[t - 1] = np.r_[model.intercept_, model.coef_[0]]
        node[rows] = 2 * t + labels
    for k in range(n_leaves):
        rows = np.flatnonzero(node == n_leaves + k)
        if len(rows):
            beta[k] = solve_leaf(np.ones(len(rows)), rows)

    def error():
        losses = (X1 @ beta.T - y[:, None]) ** 2
        penalty = 0.5 * slope_penalty * np.sum(v[:, 1:] ** 2) + ridge * np.sum(beta**2)
        return (np.sum(reach(v, X1, 1, depth) * losses) + penalty) / n

    best = (error(), v.copy(), beta.copy())
    e1, e2, e3 = EPSILON_1, EPSILON_2, EPSILON_3
    for _ in range(max_iter):
        for t in range(1, n_leaves):
            level = t.bit_length() - 1
            down = 1 if t == 1 and depth > 1 else depth - level
            below = depth - level - down
            path = np.ones(n, bool)
            u = t
            while u > 1:
                left = X1 @ v[(u >> 1) - 1] >= 0
                path &= left if u % 2 == 0 else ~left
                u >>= 1
            rows = np.flatnonzero(path)
            if not len(rows):
                continue
            here = X1[rows]
            losses = (here @ beta.T - y[rows, None]) ** 2
            bottoms = np.empty((len(rows), 1 << down))
            for k in range(1 << down):
                child = (t << down) + k
                first = (child << below) - n_leaves
                share = reach(v, here, child, below)
                bottoms[:, k] = np.sum(share * losses[:, first : first + (1 << below)], axis=1)
            left = here @ v[t - 1] >= 0
            if min(left.mean(), 1 - left.mean()) <= e1 and e1 * n >= 1:
                if min(left.mean(), 1 - left.mean()) <= e2:
                    crowded = left.sum() >= len(left) - left.sum()
                    residual = np.sum(reach(v, here, t, down) * bottoms, axis=1)
                    side = np.flatnonzero(left == crowded)
                    worst = side[np.argsort(-residual[side], kind="stable")]
                    left[worst[: int(len(side) * e3)]] = not crowded
                if 0 < left.sum() < len(left):
                    model = LogisticRegression(class_weight="balanced").fit(here[:, 1:], left)
                    v[t - 1] = np.r_[model.intercept_, model.coef_[0]]
            else:
                levels = [np.arange(t << step, (t + 1) << step) for step in range(down)]
                nodes = np.concatenate(levels)

                def loss(flat, here=here, bottoms=bottoms, down=down):
                    w = flat.reshape(-1, p + 1)
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

                first, most = v[nodes - 1].ravel(), {"maxiter": branch_iter}
                result = minimize(loss, first, jac=True, method="SLSQP", options=most)
                v[nodes - 1] = result.x.reshape(-1, p + 1)
            if down + level == depth and not (t == 1 and depth > 1):
                shares = reach(v, here, t, down)
                for k in range(1 << down):
                    if shares[:, k].sum() > 1e-10:
                        beta[(t << down) + k - n_leaves] = solve_leaf(shares[:, k], rows)
            value = error()
            if value < best[0]:
                best = (value, v.copy(), beta.copy())
        e1, e2, e3 = ZETA * e1, ZETA * e2, ZETA * e3
    return best[1], best[2], best[0]
