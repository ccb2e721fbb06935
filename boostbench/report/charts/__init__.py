"""Charts of a page as inline SVG, each a pure function of numbers: text real, colours the page's.

- ``svg``: elements, scales and axes
- ``scatter``: measured against published scores; scores against training time
- ``ranks``: the critical-difference diagram
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Chart:
    """A titled figure: ``panels`` are SVG, ``legend`` (SVG sample, words)."""

    title: str
    caption: str
    panels: Sequence[Markup]
    legend: Sequence[tuple[Markup, str]] = ()
