"""Learning curves as they are drawn: means over runs, or how far above the lowest objective.

A run that ended keeps its last value. The objective is looked at where all methods minimise the
same function: then what counts is how far each one is above the lowest that any of them reached on
the same split, and after how many seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.papers.results import same_objective
from boostbench.report.curves import MeanCurve

POINTS = 90
"""At most so many points are drawn of a curve."""
NEAR = 1.0
"""Within so many percent of the lowest objective a solver has arrived."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A method on a data set: values by iteration, with the seconds until then (or none)."""

    iterations: Floats
    values: Floats
    seconds: Floats

    def points(self, by: str) -> tuple[Floats, Floats]:
        """Return at most :data:`POINTS` points, as many in each decade; ``by`` is the axis."""
        x = self.iterations if by == "iterations" else self.seconds
        last = len(x) - 1
        kept = np.unique(np.geomspace(1, last + 1, POINTS).round().astype(int)) - 1
        kept = kept[np.isfinite(x[kept]) & (x[kept] > 0) & np.isfinite(self.values[kept])]
        return x[kept], self.values[kept]

    def first(self, bound: float) -> float:
        """Return the seconds until the value is at most ``bound``, NaN where it never is."""
        reached = np.flatnonzero(self.values <= bound)
        return float(self.seconds[reached[0]]) if len(reached) else np.nan


Lines = Mapping[tuple[str, str], Line]


@dataclass(frozen=True)
class Curves:
    """The lines of a results folder by (data set, method), as long as its mean curves are."""

    results: Any

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The curves with the split of each run."""
        splits = self.results.runs[["split_seed", "fold", "seed"]]
        return self.results.curves.join(splits, on="run")

    @cached_property
    def clock(self) -> str:
        """The seconds that are drawn: the solver's where it was timed, else the training's."""
        known = self.frame.columns
        return next((name for name in ("solver_s", "fit_s") if name in known), "")

    @cached_property
    def clock_words(self) -> str:
        """What the seconds are of."""
        return "solver seconds" if self.clock == "solver_s" else "training seconds"

    @cached_property
    def excess(self) -> Lines:
        """The objective above the lowest of any method on the same split, in percent: medians.

        Nothing where methods minimise different functions, or the lowest is not above zero.
        """
        frame = self.frame
        if not same_objective(self.results.methods) or "objective" not in frame:
            return {}
        keys = ["dataset", "split_seed", "fold"]
        lowest = frame.groupby(keys).objective.transform("min")
        if not (lowest > 0).all():
            return {}
        above = frame.assign(value=100 * (frame.objective / lowest - 1))
        found = {}
        for labels, curve in self.results.mean_curves.items():
            own = above[(above.dataset == labels[0]) & (above.method == labels[1])]
            held = own.pivot(index="iteration", columns="run", values="value").ffill()
            found[labels] = self._line(held.iloc[: curve.length].median(axis=1), curve)
        return found

    def means(self, quantity: str, scale: float = 1.0) -> Lines:
        """Return the means of a recorded quantity."""
        return {
            labels: self._line(scale * curve.values[quantity, "mean"], curve)
            for labels, curve in self.results.mean_curves.items()
            if quantity in curve.quantities
        }

    def _line(self, values: pd.Series, curve: MeanCurve) -> Line:
        seconds = np.full(len(values), np.nan)
        if self.clock in curve.quantities:
            seconds = curve.values[self.clock, "median"].to_numpy(float)
        return Line(values.index.to_numpy(float), values.to_numpy(float), seconds)

    @cached_property
    def drawn(self) -> list[str]:
        """The data sets that have curves, in their order."""
        known = set(self.frame.dataset)
        return [data.label for data in self.results.datasets if data.label in known]

    @cached_property
    def sooner(self) -> tuple[str, str, Sequence[float]] | None:
        """The first and the last method within 1 % of the lowest, and how many times sooner.

        One number per data set; only methods that arrive on all of them are looked at. ``None``
        where fewer than two do.
        """
        whole = {}
        for method in self.results.methods:
            lines = [self.excess.get((name, method.label)) for name in self.drawn]
            times = [line.first(NEAR) for line in lines if line]
            if len(times) == len(lines) and np.isfinite(times).all() and min(times) > 0:
                whole[method.label] = times
        if len(whole) < 2:
            return None
        middle = {label: float(np.log(times).mean()) for label, times in whole.items()}
        first, last = min(middle, key=middle.__getitem__), max(middle, key=middle.__getitem__)
        ratios = [b / a for a, b in zip(whole[first], whole[last], strict=True)]
        return (first, last, ratios) if min(ratios) > 1 else None
