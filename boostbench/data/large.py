"""Data sets of OpenML too large for a table: blocks of rows go straight into the array.

At 51,839 rows of 6,052 features the array takes 2.4 GiB, and a table beside it would double that.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.access import DataAccess
from boostbench.data.attributes import lines_with_text, read_header
from boostbench.data.cards import Card, Source
from boostbench.data.columns import class_target
from boostbench.data.dataset import Dataset, make_dataset
from boostbench.data.delimited import split_quoted
from boostbench.data.frames import reading
from boostbench.data.openml import fetch_file
from boostbench.data.problems import Problems
from boostbench.data.table import Column, Table
from boostbench.errors import DataError

_CELLS_A_BLOCK = 1 << 20

Block = tuple[NDArray[np.float64], list[str]]
"""Features (k, p) and the target's labels of k rows."""


def load_large(card: Card, source: Source, access: DataAccess, name: str) -> Dataset:
    """Return the card's data set from the data sets of OpenML that ``source`` names.

    Their features lie side by side, in the order of the ids. Rows belong together by their number:
    every row must have the same class in all of them.

    Raises DataError if a file is unavailable or holds something else than numbers and a class, if
    the sizes are not those on the card, or the classes of a row differ.
    """
    X = np.empty((card.n_samples, card.n_features))
    labels: list[str] = []
    names: list[str] = []
    for number in source.openml_ids:
        meta, path = fetch_file(number, access)
        where, width = f"OpenML {number}", len(names)
        fields, blocks = _open(path, meta, where)
        # Sets that are joined may call their features alike.
        names += [f"{number}:{each}" for each in fields] if source.join else fields
        if len(names) > card.n_features:
            raise DataError(
                f"{where} has {len(fields):,} features, which makes {len(names):,}, but "
                f"the card expects {card.n_features:,}"
            )
        mine: list[str] = []
        for values, found in blocks:
            start = len(mine)
            mine += found
            if not np.isfinite(values).all() or not all(found):
                raise DataError(
                    f"{where} has a missing or infinite value or class in the rows "
                    f"{start + 1:,} to {len(mine):,}"
                )
            if len(mine) <= card.n_samples:
                X[start : len(mine), width : len(names)] = values
        if len(mine) != card.n_samples:
            raise DataError(
                f"{where} has {len(mine):,} rows, but the card expects {card.n_samples:,}"
            )
        for row, (one, other) in enumerate(zip(labels, mine, strict=False), 1):
            if one != other:
                raise DataError(
                    f"row {row:,} is of the class {one!r} in OpenML {source.id} and of {other!r} "
                    f"in {where}: their rows do not belong together"
                )
        labels = labels or mine
    if len(names) != card.n_features:
        raise DataError(
            f"{source.label} has {len(names):,} features, but the card expects {card.n_features:,}"
        )
    column = Column(card.target, np.array(labels, dtype=object), nominal=True)
    target = class_target(column, source.classes, Problems(Table((column,), source.label)))
    return make_dataset(
        name, X, target.values, names, card.target, card.task, source.label, target.classes
    )


def _open(path: Path, meta: dict[str, Any], where: str) -> tuple[list[str], Iterator[Block]]:
    """Return the names of the features in a file, and its blocks of rows."""
    if path.suffix == ".pq":
        return _open_parquet(path, meta, where)
    lines = lines_with_text(_lines(path, where))
    fields, _ = read_header(lines, where)
    features, target = _columns([each.name for each in fields], meta, where)
    wrong = next((fields[j] for j in features if not fields[j].numeric), None)
    if wrong is not None:
        raise DataError(f"{where} has the column {wrong.name!r}, which is not of numbers")

    def blocks() -> Iterator[Block]:
        while part := list(islice(lines, max(1, _CELLS_A_BLOCK // len(fields)))):
            rows = [split_quoted(line, ",") for _, line in part]
            labels = [row[target].strip() if len(row) > target else "" for row in rows]
            try:
                values = np.array([[row[j] for j in features] for row in rows], dtype=np.float64)
                if any(len(row) != len(fields) for row in rows):
                    raise ValueError(f"{len(fields):,} values are expected in a row")
            except (ValueError, IndexError) as error:
                raise DataError(
                    f"{where} holds something else than numbers and a class in the lines "
                    f"{part[0][0]:,} to {part[-1][0]:,}: {error}"
                ) from None
            yield values, ["" if label == "?" else label for label in labels]

    return [fields[j].name for j in features], blocks()


def _lines(path: Path, where: str) -> Iterator[str]:
    number = 0
    with path.open("rb") as file:
        while line := file.readline(bounds.MAX_LINE_CHARS):
            number += 1
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{where}:{number}: the byte 0x{line[error.start]:02x} is not UTF-8; the "
                    "file has to be UTF-8 text"
                ) from None


def _columns(names: Sequence[str], meta: dict[str, Any], where: str) -> tuple[list[int], int]:
    """Return the numbers of the feature columns and of the target."""
    targets = [name for name in meta["targets"] if name in names]
    if len(meta["targets"]) != 1 or not targets:
        said = ", ".join(meta["targets"]) or "none"
        raise DataError(f"{where} has no column {said!r}, which it says is the target")
    features = [
        j for j, name in enumerate(names) if name not in targets and name not in meta["exclude"]
    ]
    return features, names.index(targets[0])


def _open_parquet(
    path: Path, meta: dict[str, Any], where: str
) -> tuple[list[str], Iterator[Block]]:
    with reading(where, "a Parquet", "pyarrow"):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        names = [str(name) for name in file.schema_arrow.names]
    features, target = _columns(names, meta, where)

    def blocks() -> Iterator[Block]:
        with reading(where, "a Parquet", "pyarrow"):
            for batch in file.iter_batches(max(1, _CELLS_A_BLOCK // len(names))):
                values = [batch.column(j).to_numpy(zero_copy_only=False) for j in features]
                labels = batch.column(target).to_pylist()
                known = ["" if x is None or x != x or x == "?" else str(x) for x in labels]
                yield np.column_stack(values).astype(np.float64), known

    return [names[j] for j in features], blocks()
