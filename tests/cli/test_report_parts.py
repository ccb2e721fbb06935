"""Reports of a part, results by their name, and what has not run."""

from pathlib import Path

import pytest

WIDE = """\
name: wide
datasets: [diabetes, friedman1]
methods:
  - {estimator: sklearn.linear_model.Ridge}
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
  - {name: median, estimator: sklearn.dummy.DummyRegressor, params: {strategy: median}}
folds: 2
seeds: 1
"""


@pytest.fixture
def part(cli, folder: Path) -> Path:
    """A run of one data set and two of three methods."""
    (folder / "wide.yaml").write_text(WIDE)
    done = cli(
        "run", "wide.yaml", "-j", "1", "--only", "dataset=diabetes", "--only", "method=R*,d*"
    )
    assert done.code == 0, done.err
    assert "1 data set, 1 method not run (8 trials)" in done.out
    assert "pending" not in done.out
    return folder / "results" / "wide"


def test_what_was_not_run_is_one_line_and_no_row_or_panel(cli, part: Path) -> None:
    page = (part / "table.md").read_text()
    assert "1 data set, 1 method not run (8 trials): friedman1 and median." in page
    assert "| friedman1 |" not in page
    assert "pending" not in page
    assert "| diabetes | " in page
    # Of what has begun, what is missing still counts.
    cli("run", "wide.yaml", "-j", "1", "--only", "dataset=friedman1", "--only", "method=Ridge",
        "--only", "fold=0")  # fmt: skip
    page = (part / "table.md").read_text()
    assert "1/2" in page
    assert "1 method not run (4 trials)" in page
    assert "2 pending" in page


def test_results_are_found_by_their_name(cli, part: Path, folder: Path) -> None:
    (folder / "wide.yaml").rename(folder / "other.yaml")
    assert cli("report", "wide", "-f", "md").code == 0
    assert "results in results/wide" in cli("status", "wide").out
    assert cli("show", "diabetes/dummy/0/0", "--in", "wide").code == 0
    # A folder of that name that holds no results does not hide them.
    (folder / "wide").mkdir()
    assert cli("report", "wide", "-f", "md").code == 0
    wrong = cli("report", "wibe")
    assert (wrong.code, "no config 'wibe'" in wrong.err) == (2, True)


def test_a_part_of_a_report_is_shown_and_the_whole_stays(cli, part: Path) -> None:
    before = {path.name: path.read_bytes() for path in part.glob("[!.s]*")}
    done = cli("report", "wide", "--only", "method=dummy")
    assert done.code == 0
    assert "dummy" in done.out
    assert "Ridge" not in done.out
    assert {path.name: path.read_bytes() for path in part.glob("[!.s]*")} == before
    refused = cli("report", "wide", "--only", "method=dummy", "-f", "md")
    assert (refused.code, "name a folder for it by --out" in refused.err) == (2, True)
    out = part.parent / "part"
    assert cli("report", "wide", "--only", "method=dummy", "--out", str(out)).code == 0
    rows = (out / "trials.csv").read_text().splitlines()[1:]
    assert {row.split(",")[1] for row in rows} == {"dummy"}
    assert "Ridge" not in (out / "table.html").read_text()
    wrong = cli("report", "wide", "--only", "method=dumy")
    assert (wrong.code, "did you mean 'dummy'" in wrong.err) == (2, True)


def test_digits_of_other_alphabets_are_no_numbers(cli) -> None:
    done = cli("run", "tiny.yaml", "--set", "methods.٣.params=3")
    assert done.code == 2
    assert "bug" not in done.err


def test_an_interrupted_repetition_resumes_where_it_was(
    cli, tiny_run: Path, interrupt_after
) -> None:
    with interrupt_after(3):
        done = cli("run", "tiny.yaml", "--again", "-j", "1")
    assert done.code == 130
    assert "resume with: boostbench run tiny.yaml --jobs 1\n" in done.err
    assert "5 trials of --again still to be run again" in cli("status", "tiny").out
    assert "3 done, 5 to run" in cli("run", "tiny.yaml", "--dry-run").out
    rest = cli("run", "tiny.yaml", "-j", "1")
    assert (rest.code, "5 of 8 trials to run" in rest.err) == (0, True)
    assert "nothing was missing" in cli("run", "tiny.yaml").out


PRINTED = """\
name: printed
paper: srt
datasets: [friedman1]
methods:
  - {name: random_forest, params: {n_estimators: 2}}
  - {name: srt_l2, params: {max_iter: 1}}
folds: 2
seeds: 1
"""


def test_a_table_of_the_paper_is_shown_in_its_place(cli, folder: Path) -> None:
    (folder / "printed.yaml").write_text(PRINTED)
    assert cli("run", "printed.yaml", "-j", "1", "--offline").code == 0
    done = cli("report", "printed", "--table", "G.9")
    assert done.code == 0
    assert "Table G.9: SRT-ℓ₂ and random forest" in done.out
    assert "(0.924)" in done.out
    assert "Mean test R² over all runs" not in done.out
    before = (folder / "results/printed/table.md").read_bytes()
    wrong = cli("report", "printed", "--table", "G9")
    assert wrong.code == 2
    assert "do not fill a table 'G9' (did you mean 'G.9'?)" in wrong.err
    assert (folder / "results/printed/table.md").read_bytes() == before
