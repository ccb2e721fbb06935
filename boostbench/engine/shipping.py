"""A user's own modules, sent as source to workers that have no copy of them."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.estimators import path_parts

_MAX_BYTES = 4 * 2**20
_MAX_FILES = 300


def sources(estimators: Iterable[str]) -> dict[str, bytes]:
    """Return the files of those estimators' modules that no installed package has, by their path.

    With a module go the Python files beside it and the packages beside it that are in use, since
    it may import them. Raises BoostbenchError for a module that is not Python source, or too big.
    """
    files: dict[str, bytes] = {}
    for name in own_modules(estimators):
        spec = importlib.util.find_spec(name)
        origin = Path(spec.origin) if spec is not None and spec.origin else None
        if origin is None or origin.suffix != ".py":
            raise BoostbenchError(
                f"the module {name} is not Python source and cannot be sent to workers; "
                "install it on them as a package"
            )
        is_package = origin.name == "__init__.py"
        folder = origin.parents[1] if is_package else origin.parent
        own = sorted((folder / name).rglob("*.py")) if is_package else [origin]
        beside = [*sorted(folder.glob("*.py")), *_packages_in_use(folder)]
        if not _fits([*own, *beside]):
            beside = []
        if not _fits(own):
            raise BoostbenchError(
                f"the module {name} is too big to be sent to workers (over 4 MiB or 300 files); "
                "install it on them as a package"
            )
        for path in (*beside, *own):
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def own_modules(estimators: Iterable[str]) -> list[str]:
    """Return the outermost modules of ``estimators`` that are in no installed package."""
    tops = dict.fromkeys(path_parts(path)[0] for path in estimators)
    unknown = [name for name in tops if name not in ("boostbench", "sklearn")]
    if not unknown:
        return []
    installed = metadata.packages_distributions()
    return [
        name for name in unknown if name not in installed and name not in sys.stdlib_module_names
    ]


def unpack(files: dict[str, bytes], folder: Path) -> None:
    """Write what :func:`sources` returned below ``folder``."""
    for name, content in files.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{name} leads out of its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def shadowed(estimators: Iterable[str], files: dict[str, bytes]) -> str | None:
    """Return why a module of this process hides one of ``files`` with another content, or None."""
    for name in dict.fromkeys(path_parts(path)[0] for path in estimators):
        sent = files.get(f"{name}.py", files.get(f"{name}/__init__.py"))
        if sent is None:
            continue
        spec = importlib.util.find_spec(name)
        if spec is None:
            continue
        origin = Path(spec.origin or "")
        if not origin.is_file() or _digest(origin.read_bytes()) != _digest(sent):
            return f"it has another module {name} ({origin}) than the one here"
    return None


def _packages_in_use(folder: Path) -> list[Path]:
    found: dict[Path, None] = {}
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and "." not in name and Path(path) == folder / name / "__init__.py":
            found.update(dict.fromkeys(sorted((folder / name).rglob("*.py"))))
    return list(found)


def _fits(paths: list[Path]) -> bool:
    return len(paths) <= _MAX_FILES and sum(p.stat().st_size for p in paths) <= _MAX_BYTES


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
