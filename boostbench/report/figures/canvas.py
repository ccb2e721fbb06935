"""The code that all figures share: style, files without dates, and SVGs for the page.

A figure is drawn once, in points: at 8 points for files, and for the page at the size of its text,
where colours become the page's own (dark or print) and text stays text.
"""

import io
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import wrap

import matplotlib
import matplotlib.style
from markupsafe import escape
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

COLOURS = {
    "ink": "#1a1f25", "soft": "#57616c", "line": "#e3e7eb", "band": "#e3e9ef",
    "yes": "#15639f", "no": "#b03f0c", "weak": "#806000", "open": "#65707b", "bg": "#ffffff",
    "m1": "#a04fb0", "m2": "#3558c0", "m3": "#14769d", "m4": "#0e7860", "m5": "#4f7a0d",
    "m6": "#8a5a00", "m7": "#b0306a",
}  # fmt: skip
"""Contrast with the page is 4.5 or more; the dark page has its own colours of these names."""
NARROW, WIDE = 3.25 * 72, 6.75 * 72
"""The widths of a column and of a page of a paper, in points."""
FILE_TEXT, PAGE_TEXT = 8.0, 12.5
_STYLE = Path(__file__).with_name("boostbench.mplstyle")
_METADATA: dict[str, dict[str, object]] = {
    # With dates and producers, every file would differ from the previous one.
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
}


@contextmanager
def style(text: float) -> Iterator[None]:
    """Use the report's style, with text of so many points, whatever the user's settings."""
    sizes = {
        "font.size": text,
        "lines.linewidth": 0.13 * text,
        "lines.markersize": 0.45 * text,
        "lines.markeredgewidth": 0.1 * text,
        "axes.titlepad": 0.5 * text,
        "axes.labelpad": 0.3 * text,
    }
    with matplotlib.style.context([_STYLE, sizes], after_reset=True), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def text_size() -> float:
    """Return the size of text in the current style."""
    return float(matplotlib.rcParams["font.size"])


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Return a figure of a size in points, plus the height of its title."""
    size = text_size()
    lines = wrap(title, int(width / size / 0.64))
    figure = Figure(figsize=(width / 72, (height + 1.3 * size * len(lines)) / 72))
    if lines:
        figure.suptitle("\n".join(lines), x=0, ha="left")
    return figure


def ticks(low: float, high: float, log: bool = False, most: int = 5) -> list[float]:
    """Return about so many round numbers of an axis; powers of ten, if any, on a log axis."""
    logs = [LogLocator(numticks=most), LogLocator(subs=(1, 2, 5), numticks=most)] if log else []
    slack, inside = 1e-9 * abs(high), [low]
    for locator in (*logs, *(MaxNLocator(n, steps=[1, 2, 5, 10]) for n in (most, 2 * most))):
        values = map(float, locator.tick_values(low, high))
        inside = [value for value in values if low - slack <= value <= high + slack]
        if len(inside) > 1:
            break
    return inside[:: 1 + len(inside) // (most + 1)] or [low]


def files(figure: Figure, kinds: Iterable[str] = _METADATA) -> dict[str, bytes]:
    """Return a figure as these kinds of files, by their ending; equal drawings have equal bytes."""
    contents = {}
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for kind in kinds:
        buffer = io.BytesIO()
        with matplotlib.rc_context({"svg.fonttype": "path"}):
            figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
        contents[kind] = buffer.getvalue()
    return contents


def inline(figure: Figure, words: str, shown: str = "") -> str:
    """Return a figure as an SVG for the page; ``words`` describe it, ``shown`` is its class."""
    figure.patch.set_visible(False)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata=_METADATA["svg"])
    text = " ".join(buffer.getvalue().split())
    for name, colour in COLOURS.items():
        text = text.replace(colour, f"var(--{name})")
    marks = dict(re.findall(r'<path id="(\w+)" d="([^"]*)"', text))
    text = re.sub(r'<use xlink:href="#(\w+)" x="(\S*)" y="(\S*)"', partial(_mark, marks), text)
    drawn = re.sub("<[^>]+>", _shorten, _LEFT_OUT.sub("", text))
    width, height = (round(72 * side) for side in figure.get_size_inches())
    title = escape(words)
    return (
        f'<svg class="fig {shown}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{title}"><title>{title}</title>{drawn}</svg>'
    )


_LEFT_OUT = re.compile(
    r' ?(?:<(metadata|defs)>.*?</\1>|<path [^>]*style="fill: none"/>|<(?:[?!]|/?(?:svg|g)\b)[^>]*>)'
)
_NAMES = re.compile(r' (?:id|clip-path)="[^"]*"| transform="rotate\(-0[^"]*"|font-family: [^;]*; ?')


def _mark(marks: dict[str, str], found: re.Match[str]) -> str:
    """Return the start of the element that replaces a reference to a mark."""
    name, x, y = found.groups()
    if "C" in marks[name]:
        # The only mark with curves is a circle, which begins below its centre.
        return f'<circle cx="{x}" cy="{y}" r="{marks[name].split()[2]}"'
    return f'<path transform="translate({x} {y})" d="{marks[name]}"'


def _shorten(tag: re.Match[str]) -> str:
    """Return a tag without names, its numbers with one decimal."""
    text = _NAMES.sub("", tag[0])
    text = re.sub(r"-?\d+\.\d+", lambda one: f"{float(one[0]):.1f}".removesuffix(".0"), text)
    return re.sub(r" ?\b([LMCz])\b ?", r"\1", text)
