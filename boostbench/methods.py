"""From a method's name in a config to an estimator and its parameters: the registry.

The methods that come with boostbench are entries of ``methods.yaml``.
Packages add methods through the entry-point group ``boostbench.methods``: each entry point, named
as the method, loads to a :class:`Method`.
"""

import contextlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from boostbench.entry_points import entry_points, load_entry_point
from boostbench.errors import ConfigError
from boostbench.estimators import (
    Estimator,
    RefusedParameterError,
    build,
    default_params,
    path_parts,
    rounds_parameter,
    validate_params,
)
from boostbench.importing import installed_version
from boostbench.objects.names import is_saved
from boostbench.release import installed_release
from boostbench.suggest import did_you_mean, listing
from boostbench.user_code import own_sources
from boostbench.values import Choices, Params, Record, with_first_choices
from boostbench.yamltree import read_yaml

if TYPE_CHECKING:
    from boostbench.config.entries import MethodEntry

ENTRY_POINT_GROUP = "boostbench.methods"

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """A registered method: an estimator with the parameters that make it this method.

    A package offers one by an entry point of the group ``boostbench.methods``, named as the method.

    Parameters
    ----------
    name : str
        The name by which experiments call it.
    estimator : str
        The import path of its class, such as ``"my_package.trees:MyTree"``.
    params : mapping, default={}
        The parameters of the estimator that differ from its defaults.
    task : {"regression", "classification"}, default="regression"
        What it predicts.
    version : str, default="1"
        A part of every trial's key: raise it when a change of code changes results.
    title : str, default=""
        Its name in tables, by default ``name``.
    description : str, default=""
        A sentence on it, for ``boostbench list methods``.

    Examples
    --------
    >>> from boostbench.methods import Method
    >>> shallow = Method("shallow", "sklearn.tree:DecisionTreeRegressor", {"max_depth": 4})
    >>> shallow.task, shallow.version
    ('regression', '1')
    """

    name: str
    estimator: str
    params: Params = field(default_factory=dict)
    task: str = "regression"
    version: str = "1"
    title: str = ""
    description: str = ""


@dataclass(frozen=True)
class ResolvedMethod:
    """A method of an experiment with everything that determines its results.

    ``code`` is the digest of the user's own sources behind the estimator, empty without any.
    ``choose_by`` is the name of the metric by which parameters are chosen, "" for the least error,
    and ``choose_folds`` the number of inner folds for it, 0 for a quarter of the rows. ``input`` is
    what it gets of data sets with frames. ``described`` is a stored object in words, empty for
    other estimators.
    """

    label: str
    estimator: str
    version: str
    params: Params
    choose: Choices = field(default_factory=dict)
    choose_with: Params = field(default_factory=dict)
    code: str = ""
    choose_by: str = ""
    choose_folds: int = 0
    input: Literal["frame", "matrix"] = "frame"
    described: str = ""

    @property
    def some_params(self) -> Params:
        """The parameters, with the first value of each that is chosen."""
        return with_first_choices(self.params, self.choose)

    def made(self) -> Estimator:
        """Return an estimator that is not fitted, with :attr:`some_params`."""
        return build(self.estimator, self.some_params, 0)


_ENTRIES = read_yaml(Path(__file__).with_suffix(".yaml")).value
BUILTIN = {name: Method(name, **entry) for name, entry in _ENTRIES.items()}
"""The methods that come with boostbench, by name."""


def method_names() -> list[str]:
    """Return the names of all registered methods, those of other packages last."""
    return [*BUILTIN, *sorted(set(entry_points(ENTRY_POINT_GROUP)) - set(BUILTIN))]


def get_method(name: str) -> Method:
    """Return the registered method.

    Raises ConfigError if there is none of that name or its package cannot be imported.
    """
    if name in BUILTIN:
        return BUILTIN[name]
    if name not in entry_points(ENTRY_POINT_GROUP):
        names = method_names()
        raise ConfigError(
            f"no method '{name}'{did_you_mean(name, names)}; the methods are {listing(names)}"
        )
    return load_entry_point(ENTRY_POINT_GROUP, name, Method)


def registered_name(label: str, entry: Record | None) -> str:
    """Return the registered method that a label's entry names; empty for an own estimator."""
    entry = entry or {}
    return "" if entry.get("estimator") else str(entry.get("method") or label)


