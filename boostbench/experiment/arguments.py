"""What a call in Python gives, as the texts that the command line would give."""

import json
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.errors import ConfigError

Chosen = str | Sequence[str] | Mapping[str, Any] | None
"""Texts ``KEY=VALUE``, one or several, or a mapping."""


def selection(only: Chosen) -> list[str]:
    """Return texts ``KEY=PATTERN`` for a choice of trials; ConfigError for anything else."""
    return _texts("only", only, _patterns)


def overrides(given: Chosen) -> list[str]:
    """Return texts ``KEY=VALUE`` for values of an experiment file; ConfigError if impossible."""
    return _texts("overrides", given, _json)


def path(name: str, value: Any) -> Path:
    """Return the argument ``name`` as a path; ConfigError for what is none."""
    return Path(path_text(name, value))


def path_text(name: str, value: Any) -> str:
    """Return the argument ``name``, a path or a text, as a text; ConfigError for what is none."""
    if not isinstance(value, str | os.PathLike):
        raise ConfigError(f"{name} must be a path or a text, not {value!r}")
    return os.fspath(value)


def whole_number(name: str, value: Any) -> int:
    """Return the argument ``name`` as a whole number; ConfigError for what is none."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ConfigError(f"{name} must be a whole number, not {value!r}") from None


def _texts(name: str, given: Any, text_of: Callable[[str, Any], str]) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{key}={text_of(key, value)}" for key, value in given.items()]
    if isinstance(given, Sequence) and all(isinstance(text, str) for text in given):
        return list(given)
    raise ConfigError(f"{name} must be texts KEY=VALUE or a mapping, not {given!r}")


def _patterns(key: str, value: Any) -> str:
    del key
    several = isinstance(value, list | tuple | set | frozenset | range)
    return ",".join(map(str, sorted(value, key=str) if several else [value]))


def _json(key: str, value: Any) -> str:
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"overrides: {key} must be a JSON value, not {value!r}") from error


def _plain(value: Any) -> Any:
    """Return a path or a number or array of NumPy as JSON has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError
