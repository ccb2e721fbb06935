"""Checks that an experiment makes sense, before the first trial is run."""

import contextlib
import hashlib
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from boostbench.config.model import Experiment
from boostbench.config.splits import DatasetSplits, Splits
from boostbench.data.class_labels import Untrained, rare_classes
from boostbench.data.dataset import Dataset, is_constant, labels_of
from boostbench.data.prepare import prepare_split
from boostbench.data.problems import yaml_list
from boostbench.data.request import DataRequest, known_fingerprint
from boostbench.data.splits import Split, SplitRule, split_indices
from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.estimators import (
    RefusedParameterError,
    build,
    default_params,
    load_scorer,
    params_of,
    unavailable,
)
from boostbench.methods import ResolvedMethod, get_method, resolve
from boostbench.papers.metrics import needs_spread
from boostbench.plan.division import Division, check_order, division_of
from boostbench.plan.method_check import check_scorer, refuse_taken_name, what_methods_cannot_take
from boostbench.plan.rows import check_columns
from boostbench.plan.splitters import check_splitter
from boostbench.suggest import counted, did_you_mean, listing
from boostbench.user_code import is_installed, own_sources, taken_name
from boostbench.values import Params

_TRIED_SEEDS = 20

_added_to_path: list[str] = []


def import_from_folder_of(experiment: Experiment) -> None:
    """Put the experiment file's folder on the import path, before other folders.

    The folder comes last if one of its modules would hide a module of Python or an installed
    package. The folder of an earlier call is removed.
    """
    folder = None if experiment.folder is None else str(experiment.folder)
    while _added_to_path:
        with contextlib.suppress(ValueError):
            sys.path.remove(_added_to_path.pop())
    if folder is None:
        return
    tops = {path.stem for path in Path(folder).glob("*.py")}
    tops |= {path.parent.name for path in Path(folder).glob("*/__init__.py")}
    hides = any(map(is_installed, tops))
    if not (hides and folder in sys.path):
        sys.path.insert(len(sys.path) if hides else 0, folder)
        _added_to_path.append(folder)


def check_experiment(experiment: Experiment) -> list[ResolvedMethod]:
    """Import the methods, check their parameters and the cards, and return the resolved methods.

    The experiment file's folder is made importable, so that a user's own estimators can lie beside
    the file. No data are read.

    Raises ConfigError, a line for each complaint, each with its place in the file.
    """
    import_from_folder_of(experiment)
    complaints: list[str] = []
    resolved: list[ResolvedMethod] = []
    for i, entry in enumerate(experiment.methods):
        try:
            refuse_taken_name(experiment, entry.estimator)
            resolved.append(resolve(entry, experiment.defaults))
        except RefusedParameterError as error:
            complaints.append(f"{_parameter_place(experiment, i, error)}: {error}")
        except ConfigError as error:
            key = "method" if entry.estimator is None else "estimator"
            hint = _taken_imports(experiment, entry.estimator)
            complaints.append(f"{experiment.where('methods', i, key)}: {error}{hint}")
    complaints += _unused_defaults(experiment)
    complaints += _splitters(experiment)
    complaints += _tasks(experiment, resolved if not complaints else [])
    if not complaints:
        complaints += what_methods_cannot_take(experiment, resolved)
    if complaints:
        raise ConfigError("\n".join(dict.fromkeys(complaints)))
    return resolved


def _splitters(experiment: Experiment) -> list[str]:
    """Return the errors in the splitters that the experiment and its data sets name."""
    places: list[tuple[tuple[str | int, ...], DatasetSplits | Splits | None]] = [
        (("splits",), experiment.splits)
    ]
    places += [
        (("datasets", i, "splits"), entry.splits) for i, entry in enumerate(experiment.datasets)
    ]
    complaints = []
    for place, splits in places:
        if splits is None or splits.splitter is None:
            continue
        try:
            refuse_taken_name(experiment, splits.splitter)
            check_splitter(splits.splitter, splits.params, experiment.split_seed_list)
        except RefusedParameterError as error:
            where = experiment.where(*place, "params", str(error.parameter))
            complaints.append(f"{where}: {error}")
        except ConfigError as error:
            complaints.append(f"{experiment.where(*place, 'splitter')}: {error}")
    return complaints


