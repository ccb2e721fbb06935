"""Learning curves of a data set and a method: means and spreads over runs, iteration by iteration.

A run whose training ended by itself before the others keeps its last values: the model of its last
iteration is its model ever after. A run that was cut off by a time budget has no such model, so a
mean curve ends where the first of these does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from boostbench.papers.results import CUT_OFF, Curve, Range, Spread
from boostbench.report.collect import Run

Curves = Mapping[tuple[str, str], Curve]
RESULTS = ("objective", "train_error", "test_error", "train_r2", "test_r2")
TIMES = ("fit_s", "solver_s")
QUANTITIES = (*RESULTS, *TIMES)
RANGED = ("objective", *TIMES)
"""What may span orders of magnitude: a run that is ten times as slow would decide a mean."""
_UNFINISHED = (CUT_OFF, "max_iter", "")


def mean_curves(runs: Sequence[Run]) -> dict[tuple[str, str], Curve]:
    """Return the mean curves by (data set, method), in the order of the plan."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if run.status == "ok" and any(run.curve.get(name) for name in QUANTITIES):
            groups.setdefault((run.dataset, run.method), []).append(run)
    return {labels: _curve(*labels, own) for labels, own in groups.items()}


def _curve(dataset: str, method: str, runs: Sequence[Run]) -> Curve:
    recorded = [name for name in QUANTITIES if all(run.curve.get(name) for run in runs)]
    lengths = [min(len(run.curve[name]) for name in recorded) for run in runs] if recorded else [0]
    cut = [length for run, length in zip(runs, lengths, strict=False) if run.stop == CUT_OFF]
    length = min([max(lengths), *cut])
    means, sds, finals = {}, {}, {}
    ranges: dict[str, list[Range]] = {}
    final_ranges: dict[str, Range] = {}
    for name in recorded:
        values = [run.curve[name] for run in runs]
        held = np.array([_held(own, length) for own in values], dtype=np.float64)
        means[name] = held.mean(axis=0).tolist()
        if len(runs) > 1:
            sds[name] = held.std(axis=0, ddof=1).tolist()
        last = Spread.of(own[-1] for own in values)
        assert last is not None
        finals[name] = last
        if name in RANGED:
            columns = (np.median(held, axis=0), held.min(axis=0), held.max(axis=0))
            ranges[name] = [Range(*map(float, at)) for at in zip(*columns, strict=True)]
            ends = Range.of(own[-1] for own in values)
            assert ends is not None
            final_ranges[name] = ends
    settled = all(run.stop not in _UNFINISHED for run in runs)
    return Curve(
        dataset,
        method,
        len(runs),
        length,
        min(lengths),
        means,
        sds,
        finals,
        settled,
        ranges,
        final_ranges,
    )


def _held(values: Sequence[float], length: int) -> list[float]:
    return [*values[:length], *([values[-1]] * (length - len(values)))]
