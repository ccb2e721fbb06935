"""Values by key, in the order in which they come."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return all values of each key."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def first_of_each(pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the first value of each key."""
    first: dict[K, V] = {}
    for key, value in pairs:
        first.setdefault(key, value)
    return first
