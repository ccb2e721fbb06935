import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import all_stumps, as_tuple, best_stump, blobs, says
from sklearn.base import clone

from boostbench.boosting import AdaBoostECC, AdaBoostMH, AdaBoostMO, ParameterError
from boostbench.boosting.output_codes import code_matrix, exhaustive_code, random_code

every_model = pytest.mark.parametrize("name", ["mh", "mo", "mo-hamming", "ecc"])


def untied(n):
    """Sample weights under which no two stumps are equally good except for rounding."""
    return np.random.default_rng(0).uniform(0.5, 1.5, n)


def mh_round(D, labels, chosen):
    """Alpha of a round of AdaBoost.MH, and the distribution after it; chosen are (n, L) of +-1."""
    r = (D * labels * chosen).sum()
    alpha = 0.5 * np.log((1 + r) / (1 - r))
    D = D * np.exp(-alpha * labels * chosen)
    return alpha, D / D.sum()


@pytest.mark.parametrize("K", [4, 7, 40])
def test_mh_follows_the_algorithm(K):
    X, y = blobs(n=100, d=2, K=K, seed=1)
    weight = untied(100)
    labels = np.where(y[:, None] == np.arange(K), 1.0, -1.0)
    model = AdaBoostMH(max_iter=8).fit(X, y, weight)
    D = np.repeat(weight[:, None], K, axis=1) / (K * weight.sum())
    F = np.zeros(labels.shape)
    for t in range(8):
        edges = {s: (D * labels).T @ says(s, X) for s in all_stumps(X)}
        best = max(edges, key=lambda s: np.abs(edges[s]).sum())
        votes = np.where(edges[best] >= 0, 1.0, -1.0)
        chosen = np.outer(says(best, X), votes)
        alpha, D = mh_round(D, labels, chosen)
        F += alpha * chosen
        assert as_tuple(model.stumps_[t]) == best
        np.testing.assert_allclose(model.coef_[t], alpha * votes, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), F, rtol=1e-9, atol=1e-12)
    assert model.objective_history_[-1] == pytest.approx(
        np.average(np.exp(-labels * F).mean(axis=1), weights=weight)
    )


@pytest.mark.parametrize("code", ["exhaustive", "one_vs_all"])
def test_mo_follows_the_algorithm(code):
    X, y = blobs(n=60, d=2, seed=2)
    weight = untied(60)
    model = AdaBoostMO(code=code, max_iter=6).fit(X, y, weight)
    labels = model.code_[y]
    L = labels.shape[1]
    D = np.repeat(weight[:, None], L, axis=1) / (L * weight.sum())
    F = np.zeros(labels.shape)
    for t in range(6):
        stumps = [best_stump(X, D[:, bit] * labels[:, bit])[0] for bit in range(L)]
        chosen = np.column_stack([says(s, X) for s in stumps])
        alpha, D = mh_round(D, labels, chosen)
        F += alpha * chosen
        assert [as_tuple(s) for s in model.stumps_[t * L : (t + 1) * L]] == stumps
        np.testing.assert_allclose(model.coef_[t * L : (t + 1) * L], alpha, rtol=1e-9)
    loss = np.exp(-F[:, None, :] * model.code_[None]).sum(axis=2)
    np.testing.assert_array_equal(model.predict(X), np.argmin(loss, axis=1))
    np.testing.assert_allclose(model.decision_function(X), -np.log(loss), rtol=1e-9)


