"""How verdicts on cells and on claims are shown: their signs in text, and their colours."""

from collections.abc import Mapping
from typing import NamedTuple

from boostbench.papers.judge import ClaimVerdict
from boostbench.report.frames.cell import CellVerdict


class Appearance(NamedTuple):
    """The ``sign`` beside a number or a claim, and the name of the ``colour`` and of the mark.

    A colour is a key of the palette of figures and pages, or "none" without one.
    """

    sign: str
    colour: str


_APPEARANCES: Mapping[CellVerdict | ClaimVerdict, Appearance] = {
    CellVerdict.AGREES: Appearance("≈", "yes"),
    CellVerdict.DIFFERS: Appearance("≠", "no"),
    ClaimVerdict.REPRODUCED: Appearance("✓", "yes"),
    ClaimVerdict.WEAKER: Appearance("◐", "weak"),
    ClaimVerdict.NOT_REPRODUCED: Appearance("✗", "no"),
    # These words are verdicts on cells and on claims alike.
    CellVerdict.UNDECIDED: Appearance("?", "open"),
    CellVerdict.NOT_COMPARABLE: Appearance("", "none"),
    ClaimVerdict.NOT_JUDGED: Appearance("", "none"),
}


def appearance(verdict: CellVerdict | ClaimVerdict | None) -> Appearance:
    """Return how a verdict is shown; without one, it has neither sign nor colour."""
    return Appearance("", "none") if verdict is None else _APPEARANCES[verdict]
