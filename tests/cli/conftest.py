"""The command line as tests call it, and one small finished run that several of them read."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.results import TINY

from boostbench.cli.app import main
from boostbench.engine.types import Summary
from boostbench.experiment import run
from boostbench.plan.trial import Trial


class Called(NamedTuple):
    """What a command came to; ``out`` and ``err`` hold what it wrote."""

    code: int
    out: str
    err: str


Cli = Callable[..., Called]
Interrupt = Callable[[Any], AbstractContextManager[None]]


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder for the whole session."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_cache: Path, cheap: None
) -> Path:
    """A working folder with ``tiny.yaml``; no network, and a cache of the tests' own.

    Runs are cheap there, except in tests marked ``end_to_end``.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(shared_cache))
    monkeypatch.delenv("BOOSTBENCH_MIRROR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "tiny.yaml").write_text(TINY)
    return tmp_path


@pytest.fixture
def cli(folder: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Calls the command line in this process."""

    def call(*arguments: str) -> Called:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out, err = capsys.readouterr()
        code = caught.value.code
        return Called(code if isinstance(code, int) else 0, out, err)

    return call


@pytest.fixture(scope="session")
def finished(
    tmp_path_factory: pytest.TempPathFactory,
    shared_cache: Path,
    make_runs_cheap: Callable[[pytest.MonkeyPatch], None],
) -> Path:
    """The results folder of ``tiny.yaml``, run once a session."""
    here = tmp_path_factory.mktemp("finished")
    (here / "tiny.yaml").write_text(TINY)
    with pytest.MonkeyPatch.context() as patch:
        make_runs_cheap(patch)
        patch.chdir(here)
        patch.setenv("BOOSTBENCH_CACHE", str(shared_cache))
        with pytest.raises(SystemExit) as caught:
            main(["run", "tiny.yaml", "--jobs", "1", "--offline"])
    assert caught.value.code == 0
    return here / "results" / "tiny"


@pytest.fixture
def tiny_run(folder: Path, finished: Path) -> Path:
    """A copy of the finished run, in the working folder."""
    return Path(shutil.copytree(finished, folder / "results" / "tiny"))


@pytest.fixture
def interrupt_after(monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """Return a context in which runs end after so many trials (None: all) as if by Ctrl-C."""

    @contextmanager
    def interrupt(count: int | None) -> Iterator[None]:
        ran = run.run_trials

        def run_trials(trials: Sequence[Trial], *arguments: Any, **options: Any) -> Summary:
            summary = ran(trials[:count], *arguments, **options)
            summary.interrupted = True
            return summary

        with monkeypatch.context() as patch:
            patch.setattr(run, "run_trials", run_trials)
            yield

    return interrupt


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """Return a context in which the function of this name in ``experiment.run`` gets Ctrl-C."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    @contextmanager
    def interrupt(name: str) -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(f"boostbench.experiment.run.{name}", interrupted)
            yield

    return interrupt


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands write no tables and figures but those of the export."""
    monkeypatch.setattr("boostbench.cli.screen.Screen.report", lambda *_: None)
