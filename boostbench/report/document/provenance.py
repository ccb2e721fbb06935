"""The machines and commands of the runs, without paths, host names and times."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.sentences import legends
from boostbench.store.types import RecordedRun

PRIVATE = frozenset({"host", "hostname", "node", "user", "cwd", "executable", "prefix", "pid"})
# The folders of a path before its last part, an address after its protocol.
_FOLDERS = re.compile(r"""(?:[A-Za-z]:)?(?! )[^=:,'"\[\]{}…]*[/\\](?!/|…)""")
_SHARD = re.compile(r"\d+/\d+")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)\S*")


def where(
    environments: Mapping[str, Mapping[str, object]], runs: Sequence[RecordedRun]
) -> list[TextTable]:
    """Return the environments and commands of a report's trials."""
    return [_environments(environments), _commands(runs)]


def when(runs: Sequence[RecordedRun]) -> str:
    """Return the date of the last run, "" if it is unknown."""
    last = max((run.started for run in runs), default=None)
    return "" if last is None else time.strftime("Last run: %Y-%m-%d.", time.gmtime(last))


def _environments(environments: Mapping[str, Mapping[str, object]]) -> TextTable:
    """Return one column per environment and one row per property."""
    shown = {name[:12]: dict(flat(values)) for name, values in environments.items()}
    rows: list[dict[str, Item | str]] = []
    for key in dict.fromkeys(key for values in shown.values() for key in values):
        rows.append({"Property": key, **{name: own.get(key, "") for name, own in shown.items()}})
    title = "Environments" if len(shown) > 1 else "Environment"
    return make_table("environments", title, rows, ("Property", *shown))


def _commands(runs: Sequence[RecordedRun]) -> TextTable:
    """Return a row for each command line that recorded trials, with the commit at that time.

    Equal rows are merged, and rows are sorted, so that interruptions leave no trace.
    """
    names = ("Command", "Shard", "Commit", "Environment", "Machine")
    rows = [dict(zip(names, values, strict=True)) for values in sorted(set(map(_command, runs)))]
    return make_table("commands", "Command lines", rows, names, legend=legends.COMMANDS)


def _command(run: RecordedRun) -> tuple[str, str, str, str, str]:
    """Return a run as a row: its command, shard, commit, environment and machine."""
    return (
        command_line(run.command),
        run.shard,
        commit(run.details.get("git")),
        run.environment_id[:12],
        machine(run.details),
    )


def commit(git: Mapping[str, object] | None) -> str:
    """Return a commit's first digits, and whether there were changes; empty without a commit."""
    if not git:
        return ""
    return f"{str(git.get('commit', ''))[:12]}{' with changes' if git.get('dirty') else ''}"


def machine(details: Mapping[str, object]) -> str:
    """Return Python, the system, processors and memory of a run in words, where known."""
    parts = {
        "python": "Python {}",
        "system": "{}",
        "cpus": "{} processors",
        "memory_gib": "{:g} GiB",
    }
    known = [name for name in parts if details.get(name)]
    return ", ".join(parts[name].format(details[name]) for name in known)


def command_line(words: Sequence[str]) -> str:
    """Return the words of a command as one line, without the folders of paths and without hosts."""
    shown = [
        word if _SHARD.fullmatch(word) else _FOLDERS.sub("", _ADDRESS.sub(r"\1…", word))
        for word in words
    ]
    return " ".join(f"'{word}'" if " " in word else word for word in shown)


def flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Return (property, text) of a description, nested ones named in full, nothing private."""
    for key, value in values.items():
        if key.lower() in PRIVATE or value is None:
            continue
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}: ")
            continue
        listed = value if isinstance(value, list | tuple) else [value]
        if parts := [_item(item) for item in listed if not _is_path(item)]:
            yield f"{prefix}{key}", "; ".join(parts)


def _item(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {text}" for key, text in flat(value))
    return str(value)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and (
        PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()
    )
