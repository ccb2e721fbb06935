"""Claims and verdicts in words: as tables of a page, lines of a terminal, and JSON values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.papers.claims import Claim
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import Entry, Judged, Ruling, Shown
from boostbench.papers.metrics import Metric
from boostbench.report.claims import JUDGED, Ledger
from boostbench.report.table import Item, Table, make_table
from boostbench.suggest import counted

MARKS = {
    Ruling.REPRODUCED: "✓", Ruling.WEAKER: "◐", Ruling.NOT_REPRODUCED: "✗", Ruling.UNDECIDED: "?",
    Ruling.NOT_JUDGED: "", Ruling.NOT_COMPARABLE: "",
}  # fmt: skip
COVERS = "other seeds and partitions of these data sets"
_LEGEND = (
    "✓ reproduced; ◐ weaker: as claimed, but not by as much; ✗ not reproduced, by our "
    "implementations; ? undecided: the interval reaches from figures that meet the claim to "
    "figures that do not, the figure lies between the bands, or trees of a depth that it is about "
    f"were not run. In brackets: the 95 % interval for {COVERS}; it says nothing of other data "
    "sets. Counts take each data set by itself. Only runs that all methods of a claim have are "
    "used. A claim is not judged on less than half of its data sets or on fewer than 20 such runs "
    "(or those of the paper, where it has fewer). Seconds are compared within one implementation "
    "only. The bounds are ours: `boostbench verify --claim ID` states those of a claim."
)


def claim_tables(ledger: Ledger | None, metric: Metric) -> list[Table]:
    """Return the tables of the claims that anything was measured of, and of the others.

    There are none without a paper, or where nothing can be said of any of its claims.
    """
    if ledger is None or not ledger.measured:
        return []
    rows = [
        {
            "Id": entry.claim.id,
            "Verdict": verdict(entry.judged),
            "Claim": _claim(entry),
            "Stated": entry.claim.stated,
            "Measured": Item(measured(entry.judged, metric), note=note(entry)),
        }
        for entry in ledger.measured
    ]
    judged = make_table("claims-judged", "Claims and verdicts", rows, [*rows[0]], legend=_LEGEND)
    reasons: dict[tuple[Ruling, str], list[str]] = {}
    for entry in ledger.entries:
        if not entry.judged.measured:
            key = entry.judged.ruling, entry.judged.why
            reasons.setdefault(key, []).append(entry.claim.id)
    others = [
        {"Verdict": ruling.value, "Why": why, "Claims": numbers.count(len(ids)),
         "Ids": ", ".join(ids)}
        for (ruling, why), ids in reasons.items()
    ]  # fmt: skip
    title = "Claims of which nothing is measured here"
    rest = make_table("claims-others", title, others, ("Verdict", "Why", "Ids"))
    return [judged, rest] if reasons else [judged]


def _claim(entry: Entry) -> Item:
    return Item(f"“{entry.claim.text}”", note=entry.claim.where)


def own_contradictions(ledger: Ledger | None) -> Table | None:
    """Return the paper against itself: the claims that its own tables do not bear out, if any."""
    entries = ledger.entries if ledger else ()
    found = [entry for entry in entries if entry.claim.own_tables in ("contradicts", "partly")]
    rows = [
        {
            "Id": entry.claim.id,
            "Claim": _claim(entry),
            "Stated": entry.claim.stated,
            "Its tables have": entry.claim.own_value,
            "They": entry.claim.own_tables,
        }
        for entry in found
    ]
    return make_table("itself", "The paper against itself", rows, [*rows[0]]) if rows else None


def verdict(judged: Judged) -> Item:
    """Return the verdict on a claim."""
    ruling = judged.ruling
    return Item(ruling.value, mark=MARKS[ruling], words=ruling.value)


def measured(judged: Judged, metric: Metric) -> str:
    """Return a claim's figures with their intervals."""
    return "; ".join(shown(one, metric) for one in judged.shown)


def shown(one: Shown, metric: Metric) -> str:
    """Return a figure at each depth with its interval; of values by data set, their range."""
    parts = []
    for depth, point, low, high in one.rows:
        if len(point) > 1:
            ends = [unit_text(one.unit, end, metric) for end in (point.min(), point.max())]
            text = f"{ends[0]} to {ends[1]} on {len(point)} data sets"
            even = FIGURES[one.call.figure].even
            if even is not None:
                text += f", above {even:g} on {np.count_nonzero(point > even)}"
        else:
            text = with_interval(one.unit, point[0], low[0], high[0], metric)
        parts.append(f"D = {depth}: {text}" if len(one.depths) > 1 else text)
    return f"{one.title} {', '.join(dict.fromkeys(parts))}"


def with_interval(unit: str, value: float, low: float, high: float, metric: Metric) -> str:
    """Return a figure in its unit with its interval, if it has one."""
    text = unit_text(unit, value, metric)
    if low == high:
        return text
    ends = [unit_text(unit, end, metric, bare=True) for end in (low, high)]
    return f"{text} [{', '.join(ends)}]"


