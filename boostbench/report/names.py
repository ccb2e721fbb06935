"""The names of the figures that a report writes."""

import re

MAIN, MEANS, RANKS, ERRORS = "figure", "means", "ranks", "-errors"
_TAKEN = {"table", "trials", "times", MAIN, MEANS, RANKS}


def file_stem(name: str) -> str:
    """Return ``name`` as the stem of a file on any system, never that of the report's own files."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")[:100] or "curves"
    return f"figure_{stem}" if stem in _TAKEN else stem
