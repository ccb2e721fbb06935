"""What an archive hands over: enough to be judged and run elsewhere, and what changed before."""

import importlib
import json
import shutil
import sys
from pathlib import Path

import pytest
from experiments import write_model

from results import edit

_CLAIMS = """id,where,text,figures,reproduced_if
A-1,abstract,Ridge is far ahead.,"lead = lead(ridge, mean)",all(lead > 0.3)
"""
_FILE = """\
name: ours
paper: {paper}
datasets: [{{name: own, file: {data}, target: y, splits: {{test_rows: [rows/*.txt]}}}}]
methods:
  - {{name: ridge, estimator: sklearn.linear_model.Ridge}}
  - {{name: mean, estimator: sklearn.dummy.DummyRegressor}}
  - {model}
metrics: [{{name: far, function: "own_metric:far", greater_is_better: false}}]
seeds: 2
"""


def _write_paper(folder: Path) -> None:
    folder.mkdir()
    (folder / "paper.yaml").write_text(
        "title: A\nauthors: A. Author\nmetric: r2\nruns: 4\n"
        "roles: {ridge: {estimator: sklearn.linear_model.Ridge},"
        " mean: {estimator: sklearn.dummy.DummyRegressor}}\n"
    )
    (folder / "claims.csv").write_text(_CLAIMS)
    (folder / "tables.csv").write_text("table,dataset,method,r2_mean\n1,own,ridge,0.9\n")
    (folder / "paper.pdf").write_text("not handed over")


@pytest.fixture
def place(folder: Path, monkeypatch) -> Path:
    """A folder with an experiment of a paper, code, data and rows of one's own."""
    place = folder / "their work"
    place.mkdir()
    monkeypatch.chdir(place)
    _write_paper(place / "mypaper")
    (folder / "ours.csv").write_text(
        "a,b,y\n" + "".join(f"{i},{i * i % 7},{2 * i + i % 3}\n" for i in range(40))
    )
    (place / "rows").mkdir()
    for split in range(2):
        (place / f"rows/{split}.txt").write_text("\n".join(map(str, range(split, 40, 4))))
    model = write_model("own_model")
    Path("own_metric.py").write_text(
        "def far(model, X, y):\n    return abs(model.predict(X) - y).max()\n"
    )
    Path("ours.yaml").write_text(_FILE.format(paper="./mypaper", data="../ours.csv", model=model))
    _forget()
    return place


