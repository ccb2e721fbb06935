"""Shards run by themselves, and what `boostbench merge` makes and says of them."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from boostbench.report.build import build_report
from boostbench.store.store import Store
from results import TINY, edit

SHARDS = tuple(f"results/tiny/shard-{i}-of-3" for i in (1, 2, 3))


@pytest.fixture
def shards(ran, undrawn: None) -> Path:
    """The results folder of ``tiny.yaml`` with three finished shards and nothing else."""
    return ran(TINY, *(f"--shard {i}/3 -j 1 --offline" for i in (1, 2, 3)))


def page_of(folder: Path) -> str:
    """Return the Markdown of a report made now."""
    with Store.read(folder) as store:
        build_report(store, folder / "page", ["md"])
    return (folder / "page" / "table.md").read_text()


def test_shards_merged_are_the_run_in_one_piece(cli, shards: Path, finished: Path) -> None:
    done = cli.well("merge", *SHARDS)
    assert "merged 3 stores into results/tiny: 8 of 8 trials, 8 of them new there" in done.out
    assert (shards / "trials.csv").read_bytes() == (finished / "trials.csv").read_bytes()
    page = page_of(shards)
    more = (SHARDS[2], f"{SHARDS[0]}/store.sqlite", SHARDS[1], SHARDS[0], str(shards))
    again = cli.well("merge", *more)
    assert "merged 4 stores into results/tiny: 8 of 8 trials, 0 of them new there" in again.out
    assert (shards / "trials.csv").read_bytes() == (finished / "trials.csv").read_bytes()
    assert page_of(shards) == page
    for i in (1, 2, 3):
        assert f"| boostbench run tiny.yaml --shard {i}/3 -j 1 --offline | {i}/3 |" in page
    status = cli("status", "tiny.yaml")
    assert "tiny: 8 of 8 trials done (8 ok); results in results/tiny" in status.out
    assert "nothing was missing; trials: 8 ok" in cli("run", "tiny.yaml").out


def test_a_shard_says_that_it_is_one(cli, shards: Path) -> None:
    first = shards / "shard-1-of-3"
    rows = (first / "trials.csv").read_text().splitlines()
    assert len(rows) == 1 + 3
    assert all(",ok," in row for row in rows[1:])
    assert "Shard 1/3 of the plan: `boostbench merge`" in page_of(first)
    assert "tiny: 3 of 3 trials of shard 1/3 done (3 ok)" in cli("status", SHARDS[0]).out
    assert sorted(re.findall(r"results/tiny/\S+ +(\d+)", cli("status").out)) == ["2", "3", "3"]
    for i, folder in enumerate(SHARDS, 1):
        row = Path(folder, "trials.csv").read_text().splitlines()[1]
        trial = "/".join(row.split(",")[:4])
        shown = cli("show", trial).out
        assert shown.startswith(f"{trial}: ok")
        assert re.search(rf"^  results +{folder}$", shown, re.MULTILINE)
        assert f"boostbench run tiny.yaml --shard {i}/3 -j 1 --offline" in shown
        assert f"run it again: boostbench run tiny.yaml --offline --shard {i}/3 --only" in shown
    assert cli("show", trial, "--in", SHARDS[0]).code == 2
    again = cli.well("run", "tiny.yaml", "--shard", "2/3")
    assert "nothing was missing; trials of shard 2/3: 3 ok" in again.out
    assert "boostbench merge results/tiny/shard-*" in cli.refused("status", "tiny.yaml")


def test_missing_trials_are_reported_with_their_command(cli, shards, finished) -> None:
    shutil.rmtree(shards / "shard-2-of-3")
    part = cli("merge", SHARDS[0], SHARDS[2])
    assert part.code == 1
    assert "merged 2 stores into results/tiny: 5 of 8 trials" in part.out
    assert "3 of 8 trials missing, of diabetes" in part.err
    (line,) = re.findall(r"those of shard 2/3: boostbench (.*), and merge again", part.err)
    assert line == "run tiny.yaml --offline --shard 2/3"
    # A folder whose name is a number is still a folder.
    elsewhere = cli("merge", SHARDS[0], SHARDS[2], "--into", "2024")
    assert "run them with: boostbench run tiny.yaml --set results=./2024 --offline" in elsewhere.err
    cli.well(*line.split(), "--jobs", "1")
    cli.well("merge", SHARDS[1])
    assert (shards / "trials.csv").read_bytes() == (finished / "trials.csv").read_bytes()


def test_failures_and_environments_are_reported(cli, shards: Path) -> None:
    edit(
        shards / "shard-2-of-3",
        "UPDATE outcomes SET status = 'error' WHERE trial LIKE '%Ridge%'",
        "UPDATE environments SET id = 'other', description = "
        "json_set(description, '$.packages.numpy', '1.0', '$.cpu', 'another')",
        "UPDATE outcomes SET environment_id = 'other'",
    )
    done = cli("merge", *SHARDS)
    assert done.code == 1
    assert re.search(r"ran in different environments: cpu .* -> another, numpy ", done.err)
    assert "1 trial failed; see them with: boostbench status results/tiny; " in done.err
    assert "run them again with: boostbench run tiny.yaml --offline --retry-failed" in done.err
    done = cli("merge", "results/tiny", "--into", "else where")
    assert "1 trial failed; see them with: boostbench status 'else where'; " in done.err


def test_stores_that_cannot_be_merged_are_one_sentence(cli, shards: Path) -> None:
    Path("notes.txt").write_text("")
    Path("empty").mkdir()
    for argument, sentence in [
        ("absent", "there is no folder results/absent"),
        ("notes.txt", "notes.txt"),
        ("empty", "there are no results in empty yet"),
        ("results/tiny", "boostbench merge results/tiny/shard-*"),
    ]:
        assert sentence in cli.refused("merge", argument, "--into", "new")
    edit(shards / "shard-2-of-3", "UPDATE outcomes SET metrics = '{\"r2\":0.5}'")
    with sqlite3.connect(shards / "shard-1-of-3" / "store.sqlite") as db:
        db.execute("ATTACH ? AS two", (str(shards / "shard-2-of-3" / "store.sqlite"),))
        db.execute("INSERT INTO outcomes SELECT * FROM two.outcomes")
        db.execute("UPDATE outcomes SET metrics = '{\"r2\":0.25}', digest = ''")
    db.close()
    text = cli.refused("merge", *SHARDS, "--into", "new")
    assert re.search(r"diabetes/\w+/\d/\d came out differently in .*r2 is 0.25 and 0.5", text)
    assert not Path("new").exists()


@pytest.mark.parametrize("shard", ["0/3", "4/3", "x/y"])
def test_a_malformed_shard_is_refused(cli, folder: Path, shard: str) -> None:
    text = cli.refused("run", "tiny.yaml", f"--shard={shard}")
    assert f"--shard {shard}: give I/N, the number of this shard, from 1 to N" in text
    assert not (folder / "results").exists()


def test_more_shards_than_trials_and_a_shard_of_a_selection(cli, undrawn: None) -> None:
    empty = cli.well("run", "tiny.yaml", "--shard", "9/9")
    assert "nothing was missing; trials of shard 9/9: none" in empty.out
    dry = cli("run", "tiny.yaml", "--shard", "3/5", "--dry-run")
    assert "shard 3/5), 0 done, 2 to run" in dry.out
    # Positions are those of the whole plan, whatever --only leaves out.
    one = cli.well("run", "tiny.yaml", "--shard", "3/5", "--only", "method=dummy", "-j", "1")
    assert "1 of 1 trial to run" in one.err
    with Store.read(Path("results/tiny/shard-3-of-5")) as store:
        assert len(store.plan()) == 8
        assert [store.plan().index(trial) for trial in store.part()] == [2, 7]
        assert list(store.outcomes()) == [store.plan()[7].key]
    status = cli("status", "results/tiny/shard-3-of-5").out
    assert "1 of 2 trials of shard 3/5 done (1 ok)" in status
    assert "resume with: boostbench run tiny.yaml --shard 3/5 --jobs 1\n" in status


def test_a_folder_in_use_cannot_be_merged_into(cli, shards: Path) -> None:
    with Store.open(Path(SHARDS[1])):
        text = cli.refused("merge", *SHARDS, "--into", SHARDS[1])
        assert f"{SHARDS[1]} is in use by another run (process " in text
        cli.well("merge", *SHARDS)
