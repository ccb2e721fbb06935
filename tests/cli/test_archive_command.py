"""``boostbench archive``: results kept with their report, and read like those of a run."""

import json
import lzma
import shutil
from pathlib import Path
from unittest import mock

import pytest
from experiments import DUMMY, RIDGE, write, write_model

import boostbench
from results import files, rows


@pytest.fixture
def kept(tiny_run: Path, cli) -> Path:
    """An archive of the tiny run, of which nothing else is left."""
    cli.well("archive", "tiny")
    for path in tiny_run.iterdir():
        if path.name != "archive":
            path.unlink()
    return tiny_run / "archive"


def unpacked(folder: Path) -> dict[str, bytes]:
    return {n: lzma.decompress(t) if n.endswith(".xz") else t for n, t in files(folder).items()}


def test_an_archive_has_the_report_of_the_run(tiny_run: Path, cli) -> None:
    before = files(tiny_run)
    assert "written to results/tiny/archive: 7 files" in cli.well("archive", "tiny").out
    kept = tiny_run / "archive"
    assert {path.name for path in kept.iterdir()} == {
        "trials.csv",
        "times.csv.xz",
        "record.json",
        "table.md",
        "figure.png",
        "experiment.yaml",
        "receipt.json",
        ".boostbench-files",
    }
    assert (kept / "figure.png").read_bytes() == before["figure.png"]
    page = (kept / "table.md").read_text()
    assert "](figure.png)" in page
    lines = before["table.md"].decode().splitlines()
    rows_of_ridge = {line for line in lines if line.startswith("|") and "Ridge" in line}
    assert rows_of_ridge <= set(page.splitlines())
    # Read back and written again, the tables are those of the run except last digits of times.
    cli.well("report", str(kept), "--out", "again", "--format", "csv")
    assert Path("again/trials.csv").read_bytes() == before["trials.csv"]
    for one, other in zip(rows(Path("again/table.csv")), rows(tiny_run / "table.csv"), strict=True):
        for column, text in other.items():
            if "_s_" in column and text:
                assert float(one[column]) == pytest.approx(float(text), abs=2e-6)
            else:
                assert one[column] == text, column


def test_python_and_the_commands_read_it_like_a_run(kept: Path, cli) -> None:
    results = boostbench.load("results/tiny")
    assert results.folder == kept.resolve()
    assert results.trials["status"].tolist() == ["ok"] * 8
    assert boostbench.load(kept).trials.equals(results.trials)
    assert "8 of 8" in cli("status", "tiny").out
    sampled = cli.well("verify", "tiny", "--sample", "3", "-j1", "--offline")
    assert "3 equal bit for bit" in sampled.out


def test_trials_are_reused_from_it_and_compared_with_it(kept: Path, cli) -> None:
    done = cli.run_only("tiny.yaml", "--reuse", "results/tiny/archive", "-j1", "--offline")
    assert "8 trials taken over from results/tiny/archive" in done.err
    # The run's own results are meant by its name from now on.
    assert boostbench.load("tiny").folder == kept.resolve().parent
    assert "2 equal bit for bit" in cli("compare", "tiny", str(kept)).out


def test_its_page_is_written_beside_it(kept: Path, cli) -> None:
    before = files(kept)
    shown = cli.well("report", str(kept), "--format", "html")
    assert f"written to {kept.parent}: table.html" in shown.out
    assert files(kept) == before
    assert {path.name for path in kept.parent.iterdir()} == {
        "archive",
        "table.html",
        ".boostbench-files",
        ".boostbench-report.json",
    }
    # It is no run's: another run writes over it.
    assert boostbench.load("results/tiny").folder == kept.resolve()
    cli.well("run", "tiny.yaml", "-j1", "--offline")
    # Where a run's results are beside it, its page would be taken for theirs.
    page = (kept.parent / "table.html").read_bytes()
    text = cli.refused("report", str(kept), "--format", "html")
    assert "name a folder for it by --out" in text
    cli.well("report", str(kept))
    assert (kept.parent / "table.html").read_bytes() == page


def test_an_archive_is_written_again_with_a_new_report(kept: Path, cli) -> None:
    before = files(kept)
    (kept / "table.md").write_text("old")
    cli.well("archive", "tiny")
    assert files(kept) == before
    (kept / "old.png").write_bytes(b"mine")
    cli.well("archive", str(kept))
    assert (kept / "old.png").read_bytes() == b"mine"


