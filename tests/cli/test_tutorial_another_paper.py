"""The folder and the commands of docs/tutorials/a-paper-from-its-table.md."""

import csv
import re
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "tutorials"


def block_of(kind: str) -> str:
    """Return the page's only block of a kind."""
    text = (DOCS / "a-paper-from-its-table.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```", text, flags=re.M | re.S)
    return block


@pytest.fixture
def uci(cli, folder) -> Path:
    """The tutorial's folder, with its claims."""
    shutil.copy(DOCS / "uci_regression.tex", folder)
    (folder / "answers.yaml").write_text(block_of("yaml"), encoding="utf-8")
    cli.well("paper", "new", "uci", "--from", "uci_regression.tex", "--answers", "answers.yaml")
    (folder / "uci" / "claims.csv").write_text(block_of("csv"), encoding="utf-8")
    return folder / "uci"


def test_the_folder_is_right_and_has_the_cells_of_the_page(cli, uci) -> None:
    said = cli.well("check", "--paper", "./uci").out
    assert "55 printed cells, 10 data sets, 3 claims" in said
    assert "not that of its" not in said
    with (uci / "tables.csv").open(encoding="utf-8", newline="") as file:
        printed = {(row["dataset"], row["method"]): row for row in csv.DictReader(file)}
    assert printed["yacht", "m_1_0_vi"]["rmse_mean"] == "0.81"
    assert printed["wine_1588", "m_0_5"]["rmse_se"] == "0.01"
    assert printed["year", "plus_inf"]["rmse_se"] == ""
    assert (
        "3 data sets x 2 methods x 20 splits x 1 seed"
        in cli.well("check", "uci/experiment.yaml").out
    )


def test_what_is_measured_is_beside_what_is_printed(cli, uci, mirror) -> None:
    cli.well(
        "run", "uci/experiment.yaml", "--mirror", str(mirror), "--jobs", "1",
        "--only", "dataset=yacht", "--only", "method=srt_l2",
    )  # fmt: skip
    table = Path("results/uci/table.md").read_text(encoding="utf-8")
    assert re.search(r"\| yacht \| 1\.749 ≠ \(0\.81\)", table)
    said = cli("verify", "results/uci", "--all").out
    assert "m_0_5, m_1_0_vi are not measured" in said
