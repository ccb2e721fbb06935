"""What other packages add to the program, through entry points."""

from functools import cache
from importlib import metadata
from typing import TypeVar

from boostbench.errors import ConfigError, first_line

T = TypeVar("T")


@cache
def entry_points(group: str) -> dict[str, metadata.EntryPoint]:
    """Return the entry points of a group by name."""
    return {point.name: point for point in metadata.entry_points(group=group)}


def load_entry_point(group: str, name: str, expected: type[T]) -> T:
    """Return the object of type ``expected`` that an entry point of ``boostbench.NOUNs`` names.

    Raises ConfigError where it cannot be imported or is of another type.
    """
    point = entry_points(group)[name]
    try:
        loaded = point.load()
        if not isinstance(loaded, expected):
            raise TypeError(f"it is no {expected.__name__}, but of type {type(loaded).__name__}")
    except Exception as error:  # a package of the user may raise anything
        raise ConfigError(
            f"'{name}' of {group} ({point.value}) cannot be imported: {first_line(error)}"
        ) from error
    return loaded
