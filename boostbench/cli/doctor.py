"""``boostbench doctor``: what of this machine a benchmark depends on."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
Facts = Iterator[tuple[str, Any]]


def doctor() -> None:
    """Show versions, threads, folders, what is missing."""
    from boostbench.cli.screen import Screen
    from boostbench.engine.environment import circumstances, snapshot

    known, more = snapshot(), circumstances()
    packages = known.pop("packages") | more.pop("packages")
    screen = Screen()
    screen.facts("Machine", [*_machine(known | more)])
    screen.facts("Packages", [*packages.items()])
    screen.facts("Folders", [*_folders()])
    screen.facts("Threads of this process", [*_threads()])
    screen.facts("Methods", [*_methods()])


def _machine(known: dict[str, Any]) -> Facts:
    from boostbench.engine.launch import forks
    from boostbench.engine.os_processes import processors

    for name, value in known.items():
        yield name, ", ".join(value) if isinstance(value, list) else value or "none"
    yield "usable cpus", processors()
    own = "a process each" if forks() else "a process per method, which its trials share"
    yield "trials of own code", own


def _folders() -> Facts:
    from boostbench.data.access import default_access
    from boostbench.errors import DataError
    from boostbench.resources import shipped_dir

    yield "results", _place(Path("results"))
    try:
        access = default_access(None, offline=True)
        yield "cache", _place(access.cache_dir)
        yield "mirror", access.mirror or "none"
    except DataError as error:
        yield "mirror", error
    yield "configs", shipped_dir("configs")
    yield "datasets", shipped_dir("datasets")


def _place(folder: Path) -> str:
    """Return whether a folder can be written to, and which journal SQLite can keep there."""
    import shutil
    import sqlite3
    import tempfile
    from contextlib import closing

    there = next(p for p in [folder.absolute(), *folder.absolute().parents] if p.exists())
    free = shutil.disk_usage(there).free / 2**30
    writable = "writable" if os.access(there, os.W_OK) else "READ-ONLY"
    try:
        with (
            tempfile.TemporaryDirectory(dir=there, prefix=".boostbench-") as probe,
            closing(sqlite3.connect(Path(probe) / "probe.sqlite")) as connection,
        ):
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            connection.execute("CREATE TABLE probe (x)")
            journal = f"SQLite journal {mode}"
    except (OSError, sqlite3.Error) as error:
        journal = f"SQLite cannot write: {error}"
    return f"{folder}, {writable}, {free:.1f} GiB free, {journal}"


def _threads() -> Facts:
    from threadpoolctl import threadpool_info

    for name in _THREADS:
        yield name, os.environ.get(name, "not set (workers set it to 1)")
    for pool in threadpool_info():
        yield pool["prefix"], f"{pool['num_threads']} threads, {pool['internal_api']}"


def _methods() -> Facts:
    from boostbench.errors import ConfigError
    from boostbench.estimators import unavailable
    from boostbench.methods import get_method, method_names

    for name in method_names():
        try:
            yield name, unavailable(get_method(name).estimator) or "ready"
        except ConfigError as error:
            yield name, error
