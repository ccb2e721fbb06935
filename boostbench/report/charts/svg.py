"""Elements, scales and axes of charts, as SVG text: the same numbers, the same bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from boostbench.report.figures.scales import log_labels, log_ticks

SHAPES = ("circle", "square", "triangle", "diamond", "down", "plus", "cross", "star")
"""The shapes of marks, which keep methods apart without colours."""
_OUTLINES = {
    "square": "M-4 -4H4V4H-4Z",
    "triangle": "M0 -5L5 4H-5Z",
    "diamond": "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
    "down": "M0 5L5 -4H-5Z",
    "plus": "M-1.6 -5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z",
    "cross": "M-4.7 -2.5L-2.5 -4.7L0 -2.2L2.5 -4.7L4.7 -2.5L2.2 0L4.7 2.5L2.5 4.7L0 2.2"
    "L-2.5 4.7L-4.7 2.5L-2.2 0Z",
    "star": "M0 -6L1.5 -2L6 -2L2.4 0.8L3.8 5L0 2.4L-3.8 5L-2.4 0.8L-6 -2L-1.5 -2Z",
}


def element(tag: str, *content: str | Markup, **attributes: object) -> Markup:
    """Return an element; attribute names have _ for -, text in ``content`` is escaped.

    An attribute ``None`` is left out, a float has at most two decimals.
    """
    given = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), _value(value))
        for name, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(escape(part) for part in content)
    return Markup("<{}{}>{}</{}>").format(Markup(tag), given, inner, Markup(tag))


def _value(value: object) -> str:
    if isinstance(value, float):
        short = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if short == "-0" else short
    return str(value)


def picture(width: float, height: float, label: str, *content: Markup, **more: object) -> Markup:
    """Return a picture that fills the width of its place; ``label`` describes it in words."""
    box = f"0 0 {_value(float(width))} {_value(float(height))}"
    return element("svg", *content, viewBox=box, font_size=10, role="img", aria_label=label, **more)


def text(
    x: float, y: float, words: str, anchor: str = "start", soft: bool = False, **more: object
) -> Markup:
    """Return ``words`` at a place."""
    kind = "soft" if soft else None
    return element("text", words, x=x, y=y, text_anchor=anchor, class_=kind, **more)


def line(path: str, kind: str | None = None, **more: object) -> Markup:
    """Return a path of the class ``kind``, "axis" or "grid"."""
    return element("path", d=path, class_=kind, **more)


def mark(
    x: float, y: float, shape: str, colour: str, words: str = "", filled: bool = True
) -> Markup:
    """Return a mark in a colour of the page, with ``words`` to be read when it is pointed at."""
    style = f"fill: var(--{colour}); stroke: var(--page); stroke-width: 0.7"
    if not filled:
        style = f"fill: var(--page); stroke: var(--{colour}); stroke-width: 1.5"
    inside = [element("title", words)] if words else []
    at = f"translate({_value(float(x))} {_value(float(y))})"
    if shape == "circle":
        return element("circle", *inside, r=4.2, transform=at, style=style)
    return element("path", *inside, d=_OUTLINES[shape], transform=at, style=style)


def sample(shape: str, colour: str, filled: bool = True) -> Markup:
    """Return a mark without a place, for a legend."""
    return element("svg", mark(0, 0, shape, colour, filled=filled), viewBox="-7 -7 14 14")


@dataclass(frozen=True)
class Scale:
    """Where values are on an axis: ``f`` makes them linear, ``low`` and ``high`` are its ends.

    ``ticks`` are (value, label). Values beyond the ends are put on them.
    """

    f: Callable[[float], float]
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def place(self, value: float, start: float, end: float) -> float:
        """Return where ``value`` is between the pixels ``start`` (``low``) and ``end``."""
        low, high = self.f(self.low), self.f(self.high)
        share = (self.f(min(max(value, self.low), self.high)) - low) / (high - low)
        return start + share * (end - start)


def linear(values: Sequence[float], margin: float = 0.05) -> Scale:
    """Return the linear scale of ``values``, with a margin at both ends."""
    low, high = min(values), max(values)
    spare = margin * (high - low) or 0.5 * abs(high) or 0.5
    low, high = (0.0 if low >= 0 > low - spare else low - spare), high + spare
    return Scale(lambda value: value, low, high, [(t, _short(t)) for t in _even(low, high)])


def _even(low: float, high: float, most: int = 6) -> list[float]:
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(size * part for part in (1, 2, 5, 10) if (high - low) / (size * part) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = (float(f"{k * step:.12g}") for k in range(first, last + 1))
    return [tick for tick in ticks if low <= tick <= high]


def _short(value: float) -> str:
    return f"{value:,.6g}".replace("-", "−")


def logarithmic(values: Sequence[float]) -> Scale:
    """Return the logarithmic scale of positive ``values``, with a margin at both ends."""
    low, high = min(values) / 1.3, max(values) * 1.3
    ticks = log_ticks(low, high)
    return Scale(math.log10, low, high, list(zip(ticks, log_labels(ticks), strict=True)))


NINES = (-1.0, 0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)


def towards_one(values: Sequence[float], worst: float = -0.5) -> Scale:
    """Return a scale of scores of at most 1, such as R2, even in the logarithm of 1 - score.

    So 0.9, 0.99 and 0.999 are equally far apart. Scores below ``worst`` are put at its end.
    """
    known = [min(max(value, worst), 0.99995) for value in values]
    low, high = 1 - (1 - min(known)) * 1.15, 1 - (1 - max(known)) / 1.25
    ticks = [(tick, _short(tick)) for tick in NINES if low <= tick <= high]
    if len(ticks) < 2:
        ticks = [(tick, _short(tick)) for tick in _even(low, high, 4)]
    return Scale(lambda value: -math.log10(1 - value), low, high, ticks)


@dataclass(frozen=True)
class Frame:
    """The rectangle of a chart in pixels, with a scale across and one up."""

    x: Scale
    y: Scale
    left: float
    top: float
    right: float
    bottom: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is."""
        return (
            self.x.place(x, self.left, self.right),
            self.y.place(y, self.bottom, self.top),
        )

    def axes(self, across: str, up: str) -> list[Markup]:
        """Return grid, axes, ticks and the words beside them."""
        parts = []
        for value, label in self.x.ticks:
            x = self.x.place(value, self.left, self.right)
            parts.append(line(f"M{x:.1f} {self.top:g}V{self.bottom:g}", "grid"))
            parts.append(text(x, self.bottom + 13, label, "middle"))
        for value, label in self.y.ticks:
            y = self.y.place(value, self.bottom, self.top)
            parts.append(line(f"M{self.left:g} {y:.1f}H{self.right:g}", "grid"))
            parts.append(text(self.left - 5, y + 3.5, label, "end"))
        middle = (self.top + self.bottom) / 2
        parts += [
            line(f"M{self.left:g} {self.top:g}V{self.bottom:g}H{self.right:g}", "axis"),
            text(self.right, self.bottom + 29, across, "end", soft=True),
            text(11, middle, up, "middle", soft=True, transform=f"rotate(-90 11 {middle:g})"),
        ]
        return parts
