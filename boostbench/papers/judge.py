"""Judging claims on measured runs: from plain arrays to verdicts, for any paper.

The verdict is that of the measured values, and undecided if the intervals let it cross between
{reproduced, weaker} and not reproduced.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import NamedTuple

from boostbench import stats
from boostbench.papers.claims import Claim
from boostbench.papers.conditions import Scope, Truth
from boostbench.papers.estimates import leads_of
from boostbench.papers.evidence import LEAST_RUNS, Evidence, Measurements
from boostbench.papers.figures import compares_times, is_over_all
from boostbench.papers.language import FigureCall, Unknown, Values, methods_of
from boostbench.papers.measured import FigureValue, MeasuredClaim, claimed_by, measure
from boostbench.papers.settings import Conditions, Setting, Value, in_words, measured_at
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


@dataclass(frozen=True)
class JudgedReading:
    """A claim with its verdict by one reading of its methods.

    ``datasets`` are the measured ones, ``missing`` the others of the claim; ``runs`` counts the
    runs that every method has. ``why`` says why it is not judged, or what the verdict leaves open;
    it is undecided only for want of runs at other values of the conditions that it ``lacks``.
    ``not_compared`` has the methods among its others that do not count on some of the data sets,
    since the paper has not run them there. ``measured`` is what it was judged by.
    """

    claim: Claim
    reading: str
    verdict: ClaimVerdict
    why: str = ""
    shown: Sequence[FigureValue] = ()
    conditions: Conditions = field(default_factory=dict)
    settings: Sequence[Setting] = ()
    datasets: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: int = 0
    lacks: Sequence[str] = ()
    not_compared: Mapping[str, Sequence[str]] = field(default_factory=dict)
    measured: MeasuredClaim | None = None

    @property
    def coverage(self) -> str:
        """How many of its data sets are measured, "" if all or none are."""
        here = len(self.datasets)
        every = counted(here + len(self.missing), "data set")
        return f"{here} of {every}" if here and self.missing else ""


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
        against = scope.condition(claim.not_reproduced_if, named, in_any=True)
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


def judge(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    """Return a claim's verdict, with ``roles`` in place of the methods it names.

    It says where data sets of the claim are missing, where it rests on stand-ins of them, and where
    a method does not count.
    """
    judged = _judged(claim, reading, roles, evidence)
    remarks = [evidence.remark if judged.shown else ""]
    remarks += [judged.why, "" if judged.coverage in judged.why else judged.coverage]
    remarks += [f"{n} {evidence.stand_ins[n]}" for n in judged.datasets if n in evidence.stand_ins]
    remarks += [
        f"without {method} on {listing(names)}, where the paper has not run it"
        for method, names in judged.not_compared.items()
    ]
    return replace(judged, why="; ".join(filter(None, remarks)))


class Refusal(NamedTuple):
    """Why a claim gets no verdict."""

    why: str
    verdict: ClaimVerdict = ClaimVerdict.NOT_JUDGED


def _judged(
    claim: Claim, reading: str, roles: Mapping[str, str], evidence: Evidence
) -> JudgedReading:
    conditions = evidence.paper.conditions
    judged = JudgedReading(claim, reading, ClaimVerdict.NOT_JUDGED, conditions=conditions)
    if claim.reason:
        return _refused(judged, _refused_by_its_row(claim.reason))
    calls = [call.read_as(roles) for call in claim.figures]
    measured = measure(claim, calls, evidence)
    if measured is None:
        return _refused(judged, _without_runs(claim, calls, evidence))
    judged = replace(
        judged,
        shown=measured.shown,
        settings=measured.settings,
        datasets=measured.names,
        missing=[name for name in measured.claimed if name not in measured.names],
        runs=measured.runs,
        not_compared=measured.not_compared,
        measured=measured,
    )
    for refuses in REFUSALS:
        if refusal := refuses(measured):
            return _refused(judged, refusal)
    try:
        return decided(judged, measured)
    except Unknown as error:
        return replace(judged, why=str(error))


def _refused(judged: JudgedReading, refusal: Refusal) -> JudgedReading:
    return replace(judged, verdict=refusal.verdict, why=refusal.why)


# -- refusals --------------------------------------------------------------------------------------


def _refused_by_its_row(reason: str) -> Refusal:
    """Return why a claim is not judged as its row says, in the column ``reason``."""
    why = reason.removeprefix(ClaimVerdict.NOT_COMPARABLE).strip(": ")
    if reason.startswith(ClaimVerdict.NOT_COMPARABLE):
        return Refusal(why, ClaimVerdict.NOT_COMPARABLE)
    return Refusal(why)


def _without_runs(claim: Claim, calls: Sequence[FigureCall], evidence: Evidence) -> Refusal:
    """Return why a claim has no runs."""
    absent = [role for role in methods_of(calls) if role not in evidence.methods]
    asked = {*absent, *claimed_by(claim, calls, evidence)}
    designs = [own for name, own in evidence.design_differences.items() if name in asked]
    if designs:
        return Refusal("; ".join(dict.fromkeys(designs)), ClaimVerdict.NOT_COMPARABLE)
    if absent:
        return _without_methods(absent, evidence)
    conditions = evidence.paper.conditions
    for place, name in enumerate(conditions):
        values = claim.at.get(name, ())
        if values and not {setting[place] for setting in evidence.settings} & set(values):
            return Refusal(f"no {measured_at(conditions, name, values, ' or ')}")
    return Refusal("its methods have no finished run in common on its data sets")


def _without_methods(absent: Sequence[str], evidence: Evidence) -> Refusal:
    """Return why methods have no runs: they were not run, or not on the paper's data."""
    unplayed = [role for role in absent if role not in evidence.played]
    if unplayed:
        return Refusal(f"{listing(unplayed)} {'is' if len(unplayed) == 1 else 'are'} not measured")
    has = "has" if len(absent) == 1 else "have"
    return Refusal(f"{listing(absent)} {has} no finished run on a data set of the paper")


