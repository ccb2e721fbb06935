"""Reports of a part, results by their name, and trials that have not run."""

from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, experiment, write

from results import files

MEDIAN = "{name: median, estimator: sklearn.dummy.DummyRegressor, params: {strategy: median}}"
WIDE = experiment("wide", RIDGE, DUMMY, MEDIAN, data="diabetes, friedman1")


@pytest.fixture
def part(ran) -> Path:
    """A run of one data set and two of three methods."""
    return ran(WIDE, "-j 1 --only dataset=diabetes --only method=R*,d*")


def test_trials_not_run_are_one_line_without_row_or_panel(cli, part: Path) -> None:
    page = (part / "table.md").read_text()
    assert "8 trials not run, of median, friedman1." in page
    assert "| friedman1 |" not in page
    assert "pending" not in page
    assert "| diabetes | " in page
    # Missing trials of a data set that has begun still count.
    more = ("--only", "dataset=friedman1", "--only", "method=Ridge", "--only", "fold=0")
    left = "4 trials not run, of median"
    assert left in cli("run", "wide.yaml", "-j", "1", *more).out
    page = (part / "table.md").read_text()
    for text in ("1/2", left, "2 pending"):
        assert text in page


def test_results_are_found_by_their_name(cli, part: Path, folder: Path) -> None:
    (folder / "wide.yaml").rename(folder / "other.yaml")
    cli.well("report", "wide", "-f", "md")
    assert "results in results/wide" in cli("status", "wide").out
    cli.well("show", "diabetes/dummy/0/0", "--in", "wide")
    # A folder of that name that holds no results does not hide them.
    (folder / "wide").mkdir()
    cli.well("report", "wide", "-f", "md")
    assert "no config 'wibe'" in cli.refused("report", "wibe")


def test_a_part_of_a_report_is_shown_and_the_whole_stays(cli, part: Path) -> None:
    before = files(part)
    done = cli.well("report", "wide", "--only", "method=dummy")
    assert "dummy" in done.out
    assert "Ridge" not in done.out
    text = cli.refused("report", "wide", "--only", "method=dummy", "-f", "md")
    assert "name a folder for it by --out" in text
    out = part.parent / "part"
    cli.well("report", "wide", "--only", "method=dummy", "--out", str(out))
    assert before.items() <= files(part).items()
    rows = (out / "trials.csv").read_text().splitlines()[1:]
    assert {row.split(",")[1] for row in rows} == {"dummy"}
    assert "Ridge" not in (out / "table.html").read_text()
    assert "did you mean 'dummy'" in cli.refused("report", "wide", "--only", "method=dumy")


def test_a_table_of_the_paper_is_shown_in_its_place(cli) -> None:
    methods = (
        "{name: random_forest, params: {n_estimators: 2}}",
        "srt_l2",
    )
    file = write("printed", *methods, data="friedman1", paper="srt", folds=4)
    cli.well("run", file, "-j", "1", "--offline")
    page = Path("results/printed/table.md")
    page.unlink()
    shown = cli.well("report", "printed", "--table", "G.9").out
    assert "Table G.9: SRT-ℓ₂ and random forest" in shown
    assert "(0.938)" in shown
    assert "(0.924)" not in shown  # A forest of two trees is not the printed one.
    assert "Mean test R² over all runs" not in shown
    text = cli.refused("report", "printed", "--table", "G9")
    assert "do not fill a table 'G9' (did you mean 'G.9'?)" in text
    assert not page.exists()
