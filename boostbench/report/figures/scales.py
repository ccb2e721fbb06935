"""The axes of a panel: their limits, where their ticks are, and how these are labelled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as TickedAxis

    from boostbench.papers.results import Curve
    from boostbench.report.figures.panels import Panel

# Errors of the first iterations, a few lines at a panel's edge, may lie above it.
NOT_SHOWN = 0.02
MOST_LABELS, MOST_DECADES = 6, 16
# Beyond, or over more decades, all labels of an axis are powers of ten.
PLAIN_FROM, PLAIN_TO, PLAIN_DECADES = 1e-6, 1e6, 4
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def set_scales(
    axes: Axes, panel: Panel, curves: Sequence[Curve], levels: Sequence[float] = ()
) -> None:
    """Set what :mod:`matplotlib` would choose otherwise; the ``curves`` are drawn already.

    ``levels`` are horizontal lines, in the units of the axis.
    """
    if panel.x.log:
        axes.set_xscale("log")
        _label_log(axes.xaxis, axes.get_xlim())
    else:
        axes.set_xlim(left=0, right=max(curve.length for curve in curves))
        _label_whole(axes.xaxis)
    if panel.y.log:
        axes.set_yscale("log")
        _label_log(axes.yaxis, axes.get_ylim())
    else:
        low, high = _range(panel, curves, levels)
        axes.set_ylim(low, min(high, panel.y.most) or panel.y.most)


def _range(panel: Panel, curves: Sequence[Curve], levels: Sequence[float]) -> tuple[float, float]:
    """Return where the axis of scores begins and the highest band ends, first iterations aside."""
    lows, highs = [*levels], [*levels]
    for curve in curves:
        means = curve.means[panel.y.quantity]
        sds = curve.sds.get(panel.y.quantity) or [0.0] * len(means)
        first = int(NOT_SHOWN * curve.length)
        shown = list(zip(means[first:], sds[first:], strict=True))
        lows.append(panel.y.scale * min(mean - sd for mean, sd in shown))
        highs.append(panel.y.scale * max(mean + sd for mean, sd in shown))
    if panel.y.from_zero:
        return 0.0, 1.05 * max(highs)
    room = 0.05 * (max(highs) - min(lows)) or 0.05
    return min(lows) - room, max(highs) + room


def _label_whole(ticks: TickedAxis) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ticks.set_major_locator(MaxNLocator(MOST_LABELS, steps=[1, 2, 5, 10], integer=True))
    ticks.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _label_log(ticks: TickedAxis, limits: tuple[float, float]) -> None:
    from matplotlib.ticker import NullFormatter

    values = log_ticks(*limits)
    ticks.set_ticks(values, log_labels(values))
    ticks.set_minor_formatter(NullFormatter())


def log_ticks(low: float, high: float) -> list[float]:
    """Return at least two round values between ``low`` > 0 and ``high``, every decade if there are.

    Of more than :data:`MOST_DECADES` there is every second one, or third, and so on.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for parts in ((1,), (1, 2, 5), range(1, 10)):
        every = (float(f"{part}e{k}") for k in range(first, last + 1) for part in parts)
        values = [value for value in every if low <= value <= high]
        if len(parts) == 1 and len(values) > MOST_DECADES:
            step = math.ceil(len(values) / MOST_DECADES)
            return [value for value in values if round(math.log10(value)) % step == 0]
        if len(values) >= (3 if len(parts) == 1 else 2):
            return values
    # Less than a factor of two: equal steps, of at most half the range.
    size = 10.0 ** math.floor(math.log10(high - low))
    size = next(size * part for part in (2.0, 1.0, 0.5) if high - low >= 2 * size * part)
    return [size * k for k in range(math.ceil(low / size), math.floor(high / size) + 1)]


def log_labels(values: Sequence[float]) -> list[str]:
    """Return the labels of ``values``, of one kind: all decimals, or all powers of ten."""
    few = max(values) < min(values) * 10.0 ** (PLAIN_DECADES + 0.5)
    if few and all(PLAIN_FROM <= value < PLAIN_TO for value in values):
        return [f"{value:,.10f}".rstrip("0").rstrip(".") for value in values]
    return [_power(value) for value in values]


def _power(value: float) -> str:
    mantissa, exponent = f"{value:.9e}".split("e")
    power = "10" + f"{int(exponent)}".translate(SUPERSCRIPTS)
    return power if float(mantissa) == 1 else f"{float(mantissa):g}×{power}"
