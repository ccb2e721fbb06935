"""Whether a worker elsewhere computes with the same sources and packages as this process."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from boostbench.engine.environment import snapshot

# In the order in which a difference is told.
_MUST_AGREE = ("python", "implementation", "machine", "settings")
_MAY_DIFFER = ("cpu", "instructions", "libc", "blas")


def source_hash() -> str:
    """Return 12 hex digits that installations with the same Python sources share."""
    import boostbench

    folder = Path(boostbench.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def identity(estimators: Iterable[str] = ()) -> dict[str, Any]:
    """Return, as JSON values, the sources and the environment of this process.

    ``estimators``: import paths, whose packages are told too.
    """
    return {"source": source_hash(), "environment": snapshot(estimators)}


def mismatch(ours: Mapping[str, Any], theirs: Mapping[str, Any], worker: str) -> str | None:
    """Return in one sentence why ``worker`` must not be used, or None if it may.

    ``ours`` and ``theirs`` come from :func:`identity`.
    """
    here, there = ours["environment"], theirs["environment"]
    packages, found = here["packages"], there["packages"]
    for name, version in packages.items():
        if name not in found:
            return (
                f"the worker {worker} has no {name}, here it is {name} {version}: "
                "install the same there"
            )
        if found[name] != version:
            return _refusal(worker, name, found[name], version)
    if theirs["source"] != ours["source"]:
        version = packages.get("boostbench", "")
        return (
            f"the worker {worker} has other sources of boostbench "
            f"({found.get('boostbench', '')}, sources {theirs['source']}) than here "
            f"({version}, sources {ours['source']}): install the same there"
        )
    for name in _MUST_AGREE:
        if here[name] != there[name]:
            return _refusal(worker, name, _text(there[name]), _text(here[name]))
    own_libraries, other_libraries = _libraries(here["blas"]), _libraries(there["blas"])
    # A process lists what it has loaded so far: one more library is no other library.
    if not (own_libraries <= other_libraries or other_libraries <= own_libraries):
        names = (_text(sorted(other_libraries)), _text(sorted(own_libraries)))
        return _refusal(worker, "linear algebra", *names)
    return None


def remark(ours: Mapping[str, Any], theirs: Mapping[str, Any], worker: str) -> str | None:
    """Return in one sentence what is different on ``worker`` though it may be used, or None."""
    here, there = ours["environment"], theirs["environment"]
    told = [
        f"{name} {_text(there[name])}, here {_text(here[name])}"
        for name in _MAY_DIFFER
        if here[name] != there[name]
    ]
    if not told:
        return None
    return (
        f"the worker {worker} has another processor or C library ({'; '.join(told)}): "
        "the last digits of results may depend on it"
    )


def _refusal(worker: str, name: str, theirs: str, ours: str) -> str:
    return f"the worker {worker} has {name} {theirs}, here it is {ours}: install the same there"


def _libraries(blas: Iterable[str]) -> set[str]:
    """Return names and versions without the kind of processor, which is told apart."""
    return {" ".join(text.split()[:2]) for text in blas}


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k}={v}" for k, v in sorted(value.items())) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)
