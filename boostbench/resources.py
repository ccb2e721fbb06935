"""Where the shipped configs and data set cards lie, in a wheel and in a source checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped_dir(kind: str) -> Path:
    """Return the folder of shipped ``configs`` or ``datasets``."""
    bundled = _PACKAGE / "_shipped" / kind
    return bundled if bundled.is_dir() else _PACKAGE.parent / kind
