"""Pydantic's errors as sentences: the place, the key, the allowed values, the nearest name."""

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import getitem

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boostbench.config.entries import DatasetEntry, MethodEntry, MetricEntry
from boostbench.config.model import Experiment, Limits
from boostbench.config.splits import DatasetSplits, Part, RowFiles, Splits
from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean
from boostbench.yamltree import Document

PARTS: Mapping[str, tuple[type[Part], str]] = {
    "": (Experiment, "a mapping with the keys name, datasets and methods"),
    "datasets.*": (DatasetEntry, "a name or a mapping with one of card, openml and file"),
    "datasets.*.splits": (DatasetSplits, ""),
    "datasets.*.splits.files.*": (RowFiles, "a mapping with the keys train and test"),
    "methods.*": (MethodEntry, "a name or a mapping with one of method and estimator"),
    "metrics.*": (MetricEntry, "the name of a score or a mapping with name"),
    "splits": (Splits, ""),
    "limits": (Limits, ""),
}
"""The parts of a file, by the pattern of their place.

Each has its type and, except where its key in ``keys.yaml`` says so, its allowed values.
"""

# One wording per key, whatever is wrong with its value: the allowed values show how to fix it.
ALLOWED = {pattern: allowed for pattern, (_, allowed) in PARTS.items() if allowed} | {
    f"{pattern}.{key}".lstrip("."): re.split(r"\.( |$)", text)[0]
    for pattern, (part, _) in PARTS.items()
    for key, text in part.key_texts().items()
}


def config_error(error: ValidationError, document: Document) -> ConfigError:
    """Return all complaints of ``error`` as one ConfigError, a line each, in the file's order."""
    complaints = error.errors(include_url=False, include_context=False)
    lines = dict.fromkeys(_sentence(complaint, document) for complaint in complaints)
    return ConfigError("\n".join(sorted(lines, key=_position)))


def _position(line: str) -> list[int]:
    """Return the line and the column at which a complaint begins, nothing for one of ``--set``."""
    place = re.search(r":(\d+):(\d+): ", line)
    return [int(number) for number in place.groups()] if place else []


def _known_path(loc: Sequence[str | int]) -> tuple[tuple[str | int, ...], str]:
    """Cut pydantic's ``loc`` where it leaves the known keys (it appends the branches of unions)."""
    path: list[str | int] = []
    pattern = ""
    for part in loc:
        step = "*" if isinstance(part, int) else part
        longer = f"{pattern}.{step}" if pattern else step
        if longer not in ALLOWED:
            break
        path.append(part)
        pattern = longer
    return tuple(path), pattern


def _sentence(complaint: ErrorDetails, document: Document) -> str:
    """Return a complaint with its place."""
    kind, text = complaint["type"], complaint["msg"]
    path, pattern = _known_path(complaint["loc"])
    where = document.where(path)
    if kind == "extra_forbidden":
        key, allowed = str(complaint["loc"][-1]), list(PARTS[pattern][0].model_fields)
        where = document.where((*path, key), key=True)
        hint = f"{did_you_mean(key, allowed)}; the keys here are {', '.join(allowed)}"
        if pattern == "splits" and key in DatasetSplits.model_fields:
            hint = f"; it belongs to one data set: add 'splits: {{{key}: ...}}' to that"
        text = f"unknown key '{key}'{_in(path)}{hint}"
    elif kind == "missing":
        where = document.where(path[:-1])
        text = f"the key '{path[-1]}' is missing{_in(path[:-1])}"
    elif kind == "sentence":
        text = f"{text}{_in(path)}"
    else:
        given, wanted = None, ALLOWED[pattern]
        with contextlib.suppress(LookupError, TypeError):
            given = reduce(getitem, path, document.value)
        hint = ""
        if wanted.startswith("one of ") and isinstance(given, str):
            hint = did_you_mean(given, wanted.removeprefix("one of ").split(", "))
        elif kind == "string_type" and isinstance(given, int | float) and "quotes" not in wanted:
            hint = " (put it in quotes)"
        text = f"{dotted(path)} must be {wanted}, not {shown(given)}{hint}"
    return f"{where}: {' '.join(text.split())}"


def _in(path: tuple[str | int, ...]) -> str:
    return f" in {dotted(path)}" if path else ""


def dotted(path: Sequence[str | int]) -> str:
    """Return ``methods[1].params.depth`` for ("methods", 1, "params", "depth")."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the file"


def shown(value: object, limit: int = 60) -> str:
    """Return a value as one short text, as it would be written in YAML."""
    if isinstance(value, str):
        text = f"'{' '.join(value.split())}'"
    else:
        text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 4] + " ..."
