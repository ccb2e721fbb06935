"""A small plan, outcomes and statements that the tests of the store share."""

import sqlite3

from trials import make_trial as any_trial

from boostbench.store.store import Store
from boostbench.store.types import Outcome


def make_trial(fold=0, seed=0, **changes):
    usual = {
        "dataset": "yacht",
        "method": "srt",
        "estimator": "package.module:Class",
        "fingerprint": "f" * 64,
        "params": {"depth": 3},
    }
    return any_trial(**{**usual, "fold": fold, "seed": seed, **changes})


PLAN = [make_trial(fold, seed) for fold in range(4) for seed in range(3)]
OK = Outcome("ok", metrics={"r2": 0.1 + 0.2, "n_test": 77}, times={"fit_s": 0.5})
LEARNT = Outcome(
    "ok",
    metrics={"error": 0.25},
    curve={"iteration": [1, 2], "objective": [0.1 + 0.2, 0.1], "test_error": [0.5, 0.25]},
    time_curve={"fit_s": [0.5, 1.5]},
)


def altered(folder, *statements):
    """Change the file of a store as another program might; return the last statement's rows."""
    with sqlite3.connect(folder / "store.sqlite") as db:
        rows = [db.execute(statement).fetchall() for statement in statements][-1]
    db.close()
    return rows


def filled(folder, *outcomes, plan=PLAN, environment="env"):
    """A store with one run that recorded (position in the plan, outcome)."""
    with Store.open(folder) as store:
        store.set_plan({"name": "d3", "folds": 4}, plan)
        store.begin_run(environment, {"cpu": environment}, command=["boostbench", "run", "d3"])
        for i, outcome in outcomes:
            store.record(plan[i], outcome, environment)
    return folder
