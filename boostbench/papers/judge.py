"""Claims judged on measured runs: plain arrays in, verdicts out. Nothing here knows a paper.

The verdict is that of the measured values, and undecided where the intervals let it cross between
{reproduced, weaker} and not reproduced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from boostbench.papers.claims import Claim
from boostbench.papers.conditions import Scope, Truth, Values
from boostbench.papers.evidence import Cell as Cell
from boostbench.papers.evidence import Depth, Evidence
from boostbench.papers.figures import FIGURES, compares_times, evaluated, title
from boostbench.papers.intervals import estimate
from boostbench.papers.language import FigureCall, Unknown
from boostbench.papers.paper import Paper
from boostbench.papers.sets import LEAST_RUNS, Sets
from boostbench.suggest import counted, listing

LEAST_SHARE, MOST_PARTITIONS = 0.5, 1_000


class Ruling(StrEnum):
    """What the measured values say of a claim."""

    REPRODUCED = "reproduced"
    WEAKER = "weaker"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"
    NOT_COMPARABLE = "not comparable"


FOR, AGAINST = (Ruling.REPRODUCED, Ruling.WEAKER), Ruling.NOT_REPRODUCED


@dataclass(frozen=True)
class Shown:
    """A figure as it is shown: its values by depth, and the data sets that it is of."""

    call: FigureCall
    depths: Sequence[Depth]
    values: Values

    @property
    def title(self) -> str:
        """The figure in words."""
        return title(self.call)

    @property
    def unit(self) -> str:
        """What its values are."""
        return FIGURES[self.call.figure].unit

    @property
    def rows(self) -> list[tuple[Depth, Any, Any, Any]]:
        """Each depth with its values and their lower and upper ends."""
        values = self.values
        return list(zip(self.depths, values.point, values.low, values.high, strict=True))


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict by one reading of its methods.

    ``datasets`` are those judged by, ``missing`` the others of the claim; ``runs`` counts the runs
    that every method has. ``why`` says why it is not judged, or what the verdict leaves open;
    ``partitions`` is how many partitions of the rows would decide, if any number does.
    """

    claim: Claim
    reading: str
    roles: Mapping[str, str]
    ruling: Ruling
    why: str = ""
    shown: Sequence[Shown] = ()
    depths: Sequence[Depth] = ()
    datasets: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: int = 0
    partitions: int | None = None

    @property
    def measured(self) -> bool:
        """Whether anything was measured that the claim is about."""
        return bool(self.shown)


@dataclass(frozen=True)
class Entry:
    """A claim judged by the reading that is meant as the paper's, and by ``others``."""

    judged: Judged
    others: Sequence[Judged] = ()

    @property
    def claim(self) -> Claim:
        """The claim."""
        return self.judged.claim


@dataclass(frozen=True)
class Decision:
    """What conditions say of figures: the ruling of the values as measured.

    ``crosses``: whether the intervals allow the opposite; ``reaches``: whether what is reproduced
    may be weaker.
    """

    ruling: Ruling
    crosses: bool
    reaches: bool


def decide(claim: Claim, scope: Scope, named: Mapping[str, Values]) -> Decision:
    """Return what a claim's conditions say of its figures; the first that is true decides."""
    reproduced, weaker = (
        scope.condition(text, named) if text else Truth(False, False, False)
        for text in (claim.reproduced_if, claim.weaker_if)
    )
    # A condition that surely holds leaves nothing to those after it.
    surely = reproduced.sure or weaker.sure
    against = Truth(True, False, not surely)
    if claim.not_reproduced_if:
        against = scope.condition(claim.not_reproduced_if, named, any_depth=True)
    rulings = zip((*FOR, AGAINST), (reproduced, weaker, against), strict=True)
    ruling = next((ruling for ruling, truth in rulings if truth.point), Ruling.UNDECIDED)
    may_be_weaker = weaker.maybe and not reproduced.sure
    may_fail = against.maybe and not surely
    crosses = may_fail if ruling in FOR else reproduced.maybe or may_be_weaker
    return Decision(ruling, crosses, ruling is Ruling.REPRODUCED and may_be_weaker)


