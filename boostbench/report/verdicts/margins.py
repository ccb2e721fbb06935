"""How far the verdicts on cells hang on their margin: the same intervals against other margins."""

from collections import Counter
from collections.abc import Mapping, Sequence

from boostbench.report.frames.cell import DECIDED_OR_NOT, Cell, CellVerdict

FACTORS = (0.5, 1.0, 2.0)
"""How many times the margin each cell is judged at."""


def at_margin(cell: Cell, factor: float) -> CellVerdict | None:
    """Return the verdict of a cell at so many times its margin, None where it has no verdict."""
    if cell.undecided_reason or cell.low is None or cell.high is None or cell.margin is None:
        return cell.verdict
    width = factor * cell.margin
    if -width < cell.low and cell.high < width:
        return CellVerdict.AGREES
    if cell.low > width or cell.high < -width:
        return CellVerdict.DIFFERS
    return CellVerdict.UNDECIDED


def by_margin(cells: Sequence[Cell]) -> Mapping[float, Mapping[CellVerdict, int]]:
    """Return how many cells have each verdict, by the factor of the margin; empty without any."""
    known = {factor: _counts(cells, factor) for factor in FACTORS}
    return known if any(known[1.0].values()) else {}


def _counts(cells: Sequence[Cell], factor: float) -> Mapping[CellVerdict, int]:
    counts = Counter(at_margin(cell, factor) for cell in cells)
    return {verdict: counts[verdict] for verdict in DECIDED_OR_NOT}
