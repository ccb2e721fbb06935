"""The grid of a table: its source split into rows and cells by pylatexenc, with spans filled."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pylatexenc import latexwalker
from pylatexenc.latexwalker import LatexMacroNode, LatexNode

from boostbench.papers.latex.commands import FULL_RULES, PARTIAL_RULES, ROW_ENDS
from boostbench.papers.latex.source import Place, TableSource, argument, optional_argument
from boostbench.papers.latex.text import nodes_of, printed

_GAP_AFTER_ROW = re.compile(r"(?<!\\)(\\\\)\*?[ \t]*\[\s*-?[\d.]+\s*\\?\w*\s*\]")
_TRIMMED_RULE = re.compile(r"(\\(?:cmidrule|cdashline\w*|cline))\s*((?:\[[^\]]*\])?)\s*\([^)]*\)")
_SKIP = re.compile(r"\\(?:hskip|vskip|kern)\s*-?[\d.]+\s*(?:pt|em|ex|cm|mm|in)")
_XHLINE = re.compile(r"\\Xhline\s*[\d.]+\s*(?:pt|em|ex|cm|mm|in)|\\noalign\s*\{\\hrule[^{}]*\}")
_SET_OFF = re.compile(r"\\(?:text|math)?(?:bf|it|sl|sc|em)\w*|\\\w*color|\\underline")
PLUS_MINUS = "±"


@dataclass(frozen=True)
class Part:
    """What is written in one cell: its text, and how many columns and rows it covers."""

    text: str
    columns: int = 1
    rows: int = 1  # negative: upwards
    is_set_off: bool = False  # bold, italic or coloured


@dataclass
class Row:
    """A row of the source; ``is_ruled``: a rule over the whole width is above it.

    ``number`` counts the empty rows as well, which labels over several rows cover, too.
    """

    parts: list[Part]
    place: Place
    number: int
    is_ruled: bool = False
    partial_rules: list[tuple[int, int]] = field(default_factory=list)  # first and last column


@dataclass(frozen=True)
class Slot:
    """A place in the grid: the part that covers it, and the row and column where that begins."""

    part: Part
    row: int
    column: int


@dataclass
class Grid:
    """A table's rows, and what covers each place of them."""

    rows: list[Row]
    slots: list[list[Slot | None]]
    header: int | None = None  # rows, where the source says it
    doubts: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.slots[0]) if self.slots else 0

    def text(self, row: int, column: int) -> str:
        """Return what is printed in a place."""
        slot = self.slots[row][column]
        return slot.part.text if slot else ""

    def begins(self, row: int, column: int) -> bool:
        """Return whether a part begins in a place, which may be empty."""
        slot = self.slots[row][column]
        return slot is not None and (slot.row, slot.column) == (row, column)

    @cached_property
    def _places(self) -> Counter[int]:
        """How many places each slot is in."""
        return Counter(id(slot) for line in self.slots for slot in line)

    def covered(self, row: int, column: int) -> int:
        """Return how many places the part in a place covers."""
        return self._places[id(self.slots[row][column])]


def grid_of(table: TableSource) -> Grid:
    """Return the grid of a table."""
    head, body = _longtable_parts(table.body)
    rows = _rows_of(head, table.places)
    header = len(rows) if head else None
    rows += _rows_of(body, table.places, rows[-1].number + 1 if rows else 0)
    count, between = columns_of(table.columns)
    width = max([count, *(_width_of(row) for row in rows)])
    for row in rows:
        row.is_ruled = row.is_ruled or _covers_all(row.partial_rules, count)
    grid = Grid(rows, _filled(rows, width), header)
    grid.doubts += _rows_of_other_lengths(rows, count)
    _join_columns(grid, between)
    return grid


def _longtable_parts(body: str) -> tuple[str, str]:
    """Return the header of a longtable and its rows, each on the lines that it has in the source.

    Of the header, the one on the first page; what is printed at the ends of pages is no row.
    """
    ends = list(re.finditer(r"\\end(firsthead|head|foot|lastfoot)\b", body))
    if not ends:
        return "", body
    heads = [end for end in ends if end[1] in ("firsthead", "head")]
    start = 0
    head = ""
    if heads:
        first = next((end for end in heads if end[1] == "firsthead"), heads[0])
        start = max((end.end() for end in ends if end.start() < first.start()), default=0)
        head = "\n" * body.count("\n", 0, start) + body[start : first.start()]
    last = ends[-1].end()
    return head, "\n" * body.count("\n", 0, last) + body[last:]


