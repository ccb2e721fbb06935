"""Metrics of predictive distributions in the target's own unit: converted, or refused."""

import dataclasses
import math

import numpy as np
import pytest
from support import save, trial

from boostbench.data.arrays import load_arrays
from boostbench.data.splits import kfold_indices
from boostbench.engine.execution import run_trial

OWN = "distributions:OwnWords"
GAUSS = "sklearn.gaussian_process:GaussianProcessRegressor"
FOREST = "sklearn.ensemble:RandomForestRegressor"


@pytest.fixture
def saved(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return save(tmp_path, X, 50 + 20 * (X[:, 0] + rng.normal(size=80)), "regression")


def measured(folder, mark, estimator: str, metric: str, units: str, **params):
    one = dataclasses.replace(
        trial(mark, estimator, fold=1, **params),
        units=units,
        metrics={"m": f"distributions:{metric}"},
    )
    outcome = run_trial(one, folder)
    assert outcome.status == "ok", outcome.reason
    return outcome.metrics["m"], outcome.metrics.get("m_missing", "")


def target_sd(folder, mark) -> float:
    made = load_arrays(mark, folder)
    train, _ = kfold_indices(len(made.y), 4, 1, 0)
    return float(made.y[train].std())


@pytest.mark.parametrize(
    ("estimator", "metric", "params"),
    [
        (OWN, "nll", {}),
        (OWN, "by_place", {}),
        (OWN, "as_trained", {}),
        (GAUSS, "joint", {"alpha": 0.5}),
        (GAUSS, "nll", {"alpha": 0.5}),
    ],
)
def test_a_likelihood_in_the_own_unit_differs_by_the_logarithm_of_the_scale(
    tmp_path, saved, estimator, metric, params
) -> None:
    scaled, original = (
        measured(tmp_path, saved, estimator, metric, units, **params)[0]
        for units in ("scaled", "original")
    )
    # Of nearly a thousand for a joint likelihood, so that rounding is relative to that.
    expected = scaled + math.log(target_sd(tmp_path, saved))
    assert original == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize(
    ("estimator", "metric", "what"),
    [
        (OWN, "own_words", "dist()"),
        (OWN, "of_attribute", "alpha_"),
        (OWN, "of_method", "noise()"),
        (FOREST, "of_trees", "estimators_"),
        ("distributions:Steps", "of_step", "estimator[-1]"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_a_remedy(
    tmp_path, saved, estimator, metric, what
) -> None:
    value, why = measured(tmp_path, saved, estimator, metric, "original")
    assert value is None
    assert f"ValueError: {what} is on the scaled target" in why
    assert why.endswith("or convert that of estimator.__wrapped__")
    value, why = measured(tmp_path, saved, estimator, metric, "scaled")
    assert value is not None
    assert why == ""


def test_what_does_not_depend_on_the_unit_is_the_estimators_own(tmp_path, saved) -> None:
    found = [measured(tmp_path, saved, OWN, "size", units) for units in ("scaled", "original")]
    assert found[0] == found[1]
    assert found[0][0] > 3


def test_predictions_of_stages_are_in_the_unit(tmp_path, saved) -> None:
    boosting = "sklearn.ensemble:GradientBoostingRegressor"
    scaled, original = (
        measured(tmp_path, saved, boosting, "last_stage", units)[0]
        for units in ("scaled", "original")
    )
    assert original == pytest.approx(scaled * target_sd(tmp_path, saved))
