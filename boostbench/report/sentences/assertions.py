"""The claims of a paper: what their verdicts mean, and everything about one of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from boostbench.papers.claims import Claim
from boostbench.papers.judge import JudgedReading
from boostbench.report.words import one_line, verb
from boostbench.suggest import counted

MARKS = (
    "Black tick: the number stated; mark and bar: measured, with its 95 % interval. Open a claim "
    "for its bounds and its other readings."
)
WEAKER = "in part, but not by its figure"


@dataclass(frozen=True)
class Reading:
    """A claim judged by one reading of its methods, with the ``mark`` and ``figures`` shown."""

    judged: JudgedReading
    mark: str
    figures: str

    @property
    def verdict(self) -> str:
        """The word of its verdict."""
        return self.judged.verdict.value


def legend(covered: str, settings: Sequence[str]) -> str:
    """Return what the verdicts on claims mean, of a paper with such ``settings``.

    Their intervals are for what is ``covered``.
    """
    return (
        "✓ reproduced; ◐ weaker: in part, not by its figure; ✗ not reproduced, by our "
        "implementations; ? undecided: the interval reaches from figures that meet the claim, at "
        "least in part, to figures that do not, the figure lies between the bands, or "
        f"{' or '.join([*settings, 'data sets'])} that it is about were not run. In brackets: the "
        f"95 % interval for {covered}, not cut at the bounds of what is possible; it says nothing "
        "of other data sets. Counts take each data set by itself. Only runs that all methods of a "
        "claim have are used. A claim is not judged on less than half of its data sets or on fewer "
        "than 20 such runs (or those of the paper, where it has fewer). Seconds are compared "
        "within one implementation only. The bounds are ours: `boostbench verify --claim ID` "
        "states those of a claim."
    )


def claims_with_verdict(number: int, judged: int, verdict: str) -> str:
    """Return how many of the ``judged`` claims have a verdict, as a title."""
    return f"{number:,} of {counted(judged, 'claim')} {verb(verdict, number)}"


def judged_of_all(judged: int, claims: int) -> str:
    """Return how many claims of a paper are judged."""
    return f"The paper makes {claims:,} claims; {judged:,} can be judged on these runs."


def measured_and_stated(measured: str, stated: str) -> str:
    """Return the figures that the mark of a claim shows."""
    return f"measured {measured}, stated {stated}" if stated else f"measured {measured}"


def claim_in_full(
    claim: Claim,
    readings: Sequence[Reading],
    figures: Sequence[str],
    units: Sequence[str],
    own_tables: str,
) -> Iterator[str]:
    """Yield everything about a claim in lines: its verdicts, its words, bounds, and readings.

    ``figures`` are the ones that are measured, ``units`` those of their bounds, and ``own_tables``
    says what the paper's own tables have.
    """
    verdicts = ", ".join(f"{each.judged.reading} {each.verdict}" for each in readings)
    yield f"{claim.id}: {verdicts}"
    yield f"{claim.where}: “{one_line(claim.text)}”"
    details = {
        "stated": claim.stated,
        "figures": "; ".join(figures),
        "bounds": "; ".join(units),
        "reproduced if": claim.reproduced_if,
        "weaker if": claim.weaker_if,
        "not reproduced if": claim.not_reproduced_if,
        "the paper's own tables": own_tables,
        "note": one_line(claim.note),
    }
    for label, text in details.items():
        if text:
            yield f"  {label}: {text}"
    for reading in readings:
        yield from _reading(reading)


def _reading(reading: Reading) -> Iterator[str]:
    judged = reading.judged
    yield f"{judged.reading}: {f'{reading.mark} {reading.verdict}'.lstrip()}"
    if judged.shown:
        datasets = counted(len(judged.datasets) + len(judged.missing), "data set")
        without = ""
        if judged.missing:
            datasets = f"{len(judged.datasets)} of {datasets}"
            without = f" (without {', '.join(judged.missing)})"
        yield f"  {reading.figures}"
        yield f"  on {datasets}{without}, {counted(judged.runs, 'run')} per method"
    if judged.why:
        yield f"  {judged.why}"
