"""The ledger of a paper's claims as tables: those measured, the others, and by themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench import numbers
from boostbench.papers.claim import Claim, Ruling
from boostbench.report.page import Column, Item, Table
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.papers.metrics import Metric
    from boostbench.report.ledger import Entry, Judged, Ledger, Plan, Shown

MARKS = {
    Ruling.REPRODUCED: "✓",
    Ruling.DIRECTION: "◐",
    Ruling.CONTRADICTED: "✗",
    Ruling.UNDECIDED: "?",
    Ruling.NOT_JUDGED: "",
    Ruling.NOT_COMPARABLE: "",
}
TONES = {
    Ruling.REPRODUCED: "holds",
    Ruling.DIRECTION: "partly",
    Ruling.CONTRADICTED: "fails",
    Ruling.UNDECIDED: "undecided",
    Ruling.NOT_JUDGED: "empty",
    Ruling.NOT_COMPARABLE: "empty",
}
_LEGEND = (
    "✓ reproduced; ◐ direction only: as claimed, but not by as much; ✗ contradicted; ? undecided: "
    "the interval reaches from figures that contradict the claim to figures that do not, the "
    "figure lies between the bands, or trees of a depth that it is about were not run. In "
    "brackets: the 95 % interval for other seeds and another partition of the same rows, of a "
    "count how many are decided one way and the other. Only runs that all methods of a claim have "
    "are used. A claim is not judged on less than half of its data sets or on fewer than 20 such "
    "runs (or those of the paper, where it has fewer). The bounds are ours: `boostbench verify "
    "--claim ID` states those of a claim."
)
_TIMES = "Published times were taken on another machine: only ratios are compared."
_ITSELF = "Sentences that the paper's own printed tables contradict, or bear out in part only."


def claim_tables(ledger: Ledger | None, metric: Metric) -> list[Table]:
    """Return the tables of the claims that anything was measured of, and of the others.

    There are none without a paper, or where nothing can be said of any of its claims.
    """
    if ledger is None or not ledger.measured:
        return []
    tables = [_judged_table(ledger, metric)]
    rest = _others_table(ledger)
    return [*tables, rest] if rest.rows else tables


def _judged_table(ledger: Ledger, metric: Metric) -> Table:
    entries = ledger.measured
    seconds = any(entry.claim.seconds for entry in entries)
    columns = [
        Column.of("Id", [entry.claim.id for entry in entries], left=True),
        Column.of("Verdict", [verdict(entry.judged) for entry in entries], left=True),
        Column.of("Claim", [quoted(entry) for entry in entries], left=True),
        Column.of("Measured", [measured(entry.judged, metric) for entry in entries], left=True),
        Column.of("The paper's tables", [entry.claim.own for entry in entries], left=True),
        Column.of("In the paper", [entry.claim.where for entry in entries], left=True),
        Column.of("Notes", [note(entry) for entry in entries], left=True),
    ]
    texts = [_LEGEND, ledger.paper.claim_legend, _TIMES if seconds else ""]
    return Table.of_columns(
        "claims-judged",
        "Claims and verdicts",
        [column for column in columns if column.filled],
        legend=" ".join(text for text in texts if text),
    )


def _others_table(ledger: Ledger) -> Table:
    """Return the claims of which nothing is measured, by the reason."""
    reasons: dict[tuple[Ruling, str], list[str]] = {}
    for entry in ledger.entries:
        judged = entry.judged
        if not judged.measured:
            reasons.setdefault((judged.ruling, judged.why), []).append(entry.claim.id)
    rows = [
        [Item(ruling.value), Item(why), Item(numbers.count(len(ids))), Item(", ".join(ids))]
        for (ruling, why), ids in reasons.items()
    ]
    return Table(
        "claims-others",
        "Claims of which nothing is measured here",
        ("Verdict", "Why", "Claims", "Ids"),
        rows,
        left=frozenset({0, 1, 3}),
    )


def itself_table(ledger: Ledger | None) -> Table | None:
    """Return the claims that the paper's own tables do not bear out, ``None`` if there are none."""
    found = [e.claim for e in ledger.entries if e.claim.contradicts_itself] if ledger else []
    if not found:
        return None
    return Table(
        "claims-itself",
        "Its text against its tables",
        ("Id", "Claim", "In the paper", "Its tables", "Remark"),
        [
            [
                Item(claim.id),
                Item(f"“{claim.text}”"),
                Item(claim.where),
                Item(claim.own, note=claim.agreement),
                Item(claim.remarks),
            ]
            for claim in found
        ],
        left=frozenset(range(5)),
        legend=_ITSELF,
    )


def quoted(entry: Entry) -> str:
    """Return a claim's words."""
    return f"“{entry.claim.text}”"


