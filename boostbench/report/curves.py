"""Learning curves: means over runs, and how far above the lowest objective these are.

A run whose training ended by itself before the others keeps its last values: the model of its last
iteration is its model ever after. A run that was cut off by a time budget has no such model, so a
mean curve ends where the first of these does. The objective is looked at where all methods minimise
the same function: then what counts is how far each one is above the lowest that any of them reached
on the same split, and after how many seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from boostbench.papers.results import CUT_OFF, same_objective
from boostbench.report.runs import QUANTITIES, Runs

RANGED = ("objective", "fit_s", "solver_s")
"""What may span orders of magnitude: a run that is ten times as slow would decide a mean."""
NEAR = 1.0
"""Within so many percent of the lowest objective a solver has arrived."""
Lines = Mapping[tuple[str, str], pd.DataFrame]
"""By (data set, method): ``value`` by ``iterations``, with the ``seconds`` until then (or NaN)."""
MeanCurves = Mapping[tuple[str, str], pd.DataFrame]
"""By (data set, method): a row per iteration, from 1, and columns (quantity, part): mean, sd,
median, min and max over runs, of the recorded quantities, and ``runs``, how many these are.
"""


def mean_curves(runs: Runs) -> MeanCurves:
    """Return the mean curves by (data set, method), in the order of the plan."""
    groups: Any = runs.curves.groupby(["dataset", "method"], sort=False)
    return {labels: _mean(own, runs.runs) for labels, own in groups}


def _mean(curves: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    recorded = [name for name in QUANTITIES if name in curves and curves[name].notna().all()]
    lengths = curves.groupby("run").iteration.max()
    cut_off = lengths[runs.stop[lengths.index] == CUT_OFF]
    length = min([int(lengths.max()), *map(int, cut_off)])
    by_run = curves.pivot(index="iteration", columns="run", values=recorded).ffill().iloc[:length]
    parts = {"mean": "mean", "sd": "std", "median": "median", "min": "min", "max": "max"}
    held = by_run.T.groupby(level=0, sort=False)
    values = pd.concat({part: held.agg(how).T for part, how in parts.items()}, axis=1)
    values["count", "runs"] = len(lengths)
    return values.swaplevel(axis=1)


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
        return next((name for name in ("solver_s", "fit_s") if name in self.frame), "")

    @cached_property
    def excess(self) -> Lines:
        """The objective above the lowest of any method on the same split, in percent: medians.

        Nothing where methods minimise different functions, or the lowest is not above zero.
        """
        frame = self.frame
        if not same_objective(self.results.methods) or "objective" not in frame:
            return {}
        lowest = frame.groupby(["dataset", "split_seed", "fold"]).objective.transform("min")
        if not (lowest > 0).all():
            return {}
        above = frame.assign(value=100 * (frame.objective / lowest - 1))
        found = {}
        for labels, curve in self.results.mean_curves.items():
            own = above[(above.dataset == labels[0]) & (above.method == labels[1])]
            held = own.pivot(index="iteration", columns="run", values="value").ffill()
            found[labels] = self._line(held.iloc[: len(curve)].median(axis=1), curve)
        return found

    def means(self, quantity: str, scale: float = 1.0) -> Lines:
        """Return the means of a recorded quantity."""
        return {
            labels: self._line(scale * curve[quantity, "mean"], curve)
            for labels, curve in self.results.mean_curves.items()
            if quantity in curve
        }

    def _line(self, values: pd.Series, curve: pd.DataFrame) -> pd.DataFrame:
        seconds = curve[self.clock, "median"] if self.clock in curve else np.nan
        return pd.DataFrame({"iterations": values.index, "value": values, "seconds": seconds})

    @cached_property
    def sooner(self) -> pd.DataFrame | None:
        """The seconds of the first and the last method until 1 % above the lowest, by data set.

        Only methods that arrive on all data sets are looked at; ``None`` where fewer than two do,
        or where the first is not the first everywhere.
        """
        arrived = {
            labels: line.seconds[line.value <= NEAR].min() for labels, line in self.excess.items()
        }
        if not arrived:
            return None
        times = pd.Series(arrived).unstack(level=0)
        times = times[(times > 0).all(axis=1)]
        order = np.log(times).mean(axis=1).sort_values().index
        found = times.loc[order].iloc[[0, -1]] if len(times) > 1 else times
        return found if len(found) == 2 and (found.iloc[0] < found.iloc[1]).all() else None
