"""OpenML through its own ``openml`` package, which works in a process of its own.

The package reads whole answers into memory without a time limit, keeps pickles in its cache and
is not safe for several processes. So a child process with limits on time and memory lets it
download into a new folder; what is kept are the ARFF (or Parquet) file and the few words of its
description that matter. Later loads need neither the network nor the package.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import requests

from boostbench.data import archives, bounds
from boostbench.data.access import DataAccess, Network, host_of
from boostbench.data.attributes import parse_arff
from boostbench.data.delimited import decode
from boostbench.data.download import (
    NotAtHand,
    Unreachable,
    connection_problem,
    mark_down,
    wait,
    watched,
)
from boostbench.data.frames import parse_parquet
from boostbench.data.table import PLAIN, Table, TextFormat
from boostbench.errors import DataError

PUBLIC_SERVER = "https://www.openml.org/api/v1/xml"
NO_SUCH_ID = "there is no data set with this id"


def fetch_file(dataset_id: int, access: DataAccess) -> tuple[dict[str, Any], Path]:
    """Return description and file of the data set ``dataset_id``, from cache or network.

    Raises
    ------
    NotAtHand
        if it is not in the cache and ``access`` is offline
    Unreachable
        if the server does not answer
    DataError
        if it is unavailable
    """
    network, host = access.network, host_of(server_of(access))
    folder, where = cache_folder(dataset_id, access), f"OpenML {dataset_id}"
    with network.only_one(folder):
        stored = _cached_file(folder)
        if stored is not None:
            return stored
        if access.offline:
            raise NotAtHand(f"{where} is not in the cache, and offline mode forbids fetching it")
        if host in network.down:
            raise Unreachable({host: network.down[host]})
        key = f"{host} {dataset_id}"
        if key not in network.failures:
            answer = _download(dataset_id, folder, access)
            if "unreachable" in answer:
                unreachable = Unreachable({host: answer["unreachable"]})
                mark_down(access, unreachable)
                raise unreachable
            stored = _cached_file(folder)
            if stored is not None:
                network.origins[folder] = host
                return stored
            network.failures[key] = answer.get("error", f"the cache {folder} cannot be written")
        raise DataError(f"{where}: {network.failures[key]}")


def parse_dataset(meta: dict[str, Any], path: Path, where: str, texts: TextFormat = PLAIN) -> Table:
    """Return the table of what :func:`fetch_file` gave, its default target as output.

    The row identifier and the attributes that OpenML marks as to be ignored are left out.
    """
    if path.suffix == ".pq":
        table = parse_parquet(archives.read_file(path), where)
    else:
        # Line by line: the whole text of a large file would take more memory than its numbers.
        table = parse_arff(lambda: _lines(path, where), where, texts)
    frame = table.frame[[name for name in table.names if name not in meta["exclude"]]]
    if frame.empty:
        raise DataError(f"{where} has no columns that are not to be ignored")
    targets = tuple(name for name in meta["targets"] if name in frame)
    return replace(table, frame=frame, outputs=targets)


def _lines(path: Path, where: str) -> Iterator[str]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield decode(line, f"{where}:{number}")


def join(tables: Iterable[tuple[int, Table]]) -> Table:
    """Return one table of data sets of OpenML that have the same rows, each with its features.

    Rows belong together by their number: every row must have the same class in all of them.
    """
    first, *others = tables
    target = _target_of(first[1])
    parts = []
    for number, table in [first, *others]:
        mine = _target_of(table)
        if len(mine) != len(target):
            other_size = f"{first[1].where} has {len(target):,}"
            raise DataError(f"{table.where} has {len(mine):,} rows, but {other_size}")
        differs = mine.astype("str") != target.astype("str")
        if differs.any():
            row = int(np.argmax(differs))
            raise DataError(
                f"row {row + 1:,} is of the class {target[row]!r} in {first[1].where} and of "
                f"{mine[row]!r} in {table.where}: their rows do not belong together"
            )
        # Sets that are joined may call their features alike.
        parts.append(table.frame.drop(columns=mine.name).add_prefix(f"{number}:"))
    where = " + ".join(table.where for _, table in [first, *others])
    return replace(first[1], frame=pd.concat([*parts, target], axis=1), where=where, lines=None)


def _target_of(table: Table) -> pd.Series:
    if len(table.outputs) != 1:
        raise DataError(f"{table.where} does not say which column is the target")
    return table.frame[table.outputs[0]]


def server_of(access: DataAccess) -> str:
    """Return the address of the OpenML API that ``access`` means."""
    return access.openml_server or PUBLIC_SERVER


def cache_folder(dataset_id: int, access: DataAccess) -> Path:
    """Return the folder that keeps the data set, whether it is there or not."""
    server = access.openml_server
    tag = "" if server is None else "-" + hashlib.sha256(server.encode()).hexdigest()[:8]
    return access.cache_dir / "openml" / f"{dataset_id}{tag}"


def _cached_file(folder: Path) -> tuple[dict[str, Any], Path] | None:
    """Return description and file, or None where they are missing or damaged."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        path = folder / Path(meta["file"]).name
        if _sha256_of(path) == meta["sha256"]:
            return meta, path
    return None


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(dataset_id: int, folder: Path, access: DataAccess) -> dict[str, str]:
    """Have a child process download; return what is wrong, nothing where ``folder`` is there."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=".fetching-", dir=folder.parent))
    except OSError as error:
        raise DataError(f"the cache folder {folder.parent} cannot be written: {error}") from None
    order = {
        "memory_bytes": _child_memory(),
        "dataset_id": dataset_id,
        "server": access.openml_server,
        "folder": str(working),
        "attempts": access.attempts,
    }
    try:
        with watched(access, f"OpenML {dataset_id}", host_of(server_of(access))) as transfer:
            answer = _run_child(order, access.network)
            if not answer:
                shutil.rmtree(folder, ignore_errors=True)
                kept = working / "kept"
                transfer.received = sum(path.stat().st_size for path in kept.iterdir())
                # If another process was faster, its copy serves as well.
                with contextlib.suppress(OSError):
                    kept.rename(folder)
                transfer.complete = True
    finally:
        shutil.rmtree(working, ignore_errors=True)
    return answer


def _child_memory() -> int:
    # The package holds an answer several times over; this machine has other things to do.
    return min(8 * bounds.MAX_DOWNLOAD_BYTES, int(psutil.virtual_memory().total) // 2)


def _run_child(order: dict[str, Any], network: Network) -> dict[str, str]:
    package_parent = str(Path(__file__).resolve().parents[2])
    paths = [package_parent, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "boostbench.data.openml", json.dumps(order)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    ) as child:
        said = ["", ""]

        def done(seconds: float) -> bool:
            with contextlib.suppress(subprocess.TimeoutExpired):
                said[:] = child.communicate(timeout=seconds)
                return True
            return False

        try:
            if not wait(done, network):
                return {"error": f"the download takes more than {bounds.DOWNLOAD_DEADLINE_S:g} s"}
        finally:
            child.kill()
    try:
        answer: dict[str, str] = json.loads(said[0].strip().rsplit("\n", 1)[-1])
    except ValueError:
        why = (said[1].strip().rsplit("\n", 1)[-1])[:200]
        return {"error": f"the openml package ended with exit code {child.returncode}: {why}"}
    return answer


def fetch_openml(dataset_id: int, server: str | None, folder: Path, attempts: int) -> str:
    """Let the ``openml`` package download into ``folder/kept``; return "" or what is wrong.

    Sets the package's configuration for the whole process. The ARFF file, whose MD5 the package
    checks, is preferred; Parquet is taken where the ARFF file is unavailable. Raises Unreachable if
    the server does not answer.
    """
    import openml

    if server is not None:
        openml.config.server = server
    openml.config.set_root_cache_directory(str(folder / "client"))
    openml.config.connection_n_retries = attempts
    problem = ""
    for skip_parquet in ("true", "false"):
        os.environ["OPENML_SKIP_PARQUET"] = skip_parquet
        try:
            _keep(openml.datasets.get_dataset(dataset_id, download_data=True), folder)
            return ""
        except openml.exceptions.OpenMLServerNoResult:
            return NO_SUCH_ID
        except openml.exceptions.OpenMLHashException:
            return "the download does not have the MD5 that OpenML states"
        except openml.exceptions.OpenMLServerException as error:
            problem = f"the server answers {error.message!r}"
        except openml.exceptions.OpenMLServerError as error:
            status = str(error).partition("Status code: ")[2].partition("\n")[0]
            problem = f"the server answers HTTP {status}, without OpenML's XML"
        except requests.exceptions.ChunkedEncodingError:
            problem = "the download broke off before its end"
        except requests.RequestException as error:
            reason = connection_problem(error) or type(error).__name__
            asked = "" if error.request is None else host_of(str(error.request.url))
            if asked == host_of(openml.config.server):
                raise Unreachable({asked: reason}) from None
            problem = f"no connection to {asked} ({reason})"
        except MemoryError:
            return "the download is larger than is allowed"
        except Exception as error:  # what else the package may raise is not documented
            why = " ".join(str(error).split())[:200]
            problem = f"the description is not as expected ({type(error).__name__}: {why})"
    return problem


def _keep(dataset: Any, folder: Path) -> None:
    """Copy the downloaded file and the words that matter from the client's folder."""
    kept = folder / "kept"
    kept.mkdir(exist_ok=True)
    name = "data.pq" if dataset.data_file is None else "data.arff"
    shutil.copyfile(dataset.data_file or dataset.parquet_file, kept / name)
    target = dataset.default_target_attribute
    ignored = ",".join(dataset.ignore_attribute or []).split(",")
    meta = {
        "name": dataset.name,
        "targets": [part.strip() for part in target.split(",")] if target else [],
        "exclude": [*(part.strip() for part in ignored), dataset.row_id_attribute],
        "file": name,
        "sha256": _sha256_of(kept / name),
    }
    (kept / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Carry out one order, given as JSON, and answer in one line of JSON on standard output."""
    order = json.loads(arguments[0])
    memory = order.pop("memory_bytes")
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    # The package gives its requests no time limit.
    requests.Session.request = partialmethod(  # type: ignore[method-assign,assignment]
        requests.Session.request, timeout=(bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
    )
    try:
        problem = fetch_openml(**{**order, "folder": Path(order["folder"])})
        answer = {"error": problem} if problem else {}
    except Unreachable as error:
        answer = {"unreachable": next(iter(error.hosts.values()))}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
