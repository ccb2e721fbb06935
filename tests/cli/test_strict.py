"""A run that resumes in another environment says so; with --strict it refuses."""

import re
import subprocess
from pathlib import Path

import pytest

from boostbench.report.build import build_report
from boostbench.store.store import Store
from results import edit

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


def test_a_changed_environment_is_noted_and_strict_refuses(cli, elsewhere, undrawn) -> None:
    more = ("run", "tiny.yaml", "-j", "1", "--set", "seeds=3", "--only", "method=dummy")
    said = f"the environment has changed since 8 recorded trials ran: {CHANGED}; "
    for words in (more, (*more, "--dry-run")):
        text = cli.refused(*words, "--strict")
        assert re.fullmatch(rf"error: --strict: {said}nothing was run: .*\n", text)
    dry = cli.well(*more, "--dry-run")
    assert "6 trials" in dry.out
    with Store.read(elsewhere) as store:
        assert (len(store.plan()), len(store.outcomes()), len(store.runs())) == (8, 8, 1)
    for err in (dry.err, cli.well(*more).err):
        (line,) = [line for line in err.splitlines() if "environment" in line]
        assert re.match(rf"{said}results may", line)
    with Store.read(elsewhere) as store:
        assert len(store.environments()) == len(store.runs()) == 2
        assert store.runs()[1].command[:3] == ["boostbench", "run", "tiny.yaml"]


def test_strict_runs_if_nothing_changed_or_all_trials_run_again(
    cli, tiny_run: Path, undrawn
) -> None:
    edit(
        tiny_run,
        "UPDATE environments SET id = 'other', description = '{\"cpu\":\"another\"}'",
        "UPDATE outcomes SET environment_id = 'other' WHERE json_extract(trial, '$.seed') = 1",
    )
    # Trials that only the other environment has run are run again: nothing is mixed.
    cli.well("run", "tiny.yaml", "--strict", "-j", "1")
    text = cli.refused("run", "tiny.yaml", "--strict", "--again", "--only", "seed=0")
    assert "since 4 recorded trials ran: cpu another -> " in text
    done = cli.well("run", "tiny.yaml", "--strict", "--again", "--only", "seed=1", "-j", "1")
    assert "environment" not in done.err


def _git(*arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def test_commands_and_commits_are_kept_and_shown(cli, folder: Path, undrawn: None) -> None:
    _git("init", "-q")
    _git("add", "tiny.yaml")
    _git("commit", "-q", "-m", "first")
    first = ("run", str(folder / "tiny.yaml"), "-j", "1", "--set", f"results={folder}/here")
    cli.well(*first, "--only", "seed=0", "--only", "method=dummy")
    with (folder / "tiny.yaml").open("a") as file:
        file.write("description: More words.\n")
    _git("commit", "-q", "-a", "-m", "second")
    with (folder / "tiny.yaml").open("a") as file:
        file.write("curves: true\n")
    # A commit is no reason to refuse.
    cli.well(*first, "--only", "seed=1", "--only", "method=dummy", "--strict")
    with Store.read(folder / "here") as store:
        build_report(store, folder / "here", ["md", "html"])
    page, html = ((folder / "here" / f"table.{kind}").read_text() for kind in ("md", "html"))
    assert "Command lines" in html
    assert str(folder) not in page + html
    lines = [line for line in page.splitlines() if line.startswith("| boostbench run")]
    shown = [re.sub(r"\b[0-9a-f]{12}\b", "#", line).rpartition(" | Pyth")[0] for line in lines]
    line = "| boostbench run tiny.yaml -j 1 --set results=here --only seed={} --only method=dummy "
    assert shown == [line.format(0) + "| # | #", line.format(1) + "--strict | # with changes | #"]
    shown = cli("show", "diabetes/dummy/0/1", "--in", "here").out
    assert re.search(r"  commit +[0-9a-f]{12} with changes\n", shown)
    assert f"results={folder}/here --only seed=1" in shown
