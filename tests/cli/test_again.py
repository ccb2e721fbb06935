"""The lines that go on with a run or run a trial again say what the run's own command said."""

from pathlib import Path

import pytest

RUN = ("run", "tiny.yaml", "--jobs", "1", "--set", "seeds=1", "--mirror", "a mirror", "--offline")


@pytest.fixture
def line(folder: Path) -> str:
    """How the command ``RUN`` is told again, but for what may follow."""
    (folder / "a mirror").mkdir()
    return f"boostbench run tiny.yaml --set seeds=1 --mirror '{folder}/a mirror' --offline"


def test_status_and_show(cli, line: str) -> None:
    assert cli(*RUN, "--only", "method=dummy").code == 0
    assert f"go on with: {line}\n" in cli("status", "tiny.yaml").out
    assert (
        f"run it again: {line} --only dataset=diabetes --only method=dummy --only fold=0 "
        "--only seed=0 --again\n"
    ) in cli("show", "diabetes/dummy/0/0").out


def test_a_run_interrupted_before_its_trials(
    cli, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boostbench.plan.inputs.gather", interrupted)
    done = cli(*RUN)
    assert done.code == 130
    assert f"go on with: {line}\n" in done.err
