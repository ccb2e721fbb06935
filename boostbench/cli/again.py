"""The line that goes on with a run, or runs a part of it again, told by several commands."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def command_record(
    config: str,
    overrides: Sequence[str],
    mirror: Path | None,
    offline: bool,
    *,
    shard: str = "",
    cluster: str = "",
    cluster_config: Path | None = None,
) -> dict[str, Any]:
    """Return, as JSON, what the command of a run said of the experiment, its data and its place."""
    return {
        "config": config,
        "overrides": list(overrides),
        "mirror": None if mirror is None else str(mirror.expanduser().absolute()),
        "offline": offline,
        "shard": shard,
        "cluster": cluster,
        "cluster_config": None if cluster_config is None else str(cluster_config.absolute()),
    }


def run_line(record: Mapping[str, Any], *more: str) -> str:
    """Return the command of :func:`command_record`, and ``more`` words, as a line for a shell.

    ``record`` may be the whole record of an experiment, and older than some of these keys.
    """
    words = ["boostbench", "run", str(record.get("config") or record.get("name") or "")]
    for override in record.get("overrides") or []:
        words += ["--set", str(override)]
    if record.get("mirror"):
        words += ["--mirror", str(record["mirror"])]
    if record.get("offline"):
        words.append("--offline")
    for option in ("shard", "cluster", "cluster_config"):
        if record.get(option):
            words += [f"--{option.replace('_', '-')}", str(record[option])]
    return shlex.join([*words, *more])
