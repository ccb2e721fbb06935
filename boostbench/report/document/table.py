"""A table without a format: cells of plain text with a meaning.

All renderers (Markdown, LaTeX, HTML, terminal) use the same :class:`TextTable`, and compute
nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Literal, Self, TypeVar

from boostbench.report.frames.cell import CellVerdict

Meaning = CellVerdict | Literal["best", "empty", "partial", ""]
"""What an item says beyond its text: a verdict, that it is the best of its row, or lacks runs."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class Item:
    """A table's cell.

    ``mark`` is a verdict's sign, ``beside`` the published value, ``note`` a remark on this cell
    only. ``runs`` is the (data set, method) whose runs it summarises.
    """

    text: str
    mark: str = ""
    beside: str = ""
    note: str = ""
    meaning: Meaning = ""
    runs: tuple[str, str] | None = None

    @property
    def parts(self) -> list[str]:
        """The written parts: the text, the mark, the published value and the note, if any."""
        beside = f"({self.beside})" if self.beside else ""
        note = f"[{self.note}]" if self.note else ""
        return [part for part in (self.text, self.mark, beside, note) if part]

    def __str__(self) -> str:
        return " ".join(self.parts)


Header = str | tuple[str, str]
"""The name of a column, or the title of its group and its name."""
TableRow = Mapping[str, Item | str] | Sequence[tuple[Header, Item | str]]
"""The items or texts of a row by column, as pairs where two columns may have the same name."""


@dataclass(frozen=True)
class TextTable:
    """A table: ``averages`` counts the last rows, which summarise the others.

    ``titles`` are those of groups of neighbours, one per column; ``left`` the columns of words
    rather than numbers; ``keys`` counts the first columns, which say what a row is about;
    ``legend`` explains the marks.
    """

    key: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Item]]
    averages: int = 0
    titles: Sequence[str] = ()
    left: frozenset[int] = frozenset({0})
    keys: int = 1
    legend: str = ""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of columns, each with its number of columns; none without titles."""
        return [(title, len(list(own))) for title, own in groupby(self.titles) if any(self.titles)]

    @property
    def grouped_header(self) -> list[str]:
        """The header in one row: each name with the title of its group."""
        both = zip_longest(self.titles, self.header)
        return [f"{title}: {text}" if title else text for title, text in both]

    @property
    def texts(self) -> list[list[str]]:
        """The rows as plain text."""
        return [[*map(str, row)] for row in self.rows]

    @property
    def opens(self) -> frozenset[int]:
        """The columns at which a group begins, except the first."""
        titles = self.titles
        return frozenset(i for i in range(1, len(titles)) if titles[i] != titles[i - 1])

    def column(self, place: int) -> list[Item]:
        """Return the items of a column."""
        return [row[place] for row in self.rows]

    def part(self, columns: Sequence[int]) -> Self:
        """Return the table of these ``columns``."""
        return replace(
            self,
            header=_of_columns(self.header, columns),
            rows=[_of_columns(row, columns) for row in self.rows],
            titles=_of_columns(self.titles, columns) if self.titles else (),
            left=frozenset(to for to, i in enumerate(columns) if i in self.left),
            keys=sum(i < self.keys for i in columns),
        )

    def parts(self, room: float, known: Sequence[float] = ()) -> list[Self]:
        """Return the table in parts of at most so many letters' width, each with the key columns.

        The other columns are divided evenly: no part is as good as empty. The legend is below the
        last part. Where the widths of all columns are ``known``, ``room`` is in their unit.
        """
        keys = range(self.keys)
        every = known or [self._width(i) for i in range(len(self.header))]
        widths = {i: every[i] for i in range(self.keys, len(self.header))}
        space = room - sum(every[i] for i in keys)
        fewest = _filled(widths, space, 1)
        evenly = _filled(widths, space, len(fewest))
        groups = evenly if len(evenly) == len(fewest) else fewest
        parts = []
        for number, own in enumerate(groups, start=1):
            title = self.title if number == 1 else f"{self.title}, part {number}"
            legend = self.legend if number == len(groups) else ""
            parts.append(replace(self.part([*keys, *own]), title=title, legend=legend))
        return parts

    def _width(self, place: int) -> int:
        """Return the width of a column in letters: headers and words are wrapped, numbers not."""
        words = max(map(len, self.header[place].split()), default=0)
        longest = max((len(str(item)) for item in self.column(place)), default=0)
        return 2 + max(words, 1 + (min(longest, 18) if place in self.left else longest))


def _of_columns(row: Sequence[Value], columns: Sequence[int]) -> list[Value]:
    return [row[i] for i in columns]


def _filled(widths: Mapping[int, float], room: float, parts: int) -> list[list[int]]:
    """Return columns, with their ``widths``, in parts that fit into ``room``, or are one column.

    Each part ends near its share of what the earlier ones of so many ``parts`` leave.
    """
    groups: list[list[int]] = [[]]
    used, left = 0.0, sum(widths.values())
    for place, width in widths.items():
        share = left / max(1, parts - len(groups) + 1)
        if groups[-1] and (used + width > room or used + width / 2 > share):
            groups.append([])
            left -= used
            used = 0.0
        groups[-1].append(place)
        used += width
    return groups


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    key: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[TextTable] = ()

    @property
    def below_one_another(self) -> list[TextTable]:
        """The tables, each legend only below the last one that has it."""
        last = {table.legend: place for place, table in enumerate(self.tables)}
        return [
            table if last[table.legend] == place else replace(table, legend="")
            for place, table in enumerate(self.tables)
        ]


def make_table(
    key: str,
    title: str,
    rows: Iterable[TableRow],
    words: Collection[str] = ("Data set",),
    averages: int = 0,
    legend: str = "",
    keys: int = 1,
) -> TextTable:
    """Return the table of ``rows``, items or texts by header, without empty columns.

    Neighbours of one group share its title. The columns with headers in ``words`` hold text, all
    others numbers; the first ``keys`` columns, none of them empty, say what a row is about.
    """
    pairs = [_pairs(row) for row in rows]
    names = _names(pairs[0]) if pairs else []
    items = [_items(row) for row in pairs]
    whole = TextTable(
        key=key,
        title=title,
        header=[header for _, header in names],
        rows=items,
        averages=averages,
        titles=[group for group, _ in names],
        left=frozenset(i for i, (_, header) in enumerate(names) if header in words),
        keys=keys,
        legend=legend,
    )
    return whole.part([i for i in range(len(names)) if any(map(_is_shown, whole.column(i)))])


def _is_shown(item: Item) -> bool:
    return bool(item.text or item.beside)


def _names(row: Sequence[tuple[Header, Item | str]]) -> list[tuple[str, str]]:
    """Return the title of the group, or "", and the name of each column."""
    return [name if isinstance(name, tuple) else ("", name) for name, _ in row]


def _pairs(row: TableRow) -> list[tuple[Header, Item | str]]:
    return list(row.items()) if isinstance(row, Mapping) else list(row)


def _items(row: Sequence[tuple[Header, Item | str]]) -> list[Item]:
    return [value if isinstance(value, Item) else Item(value) for _, value in row]
