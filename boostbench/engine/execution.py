"""One trial as a function of its key: its data, its fit, its scores."""

import contextlib
import dataclasses
import importlib
import math
import random
import sys
import time
import traceback
import warnings
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
from numba.core import event

from boostbench import estimators
from boostbench.data.arrays import load_arrays, load_rows, load_test_rows
from boostbench.data.dataset import Dataset
from boostbench.data.prepare import Prepared, prepare_split
from boostbench.data.splits import Split, split_indices
from boostbench.engine import evaluation, os_processes, scorers
from boostbench.engine.choice import chosen_params, searched_params
from boostbench.engine.interface import TrialError, changed_sources
from boostbench.engine.keeping import TestPart, kept_predictions
from boostbench.engine.texts import clean, one_line
from boostbench.errors import BoostbenchError
from boostbench.estimators import Estimator
from boostbench.importing import is_library
from boostbench.objects.names import is_saved
from boostbench.plan.trial import Trial, canonical_json
from boostbench.sample_weights import weights_for
from boostbench.store.types import Outcome, Scalar
from boostbench.user_code import Sources, own_sources
from boostbench.values import Params, Record, with_first_choices

Interrupts = tuple[type[BaseException], ...]
Times = dict[str, float]

_MAX_TEXT = 20_000
_MOST = 500


def run_trial(
    trial: Trial, arrays_dir: Path, interrupts: Interrupts = (), time_limit_s: float | None = None
) -> Outcome:
    """Run ``trial`` on the arrays saved in ``arrays_dir`` and return its outcome.

    Nothing but ``interrupts`` is raised. The global generators start from the trial's seed.

    ``fit_s`` (wall) and ``fit_cpu_s`` (processor) are the seconds of ``fit`` only. Where it
    compiled a kernel or imported a module, ``first_fit_s`` has its seconds, and the others are
    those of a second fit, unless there is no time for it within ``time_limit_s``, or ``interrupts``
    say that a debugger may be at work; everything else is of the first. ``mse``, ``rmse`` and
    ``mae`` are on the scale on which the target was trained, or measured in the target's own unit
    where the trial's ``units`` are ``original``; ``r2`` is one minus the quotient of the residual
    and the total sum of squares of the test fold. For classes there are also ``log_loss`` and
    ``roc_auc`` of a fitted estimator with probabilities, or the latter with decisions; see
    :mod:`boostbench.engine.evaluation`. Then come the trial's ``metrics``, each a function of the
    fitted estimator and the test rows; see :mod:`boostbench.engine.scorers`. Why one of these has
    no value is recorded too.
    Metrics that the fitted estimator offers as ``benchmark_metrics_()`` (a mapping of names to
    numbers or text) are added, and its ``benchmark_curve_()`` (names to lists of floats) becomes
    the curve, to which the trial's learning curves are added. Chosen parameters are the metrics
    ``chosen_NAME``, and the choice took ``choose_s`` seconds; those that a search of scikit-learn
    chose within the fit have such names too.
    """
    started = time.perf_counter()
    os_processes.reset_peak_memory()
    times: Times = {}
    try:
        _seed_generators(trial.random_state)
        # Restored afterwards, so that the next trial of this process gets the same warnings.
        with warnings.catch_warnings():
            limit = np.inf if time_limit_s is None else time_limit_s
            # In a debugger a fit runs only once.
            latest = 0.0 if interrupts else started + limit
            outcome = _run(trial, arrays_dir, times, latest)
    except BaseException as error:  # a fit may raise anything, SystemExit too
        if isinstance(error, interrupts):
            raise
        # Describing an error takes memory too.
        os_processes.lift_data_limit()
        outcome = _failure(error)
    times["wall_s"] = time.perf_counter() - started
    times["peak_rss_mib"] = os_processes.peak_memory_mib()
    return dataclasses.replace(outcome, times=times)


def _run(trial: Trial, arrays_dir: Path, times: Times, latest: float) -> Outcome:
    _check_code(trial)
    # It could be imported when it was planned, so that a failure here is an error.
    estimators.import_estimator(trial.estimator)
    if reason := estimators.unavailable(trial.estimator):
        return Outcome("skipped", one_line(reason))
    dataset = load_data(trial.fingerprint, arrays_dir)
    train, test = _rows(trial, dataset, arrays_dir)
    # A plan without metrics has no labels; the arrays have those of their first reading.
    named = dataclasses.replace(trial, labels=trial.labels or dataset.classes)
    chosen: Params = {}
    if trial.choose:
        wall = time.perf_counter()
        chosen = chosen_params(named, dataset, train)
        times["choose_s"] = time.perf_counter() - wall
    scaling = trial.scale_features, trial.scale_target
    data = prepare_split(dataset, train, test, *scaling, trial.features)
    outcome = fit_and_score(named, chosen, data, times, TestPart(test, dataset.y[test]))
    counts = _groups_of(dataset, (train, test))
    outcome = dataclasses.replace(outcome, metrics={**outcome.metrics, **counts})
    if time.perf_counter() + times.get("first_fit_s", np.inf) < latest:
        with contextlib.suppress(Exception):  # the first time stands
            # The estimator may have written into its arguments.
            data = prepare_split(dataset, train, test, *scaling, trial.features)
            return _timed_again(trial, chosen, data, outcome, times)
    return outcome


