"""The nearest valid name for a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, options: Iterable[str]) -> str | None:
    """Return the option that ``name`` was probably meant to be, or None if none is near.

    Numbers are never meant.
    """
    by_folded = {o.casefold().replace("-", "_"): o for o in options if not o.isdecimal()}
    matches = get_close_matches(name.casefold().replace("-", "_"), by_folded, n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """Return `` (did you mean 'X'?)`` for the nearest option, or an empty text."""
    option = nearest(name, options)
    return f" (did you mean '{option}'?)" if option else ""


def listing(options: Iterable[str], limit: int = 24) -> str:
    """Return ``a, b, c``, cut after ``limit`` names with the count of the rest."""
    names = list(options)
    rest = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + rest


def counted(number: int, one: str) -> str:
    """Return ``1 trial``, ``2 trials``, ``1,200 trials``."""
    return f"{number:,} {one}{'' if number == 1 else 's'}"
