"""Slow and obvious versions of what boostbench.boosting computes, straight from the equations."""

import itertools

import numpy as np


def all_stumps(X):
    """Every stump in the order in which ties are broken: (feature, threshold, polarity)."""
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature]).astype(np.float64)
        for low, high in itertools.pairwise(values):
            middle = low / 2 + high / 2
            threshold = middle if low <= middle < high else low
            yield from ((feature, threshold, 1), (feature, threshold, -1))
    yield from ((-1, -np.inf, 1), (-1, -np.inf, -1))


def says(stump, X):
    feature, threshold, polarity = stump
    if feature < 0:
        return np.full(X.shape[0], float(polarity))
    return np.where(X[:, feature].astype(np.float64) > threshold, polarity, -polarity) * 1.0


def best_stump(X, weights):
    """The stump with the largest weighted sum, and that sum; the first of equals."""
    best, best_score = None, -np.inf
    for stump in all_stumps(X):
        score = float((weights * says(stump, X)).sum())
        if score > best_score:
            best, best_score = stump, score
    return best, best_score


def as_tuple(stump):
    return int(stump["feature"]), float(stump["threshold"]), int(stump["polarity"])


def model_scores(model, X, coef=None):
    """F (n, K) of a fitted MultiBoostCW or MultiBoost, one stump after the other."""
    K = model.classes_.shape[0]
    coef = model.coef_ if coef is None else coef
    F = np.zeros((X.shape[0], K))
    for j, stump in enumerate(model.stumps_):
        h = says(as_tuple(stump), X)
        if coef.ndim == 1:
            F[:, stump["class"]] += coef[j] * h
        else:
            F += np.outer(h, coef[j])
    return F


def objective(F, y, total_coef, C, weight=None):
    """The value of (2) pair by pair."""
    n, K = F.shape
    weight = np.ones(n) if weight is None else weight
    loss = 0.0
    for i in range(n):
        for k in range(K):
            if k != y[i]:
                loss += weight[i] * np.exp(F[i, k] - F[i, y[i]])
    return total_coef + C / (weight.sum() * (K - 1)) * loss


def adaboost(X, sign, rounds):
    """Discrete AdaBoost (Freund, Schapire): stumps and alphas."""
    D = np.full(sign.shape[0], 1.0 / sign.shape[0])
    stumps, alphas = [], []
    for _ in range(rounds):
        stump, _ = best_stump(X, D * sign)
        h = says(stump, X)
        wrong = D[h != sign].sum()
        alpha = 0.5 * np.log((1 - wrong) / wrong)
        D *= np.exp(-alpha * sign * h)
        D /= D.sum()
        stumps.append(stump)
        alphas.append(alpha)
    return stumps, np.array(alphas)


def blobs(n=120, d=4, K=4, seed=0, spread=1.2):
    """Overlapping classes, so that no stump and no sum of stumps is perfect early on."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    y[:K] = np.arange(K)
    centres = rng.normal(size=(K, d))
    return centres[y] + spread * rng.normal(size=(n, d)), y


def algorithm_1(X, y, C, rounds):
    """Algorithm 1, with one working set a round: coefficients (rounds, K), history."""
    n, K = X.shape[0], int(y.max()) + 1
    own = np.arange(K) == y[:, None]
    F, total, p = np.zeros((n, K)), 0.0, n * (K - 1)
    coefs, history = np.zeros((rounds, K)), []
    for j in range(rounds):
        mu = np.where(own, 0.0, np.exp(F - F[np.arange(n), y][:, None]))
        U = np.where(own, mu.sum(axis=1, keepdims=True), -mu)
        for c, stump in enumerate([best_stump(X, U[:, k])[0] for k in range(K)]):
            h = says(stump, X)
            mu = np.where(own, 0.0, np.exp(F - F[np.arange(n), y][:, None]))
            # The pairs in which F_c counts: all of class c, and those against it.
            mass = np.where(y == c, mu.sum(axis=1), mu[:, c])
            plus = mass[np.where(y == c, h, -h) > 0].sum()
            minus = mass.sum() - plus
            a = p / (2 * C)
            w = max(0.0, np.log(plus / (np.sqrt(plus * minus + a * a) + a)))
            F[:, c] += w * h
            total += w
            coefs[j, c] = w
        history.append(objective(F, y, total, C))
    return coefs, np.array(history)
