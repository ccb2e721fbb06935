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
from boostbench.report.claims import Ledger
from boostbench.report.page import Column, Item, Table
from boostbench.suggest import counted

MARKS = {
    Ruling.REPRODUCED: "✓", Ruling.WEAKER: "◐", Ruling.NOT_REPRODUCED: "✗", Ruling.UNDECIDED: "?",
    Ruling.NOT_JUDGED: "", Ruling.NOT_COMPARABLE: "",
}  # fmt: skip
TONES = {
    Ruling.REPRODUCED: "holds", Ruling.WEAKER: "partly", Ruling.NOT_REPRODUCED: "fails",
    Ruling.UNDECIDED: "undecided", Ruling.NOT_JUDGED: "empty", Ruling.NOT_COMPARABLE: "empty",
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
    entries = ledger.measured
    columns = [
        Column.of("Id", [entry.claim.id for entry in entries], left=True),
        Column.of("Verdict", [verdict(entry.judged) for entry in entries], left=True),
        Column.of("Claim", [f"“{entry.claim.text}”" for entry in entries], left=True),
        Column.of("Stated", [entry.claim.stated for entry in entries], left=True),
        Column.of("Measured", [measured(entry.judged, metric) for entry in entries], left=True),
        Column.of("The paper's tables", [entry.claim.own_value for entry in entries], left=True),
        Column.of("In the paper", [entry.claim.where for entry in entries], left=True),
        Column.of("Notes", [note(entry) for entry in entries], left=True),
    ]
    judged = Table.of_columns(
        "claims-judged",
        "Claims and verdicts",
        [column for column in columns if column.filled],
        legend=_LEGEND,
    )
    reasons: dict[tuple[Ruling, str], list[str]] = {}
    for entry in ledger.entries:
        if not entry.judged.measured:
            key = entry.judged.ruling, entry.judged.why
            reasons.setdefault(key, []).append(entry.claim.id)
    rows = [
        [Item(ruling.value), Item(why), Item(numbers.count(len(ids))), Item(", ".join(ids))]
        for (ruling, why), ids in reasons.items()
    ]
    rest = Table(
        "claims-others",
        "Claims of which nothing is measured here",
        ("Verdict", "Why", "Claims", "Ids"),
        rows,
        left=frozenset({0, 1, 3}),
    )
    return [judged, rest] if rows else [judged]


def verdict(judged: Judged) -> Item:
    """Return the verdict on a claim."""
    ruling = judged.ruling
    return Item(ruling.value, mark=MARKS[ruling], tone=TONES[ruling], words=ruling.value)


def measured(judged: Judged, metric: Metric) -> str:
    """Return a claim's figures with their intervals."""
    return "; ".join(shown(one, metric) for one in judged.shown)


def shown(one: Shown, metric: Metric) -> str:
    """Return a figure at each depth with its interval; of values by data set, their range."""
    parts = []
    for depth, point, low, high in zip(
        one.depths, one.values.point, one.values.low, one.values.high, strict=True
    ):
        if len(point) > 1:
            ends = [unit_text(one.unit, end, metric) for end in (point.min(), point.max())]
            text = f"{ends[0]} to {ends[1]} on {len(point)} data sets"
            even = FIGURES[one.call.figure].even
            if even is not None:
                text += f", above {even:g} on {np.count_nonzero(point > even)}"
        else:
            text = unit_text(one.unit, point[0], metric)
            if low[0] != high[0]:
                ends = [unit_text(one.unit, end[0], metric, bare=True) for end in (low, high)]
                text += f" [{', '.join(ends)}]"
        parts.append(f"D = {depth}: {text}" if len(one.depths) > 1 else text)
    return f"{one.title} {', '.join(dict.fromkeys(parts))}"


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


def rows_of(entries: Sequence[Entry], metric: Metric) -> list[list[str]]:
    """Return one line per claim for a terminal."""
    return [
        [
            entry.claim.id,
            f"{MARKS[entry.judged.ruling]} {entry.judged.ruling.value}".strip(),
            "; ".join(shown(one, metric) for one in entry.judged.shown[:1]),
            entry.claim.stated,
            "; ".join(text for text in (entry.judged.why, plan_text(entry.judged)) if text),
            entry.claim.text,
        ]
        for entry in entries
    ]


def claim_lines(entry: Entry, metric: Metric) -> list[str]:
    """Return everything about a claim in lines of text, its words first."""
    claim = entry.claim
    lines = [
        f"{claim.id}, {claim.where}: “{claim.text}”",
        *_labelled("stated", claim.stated),
        *_labelled("figures", "; ".join(map(_definition, claim.figures))),
        *_labelled("reproduced if", claim.reproduced_if),
        *_labelled("weaker if", claim.weaker_if),
        *_labelled("not reproduced if", claim.not_reproduced_if),
        *_labelled("the paper's own tables", own_text(claim)),
        *_labelled("note", claim.note),
    ]
    for judged in (entry.judged, *entry.others):
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
            for depth, point, low, high in zip(
                one.depths, one.values.point, one.values.low, one.values.high, strict=True
            )
        ],
        "interval_covers": COVERS,
        "partitions_to_decide": judged.partitions,
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
