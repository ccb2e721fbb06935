"""Data sets of OpenML too large for a table: blocks of rows go straight into the array.

At 51,839 rows of 6,052 features the array takes 2.4 GiB, and a table beside it would double that.
"""

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.access import DataAccess
from boostbench.data.attributes import parse_field
from boostbench.data.cards import Card, Source
from boostbench.data.dataset import Dataset
from boostbench.data.encode import make_dataset
from boostbench.data.numbers import PLAIN
from boostbench.data.openml_client import fetch_file
from boostbench.data.parquet import require_pyarrow
from boostbench.data.problems import Problems
from boostbench.data.table import Column, Field, Table, check_width
from boostbench.data.targets import class_target
from boostbench.errors import DataError
from boostbench.suggest import counted

_CELLS_A_BLOCK = 1 << 22

Block = tuple[NDArray[np.float64], list[str]]
"""Features (k, p) and the target's labels of k rows."""


def load_large(card: Card, source: Source, access: DataAccess, name: str) -> Dataset:
    """Return the card's data set from the data sets of OpenML that ``source`` names.

    Their features lie side by side, in the order of the ids. Rows belong together by their number:
    every row must have the same class in all of them.

    :raises DataError: if a file is unavailable or holds something else than numbers and a class, if
        the sizes are not those on the card, or the classes of a row differ
    """
    X = np.empty((card.n_samples, card.n_features))
    labels: list[str] = []
    names: list[str] = []
    for number in source.openml_ids:
        meta, path = fetch_file(number, access)
        where, width = f"OpenML {number}", len(names)
        fields, blocks = _open(path, meta, where)
        if width + len(fields) > card.n_features:
            raise DataError(
                f"{where} has {len(fields):,} features, which makes {width + len(fields):,}, but "
                f"the card expects {card.n_features:,}"
            )
        mine: list[str] = []
        for values, found in blocks:
            stop = len(mine) + len(found)
            if stop > card.n_samples:
                raise DataError(
                    f"{where} has more rows than the {card.n_samples:,} that the card expects"
                )
            if not np.isfinite(values).all():
                raise DataError(
                    f"{where} has a missing or infinite value in the rows up to {stop:,}"
                )
            X[len(mine) : stop, width : width + len(fields)] = values
            mine += found
        if len(mine) != card.n_samples:
            raise DataError(
                f"{where} has {len(mine):,} rows, but the card expects {card.n_samples:,}"
            )
        if labels:
            _check_same(labels, mine, f"OpenML {source.id}", where)
        labels = labels or mine
        # Sets that are joined may call their features alike.
        names += [f"{number}:{field}" for field in fields] if source.join else fields
    if len(names) != card.n_features:
        raise DataError(
            f"{source.label} has {len(names):,} features, but the card expects {card.n_features:,}"
        )
    column = Column(card.target, np.empty(0), np.array(labels, dtype=object), nominal=True)
    table = Table((column,), source.label)
    target = class_target(column, source.classes, Problems(table, PLAIN, "error"))
    return make_dataset(
        name, X, target.values, names, card.target, card.task, source.label, target.classes
    )


def _check_same(first: list[str], second: list[str], here: str, there: str) -> None:
    for row, (one, other) in enumerate(zip(first, second, strict=True), 1):
        if one != other:
            raise DataError(
                f"row {row:,} is of the class {one!r} in {here} and of {other!r} in {there}: their "
                "rows do not belong together"
            )


def _open(path: Path, meta: dict[str, Any], where: str) -> tuple[list[str], Iterator[Block]]:
    """Return the names of the features in a file, and its blocks of rows."""
    if len(meta["targets"]) != 1:
        raise DataError(f"{where} does not say which column is the target")
    if path.suffix == ".pq":
        return _open_parquet(path, meta, where)
    with _as_text(path, where) as file:
        fields = list(_header(file, where))
    features, target = _columns([field.name for field in fields], meta, where)
    wrong = next((fields[j] for j in features if fields[j].kind != "numeric"), None)
    if wrong is not None:
        raise DataError(f"{where} has the column {wrong.name!r}, which is not of numbers")
    return [fields[j].name for j in features], _arff_blocks(path, len(fields), features, target,
                                                            where)  # fmt: skip