def columns_of(specification: str) -> tuple[int, dict[int, str]]:
    """Return how many columns a table has, and the text that is printed before one of them."""
    at, count = 0, 0
    between: dict[int, str] = {}
    while at < len(specification):
        letter = specification[at]
        at += 1
        if letter == "*":
            times, at = argument(specification, at)
            repeated, at = argument(specification, at)
            number = int(times) if times.strip().isdigit() else 1
            specification, at = repeated * number + specification[at:], 0
        elif letter in "@!":
            inserted, at = argument(specification, at)
            between[count] = between.get(count, "") + printed(nodes_of(inserted))
        elif letter in "><":
            _, at = argument(specification, at)
        elif letter.isalpha():
            count += 1
            _, at = optional_argument(specification, at)
            while specification[at : at + 1] == "{":
                _, at = argument(specification, at)
    return count, between


def _rows_of(body: str, places: Sequence[Place], first: int = 0) -> list[Row]:
    """Return the rows of a table's body that have any text, numbered from ``first``."""
    body = _XHLINE.sub(r"\\hline ", body)
    body = _SKIP.sub(" ", _TRIMMED_RULE.sub(r"\1\2", _GAP_AFTER_ROW.sub(r"\1 ", body)))
    splitter = _Splitter(body, places, first)
    for node in nodes_of(body):
        splitter.add(node)
    splitter.end_row()
    return splitter.rows


class _Splitter:
    """Takes the nodes of a table's body one by one, and makes rows of cells of them."""

    def __init__(self, body: str, places: Sequence[Place], number: int) -> None:
        self._number = number  # of the row
        self.rows: list[Row] = []
        self._body, self._places = body, places
        self._cell: list[LatexNode] = []
        self._parts: list[Part] = []
        self._start: int | None = None  # where the first text of the row is
        self._is_ruled = False
        self._partial: list[tuple[int, int]] = []

    def add(self, node: LatexNode) -> None:
        name = node.macroname if node.isNodeType(latexwalker.LatexMacroNode) else ""
        if name in ROW_ENDS:
            self.end_row()
        elif name in FULL_RULES:
            self._is_ruled = True
        elif name in PARTIAL_RULES:
            self._partial += _range_of(node)
        elif node.isNodeType(latexwalker.LatexSpecialsNode) and node.specials_chars == "&":
            self._end_cell()
        else:
            self._cell.append(node)
            if self._start is None and printed([node]):
                self._start = self._first_text(node)

    def _first_text(self, node: LatexNode) -> int:
        """Return where a node's text begins, after the empty lines before it."""
        text = self._body[node.pos : node.pos + node.len]
        return int(node.pos) + len(text) - len(text.lstrip())

    def _end_cell(self) -> None:
        self._parts.append(_part_of(self._cell))
        self._cell = []

    def end_row(self) -> None:
        self._end_cell()
        if any(part.text for part in self._parts):
            line = self._body.count("\n", 0, self._start or 0)
            place = self._places[min(line, len(self._places) - 1)]
            self.rows.append(Row(self._parts, place, self._number, self._is_ruled, self._partial))
            self._is_ruled, self._partial = False, []
        self._parts, self._start = [], None
        self._number += 1


def _range_of(rule: LatexMacroNode) -> list[tuple[int, int]]:
    """Return the first and the last column, from 0, below a partial rule."""
    columns = re.search(r"\{\s*(\d+)\s*-\s*(\d+)\s*\}", rule.latex_verbatim())
    return [(int(columns[1]) - 1, int(columns[2]) - 1)] if columns else []


def _part_of(nodes: Sequence[LatexNode]) -> Part:
    """Return a cell's part; spans may be inside of each other, of groups and of formats."""
    columns, rows = _spans(nodes)
    source = "".join(node.latex_verbatim() for node in nodes)
    return Part(printed(nodes), columns, rows, bool(_SET_OFF.search(source)))


def _spans(nodes: Sequence[LatexNode]) -> tuple[int, int]:
    """Return how many columns and rows a cell's nodes span."""
    columns, rows = 1, 1
    for node in nodes:
        inner = _nodes_inside(node)
        if node.isNodeType(latexwalker.LatexMacroNode):
            columns = _columns_spanned(node.macroname, inner) or columns
            rows = _rows_spanned(node.macroname, inner) or rows
        inner_columns, inner_rows = _spans(inner) if inner else (1, 1)
        columns = inner_columns if columns == 1 else columns
        rows = inner_rows if rows == 1 else rows
    return columns, rows


def _nodes_inside(node: LatexNode) -> Sequence[LatexNode]:
    """Return the given arguments of a command, or the nodes of a group."""
    if node.isNodeType(latexwalker.LatexMacroNode) and node.nodeargd:
        return [each for each in node.nodeargd.argnlist or () if each is not None]
    return node.nodelist if node.isNodeType(latexwalker.LatexGroupNode) else []


def _columns_spanned(command: str, arguments: Sequence[LatexNode]) -> int | None:
    """Return how many columns a command spans, ``None`` if it is another command."""
    is_span = command == "multicolumn" and len(arguments) == 3
    return _count(arguments[0]) if is_span else None


