"""A check of estimators and metrics: one small trial of each, which is not recorded."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
from numpy.typing import NDArray

from boostbench.data.arrays import save_arrays
from boostbench.data.dataset import Dataset, Target, fingerprint, fingerprint_of, take_rows
from boostbench.data.splits import SplitRule
from boostbench.engine.interface import Event, Summary, TrialLimits
from boostbench.engine.local import run_trials
from boostbench.engine.os_processes import processors
from boostbench.engine.recording import outcomes_apart
from boostbench.engine.texts import one_line
from boostbench.estimators import default_params
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import did_you_mean
from boostbench.values import Params, with_first_choices

_LIMITS = TrialLimits(time_s=20.0, memory_bytes=4 * 2**30)
_FEW, _FEW_PER_CLASS = 300, 10
"""How many rows of a data set, and of each of its classes, estimators are tried on."""


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
    trials: Sequence[Trial], datasets: Sequence[Dataset]
) -> tuple[dict[str, str], dict[str, str]]:
    """Run ``trials`` on ``datasets``; return errors, and why methods were not checked, by label.

    A method is wrong if its trial ends in an error. Trials that take longer than 20 s, or more than
    4 GiB, are given up.
    """
    # Numbered rows may not be among made-up ones.
    whole = SplitRule("shuffle", 1, test_size=0.1)
    known = {dataset.fingerprint: dataset for dataset in datasets}
    fits = [
        _one_fit(trial, known[trial.fingerprint], trial.split_rule if _is_drawn(trial) else whole)
        for trial in trials
    ]
    return _failures(fits, _outcomes(fits, datasets))


def probe_on_few_rows(
    trials: Sequence[Trial], dataset: Dataset
) -> tuple[dict[str, str], dict[str, str]]:
    """Fit the estimators of ``trials`` to a few rows of a data set, and predict these rows.

    Among them are rows with gaps, where it has such. Returns what :func:`probe` returns.
    """
    rows = _few_rows(dataset)
    # The same rows twice, so that no level is only in the test part.
    part = replace(take_rows(dataset, np.tile(rows, 2)), groups=None, times=None)
    part = replace(part, fingerprint=fingerprint_of(part))
    halves = SplitRule("given", 1, train_rows=len(rows))
    fits = [
        _one_fit(replace(trial, fingerprint=part.fingerprint), part, halves) for trial in trials
    ]
    return _failures(fits, _outcomes(fits, [part]))


def _few_rows(dataset: Dataset) -> NDArray[np.int64]:
    """Return the numbers of some rows: random ones, of each class, with gaps, and of all sizes."""
    y, rng = dataset.y, np.random.default_rng(0)
    order = rng.permutation(len(y))
    chosen = {*order[:_FEW].tolist(), int(np.argmin(y)), int(np.argmax(y))}
    for code in range(len(dataset.classes)):
        chosen |= set(order[y[order] == code][:_FEW_PER_CLASS].tolist())
    if dataset.frame is not None:
        is_gap = dataset.frame.isna().to_numpy()
        chosen |= set(is_gap.argmax(axis=0)[is_gap.any(axis=0)].tolist())
    return np.array(sorted(chosen), dtype=np.int64)


def _is_drawn(trial: Trial) -> bool:
    """Return whether the rows of a trial's split are drawn, of whatever number there are."""
    return trial.makes_folds or trial.split == "shuffle"


def _one_fit(trial: Trial, dataset: Dataset, rule: SplitRule) -> Trial:
    """Return a trial of one fit to a data set, without choices and without learning curves."""
    return replace(
        trial,
        choose={},
        choose_with={},
        choose_by="",
        choose_folds=0,
        curves=False,
        params=with_first_choices(trial.params, trial.choose),
        fold=trial.fold if _is_drawn(trial) else 0,
        rows="",
        # Made-up rows have neither.
        features="matrix" if dataset.frame is None else trial.features,
        weighted=trial.weighted and dataset.weights is not None,
        **asdict(rule),
    )


def _failures(
    fits: Sequence[Trial], outcomes: Sequence[Outcome]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return errors, and why trials were given up, by method."""
    wrong: dict[str, str] = {}
    unchecked: dict[str, str] = {}
    for fit, outcome in zip(fits, outcomes, strict=True):
        if outcome.status == "error":
            wrong[fit.method] = _first_line(outcome)
        elif outcome.status not in ("ok", "skipped"):
            unchecked[fit.method] = outcome.reason
    return wrong, unchecked


def _first_line(outcome: Outcome) -> str:
    """Return the first line of an error's text, as far as it can be told from the others."""
    lines = [one_line(line) for line in outcome.traceback.splitlines() if line[:1].strip()]
    first = [line for line in lines if outcome.reason.startswith(line)]
    return max(first, key=len, default=outcome.reason)


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
                _one_fit(trial, rows, halves),
                estimator=f"boostbench.engine.made_up:{kind}",
                code="",
                params={},
                fold=0,
                features="matrix" if rows.frame is None else "frame",
                fingerprint=rows.fingerprint,
            )
        )
    return _outcomes(fits, made)


def _made_up_rows(dataset: Dataset, seed: int) -> Dataset:
    """Return random rows with targets of the data set: each class often, or some of the values."""
    rng, n_classes = np.random.default_rng(seed), len(dataset.classes)
    frame = dataset.frame
    if n_classes:
        y: Target = np.repeat(np.arange(n_classes), max(4, 200 // n_classes))
    else:
        y = rng.choice(dataset.y, 200)
        y[:2] = dataset.y.min(), dataset.y.max()
    X = rng.random((len(y), dataset.X.shape[1]))
    if frame is not None:
        frame = frame.iloc[rng.integers(len(frame), size=len(y))].reset_index(drop=True)
    made = replace(
        dataset, X=X, y=y, missing="error", frame=frame, groups=None, times=None, weights=None
    )
    return replace(made, fingerprint=fingerprint_of(made))


def _outcomes(fits: Sequence[Trial], datasets: Sequence[Dataset]) -> list[Outcome]:
    """Return the outcomes of trials, which are not kept."""

    def run(store: Store) -> Summary:
        for dataset in datasets:
            save_arrays(dataset, store.folder)
        return run_trials(
            fits,
            store,
            jobs=min(len(fits), processors()),
            arrays_dir=store.folder,
            limits=_LIMITS,
            listener=_raise_on_stop,
        )

    outcomes = outcomes_apart(run)
    return [outcomes[fit.key] for fit in fits]


def _raise_on_stop(event: Event) -> None:
    if event.kind == "stop":
        raise KeyboardInterrupt


def unnamed_parameters(estimator: str, params: Params) -> list[str]:
    """Return the parameters that an estimator takes without naming them, with a near name."""
    known, _ = default_params(estimator)
    return [f"{name}{did_you_mean(name, known)}" for name in params if name not in known]
