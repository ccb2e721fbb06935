"""``boostbench doctor``: the properties of this machine on which a benchmark depends."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

Facts = Iterator[tuple[str, object]]


def doctor() -> None:
    """Show versions, threads, folders and missing packages."""
    from boostbench.cli.screen import Screen
    from boostbench.engine.environment import run_facts, snapshot

    environment, run = snapshot(), run_facts()
    screen = Screen()
    screen.facts("Machine", [*_machine({**environment, **run})])
    screen.facts("Packages", [*(environment["packages"] | run["packages"]).items()])
    screen.facts("Folders", [*_folders()])
    screen.facts("Threads of this process", [*_threads()])
    screen.facts("Methods", [*_methods()])


def _machine(properties: Mapping[str, object]) -> Facts:
    from boostbench.engine.launch import forks
    from boostbench.engine.os_processes import processors

    for name, value in properties.items():
        if name != "packages":
            yield name, ", ".join(value) if isinstance(value, list) else value or "none"
    yield "usable cpus", processors()
    own = "a process each" if forks() else "a process per method, which its trials share"
    yield "trials of own code", own


def _folders() -> Facts:
    from boostbench.data.access import default_access
    from boostbench.errors import ConfigError

    yield "results", _place(Path("results"))
    try:
        access = default_access(None, offline=True)
        yield "cache", _place(access.cache_dir)
        yield "mirror", access.mirror or "none"
    except ConfigError as error:
        yield "mirror", error


def _place(folder: Path) -> str:
    """Return whether a folder can be written to, and its free space."""
    import shutil

    there = next(p for p in [folder.absolute(), *folder.absolute().parents] if p.exists())
    writable = "writable" if os.access(there, os.W_OK) else "READ-ONLY"
    return f"{folder}, {writable}, {shutil.disk_usage(there).free / 2**30:.1f} GiB free"


def _threads() -> Facts:
    from threadpoolctl import threadpool_info

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
