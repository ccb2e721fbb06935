"""Cached kernels are never used after their sources have changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from boostbench.kernels import jit

INNER = """
from boostbench.kernels.jit import kernel

@kernel
def inner(x):
    return x + {added}
"""
OUTER = """
from boostbench.kernels.jit import kernel
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
            "PYTHONPATH": str(folder.parent),
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


def test_a_change_in_a_shared_kernel_counts(tmp_path: Path) -> None:
    shared, family = tmp_path / "boostbench" / "kernels", tmp_path / "family"
    shared.mkdir(parents=True)
    family.mkdir()
    (tmp_path / "boostbench" / "__init__.py").touch()
    (shared / "__init__.py").touch()
    shutil.copy(jit.__file__, shared)
    (shared / "inner.py").write_text(INNER.format(added=1))
    (family / "outer.py").write_text(OUTER.replace("from inner", "from boostbench.kernels.inner"))
    assert _run(family) == ("8", "0")
    assert _run(family) == ("8", "1")
    (shared / "inner.py").write_text(INNER.format(added=2))
    assert _run(family)[0] == "10"


def test_kernels_are_plain_functions_with_the_compiler_off(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(added=1))
    assert _run(tmp_path, disable_jit=True) == ("8", "")
