"""Claims and verdicts in words: as tables of a page, lines of a terminal, and JSON values."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from boostbench import numbers
from boostbench.papers.claims import Claim
from boostbench.papers.figures import FIGURES, option, unit
from boostbench.papers.judge import ClaimReadings, ClaimVerdict, FigureValue, JudgedReading
from boostbench.papers.language import FigureCall
from boostbench.papers.metrics import Metric
from boostbench.report.appearance import appearance
from boostbench.report.ledger import JUDGED, Ledger
from boostbench.report.sentences import assertions
from boostbench.report.table import Item, TextTable, make_table

_UNITS: dict[str, tuple[Callable[[float], str], str]] = {
    "ratio": (numbers.ratio, "×{}"),
    "count": (numbers.count, "{}"),
    "percent": (numbers.percent, "{} %"),
    "seconds": (numbers.seconds, "{} s"),
    "exponent": (partial(numbers.fixed, digits=2), "{}"),
    "rank": (partial(numbers.fixed, digits=2), "{}"),
    "p-value": (partial(numbers.fixed, digits=4), "{}"),
    "truth": (lambda value: "yes" if value else "no", "{}"),
}
"""How figures of a unit are written; those of other units are differences of scores."""
COVERS = "other seeds and partitions of these data sets"


def claim_section(ledger: Ledger | None, metric: Metric) -> tuple[list[str], list[TextTable]]:
    """Return the claims that are judged, in words, and the table of those that are not.

    Nothing without a paper, or if none of its claims has a verdict.
    """
    if ledger is None or not ledger.measured:
        return [], []
    lines = [assertions.legend(COVERS)]
    for ruling, entries in by_verdict(ledger.measured).items():
        for entry in entries if ruling is not ClaimVerdict.NOT_JUDGED else ():
            verdict = f"{appearance(ruling).sign} {ruling.value}".strip()
            quote, figures = in_two_lines(entry, metric)
            lines.append(f"{verdict}: {quote} {figures}")
    title = "Claims that are not judged here"
    return lines, [make_table("not-judged", title, unjudged(ledger), ("why", "which"))]


def unjudged(ledger: Ledger | None) -> list[dict[str, str]]:
    """Return the reasons why claims are not judged, with their claims, the most frequent first."""
    claims: dict[str, list[str]] = {}
    for entry in ledger.entries if ledger else ():
        if (judged := entry.judged).verdict not in JUDGED:
            reason = f"{judged.verdict.value}: {judged.why}".removesuffix(": ")
            claims.setdefault(reason, []).append(entry.claim.id)
    return [
        {"why": why, "claims": numbers.count(len(ids)), "which": ", ".join(ids)}
        for why, ids in sorted(claims.items(), key=lambda item: -len(item[1]))
    ]


def own_contradictions(ledger: Ledger | None) -> list[TextTable]:
    """Return the paper against itself: the claims that its own tables contradict, if any."""
    rows: list[dict[str, Item | str]] = [
        {
            "Id": entry.claim.id,
            "Claim": Item(f"“{entry.claim.text}”", note=entry.claim.where),
            "Stated": entry.claim.stated,
            "Its tables have": entry.claim.own_value,
            "They": entry.claim.own_tables,
        }
        for entry in (ledger.entries if ledger else ())
        if entry.claim.own_tables in ("contradicts", "partly")
    ]
    return [make_table("itself", "The paper against itself", rows, [*rows[0]])] if rows else []


def measured(judged: JudgedReading, metric: Metric) -> str:
    """Return a claim's figures with their intervals."""
    return "; ".join(f"{one.title}: {value_text(one, metric)}" for one in judged.shown)


def value_text(one: FigureValue, metric: Metric) -> str:
    """Return a figure at each depth with its interval; values by data set as their range."""
    if one.metric and one.metric.name != metric.name:
        metric = one.metric
    metric = metric.compared_in(one.scale)
    parts = []
    for depth, point, low, high in one.rows:
        if len(point) > 1:
            ends = [unit_text(one.unit, end, metric) for end in (point.min(), point.max())]
            text, even = " to ".join(dict.fromkeys(ends)), FIGURES[one.call.figure].even
            if even is not None:
                _, template = _UNITS.get(one.unit, (None, "{}"))
                line = template.format(f"{even:g}")
                text = f"{np.count_nonzero(point > even)} of {len(point)} above {line}: {text}"
        else:
            text = with_interval(one.unit, point[0], low[0], high[0], metric)
        parts.append(f"depth {depth}: {text}" if len(one.depths) > 1 else text)
    return "; ".join(parts)


def with_interval(unit: str, value: float, low: float, high: float, metric: Metric) -> str:
    """Return a figure in its unit with its interval, if it has one."""
    text = unit_text(unit, value, metric)
    if low == high:
        return text
    ends = [unit_text(unit, end, metric, bare=True) for end in (low, high)]
    return f"{text} [{', '.join(ends)}]"


