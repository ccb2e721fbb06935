"""Pydantic's errors as sentences: the place, the key, the allowed values, the nearest name."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boostbench.config.entries import DatasetEntry, MethodEntry, MetricEntry
from boostbench.config.model import Experiment, Limits
from boostbench.config.splits import DatasetSplits, Part, RowFiles, Splits
from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean, listing
from boostbench.yamltree import Document

Path = tuple[str | int, ...]
"""The keys and the places in lists that lead to a value."""

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
    f"{pattern}.{key}".lstrip("."): " ".join(re.split(r"\.(\s|$)", text)[0].split())
    for pattern, (part, _) in PARTS.items()
    for key, text in part.key_texts().items()
}


def config_error(error: ValidationError, document: Document) -> ConfigError:
    """Return all complaints of ``error`` as one ConfigError, in the file's order.

    Each is a line that begins with its place.
    """
    complaints = [
        complaint
        for complaint in error.errors(include_url=False)
        if complaint["type"] != "extra_forbidden"
    ]
    lines = dict.fromkeys(_sentence(complaint, document) for complaint in complaints)
    # Pydantic does not look at the keys of a part that is wrong as a whole.
    lines |= dict.fromkeys(_unknown_keys(document))
    return ConfigError("\n".join(sorted(lines, key=_position)))


def _unknown_keys(document: Document) -> Iterator[str]:
    """Yield a sentence for each key of a part of the file that the part does not have."""
    for pattern, (part, _) in PARTS.items():
        known = list(part.model_fields)
        for path, mapping in _mappings(document.value, pattern.split(".") if pattern else []):
            for key in (key for key in mapping if key not in known):
                hint = f"{did_you_mean(key, known)}; the keys here are {', '.join(known)}"
                if pattern == "splits" and key in DatasetSplits.model_fields:
                    hint = f"; it belongs to one data set: add 'splits: {{{key}: ...}}' to that"
                where = document.where((*path, key), key=True)
                yield f"{where}: unknown key '{key}'{_in(path)}{hint}"


def _mappings(value: object, steps: Sequence[str]) -> Iterator[tuple[Path, Mapping[str, object]]]:
    """Yield the path and the value of each mapping at a place such as datasets, *, splits."""
    if not steps:
        yield from [((), value)] if isinstance(value, dict) else []
        return
    inner: dict[str | int, object] = {}
    if steps[0] == "*" and isinstance(value, list):
        inner = dict(enumerate(value))
    elif isinstance(value, dict) and steps[0] in value:
        inner = {steps[0]: value[steps[0]]}
    for step, each in inner.items():
        for path, mapping in _mappings(each, steps[1:]):
            yield (step, *path), mapping


def _position(line: str) -> list[int]:
    """Return the line and the column at which a complaint begins, nothing for one of ``--set``."""
    place = re.search(r":(\d+):(\d+): ", line)
    return [int(number) for number in place.groups()] if place else []


def _known_path(loc: Path) -> tuple[Path, str]:
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
    if kind == "missing":
        where = document.where(path[:-1])
        text = f"the key '{path[-1]}' is missing{_in(path[:-1])}"
    elif kind == "sentence":
        text = f"{text}{_in(path)}"
    elif kind == "unknown_name":
        key, name, known = path[-1], complaint["input"], complaint["ctx"]["known"]
        what = "data set" if key == "card" else key
        near = did_you_mean(name, known)
        text = f"no {what} {shown(name)}{near}; the {key}s are {listing(known)}"
    else:
        given = None
        with contextlib.suppress(LookupError, TypeError):
            given = reduce(getitem, path, document.value)
        text = f"{dotted(path)} must {_wanted(complaint, ALLOWED[pattern], given)}"
    return f"{where}: {text}"


def _wanted(complaint: ErrorDetails, wanted: str, given: object) -> str:
    """Return what a value must be and is not, with a hint."""
    kind, hint = complaint["type"], ""
    if kind == "string_too_long" and isinstance(given, str):
        most = complaint["ctx"]["max_length"]
        return f"have at most {most} characters, not {len(given)}: {shown(given)}"
    if wanted.startswith("one of ") and isinstance(given, str):
        hint = did_you_mean(given, wanted.removeprefix("one of ").split(", "))
    elif kind == "string_type" and isinstance(given, int | float) and "quotes" not in wanted:
        hint = " (put it in quotes)"
    elif isinstance(given, str) and given != given.strip():
        hint = " (leave out the blanks at its ends)"
    return f"be {wanted}, not {shown(given)}{hint}"


def _in(path: Path) -> str:
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
        # Blanks stay as they are, since they may be what is wrong.
        signs = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
        text = f"'{''.join(signs)}'"
    else:
        text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 4] + " ..."