def test_an_archive_with_more_is_not_replaced_unasked(kept: Path, cli) -> None:
    before = files(kept)
    cli.run_only("tiny.yaml", "--only", "method=dummy", "--only", "seed=0", "-j1", "--offline")
    text = cli.refused("archive", "tiny")
    assert "the archive in results/tiny/archive is of tiny and has 6 trials more" in text
    assert files(kept) == before
    cli.run_only(write("other", DUMMY), "-j1", "--offline")
    assert "is of tiny" in cli.refused("archive", "other", "--out", "results/tiny/archive")
    assert files(kept) == before
    shutil.rmtree(kept)
    cli.well("archive", "tiny")
    assert "8 runs, 2 finished." in (kept / "table.md").read_text()


def test_the_files_of_a_run_and_of_the_user_stay(tiny_run: Path, cli) -> None:
    before = {name: text for name, text in files(tiny_run).items() if "sqlite" not in name}
    note = cli.refused("archive", "tiny", "--out", "results/tiny")
    assert "has the results or the report of a run" in note
    cli.well("report", "tiny", "--out", "page")
    cli.refused("archive", "tiny", "--out", "page")
    after = files(tiny_run)
    assert {name: after[name] for name in before} == before
    Path("mine").mkdir()
    Path("mine/table.md").write_text("mine")
    assert "mine/table.md is in the way" in cli.refused("archive", "tiny", "--out", "mine")
    assert files(Path("mine")) == {"table.md": b"mine"}


def test_nothing_of_this_machine_is_kept(folder: Path, cli, monkeypatch) -> None:
    place = folder / "own place"
    place.mkdir()
    (place / "data.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i}\n" for i in range(40)))
    monkeypatch.chdir(place)
    fails = "raise ValueError(f\"no {__file__}, '/srv/their own/y.csv' at https://a.b/c/d\")"
    file = write("tiny", RIDGE, write_model("own_fails", fails))
    own = f"datasets=[diabetes, {{name: mine, file: {place}/data.csv, target: y}}]"
    words = ["--mirror", str(place), "--set", f"results={folder}/elsewhere", "--set", own]
    assert cli("run", f"{place}/{file}", *words, "--offline", "-j1").code == 1
    cli.well("archive", f"{folder}/elsewhere", "--out", "kept")
    record = json.loads(Path("kept/record.json").read_text())
    ((*_, words, _started, _shard, _cluster, _details),) = record["runs"]
    experiment = record["experiment"]
    assert experiment["config"] == "tiny.yaml"
    assert [entry["file"] for entry in experiment["datasets"]] == [None, "data.csv"]
    # The experiment file of the archive has the values of --set.
    assert experiment["overrides"] == []
    assert "file: ./data.csv" in Path("kept/experiment.yaml").read_text().replace('"', "")
    assert not experiment.keys() & {"results", "mirror", "offline"}
    assert json.loads(words)[:4] == ["boostbench", "run", "tiny.yaml", "--mirror"]
    for name, text in unpacked(Path("kept")).items():
        if name == "own_fails.py":
            continue
        for part in (str(folder), "own place", "srv", "their own"):
            assert part.encode() not in text, name
    page = Path("kept/table.md").read_text()
    assert "ValueError: no …" in page
    # The data file is where it was: only its folder is left out.
    assert "Changed since" not in page
    cli.well("report", "kept")


def test_a_shard_is_refused(cli) -> None:
    cli.run_only("tiny.yaml", "--shard", "1/2", "-j1", "--offline")
    text = cli.refused("archive", "results/tiny/shard-1-of-2")
    assert "has one shard of its plan: merge the shards" in text


def test_a_killed_archive_leaves_the_old_one(kept: Path, cli) -> None:
    before = files(kept)
    with mock.patch("boostbench.experiment.archiving.build_report", side_effect=KeyboardInterrupt):
        done = cli("archive", "tiny")
    assert (done.code, done.err.endswith("\nerror: interrupted\n")) == (130, True)
    assert files(kept) == before
    (kept / "record.json").unlink()
    text = "error: the archive results/tiny/archive is damaged: it lacks record.json\n"
    assert [cli.refused("verify", name) for name in ("tiny.yaml", "results/tiny/archive")] == [
        text
    ] * 2
