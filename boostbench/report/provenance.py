"""Where the runs took place: versions, processor and threads, without paths or host names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from boostbench.report.page import Item, Table

PRIVATE = frozenset({"host", "hostname", "node", "user", "cwd", "executable", "prefix", "pid"})


def table(environments: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a column an environment and a row a property; where all agree, one column says so."""
    flat = {name: dict(_flatten(values)) for name, values in environments.items()}
    keys = list(dict.fromkeys(key for values in flat.values() for key in values))
    rows = [[Item(key), *(Item(values.get(key, "")) for values in flat.values())] for key in keys]
    header = ["Property", *(name[:12] for name in flat)]
    return Table(
        key="environments",
        title="Environments" if len(flat) > 1 else "Environment",
        header=header,
        rows=rows,
        left=frozenset(range(len(header))),
    )


def _flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if key.lower() in PRIVATE:
            continue
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{name}: ")
        elif isinstance(value, list | tuple):
            parts = [part for item in value for part in _item(item)]
            if parts:
                yield name, "; ".join(parts)
        elif value is not None and not _is_path(value):
            yield name, str(value)


def _item(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [", ".join(f"{key} {text}" for key, text in _flatten(value))]
    return [] if _is_path(value) else [str(value)]


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and (
        PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()
    )
