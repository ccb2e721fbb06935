"""What a page is made of: blocks of plain text and numbers, in no format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boostbench.report.cards import Card, Mark
from boostbench.report.figures.groups import Group
from boostbench.report.figures.rows import Row
from boostbench.report.judged import ClaimGroup
from boostbench.report.table import Table

MOST_COLUMNS = 6
"""With more printed columns than these there is no room for the marks beside the numbers."""


@dataclass(frozen=True)
class Stack:
    """A bar of counts: its title and (tone, number, words) of each part."""

    title: str
    parts: Sequence[tuple[str, int, str]]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of the printed table: measured, printed, its mark and the card it opens."""

    card: str
    tone: str
    verdict: str
    measured: str
    printed: str
    mark: Mark | None
    note: str = ""


@dataclass(frozen=True)
class Matrix:
    """A printed table: measured beside printed, one column per method.

    ``columns`` are (name, counts by tone and word); ``mean`` is the row of averages, with its
    title; ``ends`` are the ends of the axis that all marks share. ``agreements`` has a line per
    column.
    """

    key: str
    title: str
    columns: Sequence[tuple[str, Sequence[tuple[str, int, str]]]]
    mean: tuple[str, Sequence[tuple[str, str, str]]] | None
    rows: Sequence[tuple[str, Sequence[MatrixCell | None]]]
    ends: tuple[str, str, str]
    note: str = ""
    agreements: Sequence[str] = ()
    kind: str = "matrix"

    @property
    def sample(self) -> MatrixCell:
        """A cell to explain the others by."""
        return next(cell for _, cells in self.rows for cell in cells if cell is not None)

    @property
    def marked(self) -> bool:
        """Whether there is room for the marks."""
        return len(self.columns) <= MOST_COLUMNS


@dataclass(frozen=True)
class Differences:
    """The cells that differ, by data set, and why the rest is undecided."""

    title: str
    lead: str
    rows: Sequence[tuple[str, str, MatrixCell | None, str]]
    aside: str
    why: Sequence[str]
    key: str = "differs"
    kind: str = "differences"


@dataclass(frozen=True)
class Claims:
    """The claims by verdict."""

    title: str
    lead: str
    groups: Sequence[ClaimGroup]
    total: int
    key: str = "claims"
    kind: str = "claims"


@dataclass(frozen=True)
class Chart:
    """A chart of rows: the finding as its title."""

    title: str
    rows: Sequence[Row]
    log: bool = False
    bounds: tuple[float, float] = (0.0, 0.0)
    caption: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Charts:
    """Charts side by side; ``note`` is of all of them."""

    key: str
    title: str
    charts: Sequence[Chart]
    note: str = ""
    quiet: bool = False
    kind: str = "charts"


@dataclass(frozen=True)
class Panels:
    """Learning curves: groups of panels, and (colour, dashed, name) of each line."""

    key: str
    title: str
    groups: Sequence[tuple[Group, str]]
    legend: Sequence[tuple[str, bool, str]]
    note: str
    kind: str = "panels"


@dataclass(frozen=True)
class Plain:
    """Tables below a title; ``pairs`` beside each other."""

    key: str
    title: str
    tables: Sequence[Table]
    note: str = ""
    pairs: bool = False
    glossary: Sequence[tuple[str, str]] = ()
    kind: str = "tables"


@dataclass(frozen=True)
class Steps:
    """What to do next: (title, command, words)."""

    title: str
    steps: Sequence[tuple[str, str, str]]
    key: str = "next"
    kind: str = "steps"


@dataclass(frozen=True)
class Closed:
    """A section that is closed at first."""

    key: str
    title: str
    hint: str = ""
    paragraphs: Sequence[str] = ()
    words: Sequence[tuple[str, str, str]] = ()
    tables: Sequence[Table] = ()
    blocks: Sequence[Any] = ()
    cards: Sequence[Card] = ()


@dataclass(frozen=True)
class Page:
    """The whole page."""

    name: str
    title: str
    intro: str
    warnings: Sequence[str]
    answer: Sequence[str]
    stacks: Sequence[Stack]
    blocks: Sequence[Any]
    closed: Sequence[Closed]
    footer: Sequence[str]
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[tuple[str, str]]:
        """The parts to jump to."""
        short = {"claims": "Claims", "differs": "What differs", "methods": "Methods",
                 "next": "What next", "numbers": "Numbers", "ends": "Last iteration",
                 "figure": "Who won"}  # fmt: skip
        found = []
        for block in self.blocks:
            text = short.get(block.key, block.title.partition(":")[0])
            found.append((block.key, "Curves" if block.kind == "panels" else text))
        return [*found, ("more", "Everything else")]
