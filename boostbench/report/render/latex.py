"""A page's tables as LaTeX, to be read in with \\input: booktabs, no other layout package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from boostbench.report.page import Item, Page, Table
from boostbench.report.render import latexfit, latextext
from boostbench.report.render.latexfit import Part
from boostbench.report.render.latextext import escape

STEM = "table"
# LaTeX holds back no more than 18 floats, and wants text between them.
_FLOATS, _PAGES = 6, "\\clearpage\n"
_STYLES = {"best": "textbf", "close": "textit"}
_STANDINGS = (
    "Bold: the best mean of the data set, pair by pair over the runs that both methods have; "
    "italics: not significantly worse by the corrected resampled t-test (5 %, Holm)."
)
_HEAD = """\
% Read this file in with \\input{{{stem}}}. The preamble needs
%   \\usepackage{{array,booktabs,amssymb}}
"""


def files(page: Page, name: str) -> dict[str, str]:
    """Return the tables of ``page`` as LaTeX files: ``table.tex`` has all, ``table-KEY.tex`` one.

    Each table is one ``table`` float, or several where it would not fit the text of an A4 page at
    footnotesize, with caption and the label ``tab:NAME-KEY``, ``name`` being the experiment's.
    """
    made: dict[str, str] = {}
    whole, waiting = [_HEAD.format(stem=STEM), f"% {escape(page.title)}\n"], 0
    for section in page.sections:
        for table in section.tables:
            key = _key(table.key)
            stem, count = f"{STEM}-{key}", 2
            while stem in made:
                stem, count = f"{STEM}-{key}-{count}", count + 1
            pieces = [f"% {escape(table.title)}\n"]
            for number, part in enumerate(latexfit.parts(_explained(table))):
                if number and number % _FLOATS == 0:
                    pieces.append(_PAGES)
                pieces.append(_float(part, name))
            made[stem] = "\n".join(pieces)
            waiting += len(pieces)
            if waiting > _FLOATS:
                whole.append(_PAGES)
                waiting = len(pieces)
            whole.append(made[stem])
    text = "\n".join(whole)
    single = {f"{stem}.tex": _HEAD.format(stem=stem) + one for stem, one in made.items()}
    return {f"{STEM}.tex": text, **single}


def _explained(table: Table) -> Table:
    """Return ``table`` with its legend saying what bold and italics are, if it has them."""
    has = any(item.standing for row in table.rows for item in row)
    if not has or "bold" in table.legend:
        return table
    return replace(table, legend=f"{table.legend} {_STANDINGS}".strip())


def _key(text: str) -> str:
    return re.sub("[^A-Za-z0-9-]+", "-", text).strip("-") or "x"


def _float(part: Part, name: str) -> str:
    table = part.table
    columns = "".join(_column(part, column) for column in range(len(table.header)))
    caption = f"{table.title}. {table.legend}" if table.legend else f"{table.title}."
    return "\n".join(
        [
            "\\begin{table}[htbp]",
            f"\\centering\\{part.size}",
            f"\\caption{{{escape(caption)}}}",
            f"\\label{{tab:{_key(name)}-{_key(table.key)}}}",
            f"\\setlength{{\\tabcolsep}}{{{latexfit.COLUMN_GAP / 2:g}pt}}",
            f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            "\\toprule",
            *_groups(table),
            " & ".join(_header(part)) + " \\\\",
            "\\midrule",
            *_rows(part),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}\n",
        ]
    )


def _column(part: Part, column: int) -> str:
    words = column in part.table.left
    if column in part.wrapped:
        ragged = "right" if words else "left"
        return f">{{\\ragged{ragged}\\arraybackslash}}p{{{part.wrapped[column]:g}pt}}"
    return "l" if words else "r"


def _header(part: Part) -> Iterator[str]:
    for column, text in enumerate(part.table.header):
        yield (latextext.breakable if column in part.wrapped else escape)(text)


def _groups(table: Table) -> list[str]:
    if not table.groups:
        return []
    titles, rules, first = [], [], 1
    for title, span in table.groups:
        titles.append(f"\\multicolumn{{{span}}}{{c}}{{{escape(title)}}}" if title else "")
        # A group without a title takes as many cells as it has columns.
        titles += [""] * (0 if title else span - 1)
        if title:
            rules.append(f"\\cmidrule(lr){{{first}-{first + span - 1}}}")
        first += span
    return [" & ".join(titles) + " \\\\", " ".join(rules)]


def _rows(part: Part) -> Iterator[str]:
    table = part.table
    plain = len(table.rows) - table.averages
    for index, row in enumerate(table.rows):
        if index == plain and index > 0:
            yield "\\midrule"
        cells = (_item(item, c in part.wrapped, c in table.left) for c, item in enumerate(row))
        yield " & ".join(cells) + " \\\\"


def _item(item: Item, wrapped: bool, words: bool) -> str:
    write = latextext.breakable if wrapped else escape
    # Only the note of a number is broken over lines.
    text = write(item.text) if words or not wrapped else escape(item.text).replace(" ", "~")
    shown = latexfit.standing(item)
    parts = [f"\\{_STYLES[shown]}{{{text}}}" if shown else text]
    if item.mark:
        parts.append(escape(item.mark))
    if item.beside:
        parts.append(f"({write(item.beside)})")
    if item.note:
        parts.append(f"{{\\scriptsize [{write(item.note)}]}}")
    # A bracket that opens a row would be taken for the argument of the \\ before it.
    gap = "\\, " if wrapped else "\\,"
    return gap.join(part for part in parts if part).replace("[", "{[}").replace("]", "{]}")