def unit_text(unit: str, value: float, metric: Metric, bare: bool = False) -> str:
    """Return a figure in its unit, or, if ``bare``, without the unit for brackets."""
    if math.isnan(value):
        return numbers.DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{numbers.MINUS}∞"
    of_scores = metric.text if unit == "score" else metric.difference
    write, template = _UNITS.get(unit, (of_scores, "{}"))
    return write(value) if bare else template.format(write(value))


def counts_text(ledger: Ledger) -> str:
    """Return how many claims have each verdict, in words."""
    counts = ledger.counts()
    return ", ".join(f"{number:,} {ruling.value}" for ruling, number in counts.items() if number)


def by_verdict(entries: Sequence[ClaimReadings]) -> dict[ClaimVerdict, list[ClaimReadings]]:
    """Return claims by verdict, those that are not reproduced first."""
    groups: dict[ClaimVerdict, list[ClaimReadings]] = {
        ruling: [] for ruling in [*JUDGED, *ClaimVerdict]
    }
    for entry in entries:
        groups[entry.judged.verdict].append(entry)
    return {ruling: group for ruling, group in groups.items() if group}


def in_two_lines(entry: ClaimReadings, metric: Metric) -> tuple[str, str]:
    """Return a claim's id and words, and its stated and measured figures with open points."""
    judged, stated = entry.judged, entry.claim.stated
    figures = measured(judged, metric)
    parts = [f"stated {stated}" if stated else "", f"measured {figures}" if figures else ""]
    few = figures and 0 < len(judged.missing) <= 3
    parts += [judged.why, f"without {', '.join(judged.missing)}" if few else ""]
    return f"{entry.claim.id}  “{entry.claim.text}”", "; ".join(filter(None, parts))


def claim_lines(entry: ClaimReadings, metric: Metric) -> list[str]:
    """Return everything about a claim in lines of text, its verdicts first."""
    claim = entry.claim
    readings = [
        assertions.Reading(judged, appearance(judged.verdict).sign, measured(judged, metric))
        for judged in (entry.judged, *entry.others)
    ]
    figures = [call.text for call in claim.figures]
    units = [_unit_of_bounds(call) for call in claim.figures if call.name]
    return list(assertions.claim_in_full(claim, readings, figures, units, own_text(claim)))


_UNITS_IN_WORDS = {
    "ratio": "a ratio",
    "count": "a number of runs",
    "percent": "a percentage",
    "seconds": "in seconds",
    "exponent": "a power",
    "rank": "a rank",
    "p-value": "a p-value",
    "truth": "1 for yes, 0 for no",
}


def _unit_of_bounds(call: FigureCall) -> str:
    """Return in which unit the bounds of a figure are, in words."""
    of, of_figure = str(option(call, "of") or "score"), unit(call)
    what = "a mean of" if of_figure == "score" else "a difference of"
    scores = f"{what} {'scores' if of == 'score' else of}"
    return f"{call.name} is {_UNITS_IN_WORDS.get(of_figure, scores)}"


def own_text(claim: Claim) -> str:
    """Return the figure of the paper's own tables for a claim."""
    return f"{claim.own_value} ({claim.own_tables})" if claim.own_value else ""


def as_json(entry: ClaimReadings) -> dict[str, object]:
    """Return a claim and its verdicts as JSON values."""
    claim = entry.claim
    same = ("id", "where", "stated", "reproduced_if", "weaker_if", "not_reproduced_if")
    return {
        **{name: getattr(claim, name) for name in same},
        "claim": claim.text,
        "paper_tables": {"value": claim.own_value, "agreement": claim.own_tables},
        **judged_json(entry.judged),
        "readings": [{"reading": other.reading, **judged_json(other)} for other in entry.others],
    }


def judged_json(judged: JudgedReading) -> dict[str, object]:
    """Return a verdict with its figures as JSON values."""
    return {
        "verdict": judged.verdict.value,
        "why": judged.why,
        "depths": list(judged.depths),
        "datasets": list(judged.datasets),
        "missing": list(judged.missing),
        "runs": judged.runs,
        "figures": [
            {
                "name": one.call.name,
                "figure": one.title,
                "unit": one.unit,
                "depth": depth,
                "value": _finite(point),
                "low": _finite(low),
                "high": _finite(high),
            }
            for one in judged.shown
            for depth, point, low, high in one.rows
        ],
        "interval_covers": COVERS,
    }


def _finite(row: Sequence[float]) -> list[float | None] | float | None:
    """Return the values of a figure as JSON: one, or those of several data sets."""
    values = [float(number) if math.isfinite(number) else None for number in row]
    return values if len(values) > 1 else values[0]
