"""The layout of a table: its header, headings between rows, and the columns that name its rows."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from boostbench.papers.latex.grid import Grid
from boostbench.papers.latex.numbers import Number, have_decimal_commas, read_numbers
from boostbench.papers.latex.text import name_of

_DASHES = re.compile(r"[-–—\s]*|\?+")


@dataclass(frozen=True)
class RowName:
    """The path of a row, from outside to inside."""

    path: tuple[str, ...]
    is_from_above: bool = False  # beyond a rule, or without any label of its own


@dataclass
class Layout:
    """What the rows and the columns of a grid are."""

    grid: Grid
    header: range = range(0)
    sections: dict[int, tuple[str, ...]] = field(default_factory=dict)  # of each row of results
    labels: list[int] = field(default_factory=list)  # the columns that name the rows
    unsure_sections: set[int] = field(default_factory=set)  # rows below a rule after a heading
    inner_headers: list[range] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @cached_property
    def decimal_comma(self) -> bool:
        """Whether the numbers have commas for their decimals."""
        grid = self.grid
        rows, columns = range(len(grid.rows)), range(grid.width)
        texts = [grid.text(r, c) for r in rows for c in columns if grid.begins(r, c)]
        return have_decimal_commas(texts)

    @cached_property
    def numbers(self) -> list[list[Sequence[Number] | None]]:
        """The numbers that begin in each place, as :func:`read_numbers` has them."""
        return [self._numbers_of(row) for row in range(len(self.grid.rows))]

    def _numbers_of(self, row: int) -> list[Sequence[Number] | None]:
        return [self._numbers_at(row, column) for column in range(self.grid.width)]

    def _numbers_at(self, row: int, column: int) -> Sequence[Number] | None:
        if not self.grid.begins(row, column):
            return None
        return read_numbers(self.grid.text(row, column), self.decimal_comma)

    def count_numbers(self, row: int, first: int = 1) -> int:
        """Return how many cells of a row have numbers."""
        return sum(bool(numbers) for numbers in self.numbers[row][first:])

    def texts(self, row: int) -> list[str]:
        """Return the cells of a row, without its first, that are text."""
        places = [c for c in range(1, self.grid.width) if self.grid.begins(row, c)]
        return [self.grid.text(row, c) for c in places if self.numbers[row][c] is None]

    @property
    def results(self) -> list[int]:
        """The rows that are no headers and no headings."""
        return list(self.sections)

    def header_of(self, row: int) -> range:
        """Return the rows of the header above a row."""
        above = [header for header in self.inner_headers if header.stop <= row]
        return above[-1] if above else self.header

    def column_name(self, column: int, header: range) -> tuple[str, ...]:
        """Return the names of a column, from the top of its header to the bottom."""
        found: list[str] = []
        for row in header:
            name = name_of(self._header_text(row, column, header))
            if name and name not in found[-1:]:
                found.append(name)
        return tuple(found)

    def _header_text(self, row: int, column: int, header: range) -> str:
        """Return a column's text in a row of the header, or that above its part of a rule."""
        text = self.grid.text(row, column)
        if text or row + 1 not in header:
            return text
        if column in (groups := self._groups(row, header)):
            return self.grid.text(row, groups[column])
        for first, last in self.grid.rows[row + 1].partial_rules:
            if first <= column <= last:
                above = {
                    self.grid.text(row, c) for c in range(first, min(last + 1, self.grid.width))
                }
                texts = above - {""}
                return texts.pop() if len(texts) == 1 else ""
        return ""

    def _groups(self, row: int, header: range) -> dict[int, int]:
        """Return the column that heads each empty column of a row of the header.

        A text alone at the left of its group heads all of it, if the groups have the same names
        below: in ``& A & & B &`` above ``& x & y & x & y`` A heads the first two columns.
        """
        columns = [c for c in range(self.grid.width) if c not in self.labels]
        starts = [c for c in columns if self.grid.text(row, c)]
        if len(starts) < 2 or starts[0] != columns[0]:
            return {}
        groups = [range(*both) for both in pairwise([*starts, columns[-1] + 1])]
        if not self._have_same_names(groups, header[-1]):
            return {}
        return {column: group.start for group in groups for column in group}

    def _have_same_names(self, groups: Sequence[range], row: int) -> bool:
        """Return whether groups of columns have the same names, several each, in a row."""
        names = [self.grid.text(row, c) for c in range(self.grid.width)]
        first, *others = [names[group.start : group.stop] for group in groups]
        return len(first) > 1 and all(first) and others == [first] * len(others)

    def row_name(self, row: int, labels: Sequence[int] | None = None) -> RowName:
        """Return the path of a row: the headings above it, then its labels.

        An empty label before another one is that of the row above, if no rule parts the two.
        """
        labels = self.labels if labels is None else labels
        names: list[str] = []
        is_doubtful = False
        for i in range(len(labels)):
            text = self.grid.text(row, labels[i])
            if not text and self._is_named_above(row, labels, i):
                text, is_unsure = self._label_above(row, labels[i])
                is_doubtful = is_doubtful or is_unsure
            if i == 0 or not self._repeats(row, labels, i, text):
                names.append(name_of(text))
        found = tuple(filter(None, names))
        if not found:
            text, _ = self._label_above(row, labels[0])
            found = (name_of(text),) if text else ()
            is_doubtful = True
        return RowName((*self.sections.get(row, ()), *found), is_doubtful)

    def _is_named_above(self, row: int, labels: Sequence[int], place: int) -> bool:
        """Return whether an empty label is that of a row above: only labels behind it have text."""
        has_own = any(self._has_own_text(row, outer) for outer in labels[:place])
        has_later = any(self.grid.text(row, later) for later in labels[place + 1 :])
        return has_later and not has_own

    def _repeats(self, row: int, labels: Sequence[int], place: int, text: str) -> bool:
        """Return whether a label is the one before it, which covers both, or a dash."""
        slots = self.grid.slots[row]
        is_covered = slots[labels[place]] is slots[labels[place - 1]]
        return is_covered or bool(_DASHES.fullmatch(text))

    def _has_own_text(self, row: int, column: int) -> bool:
        return self.grid.begins(row, column) and bool(self.grid.text(row, column))

    @cached_property
    def rules_part(self) -> bool:
        """Whether full rules part groups of rows; where most rows have one, they do not."""
        body = self.grid.rows[self.header.stop + 1 :]
        return 2 * sum(row.is_ruled for row in body) <= len(body)

    def _label_above(self, row: int, column: int) -> tuple[str, bool]:
        """Return the next label above, "" beyond a partial rule, and whether it is doubtful.

        It is where a full rule is between, or where there is none.
        """
        is_beyond_rule = False
        for above in range(row, self.header_of(row).stop, -1):
            rules = self.grid.rows[above].partial_rules
            if any(first <= column <= last for first, last in rules):
                return "", True
            is_ruled = self.grid.rows[above].is_ruled and self.rules_part
            is_beyond_rule = is_beyond_rule or is_ruled
            text = self.grid.text(above - 1, column)
            if text and above - 1 in self.sections:
                return text, is_beyond_rule
        return "", True


