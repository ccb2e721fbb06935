"""The command line as tests call it, and small finished runs that several of them read."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from unreported import without_report

from boostbench.cli.app import main
from boostbench.engine import local
from boostbench.engine.interface import Summary
from boostbench.experiment import reporting
from boostbench.plan.trial import Trial
from boostbench.report.build import build_report
from results import TINY


class Called(NamedTuple):
    """The result of a command, with its output in ``out`` and ``err``."""

    code: int
    out: str
    err: str


class Cli:
    """Calls the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Called:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out, err = self._capsys.readouterr()
        code = caught.value.code
        return Called(code if isinstance(code, int) else 0, out, err)

    def well(self, *arguments: str) -> Called:
        """Call a command that ends with code 0."""
        done = self(*arguments)
        assert done.code == 0, done.err
        return done

    def run_only(self, *arguments: str) -> Called:
        """Call ``run``, which ends with code 0, without the report, which nobody looks at."""
        with without_report():
            return self.well("run", *arguments)

    def refused(self, *arguments: str, code: int = 2) -> str:
        """Call a command that ends with only one sentence, and return that."""
        done = self(*arguments)
        assert (done.code, done.out) == (code, ""), done.err
        assert re.fullmatch(r"(writing .+\n)?error: .+\n", done.err), done.err
        return done.err


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
    return Cli(capsys)


@pytest.fixture(scope="session")
def once(
    tmp_path_factory: pytest.TempPathFactory,
    shared_cache: Path,
    make_runs_cheap: Callable[[pytest.MonkeyPatch], None],
) -> Callable[..., Path]:
    """Return a function ``(text, *words)``: the results of an experiment, run once a session.

    Each of ``words`` is what one command says after ``run NAME.yaml``.
    """
    done: dict[tuple[Any, ...], Path] = {}

    def results(text: str, *words: str) -> Path:
        name = text.split(maxsplit=2)[1]
        if (text, words) in done:
            return done[text, words]
        here = tmp_path_factory.mktemp("once")
        (here / f"{name}.yaml").write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            make_runs_cheap(patch)
            patch.setattr(reporting, "build_report", build_report)
            patch.chdir(here)
            patch.setenv("BOOSTBENCH_CACHE", str(shared_cache))
            for more in words or ("--jobs 1 --offline",):
                with pytest.raises(SystemExit) as caught:
                    main(["run", f"{name}.yaml", *more.split()])
                assert caught.value.code == 0
        return done.setdefault((text, words), here / "results" / name)

    return results


@pytest.fixture
def ran(folder: Path, once: Callable[..., Path]) -> Callable[..., Path]:
    """Return a function ``(text, *words)``: as ``once``, file and results in the working folder."""

    def copied(text: str, *words: str) -> Path:
        results = once(text, *words)
        (folder / f"{results.name}.yaml").write_text(text)
        return Path(shutil.copytree(results, folder / "results" / results.name))

    return copied


@pytest.fixture(scope="session")
def finished(once: Callable[..., Path]) -> Path:
    """The results folder of ``tiny.yaml``, run once a session."""
    return once(TINY)


@pytest.fixture
def tiny_run(ran: Callable[..., Path]) -> Path:
    """A copy of the finished run, in the working folder."""
    return ran(TINY)


@pytest.fixture
def interrupt_after() -> Interrupt:
    """Return a context in which runs end after so many trials (None: all) as if by Ctrl-C."""

    def interrupt(count: int | None) -> AbstractContextManager[None]:
        ran = local.run_trials

        def run_trials(trials: Sequence[Trial], *arguments: Any, **options: Any) -> Summary:
            summary = ran(trials[:count], *arguments, **options)
            summary.interrupted = True
            return summary

        return mock.patch.object(local, "run_trials", run_trials)

    return interrupt


@pytest.fixture
def interrupt_at() -> Interrupt:
    """Return a context in which Ctrl-C comes where this function of boostbench is called."""
    return lambda name: mock.patch(f"boostbench.{name}", side_effect=KeyboardInterrupt)


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Commands write no report in this test."""
    with without_report():
        yield
