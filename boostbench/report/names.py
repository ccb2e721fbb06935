"""The names of the formats of a report, and of the figures that it writes."""

import re

MAIN = "figure"
MEANS = "means"
RANKS = "ranks"
ERRORS = "-errors"
FIGURE_KINDS = ("png", "svg", "pdf")
FIGURE = "figure"
FORMATS = ("md", "csv", "latex", "html", FIGURE)
"""The formats that a run writes, and a report for which none is named."""
_TAKEN = {"table", "trials", "times", MAIN, MEANS, RANKS}


def file_stem(name: str) -> str:
    """Return ``name`` as the stem of a file on any system, never that of the report's own files."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")[:100] or "curves"
    return f"figure_{stem}" if stem in _TAKEN else stem