def judge_all(
    claims: Sequence[Claim], readings: Mapping[str, Mapping[str, str]], evidence: Evidence
) -> list[Entry]:
    """Return each claim judged as it is meant, and by the readings that put in other methods."""
    meant = {
        role: next((name for name in names if name in evidence.methods), names[0])
        for role, names in evidence.paper.meant.items()
    }
    entries = []
    for claim in claims:
        others = []
        for name, roles in readings.items():
            used = {**meant, **roles}
            if any(used.get(role, role) != meant.get(role, role) for role in claim.roles):
                others.append(judge(claim, name, used, evidence))
        measured = [judged for judged in others if judged.measured]
        entries.append(Entry(judge(claim, "as described", meant, evidence), measured))
    return entries


def judge(claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence) -> Judged:
    """Return a claim's verdict, with ``roles`` in place of the methods it names."""
    judged = Judged(claim, reading, roles, Ruling.NOT_JUDGED)
    if claim.reason:
        apart = claim.reason.startswith(Ruling.NOT_COMPARABLE)
        why = claim.reason.removeprefix(Ruling.NOT_COMPARABLE).strip(": ")
        return replace(judged, ruling=Ruling.NOT_COMPARABLE if apart else judged.ruling, why=why)
    calls = [call.read_as(roles) for call in claim.figures]
    methods = list(dict.fromkeys(role for call in calls for role in call.roles))
    claimed = list(claim.datasets or evidence.paper.datasets)
    depths = [depth for depth in evidence.depths if depth in (claim.depths or evidence.depths)]
    found = {depth: evidence.together(methods, depth, claimed) for depth in depths}
    found = {depth: own for depth, own in found.items() if own}
    if not found:
        ruling, why = _nothing(evidence, methods, claim, claimed)
        return replace(judged, ruling=ruling, why=why)
    most = max(found, key=lambda depth: len(found[depth]))
    least = LEAST_SHARE * len(claimed)
    used = {depth: own for depth, own in found.items() if len(own) >= least}
    # Methods without a depth have the same runs at every depth of an experiment.
    if not used or not any(map(evidence.paper.has_depth, methods)):
        used = {most: found[most]}
    names = [name for name in claimed if all(name in own for own in used.values())]
    every = [
        Sets(evidence, names, depth,
             {(role, n): own[n][i] for n in names for i, role in enumerate(methods)})
        for depth, own in used.items()
    ]  # fmt: skip
    runs = min(sum(len(own[name][0].index) for name in names) for own in used.values())
    needed = min(LEAST_RUNS, (evidence.paper.runs or LEAST_RUNS) * len(names))
    missing = [name for name in claimed if name not in names]
    shown, unknown = [], []
    for call in calls if names else ():
        try:
            shown.append(Shown(call, list(used), _estimated(call, every)))
        except Unknown as error:
            unknown.append(str(error))
    judged = replace(
        judged, shown=shown, depths=list(used), datasets=names, missing=missing, runs=runs
    )
    if len(names) < max(least, 1):
        return replace(judged, why=f"{len(names)} of {counted(len(claimed), 'data set')}")
    if runs < needed:
        return replace(judged, why=f"{counted(runs, 'run')} of at least {needed}")
    if unknown:
        return replace(judged, why=f"{'; '.join(unknown)}{_apart(every)}")
    if why := _implementations(evidence.paper, calls):
        return replace(judged, ruling=Ruling.NOT_COMPARABLE, why=why)
    try:
        return _decided(judged, every)
    except Unknown as error:
        return replace(judged, why=str(error))


def _estimated(call: FigureCall, every: Sequence[Sets]) -> Values:
    known, names = every[0].evidence.known, every[0].names
    if absent := [name for name in call.options.get("on", ()) if name not in names]:
        raise Unknown(f"needs {listing(absent)}")
    kept = call.kept(names) or names
    key = str(call), *kept, *(id(cell) for sets in every for cell in sets.cells.values())
    if key not in known:
        known[key] = estimate(call, [sets.only(kept) for sets in every])
    found: Values = known[key]
    return found