def verdict(judged: Judged) -> Item:
    """Return the verdict on a claim."""
    ruling = judged.ruling
    return Item(ruling.value, mark=MARKS[ruling], tone=TONES[ruling], words=ruling.value)


def measured(judged: Judged, metric: Metric) -> str:
    """Return a claim's figures with their intervals."""
    return "; ".join(shown(figure, judged, metric) for figure in judged.shown)


def shown(one: Shown, judged: Judged, metric: Metric) -> str:
    """Return a figure at each depth with its interval."""
    several = len(one.depths) > 1
    parts = []
    for depth, (value, low, high) in zip(one.depths, one.values, strict=True):
        text = unit_text(one.figure.unit, value, metric)
        if not math.isnan(low) and not math.isnan(high):
            ends = (unit_text(one.figure.unit, end, metric, bare=True) for end in (low, high))
            text += f" [{', '.join(ends)}]"
        if one.figure.unit == "sets":
            text += f" of {len(judged.datasets)}"
        parts.append(f"D = {depth}: {text}" if several else text)
    return f"{_named(one.figure.title, judged.claim)} {', '.join(parts)}"


def _named(title: str, claim: Claim) -> str:
    """Return a figure's title with the two methods that it compares, where they are two."""
    if (len(claim.left), len(claim.right)) != (1, 1):
        return title
    left, right = claim.left[0], claim.right[0]
    for words, name in (
        ("its time", f"time of {left}"),
        ("its geometric mean time", f"geometric mean time of {left}"),
        ("its own", f"{left}'s"),
        ("the other's", f"{right}'s"),
        ("the other", right),
    ):
        title = title.replace(words, name)
    return title


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
        "score": lambda: (metric.text(value), ""),
        "difference": lambda: (metric.difference(value), ""),
        "count": lambda: (numbers.count(value), ""),
        "sets": lambda: (numbers.count(value), ""),
        "percent": lambda: (numbers.percent(value), " %"),
        "points": lambda: (numbers.signed(value, 2), " pp"),
        "share": lambda: (numbers.fixed(100 * value, 2), " %"),
        "seconds": lambda: (numbers.seconds(value), " s"),
    }[unit]()
    return text if bare else text + name


def note(entry: Entry) -> str:
    """Return on what a claim was judged, what its verdict leaves open, and its other readings."""
    judged = entry.judged
    parts = [f"{counted(judged.runs, 'run')}"]
    if judged.missing:
        claimed = len(judged.datasets) + len(judged.missing)
        few = f": without {', '.join(judged.missing)}" if len(judged.missing) <= 3 else ""
        parts.append(f"{len(judged.datasets)}/{claimed} sets{few}")
    parts += [judged.why] if judged.why else []
    parts += [plan_text(judged.plan)] if judged.plan else []
    parts += [
        f"{other.reading.title}: {MARKS[other.ruling] or other.ruling.value}"
        for other in entry.others
        if other.ruling is not Ruling.NOT_JUDGED
    ]
    return "; ".join(parts)


def plan_text(plan: Plan) -> str:
    """Return how many seeds or partitions would decide, in words."""
    if plan.between:
        return "between the bands"
    if plan.seeds is None and plan.partitions is None:
        return "no number of seeds or partitions decides"
    found = []
    if plan.seeds is not None:
        found.append(f"{plan.seeds:,} seeds")
    if plan.partitions is not None:
        found.append(f"{plan.partitions:,} partitions")
    text = f"{' or '.join(found)} would decide"
    if plan.seeds is None and plan.planned_seeds:
        text += ", no number of seeds"
    return text


def counts_text(ledger: Ledger) -> str:
    """Return how many claims have each verdict, in words."""
    counts = ledger.counts()
    return ", ".join(f"{number:,} {ruling.value}" for ruling, number in counts.items() if number)


def rows_of(entries: Sequence[Entry], metric: Metric) -> list[list[str]]:
    """Return one line per claim for a terminal: id, verdict, one figure, its runs.

    The figure is the first, or the one that leaves the verdict open.
    """
    return [
        [
            entry.claim.id,
            f"{MARKS[entry.judged.ruling]} {entry.judged.ruling.value}".strip(),
            "; ".join(
                shown(one, entry.judged, metric)
                for one in entry.judged.shown[entry.judged.decisive :][:1]
            ),
            entry.claim.stated,
            _short_note(entry.judged),
            entry.claim.text,
        ]
        for entry in entries
    ]


def _short_note(judged: Judged) -> str:
    parts = [judged.why] if judged.why else []
    if judged.missing and judged.ruling is not Ruling.NOT_JUDGED:
        parts.append(f"{len(judged.datasets)}/{len(judged.datasets) + len(judged.missing)} sets")
    return "; ".join([*parts, *([plan_text(judged.plan)] if judged.plan else [])])
