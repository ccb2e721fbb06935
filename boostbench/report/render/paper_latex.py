"""A table for a paper as LaTeX that needs booktabs alone: divided where it is wide or long."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from textwrap import wrap

from jinja2 import Environment, PackageLoader, Template

from boostbench.report.paper_table import PaperTable
from boostbench.report.render import latex
from boostbench.report.sentences.paper import DAGGER
from boostbench.report.table import Item, TextTable
from boostbench.report.words import one_line

POINTS_PER_DIGIT, POINTS_PER_INCH = 4.63, 72.27
"""The width of a digit of Computer Modern at 9 points, the size of the table's text."""
BETWEEN_COLUMNS = 8.0
"""The points between two columns."""
BOLD, THIN_SPACE = 1.16, 0.34
"""How much wider bold digits are, and the width of a thin space in digits."""
LONGEST_NAME = 22
"""Longer names of rows are broken."""
MOST_ROWS, MOST_LINES = 36, 44
"""The most rows below one header, and the most lines of a page."""
_WIDTHS = {".": 0.56, ",": 0.56, " ": 0.72, "±": 1.5, "−": 1.5, "m": 1.67, "w": 1.45, DAGGER: 0.0}
_CAPITAL = 1.4


@dataclass(frozen=True)
class Block:
    """A part of the table below one header: its columns, and all texts as LaTeX."""

    columns: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    averages: int
    lines: int


def render(made: PaperTable, label: str, width: float) -> str:
    """Return one table of ``width`` inches, its parts below one another, with one caption.

    A table longer than a page goes on in further ones with the same number.
    """
    table = made.table
    widths = [_points(table, place) for place in range(len(table.header))]
    # Nothing lies beside the outer columns.
    parts = table.parts(width * POINTS_PER_INCH + BETWEEN_COLUMNS, widths)
    text = _template().render(
        comments=[one_line(text) for text in made.comments],
        pages=_pages([block for part in parts for block in _blocks(part)]),
        caption=made.caption,
        label=re.sub("[^A-Za-z0-9-]+", "-", label),
        notes=made.notes,
    )
    return f"{text}\n"


@cache
def _template() -> Template:
    """Return the template, which is compiled once."""
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"), trim_blocks=True, autoescape=False
    )
    environment.filters["tex"] = _escape
    return environment.get_template("paper.tex.j2")


def _points(table: TextTable, place: int) -> float:
    """Return the width of a column in points: its name is wrapped, its numbers are not."""
    if place == 0:
        longest = max(_digits(item.text) for item in table.column(0))
        return min(longest, LONGEST_NAME) * POINTS_PER_DIGIT + BETWEEN_COLUMNS
    words = max(map(_digits, table.header[place].split()), default=0.0)
    numbers = max(map(_width, table.column(place)))
    return max(words, numbers) * POINTS_PER_DIGIT + BETWEEN_COLUMNS


def _width(item: Item) -> float:
    """Return the width of a mean and its sd in digits."""
    sd = _digits(item.mark.replace(" ", "")) + 2 * THIN_SPACE if item.mark else 0.0
    return _digits(item.text) * (BOLD if item.meaning == "best" else 1.0) + sd


def _digits(text: str) -> float:
    """Return the width of a text in digits."""
    return sum(_WIDTHS.get(sign, _CAPITAL if sign.isupper() else 1.0) for sign in text)


def _pages(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return the blocks page by page."""
    pages: list[list[Block]] = []
    used = 0
    for block in blocks:
        if not pages or used + block.lines > MOST_LINES:
            pages.append([])
            used = 0
        pages[-1].append(block)
        used += block.lines
    return pages


def _blocks(part: TextTable) -> Iterator[Block]:
    """Yield a part of a table in blocks of at most so many rows."""
    for start in range(0, len(part.rows), MOST_ROWS):
        rows = part.rows[start : start + MOST_ROWS]
        is_last = start + MOST_ROWS >= len(part.rows)
        yield _block(replace(part, rows=rows, averages=part.averages if is_last else 0))


def _block(table: TextTable) -> Block:
    is_wide = max(_digits(item.text) for item in table.column(0)) > LONGEST_NAME
    name = f"p{{{LONGEST_NAME * POINTS_PER_DIGIT:.0f}pt}}" if is_wide else "l"
    header = [_wrapped(table, place) for place in range(1, len(table.header))]
    return Block(
        columns=name + "r" * len(header),
        header=["Data set", *map(_header, header)],
        rows=[[_name(row[0], is_wide), *map(_item, row[1:])] for row in table.rows],
        averages=table.averages,
        lines=len(table.rows) + 3 + max(map(len, header), default=1),
    )


def _wrapped(table: TextTable, place: int) -> list[str]:
    """Return the name of a column on as many lines as it needs to fit above its numbers."""
    text = table.header[place]
    numbers = max(map(_width, table.column(place)))
    longest = max(map(len, text.split()), default=1)
    return wrap(text, max(int(numbers), longest), break_on_hyphens=False) or [""]


def _header(lines: Sequence[str]) -> str:
    texts = [_escape(line) for line in lines]
    if len(texts) == 1:
        return texts[0]
    body = r"\\".join(texts)
    return rf"\begin{{tabular}}[b]{{@{{}}r@{{}}}}{body}\end{{tabular}}"


def _name(item: Item, is_wide: bool) -> str:
    if is_wide:
        return rf"\raggedright {_breakable(item.text)}"
    name = _escape(item.text)
    # LaTeX would read these signs at the start of a row as arguments of the end of the last one.
    return f"{{{name}}}" if name.startswith(("[", "*")) else name


def _breakable(text: str) -> str:
    """Return a name that may be broken after each sign, and within long words."""
    words = [map(_escape, re.findall(r"\w{1,8}|\W", word)) for word in text.split()]
    return " ".join(map(r"\allowbreak{}".join, words))


def _item(item: Item) -> str:
    text = _escape(item.text)
    mean = rf"\textbf{{{text}}}" if item.meaning == "best" else text
    sd = rf"\,{_escape(item.mark)}".replace(" ", r"\,") if item.mark else ""
    # The sign hangs over the edge, so that the decimals of the column stay aligned.
    note = rf"\rlap{{{_escape(item.note)}}}" if item.note else ""
    return f"{mean}{sd}{note}"


def _escape(text: str) -> str:
    return latex.escape(text).replace(DAGGER, r"$^\dagger$")
