"""The tables of a paper's claims, each evaluated on the measured and on the published values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from boostbench.papers.claim import ALL, Claim, Comparison, Finding, Variant
from boostbench.papers.results import Dataset, Measured, Method
from boostbench.report import numbers
from boostbench.report.page import Item, Table

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.summary import Summary

Roles = Mapping[str, Method]
MARKS = {Finding.HOLDS: "✓", Finding.PARTLY: "◐", Finding.FAILS: "✗"}
_OVER_ALL = (
    "✓ holds on the measured data sets; ◐ holds in direction, but by less than published; ✗ does "
    "not hold. [k/n sets] says on how many of the paper's data sets both sides are measured, and "
    "what is published for these, which decides the verdict where the claim is a published number."
)
_EACH = (
    "✓ holds; ◐ holds in part: on some data sets, or by less than claimed; ✗ does not hold. "
    "Verdicts compare means over runs and do not look at their spread."
)
_TIMES = "Published times were taken on another machine: only ratios are compared."


def claim_tables(summary: Summary) -> list[Table]:
    """Return the tables of the paper's claims: over data sets, by depth, and on each data set.

    There are none without a paper, or where nothing can be said of any of its claims.
    """
    if summary.paper is None:
        return []
    return [
        table
        for table in (*_over_all(summary, summary.paper), _on_each(summary, summary.paper))
        if table.rows
    ]


def _legend(summary: Summary, paper: Paper, words: str) -> str:
    missing = summary.planned - summary.finished
    so_far = (
        f"{missing:,} of {summary.planned:,} runs are missing: the verdicts are so far."
        if missing
        else ""
    )
    return " ".join(text for text in (words, so_far, paper.claim_legend, _TIMES) if text)


def _over_all(summary: Summary, paper: Paper) -> Iterator[Table]:
    claims = [claim for claim in paper.claims if not claim.each]
    judged = {v.roles.get(claim.left, claim.left) for claim in claims for v in paper.variants}
    depths = {method.depth for method in summary.methods if method.registered in judged}
    for depth in sorted(depths, key=lambda depth: depth or 0):
        roles = _roles(summary, paper, depth)
        rows = [
            _row_over_all(summary, paper, claim, roles, depth)
            for claim in claims
            if claim.depth in (None, depth)
        ]
        yield Table(
            key="claims" if depth is None else f"claims-{depth}",
            title="The paper's claims" if depth is None else f"Trees of depth {depth}",
            header=(
                "Claim",
                "Against",
                "In the paper",
                "Published",
                *(variant.title for variant in paper.variants),
            ),
            rows=[row for row in rows if row],
            left=frozenset({0, 1, 2}),
            legend=_legend(summary, paper, _OVER_ALL),
        )


def _roles(summary: Summary, paper: Paper, depth: int | None) -> Roles:
    """Return the methods by role, the first one of several in the same role."""
    if paper.roles is not None:
        return paper.roles(summary.methods)
    roles: dict[str, Method] = {}
    for method in summary.methods:
        if method.registered and (
            depth is None or method.depth == depth or not paper.has_depth(method.registered)
        ):
            roles.setdefault(method.registered, method)
    return roles


def _row_over_all(
    summary: Summary, paper: Paper, claim: Claim, roles: Roles, depth: int | None
) -> list[Item]:
    """Return the row of a claim over data sets, empty where no variant of it is measured."""
    items = [_variant_item(summary, paper, claim, v, roles, depth) for v in paper.variants]
    if not any(item is not None and item.text != numbers.DASH for item in items):
        return []
    published = _published(paper, claim, depth, _claimed(paper, claim))
    varied = {role for variant in paper.variants for role in variant.roles}
    against = [] if claim.right == ALL else [role for role in claim.right if role not in varied]
    return [
        Item(claim.text),
        Item(", ".join(against)),
        Item(claim.where),
        Item(numbers.DASH if published is None else _shown(summary, claim, published)),
        *(item or Item("") for item in items),
    ]


def _claimed(paper: Paper, claim: Claim) -> list[str]:
    """Return the paper's data sets that a claim is about."""
    return [name for name in paper.datasets if not claim.datasets or name in claim.datasets]


def _variant_item(
    summary: Summary,
    paper: Paper,
    claim: Claim,
    variant: Variant,
    roles: Roles,
    depth: int | None,
) -> Item | None:
    left, right = _sides(claim, variant, roles)
    # A variant is shown only for the claims on the roles that it varies.
    if variant.roles and claim.left not in variant.roles:
        return None
    if left not in roles or not all(role in roles for role in right):
        return None
    claimed = _claimed(paper, claim)
    pairs = {
        data.published_as: pair
        for data in summary.datasets
        if data.published_as in claimed
        and (pair := _pair(summary, data, left, right, roles)) is not None
    }
    if not pairs:
        return Item(numbers.DASH, note="no finished run", tone="empty")
    value = claim.statistic(list(pairs.values()))
    published = _published(paper, claim, depth, list(pairs))
    notes = []
    if len(pairs) < len(claimed):
        there = (
            "" if published is None else f", published there {_shown(summary, claim, published)}"
        )
        notes.append(f"{len(pairs)}/{len(claimed)} sets{there}")
    exploded = _exploded(summary, set(pairs), [roles[role].label for role in (left, *right)])
    if exploded:
        notes.append(f"{exploded} with {summary.metric.exploded_label} among them")
    if value is None:
        return Item(numbers.DASH, note=", ".join(notes) or claim.unknown, tone="empty")
    finding = claim.judge(value, published)
    return _judged(_shown(summary, claim, value), finding, ", ".join(notes))


