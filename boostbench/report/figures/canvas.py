"""The code that all figures share: style, files without dates, and SVGs for the page.

A figure is drawn once, in points: at 7 points for files, which have the width of a column of a
paper, and for the page at the size of its text, where colours become the page's own (dark or print)
and text stays text.
"""

import io
import math
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import matplotlib
import matplotlib.style
from markupsafe import escape
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import LogLocator, MaxNLocator

from boostbench.report.words import in_lines

COLOURS = {
    "ink": "#1a1f25",
    "soft": "#57616c",
    "line": "#e3e7eb",
    "band": "#e3e9ef",
    "yes": "#15639f",
    "no": "#b03f0c",
    "weak": "#806000",
    "open": "#65707b",
    "bg": "#ffffff",
    "m1": "#a04fb0",
    "m2": "#3558c0",
    "m3": "#14769d",
    "m4": "#0e7860",
    "m5": "#4f7a0d",
    "m6": "#8a5a00",
    "m7": "#b0306a",
}
"""Contrast with the page is 4.5 or more; the dark page has its own colours of these names."""
COLUMN = 85 / 25.4 * 72
"""The width of a column of a paper, 85 mm, in points."""
MOST_HEIGHT = 590.0
"""The height of a column above a caption, in points."""
FILE_TEXT, PAGE_TEXT = 7.0, 12.5
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
        "xtick.major.pad": 0.5 * text,
        "axes.titlepad": 0.4 * text,
        "axes.labelpad": 0.3 * text,
    }
    with matplotlib.style.context([_STYLE, sizes], after_reset=True), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def text_size() -> float:
    """Return the size of text in the current style."""
    return float(matplotlib.rcParams["font.size"])


def text_width(text: str) -> float:
    """Return the width of a text in the current style, in points."""
    return _text_width(text, text_size())


@cache
def _text_width(text: str, size: float) -> float:
    font = FontProperties(family="DejaVu Sans", size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def wrapped(text: str, width: float) -> list[str]:
    """Return a text in lines of at most ``width`` points, broken within words only if need be."""
    lines = in_lines(text, width, text_width)
    return [part for line in lines for part in _broken(line, width + text_size())]


def _broken(word: str, width: float) -> list[str]:
    """Return a word in parts of at most ``width`` points."""
    parts = [""]
    for letter in word:
        if text_width(parts[-1] + letter) > width:
            parts.append("")
        parts[-1] += letter
    return parts


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of a size in points."""
    return Figure(figsize=(width / 72, height / 72))


def ticks(low: float, high: float, log: bool = False, most: int = 5) -> list[float]:
    """Return about so many round numbers of an axis; powers of ten, if any, on a log axis."""
    logs = [LogLocator(subs=subs, numticks=most) for subs in _LOG_STEPS] if log else []
    slack, inside = 1e-9 * abs(high), [low]
    for locator in (*logs, *(MaxNLocator(n, steps=[1, 2, 5, 10]) for n in (most, 2 * most))):
        values = map(float, locator.tick_values(low, high))
        inside = [value for value in values if low - slack <= value <= high + slack]
        if len(inside) > 1:
            break
    return inside[:: 1 + len(inside) // (most + 1)] or [low]


_LOG_STEPS = (1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 6, 8)


def tick_text(value: float, _: object = None) -> str:
    """Return a number of an axis as it is written: small powers of ten as such."""
    power = math.log10(value) if value > 0 else 0.0
    if power < -2 and power == round(power):
        return f"10{str(round(power)).translate(_RAISED)}"
    return f"{value:,g}".replace("-", "−")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def fewer_ticks(low: float, high: float, room: float, most: int = 3) -> list[float]:
    """Return at most so many round numbers whose texts fit beside each other into ``room``."""
    for number in range(most, 1, -1):
        found = ticks(low, high, most=number)
        halves = [text_width(tick_text(value)) / 2 for value in found]
        places = [room * (value - low) / (high - low) for value in found]
        both = zip(pairwise(places), pairwise(halves), strict=True)
        if all(b - a >= sum(own) + 0.5 * text_size() for (a, b), own in both):
            return found
    return found[:1]


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
