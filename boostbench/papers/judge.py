"""Judging claims on measured runs: from plain arrays to verdicts, for any paper.

The verdict is that of the measured values, and undecided if the intervals let it cross between
{reproduced, weaker} and not reproduced.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from boostbench import stats
from boostbench.papers import figures
from boostbench.papers.claims import Claim
from boostbench.papers.conditions import Scope, Truth
from boostbench.papers.evidence import LEAST_RUNS, Depth, Evidence, Measurements
from boostbench.papers.language import FigureCall, Unknown, Values
from boostbench.papers.metrics import Metric
from boostbench.suggest import counted, listing


class ClaimVerdict(StrEnum):
    """The verdict of the measured values on a claim."""

    REPRODUCED = "reproduced"
    WEAKER = "weaker"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"
    NOT_COMPARABLE = "not comparable"


FOR, AGAINST = (ClaimVerdict.REPRODUCED, ClaimVerdict.WEAKER), ClaimVerdict.NOT_REPRODUCED


class FigureValue(NamedTuple):
    """A figure for display, in words and with its unit, or metric if known: its values by depth.

    Differences of scores are multiplied by ``scale``, which is 100 where they are in percent.
    """

    call: FigureCall
    title: str
    unit: str
    depths: Sequence[Depth]
    values: Values
    metric: Metric | None
    scale: float = 1.0

    @property
    def rows(self) -> list[tuple[Depth, Any, Any, Any]]:
        """Each depth with its values and their lower and upper ends."""
        return list(zip(self.depths, *self.values[:3], strict=True))


@dataclass(frozen=True)
class JudgedReading:
    """A claim with its verdict by one reading of its methods.

    ``datasets`` are the measured ones, ``missing`` the others of the claim; ``runs`` counts the
    runs that every method has. ``why`` says why it is not judged, or what the verdict leaves open;
    ``lacks_depths``: it is undecided only since trees of a depth that it is about were not run.
    """

    claim: Claim
    reading: str
    verdict: ClaimVerdict
    why: str = ""
    shown: Sequence[FigureValue] = ()
    depths: Sequence[Depth] = ()
    datasets: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: int = 0
    lacks_depths: bool = False

    @property
    def coverage(self) -> str:
        """How many of its data sets are measured, "" if all or none are."""
        here = len(self.datasets)
        every = counted(here + len(self.missing), "data set")
        return f"{here} of {every}" if here and self.missing else ""


@dataclass(frozen=True)
class ClaimReadings:
    """A claim judged by the main reading of its methods; ``primary`` has methods by role."""

    claim: Claim
    judged: JudgedReading
    primary: Mapping[str, str]
    evidence: Evidence

    @cached_property
    def others(self) -> list[JudgedReading]:
        """The claim judged by the readings with other methods."""
        judged = [
            judge(self.claim, name, {**self.primary, **replacements}, self.evidence)
            for name, replacements in self.evidence.paper.readings.items()
            if self._differs(replacements)
        ]
        return [reading for reading in judged if reading.shown]

    def _differs(self, replacements: Mapping[str, str]) -> bool:
        return any(
            role in replacements and replacements[role] != self.primary.get(role, role)
            for role in self.claim.roles
        )


class Decision(NamedTuple):
    """The result of conditions on figures: the verdict of the measured values.

    ``crosses`` says whether the intervals allow the opposite; ``reaches`` whether a reproduced
    claim may be weaker. ``lacks`` says whether the data sets that were not measured may decide
    otherwise: it is undecided, or weaker and may be reproduced.
    """

    verdict: ClaimVerdict
    crosses: bool
    reaches: bool
    lacks: bool = False


def decide(claim: Claim, scope: Scope, named: Mapping[str, Values]) -> Decision:
    """Return the result of a claim's conditions on its figures; the first true one decides.

    It decides only if it is true whatever the values on the data sets that were not measured.
    """
    measured = {name: values.without_intervals() for name, values in named.items()}
    possible = _possible(_truths(claim, replace(scope, bounded=True), measured))
    decided = len(possible) == 1 or all(verdict in FOR for verdict in possible)
    verdict = possible[-1] if decided else ClaimVerdict.UNDECIDED
    reproduced, weaker, against = _truths(claim, scope, named)
    # After a condition that surely holds, later ones do not count.
    may_be_weaker = weaker.maybe and not reproduced.sure
    may_fail = against.maybe and not (reproduced.sure or weaker.sure)
    crosses = may_fail if verdict in FOR else reproduced.maybe or may_be_weaker
    reaches = verdict is ClaimVerdict.REPRODUCED and may_be_weaker
    return Decision(verdict, crosses, reaches, lacks=len(possible) > 1)


def _truths(claim: Claim, scope: Scope, named: Mapping[str, Values]) -> tuple[Truth, Truth, Truth]:
    """Return the truths of a claim's conditions; without the last one it is "otherwise"."""
    reproduced, weaker = (
        scope.condition(text, named) if text else Truth(False, False, False)
        for text in (claim.reproduced_if, claim.weaker_if)
    )
    against = Truth(True, True, True)
    if claim.not_reproduced_if:
        against = scope.condition(claim.not_reproduced_if, named, any_depth=True)
    return reproduced, weaker, against


