"""Whether an experiment makes sense, asked before the first trial is run."""

import contextlib
import dataclasses
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from boostbench.config.model import Experiment
from boostbench.config.splits import complaint
from boostbench.data import known_fingerprint
from boostbench.data.cards import load_card
from boostbench.data.dataset import Dataset
from boostbench.data.order import check_order
from boostbench.data.prepare import prepare_split
from boostbench.data.request import DataRequest
from boostbench.data.splits import SplitRule, split_indices
from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.estimators import (
    ParameterError,
    build,
    default_params,
    load_scorer,
    task_of,
    unavailable,
)
from boostbench.methods import ResolvedMethod, get_method, resolve
from boostbench.suggest import counted, did_you_mean, listing
from boostbench.user_code import is_installed

_beside: list[str] = []
_MORE_TEST_ROWS = {
    "kfold": "folds lower",
    "stratified": "folds lower",
    "shuffle": "test_size higher",
    "given": "train_rows lower",
    "listed": "other test_rows",
}


def search_beside(experiment: Experiment) -> None:
    """Have modules beside the experiment file found, before others of their names.

    They are found last where one would hide a module of Python or an installed package. Those
    beside the experiment of an earlier call are not found any more.
    """
    folder = None if experiment.folder is None else str(experiment.folder)
    while _beside:
        with contextlib.suppress(ValueError):
            sys.path.remove(_beside.pop())
    if folder is None:
        return
    tops = {path.stem for path in Path(folder).glob("*.py")}
    tops |= {path.parent.name for path in Path(folder).glob("*/__init__.py")}
    hides = any(map(is_installed, tops))
    if not (hides and folder in sys.path):
        sys.path.insert(len(sys.path) if hides else 0, folder)
        _beside.append(folder)


def check_experiment(experiment: Experiment) -> list[ResolvedMethod]:
    """Import the methods, check their parameters and the cards, and return the resolved methods.

    The experiment file's folder is made importable, so that a user's own estimators can lie beside
    the file. No data are read.

    Raises ConfigError, a line for each complaint, each with its place in the file.
    """
    search_beside(experiment)
    complaints: list[str] = []
    resolved: list[ResolvedMethod] = []
    for i, entry in enumerate(experiment.methods):
        try:
            resolved.append(resolve(entry, experiment.defaults))
        except ParameterError as error:
            complaints.append(f"{_parameter_place(experiment, i, error)}: {error}")
        except ConfigError as error:
            key = "method" if entry.estimator is None else "estimator"
            complaints.append(f"{experiment.where('methods', i, key)}: {error}")
    if not complaints:
        complaints += _unused_defaults(experiment, resolved)
        complaints += _equal_methods(experiment, resolved)
    complaints += _tasks(experiment, resolved if not complaints else [])
    if complaints:
        raise ConfigError("\n".join(dict.fromkeys(complaints)))
    return resolved


def _parameter_place(experiment: Experiment, i: int, error: ParameterError) -> str:
    parameter = error.parameter
    for key in ("choose", "params") if error.key is None else (error.key,):
        if parameter is not None and parameter in getattr(experiment.methods[i], key):
            return experiment.where("methods", i, key, parameter)
    if error.key is not None:
        return experiment.where("methods", i, error.key)
    if parameter in experiment.defaults:
        return experiment.where("defaults", parameter)
    return experiment.where("methods", i)


def _unused_defaults(experiment: Experiment, resolved: Sequence[ResolvedMethod]) -> list[str]:
    known: set[str] = set()
    for entry, method in zip(experiment.methods, resolved, strict=True):
        if entry.method is not None:
            named, takes_others = default_params(method.estimator)
            known |= set(experiment.defaults) if takes_others else set(named)
    return [
        f"{experiment.where('defaults', name, key=True)}: no registered method of this experiment "
        f"has the parameter '{name}'{did_you_mean(name, sorted(known))}"
        for name in experiment.defaults
        if name not in known
    ]


def _equal_methods(experiment: Experiment, resolved: Sequence[ResolvedMethod]) -> list[str]:
    return [
        f"{experiment.where('methods', i)}: '{method.label}' and '{other.label}' are the same "
        "estimator with the same parameters; leave one out"
        for i, method in enumerate(resolved)
        for other in resolved[:i]
        if dataclasses.replace(method, label=other.label) == other
    ]


