"""The solvers that the paper names: SLSQP in the branch step, LSMR in the leaf step."""

import numpy as np
import pytest
import reference
import scipy
from scipy.optimize import minimize
from scipy.sparse.linalg import lsmr as scipy_lsmr
from sklearn.base import clone

from boostbench.trees import SoftRegressionTree
from boostbench.trees._blocks import BLOCK, to_points
from boostbench.trees._branch_step import minimise_subtree, subtree_loss
from boostbench.trees._lsmr import lsmr
from boostbench.trees._types import BranchStep, Penalty, Subtree


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 400)


@pytest.mark.parametrize("condition", [10.0, 1e3, 1e12])
@pytest.mark.parametrize("shape", [(300, 12)])
def test_lsmr_is_scipys(condition, shape):
    rng = np.random.default_rng(shape[0])
    left, _, right = np.linalg.svd(rng.normal(size=shape), full_matrices=False)
    A = left * np.geomspace(1.0, 1.0 / condition, shape[1]) @ right
    b = A @ rng.normal(size=shape[1]) + rng.normal(size=shape[0]) / np.sqrt(shape[0])
    found = np.empty(shape[1])
    lsmr(A.T @ A, A.T @ b, float(np.linalg.norm(b)), found)
    expected = scipy_lsmr(A, b)[0]
    assert np.linalg.norm(found - expected) <= 1e-3 * np.linalg.norm(expected)
    exact = np.linalg.lstsq(A, b, rcond=None)[0]
    away = np.linalg.norm(exact - expected) / np.linalg.norm(exact)
    assert away < 1e-5 if condition == 10.0 else away > 0.3


def test_lsmr_of_nothing_is_zero():
    found = np.ones(3)
    lsmr(np.eye(3), np.zeros(3), 0.0, found)
    assert not found.any()
    lsmr(np.eye(3), np.zeros(3), 1.0, found)
    assert not found.any()


def _subtree_problem(rng, nodes):
    """Features, losses below the ``nodes`` branch nodes, and a start."""
    X = rng.random((150, 3))
    bottoms = rng.random((nodes + 1, 150)) ** 2
    return X, bottoms, rng.normal(size=(nodes, 4))


@pytest.mark.parametrize("nodes", [1, 3])
@pytest.mark.parametrize("n_iter", [1, 10])
def test_the_branch_step_makes_the_iterations_of_scipys_slsqp(nodes, n_iter):
    X, bottoms, start = _subtree_problem(np.random.default_rng(nodes), nodes)
    subtree = Subtree(to_points(X).blocks, len(X), np.ones(len(X)), bottoms)
    scratch = np.empty((4, 2 * nodes + 2, BLOCK))
    scale = np.array([1.0, 1 / 3, 1 / 3, 1 / 3])

    def loss(omega):
        grad = np.empty_like(start)
        value = subtree_loss(subtree, omega.reshape(start.shape) * scale, grad, scratch)
        return value, (grad * scale).ravel()

    # Before 1.16, scipy ended one iteration sooner.
    version = tuple(int(part) for part in scipy.__version__.split(".")[:2])
    options = {"maxiter": n_iter + (version < (1, 16)), "ftol": 1e-15}
    expected = minimize(loss, (start / scale).ravel(), jac=True, method="SLSQP", options=options).x
    found = start.copy()
    step = BranchStep(n_iter, 1.0, 1 / 3, 0.0, True)
    minimise_subtree(subtree, found, step, 0.0, Penalty(0.0, 0.0, 0.0, True), scratch)
    np.testing.assert_allclose((found / scale).ravel(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("params", "slsqp", "lsmr_is_used"),
    [
        ({}, True, True),
        ({"regularization": "l2"}, False, False),
        ({"convergent_after": 0, "max_iter": 1}, False, False),
        ({"branch_solver": "lbfgs"}, False, True),
        ({"leaf_solver": "cholesky"}, True, False),
        ({"regularization": "l2", "branch_solver": "slsqp", "leaf_solver": "lsmr"}, True, True),
    ],
)
def test_auto_takes_the_papers_solvers_where_it_runs_as_the_paper(
    data, params, slsqp, lsmr_is_used
):
    model = SoftRegressionTree(2, random_state=0).set_params(**params)
    named = clone(model).set_params(
        branch_solver="slsqp" if slsqp else "lbfgs",
        leaf_solver="lsmr" if lsmr_is_used else "cholesky",
    )
    other = clone(named).set_params(
        branch_solver="lbfgs" if slsqp else "slsqp",
        leaf_solver="cholesky" if lsmr_is_used else "lsmr",
    )
    model.fit(*data)
    np.testing.assert_array_equal(model.branch_coef_, named.fit(*data).branch_coef_)
    np.testing.assert_array_equal(model.leaf_coef_, named.leaf_coef_)
    assert (model.leaf_coef_ != other.fit(*data).leaf_coef_).any()
