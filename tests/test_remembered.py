"""Answers about installed estimators: kept between processes, but none that may be outdated."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from boostbench import remembered as memory
from boostbench.remembered import keep_no_more, remember, remembered

RIDGE = "sklearn.linear_model.Ridge"


class Process:
    """What one process after another asks; ``asked`` are the questions that needed an import."""

    def __init__(self, patch: pytest.MonkeyPatch, cache: Path) -> None:
        self.asked: list[Any] = []
        self.answer: Any = ["alpha", "tol"]
        self._patch = patch
        patch.setenv("BOOSTBENCH_CACHE", str(cache))

        @remembered
        def names(estimator: str, *given: Any) -> Any:
            self.asked.append((estimator, *given))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        self.names = names

    def __call__(self, *question: Any, does: Callable[[], object] = lambda: None) -> list[Any]:
        """Ask in a process of its own; return the answer, then what the estimator was asked."""
        self.asked.clear()
        self._patch.setattr(memory, "_wanted", False)
        self._patch.setattr(memory, "_keeps", True)
        memory._memory.cache_clear()
        remember()
        try:
            does()
            return [self.names(*question), *self.asked]
        finally:
            found = memory._memory()
            if found is not None:
                found.write()


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Process]:
    yield Process(monkeypatch, tmp_path)
    memory._memory.cache_clear()


def test_an_answer_is_kept_for_other_processes(process) -> None:
    assert process(RIDGE) == [["alpha", "tol"], (RIDGE,)]
    assert process(RIDGE) == [["alpha", "tol"]]
    # The estimator and all arguments are part of the question.
    assert process(RIDGE, {"alpha": 1}) == [["alpha", "tol"], (RIDGE, {"alpha": 1})]
    assert process(RIDGE, {"alpha": 1.0}) == [["alpha", "tol"], (RIDGE, {"alpha": 1.0})]
    assert process("sklearn.svm.SVR")[1:] == [("sklearn.svm.SVR",)]
    assert process(RIDGE, {"alpha": 1}) == [["alpha", "tol"]]


@pytest.mark.parametrize("path", ["mine.Ridge", "sklearnish.Ridge", "boostbenchmark:make", "Ridge"])
def test_nothing_is_kept_of_other_modules(process, path: str) -> None:
    for _ in range(2):
        assert process(path)[1:] == [(path,)]


def test_errors_are_not_kept(process) -> None:
    process.answer = ValueError("alpha must be above 0")
    for _ in range(2):
        with pytest.raises(ValueError, match="above 0"):
            process(RIDGE, {"alpha": -1})
        assert process.asked == [(RIDGE, {"alpha": -1})]


@pytest.mark.parametrize("answer", [("a", "b"), {1: 2}, {"a": (1,)}, float("nan"), object()])
def test_answers_that_would_come_back_as_others_are_not_kept(process, answer: Any) -> None:
    process.answer = answer
    for _ in range(2):
        assert process(RIDGE) == [answer, (RIDGE,)]


@pytest.mark.parametrize("answer", [None, True, 3, 0.1, "text", ["a", None], {"a": {"b": [1]}}])
def test_plain_answers_come_back_as_they_were(process, answer: Any) -> None:
    process.answer = answer
    assert repr([process(RIDGE)[0], process(RIDGE)]) == repr([answer, [answer]])


def test_arguments_that_are_not_plain_are_asked_each_time(process) -> None:
    for _ in range(2):
        assert process(RIDGE, {"alpha": float("nan")})[1:] != []
        assert process(RIDGE, {1, 2})[1:] != []


def test_nothing_is_kept_once_code_is_imported_that_may_change_other_code(process) -> None:
    for _ in range(2):
        assert process(RIDGE, does=keep_no_more)[1:] == [(RIDGE,)]
    assert process(RIDGE)[1:] == [(RIDGE,)]
    # Answers kept before still hold.
    assert process(RIDGE, does=keep_no_more)[1:] == []


def test_importing_a_users_module_keeps_answers_out(process, tmp_path, monkeypatch) -> None:
    from boostbench.estimators import import_estimator

    (tmp_path / "patches_sklearn.py").write_text("def make():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    process(RIDGE, does=lambda: import_estimator("patches_sklearn:make"))
    assert process(RIDGE)[1:] == [(RIDGE,)]


@pytest.mark.parametrize("package", ["scikit-learn", "numpy", "scipy", "numba", "boostbench"])
def test_other_versions_are_asked_again(process, monkeypatch, package: str) -> None:
    process(RIDGE)
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda n: "0.0" if n == package else version(n))
    assert process(RIDGE)[1:] == [(RIDGE,)]
    assert process(RIDGE)[1:] == []


def test_a_package_of_the_same_version_elsewhere_is_asked_again(
    process, monkeypatch, tmp_path
) -> None:
    process(RIDGE)
    (tmp_path / "threadpoolctl.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert process(RIDGE)[1:] == [(RIDGE,)]
    assert process(RIDGE)[1:] == []


@pytest.mark.parametrize("installed", ["1.9.dev0", "1.8.0+local"])
def test_versions_that_do_not_name_the_code_are_asked_each_time(
    process, monkeypatch, installed: str
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: installed)
    for _ in range(2):
        assert process(RIDGE)[1:] == [(RIDGE,)]


def test_other_code_of_the_program_is_asked_again(process, monkeypatch, tmp_path) -> None:
    package = tmp_path / "package"
    (package / "trees").mkdir(parents=True)
    (package / "trees" / "soft.py").write_text("depth = 3\n")
    monkeypatch.setattr(memory, "__file__", str(package / "remembered.py"))
    process(RIDGE)
    assert process(RIDGE)[1:] == []
    (package / "trees" / "soft.py").write_text("depth = 30\n")
    assert process(RIDGE)[1:] == [(RIDGE,)]


def test_a_damaged_file_is_as_good_as_none(process, tmp_path) -> None:
    process(RIDGE)
    (path,) = (tmp_path / "estimators").iterdir()
    good = path.read_bytes()
    other = good.replace(b"alpha", b"gamma")
    for damaged in (b"", good[:-1], good[:10], other, b"\xff" + good):
        path.write_bytes(damaged)
        assert process(RIDGE) == [["alpha", "tol"], (RIDGE,)]
    assert process(RIDGE) == [["alpha", "tol"]]


def test_without_a_place_to_keep_answers_they_are_asked_each_time(process, tmp_path) -> None:
    (tmp_path / "estimators").write_text("a file in the way")
    for _ in range(2):
        assert process(RIDGE)[1:] == [(RIDGE,)]


def test_two_processes_at_the_same_time_keep_both_answers(process) -> None:
    process("sklearn.svm.SVR", does=lambda: process(RIDGE))
    assert process(RIDGE)[1:] == []


def test_few_files_are_kept(process, monkeypatch, tmp_path) -> None:
    for number in range(12):
        monkeypatch.setattr(metadata, "version", lambda name, n=number: f"1.{n}")
        process(RIDGE)
    assert len(list((tmp_path / "estimators").iterdir())) <= 8
    assert process(RIDGE)[1:] == []


# -- the command line ------------------------------------------------------------------------------

CONFIG = """\
name: warm
datasets: [diabetes]
methods:
  - {estimator: sklearn.linear_model.Ridge, params: {alpha: ALPHA}}
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
  - {name: forest, method: random_forest, params: {n_estimators: 2}}
