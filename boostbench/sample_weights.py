"""Weights of rows in a fit: which argument of an estimator's ``fit`` takes them."""

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from boostbench.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WEIGHTS = "sample_weight"


def weight_parameter(estimator: object) -> str | None:
    """Return the argument of ``fit`` for the weights of rows, None where there is none.

    It is ``sample_weight``, by the signature of ``fit``. A pipeline takes the weights for its last
    step, as ``STEP__sample_weight``, and an estimator that wraps others, such as a search, takes
    what these take.
    """
    named, takes_others = _arguments_of_fit(estimator)
    if _WEIGHTS in named:
        return _WEIGHTS
    if not takes_others:
        return None
    if steps := nested_estimators(estimator, "steps"):
        name, last = steps[-1]
        inner = weight_parameter(last)
        return inner and f"{name}__{inner}"
    inner_parameters = {weight_parameter(inner) for inner in _wrapped(estimator)}
    return inner_parameters.pop() if len(inner_parameters) == 1 else None


def nested_estimators(estimator: object, attribute: str) -> list[tuple[str, object]]:
    """Return the named estimators that an attribute lists, such as the steps of a pipeline."""
    listed = getattr(estimator, attribute, None)
    if not isinstance(listed, list):
        return []
    return [each for each in listed if isinstance(each, tuple) and len(each) == 2]


def _arguments_of_fit(estimator: object) -> tuple[list[str], bool]:
    """Return the names of the arguments of ``fit``, and whether it takes others by name."""
    fit = getattr(estimator, "fit", None)
    try:
        parameters = inspect.signature(fit).parameters if callable(fit) else {}
    except ValueError:  # it is not written in Python
        return [], False
    return [*parameters], any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _wrapped(estimator: object) -> Iterator[object]:
    """Yield the estimators that an estimator passes its arguments of ``fit`` on to."""
    for name in ("estimator", "regressor"):
        if (inner := getattr(estimator, name, None)) is not None:
            yield inner
    for _, inner in nested_estimators(estimator, "estimators"):
        if inner != "drop":
            yield inner


def weights_for(
    estimator: object, weights: "NDArray[np.float64] | None"
) -> Mapping[str, "NDArray[np.float64]"]:
    """Return the arguments of ``fit`` that give an estimator the weights of its training rows.

    There are none where ``weights`` is None. Raises ConfigError where ``fit`` takes no weights.
    """
    if weights is None:
        return {}
    name = weight_parameter(estimator)
    if name is None:
        raise ConfigError(f"fit of {type(estimator).__name__} takes no sample_weight")
    return {name: weights}
