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
from boostbench.papers.metrics import METRICS, Metric, asked_metrics
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
    """A claim judged by the main reading, ``meant``: methods by role."""

    claim: Claim
    judged: JudgedReading
    meant: Mapping[str, str]
    evidence: Evidence

    @cached_property
    def others(self) -> list[JudgedReading]:
        """The claim judged by the readings with other methods."""
        meant, roles = self.meant, self.claim.roles
        found = [
            judge(self.claim, name, {**meant, **instead}, self.evidence)
            for name, instead in self.evidence.paper.readings.items()
            if any(r in instead and instead[r] != meant.get(r, r) for r in roles)
        ]
        return [judged for judged in found if judged.shown]


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
    found = []
    for verdict, truth in zip((*FOR, AGAINST), truths, strict=True):
        if truth.maybe:
            found.append(verdict)
        if truth.sure:
            return found
    return [*found, ClaimVerdict.UNDECIDED]


def judge_all(claims: Sequence[Claim], evidence: Evidence) -> list[ClaimReadings]:
    """Return each claim judged."""
    meant = {
        role: next((name for name in names if name in evidence.methods), names[0])
        for role, names in evidence.paper.meant.items()
    }
    return [
        ClaimReadings(claim, judge(claim, "as described", meant, evidence), meant, evidence)
        for claim in claims
    ]


