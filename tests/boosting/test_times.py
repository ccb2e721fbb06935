"""The seconds that a fit reports are those of training, without compiling or loading kernels."""

import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep

import pytest
from numba.core.compiler_lock import global_compiler_lock

from boostbench.kernels.clock import clock

# Each estimator is fitted in a fork that has loaded no kernel yet, where loading one takes long.
FIRST_FITS = """
import json, os, sys, time
from numba import njit
from numba.core.caching import FunctionCache
from boosters import BOOSTERS
from boosting_reference import blobs

LOADING_S = 0.02
n_loaded = 0
load = FunctionCache.load_overload

def slowly(*arguments):
    global n_loaded
    n_loaded += 1
    time.sleep(LOADING_S)
    return load(*arguments)

FunctionCache.load_overload = slowly
# What numba sets up at its first kernel is there before the forks, to save time.
njit(lambda x: x + 1)(1)
X, y = blobs(n=40)
for name in ("cw", "multiboost", "mh", "mo", "ecc"):
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        continue
    start = time.perf_counter()
    model = BOOSTERS[name].fit(X, y)
    rest = time.perf_counter() - start - LOADING_S * n_loaded
    times = model.fit_time_, model.solver_time_, model.time_history_[0]
    print(json.dumps([name, n_loaded, rest, *times]), flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")
def test_a_first_fit_does_not_count_the_loading_of_kernels():
    helpers = Path(__file__).parents[1] / "helpers"
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FITS],
        env={**os.environ, "PYTHONPATH": str(helpers)},
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        name, n_loaded, rest, fit_s, solver_s, first_round_s = json.loads(line)
        assert n_loaded >= 4, name
        assert first_round_s <= fit_s <= rest, name
        assert 0 < solver_s <= fit_s, name
    assert len(done.stdout.splitlines()) == 5


def test_a_compilation_within_another_is_counted_once():
    wall, start = perf_counter(), clock()
    with global_compiler_lock, global_compiler_lock:
        sleep(0.2)
    counted, wall = clock() - start, perf_counter() - wall
    assert 0 <= counted <= wall - 0.2
