"""OpenML through its own ``openml`` package: the description, then the file of a data set.

The package is used only for the description, since it reads whole responses into memory, without a
time limit. The cache keeps the ARFF (or Parquet) file, downloaded like any other, and the needed
fields of the description. Later loads need neither the network nor the package.
"""

import contextlib
import hashlib
import json
import logging
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
import requests

from boostbench.data import bounds, download
from boostbench.data.access import DataAccess, host_of
from boostbench.data.attributes import parse_attributes
from boostbench.data.content import decode, read_file
from boostbench.data.frames import parse_frame
from boostbench.data.table import TEXT, Table
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError
from boostbench.values import Record

PUBLIC_SERVER = "https://www.openml.org/api/v1/xml"
NO_SUCH_ID = "there is no data set with this id"
# The package is configured for the whole process.
_CLIENT = threading.Lock()


@dataclass(frozen=True)
class _Description:
    """What OpenML says of a data set, as far as it is needed: its files and its columns."""

    arff_url: str
    md5: str | None
    parquet_url: str | None
    targets: Sequence[str]
    excluded: Sequence[str | None]


def fetch_file(dataset_id: int, access: DataAccess) -> tuple[Record, Path]:
    """Return description and file of the data set ``dataset_id``, from cache or network.

    The ARFF file, whose MD5 is known, is preferred; Parquet, without a checksum, is taken where it
    is unavailable, but not in place of one with another MD5.

    Raises
    ------
    NotLocal
        if it is not in the cache and ``access`` is offline
    Unreachable
        if the server does not answer
    DataError
        if it is unavailable
    """
    network, host = access.network, host_of(server_of(access))
    folder, where = cache_folder(dataset_id, access), f"OpenML {dataset_id}"
    with network.only_one(folder):
        if (stored := _cached_file(folder)) is not None:
            return stored
        if access.offline:
            raise download.NotLocal(
                f"{where} is not in the cache, and offline mode forbids fetching it"
            )
        describe = partial(_description, dataset_id, access)
        about = download.first_success(access, [(where, host, describe)])
        try:
            path = folder / "data.arff"
            checksum = about.md5 and f"md5:{about.md5}"
            download.download(access, [about.arff_url], path, checksum, where)
        except DataError:
            if about.arff_url in network.damaged or not about.parquet_url:
                raise
            path = folder / "data.pq"
            download.download(access, [about.parquet_url], path, None, where)
        return _save_description(about, path), path


def parse_dataset(meta: Record, path: Path, where: str, texts: TextFormat = PLAIN) -> Table:
    """Return the table of a result of :func:`fetch_file`, with the default target as its output.

    The row identifier and the attributes that OpenML marks as to be ignored are left out.
    """
    if path.suffix == ".pq":
        table = parse_frame(read_file(path), where, declared=True)
    else:
        # Line by line: the whole text of a large file would take more memory than its numbers.
        table = parse_attributes(lambda: _lines(path, where), where, texts)
    frame = table.frame[[name for name in table.names if name not in meta["exclude"]]]
    if frame.empty:
        raise DataError(f"{where} has no columns that are not to be ignored")
    targets = tuple(name for name in meta["targets"] if name in frame)
    return replace(table, frame=frame, outputs=targets)


def _lines(path: Path, where: str) -> Iterator[str]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield decode(line, where, first_line=number)


def join(tables: Iterable[tuple[int, Table]]) -> Table:
    """Return one table of the features of several OpenML data sets with the same rows.

    Rows are matched by number: every row must have the same class in all of the data sets.
    """
    first, *others = tables
    target = _target_of(first[1])
    parts = []
    for number, table in [first, *others]:
        mine = _target_of(table)
        if len(mine) != len(target):
            raise DataError(
                f"{table.where} has {len(mine):,} rows, but {first[1].where} has {len(target):,}"
            )
        differs = mine.astype(TEXT) != target.astype(TEXT)
        if differs.any():
            row = int(np.argmax(differs))
            raise DataError(
                f"row {row + 1:,} is of the class {target[row]!r} in {first[1].where} and of "
                f"{mine[row]!r} in {table.where}: their rows do not belong together"
            )
        # Joined data sets may have features of the same names.
        parts.append(table.frame.drop(columns=mine.name).add_prefix(f"{number}:"))
    where = " + ".join(table.where for _, table in [first, *others])
    return replace(first[1], frame=pd.concat([*parts, target], axis=1), where=where, lines=None)


def _target_of(table: Table) -> pd.Series:
    if len(table.outputs) != 1:
        raise DataError(f"{table.where} does not say which column is the target")
    return table.frame[table.outputs[0]]


def server_of(access: DataAccess) -> str:
    """Return the address of the OpenML API that ``access`` uses."""
    return access.openml_server or PUBLIC_SERVER


def cache_folder(dataset_id: int, access: DataAccess) -> Path:
    """Return the data set's folder in the cache, whether it exists or not."""
    server = access.openml_server
    tag = "" if server is None else "-" + hashlib.sha256(server.encode()).hexdigest()[:8]
    return access.cache_dir / "openml" / f"{dataset_id}{tag}"


def _cached_file(folder: Path) -> tuple[Record, Path] | None:
    """Return description and file, or None where they are missing or damaged."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        path = folder / Path(meta["file"]).name
        if pooch.file_hash(str(path)) == meta["sha256"]:
            return meta, path
    return None


def _description(dataset_id: int, access: DataAccess) -> _Description:
    """Return OpenML's description as parsed by the package; Failed if that is wrong."""
    import openml

    # The package logs warnings of uncompressed responses to the root logger.
    logging.getLogger().addFilter(_not_from_openml)

    def ask() -> _Description:
        with tempfile.TemporaryDirectory() as folder:
            openml.config.server = server_of(access)
            openml.config.set_root_cache_directory(folder)
            openml.config.connection_n_retries = access.attempts
            description = openml.datasets.get_dataset(dataset_id, download_data=False)
        targets = (description.default_target_attribute or "").split(",")
        ignored = ",".join(description.ignore_attribute or []).split(",")
        return _Description(
            arff_url=description.url or "",
            md5=description.md5_checksum,
            parquet_url=description._parquet_url,
            targets=[name.strip() for name in targets],
            excluded=[*map(str.strip, ignored), description.row_id_attribute],
        )

    host = host_of(server_of(access))
    try:
        with _CLIENT:
            return download.bounded(ask, access.network, bounds.READ_TIMEOUT_S)
    except TimeoutError:
        raise download.Unreachable({host: "no answer in time"}) from None
    except openml.exceptions.OpenMLServerNoResult:
        raise download.Failed(NO_SUCH_ID) from None
    except requests.RequestException as error:
        reason = download.connection_problem(error) or type(error).__name__
        raise download.Unreachable({host: reason}) from None
    except Exception as error:  # what else the package may raise is not documented
        raise download.Failed(
            f"the description is not as expected ({type(error).__name__}: "
            f"{' '.join(str(error).split())[:200]})"
        ) from None


def _not_from_openml(record: logging.LogRecord) -> bool:
    return "openml" not in Path(record.pathname).parts


def _save_description(about: _Description, path: Path) -> Record:
    """Write the needed fields of the description beside the file, and return them."""
    meta = {
        "targets": about.targets,
        "exclude": about.excluded,
        "file": path.name,
        "sha256": pooch.file_hash(str(path)),
    }
    (path.parent / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return meta
