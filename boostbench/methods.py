"""From a method's name to an estimator: the registry, and the import of any other estimator.

Packages add methods through the entry-point group ``boostbench.methods``: each entry point, named
as the method, loads to a :class:`Method`.
"""

import importlib
import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from boostbench.errors import ConfigError
from boostbench.importing import import_quietly
from boostbench.suggest import did_you_mean, listing


class ParameterError(ConfigError):
    """A parameter that an estimator does not take; ``parameter`` is its name where known."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


ENTRY_POINT_GROUP = "boostbench.methods"

# The plan and the engine set these, so that every method gets the same seeds and one thread.
_RESERVED = {
    "random_state": "it comes from each trial's seed; see 'seeds'",
    "n_jobs": "each trial runs on one thread; see the option --jobs",
}


@dataclass(frozen=True)
class Method:
    """A registered method: an estimator with the parameters that make it this method.

    ``version`` is part of every trial's key: raise it when a change of code changes results.
    """

    name: str
    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    task: str = "regression"
    version: str = "1"
    title: str = ""
    description: str = ""

    def requires(self) -> str | None:
        """Return why the method cannot run here, or None if it can."""
        return unavailable(self.estimator, self.params)


@dataclass(frozen=True)
class ResolvedMethod:
    """A method of an experiment with everything that determines its results."""

    label: str
    estimator: str
    version: str
    params: Mapping[str, Any]
    choose: Mapping[str, Sequence[Any]] = field(default_factory=dict)


class Entry(Protocol):
    """What an experiment says of a method: either ``method`` or ``estimator`` is given."""

    @property
    def name(self) -> str: ...
    @property
    def method(self) -> str | None: ...
    @property
    def estimator(self) -> str | None: ...
    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def choose(self) -> Mapping[str, Sequence[Any]]: ...


_SRT = "boostbench.trees:SoftRegressionTree"
_ORRT = "boostbench.trees:RandomizedRegressionTree"
_BEST_OF_5 = {"n_restarts": 5, "max_iter": 15}

_BUILTIN = {
    method.name: method
    for method in [
        Method("srt", _SRT, title="SRT", description="Soft regression tree, one start."),
        Method(
            "srt_l2",
            _SRT,
            {"regularization": "l2"},
            title="SRT-l2",
            description="Soft regression tree with l2 regularization, one start.",
        ),
        Method(
            "srt_best5",
            _SRT,
            _BEST_OF_5,
            title="SRT, best of 5",
            description="Soft regression tree, the best of five starts by the training objective.",
        ),
        Method(
            "srt_l2_best5",
            _SRT,
            {"regularization": "l2", **_BEST_OF_5},
            title="SRT-l2, best of 5",
            description="Soft regression tree with l2, the best of five starts by the objective.",
        ),
        Method(
            "srt_l2_literal",
            _SRT,
            {"regularization": "l2", "penalty_scaling": "mean"},
            title="SRT-l2, literal",
            description="Soft regression tree, (7) as printed: penalties beside the mean loss.",
        ),
        Method(
            "orrt",
            _ORRT,
            title="ORRT",
            description="Randomized regression tree as published (mu = 512, weights in [-1, 1]).",
        ),
        Method(
            "orrt_trained",
            _ORRT,
            {"mu": 1.0, "branch_bound": None, "objective_scaling": "sum", "max_iter": 100},
            title="ORRT, trained",
            description="Randomized regression tree trained well (mu = 1, no bounds).",
        ),
        Method(
            "random_forest",
            "boostbench.trees:ForestRegressor",
            title="Random forest",
            description="scikit-learn's forest, set near the defaults of R's randomForest.",
        ),
        Method(
            "random_forest_r",
            "boostbench.trees:RForestRegressor",
            title="Random forest (R)",
            description="R's own randomForest, where it is installed.",
        ),
        Method(
            "multiboost_cw",
            "boostbench.boosting:MultiBoostCW",
            version="3",
            task="classification",
            title="MultiBoost-cw",
            description="MultiBoost with weak learners for each class, by fast coordinate descent.",
        ),
        Method(
            "multiboost_cw1",
            "boostbench.boosting:MultiBoostCW",
            {"stagewise": True, "C": 1e8},
            task="classification",
            title="MultiBoost-cw-1",
            description="MultiBoost-cw, stage-wise: one sweep over the new weak learners, C = 1e8.",
        ),
        Method(
            "multiboost",
            "boostbench.boosting:MultiBoost",
            version="3",
            task="classification",
            title="MultiBoost",
            description="MultiBoost (Shen and Hao): shared weak learners, by L-BFGS-B.",
        ),
        Method(
            "adaboost_mh",
            "boostbench.boosting:AdaBoostMH",
            task="classification",
            title="AdaBoost.MH",
            description="AdaBoost on the Hamming loss, one stump an iteration for all classes.",
        ),
        Method(
            "adaboost_mo",
            "boostbench.boosting:AdaBoostMO",
            task="classification",
            title="AdaBoost.MO",
            description="AdaBoost on the bits of an output code, one stump a bit and iteration.",
        ),
        Method(
            "adaboost_ecc",
            "boostbench.boosting:AdaBoostECC",
            version="2",
            task="classification",
            title="AdaBoost.ECC",
            description="AdaBoost with a random split of the classes in each iteration.",
        ),
    ]
}


def builtin_method_names() -> list[str]:
    """Return the names of the methods that come with boostbench."""
    return list(_BUILTIN)


def method_names() -> list[str]:
    """Return the names of all registered methods, those of other packages last."""
    return [*_BUILTIN, *sorted(set(_entry_points()) - set(_BUILTIN))]


@cache
def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def get_method(name: str) -> Method:
    """Return the registered method.

    Raises ConfigError if there is none of that name or its package cannot be imported.
    """
    if name in _BUILTIN:
        return _BUILTIN[name]
    point = _entry_points().get(name)
    if point is None:
        names = method_names()
        raise ConfigError(
            f"no method '{name}'{did_you_mean(name, names)}; the methods are {listing(names)}"
        )
    try:
        method = point.load()
    except Exception as error:
        raise ConfigError(
            f"the method '{name}' ({point.value}) cannot be imported: {_first_line(error)}"
        ) from error
    if not isinstance(method, Method):
        raise ConfigError(
            f"the entry point '{name}' ({point.value}) must be a boostbench.methods.Method, "
            f"not a {type(method).__name__}"
        )
    return method


def resolve(entry: Entry, defaults: Mapping[str, Any]) -> ResolvedMethod:
    """Return what an experiment's method entry stands for.

    For a registered method, weakest first: ``defaults`` (those that its estimator has), the
    method's presets, the entry's ``params``. For an ``estimator`` the entry's ``params`` alone.
    What the entry has among ``choose`` is in ``choose`` only.

    Raises ConfigError on an unknown method, an estimator that cannot be imported, and parameters
    that :func:`validate_params` refuses; so is a parameter that is given and to be chosen too, or
    a value to choose from that is there twice.
    """
    if entry.method is None:
        if entry.estimator is None:
            raise ConfigError(f"the method '{entry.name}' has neither a method nor an estimator")
        estimator, version = entry.estimator, None
        params = dict(entry.params)
    else:
        method = get_method(entry.method)
        estimator, version = method.estimator, method.version
        names = parameter_names(estimator)
        given = {k: v for k, v in defaults.items() if names is None or k in names}
        params = {**given, **method.params, **entry.params}
    validate_params(estimator, params)
    for name, values in entry.choose.items():
        _validate_choice(entry, estimator, params, name, values)
    params = {name: value for name, value in params.items() if name not in entry.choose}
    choose = {name: list(values) for name, values in entry.choose.items()}
    version = package_version(estimator) if version is None else version
    return ResolvedMethod(entry.name, estimator, version, params, choose)


def _validate_choice(
    entry: Entry, estimator: str, params: Mapping[str, Any], name: str, values: Sequence[Any]
) -> None:
    if name in entry.params:
        raise ParameterError(
            f"the parameter '{name}' is given in params and to be chosen; leave one of them out",
            name,
        )
    for i, value in enumerate(values):
        validate_params(estimator, {**params, name: value})
        if value in values[:i]:
            raise ParameterError(f"{value!r} is there twice to choose '{name}' from", name)


def import_estimator(path: str) -> type[Any]:
    """Return the class at ``package.module:Class`` or ``package.module.Class``.

    Raises ConfigError if it cannot be imported or is no estimator class (fit, predict, get_params).
    """
    module_name, colon, name = path.partition(":")
    if not colon:
        module_name, _, name = path.rpartition(".")
    if not module_name or not name or not all(part.isidentifier() for part in path_parts(path)):
        raise ConfigError(
            f"'{path}' is not an import path; give one such as sklearn.linear_model.Ridge"
        )
    try:
        module = import_quietly(module_name)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the estimator {path} cannot be imported: there is no module '{error.name}'"
        ) from error
    except Exception as error:
        raise ConfigError(
            f"the estimator {path} cannot be imported: {_first_line(error)}"
        ) from error
    found = getattr(module, name, None)
    if found is None:
        names = [key for key in dir(module) if key[0].isupper()]
        raise ConfigError(f"the module {module_name} has no '{name}'{did_you_mean(name, names)}")
    lacking = [key for key in ("fit", "predict", "get_params") if not hasattr(found, key)]
    if not inspect.isclass(found) or lacking:
        what = f"it lacks {listing(lacking)}" if lacking else "it is not a class"
        raise ConfigError(f"{path} is not a scikit-learn estimator class: {what}")
    return found


def path_parts(path: str) -> list[str]:
    """Return the names in an import path."""
    return path.replace(":", ".").split(".")


def parameter_names(estimator: str) -> list[str] | None:
    """Return the parameters that the estimator takes, or None if it takes any name."""
    try:
        signature = inspect.signature(import_estimator(estimator))
    except ValueError:
        return None
    parameters = signature.parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]


def validate_params(estimator: str, params: Mapping[str, Any]) -> None:
    """Check parameters before any trial is run.

    Raises ParameterError on a name that the estimator lacks (with the nearest that it has), on
    ``random_state`` and ``n_jobs``, on a value that is not plain JSON, and on a value that the
    estimator itself refuses where it can say so before ``fit`` (scikit-learn's constraints).
    """
    names = parameter_names(estimator)
    short = path_parts(estimator)[-1]
    for name, value in params.items():
        if name in _RESERVED:
            raise ParameterError(f"the parameter '{name}' cannot be set: {_RESERVED[name]}", name)
        if names is not None and name not in names:
            allowed = [n for n in names if n not in _RESERVED]
            raise ParameterError(
                f"{short} has no parameter '{name}'{did_you_mean(name, allowed)}; "
                f"it has {listing(allowed) or 'none'}",
                name,
            )
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise ParameterError(
                f"the parameter '{name}' of {short} must be a plain finite value, not {value!r}",
                name,
            ) from None
    try:
        instance = build(estimator, params, random_state=0)
        if hasattr(instance, "_parameter_constraints"):
            instance._validate_params()
    except (TypeError, ValueError) as error:
        # scikit-learn's sentence: "The 'depth' parameter of Tree must be an int in ... Got 0 ...".
        named = re.search(r"[Tt]he '(\w+)' parameter", str(error))
        raise ParameterError(
            " ".join(str(error).split()) or type(error).__name__, named[1] if named else None
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def package_version(estimator: str) -> str:
    """Return ``PACKAGE VERSION`` of the package that an estimator comes from."""
    package = path_parts(estimator)[0]
    version = getattr(importlib.import_module(package), "__version__", "")
    return f"{package} {version}".rstrip()


def unavailable(estimator: str, params: Mapping[str, Any] | None = None) -> str | None:
    """Return why the estimator cannot run on this machine, or None if it can.

    Asked of the estimator's class method ``unavailable() -> str | None``, where it has one.
    """
    del params
    try:
        found = import_estimator(estimator)
    except ConfigError as error:
        return str(error)
    ask = getattr(found, "unavailable", None)
    return ask() if callable(ask) else None


def build(estimator: str, params: Mapping[str, Any], random_state: int | None) -> Any:
    """Return a new estimator; ``random_state`` and one thread are set where it takes them."""
    found = import_estimator(estimator)
    names: Iterable[str] | None = parameter_names(estimator)
    if names is None:
        names = found().get_params(deep=False)
    extra: dict[str, Any] = {}
    if "random_state" in names:
        extra["random_state"] = random_state
    if "n_jobs" in names:
        extra["n_jobs"] = 1
    return found(**{**params, **extra})


def has_stages(estimator: str) -> bool:
    """Whether the estimator can predict as it was after each iteration (``staged_predict``)."""
    return hasattr(import_estimator(estimator), "staged_predict")


def task_of(estimator: str) -> str | None:
    """Return ``regression`` or ``classification``, or None where the estimator does not say."""
    from sklearn.base import is_classifier, is_regressor

    try:
        instance = import_estimator(estimator)()
    except TypeError:
        return None
    if is_regressor(instance):
        return "regression"
    return "classification" if is_classifier(instance) else None
