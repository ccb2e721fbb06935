"""The page before it has a format: titles, paragraphs and tables of plain text with a meaning.

Every renderer (Markdown, LaTeX, HTML, terminal) is given the same :class:`Page`; none computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby


@dataclass(frozen=True)
class Item:
    """A table's cell.

    ``mark`` is a verdict's sign, ``words`` says it to those who hear it, ``beside`` the published
    value, ``note`` what a reader must know about this cell only, ``tone`` its meaning for a
    renderer with colours: a verdict, "empty", "holds", "fails", "best", "close", or "".
    ``standing`` is "best" for the best of its row, "close" where a test does not separate it.
    ``runs`` is the (data set, method) whose runs it sums up.
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
    """A column of a table, with the title of its group; ``left``: of words, not numbers."""

    header: str
    items: Sequence[Item]
    group: str = ""
    left: bool = False

    @classmethod
    def of(
        cls, header: str, items: Iterable[Item | str], group: str = "", left: bool = False
    ) -> Column:
        """Return the column of ``items``, texts among them being plain items."""
        made = [item if isinstance(item, Item) else Item(item) for item in items]
        return cls(header, made, group, left)

    @property
    def filled(self) -> bool:
        """Whether any row fills it."""
        return any(item.text for item in self.items)


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

    @classmethod
    def of_columns(
        cls, key: str, title: str, columns: Sequence[Column], averages: int = 0, legend: str = ""
    ) -> Table:
        """Return the table of ``columns``, neighbours of one group under its title."""
        groups = [(group, len(list(own))) for group, own in groupby(c.group for c in columns)]
        return cls(
            key=key,
            title=title,
            header=[column.header for column in columns],
            rows=[list(row) for row in zip(*(c.items for c in columns), strict=True)],
            averages=averages,
            groups=groups if any(group for group, _ in groups) else (),
            left=frozenset(i for i, column in enumerate(columns) if column.left),
            legend=legend,
        )

    @property
    def full_header(self) -> list[str]:
        """The header where groups have no row: with the group's title where it would be unclear."""
        titles = [title for title, span in self.groups for _ in range(span)]
        return [
            f"{title}: {text}"
            if title == "Published"
            or (title not in ("", "Measured", "Compared") and self.header.count(text) > 1)
            else text
            for title, text in zip(titles or [""] * len(self.header), self.header, strict=True)
        ]

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
class Picture:
    """A figure: its heading, the stem of its files, a description, and those of its panels.

    ``panel`` holds a ``{}`` for the panel's label. ``key`` explains its marks: (mark, name of its
    colour on the page, words). ``curves``: whether it shows learning curves, in wide panels.
    """

    title: str
    file: str
    alt: str
    caption: str
    panel: str = "{}"
    key: Sequence[tuple[str, str, str]] = ()
    curves: bool = False


@dataclass(frozen=True)
class Section:
    """A titled part of the page; ``picture`` is its figure."""

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
