"""A check of estimators and metrics: one small trial of each, which is not recorded."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, Target, fingerprint
from boostbench.data.splits import SplitRule
from boostbench.engine.interface import Event, TrialLimits
from boostbench.engine.local import run_trials
from boostbench.estimators import default_params
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import did_you_mean
from boostbench.values import with_first_choices

_LIMITS = TrialLimits(time_s=20.0, memory_bytes=4 * 2**30)


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
            trial,
            choose={},
            choose_with={},
            curves=False,
            params=with_first_choices(trial.params, trial.choose),
            **asdict(whole if trial.split in ("given", "listed") else trial.split_rule),
        )
        for trial in trials
    ]
    wrong: dict[str, str] = {}
    unchecked: dict[str, str] = {}
    for fit, outcome in zip(fits, _outcomes(fits, datasets, jobs), strict=True):
        if outcome.status == "error":
            wrong[fit.method] = outcome.reason
        elif outcome.status not in ("ok", "skipped"):
            unchecked[fit.method] = outcome.reason
    return wrong, unchecked


def try_metrics(trials: Sequence[Trial], datasets: Sequence[Dataset]) -> list[Outcome]:
    """Run each trial on its data set, with made-up predictions in place of its estimator's.

    The data sets are made-up too: rows of their targets, or as many of each class. The outcomes
    have the values of the trials' metrics, or why there are none.
    """
    fits, made = [], []
    for seed, (trial, dataset) in enumerate(zip(trials, datasets, strict=True)):
        rows = _made_up_rows(dataset, seed)
        kind = "MadeUpClassifier" if trial.task == "classification" else "MadeUpRegressor"
        halves = SplitRule("shuffle", 1, test_size=0.5)
        made.append(rows)
        fits.append(
            replace(
                trial,
                estimator=f"boostbench.engine.made_up:{kind}",
                code="",
                params={},
                choose={},
                choose_with={},
                curves=False,
                fold=0,
                fingerprint=rows.fingerprint,
                **asdict(halves),
            )
        )
    return _outcomes(fits, made, 1)


def _made_up_rows(dataset: Dataset, seed: int) -> Dataset:
    """Return random rows with targets of the data set: each class often, or some of the values."""
    rng, n_classes = np.random.default_rng(seed), len(dataset.classes)
    if n_classes:
        y: Target = np.repeat(np.arange(n_classes), max(4, 200 // n_classes))
    else:
        y = rng.choice(dataset.y, 200)
        y[:2] = dataset.y.min(), dataset.y.max()
    X = rng.random((len(y), dataset.X.shape[1]))
    return replace(
        dataset,
        X=X,
        y=y,
        fingerprint=fingerprint(X, y),
        missing="error",
        frame=None,
        groups=None,
        times=None,
        weights=None,
    )


def _outcomes(fits: Sequence[Trial], datasets: Sequence[Dataset], jobs: int) -> list[Outcome]:
    """Return the outcomes of trials, which are not kept."""
    with (
        tempfile.TemporaryDirectory(prefix="boostbench-probe-") as name,
        Store.open(Path(name)) as store,
    ):
        for dataset in datasets:
            save_arrays(dataset, Path(name))
        summary = run_trials(
            fits,
            store,
            jobs=jobs,
            arrays_dir=Path(name),
            limits=_LIMITS,
            listener=_raise_on_stop,
        )
        if summary.interrupted:
            raise KeyboardInterrupt
        outcomes = store.outcomes()
    return [outcomes[fit.key] for fit in fits]


def _raise_on_stop(event: Event) -> None:
    if event.kind == "stop":
        raise KeyboardInterrupt


def unnamed_parameters(trial: Trial) -> list[str]:
    """Return the parameters that the estimator takes without naming them, with a near name."""
    known, _ = default_params(trial.estimator)
    return [f"{name}{did_you_mean(name, known)}" for name in trial.params if name not in known]
