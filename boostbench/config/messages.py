"""Pydantic's complaints as sentences: the place, the key, what is allowed, the nearest name."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from boostbench.config.model import DatasetEntry, Experiment, Limits, MethodEntry, MetricEntry
from boostbench.config.splits import DatasetSplits, Splits
from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean
from boostbench.yamltree import Document

_LABEL = "a text of letters, digits, '_', '-', '+' and '.' that begins with a letter or a digit"
_SEED = "a whole number from 0 to 4294967295"
_NAMES = "a list of texts"
_METRIC = "a text, the name of a score, of a scorer of scikit-learn, or module:function"

# One wording per key, whatever is wrong with its value: what is allowed is what mends it.
ALLOWED: Mapping[str, str] = {
    "": "a mapping with the keys name, datasets and methods",
    "name": _LABEL,
    "title": "a text",
    "description": "a text",
    "paper": "a text, the name of a paper such as srt",
    "table": "a text, the name of one of the paper's tables or figures",
    "datasets": "a list of at least one data set, each a name or a mapping",
    "datasets.*": "a name or a mapping with one of card, openml and file",
    "datasets.*.name": _LABEL,
    "datasets.*.card": "a text, the name of a data set card",
    "datasets.*.openml": "a whole number of at least 1, an OpenML data set id",
    "datasets.*.file": "a text, the path of a .csv, .arff, .dat, .xlsx, Parquet or Feather file",
    "datasets.*.encoding": "a text, the name of an encoding such as latin-1",
    "datasets.*.target": "a column's name or its number counted from 1",
    "datasets.*.drop": _NAMES,
    "datasets.*.task": "one of regression, classification",
    "datasets.*.categorical": "a list of texts, or auto",
    "datasets.*.decimal": "one of '.', ','",
    "datasets.*.thousands": "one of ',', '.', ' ', \"'\"",
    "datasets.*.na_values": "a list of texts and numbers",
    "datasets.*.missing": "one of error, drop, median",
    "datasets.*.per_class": "a whole number of at least 1, the rows of each class",
    "datasets.*.splits": "given or a mapping with some of the keys n, test_size, test_rows, "
    "train_rows, train_per_class and train_batches",
    "datasets.*.splits.n": "a whole number from 1 to 100000",
    "datasets.*.splits.test_rows": "a list of files, or of patterns such as test_*.txt",
    "datasets.*.splits.given": "true or false",
    "datasets.*.splits.test_size": "a number above 0 and below 1, the share of the rows to test on",
    "datasets.*.splits.train_rows": "a whole number of at least 2, the rows for training",
    "datasets.*.splits.train_per_class": "a whole number of at least 1, the rows of each class",
    "datasets.*.splits.train_batches": "a whole number of at least 1, the parts to train on",
    "methods": "a list of at least one method, each a name or a mapping",
    "methods.*": "a name or a mapping with one of method and estimator",
    "methods.*.name": _LABEL,
    "methods.*.method": "a text, the name of a registered method",
    "methods.*.estimator": "a text, the import path of an estimator class",
    "methods.*.params": "a mapping of parameters",
    "methods.*.choose": "a mapping of parameters, each with a list of at least one value",
    "methods.*.choose_with": "a mapping of parameters",
    "defaults": "a mapping of parameters",
    "folds": "a whole number of at least 2",
    "splits": "given or a mapping with the keys n, test_size and given",
    "splits.n": "a whole number from 1 to 100000",
    "splits.test_size": "a number above 0 and below 1, the share of the rows to test on",
    "splits.given": "true or false",
    "seeds": f"a whole number from 1 to 1000000 or a list of distinct seeds, each {_SEED}",
    "split_seed": _SEED,
    "split_seeds": f"a whole number from 1 to 1000 or a list of distinct seeds, each {_SEED}",
    "scale_features": "one of minmax, standard, none",
    "scale_target": "one of standard, none",
    "curves": "true or false",
    "units": "one of scaled, original",
    "metric": _METRIC,
    "metrics": f"a list, each {_METRIC}, or a mapping with name",
    "metrics.*": f"{_METRIC}, or a mapping with name",
    "metrics.*.name": "a text, its name in trials.csv",
    "metrics.*.function": _METRIC,
    "metrics.*.greater_is_better": "true or false",
    "metrics.*.digits": "a whole number from 0 to 15",
    "metrics.*.tolerance": "a number of at least 0",
    "metrics.*.relative_tolerance": "a number of at least 0",
    "metrics.*.spread_tolerance": "a number of at least 0",
    "metrics.*.scale": "a number above 0",
    "metrics.*.averages": "a list of arithmetic, geometric",
    "limits": "a mapping with the keys time and memory",
    "limits.time": "a number of seconds above 0, or null",
    "limits.memory": "a size of at least 64 MiB in quotes such as '4 GiB', or null",
    "results": "a text, the path of a folder",
}

_PARTS: Mapping[str, type[BaseModel]] = {
    "": Experiment,
    "datasets.*": DatasetEntry,
    "datasets.*.splits": DatasetSplits,
    "methods.*": MethodEntry,
    "metrics.*": MetricEntry,
    "splits": Splits,
    "limits": Limits,
}


def config_error(error: ValidationError, document: Document) -> ConfigError:
    """Return all complaints of ``error`` as one ConfigError, a line each, in the file's order."""
    lines: dict[str, tuple[int, ...]] = {}
    complaints = error.errors(include_url=False, include_context=False)
    # A union complains once per branch; a branch that got as far as our own check knows best.
    allowed = {_known_path(c["loc"])[0] for c in complaints if c["type"] == "allowed"}
    for complaint in complaints:
        path, pattern = _known_path(complaint["loc"])
        if path in allowed and complaint["type"] not in {"allowed", "extra_forbidden"}:
            continue
        place, sentence = _sentence(complaint["type"], path, pattern, complaint, document)
        numbers = [
            int(part) for part in place.rsplit(":", 2)[1:] if part.isascii() and part.isdigit()
        ]
        lines.setdefault(f"{place}: {' '.join(sentence.split())}", tuple(numbers))
    return ConfigError("\n".join(sorted(lines, key=lambda line: lines[line])))


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


