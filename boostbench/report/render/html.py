"""A page as one self-contained HTML file: no network, light or dark, any width, A4 in print.

All text and every table and figure are there without scripts; one small script adds sorting,
filters, the runs behind a cell and curves that can be asked.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from boostbench.report.charts import Chart
from boostbench.report.figures import drawing
from boostbench.report.page import Item, Page, Table

Panels = Sequence[tuple[str, str]]
_SCRIPTS = ("page.js", "curves.js")
# Letters of a sentence and of a short word; columns.
_SENTENCE, _SHORT, _WIDE, _WIDER = 40, 12, 9, 15
_CITED = re.compile(r"\b(doi|arxiv):\s?([^\s,;<>\"']*[^\s,;<>\"'.)])", re.IGNORECASE)
_RESOLVERS = {"doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/"}


def render(
    page: Page,
    panels: Mapping[str, Panels],
    charts: Mapping[str, Sequence[Chart]] | None = None,
    data: Mapping[str, Any] | None = None,
    source: str = "",
) -> str:
    """Return ``page`` as HTML, all text escaped.

    ``panels`` holds the (label, inline SVG) of each picture's panels, by the picture's file;
    ``charts`` more figures, by the key of their section; ``data`` is what the script reads
    (:func:`boostbench.report.embedded.data`); ``source`` says when and with what the results were
    recorded.
    """
    environment = Environment(
        loader=PackageLoader("boostbench.report.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(code=_code, linked=_linked, is_pending=_is_pending, shape=_shape)
    script = "\n".join(map(_read, _SCRIPTS))
    data = data or {}
    cells = data.get("cells", ())
    return environment.get_template("report.html.j2").render(
        page=page,
        sections=[s for s in page.sections if not s.picture or panels.get(s.picture.file)],
        # Only what the drawing library and the charts wrote is let through unescaped.
        panels={
            file: [(label, Markup(svg)) for label, svg in parts] for file, parts in panels.items()
        },
        charts=charts or {},
        colours=drawing.css_colours(),
        dark_colours=drawing.DARK,
        style=Markup(_read("page.css")),
        script=Markup(script),
        policy=_policy(script),
        data=Markup(_json(data)),
        keys={section.key for section in page.sections},
        places={(cell[0], cell[1]): place for place, cell in enumerate(cells)},
        source=source,
    )


def _read(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return a content security policy by which nothing but the page's own script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}'",
        # The drawing library writes style attributes.
        "style-src": "'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _json(value: Any) -> str:
    """Return ``value`` as JSON that no HTML parser takes for the end of a script."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _is_pending(row: Sequence[Item]) -> bool:
    """Return whether a row has a result to come, and none yet."""
    cells = [item for item in row[1:] if item.text or item.tone]
    return any(item.tone == "empty" for item in cells) and all(
        item.tone == "empty" for item in cells
    )


def _shape(table: Table) -> str:
    """Return the classes of a table, by which its layout is chosen, in print above all.

    "prose": several columns hold sentences, which then share the width; "wide" and "wider": it has
    many columns; "short": no word of its header need be broken.
    """
    columns = zip(*table.rows, strict=True)
    prose = sum(any(len(item.text) > _SENTENCE for item in items) for items in columns) > 2
    count = len(table.header)
    words = [word for text in table.header for word in text.split()]
    names = {
        "prose": prose,
        "wide": not prose and _WIDE < count <= _WIDER,
        "wider": not prose and count > _WIDER,
        "short": all(len(word) <= _SHORT for word in words),
    }
    return " ".join(name for name, holds in names.items() if holds)


def _linked(text: str) -> Markup:
    """Escape ``text``; DOIs and arXiv numbers in it are links."""
    made, end = Markup(""), 0
    for found in _CITED.finditer(text):
        address = _RESOLVERS[found[1].lower()] + found[2]
        made += escape(text[end : found.start()])
        made += Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, found[0])
        end = found.end()
    return made + escape(text[end:])


def _code(text: str) -> Markup:
    """Escape ``text`` and set text between backticks as code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else _linked(piece)
        for number, piece in enumerate(text.split("`"))
    )
