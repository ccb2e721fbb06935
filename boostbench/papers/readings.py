"""Claims with all their verdicts: by each reading of their methods, and without one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from boostbench.papers.claims import Claim
from boostbench.papers.evidence import Evidence
from boostbench.papers.figures import counts_failures
from boostbench.papers.judge import JudgedReading, judge
from boostbench.papers.one_run import WithoutOneRun, without_one_run


@dataclass(frozen=True)
class ClaimReadings:
    """A claim judged by the main reading of its methods; ``primary`` has methods by role.

    ``in_own_design`` is its verdict on the paper's own design, for a number of failed runs if there
    are runs of another design.
    """

    claim: Claim
    judged: JudgedReading
    primary: Mapping[str, str]
    evidence: Evidence
    in_own_design: JudgedReading | None = None

    @cached_property
    def others(self) -> list[JudgedReading]:
        """The claim judged by the readings with other methods, or on the paper's own design."""
        judged = [
            judge(self.claim, name, {**self.primary, **replacements}, self.evidence)
            for name, replacements in self.evidence.paper.readings.items()
            if self._differs(replacements)
        ]
        judged += [self.in_own_design] if self.in_own_design else []
        return [reading for reading in judged if reading.shown]

    @cached_property
    def without_one_run(self) -> WithoutOneRun | None:
        """The claim without a run that changes its verdict, or moves a mean by its margin."""
        return without_one_run(self.judged)

    def _differs(self, replacements: Mapping[str, str]) -> bool:
        return any(
            role in replacements and replacements[role] != self.primary.get(role, role)
            for role in self.claim.roles
        )


def judge_all(claims: Sequence[Claim], evidence: Evidence) -> list[ClaimReadings]:
    """Return each claim judged."""
    primary = {}
    for role, names in evidence.paper.meant.items():
        measured = [name for name in names if name in evidence.methods]
        primary[role] = (measured or names)[0]
    return [_judged(claim, primary, evidence) for claim in claims]


def _judged(claim: Claim, primary: Mapping[str, str], evidence: Evidence) -> ClaimReadings:
    """Return a claim judged by its main reading, with its verdict on the paper's own design."""
    judged = judge(claim, "as described", primary, evidence)
    own = _in_own_design(claim, primary, evidence)
    if own is not None and own.shown:
        remarks = [judged.why, f"{own.verdict} in {own.reading}"]
        judged = replace(judged, why="; ".join(filter(None, remarks)))
    return ClaimReadings(claim, judged, primary, evidence, own)


def _in_own_design(
    claim: Claim, primary: Mapping[str, str], evidence: Evidence
) -> JudgedReading | None:
    """Return the verdict on a number of failed runs in the paper's own design.

    ``None`` for other claims, and without runs of another design: more partitions say more of a
    mean, but a number of the paper's runs is one in its own design.
    """
    own = evidence.in_own_design
    if own is evidence or not any(map(counts_failures, claim.figures)):
        return None
    return judge(claim, "the paper's own design", primary, own)
