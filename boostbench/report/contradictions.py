"""The paper against itself: inconsistencies of the printed tables that a report compares with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boostbench.papers.consistency import Inconsistency, Kind, inconsistencies
from boostbench.report.claimtable import itself_table
from boostbench.report.page import Item, Section, Table
from boostbench.report.papertables import paper_tables

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.summary import Summary

TITLE = "The paper against itself"
_FOUND = (
    "Found by the program in the printed tables, without any run. A printed number may be any that "
    "rounds to it: differences that rounding explains are not listed."
)
_ROUNDED = (
    "Two tables that round one figure to different sides agree only on a value halfway between."
)


def contradictions(summary: Summary) -> list[Section]:
    """Return the section on the tables that the report compares with, none where nothing is found.

    Those of its other tables are counted.
    """
    paper = summary.paper
    if paper is None or not summary.compares:
        return []
    found = inconsistencies(paper)
    compared = {cell.published.table for cell in summary.cells.values() if cell.published}
    compared |= {str(summary.experiment.get("table")), *paper_tables(summary)}
    here = [each for each in found if compared & set(each.tables)]
    itself = itself_table(summary.ledger)
    if not here:
        return []
    texts = [_FOUND]
    if any(each.kind is Kind.ROUNDED for each in here):
        texts.append(_ROUNDED)
    more = len(found) - len(here)
    if more:
        found_elsewhere = "one more is" if more == 1 else f"{more:,} more are"
        texts.append(f"{found_elsewhere.capitalize()} in tables that this report does not use.")
    tables = [_table(paper, here), *([itself] if itself else [])]
    return [Section("contradictions", TITLE, texts, tables)]


def _table(paper: Paper, found: list[Inconsistency]) -> Table:
    order = {name: number for number, name in enumerate(paper.printed_tables)}
    header = ("What", "Tables", "Where", "Figures", "Remark")
    rows = [
        [
            Item(each.kind.value),
            Item(", ".join(sorted(each.tables, key=lambda name: order.get(name, len(order))))),
            Item(each.where),
            Item("; ".join(_figures(each))),
            Item(each.remark),
        ]
        for each in found
    ]
    return Table(
        "contradictions",
        "Its tables against each other",
        header,
        rows,
        left=frozenset(range(len(header))),
    )


def _figures(each: Inconsistency) -> list[str]:
    words = {
        Kind.AVERAGE: "{} printed, {} from the rows",
        Kind.DIFFERENT: "{} and {}",
        Kind.ROUNDED: "{} and {}",
        Kind.REPEATED: "{}",
        Kind.SPREAD: "{}, {}",
        Kind.SEARCH: "{} against {}",
        Kind.TEXT: "{} in the text, {} in the table",
    }[each.kind]
    names = [name.replace("_mean", " mean") for name in each.datasets] or [""]
    return [
        (f"{name}: " if name else "") + words.format(printed, against)
        for name, printed, against in zip(names, each.printed, each.against, strict=True)
    ]