def _sentence(
    kind: str,
    path: tuple[str | int, ...],
    pattern: str,
    complaint: Mapping[str, Any],
    document: Document,
) -> tuple[str, str]:
    if kind == "extra_forbidden":
        key = str(complaint["loc"][-1])
        allowed = list(_PARTS[pattern].model_fields)
        place = document.where((*path, key), key=True)
        return place, (
            f"unknown key '{key}'{_in(path)}{did_you_mean(key, allowed)}; "
            f"the keys here are {', '.join(allowed)}"
        )
    if kind == "missing":
        parent = path[:-1] if path else path
        return document.where(parent), f"the key '{path[-1]}' is missing{_in(parent)}"
    if kind == "sentence":
        return document.where(path), f"{complaint['msg']}{_in(path)}"
    given = value_at(document.value, path)
    allowed_text = ALLOWED[pattern]
    hint = ""
    if allowed_text.startswith("one of ") and isinstance(given, str):
        hint = did_you_mean(given, allowed_text.removeprefix("one of ").split(", "))
    elif kind == "string_type" and isinstance(given, int | float) and "quotes" not in allowed_text:
        hint = " (put it in quotes)"
    elif kind == "allowed":
        allowed_text = complaint["msg"]
    return document.where(path), f"{dotted(path)} must be {allowed_text}, not {shown(given)}{hint}"


def _in(path: tuple[str | int, ...]) -> str:
    return f" in {dotted(path)}" if path else ""


def dotted(path: Sequence[str | int]) -> str:
    """Return ``methods[1].params.depth`` for ("methods", 1, "params", "depth")."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the file"


def shown(value: Any, limit: int = 60) -> str:
    """Return a value as one short text, as it would stand in YAML."""
    if isinstance(value, str):
        text = f"'{' '.join(value.split())}'"
    else:
        text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 4] + " ..."


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """Return the part of nested lists and mappings at ``path``, or None if there is none."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


__all__ = ["ALLOWED", "config_error", "dotted", "shown", "value_at"]
