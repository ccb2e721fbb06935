"""From an experiment file to tables on the disk, through the command line and the real rooms."""

from pathlib import Path

import pytest
from helpers.results import rows as _rows


@pytest.mark.end_to_end
def test_smoke_config_runs_to_its_tables(cli, folder: Path) -> None:
    done = cli("run", "smoke", "--jobs", "2", "--offline", "--set", "seeds=1")
    assert done.code == 0, done.err
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
    again = cli("run", "tiny.yaml")
    assert again.code == 0
    assert "nothing was missing; trials: 8 ok" in again.out
    assert (tiny_run / "trials.csv").read_bytes() == before
    more = cli("run", "tiny.yaml", "--set", "seeds=3", "--jobs", "1")
    assert more.code == 0
    assert "4 of 12 trials to run" in more.err
    assert [row for row in _rows(tiny_run / "times.csv") if row["seed"] != "2"] == times


def test_the_folder_can_be_another_one(cli, folder: Path) -> None:
    options = ["--set", "results=elsewhere/x", "--set", "seeds=1", "--only", "method=dummy"]
    done = cli("run", "tiny.yaml", "-j", "1", *options)
    assert done.code == 0
    rows = _rows(folder / "elsewhere" / "x" / "trials.csv")
    assert {row["method"]: row["status"] for row in rows} == {"dummy": "ok", "Ridge": "pending"}
    assert not (folder / "results").exists()
    assert "2 of 4 trials done (2 ok)" in cli("status", "elsewhere/x").out


def test_dry_run_counts_and_writes_nothing(cli, folder: Path) -> None:
    done = cli("run", "tiny.yaml", "--dry-run", "--jobs", "2")
    assert done.code == 0
    assert (
        "tiny: 8 trials (1 data set x 2 methods x 2 folds x 2 seeds), 0 done, 8 to run" in done.out
    )
    assert "no recorded times yet" in done.out
    assert not (folder / "results").exists()


def test_failed_trials_are_told_counted_and_run_again_only_when_asked(cli, folder: Path) -> None:
    (folder / "bad.yaml").write_text(
        "name: bad\ndatasets: [diabetes]\nfolds: 2\nseeds: 3\nmethods:\n"
        "  - {estimator: sklearn.linear_model.GammaRegressor}\n"
        "  - {estimator: sklearn.dummy.DummyRegressor}\n"
    )
    first = cli("run", "bad.yaml", "--jobs", "1")
    assert first.code == 1
    assert "trials: 6 error, 6 ok" in first.out
    assert "diabetes/GammaRegressor/0/0: error: ValueError: Some value(s) of y" in first.err
    assert "6 trials failed; see them with: boostbench status results/bad" in first.err
    second = cli("run", "bad.yaml")
    assert second.code == 1
    assert "nothing was missing" in second.out
    third = cli("run", "bad.yaml", "--retry-failed", "--jobs", "1")
    assert third.code == 1
    assert "6 of 12 trials to run" in third.err

    status = cli("status", "bad.yaml")
    assert status.code == 0
    assert "12 of 12 trials done (6 ok, 6 error)" in status.out
    assert "6/6 6 failed" in status.out
    assert "boostbench show diabetes/GammaRegressor/0/0" in status.out
    shown = cli("show", "diabetes/GammaRegressor/0/0")
    assert shown.code == 0
    assert "Traceback (most recent call last)" in shown.out
    assert (
        "run it again: boostbench run bad.yaml --only dataset=diabetes "
        "--only method=GammaRegressor --only fold=0 --only seed=0 --again"
    ) in shown.out


@pytest.mark.parametrize("named", ["diabetes/Ridge/1/0", "key"])
def test_show_one_trial_and_run_it_again(cli, tiny_run: Path, named: str) -> None:
    if named == "key":
        rows = _rows(tiny_run / "trials.csv")
        named = next(r for r in rows if (r["method"], r["fold"]) == ("Ridge", "1"))["key"][:10]
    shown = cli("show", named)
    assert shown.code == 0
    assert shown.out.startswith("diabetes/Ridge/1/0: ok")
    assert '{"alpha": 0.1}' in shown.out
    line = shown.out.strip().splitlines()[-1].removeprefix("run it again: boostbench ")
    again = cli(*line.split(), "--jobs", "1")
    assert again.code == 0
    assert "1 of 1 trial to run" in again.err


def test_report_is_made_anew_in_the_formats_asked_for(cli, tiny_run: Path, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in tiny_run.glob("table.*")}
    for path in tiny_run.glob("table.*"):
        path.unlink()
    done = cli("report", "tiny.yaml", "--format", "md,html")
    assert done.code == 0
    assert {path.name for path in tiny_run.glob("table.*")} == {"table.md", "table.html"}
    assert (tiny_run / "table.html").read_bytes() == before["table.html"]
    assert cli("report", str(tiny_run), "-f", "csv", "--out", "there").code == 0
    assert (folder / "there" / "table.csv").read_bytes() == before["table.csv"]
    assert cli("report", "-f", "latex").code == 0
    assert (tiny_run / "table.tex").read_bytes() == before["table.tex"]


def test_check_and_list_and_doctor(cli) -> None:
    assert "tiny.yaml is right: 1 data set x 2 methods x 2 folds x 2 seeds = 8 trials" in (
        cli("check", "tiny.yaml").out
    )
    assert cli("check", "--schema").out.startswith("{")
    assert "yacht" in cli("list", "datasets").out
    assert "srt_l2_best5" in cli("list", "methods").out
    assert "quickstart" in cli("list", "configs").out
    doctor = cli("doctor")
    assert doctor.code == 0
    for word in ("numpy", "blas", "GiB free", "threads", "srt_l2_best5", "own code"):
        assert word in doctor.out
