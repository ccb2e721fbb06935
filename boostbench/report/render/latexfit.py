"""How a table gets onto a page: its size, the widths of its columns of words, or its parts.

The text is 345 pt wide, that of LaTeX's article on A4; nothing is set smaller than footnotesize. A
table that is too wide is transposed if that needs fewer parts, else divided by its columns; one
that is too long is divided by its rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from boostbench.report.page import Item, Table
from boostbench.report.render import latextext

TEXT_WIDTH, TEXT_HEIGHT = 345.0, 598.0
COLUMN_GAP = 7.0
# Widths in terms of those at 10 pt, which smaller type exceeds in proportion; heights of lines.
SIZES = {"small": (0.925, 11.0), "footnotesize": (0.85, 9.5)}
NOTE, BOLD = 0.88, 1.16
_CAPTION_LINE, _RULES = 12.0, 70.0
# A column narrower than that is not worth wrapping; one wrapped is no narrower than that. Widths
# are chosen in steps.
_WRAPPED_FROM, _NARROWEST, _STEP = 80.0, 60.0, 6.0


@dataclass(frozen=True)
class Part:
    """A table that fits, or a part of one; ``wrapped``: widths of columns of several lines, pt."""

    table: Table
    size: str
    wrapped: Mapping[int, float] = field(default_factory=dict)


def parts(table: Table) -> list[Part]:
    """Return ``table`` in parts that fit a page, one if it does."""
    ways = [by_columns(with_pairs(table))]
    if len(ways[0]) > 1 and _can_transpose(table):
        ways.append(by_columns(with_pairs(transposed(table))))
    best = min(ways, key=len)
    found = [part for wide in best for part in by_rows(wide)]
    return [
        part if number == 0 else replace(part, table=_continued(part.table, number))
        for number, part in enumerate(found)
    ]


def _continued(table: Table, number: int) -> Table:
    return replace(
        table, key=f"{table.key}-{number + 1}", title=f"{table.title}, continued", legend=""
    )


def with_pairs(table: Table) -> Table:
    """Return ``table`` with measured and published values in columns of their own."""
    if table.groups or not any(item.beside for row in table.rows for item in row):
        return table
    has = [any(row[c].beside for row in table.rows) for c in range(len(table.header))]
    header: list[str] = []
    groups: list[tuple[str, int]] = []
    for column, name in enumerate(table.header):
        if column == 0 or not has[column]:
            header.append(name)
            groups.append(("", 1))
        else:
            header += ["here", "paper"]
            groups.append((name, 2))
    rows = [
        [part for item, pair in zip(row, has, strict=True) for part in _pair(item, pair)]
        for row in table.rows
    ]
    legend = table.legend.replace("published in parentheses", "published beside it")
    left = frozenset({0}) if table.left == frozenset({0}) else table.left
    return replace(table, header=header, groups=groups, rows=rows, legend=legend, left=left)


def _pair(item: Item, pair: bool) -> Iterator[Item]:
    yield replace(item, beside="") if pair else item
    if pair:
        yield Item(item.beside)


def _can_transpose(table: Table) -> bool:
    return not table.groups and table.left == frozenset({0}) and bool(table.rows)


def transposed(table: Table) -> Table:
    """Return ``table`` with its rows as columns; averages are the last columns."""
    first = "Method" if table.header[0] == "Data set" else ""
    return replace(
        table,
        header=[first, *(row[0].text for row in table.rows)],
        rows=[
            [Item(name), *(row[column] for row in table.rows)]
            for column, name in enumerate(table.header)
            if column > 0
        ],
        averages=0,
    )


def by_columns(table: Table) -> list[Part]:
    """Return ``table``, or parts of it with few enough columns, each with the first."""
    found = _fitted(table)
    if found is not None:
        return [found]
    made: list[Part] = []
    chosen: list[int] = []
    for block in _blocks(table):
        wider = _fitted(_columns(table, [*chosen, *block]))
        if wider is not None or not chosen:
            chosen += block
            continue
        made.append(_forced(_columns(table, chosen)))
        chosen = [*block]
    return [*made, _forced(_columns(table, chosen))]


def _blocks(table: Table) -> list[list[int]]:
    """Return the columns after the first that stay together: those of a group that fits."""
    spans = [span for _, span in table.groups] or [1] * len(table.header)
    blocks, start = [], 0
    for span in spans:
        own = [column for column in range(start, start + span) if column > 0]
        start += span
        whole = bool(own) and _fitted(_columns(table, own)) is not None
        blocks += [own] if whole else [[column] for column in own]
    return blocks


def _columns(table: Table, chosen: Sequence[int]) -> Table:
    """Return the first column and the ``chosen`` ones, under the titles of their groups."""
    kept = [0, *chosen]
    titles = [title for title, span in table.groups for _ in range(span)]
    groups: list[tuple[str, int]] = []
    for column in kept if titles else ():
        title = titles[column]
        if groups and groups[-1][0] == title:
            groups[-1] = (title, groups[-1][1] + 1)
        else:
            groups.append((title, 1))
    return replace(
        table,
        header=[table.header[column] for column in kept],
        rows=[[row[column] for column in kept] for row in table.rows],
        groups=groups,
        left=frozenset(place for place, column in enumerate(kept) if column in table.left),
    )


def _fitted(table: Table) -> Part | None:
    """Return ``table`` at the largest size that fits, ``None`` if none does."""
    for size in SIZES:
        widths = column_widths(table, size)
        if _total(widths) <= TEXT_WIDTH:
            return Part(table, size)
    widths = column_widths(table, "footnotesize")
    least = {
        column: max(_NARROWEST, _unbroken(table, column))
        for column, width in enumerate(widths)
        if width > _WRAPPED_FROM
    }
    space = TEXT_WIDTH - _total([w for c, w in enumerate(widths) if c not in least])
    space -= COLUMN_GAP * len(least)
    if not least or sum(least.values()) > space:
        return None
    return Part(table, "footnotesize", _shared(table, least, widths, space))


def _shared(
    table: Table, least: Mapping[int, float], widths: Sequence[float], space: float
) -> dict[int, float]:
    """Return the width of each column of several lines: at least so much, together ``space``.

    Each step goes to the column that leaves the table lowest, else to the one that lacks most.
    """
    factor = SIZES["footnotesize"][0]
    found = dict(least)

    def lines(wider: int) -> int:
        tried = {**found, wider: found[wider] + 4 * _STEP}
        return sum(_lines(row, tried, factor) for row in table.rows)

    while sum(found.values()) + _STEP <= space:
        lacking = [column for column in found if found[column] < widths[column]]
        if not lacking:
            break
        best = min(lacking, key=lambda c: (lines(c), found[c] - widths[c]))
        found[best] = min(found[best] + _STEP, widths[best])
    return {column: math.floor(width) for column, width in found.items()}


def _forced(table: Table) -> Part:
    """Return ``table`` whether it fits or not: a single column cannot be divided further."""
    found = _fitted(table)
    if found is not None:
        return found
    widths = column_widths(table, "footnotesize")
    words = [column for column, width in enumerate(widths) if width > _NARROWEST]
    space = TEXT_WIDTH - _total([w for c, w in enumerate(widths) if c not in words])
    each = max(_NARROWEST, space / max(1, len(words)) - COLUMN_GAP)
    return Part(table, "footnotesize", {column: math.floor(each) for column in words})


def _total(widths: Sequence[float]) -> float:
    return sum(widths) + COLUMN_GAP * max(0, len(widths) - 1)


def column_widths(table: Table, size: str) -> list[float]:
    """Return about how wide the columns are in points, a group's together as wide as its title."""
    factor = SIZES[size][0]
    found = [
        max(
            factor * latextext.width(name),
            *(item_width(row[column], factor) for row in table.rows),
        )
        if table.rows
        else factor * latextext.width(name)
        for column, name in enumerate(table.header)
    ]
    start = 0
    for title, span in table.groups:
        lacking = factor * latextext.width(title) - _total(found[start : start + span])
        if lacking > 0:
            # LaTeX gives it to the last column.
            found[start + span - 1] += lacking
        start += span
    return found


