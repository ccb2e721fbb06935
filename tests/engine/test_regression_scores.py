"""Scores of regressions: those that are not defined are missing, and nothing else is."""

import dataclasses

import numpy as np
import pytest
from support import save, trial

from boostbench.engine.evaluation import regression_metrics
from boostbench.engine.execution import run_trial
from boostbench.engine.interface import TrialError

SPREAD = "it is not defined where all test rows have the same target"
METRICS = ("r2", "explained_variance", "d2_absolute_error_score", "neg_median_absolute_error")


def _leave_one_out(tmp_path, estimator: str = "sklearn.linear_model:Ridge", **changed):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=12)
    mark = save(tmp_path, X, y)
    asked = dataclasses.replace(trial(mark, estimator, fold=5), folds=12, **changed)
    return run_trial(asked, tmp_path)


def test_one_test_row_has_every_score_but_those_that_need_a_spread(tmp_path) -> None:
    outcome = _leave_one_out(tmp_path, metrics={name: name for name in METRICS})
    metrics = outcome.metrics
    assert outcome.status == "ok"
    for name in METRICS[:3]:
        assert (metrics[name], metrics[f"{name}_missing"]) == (None, SPREAD)
    assert metrics["mae"] == metrics["rmse"] == pytest.approx(metrics["mse"] ** 0.5)
    assert metrics["neg_median_absolute_error"] == -metrics["mae"]
    assert metrics["train_r2"] > 0.5
    assert {name for name in metrics if name.endswith("_missing")} == {
        f"{name}_missing" for name in METRICS[:3]
    }


def test_where_targets_differ_nothing_is_missing() -> None:
    y, predicted = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0])
    assert regression_metrics(y, predicted, "") == pytest.approx(
        {"r2": 0.5, "rmse": 3**-0.5, "mae": 1 / 3, "mse": 1 / 3}
    )
    assert regression_metrics(y, list(predicted), "train_")["train_r2"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("y", "predicted", "reason"),
    [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], SPREAD),
        ([0.3, 0.1 + 0.2], [1.0, 2.0], SPREAD),
        # The squares of their differences are 0.
        ([0.0, 1e-200], [1.0, 2.0], SPREAD),
        ([0.0, 1e-150], [1e10, 0.0], "the targets' variance is too small or too large"),
        ([1e160, 0.0], [1e160, 1.0], "the targets' variance is too small or too large"),
    ],
)
def test_an_r2_without_a_value_has_a_reason(y, predicted, reason) -> None:
    metrics = regression_metrics(np.array(y), predicted, "")
    assert (metrics["r2"], metrics["r2_missing"]) == (None, reason)
    assert metrics["mae"] == pytest.approx(np.mean(np.abs(np.subtract(y, predicted))))


def test_errors_that_overflow_are_no_scores() -> None:
    with pytest.raises(TrialError, match="their squared error overflows"):
        regression_metrics(np.array([0.0, 1.0]), [1e200, 0.0], "")


@pytest.mark.parametrize("name", ["MeanInTexts", "MeanInObjects"])
def test_predictions_that_are_texts_are_refused(tmp_path, name: str) -> None:
    outcome = _leave_one_out(tmp_path, f"faulty:{name}")
    assert (outcome.status, outcome.reason) == ("error", "predict returned texts, not numbers")


@pytest.mark.parametrize("kind", [object, bool, np.int8, np.float32, np.float64])
def test_numbers_of_every_kind_are_predictions(kind: type) -> None:
    y = np.array([0.0, 1.0, 1.0])
    assert regression_metrics(y, np.array([0, 1, 1], dtype=kind), "")["r2"] == 1.0
