"""Estimators of Python as entries of an experiment file: by import path, or as stored objects."""

import contextlib
import math
from collections.abc import Mapping
from types import FunctionType

import numpy as np

from boostbench.config.writing import plain
from boostbench.errors import ConfigError, first_line
from boostbench.estimators import Configurable, is_estimator_instance
from boostbench.objects.described import attributes_by_argument, defaults_of
from boostbench.objects.names import OWN_CODE, module_name, pickle_name
from boostbench.objects.pickling import pickled
from boostbench.objects.places import named, public_path
from boostbench.values import Params

_MODULE = '''\
"""Loads {name}, which boostbench.run got from Python; this file and {pickle} belong together."""

from boostbench.objects.pickling import load

{own_code} = "{code}"
{name} = load(__file__)
'''


class StoredObjects:
    """The objects of an experiment that cannot be named by an import path.

    ``modules`` and ``pickles`` are the contents of the files that load and hold them, by name.
    """

    def __init__(self) -> None:
        self.modules: dict[str, bytes] = {}
        self.pickles: dict[str, bytes] = {}

    def add(self, value: object, label: str) -> str:
        """Store an object, which users call ``label``, and return its import path."""
        content, identity = pickled(value, label)
        module, file = module_name(identity.digest), pickle_name(identity.digest)
        name = _name_in_module(value)
        text = _MODULE.format(name=name, pickle=file, own_code=OWN_CODE, code=identity.code)
        self.pickles[file] = content
        self.modules[f"{module}.py"] = text.encode()
        return f"{module}:{name}"


def _name_in_module(value: object) -> str:
    """Return the name of a class or function, or of an object's class, which its digest covers."""
    if isinstance(value, FunctionType):
        name = value.__code__.co_name
    else:
        name = (value if isinstance(value, type) else type(value)).__name__
    return name if name.isidentifier() and name.isascii() else "stored"


def estimator_entry(estimator: object, label: str, objects: StoredObjects) -> dict[str, object]:
    """Return the keys ``estimator`` and ``params`` of an entry for an estimator.

    It is an object, a class, or a function that returns one. Raises ConfigError where it is none of
    these, or cannot be identified or sent.
    """
    name = f"the method '{label}'"
    if callable(estimator) and (path := named(estimator)):
        return {"estimator": public_path(path)}
    if is_estimator_instance(estimator):
        path = named(type(estimator))
        params = _plain_params(type(estimator), _params(estimator, name), name) if path else None
        if params is not None:
            entry: dict[str, object] = {"estimator": public_path(path)}
            return {**entry, "params": params} if params else entry
        estimator = _clone(estimator, name)
    elif not callable(estimator):
        raise ConfigError(
            f"{name} is of type {type(estimator).__name__}: give the name of a method, an "
            "estimator with get_params (as sklearn.base.BaseEstimator has), or a class or function "
            "that makes one"
        )
    return {"estimator": objects.add(estimator, name)}


def splitter_entry(splitter: object, where: str, objects: StoredObjects) -> dict[str, object]:
    """Return the keys ``splitter`` and ``params`` of splits, which users call ``where``.

    A splitter of an installed class is named, without a ``random_state``, which is the split seed.
    Any other one, or a class or function that makes one, is stored. Raises ConfigError where it is
    none of these, or cannot be identified or sent.
    """
    if callable(splitter) and (path := named(splitter)):
        return {"splitter": public_path(path)}
    if not (callable(splitter) or hasattr(splitter, "split")):
        raise ConfigError(
            f"{where} is of type {type(splitter).__name__}: give a splitter with split, or a class "
            "or function that makes one"
        )
    path, params = named(type(splitter)), _params_of_splitter(splitter, where)
    if not path or params is None:
        return {"splitter": objects.add(splitter, where)}
    return {"splitter": public_path(path), **({"params": params} if params else {})}


def _params_of_splitter(splitter: object, where: str) -> Params | None:
    """Return the parameters of a splitter; None where a file cannot hold them."""
    made_by = type(splitter)
    params = _plain_params(made_by, attributes_by_argument(splitter), where)
    with contextlib.suppress(Exception):  # a user's own code may raise anything
        if params is not None and vars(made_by(**params)) == vars(splitter):
            return params
    return None


def function_path(function: object, label: str, objects: StoredObjects) -> str:
    """Return the import path of a metric's function, which is stored where it has none."""
    if not callable(function):
        raise ConfigError(
            f"the function of the metric '{label}' is of type {type(function).__name__}: give a "
            "function of (fitted estimator, X_test, y_test), or its path module:function"
        )
    return named(function) or objects.add(function, f"the metric '{label}'")


def _plain_params(made_by: type, given: Params, name: str) -> Params | None:
    """Return the parameters that differ from the defaults; None where a file cannot hold them.

    The number of threads is left out, since each trial has one.
    """
    defaults = defaults_of(made_by)
    params: dict[str, object] = {}
    for key, value in given.items():
        if key == "n_jobs" or (key in defaults and _is_same(value, defaults[key])):
            continue
        if key == "random_state" or not _is_plain(value):
            return None
        params[key] = plain(value, f"{key} of {name}")
    return params


def _params(estimator: Configurable, name: str) -> Params:
    try:
        return dict(estimator.get_params(deep=False))
    except Exception as error:  # a user's own code may raise anything
        raise ConfigError(f"{name}: get_params() fails: {first_line(error)}") from error


def _is_same(value: object, default: object) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and _is_plain(value) and value == default


def _is_plain(value: object) -> bool:
    """Return whether a file gives the same value back, of the same type but for NumPy's numbers."""
    if isinstance(value, np.bool_ | np.integer | np.float64):
        value = value.item()
    if isinstance(value, float):
        return type(value) is float and math.isfinite(value)
    if type(value) is list:
        return all(map(_is_plain, value))
    if isinstance(value, Mapping) and type(value) is dict:
        return all(type(key) is str and _is_plain(item) for key, item in value.items())
    return value is None or type(value) in (str, int, bool)


def _clone(estimator: object, name: str) -> object:
    """Return an estimator without what it has learnt, as trials make one of it."""
    from sklearn.base import clone

    try:
        copy: object = clone(estimator)
        return copy
    except Exception as error:  # a user's own code may raise anything
        raise ConfigError(f"{name} cannot be cloned: {first_line(error)}") from error
