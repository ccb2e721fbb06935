"""How many verdicts of a report are wrong, by a calibration in the paper's folder."""

from pathlib import Path

import pytest
from parts import paper_of, results_of, row

from boostbench.report.calibrated import FILE, calibrated

HEADER = "design,what,said,number,too_favourable,too_strict\n"
STEADY = [[0.8, 0.801], [0.8, 0.799], [0.801, 0.799], [0.8, 0.8]]


def results(folder: Path):
    """Return three cells that agree and one that differs."""
    cells = {(name, "srt"): STEADY for name in "abcd"}
    rows = [row(name, mean=0.8, sd=0.005) for name in "abc"] + [row("d", mean=0.9, sd=0.005)]
    return results_of(cells, paper_of(folder, rows))


def test_verdicts_are_counted_by_their_rates(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        f"{HEADER}one partition,cells,agrees,9,0.34,0\none partition,cells,differs,9,0,1\n"
        "five partitions,cells,agrees,9,1,1\none partition,claims,weaker,9,1,1\n"
    )
    (line,) = calibrated(results(tmp_path), None)
    assert "Of 4 verdicts that decide, about 1 is too favourable and 1 too strict" in line


@pytest.mark.parametrize("text", [None, f"{HEADER}five partitions,cells,agrees,9,1,1\n"])
def test_without_a_calibration_of_such_runs_nothing_is_said(tmp_path: Path, text) -> None:
    if text:
        (tmp_path / FILE).write_text(text)
    assert calibrated(results(tmp_path), None) == []
