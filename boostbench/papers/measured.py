"""The measurements on which a claim is judged, and the values of its figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from boostbench.papers.claims import Claim
from boostbench.papers.estimates import estimate
from boostbench.papers.evidence import Depth, Evidence, Measurements
from boostbench.papers.figures import option, roles_of, title, unit
from boostbench.papers.language import FigureCall, Role, Unknown, Values, methods_of
from boostbench.papers.metrics import Metric
from boostbench.suggest import counted, listing
from boostbench.values import RunKey


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
        return min(
            sum(len(index) for index in _common_index(measurements).values())
            for measurements in self.every
        )

    @property
    def not_compared(self) -> dict[str, list[str]]:
        """The methods that do not count, with the data sets on which the paper has not run them."""
        left_out: dict[str, dict[str, None]] = {}
        for own in self.every:
            for role in _roles(self.calls):
                for method, counts in zip(role.members, own.counts(role), strict=True):
                    names = [name for name, here in zip(own.names, counts, strict=True) if not here]
                    left_out.setdefault(method, {}).update(dict.fromkeys(names))
        return {method: list(names) for method, names in left_out.items() if names}


def _common_index(measurements: Measurements) -> dict[str, Sequence[RunKey]]:
    """Return the runs that the methods have in common, by data set."""
    indexes = {name: cell.index for (_, name), cell in measurements.cells.items()}
    return {name: indexes[name] for name in measurements.names}


def _roles(calls: Sequence[FigureCall]) -> list[Role]:
    """Return the roles in figures, each once."""
    return list(dict.fromkeys(role for call in calls for role in roles_of(call)))


def measure(claim: Claim, calls: Sequence[FigureCall], evidence: Evidence) -> MeasuredClaim | None:
    """Return a claim measured on the common runs of its methods, ``None`` if there are none."""
    methods = methods_of(calls)
    claimed = claimed_by(claim, calls, evidence)
    depths = _depths(claim, evidence)
    by_depth = [evidence.common_runs(_roles(calls), depth, claimed) for depth in depths]
    if not any(measurements.names for measurements in by_depth):
        return None
    every = _counting_depths(by_depth, methods, claimed)
    names = [name for name in claimed if all(name in own.names for own in every)]
    every = [own.only(names) for own in every]
    return with_figures(MeasuredClaim(evidence, calls, methods, claimed, names, every))


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


def claimed_by(claim: Claim, calls: Sequence[FigureCall], evidence: Evidence) -> list[str]:
    """Return the data sets that a claim is about.

    If it names none, they are those on which the paper has run its methods at all its depths.
    """
    if claim.data_sets:
        return list(claim.data_sets)
    places = [(role, depth) for role in _roles(calls) for depth in _depths(claim, evidence)]
    return [
        name
        for name in evidence.paper.claimed_datasets
        if all(
            any(evidence.paper.has_run(method, name, depth) for method in role.members)
            for role, depth in places
        )
    ]


def _depths(claim: Claim, evidence: Evidence) -> list[Depth]:
    """Return the depths of a claim that have runs."""
    return [depth for depth in evidence.depths if depth in (claim.depths or evidence.depths)]


def with_figures(measured: MeasuredClaim) -> MeasuredClaim:
    """Return a claim with the values of its figures on its measurements."""
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
    of = str(option(call, "of") or "score")
    return FigureValue(
        call,
        ", ".join(filter(None, [title(call), _other_rounds(call, measured)])),
        unit(call),
        measured.depths,
        estimate(call, [own.only(kept) for own in measured.every]),
        evidence.metrics.get(of),
        evidence.scales.get(of, 1.0),
    )


def _other_rounds(call: FigureCall, measured: MeasuredClaim) -> str:
    """Return after how many rounds a figure is measured, "" if these are the paper's."""
    if option(call, "rounds") != "common":
        return ""
    usual = measured.evidence.paper.rounds
    rounds = {own.common_rounds(*call.methods) for own in measured.every} - {usual}
    return f"after {listing(counted(number, 'round') for number in rounds)}" if rounds else ""
