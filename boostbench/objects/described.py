"""Objects in words: the class and its parameters, as ``Pipeline(StandardScaler(), Ridge())``."""

import contextlib
import functools
import inspect
import re
from collections.abc import Iterable, Mapping

import numpy as np

from boostbench.estimators import (
    Configurable,
    import_estimator,
    import_from,
    is_estimator_instance,
    module_of,
)
from boostbench.objects.digest import digest_of
from boostbench.objects.names import OWN_CODE
from boostbench.objects.places import named
from boostbench.values import Choices, Params

_LONGEST = 200
_SHOWN = 80
# An object whose text is that of Python's own, with its address.
_ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+")


class _Chosen:
    """Stands for a parameter whose value each trial chooses."""

    def __repr__(self) -> str:
        return "chosen"


def own_code(path: str) -> str:
    """Return the digest of the user's own code in the stored object at an import path."""
    return str(import_from(f"{module_of(path)}:{OWN_CODE}", "object"))


def described(path: str, params: Params, choose: Choices) -> str:
    """Return the stored object at an import path in words, with parameters that are given beside.

    ``choose`` are the parameters whose values each trial chooses.
    """
    from sklearn.base import clone

    thing = import_estimator(path)
    with contextlib.suppress(Exception):  # a user's own code may raise anything
        if is_estimator_instance(thing) and (params or choose):
            thing = clone(thing).set_params(**params, **dict.fromkeys(choose, _Chosen()))
        return text_of(thing)
    return ""


def text_of(value: object) -> str:
    """Return a value as Python writes it, and one that is long by its beginning and its digest.

    Arrays and frames are their shape and their digest, functions and classes their names.
    """
    text = _text(value)
    if len(text) <= _LONGEST or _is_nested(value):
        return text
    return f"{text[:_SHOWN]}… ({len(text):,} characters, digest {_digest(value)})"


def _is_nested(value: object) -> bool:
    """Return whether a value is an estimator, or has some, whose parameters are each told."""
    if isinstance(value, Mapping):
        return any(map(_is_nested, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_nested, value))
    return is_estimator_instance(value)


def _text(value: object) -> str:
    """Return a value in words, however long."""
    if is_estimator_instance(value):
        return _call_of_estimator(value)
    if isinstance(value, functools.partial):
        arguments = [*map(text_of, (value.func, *value.args)), *_keywords(value.keywords)]
        return f"partial({', '.join(arguments)})"
    if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        return value.__name__
    if (shape := getattr(value, "shape", ())) and not isinstance(value, np.generic):
        kind = "array" if isinstance(value, np.ndarray) else type(value).__name__
        return f"{kind}(shape={shape}, digest={_digest(value)})"
    if type(value) in (list, tuple, dict) or isinstance(value, set | frozenset):
        return _container(value)
    if attributes := attributes_by_argument(value):
        return _call(value, _shown(type(value), attributes))
    return _by_repr(value)


def _container(value: object) -> str:
    """Return a list, tuple, dictionary or set as Python writes it, with its items in words."""
    if isinstance(value, list):
        return f"[{_series(value)}]"
    if isinstance(value, tuple):
        return f"({_series(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        items = [f"{text_of(key)}: {text_of(item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    assert isinstance(value, set | frozenset)
    # The order of its items depends on the process.
    return f"{{{_series(sorted(value, key=repr))}}}"


def _by_repr(value: object) -> str:
    """Return a value as Python writes it, in one line; its digest where that tells an address."""
    with contextlib.suppress(Exception):  # a user's own code may raise anything
        text = " ".join(repr(value).split())
        if not _ADDRESS.search(text):
            return text
    return f"{type(value).__name__}(digest={_digest(value)})"


def _series(values: Iterable[object]) -> str:
    return ", ".join(map(text_of, values))


def _keywords(params: Params) -> list[str]:
    return [f"{name}={text_of(value)}" for name, value in params.items()]


def _digest(value: object) -> str:
    return digest_of(value, "the value")[:8]


def _call(value: object, params: Params, first: Iterable[str] = ()) -> str:
    """Return an object as the call that makes it, with the ``first`` arguments in words."""
    return f"{type(value).__name__}({', '.join([*first, *_keywords(params)])})"


def _call_of_estimator(estimator: Configurable) -> str:
    """Return an estimator as the call that makes it; the steps of a pipeline are its arguments."""
    from sklearn.pipeline import Pipeline

    params = _shown(type(estimator), estimator.get_params(deep=False))
    if not isinstance(estimator, Pipeline):
        return _call(estimator, params)
    steps = [_step(name, step) for name, step in estimator.steps]
    return _call(estimator, {n: v for n, v in params.items() if n != "steps"}, steps)


def _step(name: str, step: object) -> str:
    """Return a step of a pipeline, with its name where that is not the usual one."""
    usual = step if isinstance(step, str) else type(step).__name__.lower()
    return text_of(step) if re.sub(r"-\d+$", "", name) == usual else f"{name}={text_of(step)}"


def _shown(made_by: type, params: Params) -> dict[str, object]:
    """Return the parameters to be told, of an installed class those that are not defaults.

    The number of threads is left out, since each trial has one, and a seed that each trial sets.
    """
    defaults = defaults_of(made_by) if named(made_by) else {}
    return {
        name: value
        for name, value in params.items()
        if name != "n_jobs"
        and not (name == "random_state" and value is None)
        and not (name in defaults and text_of(value) == text_of(defaults[name]))
    }


def attributes_by_argument(value: object) -> dict[str, object]:
    """Return the arguments that made an object, as its attributes of these names have them.

    Empty where one of them is unknown.
    """
    # A repeated splitter of scikit-learn keeps the arguments of the splitter that it repeats apart.
    known = {**getattr(value, "cvargs", {}), **getattr(value, "__dict__", {})}
    arguments = defaults_of(type(value)) if known else {}
    return {name: known[name] for name in arguments} if arguments.keys() <= known.keys() else {}


def defaults_of(made_by: type) -> dict[str, object]:
    """Return the defaults of what a class takes, as far as they are known."""
    try:
        known = inspect.signature(made_by).parameters
    except ValueError:
        return {}
    return {name: each.default for name, each in known.items()}
