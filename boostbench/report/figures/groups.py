"""Which panels of learning curves a results folder has, by iterations and by seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.report.convergence import NEAR, Curves, Lines
from boostbench.report.figures.canvas import METHODS
from boostbench.report.figures.traces import Panel, Trace
from boostbench.report.words import names_of

LEAST = 0.1
"""The axis of the objective ends at so many percent above the lowest."""


@dataclass(frozen=True)
class Group:
    """Panels of one quantity against one axis, one per data set."""

    key: str
    quantity: str
    by: str
    panels: Sequence[Panel]


def colours(results: Any) -> dict[str, tuple[str, bool]]:
    """Return the colour of each method, and whether its lines are dashed, by label."""
    labels = [method.label for method in results.methods]
    return {
        label: (colour, place >= len(METHODS))
        for place, (label, colour) in enumerate(zip(labels, cycle(METHODS), strict=False))
    }


def objective_groups(curves: Curves) -> list[Group]:
    """Return the objective above the lowest by seconds and by iterations, where it is known."""
    if not curves.excess:
        return []
    axes = [*(["seconds"] if curves.clock else []), "iterations"]
    return [_group(curves, curves.excess, "objective above the lowest", by) for by in axes]


def score_groups(curves: Curves) -> list[Group]:
    """Return the test score by iterations and by seconds, where it was recorded."""
    metric = curves.results.metric
    name = metric.curve or "test_error"
    words = metric.words if metric.curve else "test error"
    lines = curves.means(name, metric.scale if metric.curve else 100.0)
    axes = ["iterations", *(["seconds"] if curves.clock else [])]
    return [_group(curves, lines, words, by) for by in axes] if lines else []


def _group(curves: Curves, lines: Lines, quantity: str, by: str) -> Group:
    relative = lines is curves.excess
    panels = [_panel(curves, lines, name, quantity, by, relative) for name in curves.drawn]
    key = f"{'objective' if relative else 'score'}-by-{by}"
    return Group(key, quantity, by, panels)


def _panel(
    curves: Curves, lines: Lines, dataset: str, quantity: str, by: str, relative: bool
) -> Panel:
    names, look = names_of(curves.results.methods), colours(curves.results)
    own = {label: line for (data, label), line in lines.items() if data == dataset}
    axis = curves.clock_words if by == "seconds" else "iterations"
    traces = [
        Trace(names[label], look[label][0], *own[label].points(by), dashed=look[label][1])
        for label in names
        if label in own
    ]
    low, high = (LEAST, _above(traces)) if relative else _ends(traces, curves.results.metric)
    metric = curves.results.metric
    return Panel(
        dataset, f"{dataset}: {quantity} against {axis}", axis, traces, low, high, log=relative,
        percent=relative or metric.unit == "%" or not metric.curve,
        lead=_lead(curves, own) if relative and by == "seconds" else None,
    )  # fmt: skip


def _lead(curves: Curves, own: Any) -> tuple[float, float, float, str] | None:
    """Return where the first and the last solver come near the lowest objective."""
    if curves.sooner is None:
        return None
    first, last = (own[label].first(NEAR) for label in curves.sooner[:2] if label in own)
    words = numbers.ratio(float(f"{last / first:.2g}")).removeprefix("× ")
    return NEAR, first, last, f"{words} times"


def _above(traces: Sequence[Trace]) -> float:
    return float(max([10.0, *(each.y.max() for each in traces if len(each.y))]))


def _ends(traces: Sequence[Trace], metric: Any) -> tuple[float, float]:
    """Return the ends of an axis of scores, chosen by where the lines end, not by the worst one."""
    ends = np.array([each.y[-1] for each in traces if len(each.y)])
    every = np.concatenate([each.y for each in traces if len(each.y)])
    middle = float(np.median(ends))
    reach = 6 * float(np.median(np.abs(ends - middle))) + 0.5 * abs(middle)
    near = ends[np.abs(ends - middle) <= reach]
    span = float(near.max() - near.min()) or 0.1 * abs(middle) or 1.0
    if metric.curve and metric.greater_is_better:
        low = max(float(every.min()), float(near.min()) - 2 * span)
        most = metric.scale if metric.is_share else np.inf
        return low, min(most, float(every.max()) + 0.1 * span)
    high = min(float(every.max()), float(near.max()) + max(span, 0.6 * middle))
    low = float(every.min())
    return (0.0 if low < 0.5 * high else low - 0.1 * span), high