def _rows(trial: Trial, dataset: Dataset, arrays_dir: Path) -> Split:
    """Return the training and test rows of a trial."""
    if trial.rows:
        return load_rows(trial.rows, arrays_dir)
    return split_indices(
        dataset.y,
        trial.fold,
        trial.split_rule,
        trial.split_seed,
        stratify=trial.task == "classification",
        test_rows=load_test_rows(trial.test_rows, arrays_dir) if trial.test_rows else [],
    )


def _groups_of(dataset: Dataset, split: Split) -> dict[str, Scalar]:
    """Return the numbers of groups in both parts, none where the data set has no groups."""
    groups = dataset.groups
    if groups is None:
        return {}
    n_train, n_test = (len(np.unique(groups[rows])) for rows in split)
    return {"n_train_groups": n_train, "n_test_groups": n_test}


def fit_and_score(
    trial: Trial, chosen: Params, data: Prepared, times: Times, test: TestPart | None = None
) -> Outcome:
    """Fit the trial's estimator to ``data``, and return the outcome with its scores.

    The seconds that this took are added to ``times``. ``chosen`` parameters replace the given ones.
    The outcome has the predictions for the ``test`` rows if the trial keeps them.
    """
    # The estimator may write into its arguments.
    y_train = data.y_train.copy()
    estimator = _timed_fit(trial, chosen, data, times)
    wall = time.perf_counter()
    predicted = estimator.predict(data.X_test)
    times["predict_s"] = time.perf_counter() - wall

    # Copied: predictions may be a view of an array that the estimator overwrites.
    predictions = {"test": np.array(predicted)}
    predictions["train"] = np.array(estimator.predict(data.X_train))
    unit = data.unit if trial.units == "original" else scorers.SCALED
    classes = np.unique(y_train) if trial.task == "classification" else None
    metrics = _offered_metrics(estimator)
    for part, y, prefix in (("test", data.y_test, ""), ("train", y_train, "train_")):
        if classes is not None:
            metrics |= evaluation.classification_metrics(y, predictions[part], prefix, classes)
        else:
            metrics |= evaluation.regression_metrics(y, predictions[part], prefix, unit)
    metrics["n_train"] = len(y_train)
    metrics["n_test"] = len(data.y_test)
    metrics |= _chosen_params(estimator, chosen)
    curve = _offered_curve(estimator)
    time_curve = None
    if trial.curves:
        learnt, time_curve = evaluation.learning_curves(estimator, data, y_train, predictions)
        if learnt:
            curve |= learnt
            metrics.setdefault("n_iter", len(learnt["iteration"]))
    X, y = data.X_test, data.y_test
    probabilities = None
    if classes is not None:
        # Last, so that a change that it makes to the estimator changes no other score.
        scores, probabilities = evaluation.probability_metrics(
            estimator, X, y, classes, trial.labels
        )
        metrics |= scores
    metrics |= scorers.scorer_metrics(
        trial, estimator, (X, y), predictions["test"], unit=unit, trained=classes
    )
    kept = None
    if test is not None and "predictions" in trial.keep:
        kept = kept_predictions(
            estimator,
            X,
            predictions["test"],
            test,
            unit=data.unit,
            classes=classes,
            labels=trial.labels,
            probabilities=probabilities,
        )
    return Outcome(
        "ok", metrics=metrics, curve=curve or None, time_curve=time_curve, predictions=kept
    )


def _offered_metrics(estimator: Estimator) -> dict[str, Scalar]:
    """Return what a fitted estimator offers as ``benchmark_metrics_()``."""
    offered = _mapping_from(estimator, "benchmark_metrics_").items()
    return {str(name): _scalar(name, value) for name, value in offered}


def _chosen_params(estimator: Estimator, chosen: Params) -> dict[str, Scalar]:
    """Return the parameters that the estimator's own search found, and the ``chosen`` ones."""
    searched = {name: _searched(value) for name, value in searched_params(estimator).items()}
    values = searched | {name: _chosen(value) for name, value in chosen.items()}
    return {f"chosen_{name}": value for name, value in values.items()}


def _offered_curve(estimator: Estimator) -> evaluation.Curve:
    """Return what a fitted estimator offers as ``benchmark_curve_()``."""
    return {
        str(name): evaluation.finite_list(values, f"the curve {name!r}")
        for name, values in _mapping_from(estimator, "benchmark_curve_").items()
    }


