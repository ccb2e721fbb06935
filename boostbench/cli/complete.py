"""What the shell offers after a Tab. Quick: no import beyond names of files."""

import re
from pathlib import Path


def configs(incomplete: str) -> list[str]:
    """Return shipped configs, experiment files and folders that begin with ``incomplete``."""
    from boostbench.resources import shipped_dir

    names = sorted(path.stem for path in shipped_dir("configs").glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)] + _files(incomplete)


def _files(incomplete: str) -> list[str]:
    head, slash, tail = incomplete.rpartition("/")
    folder = Path(head + slash if slash else ".")
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        f"{head}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if path.name.startswith(tail)
        and (tail.startswith(".") or not path.name.startswith("."))
        and (path.suffix in {".yaml", ".yml"} or (slash and path.is_dir()))
    ]


def datasets(incomplete: str) -> list[str]:
    """Return the data set cards that begin with ``incomplete``."""
    from boostbench.resources import shipped_dir

    names = sorted(path.stem for path in shipped_dir("datasets").glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Return the registered methods that begin with ``incomplete``."""
    from boostbench.methods import method_names

    return [name for name in method_names() if name.startswith(incomplete)]


def configs_or_datasets(incomplete: str) -> list[str]:
    """Return what can be fetched: configs and data sets."""
    return configs(incomplete) + datasets(incomplete)


def only(incomplete: str) -> list[str]:
    """Return ``dataset=NAME`` and ``method=NAME`` for the option --only."""
    key, equals, value = incomplete.partition("=")
    if not equals:
        return [k for k in ("dataset=", "method=", "fold=", "seed=") if k.startswith(key)]
    offered = {"dataset": datasets, "method": methods}.get(key)
    return [f"{key}={name}" for name in offered(value)] if offered else []


_SETTINGS = (
    "curves", "folds", "limits.memory", "limits.time", "results", "scale_features", "scale_target",
    "seeds", "split_seed", "splits.n", "splits.test_size",
)  # fmt: skip


def settings(incomplete: str) -> list[str]:
    """Return ``KEY=`` for the option --set."""
    if re.search("=", incomplete):
        return []
    return [f"{key}=" for key in _SETTINGS if key.startswith(incomplete)]
