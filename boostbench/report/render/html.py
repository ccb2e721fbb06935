"""A page as one self-contained HTML file: no script, no network, light or dark, any width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from boostbench.report.figures import drawing

if TYPE_CHECKING:
    from markupsafe import Markup

    from boostbench.report.page import Page


def render(page: Page, panels: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return ``page`` as HTML, all text escaped.

    ``panels`` holds the (label, inline SVG) of each picture's panels, by the picture's file.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("boostbench.report.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["code"] = _code
    return environment.get_template("report.html.j2").render(
        page=page,
        # Only what the drawing library wrote is let through unescaped.
        panels={
            file: [(label, Markup(svg)) for label, svg in parts]
            for file, parts in panels.items()
            if parts
        },
        colours=drawing.css_colours(),
    )


def _code(text: str) -> Markup:
    """Escape ``text`` and set text between backticks as code."""
    from markupsafe import Markup, escape

    pieces = [escape(piece) for piece in text.split("`")]
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else piece
        for number, piece in enumerate(pieces)
    )
