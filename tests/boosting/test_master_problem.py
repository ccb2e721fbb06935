"""The master problem (2): its value, gradient, solvers and certificates."""

import numpy as np
import pytest
from boosting_reference import as_tuple, blobs, model_scores, objective, says
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from boostbench.boosting import (
    MultiBoost,
    MultiBoostCW,
    certificates,
    dual_lower_bound,
    kkt_residuals,
)
from boostbench.boosting._column_generation import ColumnGeneration, Master
from boostbench.boosting._coordinate_descent import best_coefficient
from boostbench.boosting._newton import hessian

EXACT = {"max_iter": 300, "tol": 1e-5, "objective_tol": 1e-9, "random_state": 0}


def training_state(X, y, K, weight=None, rounds=3, C=50.0):
    state = ColumnGeneration(X, y, K, weight, Master(C=C, tol=0.01))
    for _ in range(rounds):
        state.find()
        state.add()
        state.solve()
    return state


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 11])
def test_value_and_gradient_agree_with_numerical_ones(K, weighted):
    X, y = blobs(n=90, K=K, seed=K)
    weight = np.random.default_rng(1).uniform(0.2, 3, 90) if weighted else None
    state = training_state(X, y, K, weight)
    w = np.random.default_rng(0).uniform(0, 0.5, (K, 3))

    at_w, gradient = state.value_and_gradient(w)
    for index in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[index] = 1e-5
        ahead, behind = (state.value_and_gradient(w + s)[0] for s in (step, -step))
        numerical = (ahead - behind) / 2e-5
        assert gradient[index] == pytest.approx(numerical, rel=1e-6, abs=1e-6)

    stumps = state.search.decode(state.stumps[:3].reshape(-1, 5), np.tile(np.arange(K), 3))
    F = np.zeros((90, K))
    for j, stump in enumerate(stumps):
        F[:, j % K] += w[j % K, j // K] * says(as_tuple(stump), X)
    assert at_w == pytest.approx(objective(F, y, w.sum(), 50.0, weight), rel=1e-12)


@pytest.mark.parametrize("a", [1e-9, 1e-3, 2.0])
def test_closed_form_is_the_minimiser_along_a_coordinate(a):
    rng = np.random.default_rng(0)
    for _ in range(20):
        old, plus, minus = rng.uniform(0, 2), *np.exp(4 * rng.normal(size=2))

        def along(w, old=old, plus=plus, minus=minus):
            # 2a times (10): the sums are at the current value.
            return 2 * a * w + minus * np.exp(w - old) + plus * np.exp(old - w)

        best = minimize_scalar(along, bounds=(0, 60), method="bounded", options={"xatol": 1e-11})
        found = best_coefficient(old, plus, minus, a, False)
        assert along(found) <= best.fun * (1 + 1e-12)


def test_closed_form_never_overflows():
    for plus, minus in [(1e300, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1e300, 1e300)]:
        for a in (1e-100, 1e-8, 1e100):
            for rule in (False, True):
                assert np.isfinite(best_coefficient(0.3, plus, minus, a, rule))
    assert best_coefficient(0.0, 50.0, 0.0, 50.0 / 2e8, False) == pytest.approx(np.log(1e8))


@pytest.mark.parametrize(("C", "seed"), [(1e2, 0), (2e3, 1)])
def test_every_solver_reaches_the_same_optimum_and_the_dual_bound_meets_it(C, seed):
    X, y = blobs(n=80, seed=seed)
    fcd = MultiBoostCW(C=C, max_sweeps=5000, **EXACT).fit(X, y)
    best = fcd.objective_history_[-1]
    few_sweeps = MultiBoostCW(C=C, **{**EXACT, "max_iter": 2000, "objective_tol": 1e-8})
    lbfgsb = MultiBoostCW(C=C, solver="lbfgsb", **EXACT)
    for model in (fcd, few_sweeps.fit(X, y), lbfgsb.fit(X, y), MultiBoost(C=C, **EXACT).fit(X, y)):
        assert model.objective_history_[-1] == pytest.approx(best, rel=1e-6)
        assert model.stop_reason_ in ("objective", "optimal")
    for model in (fcd, few_sweeps):
        assert model.kkt_residual_ <= model.tol
    assert fcd.dual_bound_ <= best
    assert fcd.dual_bound_ == pytest.approx(best, rel=1e-4)


def test_dual_bound_holds_for_every_model():
    X, y = blobs(seed=5, n=60)
    optimum = MultiBoostCW(C=200, max_sweeps=5000, **EXACT).fit(X, y).objective_history_[-1]
    for rounds in (1, 2, 5, 20):
        for stagewise in (False, True):
            model = MultiBoostCW(C=200, max_iter=rounds, stagewise=stagewise, random_state=0)
            model.fit(X, y)
            bound = dual_lower_bound(X, model_scores(model, X), y, 200)
            assert bound <= optimum
    weight = np.random.default_rng(0).uniform(0, 2, 60)
    model = MultiBoostCW(C=200, max_sweeps=5000, **EXACT).fit(X, y, weight)
    bound = dual_lower_bound(X, model_scores(model, X), y, 200, weight)
    assert bound == pytest.approx(model.objective_history_[-1], rel=1e-3)
    assert bound <= model.objective_history_[-1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("stagewise", [False, True])
def test_history_and_residual_are_those_of_the_model(stagewise, weighted):
    X, y = blobs(seed=6)
    weight = np.random.default_rng(0).uniform(0.1, 2, y.shape[0]) if weighted else None
    model = MultiBoostCW(max_iter=15, stagewise=stagewise, random_state=0).fit(X, y, weight)
    F = model_scores(model, X)
    value = objective(F, y, model.coef_.sum(), model.C_, weight)
    assert model.objective_history_[-1] == pytest.approx(value, rel=1e-10)
    assert certificates.objective(model.coef_, F, y, model.C_, weight) == pytest.approx(value)
    outputs = np.array([says(as_tuple(s), X) for s in model.stumps_])
    theta = kkt_residuals(outputs, model.stumps_["class"], model.coef_, F, y, model.C_, weight)
    assert model.kkt_residual_ == pytest.approx(theta.max(), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        MultiBoostCW(C=1e4, max_iter=60, random_state=0),
        MultiBoostCW(stagewise=True, max_iter=60),
        MultiBoostCW(stagewise=True, rule="adaboost", max_iter=60),
        MultiBoost(max_iter=30),
    ],
    ids=["cw", "cw1", "cw1-adaboost", "multiboost"],
)
def test_objective_never_rises(model):
    X, y = blobs(seed=7, K=5)
    history = model.fit(X, y).objective_history_
    assert (np.diff(history) <= 1e-9 * history[:-1]).all()
    assert history[-1] < history[0]


def small_integers(m, d, K, seed=0):
    """Few distinct values: many stumps say nearly the same."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, m - K)])
    return rng.integers(0, 5, (m, d)) + np.round(y[:, None] * rng.random(d)), y


@pytest.mark.parametrize(
    "model",
    [
        MultiBoost(C=1e4, max_iter=20),
        MultiBoost(C=1e4, tol=1e-6, max_iter=20),
        MultiBoostCW(C=1e4, tol=1e-6, solver="lbfgsb", max_iter=20),
        MultiBoostCW(C=1e6, tol=1e-6, max_iter=20, random_state=0),
        MultiBoost(C=1e5, tol=1e-6, solver="fcd", max_iter=10, random_state=0),
    ],
)
@pytest.mark.parametrize("K", [2, 5])
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_polishing_reaches_tol_where_stumps_are_much_alike(model, K):
    X, y = small_integers(90, 4, K)
    model = clone(model).fit(X, y)
    assert model.kkt_residual_ <= model.tol
    assert model.dual_bound_ <= model.objective_history_[-1] * (1 + 1e-9)


def test_a_tolerance_that_is_not_reached_is_reported():
    match = r"KKT residual of .* above tol=1e-18"
    with pytest.warns(ConvergenceWarning, match=match) as warned:
        MultiBoostCW(C=1e4, tol=1e-18, max_iter=3, random_state=0).fit(*blobs(n=60))
    assert warned[0].filename == __file__


def test_second_derivatives_agree_with_numerical_ones():
    X, y = blobs(n=70, seed=13, K=3)
    state = training_state(X, y, 3, weight=np.random.default_rng(0).random(70))
    bits = state.bits[:, : state.n]
    coef = np.random.default_rng(1).random((3, state.n)) * 0.3
    free = np.ones(coef.shape, dtype=bool)
    free[1, 0] = False
    state.value_and_gradient(coef)
    found = hessian(free, bits, state.masses, state.slots.starts, state.c_over_p)
    step = 1e-5
    for column, (c, j) in enumerate(np.argwhere(free)):
        ahead, behind = coef.copy(), coef.copy()
        ahead[c, j] += step
        behind[c, j] -= step
        slope = (state.value_and_gradient(ahead)[1] - state.value_and_gradient(behind)[1]) / (
            2 * step
        )
        np.testing.assert_allclose(found[:, column], slope[free], rtol=1e-6, atol=1e-7)
