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

from boostbench import numbers
from boostbench.papers.planned import CUT_OFF, same_objective
from boostbench.report.figures.axes import Floats, near_median
from boostbench.report.frames.runs import Runs, by_cell

TOLERANCE = 1.0
"""A solver has converged within so many percent of the lowest objective."""
Lines = Mapping[tuple[str, str], pd.DataFrame]
"""By (data set, method): ``value`` by ``iterations``, and the seconds of each clock until then."""

CLOCKS = {"fit_s": "training seconds", "solver_s": "solver seconds"}
"""The recorded clocks, and how they are called."""
METHODS = ("m1", "m2", "m3", "m4", "m5", "ink", "m6", "m7")
"""The colours of methods, in their order."""
MARKS = "os^Dv<>"
"""The marks of methods: fewer than colours, so that more methods than these look different."""
EXCESS = "excess"
"""The name of the objective above the lowest one, in percent."""
LEAST = 0.1
"""The axis of the objective starts at so many percent above the lowest value."""
POINTS = 90
"""The number of points drawn per curve, evenly along the axis."""


@dataclass(frozen=True)
class Trace:
    """A line with its name and look; ``end`` is its mean ± sd over runs at its last iteration."""

    name: str
    colour: str
    mark: str
    x: Floats
    y: Floats
    end: str = ""

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

    ``low`` to ``high`` are the ends of the axis: a line that leaves it is cut there.
    """

    title: str
    quantity: str
    axis: str
    traces: Sequence[Trace]
    low: float
    high: float
    log: bool = False
    unit: str = " %"


@dataclass(frozen=True)
class _Quantity:
    """A quantity in words, its recorded name, and its lines, drawn as ``scale`` times values.

    The ``digits`` are decimals. An ``error``, of which less is better, has a logarithmic axis.
    """

    words: str
    name: str
    by_cell: Lines
    scale: float = 100.0
    unit: str = " %"
    digits: int = 2
    error: bool = True


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
            made[EXCESS] = 100 * (made.objective / lowest - 1) if min(lowest) > 0 else np.nan
        return made

    @cached_property
    def _by_cell(self) -> Mapping[tuple[str, str], pd.DataFrame]:
        return by_cell(self.frame)

    @cached_property
    def clocks(self) -> Sequence[str]:
        """The recorded clocks."""
        return [name for name in CLOCKS if name in self.frame]

    @cached_property
    def excess(self) -> Lines:
        """The medians of the excess."""
        return self.lines(EXCESS, "median")

    def lines(self, quantity: str, average: str = "mean") -> Lines:
        """Return averages over runs of a quantity, for the methods that recorded it in all runs."""
        if quantity not in self.frame:
            return {}
        return {
            place: self._line(own, quantity, average)
            for place, own in self._by_cell.items()
            if own[quantity].notna().all()
        }

    def _line(self, own: pd.DataFrame, quantity: str, average: str) -> pd.DataFrame:
        """Return the line of a cell, up to where the first of its runs was cut off."""
        values = self._held(own, quantity).agg(average, axis=1)
        seconds = {clock: self._held(own, clock).median(axis=1) for clock in self.clocks}
        return pd.DataFrame({"iterations": values.index, "value": values, **seconds}, values.index)

    def _held(self, own: pd.DataFrame, name: str) -> pd.DataFrame:
        """Return a quantity of a cell by iteration and run, each of which holds its last value."""
        ends = own.groupby("run")[["iteration", "stop"]].last()
        length = min([ends.iteration.max(), *ends.iteration[ends.stop == CUT_OFF]])
        return (
            own[own.iteration <= length]
            .pivot(index="iteration", columns="run", values=name)
            .ffill()
        )

    @cached_property
    def time_to_tolerance(self) -> pd.DataFrame | None:
        """The seconds of the first and the last method until 1 % above the lowest, by data set.

        Only methods that converge on all data sets count; ``None`` if fewer than two do, or if the
        first one differs between data sets.
        """
        if not self.excess or not self.clocks:
            return None
        clock = self.clocks[-1]
        arrived = {
            labels: line[clock][line.value <= TOLERANCE].min()
            for labels, line in self.excess.items()
        }
        times = pd.Series(arrived).unstack(level=0)
        times = times[(times > 0).all(axis=1)]
        if len(times) < 2:
            return None
        order = np.log(times).mean(axis=1).sort_values().index
        ends = times.loc[order].iloc[[0, -1]]
        return ends if (ends.iloc[0] < ends.iloc[1]).all() else None

    @cached_property
    def panels(self) -> Mapping[str, Mapping[str, Sequence[Panel]]]:
        """The panels of the "objective" and of the "score" by axis: iterations, then each clock.

        Data sets without a method that recorded it in all runs have no panel.
        """
        objective = _Quantity("objective above the lowest", EXCESS, self.excess, scale=1.0)
        return {"objective": self._by_axis(objective), "score": self._by_axis(self._score())}

    def _score(self) -> _Quantity:
        """Return the score, or the test error where the score has no curves."""
        metric = self.results.metric
        if not metric.curve:
            return _Quantity("test error", "test_error", self.lines("test_error"))
        return _Quantity(
            words=metric.words,
            name=metric.curve,
            by_cell=self.lines(metric.curve),
            scale=metric.scale,
            unit=" %" if metric.unit == "%" else "",
            digits=metric.digits,
            error=not metric.greater_is_better,
        )

    def _by_axis(self, quantity: _Quantity) -> dict[str, list[Panel]]:
        datasets = dict.fromkeys(dataset for dataset, _ in quantity.by_cell)
        if not datasets:
            return {}
        ends = {cell: self._end(quantity, *cell) for cell in quantity.by_cell}
        panels = {}
        for axis in ("iterations", *self.clocks):
            own = [self._panel(quantity, dataset, axis, ends) for dataset in datasets]
            panels[CLOCKS.get(axis, axis)] = own
        return panels

    def _panel(
        self, quantity: _Quantity, dataset: str, axis: str, ends: Mapping[tuple[str, str], str]
    ) -> Panel:
        """Return the panel of a data set; ``ends`` are the last values in words, by cell."""
        lines = {
            label: quantity.by_cell[dataset, label]
            for label in self.colours
            if (dataset, label) in quantity.by_cell
        }
        marks = dict(zip(self.results.names, cycle(MARKS), strict=False))
        traces = [
            Trace(
                self._legend[label],
                self.colours[label],
                marks[label],
                *_points(line, axis, quantity.scale),
                end=ends[dataset, label],
            )
            for label, line in lines.items()
        ]
        values = [quantity.scale * line.value.to_numpy(float) for line in lines.values()]
        low, high, log = _range(quantity, values)
        return Panel(
            title=self.results.dataset_names[dataset],
            quantity=quantity.words,
            axis=CLOCKS.get(axis, axis),
            traces=traces,
            low=low,
            high=high,
            log=log,
            unit=quantity.unit,
        )

    def _end(self, quantity: _Quantity, dataset: str, label: str) -> str:
        """Return the mean ± sd over runs at the last iteration, without sd of a single run."""
        own = self._by_cell[dataset, label]
        last = quantity.scale * self._held(own, quantity.name).iloc[-1]
        parts = [last.mean(), *([last.std()] if len(last) > 1 else [])]
        texts = [numbers.fixed(float(part), quantity.digits) for part in parts]
        return " ± ".join(texts) + quantity.unit

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


def _points(line: pd.DataFrame, axis: str, scale: float) -> tuple[Floats, Floats]:
    """Return where a line is on an axis, as far as that is known, and ``scale`` times its values.

    A point at 0 has no place on a logarithmic axis.
    """
    known = line[[axis, "value"]].dropna()
    x, y = known[known[axis] > 0].to_numpy(float).T
    return x, scale * y


def _range(quantity: _Quantity, values: Sequence[Floats]) -> tuple[float, float, bool]:
    """Return the ends of an axis with lines of these values, and whether it is logarithmic.

    It holds at least the last nine tenths of the iterations of every line. Errors above 0 are on a
    logarithmic axis, on which these leave room for small differences at the end; of others, those
    far from the ends of all lines are left out.
    """
    known = [each for each in values if len(each)]
    if quantity.name == EXCESS:
        return LEAST, max([10.0, *(float(each.max()) for each in known)]), True
    every = np.concatenate([each[len(each) // 10 :] for each in known] or [np.zeros(1)])
    is_log = quantity.error and float(every.min()) > 0.0
    if not is_log and known:
        every = every[near_median(every, np.array([each[-1] for each in known]), 4, 0.3)]
    low, high = float(every.min()), float(every.max())
    return low, max(high, 1.01 * low + 1e-9), is_log
