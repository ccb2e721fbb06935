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
import threading
import time
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import psutil
import requests

from boostbench.data import archives, bounds
from boostbench.data.access import DataAccess, Transfer
from boostbench.data.attributes import parse_arff
from boostbench.data.delimited import decode
from boostbench.data.fetch import NotAtHand
from boostbench.data.frames import parse_parquet
from boostbench.data.network import (
    Interrupted,
    Network,
    Unreachable,
    connection_problem,
    host_of,
    unanswered,
)
from boostbench.data.table import PLAIN, Table, TextFormat
from boostbench.errors import DataError

PUBLIC_SERVER = "https://www.openml.org/api/v1/xml"
NO_SUCH_ID = "there is no data set with this id"

_POLL_S = 0.1
# Each child imports the package and its dependencies: seconds of processor time, 150 MiB.
_children = threading.BoundedSemaphore(2)


def fetch_dataset(dataset_id: int, access: DataAccess) -> tuple[dict[str, Any], bytes]:
    """Return description and content of the data set ``dataset_id``, from cache or network.

    :raises NotAtHand: if it is not in the cache and ``access`` is offline
    :raises Unreachable: if the server does not answer
    :raises DataError: if it is unavailable
    """
    meta, path = fetch_file(dataset_id, access)
    return meta, archives.read_file(path)


def fetch_file(dataset_id: int, access: DataAccess) -> tuple[dict[str, Any], Path]:
    """Return description and file of the data set ``dataset_id``, as :func:`fetch_dataset`."""
    network, server = access.known_network, server_of(access)
    folder = cache_folder(dataset_id, access)
    where = f"OpenML {dataset_id}"
    with network.only_one(folder):
        stored = _cached_file(folder)
        if stored is not None:
            return stored
        if access.offline:
            raise NotAtHand(f"{where} is not in the cache, and offline mode forbids fetching it")
        if network.down([server]):
            raise Unreachable(network.down([server]))
        key = f"{server} {dataset_id}"
        if key in network.failures:
            raise DataError(network.failures[key])
        try:
            _download(dataset_id, folder, access, network)
        except Unreachable as error:
            if network.mark_down(server, error.hosts[host_of(server)]):
                access.notify(f"{unanswered(error.hosts)}; it is not asked again")
            raise
        except DataError as error:
            network.failures[key] = str(error)
            raise
        network.origins[folder] = server
        stored = _cached_file(folder)
    if stored is None:
        raise DataError(f"{where} was downloaded, but the cache {folder} does not hold it")
    return stored


def parse_dataset(
    dataset_id: int, meta: dict[str, Any], content: bytes, texts: TextFormat = PLAIN
) -> Table:
    """Return the table of what :func:`fetch_dataset` gave, its default target as output.

    The row identifier and the attributes that OpenML marks as to be ignored are left out.

    :param texts: how it writes missing values
    :raises DataError: if it cannot be read
    """
    where = f"OpenML {dataset_id}"
    if meta["file"].endswith(".pq"):
        table = parse_parquet(content, where)
    else:
        table = parse_arff(decode(content, where), where, texts)
    columns = tuple(c for c in table.columns if c.name not in meta["exclude"])
    if not columns:
        raise DataError(f"{where} has no columns that are not to be ignored")
    targets = tuple(name for name in meta["targets"] if name in {c.name for c in columns})
    return replace(table, columns=columns, outputs=targets)


def server_of(access: DataAccess) -> str:
    """Return the address of the OpenML API that ``access`` means."""
    return access.openml_server or _server_set_by_caller() or PUBLIC_SERVER


def _server_set_by_caller() -> str | None:
    """Return the server in ``openml.config`` if this process uses the package itself."""
    config = getattr(sys.modules.get("openml"), "config", None)
    return getattr(config, "server", None)


def cache_folder(dataset_id: int, access: DataAccess) -> Path:
    """Return the folder that keeps the data set, whether it is there or not."""
    server = access.openml_server or _server_set_by_caller()
    tag = "" if server is None else "-" + hashlib.sha256(server.encode()).hexdigest()[:8]
    return access.cache_dir / "openml" / f"{dataset_id}{tag}"


