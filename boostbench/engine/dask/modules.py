"""The sources of a user's own modules, sent to workers that have no copy of them."""

import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path

from boostbench.user_code import own_sources


def sources(estimators: Iterable[str]) -> dict[str, bytes]:
    """Return the own files behind those import paths, by name below a folder on ``sys.path``."""
    return {
        name: path.read_bytes()
        for estimator in estimators
        for name, path in own_sources(estimator).files.items()
    }


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of :func:`sources` below ``folder``."""
    for name, content in files.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{name} leads out of its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def shadowed(files: Mapping[str, bytes]) -> str | None:
    """Return why a module of this process hides one of ``files`` with other content, or None."""
    for top in dict.fromkeys(name.partition("/")[0].removesuffix(".py") for name in files):
        sent = files.get(f"{top}.py", files.get(f"{top}/__init__.py"))
        spec = importlib.util.find_spec(top)
        if sent is None or spec is None:
            continue
        origin = Path(spec.origin or "")
        if not origin.is_file() or origin.read_bytes() != sent:
            return f"it has another module {top} ({origin}) than the one here"
    return None
