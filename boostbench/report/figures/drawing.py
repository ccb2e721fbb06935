"""What every figure shares: colours, fonts, files without dates, and SVGs to put into a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import LayoutEngine

INK, SOFT, BAND, PAPER = "#1b1f24", "#6a737d", "#d4d9df", "#ffffff"
# Okabe and Ito's first three. All are apart with any colour vision, on a white and on a dark page,
# and have a contrast of 3 with it (WCAG 1.4.11).
BLUE, ORANGE, GREEN, PINK, AMBER, VIOLET, GREY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b185aa",
    "#9b532e",
    "#5904a1",
    "#595959",
)
FORMATS = ("png", "svg", "pdf")
DPI, MOST_PIXELS = 160, 60_000
LABEL_LENGTH = 26
# The page has other colours of these names where it is dark.
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
    VIOLET: "violet",
}
DARK = {
    "ink": "#e6e9ed",
    "soft": "#9aa4af",
    "band": "#3a424c",
    "page": "#14181d",
    "reproduced": "#199f5c",
    "above": "#48bcff",
    "below": "#e5660a",
    "plain": "#848a8d",
    "pink": "#b561b5",
    "amber": "#f3d05d",
    "violet": "#a65af6",
}


_MARK = re.compile(r'<use xlink:href="([^"]*)" x="([^"]*)" y="([^"]*)"')
_ONE = _MARK.pattern.replace("(", "(?:")
_SAME_MARKS = re.compile(rf'{_ONE} style="([^"]*)"/>(?:\s*{_ONE} style="\1"/>)+')


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
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph")
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
    dpi = min(DPI, int(MOST_PIXELS / max(figure.get_size_inches())))
    figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata[kind])
    return buffer.getvalue()


def files(figure: Figure) -> dict[str, bytes]:
    """Return ``figure`` in each of :data:`FORMATS`."""
    # Laying out takes longer than drawing, and is the same for every format.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return {kind: save(figure, kind) for kind in FORMATS}


def shorten(label: str) -> str:
    """Return ``label`` as it fits beside a panel."""
    return label if len(label) <= LABEL_LENGTH else f"{label[: LABEL_LENGTH - 1]}…"


def text_width(labels: Iterable[str]) -> float:
    """Return about how many inches the longest of ``labels`` takes beside a panel."""
    return 0.075 * max((len(shorten(label)) for label in labels), default=0)


def rows(axes: Axes, labels: Sequence[str]) -> None:
    """Give ``axes`` a row per label, the first on top, and no frame but the axis below."""
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), [shorten(label) for label in labels])
    axes.tick_params(length=2, width=0.6)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.grid(axis="y", linewidth=0.25)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def interval(
    axes: Axes, row: int, ends: tuple[float, float], limits: tuple[float, float], colour: str
) -> None:
    """Draw an interval in a row, with an arrowhead where it continues outside the axis."""
    low, high = limits
    first, last = (max(low, min(high, end)) for end in ends)
    axes.hlines(row, first, last, color=colour, linewidth=1.2, zorder=3)
    for end, sign, outside in ((low, "<", ends[0] < low), (high, ">", ends[1] > high)):
        if outside:
            axes.plot(end, row, sign, markersize=3, color=colour, clip_on=False, zorder=3)


def beside(axes: Axes, row: int, text: str, colour: str = INK, weight: str = "normal") -> None:
    """Write ``text`` on the right of a row."""
    axes.annotate(
        text,
        (1.04, row),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=7,
        color=colour,
        fontweight=weight,
        annotation_clip=False,
    )


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
    text = text.replace("font-family: 'DejaVu Sans'", "font-family: inherit")
    return _SAME_MARKS.sub(_one_style, text)


def _one_style(marks: re.Match[str]) -> str:
    """Return marks that look alike in a group that says so once: a page has thousands of them."""
    places = "".join(
        f'<use xlink:href="{mark}" x="{float(x):.1f}" y="{float(y):.1f}"/>'
        for mark, x, y in _MARK.findall(marks[0])
    )
    return f'<g style="{marks[1]}">{places}</g>'


def css_colours() -> Mapping[str, str]:
    """Return the figure's colours by the name of their CSS variable."""
    return {name: colour for colour, name in CSS_NAMES.items()}
