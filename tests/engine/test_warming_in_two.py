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
