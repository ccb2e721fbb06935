"""From an import path to an estimator: the import, its parameters, the task that it declares."""

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metaestimators import _BaseComposition

from boostbench.errors import ConfigError, first_line
from boostbench.importing import import_quietly, installed_version
from boostbench.papers.metrics import METRICS
from boostbench.suggest import did_you_mean, listing

# The plan and the engine set these, so that every method gets the same seeds and one thread.
_RESERVED = {
    "random_state": "it comes from each trial's seed; see 'seeds'",
    "n_jobs": "each trial runs on one thread; see the option --jobs",
}


class ParameterError(ConfigError):
    """A parameter that an estimator does not take; ``parameter`` is its name where known.

    ``key`` is that of the method's entry which has it, where only one can be meant.
    """

    def __init__(self, message: str, parameter: str | None = None, key: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.key = key


def import_from(path: str, what: str) -> Any:
    """Return what lies at ``package.module:name`` or ``package.module.name``, named as ``what``.

    Raises ConfigError if it cannot be imported.
    """
    module_name, name = module_of(path), path_parts(path)[-1]
    if not module_name or not all(part.isidentifier() for part in path_parts(path)):
        raise ConfigError(
            f"'{path}' is not an import path; give one such as sklearn.linear_model.Ridge"
        )
    try:
        module = import_quietly(module_name)
    except Exception as error:
        why = first_line(error)
        if isinstance(error, ModuleNotFoundError):
            why = f"there is no module '{error.name}'"
        raise ConfigError(f"the {what} {path} cannot be imported: {why}") from error
    found = getattr(module, name, None)
    if found is None:
        names = [key for key in dir(module) if not key.startswith("_")]
        raise ConfigError(f"the module {module_name} has no '{name}'{did_you_mean(name, names)}")
    return found


def import_estimator(path: str) -> Any:
    """Return what lies at an import path.

    It is an estimator class (``fit``, ``predict``, ``get_params``), a function that returns an
    estimator, or an estimator itself, which trials clone.

    Raises ConfigError if it cannot be imported or is none of these.
    """
    found = import_from(path, "estimator")
    lacking = [key for key in ("fit", "predict", "get_params") if not hasattr(found, key)]
    if lacking and not is_factory(found):
        what = "" if inspect.isclass(found) else f" (its type is {type(found).__name__})"
        raise ConfigError(
            f"{path} is not an estimator class, an estimator, or a function that returns one: "
            f"it lacks {listing(lacking)}{what}"
        )
    return found


def load_scorer(name: str) -> Callable[[Any, Any, Any], Any]:
    """Return the function of (fitted estimator, X_test, y_test) that ``name`` means.

    ``name`` is that of a scorer of scikit-learn, or ``module:function``. Raises ConfigError where
    there is none.
    """
    if ":" in name:
        found = import_from(name, "metric")
        if not callable(found):
            raise ConfigError(f"the metric {name} is not a function")
    else:
        try:
            found = get_scorer(name)
        except ValueError:
            raise ConfigError(
                f"no metric '{name}'{did_you_mean(name, [*METRICS, *get_scorer_names()])}; give "
                f"{', '.join(METRICS)}, a scorer of scikit-learn or module:function"
            ) from None
    scorer: Callable[[Any, Any, Any], Any] = found
    return scorer


def is_factory(found: Any) -> bool:
    """Whether ``found`` is a function that returns an estimator rather than one itself."""
    return inspect.isroutine(found) or isinstance(found, functools.partial)


def module_of(path: str) -> str:
    """Return the module in an import path, empty where it names none."""
    return path.partition(":")[0] if ":" in path else path.rpartition(".")[0]


def path_parts(path: str) -> list[str]:
    """Return the names in an import path."""
    return path.replace(":", ".").split(".")


def default_params(estimator: str) -> tuple[dict[str, Any], bool]:
    """Return the parameters that the estimator names, and whether it takes others as well.

    Each has its default, or ``inspect.Parameter.empty`` where it must be given. Raises ConfigError
    if the estimator cannot be imported.
    """
    found: Any = import_estimator(estimator)
    if not inspect.isclass(found) and not is_factory(found):
        return found.get_params(deep=True), False
    try:
        parameters = inspect.signature(found).parameters.values()
    except ValueError:
        return {}, True
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {p.name: p.default for p in parameters if p.kind not in several}
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)


def known_parameters(estimator: str) -> list[str]:
    """Return the parameters that the estimator names, in its signature or by ``get_params``."""
    named, takes_others = default_params(estimator)
    try:
        return list(import_estimator(estimator)().get_params() if takes_others else named)
    except Exception:  # a user's own code may raise anything
        return []


