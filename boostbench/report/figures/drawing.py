"""What every figure shares: colours, fonts, files without dates, and SVGs to put into a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import LayoutEngine

INK, SOFT, BAND, PAPER = "#1b1f24", "#6a737d", "#d4d9df", "#ffffff"
# Okabe and Ito's palette, distinguishable with any colour vision.
BLUE, ORANGE, GREEN, PINK, AMBER, SKY, GREY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#5a6470",
)
FORMATS = ("png", "svg", "pdf")
# The page redefines these names where it is dark.
CSS_NAMES = {
    INK: "ink",
    SOFT: "soft",
    BAND: "band",
    PAPER: "page",
    GREEN: "reproduced",
    BLUE: "above",
    ORANGE: "below",
    GREY: "plain",
    PINK: "pink",
    AMBER: "amber",
    SKY: "sky",
}


@contextmanager
def style(svg_text: str) -> Iterator[None]:
    """Draw as the report does, whatever the user's settings; SVG text as "path" or "none"."""
    import matplotlib

    settings: dict[str, Any] = {
        "svg.hashsalt": "boostbench",
        "svg.fonttype": svg_text,
        "pdf.fonttype": 42,
        "font.family": "DejaVu Sans",
        "font.size": 8,
        "axes.edgecolor": SOFT,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.6,
        "text.color": INK,
        "text.parse_math": False,
        "xtick.color": INK,
        "ytick.color": INK,
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(cast(Any, settings))
        yield


def save(figure: Figure, kind: str) -> bytes:
    """Return ``figure`` as a file of one of :data:`FORMATS`: the same drawing, the same bytes."""
    # Dates and producers would make every file differ from the last one.
    metadata: dict[str, dict[str, Any]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    }
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=160, metadata=metadata[kind])
    return buffer.getvalue()


def layout() -> LayoutEngine:
    """Return how the parts of a figure are kept from overlapping."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)


def inline(figure: Figure, prefix: str) -> str:
    """Return an SVG to put into a page beside others: own ids, colours of the page."""
    text = save(figure, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, name in CSS_NAMES.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r'(<svg [^>]*?)\bwidth="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?)\bheight="[^"]*"', r"\1", text, count=1)
    return text.replace("font-family: 'DejaVu Sans'", "font-family: inherit")


def css_colours() -> Mapping[str, str]:
    """Return the figure's colours by the name of their CSS variable."""
    return {name: colour for colour, name in CSS_NAMES.items()}
