"""Each thing a trial may change is restored after it, or the process is not used again."""

import json
import os
import random
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boostbench.engine.process_state import ProcessState


def in_child(work: Callable[[], Any]) -> Any:
    """Return what ``work`` returns (JSON) in a forked child, which may be spoilt."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = json.dumps(work())
        except BaseException as error:
            answer = json.dumps(f"failed: {error!r}")
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text)


def test_a_trial_that_fails_or_changes_nothing_leaves_all_as_it_was(tmp_path: Path) -> None:
    def work() -> list[Any]:
        state = ProcessState()
        here = os.getcwd()  # noqa: PTH109
        with state.around(1):
            pass
        clean = state.unclean
        try:
            with state.around(1):
                os.chdir(tmp_path)
                raise KeyError("of the trial")
        except KeyError as error:
            return [clean, state.unclean, str(error), os.getcwd() == here]  # noqa: PTH109

    assert in_child(work) == ["", "", "'of the trial'", True]


def test_a_state_that_cannot_be_restored_spoils_the_process(tmp_path: Path) -> None:
    def work() -> str:
        gone = tmp_path / "gone"
        gone.mkdir()
        os.chdir(gone)
        state = ProcessState()
        with state.around(1):
            os.chdir("/")
            gone.rmdir()
        return state.unclean

    assert in_child(work) == "its state cannot be restored (FileNotFoundError)"


def draws() -> list[float]:
    return [random.random(), float(np.random.rand())]  # noqa: NPY002


def test_the_global_generators_start_from_the_seed_of_the_trial() -> None:
    def work() -> list[list[float]]:
        state = ProcessState()
        found = []
        for seed in (3, 4, 3):
            with state.around(seed):
                found.append(draws())
        random.seed(3)
        np.random.seed(3)  # noqa: NPY002
        return [*found, draws()]

    first, other, again, expected = in_child(work)
    assert first == again == expected
    assert all(a != b for a, b in zip(first, other, strict=True))


KEPT = """
import random
import numpy as np
twister, generator, state = random.Random(1), np.random.default_rng(1), np.random.RandomState(1)
state.standard_normal(3)
system, shared, shared_too = random.SystemRandom(), random._inst, np.random.mtrand._rand
def draw():
    return [twister.random(), float(generator.normal()), float(state.standard_normal())]
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "module_that_keeps_generators"
    (tmp_path / f"{name}.py").write_text(KEPT)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return name


def test_generators_that_a_module_keeps_start_each_trial_as_imported(kept: str) -> None:
    def work() -> list[Any]:
        state = ProcessState()
        module = __import__(kept)
        os.environ["SET_BY_THE_IMPORT"] = "1"
        state.after_imports()
        found = [state.unclean, "SET_BY_THE_IMPORT" in os.environ]
        for seed in (1, 2):
            with state.around(seed):
                found.append(module.draw())
            found.append(state.unclean)
        return found

    unclean, is_set, first, clean, second, clean_too = in_child(work)
    assert (unclean, is_set, clean, clean_too) == ("", False, "", "")
    assert first == second


def test_a_generator_that_a_trial_itself_imports_spoils_the_process_if_it_is_the_users(
    kept: str,
) -> None:
    def work() -> list[str]:
        state = ProcessState()
        sys.modules.pop("sklearn.dummy", None)
        with state.around(1):
            __import__("sklearn.dummy")
        found = [state.unclean]
        with state.around(1):
            __import__(kept)
        return [*found, state.unclean]

    clean, unclean = in_child(work)
    assert clean == ""
    assert unclean == f"{kept}.twister is a generator that trials would share"


def in_memory(name: str) -> types.ModuleType:
    """Load a module that is no file of the user's, with a generator of its own."""
    module = types.ModuleType(name)
    module.twister = random.Random(1)  # type: ignore[attr-defined]
    sys.modules[name] = module
    return module


def test_generators_of_installed_modules_start_anew_and_spoil_nothing(kept: str) -> None:
    def work() -> list[Any]:
        state = ProcessState()
        # Two modules with generators, and something that is no module at all between them.
        first = in_memory("made_in_memory_a")
        sys.modules["made_in_memory_b"] = object()  # type: ignore[assignment]
        second = in_memory("made_in_memory_c")
        state.after_imports()
        found = []
        for _ in range(2):
            with state.around(1):
                found.append([first.twister.random(), second.twister.random()])
        # The imports of the next estimator do not touch the generators of the first one.
        state.after_imports()
        with state.around(1):
            found.append([first.twister.random(), second.twister.random()])
            in_memory("made_in_memory_d")
        found.append(state.unclean)
        with state.around(1):
            in_memory("made_in_memory_e")
            __import__(kept)
        return [*found, state.unclean]

    first, second, third, clean, unclean = in_child(work)
    assert first == second == third
    assert clean == ""
    assert unclean.startswith(f"{kept}.twister")
