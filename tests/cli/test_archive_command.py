"""``boostbench archive``: results kept with their report, and read like those of a run."""

import json
import lzma
import shutil
from pathlib import Path

import pytest
from helpers.results import TINY, files, rows

import boostbench


@pytest.fixture
def kept(tiny_run: Path, cli) -> Path:
    """An archive of the tiny run, of which nothing else is left."""
    assert cli("archive", "tiny").code == 0
    for path in tiny_run.iterdir():
        if path.name != "archive":
            path.unlink()
    return tiny_run / "archive"


def unpacked(folder: Path) -> dict[str, bytes]:
    return {n: lzma.decompress(t) if n.endswith(".xz") else t for n, t in files(folder).items()}


def test_an_archive_has_the_report_of_the_run(tiny_run: Path, cli) -> None:
    before = files(tiny_run)
    done = cli("archive", "tiny")
    assert done.code == 0
    assert "written to results/tiny/archive: 5 files" in done.out
    kept = tiny_run / "archive"
    assert {path.name for path in kept.iterdir()} == {
        "trials.csv", "times.csv.xz", "record.json", "table.md", "figure.png", ".boostbench-files",
    }  # fmt: skip
    assert (kept / "figure.png").read_bytes() == before["figure.png"]
    page = (kept / "table.md").read_text()
    assert "](figure.png)" in page
    lines = before["table.md"].decode().splitlines()
    rows_of_ridge = {line for line in lines if line.startswith("|") and "Ridge" in line}
    assert rows_of_ridge <= set(page.splitlines())
    # Read back and written again, the tables are those of the run but for the last digits of times.
    assert cli("report", str(kept), "--out", "again", "--format", "csv").code == 0
    assert Path("again/trials.csv").read_bytes() == before["trials.csv"]
    for one, other in zip(rows(Path("again/table.csv")), rows(tiny_run / "table.csv"), strict=True):
        for column, text in other.items():
            if "_s_" in column and text:
                assert float(one[column]) == pytest.approx(float(text), abs=2e-6)
            else:
                assert one[column] == text, column


def test_python_and_the_commands_read_it_like_a_run(kept: Path, cli, tiny_run: Path) -> None:
    results = boostbench.load("results/tiny")
    assert results.folder == kept.resolve()
    assert results.trials["status"].tolist() == ["ok"] * 8
    assert boostbench.load(kept).trials.equals(results.trials)
    assert "8 of 8" in cli("status", "tiny").out
    sampled = cli("verify", "tiny", "--sample", "3", "-j1", "--offline")
    assert sampled.code == 0
    assert "3 equal bit for bit" in sampled.out


def test_trials_are_reused_from_it_and_compared_with_it(kept: Path, cli) -> None:
    there = "results/tiny/archive"
    done = cli("run", "tiny.yaml", "--reuse", there, "-j1", "--offline")
    assert done.code == 0
    assert "8 trials taken over from results/tiny/archive" in done.err
    # The run's own results are meant by its name from now on.
    assert boostbench.load("tiny").folder == kept.resolve().parent
    assert "2 equal bit for bit" in cli("compare", "tiny", str(kept)).out


def test_its_page_is_written_beside_it(kept: Path, cli) -> None:
    before = files(kept)
    shown = cli("report", str(kept), "--format", "html")
    assert shown.code == 0
    assert f"written to {kept.parent}: table.html" in shown.out
    assert files(kept) == before
    assert {path.name for path in kept.parent.iterdir()} == {
        "archive", "table.html", ".boostbench-files",
    }  # fmt: skip
    # It is no run's: another run writes over it.
    assert boostbench.load("results/tiny").folder == kept.resolve()
    assert cli("run", "tiny.yaml", "-j1", "--offline").code == 0
    # Where a run's results are beside it, its page would be taken for theirs.
    page = (kept.parent / "table.html").read_bytes()
    refused = cli("report", str(kept), "--format", "html")
    assert refused.code == 2
    assert "name a folder for it by --out" in refused.err
    assert cli("report", str(kept)).code == 0
    assert (kept.parent / "table.html").read_bytes() == page


def test_an_archive_is_written_again_with_a_new_report(kept: Path, cli) -> None:
    before = files(kept)
    (kept / "table.md").write_text("old")
    assert cli("archive", "tiny").code == 0
    assert files(kept) == before
    (kept / "old.png").write_bytes(b"mine")
    assert cli("archive", str(kept)).code == 0
    assert (kept / "old.png").read_bytes() == b"mine"


def test_an_archive_with_more_is_not_replaced_unasked(kept: Path, cli, folder: Path) -> None:
    before = files(kept)
    one = ["--only", "method=dummy", "--only", "seed=0", "-j1", "--offline"]
    assert cli("run", "tiny.yaml", *one).code == 0
    refused = cli("archive", "tiny")
    assert refused.code == 2
    assert "the archive in results/tiny/archive is of tiny and has 6 trials more" in refused.err
    assert files(kept) == before
    Path("other.yaml").write_text(Path("tiny.yaml").read_text().replace("tiny", "other"))
    assert cli("run", "other.yaml", "-j1", "--offline").code == 0
    refused = cli("archive", "other", "--out", "results/tiny/archive")
    assert refused.code == 2
    assert "is of tiny" in refused.err
    assert files(kept) == before
    shutil.rmtree(kept)
    assert cli("archive", "tiny").code == 0
    assert "8 runs, 2 finished." in (kept / "table.md").read_text()