def judge(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    """Return a claim's verdict, with ``roles`` in place of the methods it names.

    It says where data sets of the claim are missing, and where it rests on stand-ins of them.
    """
    judged = _judge(claim, reading, roles, evidence)
    remarks = [judged.why, "" if judged.coverage in judged.why else judged.coverage]
    remarks += [f"{n} {evidence.stand_ins[n]}" for n in judged.datasets if n in evidence.stand_ins]
    return replace(judged, why="; ".join(filter(None, remarks)))


def _judge(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    judged = JudgedReading(claim, reading, ClaimVerdict.NOT_JUDGED)
    if claim.reason:
        apart = claim.reason.startswith(ClaimVerdict.NOT_COMPARABLE)
        why = claim.reason.removeprefix(ClaimVerdict.NOT_COMPARABLE).strip(": ")
        return replace(
            judged, verdict=ClaimVerdict.NOT_COMPARABLE if apart else judged.verdict, why=why
        )
    calls = [call.read_as(roles) for call in claim.figures]
    methods = list(dict.fromkeys(role for call in calls for role in call.roles))
    claimed = list(claim.data_sets or evidence.paper.claimed_datasets)
    depths = [depth for depth in evidence.depths if depth in (claim.depths or evidence.depths)]
    found = [evidence.common_runs(methods, depth, claimed) for depth in depths]
    if not any(sets.names for sets in found):
        return _nothing(judged, methods, evidence)
    least = len(claimed) / 2
    every = [sets for sets in found if len(sets.names) >= least]
    # Methods without a depth have the same runs at every depth of an experiment.
    if not every or not any(map(evidence.paper.has_depth, methods)):
        every = [max(found, key=lambda sets: len(sets.names))]
    names = [name for name in claimed if all(name in sets.names for sets in every)]
    every = [sets.only(names) for sets in every]
    used = [sets.depth for sets in every]
    runs = min(sum(len(sets.cells[methods[0], name].index) for name in names) for sets in every)
    needed = min(LEAST_RUNS, (evidence.paper.runs or LEAST_RUNS) * len(names))
    shown, unknown, known = [], [], METRICS | asked_metrics({}, evidence.paper)
    for call in calls if names else ():
        try:
            if not (kept := call.kept(names)):
                raise Unknown(f"needs {listing(call.kept(claimed))}")
            own = [sets.only(kept) for sets in every]
            of = str(figures.option(call, "of") or "score")
            shown.append(
                FigureValue(
                    call, figures.title(call), figures.unit(call), used,
                    figures.estimate(call, own), known.get(of), evidence.scales.get(of, 1.0),
                )
            )  # fmt: skip
        except Unknown as error:
            unknown.append(str(error))
    missing = [name for name in claimed if name not in names]
    judged = replace(judged, shown=shown, depths=used, datasets=names, missing=missing, runs=runs)
    if len(names) < least:
        return replace(judged, why=f"{len(names)} of {counted(len(claimed), 'data set')}")
    for call in filter(figures.is_over_all, calls):
        here, needs = call.kept(names), call.kept(claimed)
        if len(here) < len(needs):
            some = f"{len(here)} of {counted(len(needs), 'data set')}"
            return replace(judged, why=f"one number over all data sets needs each: {some}")
    if runs < needed:
        return replace(judged, why=f"{counted(runs, 'run')} of at least {needed}")
    if unknown:
        cpus = {name for sets in every for cell in sets.cells.values() for name in cell.processors}
        why = ", times of runs on different processors left out" if len(cpus - {""}) > 1 else ""
        return replace(judged, why=f"{'; '.join(unknown)}{why}")
    for call in filter(figures.compares_times, calls):
        groups = dict.fromkeys(evidence.paper.implementation(role) for role in call.roles)
        if len(groups) > 1:
            why = f"times of different implementations: {'; '.join(groups)}"
            return replace(judged, verdict=ClaimVerdict.NOT_COMPARABLE, why=why)
    try:
        return _decided(judged, every, claimed)
    except Unknown as error:
        return replace(judged, why=str(error))


def _nothing(judged: JudgedReading, methods: Sequence[str], evidence: Evidence) -> JudgedReading:
    """Return a claim without runs, with the reason."""
    absent = [role for role in methods if role not in evidence.methods]
    asked = {*absent, *(judged.claim.data_sets or evidence.paper.claimed_datasets)}
    if differences := dict.fromkeys(
        evidence.design_differences[n] for n in evidence.design_differences if n in asked
    ):
        return replace(judged, verdict=ClaimVerdict.NOT_COMPARABLE, why="; ".join(differences))
    depths, why = judged.claim.depths, "its methods have no finished run in common on its data sets"
    if absent:
        why = f"{listing(absent)} {'is' if len(absent) == 1 else 'are'} not measured"
    elif depths and not set(depths) & set(evidence.depths):
        why = f"no trees of depth {' or '.join(map(str, depths))}"
    return replace(judged, why=why)


def _on_all(
    call: FigureCall, values: Values, claimed: Sequence[str], here: Sequence[str]
) -> Values:
    """Return a figure on all data sets of a claim, unknown on those that are not measured."""
    measured = [name in here for name in call.kept(claimed)]
    return values if figures.is_over_all(call) or all(measured) else values.among(measured)


def _decided(
    judged: JudgedReading, every: Sequence[Measurements], claimed: Sequence[str]
) -> JudgedReading:
    named = {
        one.call.name: _on_all(one.call, one.values, claimed, judged.datasets)
        for one in judged.shown
        if one.call.name
    }
    scope = Scope(claimed, judged.depths)
    verdict, crosses, reaches, lacks = decide(judged.claim, scope, named)
    judged = replace(judged, verdict=ClaimVerdict.UNDECIDED)
    fragile = list(dict.fromkeys(_fragility(judged, every)))
    if verdict is ClaimVerdict.UNDECIDED and lacks:
        return replace(judged, why="; ".join([f"{judged.coverage}, the others decide", *fragile]))
    if verdict is ClaimVerdict.UNDECIDED:
        return replace(judged, why="; ".join(["the values lie between the bands", *fragile]))
    if crosses:
        single = _on_one_split(judged.datasets, every)
        why = "the interval reaches beyond"
        if single:
            why = (
                f"all runs on {listing(single)} are of one split into training and test rows, "
                "which says nothing of others"
            )
        return replace(judged, why="; ".join([f"measured: {verdict}, but {why}", *fragile]))
    remarks = ["the interval reaches into weaker"] if reaches else []
    remarks += [f"{judged.coverage}, the others may make it reproduced"] if lacks else []
    if set(judged.claim.depths) - set(judged.depths):
        remarks = [f"at depth {' and '.join(map(str, judged.depths))} only"]
        if verdict in FOR:  # One depth cannot show a claim on two.
            return replace(judged, why=f"{verdict} {remarks[0]}", lacks_depths=True)
    return replace(judged, verdict=verdict, why="; ".join([*remarks, *fragile]))


def _on_one_split(names: Sequence[str], every: Sequence[Measurements]) -> list[str]:
    """Return the data sets on which all runs have the same training and the same test rows."""
    return [
        name
        for name in names
        if any(
            len({(partition, fold) for partition, fold, _ in cell.index}) == 1
            for sets in every
            for (_, own), cell in sets.cells.items()
            if own == name
        )
    ]


def _fragility(judged: JudgedReading, every: Sequence[Measurements]) -> Iterator[str]:
    """Yield the fewest data sets without which the order of two means in a claim reverses."""
    for call in (one.call for one in judged.shown):
        kept = call.kept(judged.datasets)
        for sets in every:
            if len(kept) < 3 or (leads := figures.leads(call, sets.only(kept))) is None:
                continue
            if few := stats.fewest_to_reverse(leads):
                which = listing([kept[place] for place in few])
                which = which if len(few) <= 2 else f"{len(few)} of the {len(kept)} data sets"
                at = f"at depth {sets.depth} " if len(every) > 1 else ""
                yield f"{at}in the other order without {which}"
