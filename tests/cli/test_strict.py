"""A run that goes on in another environment says so; with --strict it does not go on."""

import re
import sqlite3
import subprocess
from pathlib import Path

import pytest
from helpers.results import edit

from boostbench.report.build import build_report
from boostbench.store.store import Store

CHANGED = r"numpy 1\.0 -> \S+, cpu another -> .+"


@pytest.fixture
def elsewhere(tiny_run: Path) -> Path:
    """The finished run, as if of another machine."""
    edit(
        tiny_run,
        "UPDATE environments SET description = "
        "json_set(description, '$.packages.numpy', '1.0', '$.cpu', 'another'), id = 'other'",
        "UPDATE outcomes SET environment_id = 'other'",
    )
    return tiny_run


def test_a_changed_environment_is_said_and_strict_refuses(
    cli, elsewhere: Path, undrawn: None
) -> None:
    more = ("run", "tiny.yaml", "-j", "1", "--set", "seeds=3", "--only", "method=dummy")
    refused = cli(*more, "--strict")
    assert refused.code == 2
    assert re.fullmatch(
        rf"error: --strict: the environment has changed since 8 recorded trials ran: {CHANGED}; "
        r"nothing was run: .*\n",
        refused.err,
    )
    with Store.open(elsewhere, create=False, read_only=True) as store:
        assert (len(store.plan()), len(store.outcomes()), len(store.runs())) == (8, 8, 1)
    done = cli(*more)
    assert done.code == 0
    (line,) = [line for line in done.err.splitlines() if "environment" in line]
    assert re.match(
        rf"the environment has changed since 8 recorded trials ran: {CHANGED}; results may", line
    )
    with Store.open(elsewhere, create=False, read_only=True) as store:
        assert len(store.environments()) == len(store.runs()) == 2
        assert store.runs()[1].command[:3] == ["boostbench", "run", "tiny.yaml"]


def test_strict_goes_on_where_nothing_has_changed_or_all_is_run_anew(
    cli, tiny_run: Path, undrawn: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tiny_run / "store.sqlite") as db:
        db.execute("UPDATE environments SET id = 'other', description = '{\"cpu\":\"another\"}'")
        db.execute(
            "UPDATE outcomes SET environment_id = 'other' WHERE json_extract(trial, '$.seed') = 1"
        )
    db.close()
    # What only the other environment has left is run anew: nothing is mixed.
    assert cli("run", "tiny.yaml", "--strict", "-j", "1").code == 0
    refused = cli("run", "tiny.yaml", "--strict", "--again", "--only", "seed=0")
    assert refused.code == 2
    assert "since 4 recorded trials ran: cpu another -> " in refused.err
    done = cli("run", "tiny.yaml", "--strict", "--again", "--only", "seed=1", "-j", "1")
    assert done.code == 0
    assert "environment" not in done.err


def _git(*arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def test_commands_and_commits_are_kept_and_shown(cli, folder: Path, undrawn: None) -> None:
    _git("init", "-q")
    _git("add", "tiny.yaml")
    _git("commit", "-q", "-m", "first")
    first = ("run", str(folder / "tiny.yaml"), "-j", "1", "--set", f"results={folder}/here")
    assert cli(*first, "--only", "seed=0", "--only", "method=dummy").code == 0
    with (folder / "tiny.yaml").open("a") as file:
        file.write("description: More words.\n")
    _git("commit", "-q", "-a", "-m", "second")
    with (folder / "tiny.yaml").open("a") as file:
        file.write("curves: true\n")
    strict = cli(*first, "--only", "seed=1", "--only", "method=dummy", "--strict")
    assert strict.code == 0  # a commit is no reason to refuse
    with Store.open(folder / "here", create=False, read_only=True) as store:
        build_report(store, folder / "here", ["md", "html"])
    page = (folder / "here" / "table.md").read_text()
    assert str(folder) not in page
    lines = [line for line in page.splitlines() if line.startswith("| boostbench run")]
    shown = [re.sub(r"\b[0-9a-f]{12}\b", "#", line).rpartition(" | Pyth")[0] for line in lines]
    assert shown == [
        "| boostbench run tiny.yaml -j 1 --set results=here --only seed=0 --only method=dummy "
        "| # | #",
        "| boostbench run tiny.yaml -j 1 --set results=here --only seed=1 --only method=dummy "
        "--strict | # with changes | #",
    ]
    html = (folder / "here" / "table.html").read_text()
    assert "Command lines" in html
    assert str(folder) not in html
    shown = cli("show", "diabetes/dummy/0/1", "--in", "here").out
    assert re.search(r"  commit +[0-9a-f]{12} with changes\n", shown)
    assert f"results={folder}/here --only seed=1" in shown


def test_a_dry_run_says_what_the_run_would(cli, elsewhere: Path) -> None:
    more = ("run", "tiny.yaml", "--set", "seeds=3", "--only", "method=dummy", "--dry-run")
    done = cli(*more)
    assert (done.code, "6 trials" in done.out) == (0, True)
    assert re.search(rf"changed since 8 recorded trials ran: {CHANGED}; results may", done.err)
    refused = cli(*more, "--strict")
    assert (refused.code, refused.out) == (2, "")
    assert "nothing was run" in refused.err