def layout_of(grid: Grid) -> Layout:
    """Return the layout of a grid."""
    layout = Layout(grid)
    layout.doubts += grid.doubts
    if not grid.rows:
        return layout
    layout.header = range(_header_rows(layout))
    if not layout.header:
        layout.doubts.append("no header was recognised")
    layout.inner_headers = _inner_headers(layout)
    _find_sections(layout)
    layout.labels = _label_columns(layout)
    return layout


def _header_rows(layout: Layout) -> int:
    """Return how many rows the header has: to the first full rule, and others without numbers."""
    grid = layout.grid
    if grid.header is not None:
        return grid.header
    rows = range(len(grid.rows))
    ruled = next((r for r in rows[1:] if grid.rows[r].is_ruled), 0)
    head = _rows_above_rule(layout, ruled)
    has_data_alone = _is_data(layout, 0) and any(_is_data(layout, r) for r in rows[1:])
    if ruled or not has_data_alone:
        head = max(head, 1)
    while head < len(rows) - 1 and _may_be_header(layout, head):
        head += 1
    return head


def _rows_above_rule(layout: Layout, ruled: int) -> int:
    """Return how many of the rows above the first full rule are of the header."""
    head = min(1, ruled)
    while head < ruled and (not _is_data(layout, head) or _is_below_span(layout.grid, head)):
        head += 1
    return head


def _is_data(layout: Layout, row: int) -> bool:
    """Return whether a row has a label and mostly numbers."""
    numbers, texts = layout.count_numbers(row), [text for text in layout.texts(row) if text]
    is_labelled = bool(layout.grid.text(row, 0)) and layout.grid.begins(row, 0)
    return is_labelled and numbers > 0 and numbers >= len(texts)