def _taken_imports(experiment: Experiment, path: str | None) -> str:
    """Return as a hint which files beside the experiment an estimator imports in vain."""
    if path is None or experiment.folder is None:
        return ""
    tops = [file.stem for name, file in own_sources(path).files.items() if "/" not in name]
    taken = [taken_name(top, experiment.folder) for top in tops]
    return "".join(f"; {text}" for text in taken if text)


def _parameter_place(experiment: Experiment, i: int, error: RefusedParameterError) -> str:
    parameter = error.parameter
    for key in ("choose", "params", "choose_with") if error.key is None else (error.key,):
        if parameter is not None and parameter in getattr(experiment.methods[i], key):
            return experiment.where("methods", i, key, parameter)
    if parameter in experiment.defaults:
        return experiment.where("defaults", parameter)
    return experiment.where("methods", i)


def _unused_defaults(experiment: Experiment) -> list[str]:
    known: set[str] = set()
    for entry in experiment.methods if experiment.defaults else ():
        if entry.method is not None:
            named, takes_others = default_params(get_method(entry.method).estimator)
            known |= set(experiment.defaults) if takes_others else set(named)
    return [
        f"{experiment.where('defaults', name, key=True)}: no registered method of this experiment "
        f"has the parameter '{name}'{did_you_mean(name, sorted(known))}"
        for name in experiment.defaults
        if name not in known
    ]


def _tasks(experiment: Experiment, resolved: Sequence[ResolvedMethod]) -> list[str]:
    complaints = []
    requests: list[DataRequest] = []
    for i, entry in enumerate(experiment.datasets):
        keys = ["target", "per_class", "card"]
        try:
            request = experiment.request(entry)
            known_fingerprint(request)
            keys = ["splits"]
            experiment.split_rule(request.name, request.task)
            requests.append(request)
        except BoostbenchError as error:
            key = next((key for key in keys if key in str(error)), keys[-1])
            complaints.append(f"{experiment.where('datasets', i, key)}: {error}")
    if complaints:
        return complaints
    complaints += _metrics(experiment, requests)
    for i, method in enumerate(resolved):
        name = experiment.methods[i].method
        task = get_method(name).task if name else task_of(method.estimator, method.some_params)
        for request in requests:
            if task is not None and request.task != task:
                hint = f", as it does not say; add 'task: {task}' to it"
                complaints.append(
                    f"{experiment.where('methods', i)}: '{method.label}' is a {task} method, "
                    f"but the data set '{request.name}' is for {request.task}"
                    f"{hint if request.assumed_task else ''}"
                )
                break
    return complaints


def task_of(estimator: str, params: Params) -> str | None:
    """Return ``regression`` or ``classification``, or None where the estimator has no such tag."""
    # An estimator may have no tags at all.
    with contextlib.suppress(Exception):
        from sklearn.utils import get_tags

        kind = get_tags(build(estimator, params, random_state=0)).estimator_type
        return {"regressor": "regression", "classifier": "classification"}.get(kind)
    return None


def place_of_metric(experiment: Experiment, name: str) -> tuple[str | int, ...]:
    """Return the keys under which the experiment asks for a metric, or its paper's."""
    asked = [entry.name for entry in experiment.metrics]
    if name in asked:
        return "metrics", asked.index(name)
    return ("metric",) if name == experiment.metric else ("paper",)


