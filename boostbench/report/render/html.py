"""A page as one self-contained HTML file: no network, light or dark, any width, A4 in print.

Everything is there without scripts; one small script opens a cell in place and filters claims.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import partial
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from boostbench.report.blocks import Chart, Page
from boostbench.report.cards import card_key
from boostbench.report.figures import rows, traces
from boostbench.report.figures.canvas import PAGE_TEXT, inline, style
from boostbench.report.table import Table, fitting

WIDTHS = {"wide": 530, "narrow": 358}
PANEL_TEXT, ROOM = 11.5, 1100
_LINKS = {"doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/"}
_CITED = re.compile(r"\b(doi|arxiv):\s?([^\s,;<>\"']*[^\s,;<>\"'.)])", re.IGNORECASE)
_COUNTED = {
    "yes": r"\b\d+ (?:agrees?|(?:is |are )reproduced)\b|\b(?:All|Both) [\w ]* are reproduced\.",
    "no": r"\b\d+ (?:differs?|(?:is |are )not reproduced)\b",
    "open": r"\b\d+ (?:is|are) undecided\b",
}


def render(page: Page) -> str:
    """Return ``page`` as HTML: all text escaped, the same page the same bytes."""
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(
        rich=_rich, answer=_answer, breaks=_breaks, chart=_chart, panel=_panel,
        card=lambda runs: card_key(*runs), fitting=_fitting,
        named=partial(_named, page.names), kept=partial(_kept, page.names),
    )  # fmt: skip
    script = _read("page.js")
    text = environment.get_template("report.html.j2").render(
        page=page, style=Markup(_read("page.css")), script=Markup(script), policy=_policy(script)
    )
    return re.sub(r"\n\s*\n+", "\n", text)


def _read(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return a content security policy by which nothing but the page's own script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "default-src": "'none'", "img-src": "data:", "script-src": f"'sha256-{digest}'",
        # The drawing library writes style attributes.
        "style-src": "'unsafe-inline'", "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _chart(chart: Chart) -> Markup:
    """Return a chart at the width of half a page and of a phone, one of which is shown."""
    with style(PAGE_TEXT):
        words = f"{chart.title}: {'; '.join(f'{row.name} {row.text}' for row in chart.rows)}"
        drawn = [
            inline(rows.chart(chart.rows, width, PAGE_TEXT, chart.log, *chart.bounds), words, name)
            for name, width in WIDTHS.items()
        ]
    return Markup("".join(drawn))


def _panel(shown: traces.Panel) -> Markup:
    with style(PANEL_TEXT):
        return Markup(inline(traces.panel_figure(shown, PANEL_TEXT), shown.words))


def _named(names: Mapping[str, str], text: str) -> str:
    """Return ``text`` with the name of a method in place of its label, alone or before a comma."""
    label, comma, rest = text.partition(", ")
    return f"{names[label]}{comma}{rest}" if label in names else text


def _kept(names: Mapping[str, str], text: str) -> Markup:
    """Escape ``text``; names with hyphens are not broken over lines."""
    whole = sorted({name for name in names.values() if "-" in name}, key=len, reverse=True)
    made = str(escape(text))
    if whole:
        pattern = "|".join(re.escape(str(escape(name))) for name in whole)
        made = re.sub(pattern, r'<span class="nb">\g<0></span>', made)
    return Markup(made)


def _fitting(table: Table) -> list[Table]:
    """Return a table in parts that fit the page, each with the first column."""
    widths = [_width(table, place) for place in range(len(table.header))]
    parts = fitting(([place] for place in range(1, len(widths))), widths, ROOM)
    return [
        table.part(
            own,
            title=f"{table.title}, part {number}" if number > 1 else table.title,
            legend=table.legend if number == len(parts) else "",
        )
        for number, own in enumerate(parts, start=1)
    ]


def _width(table: Table, place: int) -> float:
    """Return about how many pixels a column needs: headers and words are broken, numbers not."""
    words = max(map(len, table.header[place].split()), default=0)
    cells = [len(f"{i.text} {i.mark} ({i.beside}) {i.note}") - 4 * (not i.beside)
             for i in (row[place] for row in table.rows)]  # fmt: skip
    longest = max(cells, default=0)
    return 7.7 * max(words, min(longest, 32) if place in table.left else longest) + 14


def _breaks(text: str) -> Markup:
    """Escape ``text``, which may be broken after underscores."""
    return Markup("_<wbr>").join(escape(part) for part in text.split("_"))


def _rich(text: str) -> Markup:
    """Escape ``text``; what is between backticks is code, DOIs and arXiv numbers are links."""
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else _linked(piece)
        for number, piece in enumerate(text.split("`"))
    )


def _linked(text: str) -> Markup:
    made, end = Markup(""), 0
    for found in _CITED.finditer(text):
        address = _LINKS[found[1].lower()] + found[2]
        made += escape(text[end : found.start()])
        made += Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, found[0])
        end = found.end()
    return made + escape(text[end:])


def _answer(text: str) -> Markup:
    """Escape a sentence of the answer, its counts in the colours of their verdicts."""
    made: Any = str(escape(text))
    for tone, pattern in _COUNTED.items():
        made = re.sub(pattern, rf'<b class="k-{tone}">\g<0></b>', made)
    return Markup(made)
