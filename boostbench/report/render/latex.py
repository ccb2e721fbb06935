"""A report's tables as LaTeX, to be read in by ``input``: booktabs, adjustbox and longtable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate, groupby
from typing import Any

from jinja2 import Environment, PackageLoader

from boostbench.report.document import Document
from boostbench.report.render.latextext import breakable, escape
from boostbench.report.table import Item, Table, fitting

STEM = "table"
MOST_COLUMNS, MOST_ROWS, WORDS = 11, 40, 28
"""A table with more columns is divided; one with more rows, or of sentences, runs over pages."""
_CHARACTERS = 95
_STYLES = {"best": "textbf", "close": "textit"}
_STANDINGS = (
    "Bold: the best mean of the data set, pair by pair over the runs that both methods have; "
    "italics: not significantly worse by the corrected resampled t-test (5 %, Holm)."
)
_HEAD = """\
% Read this file in with \\input{{{stem}}}. The preamble needs
%   \\usepackage{{adjustbox,array,booktabs,longtable,amssymb}}
"""


def files(document: Document, name: str) -> dict[str, str]:
    """Return the tables of a report as LaTeX files: ``table.tex`` has all, ``table-KEY.tex`` one.

    Each has a caption and the label ``tab:NAME-KEY``, ``name`` being the experiment's. A table of
    more than :data:`MOST_COLUMNS` columns is divided into parts, each with the first column.
    """
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"), trim_blocks=True, autoescape=False
    )
    environment.filters["tex"] = escape
    template: Any = environment.get_template("table.tex.j2")
    made: dict[str, str] = {}
    for table in (table for section in document.sections for table in section.tables):
        stem, count = f"{STEM}-{_key(table.key)}", 2
        while stem in made:
            stem, count = f"{STEM}-{_key(table.key)}-{count}", count + 1
        label = f"{_key(name)}-{stem.removeprefix(f'{STEM}-')}"
        made[stem] = "\n".join(template.render(_part(*part, label)) for part in _parts(table))
    whole = "\n\\clearpage\n".join([f"% {escape(document.title)}", *made.values()])
    return {f"{stem}.tex": _HEAD.format(stem=stem) + text
            for stem, text in {STEM: whole, **made}.items()}  # fmt: skip


def _key(text: str) -> str:
    return re.sub("[^A-Za-z0-9-]+", "-", text).strip("-") or "x"


def _parts(table: Table) -> list[tuple[str, Table]]:
    """Return a table in parts that fit the page, divided where a group begins if there are any.

    Before each stands what its label ends in.
    """
    places, most = range(1, len(table.header)), MOST_COLUMNS - 1
    chunks = [[place] for place in places]
    if table.groups:
        chunks = [[*own] for _, own in groupby(places, key=table.group_titles.__getitem__)]
    pieces = [own[i : i + most] for own in chunks for i in range(0, len(own), most)]
    first, *others = fitting(pieces, [1] * len(table.header), MOST_COLUMNS)
    texts = [table.title, table.legend]
    if any(item.tone in _STYLES for row in table.rows for item in row):
        texts.append(_STANDINGS)
    caption = ". ".join(text.rstrip(".") for text in texts if text)
    return [
        ("", table.part(first, legend=f"{caption}.")),
        *((f"-{own[1]}", table.part(own, legend=f"{table.title}, continued."))
          for own in others),
    ]  # fmt: skip


def _part(ending: str, table: Table, label: str) -> Mapping[str, Any]:
    """Return what the template writes of a part of a table."""
    longest = [max((len(row[place].text) for row in table.rows), default=0)
               for place in range(len(table.header))]  # fmt: skip
    wide = {place for place in table.left if longest[place] > WORDS}
    words = _widths(table) if len(wide) > 1 else {}
    # Without room for its longest words a table is set in natural widths, and made smaller.
    widths = words or {place: 0.4 / len(wide) for place in wide}
    firsts = accumulate((span for _, span in table.groups), initial=1)
    return {
        "label": f"{label}{ending}",
        "table": table,
        "long": len(table.rows) > MOST_ROWS or bool(words),
        "columns": "".join(
            f">{{\\raggedright\\arraybackslash}}p{{{widths[place]:.3f}\\textwidth}}"
            if place in widths
            else "l" if place in table.left else "r"
            for place in range(len(table.header))
        ),
        "groups": [(first, *group) for first, group in zip(firsts, table.groups, strict=False)],
        "rows": [[_item(item, place in widths) for place, item in enumerate(row)]
                 for row in table.rows],
    }  # fmt: skip


def _widths(table: Table) -> dict[int, float]:
    """Return the widths of columns: each its longest word, the rest by their lengths.

    None where the longest words leave no room.
    """

    def plain(item: Item) -> str:
        # Nothing is broken between the parts of a cell.
        return ",".join(filter(None, (item.text, item.mark, item.beside, item.note)))

    texts = [[plain(item) for item in column] + [header]
             for header, *column in zip(table.header, *table.rows, strict=True)]  # fmt: skip
    least = [max(len(word) for text in own for word in [*text.split(), ""]) + 1 for own in texts]
    means = [sum(map(len, own)) / len(own) for own in texts]
    room = 1 - 0.018 * (len(texts) - 1)
    rest = room * _CHARACTERS - sum(least)
    if rest < 0:
        return {}
    wanted = [some + rest * mean / sum(means) for some, mean in zip(least, means, strict=True)]
    return {place: room * width / sum(wanted) for place, width in enumerate(wanted)}


def _item(item: Item, wide: bool) -> str:
    text = (breakable if wide else escape)(item.text)
    style = _STYLES.get(item.tone)
    parts = [f"\\{style}{{{text}}}" if style else text, escape(item.mark)]
    parts += [f"({escape(item.beside)})"] if item.beside else []
    parts += [f"{{\\scriptsize [{escape(item.note)}]}}"] if item.note else []
    # A bracket that opens a row would be taken for the argument of the \\ before it.
    return "\\,".join(part for part in parts if part).replace("[", "{[}").replace("]", "{]}")
