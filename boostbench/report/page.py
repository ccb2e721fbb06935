"""The page before it has a format: titles, paragraphs and tables of plain text with a meaning.

Every renderer (Markdown, LaTeX, HTML, terminal) is given the same :class:`Page`; none computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate


@dataclass(frozen=True)
class Item:
    """A table's cell.

    ``mark`` is a verdict's sign, ``beside`` the published value, ``note`` what a reader must know
    about this cell alone, ``tone`` its meaning for a renderer with colours: a verdict, "empty",
    "holds", "fails", "best", or "".
    """

    text: str
    mark: str = ""
    beside: str = ""
    note: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Table:
    """A table: ``averages`` counts the last rows that sum up the others.

    ``groups`` are (title, columns) above the header; ``left`` the columns of words rather than
    numbers; ``legend`` explains the marks.
    """

    key: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Item]]
    averages: int = 0
    groups: Sequence[tuple[str, int]] = ()
    left: frozenset[int] = frozenset({0})
    legend: str = ""

    def without_blanks(self, always: int = 0) -> Table:
        """Return the table without the columns, but for the first ones, that no row fills."""
        kept = [
            i
            for i in range(len(self.header))
            if i < always or any(row[i].text for row in self.rows)
        ]
        return replace(
            self,
            header=[self.header[i] for i in kept],
            rows=[[row[i] for i in kept] for row in self.rows],
            left=frozenset(place for place, i in enumerate(kept) if i in self.left),
        )

    @property
    def opens(self) -> frozenset[int]:
        """The columns at which a group begins, but for the first."""
        starts = accumulate(span for _, span in self.groups)
        return frozenset(start for start in starts if start < len(self.header))


@dataclass(frozen=True)
class Picture:
    """A figure: the stem of its files, what it shows in words, and each panel's words.

    ``panel`` holds a ``{}`` for the panel's label. ``verdicts``: whether its marks are verdicts.
    """

    file: str
    alt: str
    caption: str
    panel: str = "{}"
    verdicts: bool = False


@dataclass(frozen=True)
class Section:
    """A titled part of the page; ``picture`` is the figure that stands here."""

    key: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Page:
    """The whole report: ``facts`` are the few (label, value, remark) to be read first."""

    title: str
    description: str
    facts: Sequence[tuple[str, str, str]]
    sections: Sequence[Section] = field(default_factory=list)
