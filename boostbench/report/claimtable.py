"""The table of the paper's claims: each evaluated on the measured and on the printed figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.papers import get_paper, published_datasets, published_for
from boostbench.report import numbers
from boostbench.report.claims import CLAIMS, MARKS, Claim, Point
from boostbench.report.page import Item, Table
from boostbench.report.stats import Cell, Summary

if TYPE_CHECKING:
    from boostbench.papers import Published
    from boostbench.report.frame import MethodInfo

STARTS = (("Single start", ""), ("Best of 5 starts", "_best5"))


def claim_tables(summary: Summary) -> list[Table]:
    """Return a table of claims for each tree depth of the plan; none without a known paper."""
    if summary.paper is None or summary.paper.key not in CLAIMS:
        return []
    names = {claim.left for claim in CLAIMS[summary.paper.key]}
    judged = {name + ending for name in names for _, ending in STARTS}
    depths = {m.depth for m in summary.methods if m.registered in judged and m.depth is not None}
    tables = (_table(summary, summary.paper.key, depth) for depth in sorted(depths))
    return [table for table in tables if table.rows]


def _table(summary: Summary, paper: str, depth: int) -> Table:
    rows = []
    for claim in CLAIMS[paper]:
        measured = [_measured(summary, claim, ending, depth) for _, ending in STARTS]
        if any(item is not None and item.text != numbers.DASH for item in measured):
            said = _published_statistic(paper, claim, depth, tuple(published_datasets(paper)))
            rows.append(
                [
                    Item(claim.text),
                    Item(_shown_right(claim)),
                    Item(claim.where),
                    Item(numbers.DASH if math.isnan(said) else claim.show(said)),
                    *(item or Item("") for item in measured),
                ]
            )
    return Table(
        key=f"claims-{depth}",
        title=f"Trees of depth {depth}",
        header=("Claim", "Against", "In the paper", "Published", *(title for title, _ in STARTS)),
        rows=rows,
        left=frozenset({0, 1, 2}),
        legend=(
            "✓ holds on the measured data sets; ◐ holds in direction, but by less than published; "
            "✗ does not hold. [k/n sets] says on how many of the paper's data sets both sides are "
            "measured, and what is published for these, which then decides the verdict. "
            "Published figures are computed from the printed rows: a tie in print counts for no "
            "side. Times were taken on other machines: only their ratios are compared."
        ),
    )


def _shown_right(claim: Claim) -> str:
    """Return the method a claim is set against, where that is the same for any number of starts."""
    return "" if claim.right in ("srt", "srt_l2") else claim.right


def _measured(summary: Summary, claim: Claim, ending: str, depth: int) -> Item | None:
    left = _find(summary, claim.left + ending, depth)
    name = claim.right + ending if claim.right in ("srt", "srt_l2") else claim.right
    right = _find(summary, name, depth) if name else None
    if left is None or (name and right is None) or summary.paper is None:
        return None
    pairs = [
        (
            data.published_as,
            summary.cell(data.label, left.label),
            _other(summary, data.label, right),
        )
        for data in summary.datasets
        if data.published_as in published_datasets(summary.paper.key)
    ]
    pairs = [pair for pair in pairs if pair[1].finished and (right is None or pair[2].finished)]
    if not pairs:
        return Item(numbers.DASH, note="no finished run", tone="empty")
    mine = [_point(cell) for _, cell, _ in pairs]
    theirs = [_point(cell) for _, _, cell in pairs] if right else []
    value = claim.statistic(mine, theirs)
    said = _published_statistic(summary.paper.key, claim, depth, [pair[0] for pair in pairs])
    total = len(published_datasets(summary.paper.key))
    notes = [] if len(pairs) == total else [f"{len(pairs)}/{total} sets{_of_these(claim, said)}"]
    negative = sum(cell.negative for _, *both in pairs for cell in both if cell.exploded)
    if negative:
        notes.append(f"{negative} with R² < 0 among them")
    note = ", ".join(notes)
    if math.isnan(value):
        return Item(numbers.DASH, note=note or "not known", tone="empty")
    finding = claim.judge(value, said)
    return Item(claim.show(value), mark=MARKS[finding], note=note, tone=finding)


def _of_these(claim: Claim, said: float) -> str:
    return "" if math.isnan(said) else f", published there {claim.show(said)}"


def _find(summary: Summary, registered: str, depth: int) -> MethodInfo | None:
    return next(
        (
            method
            for method in summary.methods
            if method.registered == registered
            and (method.depth == depth or registered.startswith("random_forest"))
        ),
        None,
    )


def _other(summary: Summary, dataset: str, method: MethodInfo | None) -> Cell:
    return summary.cell(dataset, method.label if method else "")


def _point(cell: Cell) -> Point:
    return Point(
        r2=_or_nan(cell.compared),
        sd=_or_nan(cell.compared_sd),
        time_s=_or_nan(cell.fit_s),
        negative=cell.negative / cell.finished if cell.finished else math.nan,
    )


def _published_statistic(paper: str, claim: Claim, depth: int, datasets: Sequence[str]) -> float:
    left = [_printed(paper, claim.left, name, depth) for name in datasets]
    right = [_printed(paper, claim.right, name, depth) for name in datasets] if claim.right else []
    return claim.statistic(left, right)


def _printed(paper: str, method: str, dataset: str, depth: int) -> Point:
    cell: Published | None = published_for(paper, method, dataset, depth)
    if cell is None:
        return Point(math.nan, math.nan, math.nan, math.nan)
    runs = None if cell.negative_runs is None else cell.negative_runs / get_paper(paper).runs
    return Point(cell.r2_mean, _or_nan(cell.r2_sd), _or_nan(cell.time_s), _or_nan(runs))


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