def _timed_fit(trial: Trial, chosen: Params, data: Prepared, times: Times) -> Estimator:
    """Return the fitted estimator; set ``first_fit_s`` if the fit compiled or imported code."""
    estimator = estimators.build(trial.estimator, {**trial.params, **chosen}, trial.random_state)
    weights = weights_for(estimator, data.weights_train if trial.weighted else None)
    loaded = len(sys.modules)
    with event.install_recorder("numba:compile") as recorder:
        cpu, wall = time.process_time(), time.perf_counter()
        fitted = estimator.fit(data.X_train, data.y_train, **weights)
        times["fit_s"] = time.perf_counter() - wall
        times["fit_cpu_s"] = time.process_time() - cpu
    # Code without a cache on disk, as users often write it, is compiled in every process: ignored.
    kept = [each.data["dispatcher"].stats.cache_path for _, each in recorder.buffer]
    if any(kept) or (not kept and new_installed_modules(loaded)):
        times["first_fit_s"] = times["fit_s"]
    return estimator if fitted is None else fitted


def _timed_again(
    trial: Trial, chosen: Params, data: Prepared, outcome: Outcome, times: Times
) -> Outcome:
    """Fit once more, in the same way, only to time it."""
    _seed_generators(trial.random_state)
    again: Times = {}
    fitted = _timed_fit(trial, chosen, data, again)
    times.update({name: again[name] for name in ("fit_s", "fit_cpu_s")})
    curve = outcome.time_curve and evaluation.time_curves(fitted)
    return dataclasses.replace(outcome, time_curve=curve)


def forget_checks() -> None:
    """Have the user's sources looked for again, as those of another experiment may be needed."""
    _checked.clear()


_checked: dict[str, Sources] = {}
"""The user's sources behind each estimator, as the last check of a trial found them."""


def _check_code(trial: Trial) -> None:
    """Raise TrialError where the user's sources have changed since the trial was planned."""
    path = trial.estimator
    # The name of a stored object has the digest of all that is in it.
    is_known = path in _checked and _checked[path].digest == trial.code
    if not trial.code or is_saved(path) or is_known:
        return
    params = with_first_choices(trial.params, trial.choose)
    # As in the plan, some sources may be found only after the import, or where an object is made.
    # A fit may find more, which do not count.
    preparations = (
        lambda: None,
        lambda: estimators.import_estimator(path),
        lambda: estimators.build(path, params, trial.random_state),
    )
    for prepare in preparations:
        with contextlib.suppress(Exception):  # the trial reports it
            prepare()
        _seed_generators(trial.random_state)
        sources = own_sources(path)
        if sources.digest == trial.code:
            _checked[path] = sources
            return
    raise changed_sources(path)


@lru_cache(maxsize=2)
def load_data(fingerprint: str, arrays_dir: Path) -> Dataset:
    """Return the data set saved in ``arrays_dir``, kept for the next trials of this process."""
    return load_arrays(fingerprint, arrays_dir)


def _mapping_from(estimator: object, name: str) -> Record:
    value = getattr(estimator, name, None)
    value = value() if callable(value) else value
    if value is not None and not isinstance(value, Mapping):
        raise TrialError(f"{name} gave a {type(value).__name__} where a mapping was expected")
    return value or {}


def _chosen(value: object) -> Scalar:
    return _scalar("choose", value) if isinstance(value, Scalar) else canonical_json(value)


def _searched(value: object) -> Scalar:
    """Return a value that a search chose, as text where JSON has no such values."""
    with contextlib.suppress(TypeError, ValueError, TrialError):
        return _chosen(value.item() if isinstance(value, np.generic) else value)
    return one_line(repr(value))


def _scalar(name: object, value: object) -> Scalar:
    if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return one_line(value)
    raise TrialError(
        f"benchmark_metrics_ gave a {type(value).__name__} for {name!r}: not a number or text"
    )


def _failure(error: BaseException) -> Outcome:
    trace = traceback.TracebackException.from_exception(error)
    text = clean("".join(trace.format()))[-_MAX_TEXT:]
    if _is_memory_error(error):
        return Outcome("memory", "out of memory", traceback=text)
    reason = str(trace)
    if not isinstance(error, TrialError | BoostbenchError):
        reason = ": ".join(filter(None, (type(error).__name__, reason)))
    return Outcome("error", one_line(reason), traceback=text)


def _is_memory_error(error: BaseException | None) -> bool:
    for _ in range(50):  # an error may be its own cause
        if isinstance(error, MemoryError):
            return True
        error = error and (error.__cause__ or error.__context__)
    return False


def import_first(estimator: str) -> None:
    """Import the estimator's module; the trial reports any error."""
    with contextlib.suppress(BaseException):  # a module may raise anything
        importlib.import_module(estimators.module_of(estimator))


def new_installed_modules(count: int) -> list[str]:
    """Return the names of installed modules loaded after the first ``count`` modules."""
    with contextlib.suppress(RuntimeError):  # a thread of the trial imports
        # From the end: a walk over all names would copy many pages of a fresh fork.
        new = list(islice(reversed(sys.modules), max(0, min(len(sys.modules) - count, _MOST))))
        files = {name: getattr(sys.modules.get(name), "__file__", None) for name in new}
        return [name for name, file in files.items() if file and is_library(Path(file))]
    return []


def _seed_generators(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # for estimators that use it