def _forget() -> None:
    """Have the modules imported again, as in another process."""
    for name in ("own_model", "own_metric"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def _archived(cli, *words: str) -> Path:
    """Run and archive the experiment; return a copy of the archive, of which all else is gone."""
    cli.run_only("ours.yaml", "--jobs", "1", "--offline", *words)
    cli.well("archive", "ours")
    home = Path.cwd().parent
    kept = Path(shutil.copytree("results/ours/archive", home / "kept"))
    shutil.rmtree(home / "their work")
    (home / "ours.csv").unlink()
    (home / "empty").mkdir()
    _forget()
    return kept


@pytest.mark.usefixtures("undrawn")
def test_an_archive_is_judged_and_run_where_nothing_else_is(cli, place, monkeypatch) -> None:
    kept = _archived(cli, "--set", "seeds=1")
    assert {path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file()} >= {
        "experiment.yaml",
        "mypaper/claims.csv",
        "mypaper/paper.yaml",
        "own_model.py",
        "own_metric.py",
        "outside/1/ours.csv",
        "rows/0.txt",
    }
    assert not (kept / "mypaper/paper.pdf").exists()
    monkeypatch.chdir(kept.parent / "empty")
    judged = cli.well("verify", str(kept)).out
    assert "1 claim of A. Author" in judged
    assert "changed" not in judged
    sampled = cli.well("verify", str(kept), "--sample", "20", "--jobs", "1")
    assert "6 equal bit for bit" in sampled.out
    again = cli.well("run", str(kept), "--jobs", "1", "--offline")
    assert "6 of 6 trials to run" in again.err
    assert "3 equal bit for bit" in cli.well("compare", str(kept), "ours").out


@pytest.mark.usefixtures("undrawn")
def test_code_of_others_in_an_archive_is_not_run_unasked(cli, place, monkeypatch) -> None:
    kept = _archived(cli)
    monkeypatch.chdir(kept.parent / "empty")
    with (kept / "own_model.py").open("a") as file:
        file.write("\n# by somebody else\n")
    text = cli.refused("verify", str(kept), "--sample", "2")
    assert "has own_model.py, which was not stored by you on this machine" in text
    compiled = kept / "compiled.pyc"
    compiled.write_bytes(b"made by somebody else")
    (kept / "own_model.py").rename(kept.parent / "apart.py")
    text = cli.refused("verify", str(kept), "--sample", "2")
    assert "has compiled.pyc, which was not stored by you on this machine" in text
    compiled.unlink()
    (kept.parent / "apart.py").rename(kept / "own_model.py")
    done = cli("verify", str(kept), "--sample", "20", "--jobs", "1", "--trust")
    assert done.code == 3
    assert "its source changed" in done.out


def test_a_receipt_has_a_digest_of_everything(cli, place) -> None:
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    digests = []
    for change in (None, "mypaper/claims.csv", "own_metric.py", "rows/0.txt"):
        if change:
            Path(change).write_text(Path(change).read_text() + "\n")
        shown = cli.well("archive", "ours").out
        receipt = json.loads(Path("results/ours/archive/receipt.json").read_text())
        digests.append(receipt["digest"])
        assert f"receipt: {receipt['digest']}\n" in shown
        assert receipt["files"].keys() >= {"experiment.yaml", "own_model.py", "outside/1/ours.csv"}
        assert receipt["data"].keys() == {"own"}
    assert len(set(digests)) == 4
    assert digests[-1] in cli.well("archive", "ours").out
    edit(
        Path("results/ours"),
        "UPDATE outcomes SET metrics = replace(metrics, '\"r2\":0.', '\"r2\":0.1')",
    )
    before = receipt
    cli.well("archive", "ours")
    after = json.loads(Path("results/ours/archive/receipt.json").read_text())
    assert before["plan"] == after["plan"]
    assert before["outcomes"] != after["outcomes"]


def test_what_is_too_large_is_left_out_and_named(cli, place, monkeypatch) -> None:
    monkeypatch.setattr("boostbench.experiment.inputs.LARGEST", 300)
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    done = cli.well("archive", "ours")
    assert "ours.csv not in it" in done.err
    assert not Path("results/ours/archive/outside").exists()


@pytest.mark.usefixtures("undrawn")
def test_a_paper_that_changes_after_the_runs_is_told_with_its_claims(cli, place) -> None:
    claims = Path("mypaper/claims.csv")
    cli("run", "ours.yaml", "--dry-run", "--offline")
    claims.write_text(_CLAIMS.replace("far ahead", "ahead"))
    cli.run_only("ours.yaml", "--jobs", "1", "--offline", "--only", "fold=0")
    # A draft without runs is free to change.
    assert "changed" not in cli.well("verify", "ours").out
    claims.write_text(
        _CLAIMS.replace("0.3", "0.02").replace("far ahead", "ahead")
        + "A-2,later,Ridge is good.,value = value(ridge),all(value > 0.4)\n"
    )
    paper = Path("mypaper/paper.yaml")
    paper.write_text(paper.read_text().replace("runs: 4", "runs: 5"))
    table = Path("mypaper/tables.csv")
    table.write_text(table.read_text().replace("0.9", "0.8"))
    # Further runs do not hide it.
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    expected = (
        "A-1 (reproduced_if all(lead > 0.3) -> all(lead > 0.02)), A-2 is new",
        "paper.yaml of the paper, between",
        "runs (4 -> 5)",
        "1 own ridge (r2_mean)",
    )
    cli.well("archive", "ours")
    for words in (("verify", "ours"), ("status", "ours"), ("verify", "results/ours/archive")):
        shown = cli.well(*words).out
        assert [text for text in expected if text not in shown] == []
    assert len(json.loads(cli.well("verify", "ours", "--json").out)["changed"]) == 3


def test_the_page_tells_of_a_changed_paper(cli, place) -> None:
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    claims = Path("mypaper/claims.csv")
    claims.write_text(_CLAIMS.replace("0.3", "0.02"))
    cli.well("report", "ours", "--format", "md,html", "--out", "page")
    for name in ("table.md", "table.html"):
        assert "when the runs began" in Path("page", name).read_text()


@pytest.mark.usefixtures("undrawn")
def test_a_paper_that_is_named_after_the_runs_is_told(cli, place) -> None:
    file = Path("ours.yaml")
    file.write_text(file.read_text().replace("paper: ./mypaper\n", ""))
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    file.write_text(file.read_text() + "paper: ./mypaper\n")
    cli.run_only("ours.yaml", "--jobs", "1", "--offline")
    shown = cli.well("verify", "ours").out
    assert "the paper ./mypaper was named after the runs began on" in shown