def _tasks(experiment: Experiment, resolved: Sequence[ResolvedMethod]) -> list[str]:
    complaints = []
    tasks = []
    for i, entry in enumerate(experiment.datasets):
        try:
            request = experiment.request(entry)
            known_fingerprint(request)
            tasks.append(request.task)
            complaints += _splits(experiment, i, request)
        except BoostbenchError as error:
            key = next((k for k in ("target", "per_class") if k in str(error)), "card")
            complaints.append(f"{experiment.where('datasets', i, key)}: {error}")
    if complaints:
        return complaints
    complaints += _metrics(experiment, tasks)
    for i, method in enumerate(resolved):
        name = experiment.methods[i].method
        task = get_method(name).task if name else task_of(method.estimator, method.params)
        for entry, wanted in zip(experiment.datasets, tasks, strict=True):
            if task is not None and wanted != task:
                assumed = experiment.request(entry).assumed_task
                hint = f", as it does not say; add 'task: {task}' to it" if assumed else ""
                complaints.append(
                    f"{experiment.where('methods', i)}: '{method.label}' is a {task} method, "
                    f"but the data set '{entry.name}' is for {wanted}{hint}"
                )
                break
    return complaints


def _metrics(experiment: Experiment, tasks: Sequence[str]) -> list[str]:
    """Return what is wrong with the metrics that the experiment or its paper asks for."""
    places = {entry.name: ("metrics", i) for i, entry in enumerate(experiment.metrics)}
    complaints = []
    for name, metric in experiment.asked_metrics.items():
        place = ("metric",) if name == experiment.metric else places.get(name, ("paper",))
        where = experiment.where(*place)
        others = [
            entry.name
            for entry, task in zip(experiment.datasets, tasks, strict=True)
            if metric.task not in ("", task)
        ]
        if others and place != ("paper",):
            complaints.append(
                f"{where}: {name} is a score of {metric.task}, but the data set '{others[0]}' is "
                f"not for {metric.task}"
            )
        if metric.function:
            try:
                load_scorer(metric.function)
            except ConfigError as error:
                complaints.append(f"{where}: {error}")
    return complaints


def _splits(experiment: Experiment, i: int, request: DataRequest) -> list[str]:
    where = experiment.where("datasets", i, "splits")
    try:
        rule = experiment.split_rule(request.name, request.task)
    except DataError as error:
        return [f"{where}: {error}"]
    wrong = complaint(rule, request.per_class, request.task)
    return [f"{where}: {wrong}"] if wrong else []


def check_dataset(
    experiment: Experiment, dataset: Dataset, methods: Sequence[ResolvedMethod]
) -> None:
    """Check that a loaded data set can be split, scaled and fitted as the experiment wants.

    Raises DataError: more folds than rows, a training fold with fewer rows than a method's tree has
    leaves, a target that is constant on a training or a test fold, values that are not finite.
    """
    splits = experiment.splits
    part = "fold" if splits is None else "split"
    rule = experiment.split_rule(dataset.name, dataset.task)
    card = next((entry.card for entry in experiment.datasets if entry.name == dataset.name), None)
    name = f"data set '{dataset.name}'"
    listed = experiment.test_rows(dataset.name)
    _check_given_rows(dataset, rule, card)
    stratify = dataset.task == "classification"
    leaves = {method.label: n for method in methods if (n := leaf_count(method)) is not None}
    for split_seed, fold in product(experiment.split_seed_list, range(rule.folds)):
        train, test = split_indices(
            dataset.y, fold, rule, split_seed, stratify=stratify, test_rows=listed, name=name
        )
        for label, n in leaves.items():
            if len(train) < n:
                raise DataError(
                    f"{name} has {len(train)} rows in a training {part}, fewer than the {n} "
                    f"leaves of '{label}'; lower its depth or leave one of them out"
                )
        if splits is not None and not len(test):
            # The one class that was to be tested on keeps its only row for training.
            raise DataError(
                f"{name} has a split without a row to test on; set test_size "
                "higher, or take classes of at least two rows each"
            )
        scale_target = experiment.scale_target if dataset.task == "regression" else "none"
        split = prepare_split(dataset, train, test, experiment.scale_features, scale_target)
        if dataset.task == "regression" and (split.y_test == split.y_test[0]).all():
            raise DataError(
                f"{name} has a test {part} of {counted(len(test), 'row')} with "
                "one and the same target, for which R2 is not defined; set "
                f"{_MORE_TEST_ROWS[rule.split]} or try another split_seed"
            )
        # Of a large data set two at a time would not fit into memory.
        del split


