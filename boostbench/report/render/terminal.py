"""A table as rows of text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.report.table import Table


@dataclass(frozen=True)
class Text:
    """A table in words: ``averages`` counts the last rows, ``legend`` explains the marks."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    averages: int
    legend: str
    title: str = ""


def render(table: Table) -> Text:
    """Return ``table`` as text, each cell with its mark, published value and note."""
    rows = [[" ".join(item.parts) for item in row] for row in table.rows]
    return Text(table.grouped_header, rows, table.averages, table.legend, table.title)
