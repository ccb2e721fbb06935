"""Ctrl-C once: running trials end, the rest waits. Twice: they are killed. Then it goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLOW = """\
import time

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Slow(RegressorMixin, BaseEstimator):
    def __init__(self, seconds=0.1):
        self.seconds = seconds

    def fit(self, X, y):
        open("began", "a").close()
        time.sleep(self.seconds)
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)
"""
COMMAND = [sys.executable, "-m", "boostbench", "run", "slow.yaml", "--jobs", "1"]


@pytest.fixture
def slow(folder: Path) -> Path:
    (folder / "slow_estimator.py").write_text(SLOW)
    (folder / "slow.yaml").write_text(
        "name: slow\ndatasets: [diabetes]\nfolds: 2\nseeds: 2\nmethods:\n"
        "  - {estimator: 'slow_estimator:Slow', params: {seconds: 1.0}}\n"
    )
    return folder


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 200
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.05)


def test_first_interrupt_lets_trials_end_and_the_run_goes_on_later(slow: Path, cli) -> None:
    process = subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    _wait_for(slow / "began")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "interrupt again to kill them; resume later with: boostbench run slow.yaml" in err
    assert "trials: 1 ok, 3 pending" in out
    status = cli("status", "slow.yaml")
    assert "1 of 4 trials done (1 ok)" in status.out
    done = cli("run", "slow.yaml", "--jobs", "2", "--only", "seed=1")
    assert done.code == 0, done.err
    assert "trials: 2 ok" in done.out


def test_one_run_at_a_time_reports_meanwhile_and_a_second_interrupt_kills(slow: Path, cli) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--only", "fold=1", "--set", "methods.0.params.seconds=600"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    _wait_for(slow / "began")
    refused = cli("run", "slow.yaml")
    assert refused.code == 2
    assert f"process {process.pid}" in refused.err
    status = cli("status", "slow.yaml")
    assert "0 of 4 trials done" in status.out
    assert "diabetes/Slow/1/0" in status.out
    assert cli("report", "slow.yaml", "-f", "md").code == 0
    os.killpg(process.pid, signal.SIGINT)
    assert any("interrupt again to kill them" in line for line in process.stderr)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "trials: 2 pending" in out
    told = "resume with: boostbench run slow.yaml --set methods.0.params.seconds=600 --jobs 1"
    assert f"{told} --only fold=1\n" in err


def test_sigterm_kills_at_once(slow: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--set", "methods.0.params.seconds=600"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    _wait_for(slow / "began")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "trials: 4 pending" in out
    assert "running trials end first" not in err


def test_in_a_terminal_the_count_is_live(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = cli("run", "tiny.yaml", "--jobs", "1", "--only", "method=dummy").err
    last = shown.rindex("of 4 trials")
    # At the end it is taken away.
    assert "\x1b[2K" in shown[last:]
