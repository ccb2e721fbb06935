"""Files of the user's cache: read whole and as they were written, or not at all."""

import contextlib
from pathlib import Path

_DIGEST_BYTES = 32


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