def _cached_file(folder: Path) -> tuple[dict[str, Any], Path] | None:
    """Return description and file, or None where they are missing or damaged."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        path = folder / Path(meta["file"]).name
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == meta["sha256"]:
                return meta, path
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _download(dataset_id: int, folder: Path, access: DataAccess, network: Network) -> None:
    where, host = f"OpenML {dataset_id}", host_of(server_of(access))
    transfer = Transfer(f"{access.subject}: {where}" if access.subject else where, host)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=".fetching-", dir=folder.parent))
    except OSError as error:
        raise DataError(f"the cache folder {folder.parent} cannot be written: {error}") from None
    try:
        order = {
            "dataset_id": dataset_id,
            "server": access.openml_server or _server_set_by_caller(),
            "folder": str(working),
            "attempts": access.attempts,
            "delay_s": access.delay_s,
        }
        access.watch(transfer)
        answer = _run_child({"memory_bytes": _child_memory(), **order}, network.stopping)
        if "unreachable" in answer:
            raise Unreachable({host: answer["unreachable"]})
        if "error" in answer:
            raise DataError(f"{where}: {answer['error']}")
        transfer.received = sum(path.stat().st_size for path in (working / "kept").iterdir())
        transfer.complete = True
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
        # If another process was faster, its copy serves as well.
        with contextlib.suppress(OSError):
            (working / "kept").rename(folder)
    finally:
        shutil.rmtree(working, ignore_errors=True)
        transfer.ended = True
        access.watch(transfer)


def _child_memory() -> int:
    # The package holds an answer several times over; this machine has other things to do.
    return min(8 * bounds.MAX_DOWNLOAD_BYTES, int(psutil.virtual_memory().total) // 2)


def _run_child(order: dict[str, Any], stopping: threading.Event) -> dict[str, Any]:
    package_parent = str(Path(__file__).resolve().parents[2])
    paths = [package_parent, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    while not _children.acquire(timeout=_POLL_S):
        if stopping.is_set():
            raise Interrupted
    try:
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "boostbench.data.openml_client", json.dumps(order)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        ) as child:
            try:
                said = _wait(child, stopping)
            finally:
                child.kill()
    finally:
        _children.release()
    if said is None:
        return {"error": f"the download takes more than {bounds.DOWNLOAD_DEADLINE_S:.0f} s"}
    out, err = said
    try:
        answer: dict[str, Any] = json.loads(out.strip().rsplit("\n", 1)[-1])
    except ValueError:
        why = (err.strip().rsplit("\n", 1)[-1])[:200]
        return {"error": f"the openml package ended with exit code {child.returncode}: {why}"}
    return answer


def _wait(child: subprocess.Popen[str], stopping: threading.Event) -> tuple[str, str] | None:
    """Return what the child wrote, or None where its time is over before it ends."""
    deadline = time.monotonic() + bounds.DOWNLOAD_DEADLINE_S
    while time.monotonic() < deadline:
        if stopping.is_set():
            raise Interrupted
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_POLL_S)
    return None


def fetch_openml(
    dataset_id: int, server: str | None, folder: Path, attempts: int, delay_s: float
) -> str:
    """Let the ``openml`` package download into ``folder/kept``; return "" or what is wrong.

    Sets the package's configuration for the whole process. The ARFF file, whose MD5 the package
    checks, is preferred; Parquet is taken where the ARFF file is unavailable.

    :raises Unreachable: if the server does not answer
    """
    import openml

    if server is not None:
        openml.config.server = server
    openml.config.set_root_cache_directory(str(folder / "client"))
    openml.config.connection_n_retries = 1
    problem, unreachable = "", ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(delay_s * 2 ** (attempt - 1))
        last = attempt == attempts - 1
        for skip_parquet in ("true", "false") if last else ("true",):
            os.environ["OPENML_SKIP_PARQUET"] = skip_parquet
            unreachable = ""
            try:
                _keep(openml.datasets.get_dataset(dataset_id, download_data=True), folder)
                return ""
            except openml.exceptions.OpenMLServerNoResult:
                return NO_SUCH_ID
            except openml.exceptions.OpenMLPrivateDatasetError:
                return "the data set is private"
            except openml.exceptions.OpenMLHashException:
                problem = "the download does not have the MD5 that OpenML states"
                break
            except openml.exceptions.OpenMLServerException as error:
                problem = f"the server answers {error.message!r}"
            except openml.exceptions.OpenMLServerError as error:
                status = str(error).partition("Status code: ")[2].partition("\n")[0]
                problem = (
                    f"the server answers HTTP {status}"
                    if status and status != "200"
                    else "the server's answer is not OpenML's XML"
                )
            except requests.exceptions.ChunkedEncodingError:
                problem = "the download broke off before its end"
            except requests.RequestException as error:
                reason = connection_problem(error)
                asked = host_of(str(error.request.url)) if error.request is not None else ""
                if reason and asked == host_of(openml.config.server):
                    unreachable = reason
                problem = f"no connection{asked and f' to {asked}'}"
                problem += f" ({reason or type(error).__name__})"
            except MemoryError:
                return "the download is larger than is allowed"
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                problem = f"the description is not as expected ({type(error).__name__}: {error})"
    if unreachable:
        raise Unreachable({host_of(openml.config.server): unreachable})
    return problem


def _keep(dataset: Any, folder: Path) -> None:
    """Copy the downloaded file and the words that matter from the client's folder."""
    path = Path(dataset.data_file or dataset.parquet_file)
    kept = folder / "kept"
    kept.mkdir(exist_ok=True)
    name = "data.pq" if dataset.data_file is None else "data.arff"
    shutil.copyfile(path, kept / name)
    with (kept / name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    ignored = dataset.ignore_attribute or []
    row_id = dataset.row_id_attribute
    target = dataset.default_target_attribute
    meta = {
        "name": dataset.name,
        "targets": [part.strip() for part in target.split(",")] if target else [],
        "exclude": [*(part.strip() for item in ignored for part in item.split(",")), row_id],
        "file": name,
        "sha256": digest,
    }
    (kept / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def _limit_this_process(memory_bytes: int) -> None:
    """Bound memory, and give every request a time limit, which the package does not."""

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    timeout = (bounds.CONNECT_TIMEOUT_S, bounds.READ_TIMEOUT_S)
    requests.Session.request = partialmethod(  # type: ignore[method-assign,assignment]
        requests.Session.request, timeout=timeout
    )


def main(arguments: list[str]) -> int:
    """Carry out one order, given as JSON, and answer in one line of JSON on standard output."""
    order = json.loads(arguments[0])
    _limit_this_process(order.pop("memory_bytes"))
    answer = {}
    try:
        problem = fetch_openml(**{**order, "folder": Path(order["folder"])})
        answer = {"error": problem} if problem else {}
    except Unreachable as error:
        answer = {"unreachable": next(iter(error.hosts.values()))}
    except Exception as error:  # what the package may raise is not documented
        answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
