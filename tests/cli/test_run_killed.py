"""``boostbench run`` killed at any moment, also while it exports and reports; then run again.

``BOOSTBENCH_STRESS=20 pytest tests/cli/test_run_killed.py`` kills that often.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

STRESS = int(os.environ.get("BOOSTBENCH_STRESS", "1"))
# Kills itself when it is about to put the Nth file of the results folder in its place.
DIES = """\
import os, signal, sys
left = int(sys.argv.pop(1))
def hook(event, arguments):
    global left
    if event == "os.rename" and "results" in str(arguments[1]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
from boostbench.cli.app import main
main(sys.argv[1:])
"""
FILES = ("trials.csv", "table.csv", "table.tex")

pytestmark = pytest.mark.timeout(300 + 30 * STRESS)


def _recorded(folder: Path) -> dict[str, tuple[object, ...]]:
    path = folder / "store.sqlite"
    if not path.exists():
        return {}
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return {row[0]: row for row in database.execute("SELECT * FROM outcomes")}
    except sqlite3.OperationalError:
        # Killed before the tables were made.
        return {}
    finally:
        database.close()


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}


def test_files_are_old_or_new_when_killed_in_the_report(cli, tiny_run: Path) -> None:
    old = _contents(tiny_run)
    kept = _recorded(tiny_run)
    command = ["run", "tiny.yaml", "--in-process", "--set", "seeds=3"]
    # Without the figures, which take most of the time.
    report = ["report", "tiny.yaml", "-f", "csv,latex"]
    states = []
    calls = [(1, command), (3, report)]
    for number, words in calls + [(n, command) for n in range(2, 9)] * (STRESS > 1):
        done = subprocess.run(
            [sys.executable, "-P", "-c", DIES, str(number), *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == -signal.SIGKILL, done.stderr
        states.append(_contents(tiny_run))
        assert kept.items() <= _recorded(tiny_run).items()
    cli.well(*command)
    new = _contents(tiny_run)
    assert new["trials.csv"] != old["trials.csv"]
    for state in states:
        for name, content in state.items():
            assert content in (old[name], new[name]), name
    assert states[0]["trials.csv"] == old["trials.csv"]
    assert states[1]["table.csv"] == new["table.csv"] != old["table.csv"]


def test_a_run_killed_at_random_moments_ends_like_one_that_was_not(
    cli, folder: Path, tiny_run: Path
) -> None:
    moments = random.Random(3)
    results = folder / "again"
    command = ["run", "tiny.yaml", "--set", f"results={results}"]
    kept: dict[str, tuple[object, ...]] = {}
    for _ in range(STRESS):
        process = subprocess.Popen(
            [sys.executable, "-m", "boostbench", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        time.sleep(moments.uniform(0.5, 3.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        now = _recorded(results)
        assert kept.items() <= now.items()
        kept = now
    cli.well(*command)
    assert kept.items() <= _recorded(results).items()
    assert (results / "trials.csv").read_bytes() == (tiny_run / "trials.csv").read_bytes()