def _nothing(
    evidence: Evidence, methods: Sequence[str], claim: Claim, claimed: Sequence[str]
) -> tuple[Ruling, str]:
    absent = [role for role in methods if role not in evidence.methods]
    changed = [f"{role} is run with {evidence.changed[role]}" for role in absent
               if role in evidence.changed]  # fmt: skip
    designs = dict.fromkeys(d for name, d in evidence.other_designs.items() if name in claimed)
    if changed or designs:
        return Ruling.NOT_COMPARABLE, "; ".join(changed or designs)
    why = "its methods have no finished run in common on its data sets"
    if absent:
        why = f"{listing(absent)} {'is' if len(absent) == 1 else 'are'} not measured"
    elif claim.depths and not set(claim.depths) & set(evidence.depths):
        why = f"no trees of depth {' or '.join(map(str, claim.depths))}"
    return Ruling.NOT_JUDGED, why


def _implementations(paper: Paper, calls: Sequence[FigureCall]) -> str:
    """Return the implementations whose times a figure compares, "" where there is only one."""
    for call in calls:
        groups = dict.fromkeys(paper.implementation(role) for role in call.roles)
        if compares_times(call) and len(groups) > 1:
            return f"times of different implementations: {'; '.join(groups)}"
    return ""


def _apart(every: Sequence[Sets]) -> str:
    names = {name for sets in every for cell in sets.cells.values() for name in cell.processors}
    several = len(names - {""}) > 1
    return ", times of runs on different processors left out" if several else ""


def _decided(judged: Judged, every: Sequence[Sets]) -> Judged:
    named = {one.call.name: one.values for one in judged.shown if one.call.name}
    scope = Scope(judged.datasets, judged.depths, list(every[0].evidence.paper.datasets))
    decision = decide(judged.claim, scope, named)
    ruling, depths = decision.ruling, " and ".join(map(str, judged.depths))
    if ruling is Ruling.UNDECIDED:
        return replace(judged, ruling=ruling, why="the values lie between the bands")
    if decision.crosses:
        return replace(
            judged,
            ruling=Ruling.UNDECIDED,
            why=f"measured: {ruling}, but the interval reaches beyond",
            partitions=_partitions(judged.claim, scope, named, every),
        )
    remark = "the interval reaches into weaker" if decision.reaches else ""
    if set(judged.claim.depths) - set(judged.depths):
        remark = f"at depth {depths} only"
        if ruling in FOR:  # What is said of two depths is not shown at one of them.
            return replace(judged, ruling=Ruling.UNDECIDED, why=f"{ruling} {remark}")
    alone = _alone(judged, ruling, every, scope)
    return replace(judged, ruling=ruling, why="; ".join(text for text in (remark, alone) if text))


@np.errstate(all="ignore")
def _alone(judged: Judged, ruling: Ruling, every: Sequence[Sets], scope: Scope) -> str:
    """Return the data set without which the verdict differs, "" if there is not exactly one."""
    turned = {}
    calls = [one.call for one in judged.shown if one.call.name]
    if len(judged.datasets) <= 3 or any(FIGURES[call.figure].across for call in calls):
        return ""
    for out in judged.datasets:
        others = [name for name in judged.datasets if name != out]
        named = {}
        for call in calls:
            if not (kept := call.kept(others)):
                return ""
            rows = [evaluated(call, sets.only(kept)) for sets in every]
            named[call.name] = Values.exact(np.stack(rows))
        other = decide(judged.claim, replace(scope, datasets=others), named).ruling
        if (other in FOR) != (ruling in FOR):
            turned[out] = other
    return "".join(f"without {out}: {other}" for out, other in turned.items() if len(turned) == 1)


def _partitions(
    claim: Claim, scope: Scope, named: Mapping[str, Values], every: Sequence[Sets]
) -> int | None:
    """Return the least number of partitions with which the interval would decide, if any does."""
    cells = [cell for sets in every for cell in sets.cells.values()]
    now = min(len({partition for partition, _, _ in cell.index}) for cell in cells)

    def crosses(partitions: int) -> bool:
        by = np.sqrt(now / partitions)
        narrowed = {name: values.narrowed(by) for name, values in named.items()}
        return decide(claim, scope, narrowed).crosses

    more = range(now + 1, MOST_PARTITIONS + 1)
    place = bisect_left(more, True, key=lambda partitions: not crosses(partitions))
    return more[place] if place < len(more) else None