def changed_params(
    name: str, params: Params, choose: Choices, free: Collection[str] = ()
) -> Params:
    """Return the parameters, with values, that differ from the registered method ``name``.

    ``params`` and ``choose`` are those of a trial. A parameter with the method's own value does not
    count, nor do ``free`` ones and ``verbose``; a chosen one has the list of its values. The result
    is empty for a method that is not registered here.
    """

    def different(known: Params) -> Params:
        known = json.loads(json.dumps(known, default=repr))
        given = {k: v for k, v in {**params, **choose}.items() if k not in (*free, "verbose")}
        return {k: v for k, v in given.items() if k not in known or known[k] != v}

    try:
        method = get_method(name)
        # The estimator is imported only where its own defaults matter.
        return different(method.params) and different(
            {**default_params(method.estimator)[0], **method.params}
        )
    except ConfigError:
        # Not registered here, or in a package that cannot be imported now.
        return {}


def known_params(estimator: str, registered: str = "") -> Record:
    """Return the ``defaults`` of an estimator's parameters, and which one has its ``rounds``.

    The defaults are those of the ``registered`` method, where there is one; values that JSON does
    not have are left out. The result is empty if the estimator cannot be imported.
    """
    try:
        preset = get_method(registered).params if registered else {}
        values = {**default_params(estimator)[0], **preset}
        rounds = rounds_parameter(estimator)
    except ConfigError:
        return {}
    defaults: dict[str, object] = {}
    for name, value in values.items():
        with contextlib.suppress(TypeError, ValueError):
            defaults[name] = json.loads(json.dumps(value, allow_nan=False))
    return {"defaults": defaults, **({"rounds": rounds} if rounds else {})}


def resolve(entry: "MethodEntry", defaults: Params) -> ResolvedMethod:
    """Return the method that an experiment's entry stands for.

    A registered method takes its parameters, weakest first, from ``defaults`` (those that its
    estimator has), the method's presets and the entry's ``params``; an ``estimator`` only from the
    entry's ``params``. Parameters in ``choose`` are in no other.

    Raises ConfigError on an unknown method, an estimator that cannot be imported, parameters that
    :func:`validate_params` refuses, a parameter both in ``params`` and ``choose`` or both in
    ``choose`` and ``choose_with``, and ``choose_with`` without ``choose``.
    """
    if entry.method is None:
        estimator, params = str(entry.estimator), dict(entry.params)
        package = path_parts(estimator)[0]
        own = package == "boostbench"
        installed = installed_release() if own else installed_version(package)
        version = f"{package} {installed}".rstrip()
    else:
        method = get_method(entry.method)
        estimator, version = method.estimator, method.version
        named, takes_others = default_params(estimator)
        given = {k: v for k, v in defaults.items() if takes_others or k in named}
        params = {**given, **method.params, **entry.params}
    _check_params(entry, estimator, params)
    params = {name: value for name, value in params.items() if name not in entry.values_to_choose}
    code, words = _code_and_words(estimator, params, entry.values_to_choose)
    return ResolvedMethod(
        entry.name,
        estimator,
        version,
        params,
        entry.values_to_choose,
        dict(entry.choose_with),
        code,
        entry.choose_by,
        entry.choose_folds,
        entry.input or default_input(estimator),
        words,
    )


def _code_and_words(estimator: str, params: Params, choose: Choices) -> tuple[str, str]:
    """Return the digest of the user's own code, and a stored object in words."""
    if not is_saved(estimator):
        return own_sources(estimator).digest, ""
    from boostbench.objects.described import described, own_code

    return own_code(estimator), described(estimator, params, choose)


def default_input(estimator: str) -> Literal["frame", "matrix"]:
    """Return what an estimator gets of data sets with frames, if the experiment does not say it."""
    return "matrix" if path_parts(estimator)[0] == "boostbench" else "frame"


def _check_params(entry: "MethodEntry", estimator: str, params: Params) -> None:
    """Raise ConfigError unless the parameters are right, with each value of those to be chosen."""
    choose = entry.values_to_choose
    for name in {**entry.params, **entry.choose_with}:
        if name in choose:
            raise RefusedParameterError(
                f"'{name}' is given and to be chosen; leave one of them out", name
            )
        if name in entry.choose_with and not choose:
            raise RefusedParameterError("there is no 'choose' for which choose_with could be", name)
    params = with_first_choices(params, choose)
    validate_params(estimator, params)
    in_choice = {**params, **entry.choose_with}
    try:
        validate_params(estimator, in_choice)
    except RefusedParameterError as error:
        raise RefusedParameterError(str(error), error.parameter, "choose_with") from error
    for name, values in choose.items():
        for value in values:
            validate_params(estimator, {**in_choice, name: value})
