"""Splits of Python as keys of an experiment file: all that scikit-learn takes as ``cv``."""

import hashlib
import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from boostbench.config.writing import plain
from boostbench.data.splits import Rows
from boostbench.errors import ConfigError, DataError
from boostbench.objects.entries import StoredObjects, splitter_entry
from boostbench.objects.names import FOLDER, rows_name
from boostbench.plan.splitters import checked_pair


def splits_entry(
    given: object, where: str, objects: StoredObjects, rows: dict[str, bytes]
) -> dict[str, object] | str | None:
    """Return splits as an experiment file has them.

    A splitter is a class, a function that returns one, or an object; it is kept among ``objects``
    where a file cannot name it. Pairs of arrays with row numbers are kept among ``rows``, the
    contents of files by name. Raises ConfigError, which says ``where``, for anything else.
    """
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return _of_mapping(given, where, objects)
    if callable(given) or hasattr(given, "split"):
        return splitter_entry(given, where, objects)
    if isinstance(given, int | np.integer):
        raise ConfigError(
            f"{where} is {given}: give folds={given}, for folds that the split seed shuffles, or a "
            f"splitter such as sklearn.model_selection.KFold({given})"
        )
    if not isinstance(given, Iterable):
        raise ConfigError(
            f"{where} is of type {type(given).__name__}: give a splitter of scikit-learn, a class "
            "with split, pairs of arrays with the training and the test rows, or a mapping of the "
            "keys of an experiment file"
        )
    return {"files": _files_of_pairs(given, where, rows)}


def _of_mapping(
    given: Mapping[str, object], where: str, objects: StoredObjects
) -> dict[str, object]:
    """Return a mapping of the keys of an experiment file, with an object as its splitter or not."""
    splitter = given.get("splitter")
    others = {str(key): value for key, value in given.items() if key != "splitter"}
    rest = {key: plain(value, f"{where}.{key}") for key, value in others.items()}
    if splitter is None:
        return rest
    if isinstance(splitter, str):
        return {"splitter": splitter, **rest}
    made = splitter_entry(splitter, f"{where}.splitter", objects)
    params, beside = made.get("params", {}), rest.get("params", {})
    if isinstance(params, dict) and isinstance(beside, dict) and (params or beside):
        rest["params"] = {**params, **beside}
    return {**made, **rest}


def _files_of_pairs(
    given: Iterable[object], where: str, rows: dict[str, bytes]
) -> list[dict[str, str]]:
    """Return the files that list the training and the test rows of each pair."""
    try:
        pairs = [checked_pair(pair, None, f"{where}[{i}]") for i, pair in enumerate(given)]
    except DataError as error:
        raise ConfigError(str(error)) from None
    if not pairs:
        raise ConfigError(f"{where} has no pair of training and test rows")
    texts = [(_lines(train), _lines(test)) for train, test in pairs]
    digest = hashlib.sha256(b"\n\n".join(itertools.chain(*texts))).hexdigest()[:16]
    files = []
    for number, pair in enumerate(texts):
        names = {part: rows_name(digest, number, part) for part in ("train", "test")}
        rows |= dict(zip(names.values(), pair, strict=True))
        files.append({part: f"{FOLDER}/{name}" for part, name in names.items()})
    return files


def _lines(rows: Rows) -> bytes:
    """Return row numbers as the text of a file, one a line."""
    return "\n".join(map(str, rows)).encode()