def _possible(truths: Sequence[Truth]) -> list[ClaimVerdict]:
    """Return the verdicts that measured values allow: several if missing data sets may decide."""
    possible = []
    for verdict, truth in zip((*FOR, AGAINST), truths, strict=True):
        if truth.maybe:
            possible.append(verdict)
        if truth.sure:
            return possible
    return [*possible, ClaimVerdict.UNDECIDED]


def judge_all(claims: Sequence[Claim], evidence: Evidence) -> list[ClaimReadings]:
    """Return each claim judged."""
    primary = {}
    for role, names in evidence.paper.meant.items():
        measured = [name for name in names if name in evidence.methods]
        primary[role] = (measured or names)[0]
    return [
        ClaimReadings(claim, judge(claim, "as described", primary, evidence), primary, evidence)
        for claim in claims
    ]


def judge(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    """Return a claim's verdict, with ``roles`` in place of the methods it names.

    It says where data sets of the claim are missing, and where it rests on stand-ins of them.
    """
    judged = _judged(claim, reading, roles, evidence)
    remarks = [judged.why, "" if judged.coverage in judged.why else judged.coverage]
    remarks += [f"{n} {evidence.stand_ins[n]}" for n in judged.datasets if n in evidence.stand_ins]
    return replace(judged, why="; ".join(filter(None, remarks)))


class Refusal(NamedTuple):
    """Why a claim gets no verdict."""

    why: str
    verdict: ClaimVerdict = ClaimVerdict.NOT_JUDGED


@dataclass(frozen=True)
class MeasuredClaim:
    """A claim and the measurements on which it is judged: by depth, of the same data sets.

    ``calls`` are its figures with the methods of the reading, ``claimed`` its data sets and
    ``names`` the measured ones. ``unknown`` says which of its figures are not known of all runs.
    """

    evidence: Evidence
    calls: Sequence[FigureCall]
    methods: Sequence[str]
    claimed: Sequence[str]
    names: Sequence[str]
    every: Sequence[Measurements]
    shown: Sequence[FigureValue] = ()
    unknown: Sequence[str] = ()

    @property
    def depths(self) -> list[Depth]:
        """The depths of its measurements."""
        return [measurements.depth for measurements in self.every]

    @property
    def runs(self) -> int:
        """The number of runs that every method has, at the depth with the fewest."""
        first = self.methods[0]
        return min(
            sum(len(measurements.cells[first, name].index) for name in self.names)
            for measurements in self.every
        )


def _judged(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    judged = JudgedReading(claim, reading, ClaimVerdict.NOT_JUDGED)
    if claim.reason:
        return _refused(judged, _refused_by_its_row(claim.reason))
    calls = [call.read_as(roles) for call in claim.figures]
    measured = _measured(claim, calls, evidence)
    if measured is None:
        return _refused(judged, _without_runs(claim, calls, evidence))
    measured = _with_figures(measured)
    judged = replace(
        judged,
        shown=measured.shown,
        depths=measured.depths,
        datasets=measured.names,
        missing=[name for name in measured.claimed if name not in measured.names],
        runs=measured.runs,
    )
    for refuses in REFUSALS:
        if refusal := refuses(measured):
            return _refused(judged, refusal)
    try:
        return _decided(judged, measured)
    except Unknown as error:
        return replace(judged, why=str(error))


def _refused(judged: JudgedReading, refusal: Refusal) -> JudgedReading:
    return replace(judged, verdict=refusal.verdict, why=refusal.why)


def _measured(
    claim: Claim, calls: Sequence[FigureCall], evidence: Evidence
) -> MeasuredClaim | None:
    """Return the common runs of a claim's methods, ``None`` if there are none."""
    methods = _methods_of(calls)
    claimed = _claimed(claim, evidence)
    depths = [depth for depth in evidence.depths if depth in (claim.depths or evidence.depths)]
    by_depth = [evidence.common_runs(methods, depth, claimed) for depth in depths]
    if not any(measurements.names for measurements in by_depth):
        return None
    every = _counting_depths(by_depth, methods, claimed)
    names = [name for name in claimed if all(name in own.names for own in every)]
    every = [own.only(names) for own in every]
    return MeasuredClaim(evidence, calls, methods, claimed, names, every)


def _counting_depths(
    by_depth: Sequence[Measurements], methods: Sequence[str], claimed: Sequence[str]
) -> list[Measurements]:
    """Return the measurements of at least half of the data sets, else those of the most."""
    has_depth = by_depth[0].evidence.paper.has_depth
    every = [own for own in by_depth if len(own.names) >= len(claimed) / 2]
    # Methods without a depth have the same runs at every depth of an experiment.
    if every and any(map(has_depth, methods)):
        return every
    return [max(by_depth, key=lambda own: len(own.names))]


def _methods_of(calls: Sequence[FigureCall]) -> list[str]:
    return list(dict.fromkeys(role for call in calls for role in call.roles))


def _claimed(claim: Claim, evidence: Evidence) -> list[str]:
    return list(claim.data_sets or evidence.paper.claimed_datasets)


def _with_figures(measured: MeasuredClaim) -> MeasuredClaim:
    """Return a claim with the values of its figures."""
    shown, unknown = [], []
    for call in measured.calls if measured.names else ():
        try:
            shown.append(_figure_value(call, measured))
        except Unknown as error:
            unknown.append(str(error))
    return replace(measured, shown=shown, unknown=unknown)


def _figure_value(call: FigureCall, measured: MeasuredClaim) -> FigureValue:
    """Return the values of a figure; Unknown where one is not measured."""
    evidence, kept = measured.evidence, call.kept(measured.names)
    if not kept:
        raise Unknown(f"needs {listing(call.kept(measured.claimed))}")
    of = str(figures.option(call, "of") or "score")
    return FigureValue(
        call,
        figures.title(call),
        figures.unit(call),
        measured.depths,
        figures.estimate(call, [own.only(kept) for own in measured.every]),
        evidence.metrics.get(of),
        evidence.scales.get(of, 1.0),
    )


# -- refusals --------------------------------------------------------------------------------------


def _refused_by_its_row(reason: str) -> Refusal:
    """Return why a claim is not judged as its row says, in the column ``reason``."""
    why = reason.removeprefix(ClaimVerdict.NOT_COMPARABLE).strip(": ")
    if reason.startswith(ClaimVerdict.NOT_COMPARABLE):
        return Refusal(why, ClaimVerdict.NOT_COMPARABLE)
    return Refusal(why)


def _without_runs(claim: Claim, calls: Sequence[FigureCall], evidence: Evidence) -> Refusal:
    """Return why a claim has no runs."""
    absent = [role for role in _methods_of(calls) if role not in evidence.methods]
    asked = {*absent, *_claimed(claim, evidence)}
    designs = [own for name, own in evidence.design_differences.items() if name in asked]
    if designs:
        return Refusal("; ".join(dict.fromkeys(designs)), ClaimVerdict.NOT_COMPARABLE)
    if absent:
        return Refusal(f"{listing(absent)} {'is' if len(absent) == 1 else 'are'} not measured")
    if claim.depths and not set(claim.depths) & set(evidence.depths):
        return Refusal(f"no trees of depth {' or '.join(map(str, claim.depths))}")
    return Refusal("its methods have no finished run in common on its data sets")


def _too_few_datasets(measured: MeasuredClaim) -> Refusal | None:
    here, claimed = len(measured.names), len(measured.claimed)
    if here < claimed / 2:
        return Refusal(f"{here} of {counted(claimed, 'data set')}")
    return None


def _needs_every_dataset(measured: MeasuredClaim) -> Refusal | None:
    """Refuse a number over all data sets of which some are not measured."""
    for call in filter(figures.is_over_all, measured.calls):
        here, needs = len(call.kept(measured.names)), len(call.kept(measured.claimed))
        if here < needs:
            some = f"{here} of {counted(needs, 'data set')}"
            return Refusal(f"one number over all data sets needs each: {some}")
    return None


def _too_few_runs(measured: MeasuredClaim) -> Refusal | None:
    usual = measured.evidence.paper.runs or LEAST_RUNS
    needed = min(LEAST_RUNS, usual * len(measured.names))
    if measured.runs < needed:
        return Refusal(f"{counted(measured.runs, 'run')} of at least {needed}")
    return None


def _unknown_figures(measured: MeasuredClaim) -> Refusal | None:
    if not measured.unknown:
        return None
    cells = [cell for own in measured.every for cell in own.cells.values()]
    processors = {name for cell in cells for name in cell.processors if name}
    why = ", times of runs on different processors left out" if len(processors) > 1 else ""
    return Refusal(f"{'; '.join(measured.unknown)}{why}")


def _times_of_different_implementations(measured: MeasuredClaim) -> Refusal | None:
    for call in filter(figures.compares_times, measured.calls):
        groups = dict.fromkeys(measured.evidence.paper.implementation(role) for role in call.roles)
        if len(groups) > 1:
            why = f"times of different implementations: {'; '.join(groups)}"
            return Refusal(why, ClaimVerdict.NOT_COMPARABLE)
    return None


REFUSALS = (
    _too_few_datasets,
    _needs_every_dataset,
    _too_few_runs,
    _unknown_figures,
    _times_of_different_implementations,
)
"""The reasons for which a claim with runs gets no verdict, the first that holds."""


# -- the decision ----------------------------------------------------------------------------------


def _decided(judged: JudgedReading, measured: MeasuredClaim) -> JudgedReading:
    """Return the verdict of the measured values; Unknown where a condition needs other depths."""
    named = {
        one.call.name: _on_all(one.call, one.values, measured)
        for one in judged.shown
        if one.call.name
    }
    decision = decide(judged.claim, Scope(measured.claimed, judged.depths), named)
    fragile = list(dict.fromkeys(_fragility(judged, measured.every)))
    if (reason := _undecided_reason(judged, decision, measured.every)) is not None:
        why = "; ".join([reason, *fragile])
        return replace(judged, verdict=ClaimVerdict.UNDECIDED, why=why)
    verdict = decision.verdict
    remarks = ["the interval reaches into weaker"] if decision.reaches else []
    if decision.lacks:
        remarks.append(f"{judged.coverage}, the others may make it reproduced")
    if set(judged.claim.depths) - set(judged.depths):
        at_depths = f"at depth {' and '.join(map(str, judged.depths))} only"
        if verdict in FOR:  # One depth cannot show a claim on two.
            why = f"{verdict} {at_depths}"
            return replace(judged, verdict=ClaimVerdict.UNDECIDED, why=why, lacks_depths=True)
        remarks = [at_depths]
    return replace(judged, verdict=verdict, why="; ".join([*remarks, *fragile]))


def _on_all(call: FigureCall, values: Values, measured: MeasuredClaim) -> Values:
    """Return a figure on all data sets of a claim, unknown on those that are not measured."""
    is_measured = [name in measured.names for name in call.kept(measured.claimed)]
    if figures.is_over_all(call) or all(is_measured):
        return values
    return values.among(is_measured)


def _undecided_reason(
    judged: JudgedReading, decision: Decision, every: Sequence[Measurements]
) -> str | None:
    """Return why measured values leave a claim open, ``None`` if they decide it."""
    if decision.verdict is ClaimVerdict.UNDECIDED and decision.lacks:
        return f"{judged.coverage}, the others decide"
    if decision.verdict is ClaimVerdict.UNDECIDED:
        return "the values lie between the bands"
    if not decision.crosses:
        return None
    if on_one_split := _on_one_split(judged.datasets, every):
        return (
            f"measured: {decision.verdict}, but all runs on {listing(on_one_split)} are of one "
            "split into training and test rows, which says nothing of others"
        )
    return f"measured: {decision.verdict}, but the interval reaches beyond"


def _on_one_split(names: Sequence[str], every: Sequence[Measurements]) -> list[str]:
    """Return the data sets on which all runs have the same training and the same test rows."""
    cells = [(name, cell) for own in every for (_, name), cell in own.cells.items()]
    single = {name for name, cell in cells if len({run[:2] for run in cell.index}) == 1}
    return [name for name in names if name in single]


def _fragility(judged: JudgedReading, every: Sequence[Measurements]) -> Iterator[str]:
    """Yield the fewest data sets without which the order of two means in a claim reverses."""
    for one in judged.shown:
        kept = one.call.kept(judged.datasets)
        for measurements in every if len(kept) >= 3 else ():
            leads = figures.leads(one.call, measurements.only(kept))
            few = None if leads is None else stats.fewest_to_reverse(leads)
            if few:
                which = listing([kept[place] for place in few])
                which = which if len(few) <= 2 else f"{len(few)} of the {len(kept)} data sets"
                at = f"at depth {measurements.depth} " if len(every) > 1 else ""
                yield f"{at}in the other order without {which}"
