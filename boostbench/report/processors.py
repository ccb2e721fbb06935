"""Which processors the runs were timed on: times of different ones are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from boostbench.papers.results import Curve
from boostbench.report.collect import Run
from boostbench.report.curves import TIMES
from boostbench.report.paired import Index
from boostbench.report.summary import Summary
from boostbench.suggest import counted, listing

_T = TypeVar("_T")
_SEVERAL = (
    "The runs were timed on {count}: {where}. Means of times, and figures of them, take them "
    "together; claims and gains compare only times of runs of the same data set, fold and seed "
    "on the same processor."
)


def differ(runs: Collection[Run]) -> bool:
    """Return whether ``runs`` are known to have been timed on different processors."""
    return len({run.processor for run in runs if run.processor}) > 1


def on_one_processor(indices: Iterable[Index], *groups: Mapping[Index, Run]) -> list[Index]:
    """Return those of ``indices`` whose runs in all ``groups`` were timed on one processor."""
    return [index for index in indices if not differ([runs[index] for runs in groups])]


def without_times(run: Run) -> Run:
    """Return ``run`` as if nothing of it had been timed."""
    return replace(run, fit_s=None, solver_s=None, choose_s=None, curve=_untimed(run.curve))


def without_time_curves(curve: Curve | None) -> Curve | None:
    """Return mean curves without those of times."""
    if curve is None:
        return None
    return replace(curve, means=_untimed(curve.means), ranges=_untimed(curve.ranges))


def note(summary: Summary) -> str:
    """Return which methods were timed on which processors, "" where all were on one."""
    done = [run for run in summary.collected.runs if run.status == "ok"]
    if not differ(done):
        return ""
    processors = dict.fromkeys(run.processor for run in done)
    total = Counter(run.method for run in done)
    where = []
    for processor in processors:
        own = Counter(run.method for run in done if run.processor == processor)
        methods = [
            f"`{name}`" + ("" if n == total[name] else f" ({n:,} of {counted(total[name], 'run')})")
            for name, n in own.items()
        ]
        where.append(f"{processor or 'unknown'} ({listing(methods)})")
    return _SEVERAL.format(count=counted(len(processors), "processor"), where="; ".join(where))


def _untimed(values: Mapping[str, _T]) -> dict[str, _T]:
    return {name: value for name, value in values.items() if name not in TIMES}
