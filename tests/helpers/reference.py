"""Soft regression trees as the paper writes them: slow, one point and one node at a time.

Nodes are numbered from 1, the children of t are 2t (left) and 2t + 1; row t - 1 of ``omega`` is
branch node t, row t - 2**D of ``beta`` is leaf t. Intercepts come first.
"""

import math

import numpy as np


def p_left(omega_t, x, mu=1.0):
    """Eq. (1)."""
    z = mu * (omega_t[0] + sum(w * v for w, v in zip(omega_t[1:], x, strict=True)) / len(x))
    return 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0


def p_leaf(omega, x, leaf, mu=1.0, top=1):
    """P_xt: product over the branches on the way from ``top`` down to ``leaf``."""
    product, t = 1.0, leaf
    while t > top:
        p = p_left(omega[t // 2 - 1], x, mu)
        product *= p if t % 2 == 0 else 1.0 - p
        t //= 2
    return product


def leaves_of(omega):
    """Numbers of the leaves, from left to right."""
    n_leaves = len(omega) + 1
    return range(n_leaves, 2 * n_leaves)


def regression(beta, leaf, x):
    """yhat_t of leaf number ``leaf``."""
    row = beta[leaf - len(beta)]
    return row[0] + sum(b * v for b, v in zip(row[1:], x, strict=True))


def hbp_leaf(omega, x):
    """The leaf at the end of the highest-branch-probability path, ties to the left."""
    t = 1
    while t <= len(omega):
        t = 2 * t if p_left(omega[t - 1], x) >= 0.5 else 2 * t + 1
    return t


def predict_srt(omega, beta, X):
    """Eq. (2)."""
    return np.array([regression(beta, hbp_leaf(omega, x), x) for x in X])


def predict_orrt(omega, beta, X, mu=1.0):
    """The mixture of all leaves."""
    return np.array(
        [sum(p_leaf(omega, x, t, mu) * regression(beta, t, x) for t in leaves_of(omega)) for x in X]
    )


def error_srt(omega, beta, X, y, mu=1.0, lambda_omega=0.0, lambda_beta=0.0):
    """Eq. (3), and (7) with the lambdas."""
    total = sum(
        subtree_error(omega, beta, x, target, 1, mu) for x, target in zip(X, y, strict=True)
    )
    penalty = lambda_omega / 2 * np.sum(omega**2) + lambda_beta / 2 * np.sum(beta**2)
    return total / len(y) + penalty


def error_orrt(omega, beta, X, y, mu=1.0):
    """Eq. (4)."""
    return np.mean((predict_orrt(omega, beta, X, mu) - y) ** 2)


def subtree_error(omega, beta, x, target, top, mu=1.0):
    """Eq. (18): expected squared residual of one point over the leaves below ``top``."""
    total = 0.0
    for t in leaves_of(omega):
        ancestor = t
        while ancestor > top:
            ancestor //= 2
        if ancestor == top:
            p = p_leaf(omega, x, t, mu, top)
            total += p * (regression(beta, t, x) - target) ** 2
    return total


def numerical_gradient(function, point, step=1e-6):
    """Central differences of a function of one array."""
    gradient = np.zeros_like(point)
    for index in np.ndindex(point.shape):
        above, below = point.copy(), point.copy()
        above[index] += step
        below[index] -= step
        gradient[index] = (function(above) - function(below)) / (2 * step)
    return gradient


def leaf_step(P, X, y, ridge):
    """(X'PX + ridge I) beta = X'Py, leaf by leaf, as an augmented least squares problem."""
    design = np.column_stack([np.ones(len(X)), X])
    rows = []
    for weights in P.T:
        root = np.sqrt(weights)
        A = np.vstack([design * root[:, None], math.sqrt(ridge) * np.eye(design.shape[1])])
        b = np.concatenate([y * root, np.zeros(design.shape[1])])
        rows.append(np.linalg.lstsq(A, b, rcond=None)[0])
    return np.array(rows)


def reassigned_sides(goes_left, residual, epsilon2, epsilon3):
    """c_i of (17) after lines 9 to 12 of UPDATEBRANCHNODE."""
    sides = np.array(goes_left, dtype=bool)
    n, n_left = len(sides), int(np.sum(goes_left))
    if n_left / n <= epsilon2 or n_left / n >= 1 - epsilon2:
        crowded = n_left >= n - n_left
        members = [i for i in range(n) if sides[i] == crowded]
        members.sort(key=lambda i: -residual[i])
        for i in members[: int(len(members) * epsilon3)]:
            sides[i] = not crowded
    return sides


def balanced_weights(sides):
    """w_i of (17)."""
    n_left = np.sum(sides)
    return np.where(sides, len(sides) / (2 * n_left), len(sides) / (2 * (len(sides) - n_left)))


def logistic_value(omega, X, sides, weights):
    """N times (17), with the half squared norm of scikit-learn's default on the slopes of z."""
    z = omega[0] + X @ omega[1:] / X.shape[1]
    losses = np.logaddexp(0.0, np.where(sides, -z, z))
    return weights @ losses + 0.5 * np.sum((omega[1:] / X.shape[1]) ** 2)


def importances(reach, sides, outputs, X, branch_slopes, leaf_slopes):
    """Effects of the features on the predictions, node by node, divided by their sum.

    ``reach`` (n, 2 * 2**D) are the weights with which points arrive at nodes 1..., ``sides``
    (n, 2**D) those of them that go left, ``outputs`` (n, 2 * 2**D) the predictions below each node;
    column t is node t.
    """
    n_leaves = reach.shape[1] // 2
    effects = np.zeros(X.shape[1])
    for t in range(1, 2 * n_leaves):
        weights = reach[:, t]
        if weights.sum() == 0.0:
            continue
        variance = np.array([np.cov(x, aweights=weights, ddof=0) for x in X.T])
        if t >= n_leaves:
            effects += weights.sum() * leaf_slopes[t - n_leaves] ** 2 * variance
            continue
        q = sides[:, t].sum() / weights.sum()
        jump = outputs[:, 2 * t] - outputs[:, 2 * t + 1]
        parts = branch_slopes[t - 1] ** 2 * variance
        if parts.sum() > 0.0:
            effects += q * (1.0 - q) * (weights @ jump**2) * parts / parts.sum()
    return effects / effects.sum()


def davies_bouldin(X, labels):
    """Mean over the clusters of the worst (s_i + s_j) / d_ij."""
    groups = [X[labels == k] for k in np.unique(labels)]
    centres = [g.mean(axis=0) for g in groups]
    spreads = [np.mean([math.dist(x, c) for x in g]) for g, c in zip(groups, centres, strict=True)]
    worst = [
        max(
            (spreads[i] + spreads[j]) / math.dist(centres[i], centres[j])
            for j in range(len(groups))
            if j != i
        )
        for i in range(len(groups))
    ]
    return np.mean(worst)


def armijo_step(function, point, gradient, a, gamma, delta):
    """The longest a * delta**m with a decrease of gamma * step * |gradient|^2."""
    value, squared, step = function(point), np.sum(gradient**2), a
    while function(point - step * gradient) > value - gamma * step * squared:
        step *= delta
    return step


def random_tree(rng, depth, p, scale=3.0):
    """omega (2**D - 1, p + 1) and beta (2**D, p + 1)."""
    n_leaves = 2**depth
    return rng.normal(0, scale, (n_leaves - 1, p + 1)), rng.normal(0, 1, (n_leaves, p + 1))


def friedman(rng, n, p=5, noise=0.1):
    """Features in [0, 1] and a standardised target that no single plane fits."""
    X = rng.random((n, p))
    y = np.sin(5 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + noise * rng.standard_normal(n)
    return X, (y - y.mean()) / y.std()
