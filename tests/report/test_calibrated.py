"""How many verdicts of a report are wrong, by a calibration in the paper's folder."""

from pathlib import Path

import pytest
from parts import paper_of, results_of, row

from boostbench.errors import ConfigError
from boostbench.report.verdicts.calibrated import FILE, calibrated

HEADER = "table,design,what,said,number,too_favourable,too_strict\n"


def results(folder: Path, seeds: int = 20):
    """Return three cells that agree and one that differs."""
    folds = [[0.8, 0.801], [0.8, 0.799], [0.801, 0.799], [0.8, 0.8]]
    cells = {(name, "srt"): [fold * (seeds // 2) for fold in folds] for name in "abcd"}
    rows = [row(name, mean=0.8, sd=0.005) for name in "abc"] + [row("d", mean=0.9, sd=0.005)]
    return results_of(cells, paper_of(folder, rows), table="2")


def test_verdicts_are_counted_by_their_rates(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        f"{HEADER}2,one partition,cells,agrees,9,0.34,0\n2,one partition,cells,differs,9,0,1\n"
        "2,five partitions,cells,agrees,9,1,1\nC.4,one partition,cells,agrees,9,1,1\n"
        "2,one partition,claims,weaker,9,1,1\n"
    )
    (line,) = calibrated(results(tmp_path), ())
    assert "Of 4 verdicts that decide, about 1 is too favourable and 1 too strict" in line
    # Of other numbers of seeds nothing is known.
    assert calibrated(results(tmp_path, 4), ()) == []


@pytest.mark.parametrize("text", [None, f"{HEADER}2,five partitions,cells,agrees,9,1,1\n"])
def test_without_a_calibration_of_such_runs_there_is_no_sentence(tmp_path: Path, text) -> None:
    if text:
        (tmp_path / FILE).write_text(text)
    assert calibrated(results(tmp_path), ()) == []


def test_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("design,what,sed\none partition,cells,agrees\n")
    with pytest.raises(ConfigError, match=r"calibration\.csv:1: there is no column 'sed'"):
        calibrated(results(tmp_path), ())
