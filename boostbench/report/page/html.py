"""A page as one self-contained HTML file: no network, light or dark, any width, A4 in print.

Everything is visible without scripts; one small script opens a cell in place and filters claims.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache, partial

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from boostbench.report.appearance import appearance
from boostbench.report.figures import rows, traces
from boostbench.report.figures.canvas import PAGE_TEXT, inline, style
from boostbench.report.frames.curves import Panel
from boostbench.report.page.cell_cards import card_key
from boostbench.report.page.views import Page
from boostbench.report.sentences import assertions, guide

WIDTHS = {"wide": 530, "narrow": 358}
PANEL_TEXT, ROOM = 11.5, 142
"""The size of text in panels in pixels, and the greatest width of a table in letters."""
_LINKS = {"doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/"}
_CITED = re.compile(r"\b(doi|arxiv):\s?([^\s,;<>&]*[^\s,;<>&.)])", re.IGNORECASE)
_LOADER = PackageLoader("boostbench.report.render")
_POLICY = (
    "default-src 'none'; img-src data:; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""Nothing but the page's own script runs; the drawing library writes style attributes."""


def render(page: Page) -> str:
    """Return ``page`` as HTML, with all text escaped; equal pages have equal bytes."""
    environment = _environment()
    look, script = (_LOADER.get_source(environment, name)[0] for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = environment.get_template("report.html.j2").render(
        page=page,
        look=look,
        script=script,
        policy=_POLICY.format(digest=digest),
        chart=_chart,
        panel=_panel,
        named=partial(_named, page.names),
    )
    return re.sub(r"\n\s*\n+", "\n", text)


@cache
def _environment() -> Environment:
    """Return what all pages share, so that the templates are compiled once."""
    environment = Environment(
        loader=_LOADER,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(rich=_rich, card=lambda runs: card_key(*runs))
    environment.globals.update(assertions=assertions, guide=guide, appearance=appearance, room=ROOM)
    return environment


def _chart(chart: rows.Chart) -> Markup:
    """Return a chart in the widths of half a page and of a phone, one of which is visible."""
    with style(PAGE_TEXT):
        words = f"{chart.title}: {'; '.join(f'{row.name} {row.text}' for row in chart.rows)}"
        drawn = [inline(rows.figure(chart, width), words, name) for name, width in WIDTHS.items()]
    return Markup("".join(drawn))


def _panel(shown: Panel) -> Markup:
    with style(PANEL_TEXT):
        words = f"{shown.title}: {shown.quantity} by {shown.axis}"
        return Markup(inline(traces.page_panel(shown), words))


def _named(names: Mapping[str, str], text: str) -> str:
    """Return ``text`` with a method's name in place of its label before any comma."""
    label, comma, rest = text.partition(", ")
    return f"{names[label]}{comma}{rest}" if label in names else text


def _rich(text: str) -> Markup:
    """Escape ``text``, with code for text in backticks; link pages beside, DOIs and arXiv numbers.

    Names with hyphens are not broken over lines.
    """
    made = re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text)))
    made = re.sub(r"\[([^]]+)\]\((\.\./[^()]+/table\.html)\)", r'<a href="\2">\1</a>', made)
    made = re.sub(r"(?<![\w./-])\w{2,12}-\w{1,5}\b", r'<span class="nb">\g<0></span>', made)
    return Markup(_CITED.sub(_linked, made))


def _linked(found: re.Match[str]) -> str:
    return f'<a href="{_LINKS[found[1].lower()]}{found[2]}" rel="noreferrer">{found[0]}</a>'
