"""Tables and text laid out for the width of a terminal: turned, split or wrapped between words."""

import re
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

Rows = Sequence[Sequence[str]]
Table = tuple[list[str], list[list[str]]]

_GAP = 3
_MAX_COLUMN = 26
_HEADER_WIDTH = 10
_COMMAND = re.compile(r"(?:(?<=: )|^)boostbench \S.*$", re.DOTALL)


class Fitted(NamedTuple):
    """The parts of a table as they fit, and whether its rows have become columns."""

    parts: list[Table]
    turned: bool = False


def fitted(header: Sequence[str], rows: Rows, width: int) -> Fitted:
    """Return the table as tables of at most ``width`` characters, where that can be.

    A table that is too wide is turned (its first column becomes the header) unless that makes it
    no better; what still does not fit is split between columns, and each part begins with the first
    column again. Cells count as wrapped between words at 26 characters.
    """
    plain = (list(header), [list(row) for row in rows])
    if table_width(*plain) <= width:
        return Fitted([plain])
    folded = ([folded_name(name) for name in header], plain[1])
    if table_width(*folded) <= width:
        return Fitted([folded])
    columns = [list(row) for row in zip(*[header, *rows], strict=True)]
    upright = _split(*plain, width)
    across = _split(columns[0], columns[1:], width)
    return Fitted(across, turned=True) if len(across) <= len(upright) else Fitted(upright)


def table_width(header: Sequence[str], rows: Rows) -> int:
    """Return how many characters a table takes from left to right."""
    return sum(_widths(header, rows))


def _widths(header: Sequence[str], rows: Rows) -> list[int]:
    return [column_width(column) + _GAP for column in zip(header, *rows, strict=True)]


def column_width(cells: Sequence[str]) -> int:
    """Return how many characters the widest of ``cells`` takes, long ones wrapped."""
    return max(map(_cell_width, cells))


def _cell_width(cell: str) -> int:
    longest = max(map(len, cell.split("\n")))
    return longest if longest <= _MAX_COLUMN else max(_MAX_COLUMN, *map(len, cell.split()))


def _split(header: Sequence[str], rows: Rows, width: int) -> list[Table]:
    names = [header[0], *map(folded_name, header[1:])]
    widths = _widths(names, rows)
    parts: list[list[int]] = []
    room = 0
    for i in range(1, len(names)):
        if not parts or widths[i] > room:
            parts.append([0])
            room = width - widths[0]
        parts[-1].append(i)
        room -= widths[i]
    return [([names[i] for i in part], [[row[i] for i in part] for row in rows]) for part in parts]


def folded_name(name: str) -> str:
    """Return ``name`` on several lines of about ten characters, broken after underscores."""
    lines = [""]
    for part in name.replace("_", "_ ").split():
        if lines[-1].endswith("_") and len(lines[-1] + part) <= _HEADER_WIDTH:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines[1:])


def wrapped(text: str, width: int) -> str:
    """Return ``text`` on lines of at most ``width`` characters, broken between words only.

    A command at its end is put on lines of its own, which a shell takes as one.
    """
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    found = _COMMAND.search(line)
    prose, command = (line, "") if found is None else (line[: found.start()], found[0])
    indent = " " * (len(prose) - len(prose.lstrip()))
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    parts = []
    if prose.strip():
        parts = textwrap.wrap(prose, width, subsequent_indent=indent, **options)
    if command:
        within = width - len(indent) - 6
        shell = textwrap.wrap(command, max(20, within), **options)
        parts.append(f" \\\n{indent}    ".join([f"{indent}  {shell[0]}", *shell[1:]]))
    return "\n".join(parts)
