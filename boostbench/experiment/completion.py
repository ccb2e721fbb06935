"""What the shell offers after a Tab. Quick: no import beyond names of files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal


def configs(incomplete: str) -> list[str]:
    """Return shipped configs, experiment files and folders that begin with ``incomplete``."""
    return _shipped("configs", incomplete) + _files(incomplete)


def configs_or_datasets(incomplete: str) -> list[str]:
    """Return what can be fetched: configs and data sets."""
    return configs(incomplete) + _shipped("datasets", incomplete)


def only(incomplete: str) -> list[str]:
    """Return ``dataset=NAME`` and ``method=NAME`` for the option --only."""
    from boostbench.methods import method_names

    key, equals, value = incomplete.partition("=")
    if not equals:
        return _beginning(key, ("dataset=", "method=", "split_seed=", "fold=", "seed="))
    names = {"dataset": lambda: _shipped("datasets", value), "method": method_names}
    return [f"{key}={name}" for name in _beginning(value, names.get(key, list)())]


def _beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(text)]


def _shipped(kind: Literal["configs", "datasets"], incomplete: str) -> list[str]:
    from boostbench.resources import shipped_dir

    return _beginning(incomplete, sorted(path.stem for path in shipped_dir(kind).glob("*.yaml")))


def _files(incomplete: str) -> list[str]:
    head, slash, tail = incomplete.rpartition("/")
    try:
        found = sorted(Path(head + slash or ".").iterdir())
    except OSError:
        return []
    return [
        f"{head}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if path.name.startswith(tail)
        and (tail.startswith(".") or not path.name.startswith("."))
        and (path.suffix in {".yaml", ".yml"} or (slash and path.is_dir()))
    ]
