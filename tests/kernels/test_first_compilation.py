"""Plain Python says once that kernels compile, and is silent where they are on disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench.kernels.jit import PLAIN_NUMBA

DOT = "from boostbench.kernels.elementwise import dot; dot(X[:, 0], X[:, 1], 9)"
STUMPS = "from boostbench.boosting import best_stumps; best_stumps(X, X)"
ROUTE = "from boostbench.trees import predict_hard; predict_hard([[0.1] * 3], [[0.2] * 3] * 2, X)"
SAID = "a first fit takes 10 to 20 seconds longer, since boostbench compiles its kernels"

pytestmark = pytest.mark.skipif(PLAIN_NUMBA, reason="plain numba may keep nothing on disk")


def errors_of(code: str, cache: Path, *options: str) -> str:
    """Return what Python writes to standard error, having run ``code`` on an array X."""
    done = subprocess.run(
        [sys.executable, *options, "-c", f"import numpy as np; X = np.eye(9)[:, :2]\n{code}"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


@pytest.mark.parametrize(
    "code",
    [
        DOT,
        pytest.param(ROUTE, marks=pytest.mark.long),
        pytest.param(STUMPS, marks=pytest.mark.long),
    ],
)
def test_it_is_said_once_and_not_where_the_code_is_on_disk(code, tmp_path):
    # A warning would end Python here.
    of_other_types = f"X = np.asfortranarray(X + 1)\n{code}"
    first = errors_of(f"{code}\n{of_other_types}", tmp_path, "-Werror")
    assert first.splitlines() == [line for line in first.splitlines() if line.startswith(SAID)]
    assert len(first.splitlines()) == 1
    assert f"they are kept in {tmp_path}" in first
    assert errors_of(code, tmp_path) == ""


def test_where_nothing_can_be_written_it_says_how_to_keep_them(tmp_path):
    nowhere = (
        "import tempfile\n"
        "def refused(**options):\n"
        "    raise PermissionError\n"
        "tempfile.TemporaryFile = refused\n"
    )
    (line,) = errors_of(nowhere + DOT, tmp_path).splitlines()
    assert line.startswith(SAID)
    assert line.endswith("set NUMBA_CACHE_DIR to a folder that can be written to keep them")


def test_logging_switches_it_off(tmp_path):
    quiet = "import logging; logging.getLogger('boostbench').setLevel('ERROR')\n"
    assert errors_of(quiet + DOT, tmp_path) == ""


def test_workers_are_quiet(tmp_path):
    ours = "from boostbench.engine.warming import NOTHING, warm_up; warm_up(NOTHING)\n"
    assert errors_of(ours + DOT, tmp_path / "ours") == ""
    theirs = (
        "from joblib import Parallel, delayed\n"
        "def product(X):\n"
        "    from boostbench.kernels.elementwise import dot\n"
        "    return dot(X[:, 0], X[:, 1], 9)\n"
        "assert Parallel(2)([delayed(product)(X)]) == [0]"
    )
    assert errors_of(theirs, tmp_path / "theirs") == ""


def test_other_packages_kernels_are_not_ours(tmp_path):
    other = "import boostbench.kernels.jit, numba; numba.njit(lambda x: x + 1)(1)"
    assert errors_of(other, tmp_path) == ""