def _sides(claim: Claim, variant: Variant, roles: Roles) -> tuple[str, list[str]]:
    left = variant.roles.get(claim.left, claim.left)
    if claim.right == ALL:
        return left, _others(roles, left)
    return left, [variant.roles.get(role, role) for role in claim.right]


def _others(roles: Roles, left: str) -> list[str]:
    """Return all roles except ``left``, one per method."""
    labels = {method.label: role for role, method in roles.items() if role != left}
    mine = roles[left].label if left in roles else ""
    return [role for label, role in labels.items() if label != mine]


def _pair(
    summary: Summary, data: Dataset, left: str, right: Sequence[str], roles: Roles
) -> Comparison | None:
    """Return both sides on a data set, ``None`` unless all have a finished run."""
    found = [summary.measured(data.label, roles[role].label, role) for role in (left, *right)]
    known = [measured for measured in found if measured is not None]
    return Comparison(known[0], known[1:]) if len(known) == len(found) else None


def _exploded(summary: Summary, names: set[str], methods: Sequence[str]) -> int:
    """Return how many exploded runs are in the means that a claim is judged by."""
    cells = (
        summary.cell(data.label, method)
        for data in summary.datasets
        if data.published_as in names
        for method in methods
    )
    return sum(cell.exploded for cell in cells if cell.includes_exploded)


def _published(
    paper: Paper, claim: Claim, depth: int | None, datasets: Sequence[str]
) -> float | None:
    """Return the statistic of a claim on the printed values, ``None`` where one is lacking."""
    if claim.right == ALL or not paper.cells:
        return None
    pairs = []
    for name in datasets:
        found = [_printed(paper, role, name, depth) for role in (claim.left, *claim.right)]
        known = [printed for printed in found if printed is not None]
        if len(known) < len(found):
            return None
        pairs.append(Comparison(known[0], known[1:]))
    return claim.statistic(pairs) if pairs else None


def _printed(paper: Paper, role: str, dataset: str, depth: int | None) -> Measured | None:
    column = paper.column(role, depth)
    cell = column.cells.get(dataset) if column else None
    if cell is None:
        return None
    runs = paper.runs if cell.exploded_runs is not None else None
    return Measured(
        role=role,
        score=cell.mean,
        sd=cell.sd,
        exploded=None if runs is None or cell.exploded_runs is None else cell.exploded_runs / runs,
        times={} if cell.time_s is None else {"fit_s": cell.time_s},
    )


def _on_each(summary: Summary, paper: Paper) -> Table:
    claims = [claim for claim in paper.claims if claim.each]
    rows = [_row_on_each(summary, claim, _roles(summary, paper, claim.depth)) for claim in claims]
    return Table(
        key="claims-each",
        title="The paper's claims",
        header=("Claim", "In the paper", "Verdict", *(data.label for data in summary.datasets)),
        rows=[row for row in rows if row],
        left=frozenset({0, 1, 2}),
        legend=_legend(summary, paper, _EACH),
    )


def _row_on_each(summary: Summary, claim: Claim, roles: Roles) -> list[Item]:
    """Return the row of a claim on each data set, empty where it cannot be judged on any."""
    left, right = _sides(claim, Variant(""), roles)
    if left not in roles or not all(role in roles for role in right):
        return []
    found = [_item_on(summary, claim, data, left, right, roles) for data in summary.datasets]
    findings = [finding for _, finding in found if finding is not None]
    if not findings:
        return []
    verdict = claim.overall(findings)
    return [
        Item(claim.text),
        Item(claim.where),
        Item(verdict.value, mark=MARKS[verdict], tone=verdict),
        *(item for item, _ in found),
    ]


def _item_on(
    summary: Summary,
    claim: Claim,
    data: Dataset,
    left: str,
    right: Sequence[str],
    roles: Roles,
) -> tuple[Item, Finding | None]:
    if claim.datasets and data.published_as not in claim.datasets:
        return Item(numbers.DASH, note="not claimed"), None
    pair = _pair(summary, data, left, right, roles)
    if pair is None:
        return Item(numbers.DASH, note="not finished", tone="empty"), None
    value = claim.statistic([pair])
    if value is None:
        return Item(numbers.DASH, note=claim.unknown, tone="empty"), None
    finding = claim.judge(value, None)
    step = claim.step(pair) if claim.step else None
    note = "" if step is None else f"at {step:,}"
    return _judged(_shown(summary, claim, value), finding, note), finding


def _judged(text: str, finding: Finding | None, note: str) -> Item:
    if finding is None:
        return Item(text, note=note)
    return Item(text, mark=MARKS[finding], note=note, tone=finding)


def _shown(summary: Summary, claim: Claim, value: float) -> str:
    """Return a value of a claim in its unit."""
    metric = summary.metric
    return {
        "score": lambda: metric.text(value),
        "difference": lambda: metric.difference(value),
        "count": lambda: numbers.count(value),
        "percent": lambda: f"{100 * value:.1f} %",
        "gain": lambda: f"{numbers.signed(100 * value, 1)} %",
        "share": lambda: f"{100 * value:.2g} %",
        "points": lambda: f"{numbers.signed(100 * value, 2)} pp",
        "ratio": lambda: numbers.ratio(value),
        "seconds": lambda: f"{numbers.seconds(value)} s",
    }[claim.unit]()
