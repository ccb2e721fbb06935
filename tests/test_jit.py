"""Compiled kernels that lie on disk never outlive their sources."""

import os
import subprocess
import sys
from pathlib import Path

INNER = """
from boostbench.jit import kernel

@kernel
def inner(x):
    return x + {added}
"""
OUTER = """
from boostbench.jit import kernel
from inner import inner

@kernel
def outer(x):
    return 2 * inner(x)
"""


def _run(folder: Path, *, disable_jit: bool = False) -> tuple[str, str]:
    script = (
        "from outer import outer; print(outer(3)); "
        "stats = getattr(outer, 'stats', None); "
        "print(sum(stats.cache_hits.values()) if stats else '')"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=folder,
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(folder / "kept"),
            "NUMBA_DISABLE_JIT": str(int(disable_jit)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    value, hits = done.stdout.split("\n")[:2]
    return value, hits


def test_a_change_in_an_imported_kernel_counts(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(added=1))
    assert _run(tmp_path) == ("8", "0")
    assert _run(tmp_path) == ("8", "1")
    (tmp_path / "inner.py").write_text(INNER.format(added=2))
    assert _run(tmp_path)[0] == "10"


def test_kernels_are_plain_functions_with_the_compiler_off(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(added=1))
    assert _run(tmp_path, disable_jit=True) == ("8", "")