def _too_few_datasets(measured: MeasuredClaim) -> Refusal | None:
    here, claimed = len(measured.names), len(measured.claimed)
    if here < claimed / 2:
        return Refusal(f"{here} of {counted(claimed, 'data set')}")
    return None


def _needs_every_dataset(measured: MeasuredClaim) -> Refusal | None:
    """Refuse a number over all data sets of which some are not measured."""
    for call in filter(is_over_all, measured.calls):
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
    for call in filter(compares_times, measured.calls):
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


def decided(judged: JudgedReading, measured: MeasuredClaim) -> JudgedReading:
    """Return the verdict of the measured values; Unknown where one needs other settings."""
    decision = _decision(judged, measured)
    fragile = list(dict.fromkeys(_fragility(judged, measured.every)))
    if (reason := _undecided_reason(judged, decision, measured.every)) is not None:
        why = "; ".join([reason, *fragile])
        return replace(judged, verdict=ClaimVerdict.UNDECIDED, why=why)
    verdict = decision.verdict
    remarks = ["the interval reaches into weaker"] if decision.reaches else []
    if decision.lacks:
        remarks.append(f"{judged.coverage}, the others may make it reproduced")
    if only := only_at(judged):
        if verdict in FOR:  # One depth cannot show a claim on two.
            why = f"{verdict} {only}"
            return replace(judged, verdict=ClaimVerdict.UNDECIDED, why=why, lacks=lacking(judged))
        remarks = [only]
    return replace(judged, verdict=verdict, why="; ".join([*remarks, *fragile]))


def verdict_of(judged: JudgedReading, measured: MeasuredClaim) -> ClaimVerdict:
    """Return the verdict of the values ``judged.shown``, without what it leaves open in words."""
    decision = _decision(judged, measured)
    if decision.crosses or (lacking(judged) and decision.verdict in FOR):
        return ClaimVerdict.UNDECIDED
    return decision.verdict


def lacking(judged: JudgedReading) -> list[str]:
    """Return the conditions at some of whose values a claim is, and has no measurements."""
    at = judged.claim.at
    measured = _values_of(judged)
    if lacks := [name for name, values in at.items() if set(values) - set(measured[name])]:
        return lacks
    # Each value may have runs, but not each with every value of another condition.
    together = set(zip(*(measured[name] for name in at), strict=True))
    return list(at) if set(product(*at.values())) - together else []


def _values_of(judged: JudgedReading) -> dict[str, Sequence[Value | None]]:
    """Return the values of each condition in the settings of a claim, one for each setting."""
    return dict(zip(judged.conditions, zip(*judged.settings, strict=True), strict=True))


def only_at(judged: JudgedReading) -> str:
    """Return at which values alone a claim is judged, such as "at depth 3 only", or ""."""
    lacks = lacking(judged)
    if not lacks:
        return ""
    values = _values_of(judged)
    parts = [f"{name} {' and '.join(map(str, dict.fromkeys(values[name])))}" for name in lacks]
    return f"at {', '.join(parts)} only"


def _decision(judged: JudgedReading, measured: MeasuredClaim) -> Decision:
    named = {
        one.call.name: _on_all(one.call, one.values, measured)
        for one in judged.shown
        if one.call.name
    }
    scope = Scope(measured.claimed, judged.settings, conditions=judged.conditions)
    return decide(judged.claim, scope, named)


def _on_all(call: FigureCall, values: Values, measured: MeasuredClaim) -> Values:
    """Return a figure on all data sets of a claim, unknown on those that are not measured."""
    is_measured = [name in measured.names for name in call.kept(measured.claimed)]
    if is_over_all(call) or all(is_measured):
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
            leads = leads_of(one.call, measurements.only(kept))
            few = None if leads is None else stats.fewest_to_reverse(leads)
            if few:
                which = listing([kept[place] for place in few])
                which = which if len(few) <= 2 else f"{len(few)} of the {len(kept)} data sets"
                words = in_words(judged.conditions, measurements.setting)
                at = f"at {words} " if len(every) > 1 else ""
                yield f"{at}in the other order without {which}"
