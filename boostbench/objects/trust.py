"""Whose stored objects these are: loading those of others runs code that they have chosen."""

import hashlib
from collections.abc import Sequence
from importlib.machinery import all_suffixes
from pathlib import Path

from boostbench.data.access import default_access
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.objects.names import FOLDER, digest_in, is_saved, pickle_name
from boostbench.objects.places import is_sent
from boostbench.values import Record
from boostbench.yamltree import read_yaml

_MADE_HERE = "made-here"


def note_made_here(content: bytes) -> None:
    """Note in the user's cache that a file of this content was written here."""
    path = _mark(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def refuse_others_code(config: Path, *, is_archived: bool) -> None:
    """Raise ConfigError where an archive, or an experiment from Python, has code of someone else.

    That is a file of code beside an archived experiment file, a stored object, or whatever else an
    experiment from Python names that is not installed. Other experiment files are the user's own.
    """
    paths = code_of(config)
    for path in paths if any(map(is_saved, paths)) else ():
        if not is_saved(path) and not is_sent(path.partition(":")[0]):
            continue
        files = files_of(path, config.parent)
        if not files or not all(map(_is_made_here, files)):
            raise _others(config, f"names {path}")
    for file in sorted(config.parent.rglob("*")) if is_archived else ():
        # Python itself keeps compiled modules there, and loads them only beside their source.
        is_kept_by_python = file.parent.name == "__pycache__"
        if is_code(file.name) and not is_kept_by_python and not _is_made_here(file):
            raise _others(config, f"has {file.relative_to(config.parent)}")


def is_code(name: str) -> bool:
    """Return whether loading a file of this name runs what is in it."""
    return name.endswith((".pickle", *all_suffixes()))


def _others(config: Path, what: str) -> ConfigError:
    return ConfigError(
        f"{config} {what}, which was not stored by you on this machine: loading it runs code of "
        "whoever made it; add --trust if you trust them"
    )


def files_of(path: str, folder: Path) -> list[Path]:
    """Return the files of a stored object beside an experiment file; none for any other path."""
    if not is_saved(path):
        return []
    digest = digest_in(path)
    return [folder / f"{path.partition(':')[0]}.py", folder / FOLDER / pickle_name(digest)]


def code_of(config: Path) -> list[str]:
    """Return the import paths that an experiment file names; none where it cannot be read."""
    try:
        values: object = read_yaml(config).value
    except BoostbenchError:
        return []
    if not isinstance(values, dict):
        return []
    methods, metrics = _mappings(values.get("methods")), _mappings(values.get("metrics"))
    divided = [values, *_mappings(values.get("datasets"))]
    named = [
        *_values(methods, "estimator"),
        *_values(metrics, "function"),
        *_values(_mappings(_values(divided, "splits")), "splitter"),
    ]
    # The name of a metric may be that of its function.
    names = [
        values.get("metric"),
        *_listed(values.get("metrics")),
        *_values(metrics, "name"),
        *_values(_mappings(_values(methods, "choose")), "by"),
    ]
    named += [name for name in names if ":" in str(name)]
    return list(dict.fromkeys(path for path in named if isinstance(path, str)))


def _mappings(entries: object) -> list[Record]:
    """Return the entries of a list that are mappings."""
    return [each for each in _listed(entries) if isinstance(each, dict)]


def _values(entries: Sequence[Record], key: str) -> list[object]:
    """Return the value of a key in each entry, ``None`` where it has none."""
    return [each.get(key) for each in entries]


def _listed(entries: object) -> list[object]:
    """Return a list as it is, and nothing for any other value."""
    return entries if isinstance(entries, list) else []


def _is_made_here(path: Path) -> bool:
    return path.is_file() and _mark(path.read_bytes()).is_file()


def _mark(content: bytes) -> Path:
    folder = default_access(offline=True).cache_dir / _MADE_HERE
    return folder / hashlib.sha256(content).hexdigest()
