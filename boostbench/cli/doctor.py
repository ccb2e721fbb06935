"""``boostbench doctor``: what of this machine a benchmark depends on."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boostbench.cli.console import Screen

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def doctor() -> None:
    """Show versions, threads, folders, what is missing."""
    from boostbench.cli.console import Screen

    screen = Screen()
    _machine(screen)
    _folders(screen)
    _threads(screen)
    _methods(screen)


def _section(screen: "Screen", title: str, rows: list[tuple[str, Any]]) -> None:
    screen.say(title, "bold")
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        screen.say(f"  {name:<{width}}  {value}")


def _machine(screen: "Screen") -> None:
    from boostbench.engine.environment import circumstances, snapshot
    from boostbench.engine.launch import forks
    from boostbench.engine.os_processes import processors
    from boostbench.kernels.jit import without_linking

    known, more = snapshot(), circumstances()
    packages = known.pop("packages") | more.pop("packages")
    known |= more
    rows = [
        (name, ", ".join(v) if isinstance(v, list) else v or "none") for name, v in known.items()
    ]
    kernels = "compiled and linked with what they call"
    if without_linking:
        kernels = f"compiled by plain njit, with other last bits ({without_linking})"
    own = "a process each" if forks() else "a process per method, which its trials share"
    rows += [("usable cpus", processors()), ("kernels", kernels), ("trials of own code", own)]
    _section(screen, "Machine", rows)
    _section(screen, "Packages", list(packages.items()))


def _folders(screen: "Screen") -> None:
    import shutil

    from boostbench.data.access import default_access
    from boostbench.errors import DataError
    from boostbench.resources import shipped_dir

    rows: list[tuple[str, Any]] = []
    try:
        access = default_access(None, offline=True)
        cache, mirror = access.cache_dir, str(access.mirror or "none")
    except DataError as error:
        cache, mirror = None, str(error)
    for name, folder in [("results", Path("results")), ("cache", cache)]:
        if folder is None:
            continue
        there = next(p for p in [folder.absolute(), *folder.absolute().parents] if p.exists())
        free = shutil.disk_usage(there).free / 2**30
        writable = "writable" if os.access(there, os.W_OK) else "READ-ONLY"
        rows.append((name, f"{folder}, {writable}, {free:.1f} GiB free, {_journal(there)}"))
    rows.append(("mirror", mirror))
    rows += [(kind, shipped_dir(kind)) for kind in ("configs", "datasets")]
    _section(screen, "Folders", rows)


def _journal(folder: Path) -> str:
    """Return which journal SQLite can keep on the file system of ``folder``."""
    import sqlite3
    import tempfile

    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".boostbench-") as probe:
            connection = sqlite3.connect(Path(probe) / "probe.sqlite")
            try:
                mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
                connection.execute("CREATE TABLE probe (x)")
            finally:
                connection.close()
    except (OSError, sqlite3.Error) as error:
        return f"SQLite cannot write: {error}"
    return f"SQLite journal {mode}"


def _threads(screen: "Screen") -> None:
    from threadpoolctl import threadpool_info

    rows: list[tuple[str, Any]] = [
        (name, os.environ.get(name, "not set (workers set it to 1)")) for name in _THREADS
    ]
    for pool in threadpool_info():
        rows.append((pool["prefix"], f"{pool['num_threads']} threads, {pool['internal_api']}"))
    _section(screen, "Threads of this process", rows)


def _methods(screen: "Screen") -> None:
    from boostbench.errors import ConfigError
    from boostbench.methods import get_method, method_names

    rows = []
    for name in method_names():
        try:
            reason = get_method(name).requires()
        except ConfigError as error:
            reason = str(error)
        rows.append((name, reason or "ready"))
    _section(screen, "Methods", rows)
