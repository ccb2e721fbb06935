"""What every figure shares: colours, text, files without dates, and SVGs to put into the page.

A figure is drawn once, in points: at 8 points for files, and for the page at the size of its text,
where colours become the page's own (dark or print) and text stays text.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import wrap
from typing import Any, cast

import matplotlib
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {
    "ink": "#1a1f25", "soft": "#57616c", "line": "#e3e7eb", "band": "#e3e9ef",
    "yes": "#15639f", "no": "#b03f0c", "weak": "#806000", "open": "#65707b",
    "m1": "#a04fb0", "m2": "#3558c0", "m3": "#14769d", "m4": "#0e7860", "m5": "#4f7a0d",
}  # fmt: skip
"""Contrast with the page is 4.5 or more; the page has others of these names where it is dark."""
METHODS = ("m1", "m2", "m3", "m4", "m5", "ink")
NARROW, WIDE = 3.25 * 72, 6.75 * 72
"""The widths of a column and of a page of a paper, in points."""
FILE_TEXT, PAGE_TEXT = 8.0, 12.5
KINDS = ("png", "svg", "pdf")
DPI, FONT = 160, "DejaVu Sans"
_METADATA: dict[str, dict[str, Any]] = {
    # Dates and producers would make every file differ from the last one.
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
}


@contextmanager
def style(text: float) -> Iterator[None]:
    """Draw as the report does, with text of so many points, whatever the user's settings."""
    settings: dict[str, Any] = {
        "svg.hashsalt": "boostbench", "svg.fonttype": "none", "pdf.fonttype": 42,
        "font.family": FONT, "font.size": text, "text.parse_math": False,
        "text.color": COLOURS["ink"], "lines.solid_capstyle": "butt", "axes.linewidth": 0.6,
        "figure.facecolor": "white", "axes.facecolor": "none",
    }  # fmt: skip
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(cast(Any, settings))
        yield


def sheet(width: float, height: float) -> Figure:
    """Return an empty figure of a size in points."""
    return Figure(figsize=(width / 72, height / 72), dpi=72)


def panel(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Return bare axes at a place in points from the upper left corner."""
    wide, high = (72 * side for side in figure.get_size_inches())
    axes = figure.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high))
    axes.tick_params(length=0, pad=4, colors=COLOURS["soft"])
    axes.minorticks_off()
    for spine in axes.spines.values():
        spine.set_visible(False)
    return axes


def titled_sheet(width: float, height: float, title: str, size: float) -> tuple[Figure, float]:
    """Return a figure with its title on as many lines as it takes, and where its rest begins."""
    lines = wrap(title, int(width / size / 0.64))
    top = size * (1.25 * len(lines) + 1)
    figure = sheet(width, top + height)
    figure.text(0, 1 - 0.2 * size / (top + height), "\n".join(lines), fontsize=size,
                fontweight="bold", va="top", linespacing=1.25)  # fmt: skip
    return figure, top


def text_width(words: str, size: float) -> float:
    """Return about how many points a text takes."""
    return 0.6 * size * len(words)


def files(figure: Figure) -> dict[str, bytes]:
    """Return a figure in each of :data:`KINDS`: the same drawing, the same bytes."""
    found = {}
    for kind in KINDS:
        buffer = io.BytesIO()
        with matplotlib.rc_context({"svg.fonttype": "path"}):
            figure.savefig(buffer, format=kind, dpi=DPI, metadata=_METADATA[kind])
        found[kind] = buffer.getvalue()
    return found


def inline(figure: Figure, words: str, shown: str = "") -> str:
    """Return a figure as an SVG in the page; ``words`` describe it, ``shown`` is its class."""
    figure.patch.set_visible(False)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata=_METADATA["svg"])
    text = buffer.getvalue()
    text = text[text.index("<g ", text.index("<svg")) : text.rindex("</svg>")]
    width, height = (round(72 * side) for side in figure.get_size_inches())
    title = escape(words)
    return (
        f'<svg class="fig {shown}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{title}"><title>{title}</title>'
        f"{_short(text)}</svg>"
    )


def _short(svg: str) -> str:
    """Return the same picture in fewer bytes, its colours by their names on the page."""
    for name, colour in COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = svg.replace("#ffffff", "var(--bg)")
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.S)
    svg = re.sub(r"<clipPath.*?</clipPath>|clip-path=\"[^\"]*\"", "", svg, flags=re.S)
    svg = re.sub(r"\s+", " ", svg).replace("> <", "><")
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"-?\d+\.\d+", _round, tag[0]), svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?|; stroke-linecap: (?:square|butt)", "", svg)
    svg = re.sub(r"font: ([^;\"]*?)([\d.]+px) [^;\"]*", _font, svg)
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"| transform="translate\(0 0\)"', "", svg)
    svg = _dots(svg)
    svg = re.sub(r'<defs><path [^>]*/></defs>|<defs></defs>|<defs/>| id="[^"]*"', "", svg)
    svg = re.sub(r" ?([LMCz]) ?", r"\1", svg.replace(' "', '"'))
    while (shorter := re.sub(r"<g ?/>|<g ?></g>", "", svg)) != svg:
        svg = shorter
    return _without_bare_groups(svg)


def _round(found: re.Match[str]) -> str:
    return f"{float(found[0]):.1f}".removesuffix(".0")


def _font(found: re.Match[str]) -> str:
    weight = "font-weight: 700; " if re.search("bold|[67]00", found[1]) else ""
    return f"{weight}font-size: {found[2]}"


def _dots(svg: str) -> str:
    """Return ``svg`` with its marks as paths and circles of their own, which need no names."""
    marks = dict(re.findall(r'<path id="([^"]+)" d="([^"]+)"', svg))

    def drawn(found: re.Match[str]) -> str:
        mark, x, y, look = found[1], found[2], found[3], found[4]
        radius = re.match(r"M 0 ([\d.]+) C", marks[mark])
        if radius:
            return f'<circle cx="{x}" cy="{y}" r="{radius[1]}" style="{look}"/>'
        return f'<path transform="translate({x} {y})" d="{marks[mark]}" style="{look}"/>'

    return re.sub(r'<use xlink:href="#([^"]+)" x="([^"]+)" y="([^"]+)" style="([^"]*)"/>',
                  drawn, svg)  # fmt: skip


def _without_bare_groups(svg: str) -> str:
    parts: list[str] = []
    bare: list[bool] = []
    for part in re.split(r"(</?g\b[^>]*>)", svg):
        if part == "</g>":
            if bare.pop():
                continue
        elif part.startswith("<g"):
            bare.append(part.rstrip(" >") == "<g")
            if bare[-1]:
                continue
        parts.append(part)
    return "".join(parts)
