"""Trials made by hand, which nothing need be able to run."""

from typing import Any

from boostbench.plan.trial import Trial


def make_trial(dataset: str = "d", method: str = "m", **changed: Any) -> Trial:
    """Return a trial of a regression in four folds, with ``changed`` fields."""
    values = {
        "dataset": dataset,
        "method": method,
        "estimator": f"boostbench.trees:{method}",
        "method_version": "1",
        "fingerprint": dataset.encode().hex().ljust(64, "0"),
        "task": "regression",
        "folds": 4,
        "fold": 0,
        "split_seed": 0,
        "seed": 0,
        "scale_features": "minmax",
        "scale_target": "standard",
    }
    return Trial(**{**values, **changed})