def _rows_spanned(command: str, arguments: Sequence[LatexNode]) -> int | None:
    """Return how many rows a command spans, up if negative; ``None`` if it is another command."""
    if not command.startswith("multirow") or len(arguments) < 2:
        return None
    braced = [each for each in arguments if each.latex_verbatim()[:1] != "["]
    return _count(braced[0])


def _count(node: LatexNode) -> int:
    number = re.fullmatch(r"[{\s=]*(-?\d+)(\.\d+)?[}\s]*", node.latex_verbatim())
    return int(number[1]) or 1 if number else 1


def _covers_all(rules: Sequence[tuple[int, int]], count: int) -> bool:
    """Return whether partial rules together are one over all columns."""
    covered = {column for first, last in rules for column in range(first, last + 1)}
    return covered >= set(range(count))


def _width_of(row: Row) -> int:
    return sum(part.columns for part in row.parts)


def _filled(rows: Sequence[Row], width: int) -> list[list[Slot | None]]:
    """Return what covers each place; a part that covers several is in all of them."""
    slots: list[list[Slot | None]] = [[None] * width for _ in rows]
    numbers = [row.number for row in rows]
    for r, row in enumerate(rows):
        column = 0
        for part in row.parts:
            _fill(slots, Slot(part, r, column), numbers)
            column += part.columns
    return slots


def _fill(slots: list[list[Slot | None]], slot: Slot, numbers: Sequence[int]) -> None:
    """Put a part into its places, as far as no other text is there.

    ``numbers`` are those of the rows.
    """
    part, number = slot.part, numbers[slot.row]
    covered = range(number, number + part.rows)
    if part.rows < 0:
        covered = range(number + part.rows + 1, number + 1)
    for r in range(bisect_left(numbers, covered.start), bisect_left(numbers, covered.stop)):
        for c in range(slot.column, min(slot.column + part.columns, len(slots[r]))):
            there = slots[r][c]
            if there is None or (part.text and not there.part.text):
                slots[r][c] = slot


def _rows_of_other_lengths(rows: Sequence[Row], count: int) -> list[str]:
    """Return a sentence on each row with fewer or more cells than the table has columns."""
    usual = Counter(map(_width_of, rows)).most_common(1)[0][0] if rows else 0
    found = []
    for row in rows:
        width = _width_of(row)
        if width > count or 1 < width < min(count, usual):
            found.append(
                f"{row.place}: this row has {width} cells, and the table {count} columns; its "
                "cells were taken from the left"
            )
    return found


def _join_columns(grid: Grid, between: dict[int, str]) -> None:
    """Make one column of two that are printed as one number, such as a@{±}b."""
    for column in range(grid.width - 1, 0, -1):
        text = between.get(column, "").strip()
        if PLUS_MINUS in text or text in (".", "/") or text.startswith("("):
            _join(grid, column - 1, [column], text)
        elif column in between and _is_column_of(grid, column, r"\.\d+|[_^(]\W*\d.*"):
            _join(grid, column - 1, [column], "")
        elif _is_column_of(grid, column, PLUS_MINUS) and column + 1 < grid.width:
            _join(grid, column - 1, [column, column + 1], "")
        elif _is_column_of(grid, column, rf"\W*{PLUS_MINUS}\s*[\d.].*"):
            _join(grid, column - 1, [column], "")


def _is_column_of(grid: Grid, column: int, pattern: str) -> bool:
    """Return whether a column has such texts, and but for its header no other ones."""
    texts = [
        grid.text(r, column)
        for r in range(len(grid.rows))
        if grid.begins(r, column) and grid.text(r, column).strip("-–— ")
    ]
    matching = sum(bool(re.fullmatch(pattern, text)) for text in texts)
    return matching > 0 and matching >= len(texts) - 1


def _join(grid: Grid, first: int, others: Sequence[int], text: str) -> None:
    """Join columns row by row; a part over all of them stays what it is."""
    for r, line in enumerate(grid.slots):
        slots = [line[first], *(line[c] for c in others)]
        parts = [slot.part for slot in slots if slot]
        if len({id(part) for part in parts}) > 1 and any(part.text for part in parts):
            line[first] = Slot(Part(_joined([part.text for part in parts], text)), r, first)
        for c in reversed(others):
            del line[c]


def _joined(texts: Sequence[str], between: str) -> str:
    """Return texts of several columns as they are printed, without a spread that is not there."""
    value, *rest = texts
    others = [other for other in rest if other.strip("-–— ") and other.upper() != "NA"]
    if not others or not value:
        return value or " ".join(others)
    joined = f"{value}{between}{' '.join(others)}"
    return joined + ")" * (joined.count("(") - joined.count(")"))
