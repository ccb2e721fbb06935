"""The measurements on which a claim is judged, and the values of its figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from boostbench.papers.claims import Claim
from boostbench.papers.estimates import estimate
from boostbench.papers.evidence import Evidence, Measurements
from boostbench.papers.figures import option, roles_of, title, unit
from boostbench.papers.language import FigureCall, Role, Unknown, Values, methods_of
from boostbench.papers.metrics import Metric
from boostbench.papers.settings import Conditions, Setting, kept
from boostbench.suggest import counted, listing
from boostbench.values import RunKey


class FigureValue(NamedTuple):
    """A figure for display, in words and with its unit, or metric if known: its values by setting.

    Differences of scores are multiplied by ``scale``, which is 100 where they are in percent.
    """

    call: FigureCall
    title: str
    unit: str
    settings: Sequence[Setting]
    conditions: Conditions
    values: Values
    metric: Metric | None
    scale: float = 1.0

    @property
    def rows(self) -> list[tuple[Setting, Any, Any, Any]]:
        """Each setting with its values and their lower and upper ends."""
        return list(zip(self.settings, *self.values[:3], strict=True))


@dataclass(frozen=True)
class MeasuredClaim:
    """A claim and the measurements on which it is judged: by setting, of the same data sets.

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
    def settings(self) -> list[Setting]:
        """The settings of its measurements."""
        return [measurements.setting for measurements in self.every]

    @property
    def runs(self) -> int:
        """The number of runs that every method has, in the setting with the fewest."""
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
    settings = _settings(claim, evidence)
    by_setting = [evidence.common_runs(_roles(calls), own, claimed) for own in settings]
    if not any(measurements.names for measurements in by_setting):
        return None
    every = _counting_settings(by_setting, methods, claimed)
    names = [name for name in claimed if all(name in own.names for own in every)]
    every = [own.only(names) for own in every]
    return with_figures(MeasuredClaim(evidence, calls, methods, claimed, names, every))


def _counting_settings(
    by_setting: Sequence[Measurements], methods: Sequence[str], claimed: Sequence[str]
) -> list[Measurements]:
    """Return the measurements of at least half of the data sets, else those of the most.

    Where nothing depends on a condition, such as forests on a depth of trees, the runs are the same
    at each of its values: one of these is enough.
    """
    paper = by_setting[0].evidence.paper
    counting = [own for own in by_setting if len(own.names) >= len(claimed) / 2]
    if not counting:
        return [max(by_setting, key=lambda own: len(own.names))]
    depends = [*map(paper.depends, methods), *map(paper.data_depends, claimed)]
    counts = [any(own) for own in zip(*depends, strict=True)]
    different: dict[Setting, Measurements] = {}
    for own in counting:
        place = kept(own.setting, counts)
        if place not in different or len(own.names) > len(different[place].names):
            different[place] = own
    return list(different.values())


def claimed_by(claim: Claim, calls: Sequence[FigureCall], evidence: Evidence) -> list[str]:
    """Return the data sets that a claim is about.

    If it names none, they are those on which the paper has run its methods in all its settings.
    """
    if claim.data_sets:
        return list(claim.data_sets)
    places = [(role, own) for role in _roles(calls) for own in _settings(claim, evidence)]
    return [
        name
        for name in evidence.paper.claimed_datasets
        if all(
            any(evidence.paper.has_run(method, name, setting) for method in role.members)
            for role, setting in places
        )
    ]


def _settings(claim: Claim, evidence: Evidence) -> list[Setting]:
    """Return the settings of a claim that have runs."""
    conditions = evidence.paper.conditions
    return [setting for setting in evidence.settings if claim.is_about(setting, conditions)]


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
        measured.settings,
        evidence.paper.conditions,
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
