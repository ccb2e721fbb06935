"""Learning curves: means over runs, and their excess over the lowest objective.

A run whose training ended before the others keeps its last values: the model of its last iteration
is its final model. A run that was cut off by a time budget has no such model, so a mean curve ends
where the first of these does. The objective is compared where all methods minimise the same
function: by its excess over the lowest value that any of them reached on the same split, and by the
seconds until then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle

import numpy as np
import pandas as pd

from boostbench.papers.planned import CUT_OFF, same_objective
from boostbench.report.axes import Floats, near_median
from boostbench.report.runs import Runs

TOLERANCE = 1.0
"""A solver has converged within so many percent of the lowest objective."""
Lines = Mapping[tuple[str, str], pd.DataFrame]
"""By (data set, method): ``value`` by ``iterations``, with the ``seconds`` until then (or NaN)."""


CLOCKS = {"solver_s": "solver seconds", "fit_s": "training seconds"}
METHODS = ("m1", "m2", "m3", "m4", "m5", "ink", "m6", "m7")
"""The colours of methods, in their order."""
LEAST = 0.1
"""The axis of the objective starts at so many percent above the lowest value."""
POINTS = 90
"""The number of points drawn per curve, evenly along the axis."""


@dataclass(frozen=True)
class Trace:
    """A line with its name and colour."""

    name: str
    colour: str
    x: Floats
    y: Floats

    def inside(self, low: float, high: float, log: bool) -> tuple[Floats, Floats]:
        """Return the part inside the axis, from where it enters to where it leaves."""
        if not len(self.x):
            return self.x, self.y
        along = np.geomspace(self.x[0], self.x[-1], POINTS)
        heights = np.log(np.maximum(self.y, low / 2)) if log else self.y
        values = np.interp(np.log(along), np.log(self.x), heights)
        values = np.exp(values) if log else values
        within = np.flatnonzero((values >= low) & (values <= high))
        part = slice(max(within[0] - 1, 0), within[-1] + 2) if len(within) else slice(0)
        return along[part], np.clip(values[part], low, high)


@dataclass(frozen=True)
class Panel:
    """A quantity of a data set against an axis.

    ``low`` to ``high`` are the ends of the axis: a line that leaves it is cut there. ``lead`` has
    the times at which the first and the last method are :data:`TOLERANCE` the lowest value.
    """

    title: str
    quantity: str
    axis: str
    traces: Sequence[Trace]
    low: float
    high: float
    log: bool = False
    unit: str = " %"
    lead: tuple[float, float] | None = None


@dataclass(frozen=True)
class _Quantity:
    """A quantity in words, its lines, which are drawn as ``scale`` times their values."""

    words: str
    by_cell: Lines
    scale: float
    unit: str
    is_objective: bool = False


@dataclass(frozen=True)
class Curves:
    """The lines of a results folder by (data set, method), and their panels."""

    results: Runs

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per iteration of each run, with the ``excess`` of the objective where known.

        That is the excess in percent over the lowest value of any method on the same split: unknown
        where methods minimise different functions, or the lowest value is not positive.
        """
        parts = {
            run: pd.DataFrame(zip(*curve.values(), strict=False), columns=list(curve))
            for run, curve in self.results.recorded_curves.items()
        }
        made = pd.concat(parts, names=["run", "iteration"]).reset_index()
        made["iteration"] += 1
        of_runs = ["dataset", "method", "split_seed", "fold", "stop"]
        made = made.join(self.results.runs[of_runs], on="run")
        if same_objective(self.results.methods) and "objective" in made:
            keys = ["dataset", "split_seed", "fold"]
            lowest = made.groupby(keys).objective.transform("min")
            made["excess"] = 100 * (made.objective / lowest - 1) if min(lowest) > 0 else np.nan
        return made

    @cached_property
    def clock(self) -> str:
        """The seconds to be drawn: the solver's where it was timed, else the training's."""
        return next((name for name in CLOCKS if name in self.frame), "")

    @cached_property
    def excess(self) -> Lines:
        """The medians of the excess."""
        return self.lines("excess", "median")

    def lines(self, quantity: str, average: str = "mean") -> Lines:
        """Return averages over runs of a quantity, for the methods that recorded it in all runs."""
        if quantity not in self.frame:
            return {}
        groups = self.frame.groupby(["dataset", "method"], sort=False)
        return {
            (str(label[0]), str(label[1])): self._line(own, quantity, average)
            for label, own in groups
            if own[quantity].notna().all()
        }

    def _line(self, own: pd.DataFrame, quantity: str, average: str) -> pd.DataFrame:
        """Return the line of a cell, up to where the first of its runs was cut off."""
        ends = own.groupby("run")[["iteration", "stop"]].last()
        length = min([ends.iteration.max(), *ends.iteration[ends.stop == CUT_OFF]])
        held = own[own.iteration <= length].pivot(index="iteration", columns="run").ffill()
        seconds = held[self.clock].median(axis=1) if self.clock else np.nan
        line = {"value": held[quantity].agg(average, axis=1), "seconds": seconds}
        return pd.DataFrame({"iterations": held.index, **line}, held.index)

    @cached_property
    def time_to_tolerance(self) -> pd.DataFrame | None:
        """The seconds of the first and the last method until 1 % above the lowest, by data set.

        Only methods that converge on all data sets count; ``None`` if fewer than two do, or if the
        first one differs between data sets.
        """
        arrived = {
            labels: line.seconds[line.value <= TOLERANCE].min()
            for labels, line in self.excess.items()
        }
        if not arrived:
            return None
        times = pd.Series(arrived).unstack(level=0)
        times = times[(times > 0).all(axis=1)]
        if len(times) < 2:
            return None
        order = np.log(times).mean(axis=1).sort_values().index
        ends = times.loc[order].iloc[[0, -1]]
        return ends if (ends.iloc[0] < ends.iloc[1]).all() else None

    @cached_property
    def panels(self) -> Mapping[str, Mapping[str, Sequence[Panel]]]:
        """The panels of the "objective" and of the "score", by seconds and by iterations.

        Data sets without a method that recorded it in all runs have no panel.
        """
        words = "objective above the lowest"
        objective = _Quantity(words, self.excess, 1.0, " %", is_objective=True)
        return {"objective": self._by_axis(objective), "score": self._by_axis(self._score())}

    def _score(self) -> _Quantity:
        """Return the score, or the test error where the score has no curves."""
        metric = self.results.metric
        if not metric.curve:
            return _Quantity("test error", self.lines("test_error"), 100.0, " %")
        unit = " %" if metric.unit == "%" else ""
        return _Quantity(metric.words, self.lines(metric.curve), metric.scale, unit)

    def _by_axis(self, quantity: _Quantity) -> dict[str, list[Panel]]:
        datasets = dict.fromkeys(dataset for dataset, _ in quantity.by_cell)
        panels: dict[str, list[Panel]] = {}
        for axis in ("seconds", "iterations") if self.clock else ("iterations",):
            if datasets:
                panels[axis] = [self._panel(quantity, dataset, axis) for dataset in datasets]
        return panels

    def _panel(self, quantity: _Quantity, dataset: str, by: str) -> Panel:
        traces = []
        for label, colour in self.colours.items():
            if (dataset, label) in quantity.by_cell:
                line = quantity.by_cell[dataset, label].dropna()
                x, y = line[line[by] > 0][[by, "value"]].to_numpy(float).T
                traces.append(Trace(self._legend[label], colour, x, quantity.scale * y))
        axis = CLOCKS[self.clock] if by == "seconds" else by
        if not quantity.is_objective:
            low, high = _ends(traces)
            return Panel(dataset, quantity.words, axis, traces, low, high, unit=quantity.unit)
        high = max([10.0, *(float(each.y.max()) for each in traces if len(each.y))])
        lead, times = None, self.time_to_tolerance
        if by == "seconds" and times is not None:
            first, last = times[dataset]
            lead = first, last
        return Panel(dataset, quantity.words, axis, traces, LEAST, high, log=True, lead=lead)

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each method by its label."""
        return dict(zip(self.results.names, cycle(METHODS), strict=False))

    @cached_property
    def _legend(self) -> dict[str, str]:
        """The names of methods in panels; those that the paper's figure lacks are marked."""
        names, paper = dict(self.results.names), self.results.paper
        figure = str(self.results.experiment.get("table") or "")
        for method in self.results.methods:
            if paper is not None and paper.is_added(method.registered, figure):
                names[method.label] += " (added)"
        return names


def _ends(traces: Sequence[Trace]) -> tuple[float, float]:
    """Return the ends of an axis of scores, from the scores near the lines' ends."""
    last = np.array([each.y[-1] for each in traces if len(each.y)])
    every = np.concatenate([each.y for each in traces])
    kept = every[near_median(every, last, 4, 0.3)] if len(last) else np.zeros(1)
    return float(kept.min()), float(max(kept.max(), 1.01 * kept.min() + 1e-9))