def test_ecc_follows_the_algorithm():
    X, y = blobs(n=60, d=2, K=5, seed=3)
    n, K = 60, 5
    model = AdaBoostECC(max_iter=8, random_state=0).fit(X, y)
    D = np.where(y[:, None] == np.arange(K), 0.0, 1.0)
    F = np.zeros((n, K))
    for t in range(8):
        stump = as_tuple(model.stumps_[t])
        h = says(stump, X)
        colours = np.sign(model.coef_[t])
        # A colouring and its opposite are the same split; the stump shows which it was.
        q = (D * (colours[None] != colours[y][:, None])).sum(axis=1)
        best, score = best_stump(X, q * colours[y])
        opposite, _ = best_stump(X, -q * colours[y])
        assert stump in (best, opposite)
        if stump != best:
            colours = -colours
        assert sorted(colours.tolist()) == [-1, -1, 1, 1, 1]
        assert (q * colours[y] * h).sum() == pytest.approx(score)
        smooth = 1e-3 * q.sum()

        def vote(side, h=h, q=q, colours=colours, smooth=smooth):
            plus = q[(h == side) & (colours[y] > 0)].sum()
            minus = q[(h == side) & (colours[y] < 0)].sum()
            return 0.5 * np.log((plus + smooth) / (minus + smooth))

        g = np.where(h > 0, vote(1), vote(-1))
        F += np.outer(g, colours)
        D = np.exp((F - F[np.arange(n), y][:, None]) / 2)
        D[np.arange(n), y] = 0.0
    np.testing.assert_allclose(model.decision_function(X), F, rtol=1e-8, atol=1e-10)
    assert model.objective_history_[-1] == pytest.approx(D.sum() / (n * (K - 1)))
    outputs = np.array([says(as_tuple(s), X) for s in model.stumps_])
    np.testing.assert_allclose(outputs.T @ model.coef_ + model.intercept_, F, atol=1e-10)


@every_model
def test_separable_classes_are_learnt_without_overflow(name):
    X = np.arange(12.0)[:, None]
    y = np.repeat([0, 1, 2], 4)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        model = clone(BOOSTERS[name]).set_params(max_iter=400).fit(X, y)
        assert model.score(X, y) == 1.0
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize(
    ("model", "X", "y", "reason", "n_iter"),
    [
        (AdaBoostMH(max_iter=50), [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], "separated", 1),
        (AdaBoostMO(code=[[1.0], [-1.0]]), [[1.0]] * 4, [0, 1, 0, 1], "no edge", 1),
        (AdaBoostECC(max_iter=500, random_state=0), [[1.0]] * 8, list("aabbccdd"), "no edge", 8),
    ],
)
def test_a_perfect_stump_and_chance_end_the_boosting(model, X, y, reason, n_iter):
    model.fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == (reason, n_iter)


def test_ecc_does_not_depend_on_the_unit_of_the_weights():
    X, y = blobs(seed=7)
    plain = AdaBoostECC(max_iter=30, random_state=0).fit(X, y, untied(y.shape[0]))
    small = AdaBoostECC(max_iter=30, random_state=0).fit(X, y, 1e-6 * untied(y.shape[0]))
    np.testing.assert_allclose(small.objective_history_, plain.objective_history_, rtol=1e-6)
    np.testing.assert_array_equal(small.predict(X), plain.predict(X))


@every_model
def test_a_small_change_of_the_objective_ends_the_boosting(name):
    X, y = blobs(seed=8)
    model = clone(BOOSTERS[name]).set_params(max_iter=300, objective_tol=1e-2).fit(X, y)
    assert model.stop_reason_ == "objective"
    a, b = model.objective_history_[-2:]
    assert abs(a - b) <= 1e-2 * a


@pytest.mark.parametrize("K", [2, 4])
def test_exhaustive_code_has_every_split_once(K):
    code = exhaustive_code(K)
    assert code.shape == (K, 2 ** (K - 1) - 1)
    columns = {tuple(c * c[0]) for c in code.T}
    assert len(columns) == code.shape[1]
    assert (np.abs(code.sum(axis=0)) < K).all()


@pytest.mark.parametrize("K", [2, 26])
def test_random_code_distinguishes_all_classes(K):
    code = random_code(K, seed=1)
    assert np.unique(code, axis=0).shape[0] == K
    assert (np.abs(code.sum(axis=0)) < K).all()
    np.testing.assert_array_equal(code, random_code(K, seed=1))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("exhaustive", "2\\*\\*14 - 1 bits for 15 classes"),
        (np.ones((3, 2)), "row for each of the 15 classes"),
        (np.zeros((15, 4)), r"\+1 and -1"),
        (np.ones((15, 4)), "different row"),
    ],
)
def test_codes_that_cannot_work_are_refused(code, words):
    with pytest.raises(ParameterError, match=words):
        code_matrix(code, 15, 0)
