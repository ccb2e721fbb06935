"""How far verdicts hang on their margin: the same intervals against other margins."""

import pytest

from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.verdicts.margins import at_margin, by_margin

AGREES, DIFFERS, UNDECIDED = CellVerdict.AGREES, CellVerdict.DIFFERS, CellVerdict.UNDECIDED


def _cell(low: float | None, high: float | None, **more: object) -> Cell:
    values = {"verdict": UNDECIDED, "margin": 0.01, **more}
    return Cell(row="d", method="m", planned=1, finished=1, low=low, high=high, **values)


@pytest.mark.parametrize(
    ("low", "high", "verdicts"),
    [
        (-0.004, 0.004, (AGREES, AGREES, AGREES)),
        (0.002, 0.008, (UNDECIDED, AGREES, AGREES)),
        (0.006, 0.008, (DIFFERS, AGREES, AGREES)),
        (0.012, 0.018, (DIFFERS, DIFFERS, AGREES)),
        (-0.05, -0.03, (DIFFERS, DIFFERS, DIFFERS)),
        (-0.05, 0.05, (UNDECIDED, UNDECIDED, UNDECIDED)),
        (0.005, 0.01, (UNDECIDED, UNDECIDED, AGREES)),
    ],
)
def test_an_interval_is_held_against_half_one_and_two_margins(low, high, verdicts) -> None:
    cell = _cell(low, high)
    assert tuple(at_margin(cell, factor) for factor in (0.5, 1.0, 2.0)) == verdicts


def test_a_cell_that_no_interval_decides_stays_undecided() -> None:
    for cell in (_cell(None, None), _cell(0.0, 0.001, undecided_reason="one split")):
        assert at_margin(cell, 2.0) is UNDECIDED
    assert at_margin(_cell(None, None, verdict=None, margin=None), 1.0) is None
    cells = [_cell(0.0, 0.001), _cell(None, None), _cell(0.012, 0.018)]
    assert [dict(counts) for counts in by_margin(cells).values()] == [
        {AGREES: 1, DIFFERS: 1, UNDECIDED: 1},
        {AGREES: 1, DIFFERS: 1, UNDECIDED: 1},
        {AGREES: 2, DIFFERS: 0, UNDECIDED: 1},
    ]
    assert by_margin([_cell(None, None, verdict=None)]) == {}