def validate_params(estimator: str, params: Mapping[str, Any]) -> None:
    """Check parameters before any trial is run.

    Raises ParameterError on a name that the estimator lacks (with the nearest that it has), on
    ``random_state`` and ``n_jobs``, and on a value that the estimator itself refuses where it can
    say so before ``fit`` (scikit-learn's constraints).
    """
    named, takes_others = default_params(estimator)
    short = path_parts(estimator)[-1]
    for name in params:
        if name in _RESERVED:
            raise ParameterError(f"the parameter '{name}' cannot be set: {_RESERVED[name]}", name)
        if not takes_others and name not in named:
            allowed = [n for n in named if n not in _RESERVED]
            raise ParameterError(
                f"{short} has no parameter '{name}'{did_you_mean(name, allowed)}; "
                f"it has {listing(allowed) or 'none'}",
                name,
            )
    try:
        instance = build(estimator, params, random_state=0)
        if hasattr(instance, "_parameter_constraints"):
            instance._validate_params()
        if inspect.isclass(import_estimator(estimator)) and isinstance(instance, _BaseComposition):
            raise TypeError(
                f"{short} is made of other estimators, which a file cannot hold: write a function "
                "that returns it, such as make_model in mymodule.py beside the file, and give "
                "estimator: mymodule:make_model"
            )
    except Exception as error:  # a user's own code may raise anything
        # scikit-learn's sentence: "The 'depth' parameter of Tree must be an int in ... Got 0 ...".
        said = re.search(r"[Tt]he '(\w+)' parameter", str(error))
        raise ParameterError(
            " ".join(str(error).split()) or type(error).__name__, said[1] if said else None
        ) from error


def package_version(estimator: str) -> str:
    """Return ``PACKAGE VERSION`` of the package that an estimator comes from."""
    package = path_parts(estimator)[0]
    version = getattr(importlib.import_module(package), "__version__", "")
    return f"{package} {version or installed_version(package)}".rstrip()


def unavailable(estimator: str) -> str | None:
    """Return why the estimator cannot run on this machine, or None if it can.

    Asked of the estimator's class method ``unavailable() -> str | None``, where it has one.
    """
    try:
        ask = getattr(import_estimator(estimator), "unavailable", None)
    except ConfigError as error:
        return str(error)
    reason: str | None = ask() if callable(ask) else None
    return reason


def build(estimator: str, params: Mapping[str, Any], random_state: int | None) -> Any:
    """Return a new estimator; ``random_state`` and one thread are set where it takes them.

    What a function returned, and the clone of an estimator, gets both in its nested estimators too,
    such as the steps of a pipeline, wherever ``random_state`` is None.
    Raises TypeError where a function returned something else than an estimator.
    """
    found: Any = import_estimator(estimator)
    if inspect.isclass(found) or is_factory(found):
        named, _ = default_params(estimator)
        known = {"random_state": random_state, "n_jobs": 1}
        instance = found(**params, **{key: known[key] for key in known if key in named})
        lacking = [key for key in ("fit", "predict") if not hasattr(instance, key)]
        if lacking and is_factory(found):
            raise TypeError(
                f"{path_parts(estimator)[-1]} returned an object of type "
                f"{type(instance).__name__}, which is not an estimator: it lacks {listing(lacking)}"
            )
    else:
        instance = clone(found).set_params(**params)
    # What a class nests by default is that of all its objects.
    deep = not inspect.isclass(found)
    current = instance.get_params(deep=deep) if hasattr(instance, "get_params") else {}
    last = {name: name.rpartition("__")[2] for name in current}
    seeds = {n for n in current if last[n] == "random_state" and current[n] is None}
    ours: dict[str, Any] = dict.fromkeys(seeds, random_state)
    ours |= {n: 1 for n in current if last[n] == "n_jobs"}
    if ours and hasattr(instance, "set_params"):
        instance.set_params(**ours)
    return instance


def has_stages(estimator: str, params: Mapping[str, Any]) -> bool:
    """Whether the estimator can predict as it was after each iteration (``staged_predict``)."""
    return hasattr(build(estimator, params, random_state=0), "staged_predict")


def task_of(estimator: str, params: Mapping[str, Any]) -> str | None:
    """Return ``regression`` or ``classification``, or None where the estimator does not say."""
    try:
        instance = build(estimator, params, random_state=0)
        if is_regressor(instance):
            return "regression"
        return "classification" if is_classifier(instance) else None
    except Exception:
        # An estimator that knows nothing of tags does not say.
        return None
