"""From an import path to an estimator: the import, and its parameters.

scikit-learn, which takes a second to import, is imported where it is used: commands that only show
results, and the process that starts the workers, need none of it.
"""

import contextlib
import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, Self, SupportsFloat, TypeGuard

from boostbench.errors import ConfigError, first_line
from boostbench.importing import import_quietly
from boostbench.objects.names import readable
from boostbench.suggest import did_you_mean, listing
from boostbench.values import Params

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from boostbench.data.dataset import Features

# The plan and the engine set these, so that every method gets the same seeds and one thread.
_RESERVED = frozenset({"random_state", "n_jobs"})


class Estimator(Protocol):
    """What trials need of an estimator; whatever else it may have is looked for by name."""

    def fit(
        self,
        X: "Features",
        y: "NDArray[np.float64] | NDArray[np.int64]",
        /,
        **weights: "NDArray[np.float64]",
    ) -> "Estimator | None":
        """Fit it, and return it or nothing."""

    def predict(self, X: "Features", /) -> "ArrayLike":
        """Return a value or a label for each row."""


class Configurable(Protocol):
    """An object with parameters, as each estimator of scikit-learn is one."""

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters by name, with ``deep`` those of nested estimators too."""

    def set_params(self, **params: object) -> Self:
        """Set parameters and return the object."""


Scorer = Callable[[object, "ArrayLike", "ArrayLike"], SupportsFloat]
"""A function of a fitted estimator and test rows, as those of scikit-learn."""


class RefusedParameterError(ConfigError):
    """A parameter that an estimator does not take; ``parameter`` is its name where known.

    ``key`` is that of the method's entry which has it, where only one can be meant.
    """

    def __init__(self, message: str, parameter: str | None = None, key: str | None = None) -> None:
        super().__init__(message)
        self.parameter, self.key = parameter, key


def import_from(path: str, kind: str) -> object:
    """Return the object at ``package.module:name`` or ``package.module.name``.

    Raises ConfigError, which calls it ``kind``, if it cannot be imported.
    """
    module_name, name = module_of(path) or path, path_parts(path)[-1]
    try:
        module = import_quietly(module_name)
    except Exception as error:  # a module of the user may raise anything
        dotted = module_name.removesuffix(".py").removeprefix("./").replace("/", ".")
        hint = "" if dotted == module_name else f"; name the module: {dotted}:{name}"
        raise ConfigError(
            f"the {kind} {path} cannot be imported: {first_line(error)}{hint}"
        ) from error
    thing: object = getattr(module, name, None)
    if thing is None:
        raise ConfigError(
            f"the module {module_name} has no '{name}'{did_you_mean(name, dir(module))}"
        )
    return thing


def import_estimator(path: str) -> Configurable | Callable[..., object]:
    """Return the object at an import path.

    It is an estimator class, a function that returns an estimator, or an estimator itself, which
    trials clone.

    Raises ConfigError if it cannot be imported or is none of these.
    """
    thing = import_from(path, "estimator")
    if is_estimator_instance(thing) or callable(thing):
        return thing
    raise ConfigError(f"{path} is not an estimator, nor a class or function that returns one")


def load_scorer(name: str) -> Scorer:
    """Return the function of (fitted estimator, X_test, y_test) that ``name`` stands for.

    ``name`` is that of a scorer of scikit-learn, or ``module:function``. Raises ConfigError where
    there is none.
    """
    if ":" in name:
        function = import_from(name, "metric")
        if not callable(function):
            raise ConfigError(f"the metric {name} is not a function")
        return function
    from sklearn.metrics import get_scorer, get_scorer_names

    from boostbench.papers.metrics import METRICS

    try:
        scorer: Scorer = get_scorer(name)
    except ValueError:
        raise ConfigError(
            f"no metric '{name}'{did_you_mean(name, [*METRICS, *get_scorer_names()])}; give "
            f"{', '.join(METRICS)}, a scorer of scikit-learn or module:function"
        ) from None
    return scorer


def is_estimator_instance(thing: object) -> TypeGuard[Configurable]:
    """Return whether ``thing`` is an estimator itself, not a class or function that makes one."""
    return _has_params(thing) and not inspect.isclass(thing)


def _has_params(thing: object) -> TypeGuard[Configurable]:
    return hasattr(thing, "get_params")


def _is_estimator(thing: object) -> TypeGuard[Estimator]:
    return hasattr(thing, "fit") and hasattr(thing, "predict")


def module_of(path: str) -> str:
    """Return the module in an import path, empty where it names none."""
    return path.partition(":")[0] if ":" in path else path.rpartition(".")[0]


def path_parts(path: str) -> list[str]:
    """Return the names in an import path."""
    return path.replace(":", ".").split(".")


def default_params(estimator: str) -> tuple[dict[str, object], bool]:
    """Return the parameters that the estimator names, and whether it takes others as well.

    It names them in its signature, or by ``get_params``. Each has its default, or
    ``inspect.Parameter.empty`` where it must be given. Raises ConfigError if the estimator cannot
    be imported.
    """
    named, takes_others = _signature(estimator)
    if takes_others:
        with contextlib.suppress(Exception):  # a user's own code may raise anything
            maker = import_estimator(estimator)
            named |= params_of(maker()) if callable(maker) else {}
    return named, takes_others


def _signature(estimator: str) -> tuple[dict[str, object], bool]:
    maker = import_estimator(estimator)
    if is_estimator_instance(maker):
        return maker.get_params(deep=True), False
    assert callable(maker)
    try:
        parameters = inspect.signature(maker).parameters.values()
    except ValueError:
        return {}, True
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {p.name: p.default for p in parameters if p.kind not in several}
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)


def rounds_parameter(estimator: str) -> str:
    """Return the parameter with an estimator's number of boosting rounds, "" if it has none.

    The class names it as ``rounds_parameter``. A class that predicts after each round, by
    ``staged_predict``, has scikit-learn's ``max_iter`` or ``n_estimators``. Raises ConfigError if
    the estimator cannot be imported.
    """
    maker = import_estimator(estimator)
    if said := getattr(maker, "rounds_parameter", ""):
        return str(said)
    named = default_params(estimator)[0] if hasattr(maker, "staged_predict") else {}
    return next((name for name in ("max_iter", "n_estimators") if name in named), "")


def validate_params(estimator: str, params: Params) -> None:
    """Check parameters before any trial is run.

    Raises RefusedParameterError on a name that the estimator lacks (with the nearest that it has),
    on ``random_state`` and ``n_jobs``, and on a value that the estimator itself refuses where it
    can say so before ``fit`` (scikit-learn's constraints).
    """
    _check_names(estimator, params)
    _check_values(estimator, params)
    _check_effects(estimator, params)


def _check_names(estimator: str, params: Params) -> None:
    named, takes_others = default_params(estimator)
    for name in params:
        if name in _RESERVED:
            raise RefusedParameterError(
                f"the parameter '{name}' cannot be set: each trial has its own seed (see 'seeds') "
                "and one thread (see --jobs)",
                name,
            )
    if not takes_others:
        refuse_unknown(estimator, params, [name for name in named if name not in _RESERVED])


def refuse_unknown(path: str, params: Params, known: Sequence[str]) -> None:
    """Raise RefusedParameterError for all parameters of what ``path`` names but the ``known``."""
    if unknown := [name for name in params if name not in known]:
        parameters = "parameter" if len(unknown) == 1 else "parameters"
        shown = listing(f"'{name}'{did_you_mean(name, known)}" for name in unknown)
        raise RefusedParameterError(
            f"{path_parts(path)[-1]} has no {parameters} {shown}; it has "
            f"{listing(known) or 'none'}",
            unknown[0],
        )


def _check_values(estimator: str, params: Params) -> None:
    try:
        instance = build(estimator, params, random_state=0)
        if hasattr(instance, "_parameter_constraints") and hasattr(instance, "_validate_params"):
            instance._validate_params()
    except Exception as error:  # a user's own code may raise anything
        # scikit-learn's sentence: "The 'depth' parameter of Tree must be an int in ... Got 0 ...".
        key = next(iter(re.findall(r"[Tt]he '(\w+)' parameter", str(error))), None)
        raise RefusedParameterError(
            " ".join(str(error).split()) or type(error).__name__, key
        ) from error


def _check_effects(estimator: str, params: Params) -> None:
    """Raise RefusedParameterError for a value that an estimator object takes without effect."""
    maker = import_estimator(estimator)
    if not is_estimator_instance(maker):
        return
    for name, value in params.items():
        if _is_ignored(maker, name, value):
            made_by = type(maker)
            raise RefusedParameterError(
                f"'{name}' has no effect on {readable(estimator)}, which was built with another "
                "value: build it with this one, or name its class, such as "
                f"{made_by.__module__}:{made_by.__qualname__}, or a function that makes it",
                name,
            )


def _is_ignored(estimator: Configurable, name: str, value: object) -> bool:
    """Return whether an estimator object goes on with the value with which it was built.

    A constructor that does more than to store its arguments has used the old value; what it made
    of that is compared with what it makes of the new one.
    """
    from sklearn.base import clone

    with contextlib.suppress(Exception):  # a user's own code may raise anything
        before, same_again = clone(estimator), clone(estimator)
        changed = clone(estimator).set_params(**{name: value})
        made_anew = clone(changed)
        # Attributes that differ by chance say nothing.
        steady = [key for key in vars(before) if _are_alike(before, same_again, key)]
        is_stale = not all(_are_alike(changed, made_anew, key) for key in steady)
        is_new = bool(estimator.get_params()[name] != value)
        is_deaf = bool(steady) and all(_are_alike(before, changed, key) for key in steady)
        return is_new and (is_stale or is_deaf)
    return False


def _are_alike(one: object, other: object, attribute: str) -> bool:
    """Return whether an attribute has the same value in two objects."""
    return _is_alike(vars(one).get(attribute), vars(other).get(attribute))


def _is_alike(one: object, other: object) -> bool:
    """Return whether two values are the same, also where they can only be compared part by part."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_alike(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_alike, one, other))
    if hasattr(one, "get_params"):
        return _is_alike(vars(one), vars(other))
    equal = one == other
    return bool(equal.all() if hasattr(equal, "all") else equal)


def params_of(estimator: object) -> dict[str, object]:
    """Return the parameters of an estimator and of those nested in it, none if it tells none."""
    return estimator.get_params(deep=True) if _has_params(estimator) else {}


def fixed_seeds(estimator: str, params: Params) -> dict[str, object]:
    """Return the parameters for seeds, by name, that a trial's seed does not replace."""
    with contextlib.suppress(Exception):  # a user's own code may raise anything
        one, two = (params_of(build(estimator, params, seed)) for seed in (0, 1))
        seeds = [name for name in one if name.rpartition("__")[2] == "random_state"]
        return {
            name: one[name]
            for name in seeds
            if isinstance(one[name], int) and one[name] == two[name]
        }
    return {}


def unavailable(estimator: str) -> str | None:
    """Return why the estimator cannot run on this machine, or None if it can.

    The estimator's class method ``unavailable() -> str | None`` decides, where it has one.
    """
    maker = import_estimator(estimator)
    try:
        return str(maker.unavailable() or "") or None if hasattr(maker, "unavailable") else None
    except Exception as error:  # a user's own code may raise anything
        raise ConfigError(
            f"{readable(estimator)}: unavailable() fails: {first_line(error)}"
        ) from error


def build(estimator: str, params: Params, random_state: int | None) -> Estimator:
    """Return a new estimator; ``random_state`` and one thread are set where it takes them.

    An estimator that a function returned, and the clone of an estimator, gets both in its nested
    estimators too, such as the steps of a pipeline, wherever ``random_state`` is None.
    Raises TypeError where the object is no estimator.
    """
    maker = import_estimator(estimator)
    known: Params = {"random_state": random_state, "n_jobs": 1}
    if is_estimator_instance(maker):
        from sklearn.base import clone

        instance: object = clone(maker).set_params(**params)
    else:
        assert callable(maker)
        named, _ = _signature(estimator)
        instance = maker(**params, **{key: known[key] for key in known if key in named})
    if not _is_estimator(instance):
        raise TypeError(
            f"{readable(estimator)} gives an object of type {type(instance).__name__} without fit "
            "or predict"
        )
    # Estimators that a class nests by default are shared by all its objects.
    _set_where_missing(instance, known, nested=not inspect.isclass(maker))
    return instance


def _set_where_missing(instance: object, known: Params, *, nested: bool) -> None:
    """Set one thread, and the seed where there is none."""
    if _has_params(instance):
        for name, value in instance.get_params(deep=nested).items():
            last = name.rpartition("__")[2]
            if last == "n_jobs" or (last == "random_state" and value is None):
                instance.set_params(**{name: known[last]})
