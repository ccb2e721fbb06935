"""Learning curves: means over runs, and their excess over the lowest objective.

A run whose training ended before the others keeps its last values: the model of its last iteration
is its final model. A run that was cut off by a time budget has no such model, so a mean curve ends
where the first of these does. The objective is compared where all methods minimise the same
function: by its excess over the lowest value that any of them reached on the same split, and by the
seconds until then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from boostbench.papers.planned import CUT_OFF, same_objective
from boostbench.report.runs import Runs

TOLERANCE = 1.0
"""A solver has converged within so many percent of the lowest objective."""
Lines = Mapping[tuple[str, str], pd.DataFrame]
"""By (data set, method): ``value`` by ``iterations``, with the ``seconds`` until then (or NaN)."""


@dataclass(frozen=True)
class Curves:
    """The lines of a results folder by (data set, method)."""

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
        return next((name for name in ("solver_s", "fit_s") if name in self.frame), "")

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