def _metrics(experiment: Experiment, requests: Sequence[DataRequest]) -> list[str]:
    """Return the errors in the metrics that the experiment or its paper asks for."""
    complaints = []
    for name, metric in experiment.asked_metrics.items():
        place = place_of_metric(experiment, name)
        others = [one for one in requests if metric.task not in ("", one.task)]
        try:
            if others and place != ("paper",):
                raise ConfigError(
                    f"{name} is for {metric.task}, but the data set '{others[0].name}' is for "
                    f"{others[0].task}"
                )
            if not metric.is_measured and place != ("paper",):
                raise ConfigError(
                    f"no run can have '{name}': the paper declares it without a function; give it "
                    "one there by `of`, or judge runs that have it: boostbench verify TABLE.csv"
                )
            check_scorer(experiment, metric.function)
        except ConfigError as error:
            complaints.append(f"{experiment.where(*place)}: {error}")
    return complaints


def check_positive(experiment: Experiment, dataset: Dataset) -> None:
    """Check the positive class of a loaded data set.

    Raises ConfigError where it is none of two classes, and where there is none though scorers of
    scikit-learn that the experiment asks for need it.
    """
    number = experiment.dataset_names.index(dataset.name)
    place = experiment.where("datasets", number, "positive")
    positive, classes = experiment.positive(dataset.name), dataset.classes
    if positive:
        _check_named_positive(positive, dataset, place)
    elif len(classes) == 2:
        asked = {name: metric.function for name, metric in experiment.asked_metrics.items()}
        undecided = [name for name, scorer in asked.items() if _needs_positive(scorer, classes)]
        if undecided:
            first, second = (f"'positive: {yaml_list([label])[1:-1]}'" for label in classes)
            raise ConfigError(
                f"{place}: {listing(undecided)} {'needs' if len(undecided) == 1 else 'need'} the "
                f"positive one of the classes {' and '.join(map(repr, classes))} of the data set "
                f"'{dataset.name}': add {second} or {first} to it"
            )


def _check_named_positive(positive: str, dataset: Dataset, place: str) -> None:
    """Raise ConfigError unless the positive class is one of two."""
    classes = dataset.classes
    if len(classes) != 2:
        raise ConfigError(
            f"{place}: 'positive' is for two classes, but the data set '{dataset.name}' has "
            f"{len(classes) or 'none'}"
        )
    if positive not in classes:
        raise ConfigError(
            f"{place}: the data set '{dataset.name}' has no class {positive!r}; its classes are "
            f"{' and '.join(map(repr, classes))}"
        )


