"""Each thing a trial may change is restored after it, or the process is not used again."""

import ctypes
import decimal
import gc
import json
import locale
import os
import platform
import random
import resource
import signal
import subprocess
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn

from boostbench.engine.process_state import ProcessState, thread_pools


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


def set_timezone(name: str = "Asia/Tokyo") -> None:
    os.environ["TZ"] = name
    time.tzset()


def look_at_umask() -> int:
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


def drop_module() -> None:
    del sys.modules["json"]


def replace_module() -> None:
    sys.modules["json"] = types.ModuleType("json")


SETTINGS = {
    "working folder": (lambda: os.chdir("/"), os.getcwd),
    "new variable": (lambda: os.environ.update(NEW_ONE="1"), lambda: os.environ.get("NEW_ONE")),
    "removed variable": (lambda: os.environ.pop("PATH"), lambda: os.environ.get("PATH")),
    "time zone": (set_timezone, lambda: [*time.tzname, time.localtime(0).tm_hour]),
    "sys.path": (lambda: sys.path.insert(0, "/none"), lambda: list(sys.path)),
    "sys.path itself": (lambda: sys.path.clear(), lambda: len(sys.path)),
    "stdout": (lambda: setattr(sys, "stdout", None), lambda: sys.stdout is not None),
    "excepthook": (lambda: setattr(sys, "excepthook", print), lambda: sys.excepthook is print),
    "recursion limit": (lambda: sys.setrecursionlimit(5000), sys.getrecursionlimit),
    "digits": (lambda: sys.set_int_max_str_digits(0), sys.get_int_max_str_digits),
    "tracing": (lambda: sys.settrace(lambda *_: None), lambda: sys.gettrace() is None),
    "profiling": (lambda: sys.setprofile(lambda *_: None), lambda: sys.getprofile() is None),
    "umask": (lambda: os.umask(0o777), look_at_umask),
    "NumPy's errors": (lambda: np.seterr(all="raise"), np.geterr),
    "NumPy's printing": (
        lambda: np.set_printoptions(precision=2),
        lambda: repr(np.float64(1) / 3 * np.ones(2)),
    ),
    "NumPy's buffer": (lambda: np.setbufsize(16), np.getbufsize),
    "decimals": (
        lambda: setattr(decimal.getcontext(), "prec", 3),
        lambda: str(decimal.Decimal(1) / 3),
    ),
    "locale": (
        lambda: locale.setlocale(locale.LC_ALL, "C"),
        lambda: locale.setlocale(locale.LC_ALL),
    ),
    "bit generator": (
        lambda: np.random.set_bit_generator(np.random.SFC64(0)),
        lambda: type(np.random.get_bit_generator()).__name__,
    ),
    "scikit-learn": (
        lambda: sklearn.set_config(assume_finite=True),
        lambda: sklearn.get_config()["assume_finite"],
    ),
    "garbage": (gc.disable, gc.isenabled),
    "missing module": (drop_module, lambda: "json" in sys.modules),
    "other module": (replace_module, lambda: hasattr(sys.modules["json"], "dumps")),
    "warnings": (
        lambda: warnings.simplefilter("error"),
        lambda: [repr(f) for f in warnings.filters],
    ),
    "threads": (
        lambda: [
            pool.set_num_threads(1 if pool.num_threads != 1 else 2) for pool in thread_pools()
        ],
        lambda: [pool.num_threads for pool in thread_pools()],
    ),
    "alarm": (
        lambda: signal.setitimer(signal.ITIMER_REAL, 1000),
        lambda: signal.getitimer(signal.ITIMER_REAL)[0] > 0,
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_restored_and_the_process_stays_in_use(name: str) -> None:
    change, look = SETTINGS[name]

    def work() -> list[Any]:
        if name == "locale":
            locale.setlocale(locale.LC_ALL, "C.UTF-8")
        os.environ["TZ"] = "Europe/Berlin"
        time.tzset()
        state = ProcessState()
        before = look()
        with state.around(1):
            change()
            during = look()
        return [before, during, look(), state.unclean]

    before, during, after, unclean = in_child(work)
    assert during != before
    assert (after, unclean) == (before, "")


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


def leave_thread() -> None:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def leave_child() -> None:
    subprocess.Popen(["sleep", "1"], close_fds=True)


def close_output() -> None:
    # A replaced stream would be restored, a closed one cannot be.
    sys.stderr.close()


def replace_function() -> None:
    np.linalg.norm = lambda *_: 0.0


def remove_function() -> None:
    del os.getppid


def lower_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))


def close_file() -> None:
    os.close(HELD[0])


def reuse_descriptor() -> None:
    os.close(HELD[0])
    os.dup2(os.open("/dev/zero", os.O_RDONLY), HELD[0])


def flush_small_numbers() -> None:
    # As a library compiled with -ffast-math does when it is loaded: bits of the MXCSR register.
    library = ctypes.CDLL("libm.so.6")
    environment = (ctypes.c_uint32 * 8)()
    library.fegetenv(environment)
    environment[7] |= 0x8040
    library.fesetenv(environment)


HELD: list[int] = []
SPOILT = {
    "small numbers": (flush_small_numbers, "handling of small floating-point numbers changed"),
    "signal handlers": (lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN), "signal handlers"),
    "user's signal": (lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN), "signal handlers"),
    "thread": (leave_thread, "threads were left running"),
    "child": (leave_child, "child processes were left running"),
    "output": (close_output, "output was closed"),
    "open file": (lambda: HELD.append(os.open("/dev/null", os.O_RDONLY)), "left open"),
    "closed file": (close_file, "files were closed"),
    "other file": (reuse_descriptor, "files were closed"),
    "limit": (lower_limit, "limits of resources changed"),
    "processors": (lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}), "processors"),
    "priority": (lambda: os.nice(1), "priority changed"),
    "replaced function": (replace_function, "numpy.linalg.norm was replaced"),
    "removed function": (remove_function, "os.getppid was replaced"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_cannot_be_restored_is_named(name: str) -> None:
    if name == "processors" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor only")
    if name == "small numbers" and (platform.machine(), sys.platform) != ("x86_64", "linux"):
        pytest.skip("the register is that of x86-64")
    if name == "priority" and os.getpriority(os.PRIO_PROCESS, 0) >= 19:
        pytest.skip("the priority is the lowest already")
    change, words = SPOILT[name]

    def work() -> list[str]:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
        HELD[:] = [os.open("/dev/null", os.O_RDONLY)]
        state = ProcessState()
        with state.around(1):
            pass
        before = state.unclean
        with state.around(1):
            change()
        return [before, state.unclean]

    before, unclean = in_child(work)
    assert before == ""
    assert words in unclean


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


def test_an_import_may_keep_a_file_open_and_not_change_signals(tmp_path: Path) -> None:
    def work() -> list[str]:
        state = ProcessState()
        HELD[:] = [os.open("/dev/null", os.O_RDONLY)]
        state.after_imports()
        found = [state.unclean]
        with state.around(1):
            pass
        found.append(state.unclean)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        state.after_imports()
        return [*found, state.unclean]

    assert in_child(work) == ["", "", "its signal handlers were changed"]


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
