"""The plain values that figures of learning curves are drawn from: lines, names and looks."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING

from boostbench.report.figures.panels import Layout, Panel, has

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.papers.results import Curve, Method
    from boostbench.report.collect import Run
    from boostbench.report.figures.panels import Axis
    from boostbench.report.summary import Summary

LOOKS = 8
"""How many colours, dashes and markers there are; further lines combine them otherwise."""
_BANDS = ((False, "± one sd"), (True, "log axis: smallest to largest"))


@dataclass(frozen=True)
class Line:
    """A method in a panel: its name and its place among the looks of lines.

    It has a curve, or is the horizontal line at ``level``.
    """

    name: str
    place: int
    curve: Curve | None = None
    level: float = 0.0


@dataclass(frozen=True)
class Drawn:
    """A panel with its lines, those with a curve first."""

    panel: Panel
    lines: Sequence[Line]

    @property
    def curves(self) -> list[Curve]:
        """The curves among the lines."""
        return [line.curve for line in self.lines if line.curve is not None]


@dataclass(frozen=True)
class Legend:
    """Its entries (name, place among the looks of lines, whether with stages), and the bands."""

    entries: Sequence[tuple[str, int, bool]]
    bands: Sequence[str]

    @property
    def words(self) -> str:
        """The legend in words."""
        names = [entry_name(name, staged) for name, _, staged in self.entries]
        return "Legend: " + ", ".join([*names, *self.bands])


def values(layout: Layout, summary: Summary) -> tuple[list[Drawn], Legend]:
    """Return all that a figure is drawn from."""
    places = line_places(summary.methods, summary.paper)
    names = {m.label: display_name(m, summary.paper) for m in summary.methods}
    panels, seen, flat = [], set(), set()
    several = set()
    for panel in layout.panels:
        lines = []
        for method, curve in _with_curves(panel, summary):
            seen.add(method.label)
            several |= {panel.y.log} if curve.runs > 1 else set()
            shown = _restricted(curve, panel)
            lines.append(Line(names[method.label], places[method.label], shown))
        for method, level in without_stages(panel, summary):
            flat.add(method.label)
            lines.append(Line(names[method.label], places[method.label], level=level))
        panels.append(Drawn(panel, lines))
    entries = [
        (names[label], places[label], label in seen)
        for label in (method.label for method in summary.methods)
        if label in seen | flat
    ]
    return panels, Legend(entries, [words for log, words in _BANDS if log in several])


def _restricted(curve: Curve, panel: Panel) -> Curve:
    """Return ``curve`` with nothing but what ``panel`` shows of it."""
    names = {panel.x.quantity, panel.y.quantity}
    return replace(
        curve,
        means={name: found for name, found in curve.means.items() if name in names},
        sds={name: found for name, found in curve.sds.items() if name in names},
        ranges={name: found for name, found in curve.ranges.items() if name in names},
        finals={},
        final_ranges={},
    )


def _with_curves(panel: Panel, summary: Summary) -> list[tuple[Method, Curve]]:
    """Return the methods of ``panel`` with their curves."""
    known = ((m, summary.curves.get((panel.dataset, m.label))) for m in summary.methods)
    return [
        (method, curve)
        for method, curve in known
        if curve is not None and has(curve, panel.x) and has(curve, panel.y)
    ]


def without_stages(panel: Panel, summary: Summary) -> list[tuple[Method, float]]:
    """Return the methods that recorded no curve on the data set, with their final values.

    That is the mean score, or the median of the training times, in the units of the axis.
    """
    if panel.x.quantity != "iteration":
        return []
    found = []
    for method in summary.methods:
        if (panel.dataset, method.label) in summary.curves:
            continue
        runs = summary.collected.by_cell.get((panel.dataset, method.label), ())
        level = _level(panel.y, summary, runs)
        if level is not None and (level > 0 or not panel.y.log):
            found.append((method, level))
    return found


def _level(axis: Axis, summary: Summary, runs: Iterable[Run]) -> float | None:
    done = [run for run in runs if run.status == "ok"]
    if axis.quantity == "fit_s":
        times = [run.fit_s for run in done if run.fit_s is not None]
        return axis.scale * statistics.median(times) if times else None
    scores = [run.score for run in done if run.score is not None]
    if not scores or axis.quantity != summary.metric.curve:
        return None
    mean = statistics.fmean(scores)
    # Of classes the error is recorded, whatever the report shows.
    if summary.metric.task == "classification" and summary.metric.greater_is_better:
        mean = 1.0 - mean
    return axis.scale * mean


def display_name(method: Method, paper: Paper | None) -> str:
    """Return the paper's short name of a registered method under its own name, else the label."""
    if paper is None or method.label != method.registered:
        return method.label
    roles = paper.roles_of(method.registered, method.params, bool(method.choose))
    named = [paper.printed_names[role] for role in roles if role in paper.printed_names]
    return named[-1] if named else method.label


def line_places(methods: Sequence[Method], paper: Paper | None) -> dict[str, int]:
    """Return the place of each method, by label, among the colours, dashes and markers.

    The paper's methods have the same place in every figure (the one labelled with the registered
    name, if several have it). The others take the remaining places, in order. All are numbered
    where they are one method, as the solvers of Figure 6 are, or none is the paper's.
    """
    own = {name: place for place, name in enumerate(_printed_methods(paper))}
    fixed: dict[str, int] = {}
    if len({method.registered for method in methods}) > 1:
        for method in sorted(methods, key=lambda method: method.label != method.registered):
            place = own.get(method.registered)
            if place is not None and place not in fixed.values():
                fixed[method.label] = place
    kept = own.values() if fixed else ()
    free = chain(
        (place for place in range(LOOKS) if place not in kept),
        (place for place in kept if place not in fixed.values()),
        count(LOOKS),
    )
    return {
        method.label: fixed[method.label] if method.label in fixed else next(free)
        for method in methods
    }


def _printed_methods(paper: Paper | None) -> list[str]:
    """Return the methods that the paper's figures name; a role is another name of one of them."""
    if paper is None:
        return []
    roles = paper.roles
    return [n for n in paper.printed_names if roles.get(n, {}).get("method", n) == n]


def entry_name(name: str, staged: bool) -> str:
    """Return a method's name in the legend."""
    return name if staged else f"{name}, without stages"
