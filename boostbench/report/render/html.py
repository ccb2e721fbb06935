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

from boostbench.report.cards import card_key
from boostbench.report.figures import rows, traces
from boostbench.report.figures.canvas import PAGE_TEXT, inline, style
from boostbench.report.page import Chart, Page

WIDTHS = {"wide": 530, "narrow": 358}
PANEL_TEXT = 11.5
_LINKS = {"doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/"}
_CITED = re.compile(r"\b(doi|arxiv):\s?([^\s,;<>\"']*[^\s,;<>\"'.)])", re.IGNORECASE)
_COUNTED = {
    "yes": r"\b\d+ (?:agrees?|(?:is |are )reproduced)\b|\b(?:All|Both) [\w ]*judged are reproduced\.",
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
        rich=_rich, answer=_answer, card=lambda runs: card_key(*runs), breaks=_breaks, chart=_chart, panel=_panel,
        named=partial(_named, page.names),
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
        drawn = [
            inline(rows.chart(chart.rows, width, PAGE_TEXT, chart.log, *chart.bounds),
                   f"{chart.title}: {'; '.join(f'{row.name} {row.text}' for row in chart.rows)}", name)
            for name, width in WIDTHS.items()
        ]  # fmt: skip
    return Markup("".join(drawn))


def _panel(shown: traces.Panel) -> Markup:
    with style(PANEL_TEXT):
        return Markup(inline(traces.panel_figure(shown, PANEL_TEXT), shown.words))


def _named(names: Mapping[str, str], text: str) -> str:
    """Return the name of a method where ``text`` is its label."""
    return names.get(text, text)


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