def _needs_positive(function: str, classes: Sequence[str]) -> bool:
    """Return whether a scorer of scikit-learn refuses two classes of which none is positive."""
    if not function or ":" in function:
        return False
    from sklearn.dummy import DummyClassifier

    X, y = np.zeros((2, 1)), labels_of(classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load_scorer(function)(DummyClassifier(strategy="prior").fit(X, y), X, y)
        except Exception as error:  # a scorer that is not for classes may raise anything
            return "pos_label" in str(error)
    return False


def check_dataset(
    experiment: Experiment, dataset: Dataset, methods: Sequence[ResolvedMethod]
) -> Division:
    """Check that a loaded data set can be split, scaled and fitted as the experiment requires.

    Return how its rows are divided. Raises DataError: more folds than rows, a training fold with
    fewer rows than a method's tree has leaves, a target that is constant on a training fold, or on
    a test fold where R2 or the like is shown, values that are not finite, two splits with the same
    rows.
    """
    division = division_of(experiment, dataset)
    if (card := experiment.card(dataset.name)) is not None:
        check_order(dataset, card, division.rule)
    rule, name = division.rule, f"data set '{dataset.name}'"
    shown = experiment.shown_metric(dataset.task)
    must_vary = dataset.task == "regression" and needs_spread(shown.function or shown.name)
    leaves = {method.label: n for method in methods if (n := leaf_count(method)) is not None}
    split_seeds = experiment.split_seeds_of(rule)
    known, untrained = dict[bytes, str](), Untrained(dataset)
    for split_seed, fold in product(split_seeds, range(rule.folds)):
        part = f"{'fold' if rule.makes_folds else 'split'} {fold}"
        train, test = split_of(division, dataset, split_seed, fold)
        own = division.names[fold]
        own += f" of split seed {split_seed}" if len(split_seeds) > 1 else ""
        _check_new(known, (train, test), own, name)
        check_columns(dataset, (train, test), own, name)
        untrained.add((train, test), own)
        _check_leaves(leaves, len(train), part, name)
        split = prepare_split(
            dataset, train, test, experiment.scale_features, experiment.scale_target
        )
        if must_vary and is_constant(split.y_test, dataset.task):
            raise DataError(
                f"{name} has one and the same target in the {counted(len(test), 'test row')} of "
                f"{part}, for which {shown.label} is not defined; show another metric, such as "
                f"'metric: mae', or {_ways_to_vary(experiment, dataset, division)}"
            )
        # Two folds of a large data set at a time would not fit into memory.
        del split
    rare = _rare_classes(dataset, rule)
    return replace(division, remarks=[*division.remarks, *rare, *untrained.sentences])


def _rare_classes(dataset: Dataset, rule: SplitRule) -> list[str]:
    """Return which classes have too few rows for a share in each fold, where folds have shares."""
    # Where one row is left out at a time, no fold has several classes.
    has_shares = rule.split == "stratified" and rule.folds < len(dataset.y)
    return rare_classes(dataset, rule.folds) if has_shares else []


def _check_leaves(leaves: Mapping[str, int], n_train: int, part: str, name: str) -> None:
    """Raise DataError where training rows are fewer than the ``leaves`` of a method, by label."""
    for label, n in leaves.items():
        if n_train < n:
            raise DataError(
                f"{name} has {n_train} training rows in {part}, fewer than the {n} "
                f"leaves of '{label}'; lower its depth or leave one of them out"
            )


def _ways_to_vary(experiment: Experiment, dataset: Dataset, division: Division) -> str:
    """Return how the test rows of each split may get different targets, as far as that is known."""
    rule = division.rule
    remedy = "have more test rows in each split"
    if division.rows or not rule.uses_split_seed or experiment.split_seeds is not None:
        return remedy
    for seed in range(_TRIED_SEEDS):
        tests = (split_of(division, dataset, seed, fold)[1] for fold in range(rule.folds))
        if not any(is_constant(dataset.y[test], dataset.task) for test in tests):
            return f"{remedy}, or set 'split_seed: {seed}'"
    return remedy


def split_of(division: Division, dataset: Dataset, split_seed: int, fold: int) -> Split:
    """Return the sorted row numbers (train, test) of one of the splits of a loaded data set.

    Raises DataError as :func:`boostbench.data.splits.split_indices` does.
    """
    return division.rows.get((split_seed, fold)) or split_indices(
        dataset.y,
        fold,
        division.rule,
        split_seed,
        stratify=dataset.task == "classification",
        test_rows=division.test_rows,
        name=f"data set '{dataset.name}'",
    )


def _check_new(known: dict[bytes, str], split: Split, own: str, name: str) -> None:
    """Add a split, called ``own``, to the ``known`` ones; DataError if it is one of them."""
    train, test = split
    rows = hashlib.sha256(train.tobytes() + b"|" + test.tobytes()).digest()
    if rows in known:
        raise DataError(
            f"{name}: {known[rows]} and {own} have the same training and test rows, which would "
            "count twice; leave one of them out, or have fewer splits"
        )
    known[rows] = own


def leaf_count(method: ResolvedMethod) -> int | None:
    """Return 2**depth for a method that always grows the complete tree, None for any other."""
    if not method.estimator.startswith("boostbench.trees"):
        return None
    depth = params_of(method.made()).get("depth")
    return 2**depth if isinstance(depth, int) else None


def unavailable_methods(methods: Sequence[ResolvedMethod]) -> dict[str, str]:
    """Return why a method cannot run on this machine, by label; its trials would be skipped."""
    return {m.label: why for m in methods if (why := unavailable(m.estimator))}