def standing(item: Item) -> str:
    """Return "best" (set in bold), "close" (in italics) or ""."""
    return item.standing or ("best" if item.tone == "best" else "")


@lru_cache(maxsize=65_536)
def item_width(item: Item, factor: float) -> float:
    """Return about how wide a cell is, in points."""
    pieces = [factor * latextext.width(item.text) * (BOLD if standing(item) else 1.0)]
    pieces += [factor * latextext.width(item.mark)] if item.mark else []
    pieces += [factor * latextext.width(f"({item.beside})")] if item.beside else []
    pieces += [NOTE * latextext.width(f"[{item.note}]")] if item.note else []
    return sum(pieces) + 1.7 * (len(pieces) - 1)


def _unbroken(table: Table, column: int) -> float:
    """Return about how wide the longest word or number of a column is, which no line divides."""
    factor = SIZES["footnotesize"][0]
    found = [latextext.longest_word(table.header[column])]
    for row in table.rows:
        item = row[column]
        if column in table.left:
            found.append(latextext.longest_word(f"{item.text} {item.mark}"))
        else:
            found.append(latextext.width(f"{item.text} {item.mark}"))
        found.append(latextext.longest_word(f"({item.beside}) [{item.note}]"))
    return 1.1 * factor * max(found)


def by_rows(part: Part) -> list[Part]:
    """Return ``part``, or parts of it that are short enough for a page."""
    table, (factor, line) = part.table, SIZES[part.size]
    caption = f"{table.title}. {table.legend}"
    lines = math.ceil(latextext.width(caption) / TEXT_WIDTH)
    first = (TEXT_HEIGHT - _RULES - _CAPTION_LINE * lines) / line
    other = (TEXT_HEIGHT - _RULES - _CAPTION_LINE) / line
    heights = [_lines(row, part.wrapped, factor) for row in table.rows]
    chunks: list[list[int]] = [[]]
    used = 0
    for number, height in enumerate(heights):
        if chunks[-1] and used + height > (first if len(chunks) == 1 else other):
            chunks.append([])
            used = 0
        chunks[-1].append(number)
        used += height
    plain = len(table.rows) - table.averages
    return [
        replace(
            part,
            table=replace(
                table,
                rows=[table.rows[number] for number in chunk],
                averages=sum(number >= plain for number in chunk),
            ),
        )
        for chunk in chunks
    ]


def _lines(row: Sequence[Item], wrapped: Mapping[int, float], factor: float) -> int:
    # A line that is broken at words is not filled to its end.
    return max([1, *(math.ceil(1.2 * item_width(row[c], factor) / w) for c, w in wrapped.items())])
