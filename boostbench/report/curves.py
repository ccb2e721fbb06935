"""Mean learning curves of a method on a data set, iteration by iteration.

A run whose training ended by itself before the others keeps its last values: the model of its last
iteration is its model ever after. A run that was cut off by a time budget has no such model, so a
mean curve ends where the first of these does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from boostbench.papers.results import CUT_OFF
from boostbench.report.runs import QUANTITIES, TIMES, Runs

RANGED = ("objective", *TIMES)
"""What may span orders of magnitude: a run that is ten times as slow would decide a mean."""


@dataclass(frozen=True)
class MeanCurve:
    """The mean curves of one method on one data set, over so many ``runs``.

    ``values`` has a row per iteration, from 1, and columns (quantity, part): mean, sd, median, min
    and max over runs, of the recorded ``quantities``. ``finals`` has each run's values at its last
    iteration. ``reached`` is how many iterations every run had.
    """

    dataset: str
    method: str
    runs: int
    reached: int
    values: pd.DataFrame
    finals: pd.DataFrame

    @property
    def quantities(self) -> Sequence[str]:
        """The recorded quantities."""
        return [str(name) for name in self.finals]

    @property
    def length(self) -> int:
        """How many iterations the curve has."""
        return len(self.values)


MeanCurves = Mapping[tuple[str, str], MeanCurve]


def mean_curves(runs: Runs) -> dict[tuple[str, str], MeanCurve]:
    """Return the mean curves by (data set, method), in the order of the plan."""
    groups: Any = runs.curves.groupby(["dataset", "method"], sort=False)
    return {(data, method): _mean(data, method, own, runs.runs) for (data, method), own in groups}


def _mean(dataset: str, method: str, curves: pd.DataFrame, runs: pd.DataFrame) -> MeanCurve:
    recorded = [name for name in QUANTITIES if name in curves and curves[name].notna().all()]
    lengths = curves.groupby("run").iteration.max()
    stops = runs.stop[lengths.index]
    length = min([int(lengths.max()), *map(int, lengths[stops == CUT_OFF])])
    by_run = curves.pivot(index="iteration", columns="run", values=recorded)
    finals = by_run.ffill().iloc[-1].unstack(level=0)[recorded]
    held = by_run.ffill().iloc[:length].T.groupby(level=0, sort=False)
    parts = ("mean", "std", "median", "min", "max")
    values = pd.concat({part: held.agg(part).T for part in parts}, axis=1).swaplevel(axis=1)
    return MeanCurve(
        dataset,
        method,
        len(lengths),
        int(lengths.min()),
        values.rename(columns={"std": "sd"}, level=1),
        finals,
    )
