"""Claims without one run: whether a verdict, or a figure, is another one.

In each cell of a claim the run farthest from the mean is tried, for each quantity of its figures. A
run is left out of all methods, as only common runs count. Points are calculated for all candidates
at once; where these may give another verdict, the claim is judged again without the run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostbench.papers.estimates import CURVES, across, evaluated, quantity_of
from boostbench.papers.evidence import Measurements, StatisticKey
from boostbench.papers.judge import ClaimVerdict, JudgedReading, decided, verdict_of
from boostbench.papers.language import Array, FigureCall, Unknown, Values
from boostbench.papers.measured import FigureValue, MeasuredClaim, with_figures
from boostbench.papers.settings import Setting
from boostbench.values import RunKey

MOST_TRIED = 6
"""The most runs without which a claim is judged again."""
WIDTHS = (0.0, 1.0, 1.5)
"""By what intervals are multiplied to find runs without which a verdict may be another."""


@dataclass(frozen=True)
class LeftOutRun:
    """A run of a ``method`` on a data set, of the measurements with the number ``at``.

    ``is_decisive`` says that the mean of its cell moves by more than its margin without it.
    """

    at: int
    dataset: str
    method: str
    index: RunKey
    part: str
    is_decisive: bool


@dataclass(frozen=True)
class WithoutOneRun:
    """A claim ``judged`` without a run; ``changed`` are the figures that the run decides."""

    run: LeftOutRun
    setting: Setting
    judged: JudgedReading
    changed: Sequence[FigureValue]


def without_one_run(judged: JudgedReading) -> WithoutOneRun | None:
    """Return a claim without a run that changes its verdict, or a mean by more than its margin.

    ``None`` where no run does, and for a claim without a verdict.
    """
    measured = judged.measured
    if measured is None or judged.verdict in (
        ClaimVerdict.NOT_JUDGED,
        ClaimVerdict.NOT_COMPARABLE,
    ):
        return None
    moved = None
    for run in _tried(judged, measured):
        left = _judged_without(judged, measured, run)
        if left is None:
            continue
        if left.judged.verdict is not judged.verdict:
            return left
        if left.changed and moved is None:
            moved = left
    return moved


def _tried(judged: JudgedReading, measured: MeasuredClaim) -> list[LeftOutRun]:
    """Return the runs without which the claim is judged again, decisive ones first."""
    runs = list(dict.fromkeys(_candidates(measured)))
    first = [run for run in runs if run.is_decisive]
    others = [run for run in runs if not run.is_decisive]
    return [*first, *_with_another_verdict(judged, measured, others)][:MOST_TRIED]


def _candidates(measured: MeasuredClaim) -> Iterator[LeftOutRun]:
    """Yield the decisive run of each cell, and the farthest by each quantity of the figures."""
    for at, own in enumerate(measured.every):
        quantities = dict.fromkeys(quantity_of(call, own) for call in measured.calls)
        for name in measured.names:
            for method in measured.methods:
                cell = own.cells.get((method, name))
                if cell is None:  # it does not count there
                    continue
                if cell.decisive is not None and cell.decisive in cell.index:
                    yield LeftOutRun(at, name, method, cell.decisive, cell.part, is_decisive=True)
                for of in quantities:
                    if (index := own.farthest(method, name, of)) != cell.decisive and index:
                        yield LeftOutRun(at, name, method, index, cell.part, is_decisive=False)


def _judged_without(
    judged: JudgedReading, measured: MeasuredClaim, run: LeftOutRun
) -> WithoutOneRun | None:
    """Return a claim judged again without a run, ``None`` where it has no verdict then."""
    every = list(measured.every)
    every[run.at] = every[run.at].without(run.dataset, run.index)
    left = with_figures(replace(measured, every=every))
    if left.unknown:
        return None
    try:
        again = decided(replace(judged, shown=left.shown), left)
    except Unknown:
        return None
    before = {one.title: one.values for one in judged.shown}
    changed = [one for one in left.shown if _is_other(one.values, before[one.title])]
    setting = measured.every[run.at].setting
    return WithoutOneRun(run, setting, again, changed if run.is_decisive else [])


def _is_other(values: Values, before: Values) -> bool:
    return not np.allclose(values.point, before.point, rtol=0.005, atol=0.0, equal_nan=True)


# -- the runs that are tried -----------------------------------------------------------------------


def _with_another_verdict(
    judged: JudgedReading, measured: MeasuredClaim, runs: Sequence[LeftOutRun]
) -> list[LeftOutRun]:
    """Return the runs without which the verdict may be another, those that move most first."""
    columns = [_points_without(one, measured, runs) for one in judged.shown]
    found: list[tuple[float, int, LeftOutRun]] = []
    for run, points in zip(runs, zip(*columns, strict=True), strict=True):
        verdicts = {_verdict(judged, measured, points, width) for width in WIDTHS}
        if verdicts != {judged.verdict}:
            found.append((-_effect(judged, points), len(found), run))
    return [run for *_, run in sorted(found)]


def _points_without(
    one: FigureValue, measured: MeasuredClaim, runs: Sequence[LeftOutRun]
) -> list[Array]:
    """Return the points of a figure without each of the runs."""
    kept = one.call.kept(measured.names)
    every = [own.only(kept) for own in measured.every]
    found = [one.values.point] * len(runs)
    if any(quantity_of(one.call, own) == CURVES for own in every):
        return found
    usual = [evaluated(one.call, own) for own in every]
    for at, own in enumerate(every):
        here = [n for n, run in enumerate(runs) if run.at == at and run.dataset in kept]
        points = evaluated(one.call, own, _shifts(one.call, own, [runs[n] for n in here]))
        points = np.broadcast_to(points, (len(here), len(usual[at])))
        for n, point in zip(here, points, strict=True):
            by_setting = np.stack([*usual[:at], point, *usual[at + 1 :]])
            values = across(one.call, every, by_setting, by_setting)
            found[n] = np.broadcast_to(values, one.values.point.shape)
    return found


def _shifts(
    call: FigureCall, own: Measurements, runs: Sequence[LeftOutRun]
) -> dict[StatisticKey, Array]:
    """Return by how much each statistic of a figure (runs, data sets) moves without each run."""
    quantity = quantity_of(call, own)
    shifts = {(method, quantity): np.zeros((len(runs), len(own.names))) for method in call.roles}
    for row, run in enumerate(runs):
        left, place = own.without(run.dataset, run.index), own.names.index(run.dataset)
        for key, moves in shifts.items():
            moves[row, place] = left.statistic(*key, run.dataset) - own.values(key)[place]
    return shifts


def _verdict(
    judged: JudgedReading, measured: MeasuredClaim, points: Sequence[Array], width: float
) -> ClaimVerdict:
    """Return the verdict of other points, in intervals ``width`` times as wide where they moved."""
    shown = [
        one._replace(values=_moved(one.values, point, width))
        for one, point in zip(judged.shown, points, strict=True)
    ]
    return verdict_of(replace(judged, shown=shown), measured)


@np.errstate(all="ignore")
def _moved(values: Values, point: Array, width: float) -> Values:
    by = np.where(point == values.point, 1.0, width)
    ends = [point + by * (end - values.point) for end in values[1:3]]
    if values.log:
        ratios = [point * (end / values.point) ** by for end in values[1:3]]
        ends = [np.where(point > 0, *both) for both in zip(ratios, ends, strict=True)]
    return values._replace(point=point, low=ends[0], high=ends[1])


@np.errstate(all="ignore")
def _effect(judged: JudgedReading, points: Sequence[Array]) -> float:
    """Return by how many widths of their intervals points move, at most."""
    moves = [
        np.abs(point - one.values.point) / (one.values.high - one.values.low)
        for one, point in zip(judged.shown, points, strict=True)
    ]
    return max(float(np.max(np.nan_to_num(move))) for move in moves)
