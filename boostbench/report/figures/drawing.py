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
FONT = "DejaVu Sans"
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


@contextmanager
def style(svg_text: str) -> Iterator[None]:
    """Draw as the report does, whatever the user's settings; SVG text as "path" or "none"."""
    import matplotlib

    settings: dict[str, Any] = {
        "svg.hashsalt": "boostbench",
        "svg.fonttype": svg_text,
        "pdf.fonttype": 42,
        "font.family": FONT,
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
    return _short(text.replace(f"font-family: '{FONT}'", "font-family: inherit"))


def _short(svg: str) -> str:
    """Return the same picture in fewer bytes: a page has dozens of panels.

    Ids to which nothing refers, groups that say nothing, blanks between elements and digits beyond
    a hundredth of a point are left out. Text is as it was.
    """
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r">\s+<", "><", svg)
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+|\s+(?=\")", r"\1", tag[0]), svg)
    svg = re.sub(r"\s*\n\s*", " ", svg).strip()
    svg = _with_circles(re.sub(r' transform="rotate\(-0 [^"]*"', "", svg))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", svg)
    svg = re.sub(r"<defs><path d=[^>]*/></defs>|<defs></defs>", "", svg)
    return _without_empty_groups(svg)


def _with_circles(svg: str) -> str:
    """Return ``svg`` with a circle for each use of a round mark, those of one look in a group.

    A browser copies a mark wherever it is used, which takes seconds for thousands of runs.
    """
    radii = dict(re.findall(r'<path id="([^"]+)" d="M 0 ([\d.]+) C [^"]+"', svg))

    def circles(found: re.Match[str]) -> str:
        mark, style = found[2], found[3]
        if mark not in radii:
            return found[0]
        places = re.findall(r' x="([^"]+)" y="([^"]+)"', found[0])
        drawn = (f'<circle cx="{x}" cy="{y}" r="{radii[mark]}"/>' for x, y in places)
        return f'<g style="{style}">{"".join(drawn)}</g>'

    use = r'<use xlink:href="#{}" x="[^"]+" y="[^"]+" style="{}"/>'
    first, others = use.format('([^"]+)', '([^"]*)'), use.format(r"\2", r"\3")
    return re.sub(f"({first}(?:{others})+)", circles, svg)


def _without_empty_groups(svg: str) -> str:
    """Return ``svg`` without the tags of groups that have no attribute."""
    parts: list[str] = []
    bare: list[bool] = []
    for part in re.split(r"(</?g\b[^>]*>)", svg):
        if part.startswith("<g") and part.endswith("/>"):
            # An empty group.
            continue
        if part == "</g>":
            if bare.pop():
                continue
        elif part.startswith("<g"):
            bare.append(part == "<g>")
            if bare[-1]:
                continue
        parts.append(part)
    return "".join(parts)


def css_colours() -> Mapping[str, str]:
    """Return the figure's colours by the name of their CSS variable."""
    return {name: colour for colour, name in CSS_NAMES.items()}
