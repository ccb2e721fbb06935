"""Where and by which commands the runs took place: no paths, no host names, no clock."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from boostbench.report.table import Table, make_table
from boostbench.store.types import Run

PRIVATE = frozenset({"host", "hostname", "node", "user", "cwd", "executable", "prefix", "pid"})
_NAMED = {
    "boostbench": "boostbench", "python": "Python", "numpy": "NumPy", "scipy": "SciPy",
    "scikit-learn": "scikit-learn", "numba": "Numba",
}  # fmt: skip
_PATH = re.compile(r"(?:^|(?<==))(?:[/~]|\.\./|[A-Za-z]:[\\/])")
# Folders with spaces in their names are found in quoted paths.
_FOLDERS = re.compile(
    r"""(?<=')/(?:[^/'\n]+/)+(?=[^/'\n]*')|(?<=")/(?:[^/"\n]+/)+(?=[^/"\n]*")"""
    r"""|(?<![\w.:/\\])(?:[A-Za-z]:[/\\]|/)(?:[^\s/\\'"]+[/\\])+"""
)
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)\S*")


def where(environments: Mapping[str, Mapping[str, Any]], runs: Sequence[Run]) -> list[Table]:
    """Return where and by which commands the trials of a report ran."""
    return [_environments(environments), _commands(runs)]


def source(runs: Sequence[Run], environments: Mapping[str, Mapping[str, Any]]) -> str:
    """Return, in a line, when the last run began and with which versions trials were recorded."""
    known = [{**(each.get("packages") or {}), **each} for each in environments.values()]
    found = {
        words: dict.fromkeys(str(each[name]) for each in known if each.get(name))
        for name, words in _NAMED.items()
    }
    named = [f"{words} {' and '.join(own)}" for words, own in found.items() if own]
    text = [f"Recorded with {', '.join(named)}."] if named else []
    if runs:
        last = time.gmtime(max(run.started for run in runs))
        text.insert(0, time.strftime("Last run began on %Y-%m-%d at %H:%M UTC.", last))
    return " ".join(text)


def _environments(environments: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return one column per environment and one row per property."""
    shown = {name[:12]: dict(flat(values)) for name, values in environments.items()}
    rows = [
        {"Property": key} | {name: values.get(key, "") for name, values in shown.items()}
        for key in dict.fromkeys(key for values in shown.values() for key in values)
    ]
    title = "Environments" if len(shown) > 1 else "Environment"
    return make_table("environments", title, rows, ("Property", *shown))


def _commands(runs: Sequence[Run]) -> Table:
    """Return a row for each command line that recorded trials, with the commit it was run at.

    Equal rows are one, and rows are sorted: how often a run was interrupted leaves no trace.
    """
    names = ("Command", "Shard", "Commit", "Environment", "Machine")
    found = {
        (
            command_line(run.command),
            run.shard,
            commit(run.details.get("git")),
            run.environment_id[:12],
            machine(run.details),
        )
        for run in runs
    }
    return make_table(
        "commands",
        "Command lines",
        [dict(zip(names, values, strict=True)) for values in sorted(found)],
        names,
        legend="Folders are left out of the commands. Commit: that of the repository that holds "
        "the experiment file, where there is one.",
    )


def commit(git: Mapping[str, Any] | None) -> str:
    """Return a commit's first digits, and whether there were changes; empty without one."""
    if not git:
        return ""
    return f"{str(git.get('commit', ''))[:12]}{' with changes' if git.get('dirty') else ''}"


def machine(details: Mapping[str, Any]) -> str:
    """Return Python, the system, processors and memory of a run in words, where known."""
    parts = {
        "python": "Python {}", "system": "{}", "cpus": "{} processors", "memory_gib": "{:g} GiB",
    }  # fmt: skip
    return ", ".join(text.format(details[name]) for name, text in parts.items()
                     if details.get(name))  # fmt: skip


def command_line(words: Sequence[str]) -> str:
    """Return the words of a command as one line, without the folders of paths and without hosts."""
    shown = []
    for word in words:
        # A folder may have an equals sign in its name.
        path = _PATH.search(word)
        start = path.start() if path else word.rfind("=") + 1
        text = _FOLDERS.sub("", f"{word[:start]}{without_folder(word[start:])}")
        shown.append(f"'{text}'" if " " in text else text)
    return " ".join(shown)


def portable_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a data set's entry of an experiment without the folders of its file."""
    file = entry.get("file")
    return {**entry, "file": without_folder(str(file))} if file else dict(entry)


def without_folder(word: str) -> str:
    """Return the last part of a path outside the working folder, an address without its host.

    Other texts stay as they are.
    """
    if _ADDRESS.search(word):
        return _ADDRESS.sub(r"\1…", word)
    path = PureWindowsPath(word) if PureWindowsPath(word).is_absolute() else PurePosixPath(word)
    hidden = path.is_absolute() or ".." in path.parts or word.startswith("~")
    return (path.name or "…") if hidden else word


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Return (property, text) of a description, nested ones named in full, nothing private."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key.lower() in PRIVATE or value is None or _is_path(value):
            continue
        if isinstance(value, Mapping):
            yield from flat(value, f"{name}: ")
        elif not isinstance(value, list | tuple):
            yield name, str(value)
        elif parts := [_item(item) for item in value if not _is_path(item)]:
            yield name, "; ".join(parts)


def _item(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {text}" for key, text in flat(value))
    return str(value)


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and (
        PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()
    )