def _is_below_span(grid: Grid, row: int) -> bool:
    """Return whether the row above has texts over several columns, but not over all."""
    spans = [part.columns for part in grid.rows[row - 1].parts if part.text]
    return any(1 < columns < grid.width for columns in spans)


def _may_be_header(layout: Layout, row: int) -> bool:
    """Return whether a row has several texts, and no number and no sign of a missing one."""
    if layout.count_numbers(row, 0) or len([text for text in layout.texts(row) if text]) < 2:
        return False
    missing = [c for c in range(1, layout.grid.width) if layout.numbers[row][c] == ()]
    return not any(layout.grid.text(row, c) for c in missing)


def _inner_headers(layout: Layout) -> list[range]:
    """Return the headers inside of the table, each as its rows."""
    found: list[range] = []
    numeric = [c for c in range(1, layout.grid.width) if _is_numeric(layout, c)]
    for row in range(layout.header.stop, len(layout.grid.rows) - 1):
        if _is_inner_header(layout, row, numeric):
            if found and found[-1].stop == row:
                found[-1] = range(found[-1].start, row + 1)
            else:
                is_below_title = row > layout.header.stop and _is_title(layout, row - 1)
                found.append(range(row - 1 if is_below_title else row, row + 1))
    return found


def _is_title(layout: Layout, row: int) -> bool:
    """Return whether a row only heads the columns of numbers, as the first row of a header."""
    columns = _heading_columns(layout, row)
    return columns > 1 and not layout.grid.text(row, 0)


def _is_inner_header(layout: Layout, row: int, numeric: Sequence[int]) -> bool:
    """Return whether a row looks like a header: texts alone, or the first label of the header.

    Texts count in the ``numeric`` columns.
    """
    grid = layout.grid
    if _begins_as_header(layout, row):
        return True
    texts = [c for c in numeric if grid.begins(row, c) and grid.text(row, c)]
    is_text = all(layout.numbers[row][c] is None for c in texts)
    is_text = is_text and len({grid.text(row, c) for c in texts}) > 1
    return is_text and not layout.count_numbers(row, 0)


def _begins_as_header(layout: Layout, row: int) -> bool:
    """Return whether a row has the first label of the last row of the header."""
    if not layout.header:
        return False
    grid = layout.grid
    last = layout.header[-1]
    is_own = grid.begins(row, 0) and grid.begins(last, 0)
    return is_own and bool(grid.text(last, 0)) and grid.text(row, 0) == grid.text(last, 0)


def _is_numeric(layout: Layout, column: int) -> bool:
    """Return whether at least half of a column's cells have numbers."""
    rows = range(layout.header.stop, len(layout.grid.rows))
    filled = [r for r in rows if layout.grid.begins(r, column) and layout.grid.text(r, column)]
    return 2 * sum(bool(layout.numbers[r][column]) for r in filled) >= max(len(filled), 1)


@dataclass(frozen=True)
class _Heading:
    """A heading above rows of results: how many columns it covers, and its text."""

    columns: int
    text: str


def _find_sections(layout: Layout) -> None:
    """Find the headings, and which of them are above each row of results.

    A rule between a heading and a row may end what is below the heading.
    """
    rows = _rows_below_header(layout)
    headings = _headings(layout, rows)
    rules_end = all(layout.grid.rows[row].is_ruled for row in headings)
    now: list[_Heading] = []
    is_unsure = False
    for row in rows:
        follows = row - 1 in headings
        if row in headings:
            now = _with_heading(now, headings[row], follows=follows)
            is_unsure = headings[row].columns == 1 and not _is_set_off(layout.grid, row)
            continue
        if now and not follows and _is_parted(layout, row):
            is_unsure = True
            now = [] if rules_end else now
        if is_unsure:
            layout.unsure_sections.add(row)
        layout.sections[row] = tuple(heading.text for heading in now)
    layout.doubts += _doubts_of_headings(layout, headings)


def _rows_below_header(layout: Layout) -> list[int]:
    """Return the rows that are in no header."""
    inner = {row for header in layout.inner_headers for row in header}
    return [row for row in range(layout.header.stop, len(layout.grid.rows)) if row not in inner]


def _headings(layout: Layout, rows: Sequence[int]) -> dict[int, _Heading]:
    """Return the headings among the rows by row; the last row is none."""
    columns = {row: _heading_columns(layout, row) for row in rows[:-1]}
    return {
        row: _Heading(columns[row], name_of(_only_text(layout.grid, row)))
        for row in columns
        if columns[row]
    }


