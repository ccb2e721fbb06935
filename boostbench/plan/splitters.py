"""Splitters of scikit-learn, and the user's own, by their import paths."""

import copy
import inspect
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from boostbench.data.dataset import Dataset
from boostbench.data.splits import Rows, Split
from boostbench.errors import ConfigError, DataError, first_line
from boostbench.estimators import RefusedParameterError, import_from, refuse_unknown
from boostbench.objects.described import text_of
from boostbench.objects.names import is_saved, readable
from boostbench.suggest import counted
from boostbench.values import Params

_SEED = "random_state"


class Splitter(Protocol):
    """What splits need of a splitter; which of y and groups it takes is looked for by name."""

    split: Callable[..., Iterable[tuple[ArrayLike, ArrayLike]]]


def check_splitter(path: str, params: Params, split_seeds: Sequence[int]) -> None:
    """Check that a splitter can be made, and that each split seed gives other rows.

    Raises RefusedParameterError or ConfigError.
    """
    make_splitter(path, params, 0)
    if len(split_seeds) > 1 and not takes_seed(path, params):
        raise ConfigError(
            f"the splitter {readable(path)} uses no {_SEED} that is a split seed, so that all of "
            f"the {len(split_seeds)} would give the same rows; leave one of them, as split_seed, "
            "or have the splitter shuffle"
        )


def make_splitter(path: str, params: Params, split_seed: int) -> Splitter:
    """Return the splitter; its ``random_state``, if it uses one, is the split seed.

    A splitter that is an object itself has its parameters, and a ``random_state`` of its own stays.
    Raises RefusedParameterError for a parameter that it does not take, ConfigError where it cannot
    be imported or made, or has no ``split``.
    """
    if (known := _object_at(path)) is not None:
        return _with_seed(known, path, params, split_seed)
    maker, named, takes_others = _signature(path)
    if _SEED in params:
        raise RefusedParameterError(
            f"the parameter '{_SEED}' cannot be set: it is the split seed (see 'split_seed')", _SEED
        )
    if not takes_others:
        refuse_unknown(path, params, [name for name in named if name != _SEED])
    seed = {_SEED: split_seed} if takes_seed(path, params) else {}
    try:
        splitter = maker(**params, **seed)
    except Exception as error:  # a user's own code may raise anything
        name = readable(path)
        raise ConfigError(f"the splitter {name} cannot be made: {first_line(error)}") from error
    if not _is_splitter(splitter):
        made = type(splitter).__name__
        raise ConfigError(f"{readable(path)} gives an object of type {made} without split")
    return splitter


def _object_at(path: str) -> Splitter | None:
    """Return the splitter at an import path, None where there is what makes one."""
    thing = import_from(path, "splitter")
    return thing if _is_splitter(thing) and not isinstance(thing, type) else None


def _with_seed(known: Splitter, path: str, params: Params, split_seed: int) -> Splitter:
    """Return a copy of a splitter, whose ``random_state``, if it uses one, is the split seed."""
    for name in params:
        raise RefusedParameterError(
            f"{readable(path)} is an object, which has its parameters itself: leave '{name}' out",
            name,
        )
    splitter = copy.deepcopy(known)
    if takes_seed(path, params):
        setattr(splitter, _SEED, split_seed)
    return splitter


def takes_seed(path: str, params: Params) -> bool:
    """Return whether a splitter has a ``random_state`` to be set, and uses it: it shuffles."""
    if (known := _object_at(path)) is not None:
        is_unset = getattr(known, _SEED, 0) is None
        return is_unset and bool(getattr(known, "shuffle", True))
    _, named, _ = _signature(path)
    return _SEED in named and bool(params.get("shuffle", named.get("shuffle", True)))


def splitter_in_words(path: str) -> str:
    """Return a stored splitter with its parameters; empty for one that the file names."""
    return text_of(import_from(path, "splitter")) if is_saved(path) else ""


def rows_by_splitter(splitter: Splitter, dataset: Dataset, name: str) -> list[Split]:
    """Return the sorted row numbers (train, test) of each split that a splitter makes.

    It gets the frame or the features, the target, and the groups, as far as it takes them; in the
    order of time where the data set has times. ``name`` is that of splitter and data set in
    messages.

    Raises
    ------
    DataError
        if it fails, or does not give distinct row numbers, the same ones twice
    """
    splits = _rows_once(splitter, dataset, name)
    again = _rows_once(splitter, dataset, name)
    same = len(again) == len(splits) and all(
        np.array_equal(part, other)
        for split, repeated in zip(splits, again, strict=False)
        for part, other in zip(split, repeated, strict=True)
    )
    if not same:
        raise DataError(
            f"{name}: it gives other rows each time; have it take a whole number as {_SEED}, from "
            "which all that is random follows"
        )
    if not splits:
        raise DataError(f"{name}: it gives no split")
    return splits