@contextlib.contextmanager
def _as_text(path: Path, where: str) -> Iterator[IO[str]]:
    """Open a file, and name the line where a byte is not UTF-8 when reading meets one."""
    try:
        with path.open(encoding="utf-8") as file:
            yield file
    except UnicodeDecodeError:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    raise DataError(
                        f"{where}:{number}: the byte 0x{line[error.start]:02x} is not UTF-8; the "
                        "file has to be UTF-8 text"
                    ) from None
        raise


def _columns(names: list[str], meta: dict[str, Any], where: str) -> tuple[list[int], int]:
    """Return the numbers of the feature columns and of the target."""
    (target,) = meta["targets"]
    if target not in names:
        raise DataError(f"{where} has no column {target!r}, which it says is the target")
    features = [j for j, name in enumerate(names) if name != target and name not in meta["exclude"]]
    return features, names.index(target)


def _header(file: IO[str], where: str) -> Iterator[Field]:
    """Yield the attributes of an ARFF file, and leave ``file`` at its first row."""
    n_fields = 0
    for number in itertools.count(1):
        line = file.readline(bounds.MAX_LINE_CHARS)
        word, _, rest = line.strip().replace("\t", " ").partition(" ")
        if not line:
            raise DataError(f"{where} has no @data line")
        if word.lower() == "@data":
            return
        if word.lower() == "@attribute":
            n_fields += 1
            check_width(n_fields, where)
            yield parse_field(rest.strip(), f"{where}:{number}", keel=False)


def _arff_blocks(
    path: Path, n_columns: int, features: list[int], target: int, where: str
) -> Iterator[Block]:
    n_rows = max(1, _CELLS_A_BLOCK // n_columns)
    codes: dict[str, float] = {}

    def code_of(token: str) -> float:
        token = token.strip()
        label = "" if token == "?" else token.strip("'\"")
        return codes.setdefault(label, float(len(codes)))

    with _as_text(path, where) as file:
        # Past the header, which was checked before.
        for _ in _header(file, where):
            pass
        for start in itertools.count(0, n_rows):
            lines = list(itertools.islice((x for x in file if x.strip()), n_rows))
            if not lines:
                return
            try:
                # NumPy before 2.0 gives converters bytes unless the encoding is None.
                block = np.loadtxt(
                    lines,
                    delimiter=",",
                    comments="%",
                    ndmin=2,
                    encoding=None,
                    converters={target: code_of},
                )
            except ValueError as error:
                raise DataError(
                    f"{where} holds something else than numbers and a class in its rows "
                    f"{start + 1:,} to {start + len(lines):,}: {error}"
                ) from None
            if block.shape[1] != n_columns:
                raise DataError(
                    f"{where} has {counted(block.shape[1], 'value')} in row {start + 1:,}, but "
                    f"{n_columns:,} are expected"
                )
            labels = list(codes)
            found = [labels[int(code)] for code in block[:, target]]
            _check_classes(found, start, where)
            yield block[:, features], found


def _check_classes(labels: Sequence[str | None], start: int, where: str) -> None:
    """Refuse a missing class among those of the rows after the first ``start``."""
    for row, label in enumerate(labels, start + 1):
        # NaN is the one value that differs from itself.
        if label is None or label != label or label == "":
            raise DataError(
                f"{where} has no class in row {row:,}; leave the row out, or complete it"
            )


def _open_parquet(
    path: Path, meta: dict[str, Any], where: str
) -> tuple[list[str], Iterator[Block]]:
    require_pyarrow(where, "Parquet")
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        names = [str(name) for name in file.schema_arrow.names]
    except Exception as error:  # pyarrow raises many kinds on damaged files
        raise DataError(f"{where} is a damaged Parquet file: {error}") from None
    features, target = _columns(names, meta, where)
    n_rows = max(1, _CELLS_A_BLOCK // len(names))

    def blocks() -> Iterator[Block]:
        start = 0
        try:
            for batch in file.iter_batches(n_rows):
                values = [batch.column(j).to_numpy(zero_copy_only=False) for j in features]
                labels = batch.column(target).to_pylist()
                _check_classes(["" if label == "?" else label for label in labels], start, where)
                start += len(labels)
                found = [str(label) for label in labels]
                yield np.column_stack(values).astype(np.float64), found
        except DataError:
            raise
        except Exception as error:  # as above, or text among the features
            raise DataError(f"{where} holds something else than numbers: {error}") from None

    return [names[j] for j in features], blocks()
