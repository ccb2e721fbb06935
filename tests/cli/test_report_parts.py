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
    assert "- **Not run:** 1 data set, 1 method (8 trials) (friedman1, median)" in page
    assert "| friedman1 |" not in page
    assert "pending" not in page
    assert "| diabetes | " in page
    # Of what has begun, what is missing still counts.
    cli("run", "wide.yaml", "-j", "1", "--only", "dataset=friedman1", "--only", "method=Ridge",
        "--only", "fold=0")  # fmt: skip
    page = (part / "table.md").read_text()
    assert "1/2" in page
    assert "1 method (4 trials)" in page
    assert "2 pending" in page


def test_where_nothing_has_run_everything_is_pending(cli, folder: Path) -> None:
    (folder / "wide.yaml").write_text(WIDE)
    assert cli("run", "wide.yaml", "--shard", "9/9", "-j", "1").code == 0
    assert "not run" not in (folder / "results/wide/shard-9-of-9/table.md").read_text()


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
    assert (refused.code, "needs --out" in refused.err) == (2, True)
    out = part.parent / "part"
    assert cli("report", "wide", "--only", "method=dummy", "--out", str(out)).code == 0
    rows = (out / "trials.csv").read_text().splitlines()[1:]
    assert {row.split(",")[1] for row in rows} == {"dummy"}
    assert "Ridge" not in (out / "table.html").read_text()
    wrong = cli("report", "wide", "--only", "method=dumy")
    assert (wrong.code, "did you mean 'dummy'" in wrong.err) == (2, True)


def test_a_misspelt_list_is_suggested(cli) -> None:
    done = cli("list", "method")
    assert (done.code, "did you mean 'methods'?" in done.err) == (2, True)


@pytest.mark.parametrize("key", ["seeds.²", "²", "methods.٣.params", "datasets.0²"])
def test_digits_of_other_alphabets_are_no_numbers(cli, key: str) -> None:
    done = cli("run", "tiny.yaml", "--set", f"{key}=3")
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


def test_a_part_is_not_told_to_lack_the_rest(cli, folder: Path) -> None:
    text = (folder / "tiny.yaml").read_text().replace("[diabetes]", "[diabetes, friedman1]")
    (folder / "tiny.yaml").write_text(text.replace("seeds: 2", "seeds: 1"))
    cli("run", "tiny.yaml", "-j", "2", "--only", "method=dummy")
    part = cli("report", "tiny", "--only", "dataset=diabetes")
    assert part.code == 0
    assert "never loaded" not in part.err


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
    assert "Mean test R² over folds" not in done.out
    before = (folder / "results/printed/table.md").read_bytes()
    wrong = cli("report", "printed", "--table", "G9")
    assert wrong.code == 2
    assert "do not fill a table 'G9' (did you mean 'G.9'?)" in wrong.err
    assert (folder / "results/printed/table.md").read_bytes() == before
