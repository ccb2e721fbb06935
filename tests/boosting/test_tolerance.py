"""What ``tol`` promises, over a grid of it: no value of it is a special one."""

import warnings

import numpy as np
import pytest
import scipy.optimize
from boosting_reference import as_tuple, blobs, model_scores, says
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from boostbench.boosting import MultiBoost, MultiBoostCW, kkt_residuals

TOLS = [1.0, 0.1001, 0.1, 0.0999, 0.01, 1e-5]
DATA = {
    "blobs": blobs(seed=0),
    "two classes": blobs(n=80, d=3, K=2, seed=1, spread=2.0),
    "iris": load_iris(return_X_y=True),
    "few values": (np.round(2 * blobs(seed=2)[0]), blobs(seed=2)[1]),
}
MODELS = {
    "cw-fcd": MultiBoostCW(max_iter=8, random_state=0),
    "cw-lbfgsb": MultiBoostCW(solver="lbfgsb", max_iter=8),
    "shared-fcd": MultiBoost(solver="fcd", max_iter=8, random_state=0),
    "shared-lbfgsb": MultiBoost(max_iter=8),
}
every_set = pytest.mark.parametrize("data", DATA)


def residual(model, X, y):
    """The largest violated value (16), computed from public attributes only."""
    F = model_scores(model, X)
    outputs = np.array([says(as_tuple(s), X) for s in model.stumps_])
    K = F.shape[1]
    if model.coef_.ndim == 1:
        columns, coef = model.stumps_["class"], model.coef_
    else:
        outputs, columns = outputs.repeat(K, axis=0), np.tile(np.arange(K), outputs.shape[0])
        coef = model.coef_.ravel()
    return kkt_residuals(outputs, columns, coef, F, y, model.C_).max()


@every_set
@pytest.mark.parametrize("name", MODELS)
def test_the_residual_is_within_every_tolerance(name, data):
    X, y = DATA[data]
    for tol in TOLS:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            model = clone(MODELS[name]).set_params(tol=tol).fit(X, y)
        assert model.kkt_residual_ <= tol
        assert model.stop_reason_ != "stalled"
        assert residual(model, X, y) == pytest.approx(model.kkt_residual_, rel=1e-4, abs=1e-7)


@every_set
@pytest.mark.parametrize("name", ["cw-lbfgsb", "shared-lbfgsb"])
def test_a_tighter_tolerance_takes_no_less_work_and_leaves_no_more(name, data, monkeypatch):
    evaluations = [0]
    minimize = scipy.optimize.minimize

    def counting(*args, **options):
        result = minimize(*args, **options)
        evaluations[0] += result.nfev
        return result

    monkeypatch.setattr(scipy.optimize, "minimize", counting)
    X, y = DATA[data]
    work, left, values = [], [], []
    for tol in TOLS:
        evaluations[0] = 0
        model = clone(MODELS[name]).set_params(tol=tol).fit(X, y)
        work.append(evaluations[0])
        left.append(model.kkt_residual_)
        values.append(model.objective_history_[-1])
    assert work == sorted(work)
    assert left == sorted(left, reverse=True)
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    # Either side of the default is the same problem solved by the same steps.
    assert work[1] == work[2] == work[3]


@pytest.mark.parametrize("kind", [MultiBoostCW, MultiBoost])
def test_without_polishing_a_round_stops_by_the_settings_of_scipy(kind):
    X, y = DATA["blobs"]
    fits = [
        kind(solver="lbfgsb", polish=False, max_iter=6, tol=tol).fit(X, y) for tol in (0.3, 1e-4)
    ]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