folds: 2
seeds: 1
"""
HEAVY = ("sklearn", "scipy.stats", "pandas", "numba", "matplotlib", "joblib", "requests")
CALL = f"""
import atexit, sys
atexit.register(lambda: print("HEAVY", *[n for n in {HEAVY!r} if n in sys.modules]))
from boostbench.cli.app import main
main()
"""


def _run(folder: Path, alpha: object = 0.1) -> tuple[int, str, set[str]]:
    (folder / "warm.yaml").write_text(CONFIG.replace("ALPHA", str(alpha)))
    done = subprocess.run(
        [sys.executable, "-c", CALL, "run", "warm.yaml", "--offline", "--jobs", "1"],
        cwd=folder, capture_output=True, text=True, timeout=250,
        # Nothing is to be compiled here.
        env={**os.environ, "BOOSTBENCH_CACHE": str(folder / "cache"), "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    return done.returncode, done.stderr, set(done.stdout.rpartition("HEAVY")[2].split())


def test_a_run_with_nothing_to_run_or_draw_imports_nothing_heavy(tmp_path: Path) -> None:
    first, *_ = _run(tmp_path)
    assert first == 0
    table = (tmp_path / "results" / "warm" / "trials.csv").read_bytes()
    _run(tmp_path)
    code, _, heavy = _run(tmp_path)
    assert (code, heavy) == (0, set())
    assert (tmp_path / "results" / "warm" / "trials.csv").read_bytes() == table
    # Wrong values are found with a full memory too, each time.
    for _ in range(2):
        code, said, _ = _run(tmp_path, alpha=-1)
        assert code == 2
        assert "'alpha' parameter of Ridge" in said
    kept = [path.read_bytes() for path in (tmp_path / "cache/estimators").iterdir()]
    assert not any(b"-1" in content for content in kept)
