"""The ledger of a paper's claims: each one judged on the measured runs, with its uncertainty.

A claim is judged by the reading that is meant as the paper's, and beside it by the paper's other
readings. The verdict is undecided where the 95 % interval of a figure reaches from values that
contradict the claim to values that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from boostbench.papers.claim import Array, Claim, Figure, Rule, Ruling, Values, read_as
from boostbench.papers.paper import Reading
from boostbench.report.evidence import Estimate, estimate
from boostbench.report.sources import Found, Nothing, Sources

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.summary import Summary

_AGAINST = (Ruling.CONTRADICTED,)
_FOR = (Ruling.REPRODUCED, Ruling.DIRECTION)
_MOST = 1000
"""More seeds or partitions than these are none that anybody would run."""
_SCANNED = 16


@dataclass(frozen=True)
class Shown:
    """A figure as it is shown: (value, low, high) per depth, NaN bounds where it has none."""

    figure: Figure
    depths: Sequence[int | None]
    values: Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Plan:
    """How many ``seeds`` per fold, or ``partitions``, would decide; ``None``: no number of them.

    ``planned_seeds``: whether anything can be said of seeds, which one seed per fold does not
    allow. ``between``: the figures themselves lie between the bands, whatever their intervals.
    """

    seeds: int | None = None
    partitions: int | None = None
    planned_seeds: bool = True
    between: bool = False


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict by one reading.

    ``datasets`` are those judged by, ``missing`` the others of the claim, ``depths`` those judged
    at; ``runs`` counts the runs that every role has. ``why`` says why it is not judged, or what the
    verdict leaves open; ``decisive`` is the place among those ``shown`` of the figure whose
    interval leaves it open, if it does.
    """

    claim: Claim
    reading: Reading
    ruling: Ruling
    why: str = ""
    shown: Sequence[Shown] = ()
    depths: Sequence[int | None] = ()
    datasets: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: int = 0
    plan: Plan | None = None
    decisive: int = 0

    @property
    def measured(self) -> bool:
        """Whether anything was measured that the claim is about."""
        return bool(self.shown)


@dataclass(frozen=True)
class Entry:
    """A claim, judged by the reading meant as the paper's, and ``read`` by the others."""

    judged: Judged
    read: Callable[[], Sequence[Judged]] = tuple

    @cached_property
    def others(self) -> Sequence[Judged]:
        """The verdicts by the paper's other readings that apply to it, judged when asked for."""
        return self.read()

    @property
    def claim(self) -> Claim:
        """The claim."""
        return self.judged.claim


@dataclass(frozen=True)
class Ledger:
    """All claims of a paper, in its order."""

    paper: Paper
    entries: Sequence[Entry] = field(default_factory=list)

    def counts(self) -> dict[Ruling, int]:
        """Return how many claims have each verdict, by the reading meant as the paper's."""
        counts = dict.fromkeys(Ruling, 0)
        for entry in self.entries:
            counts[entry.judged.ruling] += 1
        return counts

    @property
    def measured(self) -> list[Entry]:
        """The claims of which anything was measured."""
        return [entry for entry in self.entries if entry.judged.measured]


def make_ledger(summaries: Sequence[Summary]) -> Ledger | None:
    """Return the ledger of the paper that ``summaries`` are measured against, if they have one.

    Several are taken together: claims on trees of two depths need two experiments. Those of another
    paper than the first one's are left out.
    """
    paper = next((summary.paper for summary in summaries if summary.paper is not None), None)
    if paper is None:
        return None
    sources = Sources.of(paper, [s for s in summaries if s.paper is paper])
    first, *others = paper.readings
    return Ledger(
        paper,
        [
            Entry(judge(claim, first, sources), partial(_readings, claim, others, sources))
            for claim in paper.claims
        ],
    )


def _readings(claim: Claim, readings: Sequence[Reading], sources: Sources) -> list[Judged]:
    """Return the verdicts on a claim by the ``readings`` that anything was measured for."""
    every = [
        judge(read_as(claim, reading), reading, sources)
        for reading in readings
        if _varies(claim, reading)
    ]
    return [judged for judged in every if judged.measured]


def _varies(claim: Claim, reading: Reading) -> bool:
    """Return whether a reading puts in all the roles of the claim for which it has others."""
    return any(role in reading.roles for role in (*claim.left, *claim.right))


# Ends of intervals may be infinite, and figures of them undefined.
@np.errstate(all="ignore")
def judge(claim: Claim, reading: Reading, sources: Sources) -> Judged:
    """Return a claim's verdict on what ``sources`` have."""
    rule = claim.rule
    if rule is None:
        comparable = not claim.reason.startswith(_NOT_COMPARABLE)
        return Judged(
            claim,
            reading,
            Ruling.NOT_JUDGED if comparable else Ruling.NOT_COMPARABLE,
            claim.reason.removeprefix(_NOT_COMPARABLE).strip(": "),
        )
    found = sources.find(claim, rule)
    if isinstance(found, Nothing):
        ruling = Ruling.NOT_COMPARABLE if found.incomparable else Ruling.NOT_JUDGED
        return Judged(claim, reading, ruling, found.why)
    estimates = [[estimate(figure, sets) for sets in found.sets] for figure in rule.figures]
    shown = [
        _shown(figure, own, found.depths)
        for figure, own in zip(rule.figures, estimates, strict=True)
    ]
    judged = Judged(
        claim=claim,
        reading=reading,
        ruling=Ruling.NOT_JUDGED,
        why=found.too_little,
        shown=shown,
        depths=found.depths,
        datasets=found.sets[0].names,
        missing=found.missing,
        runs=found.runs,
    )
    return judged if found.too_little else _decided(judged, rule, estimates, found)


