"""Files of the user's beside the results: never deleted, never replaced, whatever is run."""

import subprocess
import sys
from pathlib import Path

import pytest
from experiments import DUMMY, write

from boostbench.outputs import RECORD, OutputFolder


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_run_that_fails_takes_nothing_away(cli, folder: Path) -> None:
    write("mine", DUMMY, data="{name: mine, file: store.csv, target: label}", results=".")
    (folder / "store.csv").write_text("a,label\n1,x\n2,y\n3,x\n")
    (folder / "store.notes.txt").write_text("mine")
    (folder / "store.sqlite.bak").write_text("mine too")
    before = _files(folder)
    assert "text in the target" in cli.refused("run", "mine.yaml", code=4)
    assert _files(folder) == before


@pytest.mark.parametrize("name", ["trials.csv", "mine.png"])
def test_a_run_replaces_no_file_of_the_users(cli, folder: Path, name: str) -> None:
    write("mine", DUMMY, results=".")
    (folder / name).write_text("mine")
    before = _files(folder)
    text = cli.refused("run", "mine.yaml", "-j", "1")
    assert f"error: {name} is in the way: boostbench did not write it" in text
    # A run has no option for another folder.
    assert text.endswith("or name another folder as `results` in the experiment file\n")
    assert _files(folder) == before
    (folder / name).rename(folder / "mine.txt")
    cli.run_only("mine.yaml", "-j", "1")
    # A run replaces the files of an earlier run.
    cli.run_only("mine.yaml", "-j", "1", "--again")
    assert (folder / "mine.txt").read_text() == "mine"


def test_a_report_replaces_and_removes_no_file_of_the_users(cli, tiny_run: Path) -> None:
    out = tiny_run.parent / "out"
    out.mkdir()
    (out / "curves.csv").write_text("mine")
    cli.well("report", "tiny", "-f", "csv", "--out", str(out))
    assert (out / "curves.csv").read_text() == "mine"
    (out / "table.md").write_text("mine")
    before = _files(out)
    text = cli.refused("report", "tiny", "-f", "html,md", "--out", str(out))
    assert "table.md is in the way" in text
    assert text.endswith("or name another folder by --out\n")
    assert _files(out) == before
    cli.well("report", "tiny", "-f", "csv", "--out", str(out))
    other = tiny_run.parent / "other"
    other.mkdir()
    (other / "trials.csv").write_text("mine")
    text = cli.refused("report", "tiny", "-f", "csv,md", "--out", str(other))
    assert "trials.csv is in the way" in text
    assert [path.name for path in other.iterdir()] == ["trials.csv"]


def test_without_a_record_nothing_is_taken_for_boostbenchs(cli, tiny_run: Path) -> None:
    (tiny_run / RECORD).unlink()
    before = (tiny_run / "table.md").read_bytes()
    assert "is in the way" in cli.refused("run", "tiny.yaml", "--again")
    assert (tiny_run / "table.md").read_bytes() == before
    # Nothing is written where there is nothing to do.
    assert "nothing was missing" in cli.well("run", "tiny.yaml").out
    assert not (tiny_run / RECORD).exists()


def test_a_foreign_store_is_refused_and_gets_no_lock(cli, folder: Path) -> None:
    (folder / "there").mkdir()
    (folder / "there" / "store.sqlite").write_text("a database of another program, or a note" * 9)
    before = _files(folder / "there")
    text = cli.refused("run", "tiny.yaml", "--set", "results=there")
    assert "is not a store of boostbench" in text
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