def _with_heading(now: Sequence[_Heading], heading: _Heading, *, follows: bool) -> list[_Heading]:
    """Return the headings that hold below one: if it ``follows`` another, that and all of its."""
    outer = now if follows else [each for each in now if each.columns > heading.columns]
    return [*outer, heading]


def _is_parted(layout: Layout, row: int) -> bool:
    """Return whether a full rule parts a row from results above it."""
    is_ruled = layout.grid.rows[row].is_ruled and layout.rules_part
    return is_ruled and not any(row - 1 in header for header in layout.inner_headers)


def _doubts_of_headings(layout: Layout, headings: Mapping[int, _Heading]) -> list[str]:
    """Return which texts in the first column alone were taken as headings."""
    return [
        f"{layout.grid.rows[row].place}: '{heading.text}' was taken as a heading of the rows below "
        "it"
        for row, heading in headings.items()
        if heading.columns == 1
    ]


def _is_set_off(grid: Grid, row: int) -> bool:
    """Return whether a heading is bold, italic or coloured, or next to a rule."""
    is_ruled = grid.rows[row].is_ruled or grid.rows[row + 1].is_ruled
    return is_ruled or any(part.is_set_off for part in grid.rows[row].parts if part.text)


def _only_text(grid: Grid, row: int) -> str:
    texts = [part.text for part in grid.rows[row].parts if part.text]
    return texts[0] if len(texts) == 1 else ""


def _heading_columns(layout: Layout, row: int) -> int:
    """Return how many columns a heading covers, 0 if the row is none."""
    grid = layout.grid
    text = _only_text(grid, row)
    if not text or read_numbers(text, layout.decimal_comma) is not None:
        return 0
    if _is_under_spans(grid, row):
        return 0
    part = next(part for part in grid.rows[row].parts if part.text)
    is_first = part is grid.rows[row].parts[0]
    return part.columns if part.rows == 1 and (part.columns > 1 or is_first) else 0


def _is_under_spans(grid: Grid, row: int) -> bool:
    """Return whether a row has places of texts that begin in rows above it."""
    covered = [c for c in range(1, grid.width) if grid.text(row, c) and not grid.begins(row, c)]
    slots = [slot for slot in grid.slots[row] if slot is not None]
    return bool(covered) and any(slot.row != row and slot.part.text for slot in slots)


def _label_columns(layout: Layout) -> list[int]:
    """Return the first column, texts after it, and conditions or texts until rows are unique."""
    width = layout.grid.width
    labels = [0]
    while len(labels) < width - 1 and _is_of_texts(layout, len(labels)):
        labels.append(len(labels))
    longer = list(labels)
    while not _are_unique(layout, longer):
        column = len(longer)
        is_label = column < width - 1 and (
            _is_condition(layout, column) or _is_of_texts(layout, column)
        )
        if not is_label:
            return labels
        longer.append(column)
    return longer


def _is_of_texts(layout: Layout, column: int) -> bool:
    """Return whether most cells of a column are text."""
    rows = [r for r in layout.results if layout.grid.text(r, column)]
    held = [layout.numbers[r][column] for r in rows if layout.numbers[r][column] != ()]
    texts = [r for r in rows if _is_text(layout, r, column)]
    return len(texts) * 2 > len(held) and bool(texts)


def _is_text(layout: Layout, row: int, column: int) -> bool:
    """Return whether a place is covered by text, which may begin in another row."""
    return read_numbers(layout.grid.text(row, column), layout.decimal_comma) is None


def _are_unique(layout: Layout, labels: Sequence[int]) -> bool:
    rows = [row for row in layout.results if layout.count_numbers(row, len(labels))]
    names = Counter((layout.header_of(r), layout.row_name(r, labels).path) for r in rows)
    return max(names.values(), default=1) == 1


def _is_condition(layout: Layout, column: int) -> bool:
    """Return whether a column's numbers can be conditions: whole ones, or ones that come again."""
    texts = [layout.grid.text(row, column) for row in layout.results]
    read = [read_numbers(text, layout.decimal_comma) for text in texts if text]
    found = [numbers for numbers in read if numbers]
    if not found or not all(map(_is_plain, found)):
        return False
    values = [each[0].value for each in found]
    are_whole = all(re.fullmatch(r"[-+]?\d+(e[-+]?\d+)?", value) for value in values)
    return are_whole or 2 * len(set(values)) <= len(values)


def _is_plain(numbers: Sequence[Number]) -> bool:
    """Return whether a cell has one number, without a spread or a percent sign."""
    return len(numbers) == 1 and not numbers[0].spread and not numbers[0].is_percent