_NOT_COMPARABLE = "not comparable"
_APART = ", times of runs on different processors left out"


def _decided(
    judged: Judged, rule: Rule, estimates: Sequence[Sequence[Estimate]], found: Found
) -> Judged:
    remark = found.remark
    values = _values(rule, estimates)
    unknown = [f.title for f in rule.figures if not np.isfinite(values[f.name]).all()]
    if unknown:
        apart = _APART if any(sets.apart for sets in found.sets) else ""
        why = f"{', '.join(unknown)}: not known of all runs{apart}"
        return _with(judged, Ruling.NOT_JUDGED, why)
    point = rule.judge(values)
    if point is Ruling.UNDECIDED:
        return _with(judged, point, remark, Plan(between=True))
    if _certain(point, rule, estimates):
        if remark and point in _FOR:
            # What is said of two depths is not shown at one of them.
            return _with(judged, Ruling.UNDECIDED, f"{point.value} {remark}")
        return _with(judged, point, remark or _reach(point, rule, estimates))
    undecided = _with(judged, Ruling.UNDECIDED, remark, _plan(point, rule, estimates))
    return replace(undecided, decisive=_decisive(point, rule, estimates))


def _with(judged: Judged, ruling: Ruling, why: str, plan: Plan | None = None) -> Judged:
    return replace(judged, ruling=ruling, why=why, plan=plan)


def _values(rule: Rule, estimates: Sequence[Sequence[Estimate]]) -> Values:
    return Values(
        {
            figure.name: _stacked(figure, [each.values for each in own])
            for figure, own in zip(rule.figures, estimates, strict=True)
        }
    )


def _stacked(figure: Figure, values: Sequence[Array]) -> Array:
    """Return values by depth, and by data set where the figure has one per data set."""
    stacked = np.stack(values)
    return stacked if figure.summary is not None else stacked[:, 0]


def _certain(
    point: Ruling,
    rule: Rule,
    estimates: Sequence[Sequence[Estimate]],
    seeds: float | None = None,
    partitions: float | None = None,
) -> bool:
    """Return whether no end of the figures' intervals turns the verdict on the claim round."""
    turned = _turned(point)
    return not any(end in turned for end in _at_ends(rule, estimates, seeds, partitions))


def _reach(point: Ruling, rule: Rule, estimates: Sequence[Sequence[Estimate]]) -> str:
    """Return that an interval reaches beyond the band of a claim that is reproduced, or ""."""
    if point is Ruling.REPRODUCED and Ruling.DIRECTION in _at_ends(rule, estimates):
        return "the interval reaches into direction only"
    return ""


def _at_ends(
    rule: Rule,
    estimates: Sequence[Sequence[Estimate]],
    seeds: float | None = None,
    partitions: float | None = None,
) -> Iterator[Ruling]:
    """Yield what follows from each combination of the ends of the figures' intervals."""
    ends = {
        (figure.name, sign): _stacked(
            figure, [each.end(figure, sign, seeds, partitions) for each in own]
        )
        for figure, own in zip(rule.figures, estimates, strict=True)
        for sign in (-1.0, 1.0)
    }
    for signs in product((-1.0, 1.0), repeat=len(rule.figures)):
        names = (figure.name for figure in rule.figures)
        corner = Values({name: ends[name, sign] for name, sign in zip(names, signs, strict=True)})
        yield rule.judge(corner)


def _decisive(point: Ruling, rule: Rule, estimates: Sequence[Sequence[Estimate]]) -> int:
    """Return the place of the first figure whose interval turns the verdict by itself, else 0."""
    values, turned = _values(rule, estimates), _turned(point)
    for place, (figure, own) in enumerate(zip(rule.figures, estimates, strict=True)):
        for sign in (-1.0, 1.0):
            end = _stacked(figure, [each.end(figure, sign) for each in own])
            if rule.judge(Values({**values, figure.name: end})) in turned:
                return place
    return 0


def _turned(point: Ruling) -> Sequence[Ruling]:
    return _FOR if point in _AGAINST else _AGAINST


def _plan(point: Ruling, rule: Rule, estimates: Sequence[Sequence[Estimate]]) -> Plan:
    """Return the least number of seeds, and of partitions, with which the verdict would stand."""
    every = [each for own in estimates for each in own]
    one_seed = any(each.one_seed for each in every)

    def least(of: str, now: int) -> int | None:
        def certain(number: float) -> bool:
            return _certain(point, rule, estimates, **{of: number})

        # From two to three partitions the degrees of freedom fall.
        for number in range(now + 1, now + _SCANNED):
            if certain(float(number)):
                return number
        if not certain(float(_MOST)):
            return None
        low, high = now + _SCANNED, _MOST
        while low < high:
            middle = (low + high) // 2
            if certain(float(middle)):
                high = middle
            else:
                low = middle + 1
        return low

    seeds, partitions = (
        max((getattr(part, name) for each in every for part in each.parts), default=1)
        for name in ("seeds", "partitions")
    )

    return Plan(
        None if one_seed else least("seeds", seeds), least("partitions", partitions), not one_seed
    )


def _shown(figure: Figure, estimates: Sequence[Estimate], depths: Sequence[int | None]) -> Shown:
    values = []
    for each in estimates:
        ends = [each.end(figure, sign) for sign in (-1.0, 1.0)]
        known = (
            bool(each.parts) and not figure.exact and all(np.isfinite(end).all() for end in ends)
        )
        of = figure.summary or (lambda array: array[0])
        value = float(of(each.values))
        bounds = sorted(float(of(end)) for end in ends) if known else [np.nan, np.nan]
        values.append((value, bounds[0], bounds[1]))
    return Shown(figure, depths, values)
