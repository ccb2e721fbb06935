"""Files of the user's beside the results: never deleted, never replaced, whatever is run."""

import subprocess
import sys
from pathlib import Path

import pytest

from boostbench.outputs import RECORD, OutputFolder

HERE = """\
name: here
results: .
datasets: [{datasets}]
methods: [{{estimator: sklearn.dummy.DummyRegressor}}]
folds: 2
seeds: 1
"""
UNUSABLE = "{name: mine, file: store.csv, target: label}"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_run_that_fails_takes_nothing_away(cli, folder: Path) -> None:
    (folder / "mine.yaml").write_text(HERE.format(datasets=UNUSABLE))
    (folder / "store.csv").write_text("a,label\n1,x\n2,y\n3,x\n")
    (folder / "store.notes.txt").write_text("mine")
    (folder / "store.sqlite.bak").write_text("mine too")
    before = _files(folder)
    done = cli("run", "mine.yaml")
    assert (done.code, "text in the target" in done.err) == (4, True)
    assert _files(folder) == before


@pytest.mark.parametrize("name", ["trials.csv", "here.png"])
def test_a_run_replaces_no_file_of_the_users(cli, folder: Path, name: str) -> None:
    (folder / "mine.yaml").write_text(HERE.format(datasets="diabetes"))
    (folder / name).write_text("mine")
    before = _files(folder)
    done = cli("run", "mine.yaml", "-j", "1")
    assert done.code == 2
    assert f"error: {name} is in the way: boostbench did not write it" in done.err
    assert _files(folder) == before
    (folder / name).rename(folder / "mine.txt")
    assert cli("run", "mine.yaml", "-j", "1").code == 0
    # What a run wrote, the next one replaces.
    assert cli("run", "mine.yaml", "-j", "1", "--again").code == 0
    assert (folder / "mine.txt").read_text() == "mine"


def test_a_report_replaces_and_removes_no_file_of_the_users(cli, tiny_run: Path) -> None:
    out = tiny_run.parent / "out"
    out.mkdir()
    (out / "curves.csv").write_text("mine")
    done = cli("report", "tiny", "-f", "csv", "--out", str(out))
    assert done.code == 0, done.err
    assert (out / "curves.csv").read_text() == "mine"
    (out / "table.md").write_text("mine")
    before = _files(out)
    refused = cli("report", "tiny", "-f", "html,md", "--out", str(out))
    assert (refused.code, "table.md is in the way" in refused.err) == (2, True)
    assert _files(out) == before
    assert cli("report", "tiny", "-f", "csv", "--out", str(out)).code == 0
    other = tiny_run.parent / "other"
    other.mkdir()
    (other / "trials.csv").write_text("mine")
    refused = cli("report", "tiny", "-f", "csv,md", "--out", str(other))
    assert (refused.code, "trials.csv is in the way" in refused.err) == (2, True)
    assert [path.name for path in other.iterdir()] == ["trials.csv"]


def test_without_a_record_nothing_is_taken_for_boostbenchs(cli, tiny_run: Path) -> None:
    (tiny_run / RECORD).unlink()
    before = (tiny_run / "table.md").read_bytes()
    refused = cli("run", "tiny.yaml")
    assert (refused.code, "is in the way" in refused.err) == (2, True)
    assert (tiny_run / "table.md").read_bytes() == before


def test_a_foreign_store_is_refused_and_gets_no_lock(cli, folder: Path) -> None:
    (folder / "there").mkdir()
    (folder / "there" / "store.sqlite").write_text("a database of another program, or a note" * 9)
    before = _files(folder / "there")
    refused = cli("run", "tiny.yaml", "--set", "results=there")
    assert (refused.code, "is not a store of boostbench" in refused.err) == (2, True)
    assert _files(folder / "there") == before


def test_two_processes_record_their_files_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from boostbench.outputs import OutputFolder\n"
        "for i in range(200): OutputFolder(Path('.')).write({f'{sys.argv[1]}{i}': b'x'})"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, n], cwd=tmp_path) for n in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    names = (tmp_path / RECORD).read_text().splitlines()
    assert {f"{n}{i}" for n in "ab" for i in range(200)} <= set(names)
    OutputFolder(tmp_path).check([f"{n}{i}" for n in "ab" for i in range(200)])


def test_a_name_recorded_before_the_head_counts(tmp_path: Path) -> None:
    # So it is where another process has made the record and not yet written to it.
    (tmp_path / RECORD).touch()
    OutputFolder(tmp_path).write({"first": b"x"})
    (tmp_path / "other").mkdir()
    OutputFolder(tmp_path / "other").write({"second": b"x"})
    with (tmp_path / RECORD).open("a") as record:
        record.write((tmp_path / "other" / RECORD).read_text())
    (tmp_path / "second").touch()
    OutputFolder(tmp_path).check(["first", "second"])
    assert OutputFolder(tmp_path).names() == ["first", "second"]
