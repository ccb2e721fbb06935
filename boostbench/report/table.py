"""A table without a format: cells of plain text with a meaning.

All renderers (Markdown, LaTeX, HTML, terminal) use the same :class:`Table`, and compute nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from types import SimpleNamespace
from typing import Any, Self


@dataclass(frozen=True)
class Item:
    """A table's cell.

    ``mark`` is a verdict's sign, ``beside`` the published value, ``note`` a remark on this cell
    only, ``tone`` its meaning: a verdict, "empty", "best" of its row, or "". ``runs`` is the
    (data set, method) whose runs it summarises.
    """

    text: str
    mark: str = ""
    beside: str = ""
    note: str = ""
    tone: str = ""
    runs: tuple[str, str] | None = None

    @property
    def parts(self) -> list[str]:
        """The written parts: the text, the mark, the published value and the note, if any."""
        beside, note = f"({self.beside})", f"[{self.note}]"
        found = [self.text, self.mark, self.beside and beside, self.note and note]
        return [part for part in found if part]


@dataclass(frozen=True)
class Table:
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
        return [[" ".join(item.parts) for item in row] for row in self.rows]

    @property
    def opens(self) -> frozenset[int]:
        """The columns at which a group begins, except the first."""
        titles = self.titles
        return frozenset(i for i in range(1, len(titles)) if titles[i] != titles[i - 1])

    def part(self, columns: Sequence[int], **changes: Any) -> Self:
        """Return the table of these ``columns``, with ``changes`` of other fields."""
        return replace(
            self,
            header=[self.header[i] for i in columns],
            rows=[[row[i] for i in columns] for row in self.rows],
            titles=[self.titles[i] for i in columns] if self.titles else (),
            left=frozenset(to for to, i in enumerate(columns) if i in self.left),
            keys=sum(i < self.keys for i in columns),
            **changes,
        )

    def parts(self, room: int) -> list[Self]:
        """Return the table in parts of at most so many letters' width, each with the key columns.

        The other columns are divided evenly: no part is as good as empty.
        """
        keys, others = range(self.keys), range(self.keys, len(self.header))
        widths, space = {i: self._width(i) for i in others}, room - sum(map(self._width, keys))
        fewest = _filled(widths, space, 1)
        evenly = _filled(widths, space, len(fewest))
        found = evenly if len(evenly) == len(fewest) else fewest
        titles = [self.title, *(f"{self.title}, part {n}" for n in range(2, len(found) + 1))]
        legends = [*[""] * (len(found) - 1), self.legend]
        every = zip(found, titles, legends, strict=True)
        return [
            self.part([*keys, *own], title=title, legend=legend) for own, title, legend in every
        ]

    def _width(self, place: int) -> int:
        """Return the width of a column in letters: headers and words are wrapped, numbers not."""
        words = max(map(len, self.header[place].split()), default=0)
        longest = max((len(" ".join(row[place].parts)) for row in self.rows), default=0)
        return 2 + max(words, 1 + (min(longest, 18) if place in self.left else longest))


def _filled(widths: Mapping[int, int], room: int, parts: int) -> list[list[int]]:
    """Return columns, with their ``widths``, in parts that fit into ``room``, or are one column.

    Each part ends near its share of what the earlier ones of so many ``parts`` leave.
    """
    found, used, left = [list[int]()], 0, sum(widths.values())
    for place, width in widths.items():
        share = left / max(1, parts - len(found) + 1)
        if found[-1] and (used + width > room or used + width / 2 > share):
            found.append([])
            used, left = 0, left - used
        found[-1].append(place)
        used += width
    return found


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    key: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()


Block = SimpleNamespace
"""A part of the page, as the values for its template."""


def block(kind: str, key: str, title: str, hint: str = "", **content: object) -> Block:
    """Return a block of the page, of a ``kind`` for which a template has a macro."""
    empty = dict.fromkeys(("notes", "tables", "glossary"), ())
    return Block(kind=kind, key=key, title=title, hint=hint, **{**empty, **content})


def make_table(
    key: str,
    title: str,
    rows: Iterable[Mapping[Any, object] | Sequence[tuple[object, object]]],
    words: Collection[str] = ("Data set",),
    averages: int = 0,
    legend: str = "",
    keys: int = 1,
) -> Table:
    """Return the table of ``rows``, items or texts by header, without empty columns.

    A header may be a pair, its group's title first; neighbours of one group share that title.
    Rows are mappings, or pairs of header and item where users name columns, so that two may have
    the same name. The columns with headers in ``words`` hold text, all others numbers; the first
    ``keys`` columns, none of them empty, say what a row is about.
    """
    pairs = [[*(row.items() if isinstance(row, Mapping) else row)] for row in rows]
    names = [name if isinstance(name, tuple) else ("", name)
             for name, _ in (pairs[0] if pairs else ())]  # fmt: skip
    items = [[x if isinstance(x, Item) else Item(x) for _, x in row] for row in pairs]
    whole = Table(
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
    shown = [i for i in range(len(names)) if any(row[i].text or row[i].beside for row in items)]
    return whole.part(shown)
