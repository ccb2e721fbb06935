"""``boostbench run`` killed while it exports and reports; then run again.

``BOOSTBENCH_STRESS=20 pytest tests/cli/test_run_killed.py`` kills it before more files.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from driving import recorded

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


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}


def test_files_are_old_or_new_when_killed_in_the_report(cli, tiny_run: Path) -> None:
    old = _contents(tiny_run)
    kept = recorded(tiny_run.parent, tiny_run.name)
    command = ["run", "tiny.yaml", "--in-process", "--set", "seeds=3"]
    # Without the figures, which take most of the time.
    report = ["report", "tiny.yaml", "-f", "csv,latex"]
    states = []
    calls = [(1, command), (3, report)]
    for number, words in calls + [(n, command) for n in range(2, 9)] * (STRESS > 1):
        done = subprocess.run(
            [sys.executable, "-P", "-c", DIES, str(number), *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        states.append(_contents(tiny_run))
        assert kept.items() <= recorded(tiny_run.parent, tiny_run.name).items()
    cli.well(*command)
    new = _contents(tiny_run)
    assert new["trials.csv"] != old["trials.csv"]
    for state in states:
        for name, content in state.items():
            assert content in (old[name], new[name]), name
    assert states[0]["trials.csv"] == old["trials.csv"]
    assert states[1]["table.csv"] == new["table.csv"] != old["table.csv"]
