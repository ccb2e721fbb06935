"""A table before it has a format: cells of plain text with a meaning, made of column specs.

Every renderer (Markdown, LaTeX, HTML, terminal) is given the same :class:`Table`; none computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any


@dataclass(frozen=True)
class Item:
    """A table's cell.

    ``mark`` is a verdict's sign, ``words`` says it to those who hear it, ``beside`` the published
    value, ``note`` what a reader must know about this cell only, ``tone`` its meaning for a
    renderer with colours: a verdict, "empty", "best", "close", or "". ``standing`` is "best" for
    the best of its row, "close" where a test does not separate it. ``runs`` is the (data set,
    method) whose runs it sums up.
    """

    text: str
    mark: str = ""
    beside: str = ""
    note: str = ""
    tone: str = ""
    runs: tuple[str, str] | None = None
    words: str = ""
    standing: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its header, what it says of a row, its group's title; ``left``: words."""

    header: str
    text: Callable[[Any], Item | str]
    group: str = ""
    left: bool = False


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

    @property
    def grouped_header(self) -> list[str]:
        """The header where groups have no row: each name with the title of its group."""
        titles = [title for title, span in self.groups for _ in range(span)]
        return [
            f"{title}: {text}" if title else text
            for title, text in zip(titles or [""] * len(self.header), self.header, strict=True)
        ]

    @property
    def opens(self) -> frozenset[int]:
        """The columns at which a group begins, except the first."""
        starts = accumulate(span for _, span in self.groups)
        return frozenset(start for start in starts if start < len(self.header))


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    key: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()


def make_table(
    key: str,
    title: str,
    columns: Iterable[Column],
    rows: Iterable[Any],
    averages: int = 0,
    legend: str = "",
) -> Table:
    """Return the table of those ``columns`` that any of the ``rows`` fills.

    Neighbours of one group are under its title.
    """
    known = list(rows)
    filled = []
    for column in columns:
        items = [x if isinstance(x := column.text(row), Item) else Item(x) for row in known]
        if any(item.text or item.beside for item in items):
            filled.append((column, items))
    groups = [(name, len(list(own))) for name, own in groupby(c.group for c, _ in filled)]
    return Table(
        key=key,
        title=title,
        header=[column.header for column, _ in filled],
        rows=[list(row) for row in zip(*(items for _, items in filled), strict=True)],
        averages=averages,
        groups=groups if any(name for name, _ in groups) else (),
        left=frozenset(i for i, (column, _) in enumerate(filled) if column.left),
        legend=legend,
    )
