"""A report as Markdown (GitHub's tables)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.report.document.answer import warnings
from boostbench.report.document.report import Report
from boostbench.report.document.table import Item, Section, TextTable
from boostbench.report.render.formats import Renderer, register
from boostbench.report.words import one_line

if TYPE_CHECKING:
    from boostbench.report.figures.files import Drawing

# An underscore within a word is not emphasis, and names read better without backslashes.
_ESCAPED = re.compile(r"([\\|*\[\]#~`]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w))")


@dataclass(frozen=True)
class Picture:
    """A file beside the report, with its description and caption."""

    file: str
    title: str
    caption: str

    def __str__(self) -> str:
        return f"![{_escape(self.title)}]({self.file})\n\n*{_escape(self.caption)}*"


def picture(drawing: "Drawing") -> Picture:
    """Return a figure as it stands in a text."""
    return Picture(f"{drawing.stem}.png", drawing.title, drawing.caption)


def _render(report: Report) -> str:
    """Return the text of a report as Markdown, with its figures."""
    parts = [f"# {_escape(report.title)}"]
    if description := report.results.experiment["description"].strip():
        parts.append(_escape(description))
    parts += [f"**{_escape(text)}**" for text in report.answer[:1]]
    parts += [_escape(text) for text in (*report.answer[1:], *report.calibration)]
    remarks = [report.intro, *warnings(report.results), report.source]
    parts += [_paragraph(text) for text in remarks if text]
    first, *others = report.sections
    parts += [*_section(first), *(str(picture(drawing)) for drawing in report.figures)]
    for section in others:
        parts += _section(section)
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> Iterator[str]:
    """Yield the paragraphs and the tables of a section."""
    yield f"## {_escape(section.title)}"
    yield from map(_paragraph, section.paragraphs)
    for table in section.below_one_another:
        if len(section.tables) > 1 or table.title != section.title:
            yield f"### {_escape(table.title)}"
        yield _table(table)
        if table.legend:
            yield _escape(table.legend)


def _table(table: TextTable) -> str:
    header = [_escape(text) for text in table.grouped_header]
    rule = [":--" if column in table.left else "--:" for column in range(len(table.header))]
    plain = len(table.rows) - table.averages
    lines = [header, rule]
    for index, row in enumerate(table.rows):
        cells = [_item(item) for item in row]
        if index >= plain:
            # Elsewhere in these rows, as in the others, bold has its own meaning.
            cells[0] = f"**{cells[0]}**"
        lines.append(cells)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _item(item: Item) -> str:
    first, *others = [_escape(part) for part in item.parts] or [""]
    return " ".join([f"**{first}**" if item.meaning == "best" else first, *others])


def _paragraph(text: str) -> str:
    """Escape all text except that between backticks."""
    pieces = text.split("`")
    # The blanks beside the backticks are part of the pieces between them.
    return "`".join(
        piece if number % 2 else _ESCAPED.sub(r"\\\1", piece) for number, piece in enumerate(pieces)
    )


def _escape(text: str) -> str:
    return _ESCAPED.sub(r"\\\1", one_line(text))


register(Renderer("md", ".md", _render))
