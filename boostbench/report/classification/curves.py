"""Learning curves of a data set and a method: means and spreads over runs, iteration by iteration.

A run whose training ended by itself before the others keeps its last values: the model of its last
iteration is its model ever after. A run that was cut off by a time budget has no such model, so a
mean curve ends where the first of these does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.report.classification.stats import Spread

if TYPE_CHECKING:
    from boostbench.report.classification.runs import Results, Run

QUANTITIES = ("objective", "train_error", "test_error", "fit_s", "solver_s")
TIMES = ("fit_s", "solver_s")
CUT_OFF = "time"
UNFINISHED = (CUT_OFF, "max_iter", "")


@dataclass(frozen=True)
class Curve:
    """The mean curves of one method on one data set.

    ``means`` and ``sds`` map the quantities of :data:`QUANTITIES` that were recorded to one value
    an iteration, the first being iteration 1; ``sds`` (ddof = 1) is empty of a single run.
    ``finals`` are the values at the last iteration of each run, and need not be the curve's end.
    ``reached`` is how many iterations every run had.
    """

    dataset: str
    method: str
    runs: int
    length: int
    reached: int
    means: Mapping[str, Sequence[float]]
    sds: Mapping[str, Sequence[float]]
    finals: Mapping[str, Spread]
    settled: bool = False

    def first_at_most(self, quantity: str, bound: float) -> int | None:
        """Return the first iteration whose mean is at most ``bound``, ``None`` if none is."""
        values = self.means.get(quantity, ())
        return next((i for i, value in enumerate(values, start=1) if value <= bound), None)


def curves(results: Results) -> dict[tuple[str, str], Curve]:
    """Return the mean curves by (data set, method), in the order of the plan."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        if run.status == "ok" and any(run.curve.get(name) for name in QUANTITIES):
            groups.setdefault((run.dataset, run.method), []).append(run)
    return {labels: _curve(*labels, runs) for labels, runs in groups.items()}


def _curve(dataset: str, method: str, runs: Sequence[Run]) -> Curve:
    import numpy as np

    recorded = [name for name in QUANTITIES if all(run.curve.get(name) for run in runs)]
    lengths = [min(len(run.curve[name]) for name in recorded) for run in runs] or [0]
    cut = [length for run, length in zip(runs, lengths, strict=True) if run.stop == CUT_OFF]
    length = min([max(lengths), *cut])
    means, sds, finals = {}, {}, {}
    for name in recorded:
        values = [run.curve[name] for run in runs]
        held = np.array([_held(own, length) for own in values], dtype=np.float64)
        means[name] = held.mean(axis=0).tolist()
        if len(runs) > 1:
            sds[name] = held.std(axis=0, ddof=1).tolist()
        last = Spread.of(own[-1] for own in values)
        assert last is not None
        finals[name] = last
    settled = all(run.stop not in UNFINISHED for run in runs)
    return Curve(dataset, method, len(runs), length, min(lengths), means, sds, finals, settled)


def _held(values: Sequence[float], length: int) -> list[float]:
    return [*values[:length], *([values[-1]] * (length - len(values)))]
