"""Kernels that are missing on disk are compiled by two processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import config

pytestmark = [
    pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here"),
]

# Each task waits for the other to begin: only two processes can run them.
FAMILY = """
import os, pathlib, time
from numba import njit
from boostbench.kernels.jit import kernel
from boostbench.kernels.tasks import Task

decorate = {decorator}
MAIN = os.getpid()

@decorate
def one(x): return x + 1

@decorate
def two(x): return x * 2

def run(function, other):
    name = function.__name__
    with open("begun", "a") as file:
        file.write(f"{{name}} {{os.getpid()}}\\n")
    until = time.monotonic() + float(os.environ["PATIENCE"])
    while time.monotonic() < until and other not in pathlib.Path("begun").read_text():
        time.sleep(0.01)
    if {fails} and os.getpid() != MAIN:
        os.kill(os.getpid(), 9)
    function(3)

def warm_up_tasks():
    return [Task(lambda: run(one, "two"), ("family",)), Task(lambda: run(two, "one"), ("family",))]
"""
SCRIPT = """
import json, pathlib, sys
from boostbench.engine.warming import warm_up
messages = []
warm_up([], ["family"], messages.append, {processes})
import family
begun = [line.split() for line in pathlib.Path("begun").read_text().splitlines()]
hits = sum(sum(each.stats.cache_hits.values()) for each in (family.one, family.two))
print(json.dumps([begun, family.MAIN, hits, messages, family.one(3), family.two(3)]))
"""


# How long a task waits for the other: where a second process is expected, and where one would have
# begun in the meantime.
EXPECTED, UNEXPECTED = 60, 1.5


def _warm_up(
    folder: Path,
    decorator: str = "kernel",
    *,
    fails: bool = False,
    processes: int = 2,
    patience: float = EXPECTED,
) -> tuple[set[str], set[str], Any, list[dict[str, int]]]:
    """Warm up in a new process; which tasks it and others ran, cache hits, and messages."""
    (folder / "family.py").write_text(FAMILY.format(decorator=decorator, fails=fails))
    (folder / "begun").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT.format(processes=processes)],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), "PATIENCE": str(patience)},
        capture_output=True,
        text=True,
        check=True,
    )
    begun, main, hits, messages, *values = json.loads(done.stdout)
    assert values == [4, 6]
    here = {name for name, pid in begun if int(pid) == main}
    elsewhere = {name for name, pid in begun if int(pid) != main}
    return here, elsewhere, hits, messages


def test_two_processes_compile_and_the_first_loads_what_the_other_compiled(tmp_path: Path) -> None:
    here, elsewhere, hits, messages = _warm_up(tmp_path)
    assert here == {"one", "two"}
    assert len(elsewhere) == 1
    assert hits == 1
    assert [each["compiled"] for each in messages] == sorted(each["compiled"] for each in messages)
    assert messages[-1] == {"compiled": 2, "kernels": 2}
    # With both on disk nothing is compiled, and no second process is started.
    assert _warm_up(tmp_path, patience=UNEXPECTED) == ({"one", "two"}, set(), 2, [])


def test_the_first_process_compiles_what_a_killed_one_has_not(tmp_path: Path) -> None:
    here, elsewhere, hits, messages = _warm_up(tmp_path, fails=True)
    assert (here, len(elsewhere), hits) == ({"one", "two"}, 1, 0)
    assert messages[-1] == {"compiled": 2, "kernels": 2}


@pytest.mark.parametrize(("decorator", "processes"), [("njit(nogil=True)", 2), ("kernel", 1)])
def test_one_process_compiles_where_nothing_is_kept_or_one_is_allowed(
    tmp_path: Path, decorator: str, processes: int
) -> None:
    here, elsewhere, hits, messages = _warm_up(
        tmp_path, decorator, processes=processes, patience=UNEXPECTED
    )
    assert (here, elsewhere, hits) == ({"one", "two"}, set(), 0)
    assert messages == [{"compiled": 1, "kernels": 2}, {"compiled": 2, "kernels": 2}]


SHARING = """
import os, pathlib
import numpy as np
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.tasks import Task

@helper
def of_both(x): return x + 1

@helper
def of_one(x): return x + 2

@helper
def broken(x): return x.no_such_attribute

@kernel
def one(x): return of_both(x) + of_one(x)

@kernel
def two(x): return of_both(x) * 2

def run(function):
    compiled = [each for each in (of_both, of_one, broken) if each.overloads]
    names = " ".join(each.py_func.__name__ for each in compiled)
    with open("begun", "a") as file:
        file.write(f"{names}\\n")
    function(3)

def warm_up_tasks():
    first = ((of_both, (3,)), (of_one, (3,)), (broken, (3,)))
    second = ((of_both, (3,)), (of_one, (3.0,)), (broken, (3,)))
    return [
        Task(lambda: run(one), ("sharing",), shared=first),
        Task(lambda: run(two), ("sharing",), shared=second),
    ][:{n_tasks}]
"""
RUN_SHARING = """
import pathlib
from boostbench.engine.warming import warm_up
warm_up([], ["sharing"], lambda message: None, 2)
import sharing
print(pathlib.Path("begun").read_text(), end="")
print(sharing.one(3), sharing.two(3))
"""


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_what_several_tasks_need_is_compiled_before_them(tmp_path: Path, n_tasks: int) -> None:
    (tmp_path / "sharing.py").write_text(SHARING.format(n_tasks=n_tasks, names="{names}"))
    done = subprocess.run(
        [sys.executable, "-B", "-c", RUN_SHARING],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")},
        capture_output=True,
        text=True,
        check=True,
    )
    *begun, values = done.stdout.splitlines()
    assert values == "9 8"
    # Before the first task; and before each of them, whichever process runs it.
    assert begun[0] == ("of_both" if n_tasks == 2 else "")
    assert all(line.startswith("of_both") for line in begun) == (n_tasks == 2)
    # What cannot be compiled is reported, and the tasks run.
    assert ("no_such_attribute" in done.stderr) == (n_tasks == 2)
