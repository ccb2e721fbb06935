"""Files of the user's cache: read whole and as they were written, or not at all.

Their names are digests of all that they depend on, of which installed code is a part.
"""

import contextlib
from collections.abc import Mapping
from pathlib import Path

_DIGEST_BYTES = 32


def state_of_packages(packages: Mapping[str, str]) -> list[str] | None:
    """Return version and place of those that are installed of ``packages``: distribution, module.

    None where a version does not name the code: where it is of a clone, or of no folder.
    """
    from importlib import metadata
    from importlib.machinery import PathFinder

    found = []
    for name, module in packages.items():
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        spec = PathFinder.find_spec(module)
        if not version or "dev" in version or "+" in version or spec is None or not spec.origin:
            return None
        try:
            found.append(f"{name} {version} {state_of_file(Path(spec.origin))}")
        except OSError:
            return None
    return found


def state_of_file(path: Path) -> str:
    """Return what changes where a file does, as Python does for compiled ones; raises OSError."""
    status = path.stat()
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def read_cached(path: Path) -> bytes | None:
    """Return the content of a file of :func:`write_cached`, None where it is missing or damaged."""
    import hashlib

    try:
        found = path.read_bytes()
    except OSError:
        return None
    digest, content = found[:_DIGEST_BYTES], found[_DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None


def write_cached(path: Path, content: bytes) -> None:
    """Write ``content`` with its digest, under another name until it is whole; raises OSError."""
    import hashlib
    import os
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
