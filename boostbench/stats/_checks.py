"""Checks of arguments: arrays of the shapes that are documented, numbers in their range."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def array(values: ArrayLike, name: str, *, ndim: tuple[int, ...] = (1,)) -> Floats:
    """Return ``values`` as floats of ``ndim`` dimensions, not empty, none infinite (NaN may be)."""
    floats = np.asarray(values, dtype=np.float64)
    if floats.ndim not in ndim:
        wanted = " or ".join(map(str, ndim))
        raise ValueError(f"{name} must have {wanted} dimension(s), not the shape {floats.shape}")
    if not floats.size:
        raise ValueError(f"{name} must have at least one value")
    if np.isinf(floats).any():
        raise ValueError(f"{name} must not have infinite values")
    return floats


def known(values: ArrayLike, name: str, *, ndim: tuple[int, ...] = (1,)) -> Floats:
    """Return :func:`array` of values none of which may be NaN."""
    floats = array(values, name, ndim=ndim)
    if np.isnan(floats).any():
        raise ValueError(f"{name} must not have NaN: leave missing runs out on both sides")
    return floats


def pair(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return two arrays of one length, none of whose values may be NaN."""
    first, second = known(a, "a"), known(b, "b")
    same_shape(first, second)
    return first, second


def same_shape(a: Floats, b: Floats) -> None:
    """Raise ValueError unless the shapes are one."""
    if a.shape != b.shape:
        raise ValueError(f"a and b must have the same shape, not {a.shape} and {b.shape}")


def share(value: float, name: str) -> float:
    """Return a number that must lie above 0 and below 1."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name} must be above 0 and below 1, not {value}")
    return float(value)


def finite(difference: float) -> float:
    """Return a difference that must be finite."""
    if not np.isfinite(difference):
        raise ValueError(f"difference must be a finite number, not {difference}")
    return float(difference)


def not_negative(value: float, name: str) -> float:
    """Return a finite number that must be at least 0."""
    if not 0.0 <= value < np.inf:
        raise ValueError(f"{name} must be a number of at least 0, not {value}")
    return float(value)


def at_least(value: int, least: int, name: str) -> int:
    """Return a whole number that must be at least ``least``."""
    if value < least or value != int(value):
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value}")
    return int(value)


def variance(values: Floats) -> float:
    """Return the sample variance (ddof 1) of two values or more, exactly 0 where all are equal."""
    return float(np.var(values - values[0], ddof=1))