def test_the_files_of_a_run_stay(tiny_run: Path, cli) -> None:
    before = {name: text for name, text in files(tiny_run).items() if "sqlite" not in name}
    refused = cli("archive", "tiny", "--out", "results/tiny")
    assert refused.code == 2
    assert "has the results or the report of a run" in refused.err
    assert cli("report", "tiny", "--out", "page").code == 0
    assert cli("archive", "tiny", "--out", "page").code == 2
    after = files(tiny_run)
    assert {name: after[name] for name in before} == before


DATA = "a,b,y\n" + "".join(f"{i},{i % 3},{i}\n" for i in range(40))


def test_nothing_of_this_machine_is_kept(folder: Path, cli) -> None:
    mirror = folder / "my mirror"
    mirror.mkdir()
    (mirror / "data.csv").write_text(DATA)
    own = f"datasets=[diabetes, {{name: mine, file: {mirror}/data.csv, target: y}}]"
    words = ["--mirror", str(mirror), "--set", f"results={folder}/elsewhere", "--set", own]
    assert cli("run", str(folder / "tiny.yaml"), *words, "--offline", "-j1").code == 0
    assert cli("archive", f"{folder}/elsewhere", "--out", "kept").code == 0
    record = json.loads(Path("kept/record.json").read_text())
    experiment, ((*_, words, _started, _shard, _cluster, _details),) = (
        record["experiment"],
        record["runs"],
    )
    assert experiment["config"] == "tiny.yaml"
    assert [entry["file"] for entry in experiment["datasets"]] == [None, "data.csv"]
    assert experiment["overrides"][1] == "datasets=[diabetes, {name: mine, file: …"
    assert not experiment.keys() & {"results", "mirror", "offline"}
    assert json.loads(words)[:4] == ["boostbench", "run", "tiny.yaml", "--mirror"]
    for name, text in unpacked(Path("kept")).items():
        assert str(folder).encode() not in text, name
        assert b"my mirror" not in text, name
    assert cli("report", "kept").code == 0


def test_nothing_of_this_machine_is_kept_of_own_code_and_failures(
    folder: Path, cli, monkeypatch
) -> None:
    place = folder / "own place"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "own_fails.py").write_text(
        "import os\n"
        "from sklearn.dummy import DummyRegressor\n"
        "class Fails(DummyRegressor):\n"
        "    def fit(self, X, y):\n"
        "        here = os.path.abspath('x.csv')\n"
        "        raise ValueError(f\"no {here}, '/srv/their own/y.csv' at https://a.b/c/d\")\n"
    )
    (place / "data.csv").write_text(DATA)
    text = TINY.replace("sklearn.dummy.DummyRegressor", "own_fails.Fails")
    text = text.replace("[diabetes]", "[{name: mine, file: '../own place/data.csv', target: y}]")
    (place / "tiny.yaml").write_text(text)
    assert cli("run", "tiny.yaml", "-j1", "--offline").code == 1
    kept = Path("kept")
    assert cli("archive", "tiny", "--out", "kept").code == 0
    for name, text in unpacked(kept).items():
        for part in (str(folder), "own place", "srv", "their own"):
            assert part.encode() not in text, name
    assert "ValueError: no …" in (kept / "table.md").read_text()
    # The data file is where it was: only its folder is left out.
    assert "Changed since" not in (kept / "table.md").read_text()


def test_a_file_of_the_users_is_not_replaced(tiny_run: Path, cli) -> None:
    out = Path("mine")
    out.mkdir()
    (out / "table.md").write_text("mine")
    refused = cli("archive", "tiny", "--out", "mine")
    assert refused.code == 2
    assert "mine/table.md is in the way" in refused.err
    assert files(out) == {"table.md": b"mine"}


def test_a_shard_and_no_results_are_refused(folder: Path, cli) -> None:
    assert cli("run", "tiny.yaml", "--shard", "1/2", "-j1", "--offline").code == 0
    refused = cli("archive", "results/tiny/shard-1-of-2")
    assert refused.code == 2
    assert "has one shard of its plan: merge the shards" in refused.err
    nothing = cli("run", "tiny.yaml", "--only", "seed=0", "--only", "fold=0", "-j1", "--offline")
    assert nothing.code == 0
    done = cli("archive", "tiny")
    assert done.code == 0
    page = Path("results/tiny/archive/table.md").read_text()
    assert "8 runs, 2 finished." in page


def test_a_killed_archive_leaves_the_old_one(kept: Path, cli, monkeypatch) -> None:
    before = files(kept)
    shutil.copytree(kept, "copy")

    def fails(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boostbench.experiment.archiving.build_report", fails)
    assert cli("archive", "tiny").code == 130
    assert files(kept) == before
