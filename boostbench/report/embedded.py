"""What the page's script reads: runs and learning curves as JSON values, rounded and thinned."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boostbench import numbers
from boostbench.experiment.command import run_line
from boostbench.report.collect import number_of
from boostbench.report.provenance import without_folders

if TYPE_CHECKING:
    from boostbench.papers.results import Curve
    from boostbench.report.collect import Run
    from boostbench.report.summary import Summary

MOST_POINTS = 120
"""Iterations of a curve that are kept."""
_QUANTITIES = (
    ("test_error", "test error, %", 100.0, False),
    ("test_r2", "test R²", 1.0, False),
    ("train_error", "training error, %", 100.0, False),
    ("train_r2", "training R²", 1.0, False),
    ("objective", "objective", 1.0, True),
    ("fit_s", "training time, s", 1.0, True),
    ("solver_s", "solver time, s", 1.0, True),
)
"""What curves record: name, words, scale, and whether its axis begins as a logarithmic one."""
_SCORE_DIGITS, _TIME_DIGITS, _CURVE_DIGITS = 6, 4, 5


def data(summary: Summary) -> dict[str, Any]:
    """Return the runs of every cell and the mean curves, as JSON values.

    ``cells`` holds [data set, method, runs], in the order of the plan; a run is [split seed, fold,
    seed, place in ``states``, score, training score, seconds of training, iterations, place in
    ``chosen``], unknown values at its end left out; scores are on the report's scale. ``states``
    holds [status, why it failed or why the training ended], ``chosen`` parameters in words.
    ``command`` runs the experiment; where ``folders``, its folders are left out.
    """
    metric, experiment = summary.metric, summary.experiment
    command, folders = rerun_command(experiment)
    states: dict[tuple[str, str], int] = {}
    chosen: dict[str, int] = {"": 0}
    cells = [
        [*labels, [_row(run, metric.scale, states, chosen) for run in runs]]
        for labels, runs in summary.collected.by_cell.items()
    ]
    return {
        "score": metric.label,
        "train": metric.train_label,
        "part": "split" if experiment.get("splits") else "fold",
        "partitions": number_of(experiment.get("split_seeds")) > 1,
        "command": command,
        "folders": folders,
        "states": [list(state) for state in states],
        "chosen": list(chosen),
        "cells": cells,
        "curves": _curves(summary),
    }


def rerun_command(experiment: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the command that runs the experiment, and whether folders in it are left out.

    Paths of a machine say where files are there only. The command is empty where the experiment's
    name is unknown. ``--mirror``, ``--cluster`` and ``--jobs`` change no result and are left out.
    """
    if not experiment.get("config") and not experiment.get("name"):
        return "", False
    record = {
        key: experiment.get(key) for key in ("config", "name", "overrides", "offline", "shard")
    }
    words = shlex.split(run_line(record))
    shown = without_folders(words)
    return shlex.join(shown), shown != words


def _row(
    run: Run, scale: float, states: dict[tuple[str, str], int], chosen: dict[str, int]
) -> list[float | int | None]:
    done = run.status == "ok"
    state = states.setdefault((run.status, run.stop if done else run.reason), len(states))
    text = "; ".join(f"{name} = {numbers.setting(value)}" for name, value in run.chosen.items())
    row: list[float | int | None] = [run.split_seed, run.fold, run.seed, state]
    row += [
        _rounded(run.score, _SCORE_DIGITS, scale),
        _rounded(run.train, _SCORE_DIGITS, scale),
        _rounded(run.fit_s, _TIME_DIGITS),
        run.iterations,
        chosen.setdefault(text, len(chosen)) or None,
    ]
    while row[-1] is None:
        row.pop()
    return row


def _rounded(value: float | None, digits: int, scale: float = 1.0) -> float | None:
    """Return ``scale * value`` with so many significant digits; JSON has no other than finite."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{scale * value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _curves(summary: Summary) -> dict[str, Any]:
    """Return the quantities that were recorded, the look of methods, and the curves."""
    if not summary.curves:
        return {}
    from boostbench.report.figures import drawing
    from boostbench.report.figures.curves import line_colour
    from boostbench.report.figures.lines import line_places, without_stages
    from boostbench.report.figures.panels import layouts

    places = line_places(summary.methods, summary.paper)
    panels = [panel for layout in layouts(summary) for panel in layout.panels]
    # A quantity has a panel against iterations, and may have one against seconds too.
    levels = {
        (panel.dataset, method.label, panel.y.quantity): _rounded(level, _CURVE_DIGITS)
        for panel in panels
        for method, level in without_stages(panel, summary)
    }
    drawn = {label for _, label in summary.curves} | {label for _, label, _ in levels}
    known = {name for curve in summary.curves.values() for name in curve.means}
    quantities = [list(quantity) for quantity in _QUANTITIES if quantity[0] in known]
    return {
        "quantities": quantities,
        "methods": [
            [label, drawing.CSS_NAMES[line_colour(places[label])], places[label]]
            for label in (method.label for method in summary.methods)
            if label in drawn
        ],
        "curves": [_curve(curve) for curve in summary.curves.values()],
        "levels": [[*which, level] for which, level in levels.items()],
    }


def _curve(curve: Curve) -> list[Any]:
    """Return [data set, method, runs, iterations, {quantity: [centres, lows, highs]}] of a curve.

    Scores have mean and mean -+ sd, what may span orders of magnitude the median and the extremes.
    A single run has no lows and highs.
    """
    kept = kept_iterations(curve.length)
    found = {}
    for name, _, scale, _ in _QUANTITIES:
        lines: list[list[float]] = []
        if name in curve.ranges:
            ranges = [curve.ranges[name][i - 1] for i in kept]
            lines = [
                [each.median for each in ranges],
                [each.low for each in ranges],
                [each.high for each in ranges],
            ]
        elif name in curve.means:
            means = [curve.means[name][i - 1] for i in kept]
            sds = [curve.sds[name][i - 1] for i in kept] if curve.sds.get(name) else []
            lines = [means]
            if sds:
                lines.append([mean - sd for mean, sd in zip(means, sds, strict=True)])
                lines.append([mean + sd for mean, sd in zip(means, sds, strict=True)])
        if lines:
            shown = lines if curve.runs > 1 else lines[:1]
            found[name] = [
                [_rounded(value, _CURVE_DIGITS, scale) for value in line] for line in shown
            ]
    return [curve.dataset, curve.method, curve.runs, kept, found]


def kept_iterations(length: int) -> list[int]:
    """Return which of the iterations 1 to ``length`` are drawn: all, or even and geometric steps.

    Even steps serve a linear axis, geometric ones a logarithmic one; both ends are kept.
    """
    if length <= MOST_POINTS:
        return list(range(1, length + 1))
    half = MOST_POINTS // 2
    even = {round(1 + (length - 1) * k / (half - 1)) for k in range(half)}
    geometric = {round(length ** (k / (half - 1))) for k in range(half)}
    return sorted(even | geometric)
