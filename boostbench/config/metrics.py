"""The scores that a report can show, and for which task each is."""

from collections.abc import Mapping
from typing import Literal

MetricName = Literal[
    "r2", "rmse", "mse", "mae", "error", "accuracy", "balanced_accuracy", "log_loss", "roc_auc"
]
"""A score of the test rows, by its name in ``trials.csv``."""

METRIC_TASKS: Mapping[MetricName, Literal["regression", "classification"]] = {
    "r2": "regression",
    "rmse": "regression",
    "mse": "regression",
    "mae": "regression",
    "error": "classification",
    "accuracy": "classification",
    "balanced_accuracy": "classification",
    "log_loss": "classification",
    "roc_auc": "classification",
}