def unit_text(unit: str, value: float, metric: Metric, bare: bool = False) -> str:
    """Return a figure in its unit; ``bare``: without the unit, as inside brackets."""
    if math.isnan(value):
        return numbers.DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{numbers.MINUS}∞"
    if unit == "ratio":
        text = numbers.ratio(value)
        return text.removeprefix("× ") if bare else text
    text, name = {
        "difference": lambda: (metric.difference(value), ""),
        "count": lambda: (numbers.count(value), ""),
        "percent": lambda: (numbers.percent(value), " %"),
        "seconds": lambda: (numbers.seconds(value), " s"),
        "exponent": lambda: (numbers.fixed(value, 2), ""),
        "rank": lambda: (numbers.fixed(value, 2), ""),
        "p-value": lambda: (numbers.fixed(value, 4), ""),
        "truth": lambda: ("yes" if value else "no", ""),
    }[unit]()
    return text if bare else text + name


def note(entry: Entry) -> str:
    """Return on what a claim was judged, what its verdict leaves open, and its other readings."""
    judged = entry.judged
    parts = [counted(judged.runs, "run")]
    if judged.missing:
        claimed = len(judged.datasets) + len(judged.missing)
        few = f": without {', '.join(judged.missing)}" if len(judged.missing) <= 3 else ""
        parts.append(f"{len(judged.datasets)}/{claimed} sets{few}")
    parts += [text for text in (judged.why, plan_text(judged)) if text]
    parts += [
        f"{other.reading}: {MARKS[other.ruling] or other.ruling.value}"
        for other in entry.others
        if other.ruling is not Ruling.NOT_JUDGED
    ]
    return "; ".join(parts)


def plan_text(judged: Judged) -> str:
    """Return how many partitions would decide, in words."""
    number = judged.partitions
    return "" if number is None else f"{number:,} partitions would decide, if nothing else changes"


def counts_text(ledger: Ledger) -> str:
    """Return how many claims have each verdict, in words."""
    counts = ledger.counts()
    return ", ".join(f"{number:,} {ruling.value}" for ruling, number in counts.items() if number)


def by_verdict(entries: Sequence[Entry]) -> dict[Ruling, list[Entry]]:
    """Return claims by verdict, those that are not reproduced first."""
    found = {
        ruling: [entry for entry in entries if entry.judged.ruling is ruling]
        for ruling in dict.fromkeys([*JUDGED, *Ruling])
    }
    return {ruling: group for ruling, group in found.items() if group}


def in_two_lines(entry: Entry, metric: Metric) -> tuple[str, str]:
    """Return a claim's id and words, and what is stated and measured, for a terminal."""
    judged, stated = entry.judged, entry.claim.stated
    figures = measured(judged, metric)
    parts = [f"stated {stated}" if stated else "", f"measured {figures}" if figures else ""]
    parts += [judged.why, plan_text(judged)]
    return f"{entry.claim.id}  “{entry.claim.text}”", "; ".join(part for part in parts if part)


def claim_lines(entry: Entry, metric: Metric) -> list[str]:
    """Return everything about a claim in lines of text, its verdicts first."""
    claim = entry.claim
    all_ = (entry.judged, *entry.others)
    verdicts = ", ".join(f"{judged.reading} {judged.ruling.value}" for judged in all_)
    lines = [
        f"{claim.id}: {verdicts}",
        f"{claim.where}: “{claim.text}”",
        *_labelled("stated", claim.stated),
        *_labelled("figures", "; ".join(map(_definition, claim.figures))),
        *_labelled("reproduced if", claim.reproduced_if),
        *_labelled("weaker if", claim.weaker_if),
        *_labelled("not reproduced if", claim.not_reproduced_if),
        *_labelled("the paper's own tables", own_text(claim)),
        *_labelled("note", claim.note),
    ]
    for judged in all_:
        ruling = judged.ruling
        lines.append(f"{judged.reading}: {MARKS[ruling]} {ruling.value}".replace(":  ", ": "))
        if judged.measured:
            lines.append(f"  {measured(judged, metric)}")
            without = f" (without {', '.join(judged.missing)})" if judged.missing else ""
            sets = counted(len(judged.datasets), "data set")
            lines.append(f"  on {sets}{without}, {counted(judged.runs, 'run')} per method")
        lines += [f"  {text}" for text in (judged.why, plan_text(judged)) if text]
    return lines


def own_text(claim: Claim) -> str:
    """Return what the paper's own tables say of a claim."""
    return f"{claim.own_value} ({claim.own_tables})" if claim.own_value else ""


def _definition(call: Any) -> str:
    return f"{call.name} = {call}" if call.name else str(call)


def _labelled(label: str, text: str) -> list[str]:
    return [f"  {label}: {text}"] if text else []


def as_json(entry: Entry) -> dict[str, Any]:
    """Return a claim and its verdicts as JSON values."""
    claim = entry.claim
    return {
        "id": claim.id,
        "claim": claim.text,
        "where": claim.where,
        "stated": claim.stated,
        "reproduced_if": claim.reproduced_if,
        "weaker_if": claim.weaker_if,
        "not_reproduced_if": claim.not_reproduced_if,
        "paper_tables": {"value": claim.own_value, "agreement": claim.own_tables},
        **judged_json(entry.judged),
        "readings": [{"reading": other.reading, **judged_json(other)} for other in entry.others],
    }


def judged_json(judged: Judged) -> dict[str, Any]:
    """Return a verdict with its figures as JSON values."""
    return {
        "verdict": judged.ruling.value,
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
                **{
                    key: [_finite(v) for v in row] if len(row) > 1 else _finite(row[0])
                    for key, row in (("value", point), ("low", low), ("high", high))
                },
            }
            for one in judged.shown
            for depth, point, low, high in one.rows
        ],
        "interval_covers": COVERS,
        "partitions_to_decide": judged.partitions,
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
