"""A check that estimators can be fitted: one small trial of each, which is not recorded."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.data.splits import SplitRule
from boostbench.engine.local import run_trials
from boostbench.engine.types import Event, Limits
from boostbench.estimators import default_params
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean
from boostbench.values import with_first_choices

_LIMITS = Limits(time_s=20.0, memory_bytes=4 * 2**30)


def synthetic(task: str, shape: tuple[int, int]) -> Dataset:
    """Return a data set of random numbers for ``task``, of ``shape``, with at most 1,000 rows."""
    rng = np.random.default_rng(0)
    rows = min(shape[0], 1000)
    X = rng.random((rows, shape[1]))
    y = X[:, 0] + 0.1 * rng.random(rows)
    if task == "classification":
        y = np.digitize(y, np.quantile(y, (1 / 3, 2 / 3))).astype(np.int64)
    names = tuple(f"x{j}" for j in range(1, shape[1] + 1))
    classes = ("a", "b", "c") if task == "classification" else ()
    return Dataset("made up", X, y, names, "y", task, fingerprint(X, y), "made up", classes)


def probe(
    trials: Sequence[Trial], datasets: Sequence[Dataset], jobs: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Run ``trials`` on ``datasets``; return errors, and why methods were not checked, by label.

    A method is wrong if its trial ends in an error. Trials that take longer than 20 s, or more than
    4 GiB, are given up.
    """
    # Without a choice among parameters, and without learning curves: one fit. Numbered rows may not
    # be among made-up ones.
    whole = SplitRule("shuffle", 1, test_size=0.1)
    fits = [
        replace(
            trial, choose={}, choose_with={}, curves=False,
            params=with_first_choices(trial.params, trial.choose),
            **asdict(whole if trial.split in ("given", "listed") else trial.split_rule),
        )
        for trial in trials
    ]  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="boostbench-probe-") as name,
        Store.open(Path(name), create=True) as store,
    ):
        for dataset in datasets:
            save_arrays(dataset, Path(name))
        options = {"arrays_dir": Path(name), "limits": _LIMITS, "listener": _raise_on_stop}
        run_trials(fits, store, jobs=jobs, **options)
        found = {trial.method: outcome for trial in fits if (outcome := store.outcome(trial.key))}
    wrong = {label: each.reason for label, each in found.items() if each.status == "error"}
    others = {label: each for label, each in found.items() if each.status not in ("ok", "error")}
    return wrong, {label: o.reason for label, o in others.items() if o.status != "skipped"}


def _raise_on_stop(event: Event) -> None:
    if event.kind == "stop":
        raise KeyboardInterrupt


def unnamed_parameters(trial: Trial) -> list[str]:
    """Return the parameters that the estimator takes without naming them, with a near name."""
    known, _ = default_params(trial.estimator)
    return [f"{name}{did_you_mean(name, known)}" for name in trial.params if name not in known]