def _check_given_rows(dataset: Dataset, rule: SplitRule, card: str | None) -> None:
    """Raise DataError where given rows are not where they should be, or too few of a class."""
    if rule.split != "given":
        return
    n_samples, name = len(dataset.y), f"data set '{dataset.name}'"
    if rule.train_rows is not None and dataset.n_left_out and card is None:
        # A card's train_rows counts the rows that are left.
        raise DataError(
            f"{name} has {counted(dataset.n_left_out, 'row')} left out for missing values, so that "
            f"its first {rule.train_rows:,} rows are no longer those that train_rows means; set "
            "'missing: median' and complete the target, or take these rows out of the data and "
            "set train_rows to match"
        )
    if card is not None:
        check_order(dataset, load_card(card), rule)
    if rule.train_per_class is None:
        return
    batches, wanted = rule.train_batches or 1, rule.train_per_class
    size = (rule.train_rows or n_samples) // batches
    codes = np.unique(dataset.y)
    starts = range(0, min(rule.folds, batches) * size, size)
    # The least number of rows of each class in a part.
    least = np.min([(dataset.y[i : i + size, None] == codes).sum(axis=0) for i in starts], axis=0)
    most = int(least.min())
    if rule.train_rows is None:
        # At least one row is left to test on.
        most = min(most, (n_samples - 1) // len(codes))
    if most >= wanted:
        return
    what = "no row left to test on with"
    if least.min() < wanted:
        first = int(np.argmax(least < wanted))
        rows = counted(int(least[first]), "training row")
        what = f"{rows} of the class {_class_name(dataset, codes[first])}, fewer than"
    remedy = f"set it to at most {most:,}" if most else "leave classes out that have too few rows"
    raise DataError(f"{name} has {what} train_per_class: {wanted:,}; {remedy}")


def notes_on(experiment: Experiment, dataset: Dataset) -> list[str]:
    """Return a sentence for each thing about a data set that can be run but may not be meant."""
    if experiment.splits is not None:
        return _notes_on_given_rows(experiment, dataset)
    if dataset.task != "classification":
        return []
    codes, counts = np.unique(dataset.y, return_counts=True)
    rare = [
        f"{_class_name(dataset, code)} ({counted(int(count), 'row')})"
        for code, count in zip(codes, counts, strict=True)
        if count < experiment.folds
    ]
    if not rare:
        return []
    classes, them = ("class", "it") if len(rare) == 1 else ("classes", "them")
    return [
        f"data set '{dataset.name}' has fewer rows than {experiment.folds} folds of the {classes} "
        f"{listing(rare, 5)}: some test folds have none of {them}; set folds lower, or leave such "
        "rows out"
    ]


def _notes_on_given_rows(experiment: Experiment, dataset: Dataset) -> list[str]:
    """Return what :func:`notes_on` does of given training and test rows; nothing of others."""
    rule = experiment.split_rule(dataset.name, dataset.task)
    # Random splits and samples of each class have training rows of every class.
    if rule.split != "given" or rule.train_rows is None or rule.train_per_class is not None:
        return []
    notes = []
    n_splits = rule.folds * len(experiment.split_seed_list)
    if rule.train_batches is None and n_splits > 1:
        notes.append(
            f"data set '{dataset.name}' has one given division: its {n_splits:,} splits have the "
            "same rows"
        )
    if dataset.task != "classification":
        return notes
    size = rule.train_rows // (rule.train_batches or 1)
    tested = np.unique(dataset.y[rule.train_rows :])
    for split in range(rule.folds if rule.train_batches else 1):
        trained = dataset.y[split * size : (split + 1) * size]
        names = [_class_name(dataset, code) for code in np.setdiff1d(tested, trained)]
        if names:
            classes, have = ("class", "has") if len(names) == 1 else ("classes", "have")
            notes.append(
                f"data set '{dataset.name}': {classes} {listing(names, 5)} {have} test rows but no "
                f"training row in split {split}"
            )
    return notes


def _class_name(dataset: Dataset, code: int) -> str:
    return repr(dataset.classes[code]) if dataset.classes else str(code)


def unused_settings(experiment: Experiment) -> list[str]:
    """Return a sentence for each key that is given and has no effect in this experiment."""
    tasks = {request.task for request in experiment.requests()}
    unused = {}
    if experiment.units == "original" and "regression" not in tasks:
        unused["units"] = "no data set is for regression"
    if "curves" in experiment.model_fields_set and experiment.curves and tasks == {"regression"}:
        unused["curves"] = (
            "all data sets are for regression, and learning curves are of classifiers"
        )
    return [
        f"{experiment.where(key, key=True)}: {key} has no effect: {why}"
        for key, why in unused.items()
    ]


def leaf_count(method: ResolvedMethod) -> int | None:
    """Return 2**depth for a method that always grows the complete tree, None for any other."""
    if not method.estimator.startswith("boostbench.trees"):
        return None
    depth = build(method.estimator, method.params, 0).get_params(deep=False).get("depth")
    return 2**depth if isinstance(depth, int) else None


def unavailable_methods(methods: Sequence[ResolvedMethod]) -> dict[str, str]:
    """Return why a method cannot run on this machine, by label; its trials would be skipped."""
    reasons = {m.label: unavailable(m.estimator) for m in methods}
    return {label: reason for label, reason in reasons.items() if reason}
