"""A small plan, outcomes and statements that the tests of the store share."""

import dataclasses

from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome


def make_trial(fold=0, seed=0, **changes):
    trial = Trial(
        dataset="yacht",
        method="srt",
        estimator="package.module:Class",
        method_version="1",
        fingerprint="f" * 64,
        task="regression",
        folds=4,
        fold=fold,
        split_seed=0,
        seed=seed,
        scale_features="minmax",
        scale_target="standard",
        params={"depth": 3},
    )
    return dataclasses.replace(trial, **changes)


PLAN = [make_trial(fold, seed) for fold in range(4) for seed in range(3)]
OK = Outcome("ok", metrics={"r2": 0.1 + 0.2, "n_test": 77}, times={"fit_s": 0.5})
LEARNT = Outcome(
    "ok",
    metrics={"error": 0.25},
    curve={"iteration": [1, 2], "objective": [0.1 + 0.2, 0.1], "test_error": [0.5, 0.25]},
    time_curve={"fit_s": [0.5, 1.5]},
)
