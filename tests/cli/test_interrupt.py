"""Ctrl-C once: running trials end, the rest waits. Twice: they are killed. Then it resumes."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import without_figures
from experiments import write
from support import wait_until

SLOW = """\
import time

from sklearn.dummy import DummyRegressor


class Slow(DummyRegressor):
    def __init__(self, seconds=0.1):
        super().__init__()
        self.seconds = seconds

    def fit(self, X, y):
        open("began", "a").close()
        time.sleep(self.seconds)
        return super().fit(X, y)
"""


@pytest.fixture
def slow(folder: Path) -> Path:
    (folder / "slow_estimator.py").write_text(SLOW)
    write("slow", "{estimator: slow_estimator.Slow, params: {seconds: 1.0}}", seeds=2)
    return folder


def _begun(*words: str) -> subprocess.Popen[str]:
    """Start a run, and wait until a trial has begun."""
    process = subprocess.Popen(
        [sys.executable, "-P", without_figures.__file__, "run", "slow.yaml", "--jobs", "1", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(Path("began").exists, "no trial began")
    return process


def test_first_interrupt_lets_trials_end_and_the_run_resumes_later(slow: Path, cli) -> None:
    process = _begun()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "interrupt again to kill them; resume later with: boostbench run slow.yaml" in err
    assert "trials: 1 ok, 3 pending" in out
    assert "1 of 4 trials done (1 ok)" in cli("status", "slow.yaml").out
    done = cli.well("run", "slow.yaml", "--jobs", "1", "--only", "fold=0")
    assert "1 of 2 trials to run" in done.err


def test_one_run_at_a_time_reports_meanwhile_and_a_second_interrupt_kills(slow: Path, cli) -> None:
    process = _begun("--only", "fold=1", "--set", "methods.0.params.seconds=600")
    assert f"process {process.pid}" in cli.refused("run", "slow.yaml")
    status = cli("status", "slow.yaml").out
    assert "0 of 4 trials done" in status
    assert "diabetes/Slow/1/0" in status
    cli.well("report", "slow.yaml", "-f", "md")
    os.killpg(process.pid, signal.SIGINT)
    assert any("interrupt again to kill them" in line for line in process.stderr)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "trials: 2 pending" in out
    text = "resume with: boostbench run slow.yaml --set methods.0.params.seconds=600 --jobs 1"
    assert f"{text} --only fold=1\n" in err


@pytest.mark.end_to_end
def test_sigterm_kills_at_once(slow: Path, cli, undrawn: None) -> None:
    def terminate() -> None:
        wait_until(Path("began").exists, "no trial began")
        os.kill(os.getpid(), signal.SIGTERM)

    # Where no run awaits it, it does not end the tests' process.
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    killer = threading.Thread(target=terminate)
    killer.start()
    try:
        done = cli("run", "slow.yaml", "--jobs", "1", "--set", "methods.0.params.seconds=600")
    finally:
        killer.join()
        signal.signal(signal.SIGTERM, before)
    assert done.code == 130, done.err
    assert "trials: 4 pending" in done.out
    assert "running trials end first" not in done.err


def test_in_a_terminal_the_count_is_live(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = cli("run", "tiny.yaml", "--jobs", "1", "--only", "method=dummy").err
    last = shown.rindex("of 4 trials")
    # At the end it is taken away.
    assert "\x1b[2K" in shown[last:]