def _rows_once(splitter: Splitter, dataset: Dataset, name: str) -> list[Split]:
    n_samples = len(dataset.y)
    order = np.arange(n_samples)
    if dataset.times is not None:
        order = np.argsort(dataset.times, kind="stable")
    try:
        with warnings.catch_warnings():
            # Such as those on small classes, which are named when the plan is made.
            warnings.simplefilter("ignore")
            X, others = _arguments(splitter, dataset, order)
            given = list(splitter.split(X, **others))
    except Exception as error:  # a user's own code may raise anything
        hint = ""
        if dataset.groups is None and "group" in str(error):
            hint = "; name the column of the groups by 'group' in the data set"
        raise DataError(f"{name}: {first_line(error)}{hint}") from error
    pairs = [checked_pair(split, n_samples, f"{name}: split {i}") for i, split in enumerate(given)]
    return [
        (np.sort(order[train]).astype(np.int64), np.sort(order[test]).astype(np.int64))
        for train, test in pairs
    ]


def _arguments(
    splitter: Splitter, dataset: Dataset, order: Rows
) -> tuple[object, dict[str, object]]:
    """Return the features, with the target and the groups as far as ``split`` takes them."""
    X: object = dataset.X if dataset.frame is None else dataset.frame
    # A copy of all features is made only where another order asks for it.
    if dataset.times is not None:
        X = dataset.X[order] if dataset.frame is None else dataset.frame.iloc[order]
    others = {"y": dataset.y[order]}
    if dataset.groups is not None:
        others["groups"] = dataset.groups[order]
    takes = inspect.signature(splitter.split).parameters
    return X, {name: values for name, values in others.items() if name in takes}


def checked_pair(split: object, n_rows: int | None, name: str) -> Split:
    """Return the row numbers of a split, of ``n_rows`` if that is known.

    Raises DataError where they are no numbers, not distinct, or both for training and for the test.
    """
    try:
        train, test = (np.asarray(part) for part in split)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise DataError(f"{name} is no pair of training and test rows") from None
    _check_rows(train, "training", n_rows, name)
    _check_rows(test, "test", n_rows, name)
    common = len(np.intersect1d(train, test))
    if common:
        raise DataError(f"{name} has {counted(common, 'row')} both for training and for the test")
    return train, test


def _check_rows(rows: Rows, part: str, n_rows: int | None, name: str) -> None:
    """Raise DataError where the rows of a part are no distinct row numbers, or none."""
    if rows.ndim != 1 or not (np.issubdtype(rows.dtype, np.integer) or not len(rows)):
        raise DataError(
            f"{name}: its {part} rows must be row numbers, whole and from 0 (np.flatnonzero "
            "makes them of a mask)"
        )
    if not len(rows):
        raise DataError(f"{name} has no {part} row")
    if rows.min() < 0 or (n_rows is not None and rows.max() >= n_rows):
        limit = "0 on" if n_rows is None else f"0 to {n_rows - 1:,}"
        raise DataError(
            f"{name}: its {part} rows must be from {limit}, not {rows.min():,} to {rows.max():,}"
        )
    if len(np.unique(rows)) < len(rows):
        raise DataError(f"{name}: a row is among its {part} rows twice")


def _signature(path: str) -> tuple[Callable[..., object], dict[str, object], bool]:
    """Return what makes a splitter, its parameters with their defaults, and if it takes others."""
    maker = import_from(path, "splitter")
    if not callable(maker):
        raise ConfigError(
            f"{readable(path)} is no class of splitters, nor a function that returns one"
        )
    try:
        parameters = inspect.signature(maker).parameters.values()
    except ValueError:
        return maker, {}, True
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {each.name: each.default for each in parameters if each.kind not in several}
    return maker, named, any(each.kind is each.VAR_KEYWORD for each in parameters)


def _is_splitter(thing: object) -> TypeGuard[Splitter]:
    return callable(getattr(thing, "split", None))
