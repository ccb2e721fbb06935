"""From an experiment file to tables on the disk, through the command line and real packages."""

from pathlib import Path

import pytest
from experiments import RIDGE, write, write_model

from results import rows as _rows


@pytest.mark.end_to_end
def test_smoke_config_runs_to_its_tables(cli, folder: Path) -> None:
    done = cli.well("run", "smoke", "--jobs", "2", "--offline", "--set", "seeds=1")
    results = folder / "results" / "smoke"
    rows = _rows(results / "trials.csv")
    assert len(rows) == 9
    assert {row["status"] for row in rows} == {"ok"}
    assert {"srt", "srt_l2_best5", "ridge"} == {row["method"] for row in rows}
    assert "trials: 9 ok" in done.out
    assert "diabetes" in done.out
    for name in ("table.md", "table.csv", "table.tex", "table.html", "figure.png", "figure.pdf"):
        assert (results / name).stat().st_size > 0
        assert name in done.out


def test_a_second_run_does_nothing_and_more_seeds_only_those(cli, tiny_run: Path) -> None:
    before = (tiny_run / "trials.csv").read_bytes()
    times = _rows(tiny_run / "times.csv")
    assert "nothing was missing; trials: 8 ok" in cli.well("run", "tiny.yaml").out
    assert (tiny_run / "trials.csv").read_bytes() == before
    more = cli.well("run", "tiny.yaml", "--set", "seeds=3", "--jobs", "1")
    assert "4 of 12 trials to run" in more.err
    assert [row for row in _rows(tiny_run / "times.csv") if row["seed"] != "2"] == times


def test_the_last_line_of_a_run_is_the_path_of_its_page(cli, tiny_run: Path, folder: Path) -> None:
    done = cli.well("run", "tiny.yaml")
    page = done.out.splitlines()[-1]
    assert page == "results/tiny/table.html"
    assert (folder / page).is_file()
    elsewhere = cli.well("run", "tiny.yaml", "--set", "seeds=3", "--set", "results=a place")
    assert elsewhere.out.splitlines()[-1] == "a place/table.html"
    # Nothing is written, so there is no page.
    planned = cli.well("run", "tiny.yaml", "--dry-run")
    assert "table.html" not in planned.out


def test_the_path_of_the_page_follows_failures(cli, folder: Path) -> None:
    fails = "raise ValueError('no')"
    done = cli("run", write("tiny", RIDGE, write_model("own_that_fails", fails)))
    assert done.code == 1
    assert done.out.splitlines()[-1] == "results/tiny/table.html"


@pytest.mark.parametrize("named", ["diabetes/Ridge/1/0", "key"])
def test_show_one_trial_and_run_it_again(cli, tiny_run: Path, named: str) -> None:
    if named == "key":
        rows = _rows(tiny_run / "trials.csv")
        named = next(r for r in rows if (r["method"], r["fold"]) == ("Ridge", "1"))["key"][:10]
    shown = cli.well("show", named).out
    assert shown.startswith("diabetes/Ridge/1/0: ok")
    assert '{"alpha": 0.1}' in shown
    line = shown.strip().splitlines()[-1].removeprefix("run it again: boostbench ")
    assert "1 of 1 trial to run" in cli.well(*line.split(), "--jobs", "1").err


def test_report_is_made_again_in_requested_formats(cli, tiny_run: Path, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in tiny_run.glob("table.*")}
    for path in tiny_run.glob("table.*"):
        path.unlink()
    cli.well("report", "tiny.yaml", "--format", "md,html")
    assert {path.name for path in tiny_run.glob("table.*")} == {"table.md", "table.html"}
    assert (tiny_run / "table.html").read_bytes() == before["table.html"]
    cli.well("report", str(tiny_run), "-f", "csv", "--out", "there")
    assert (folder / "there" / "table.csv").read_bytes() == before["table.csv"]
    cli.well("report", "-f", "latex")
    assert (tiny_run / "table.tex").read_bytes() == before["table.tex"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("check tiny.yaml", ["is right: 1 data set x 2 methods x 2 folds x 2 seeds = 8 trials"]),
        ("check --schema", ["{"]),
        ("list datasets", ["yacht"]),
        ("list methods", ["srt_l2_best5"]),
        ("list configs", ["quickstart"]),
        ("doctor", ["numpy", "blas", "GiB free", "threads", "srt_l2_best5", "own code"]),
    ],
)
def test_commands_that_only_print(cli, line: str, words: list[str]) -> None:
    text = cli.well(*line.split()).out
    for word in words:
        assert word in text
