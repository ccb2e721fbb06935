"""Cached kernels are never used after their sources have changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench.kernels import compiler, exp_log, jit, target

INNER = """
from boostbench.kernels.jit import kernel

@kernel
def inner(x):
    return x + {added}
"""
HELPER = """
from boostbench.kernels.jit import helper

@helper{options}
def inner(x):
    if x < 0:
        raise ValueError("below zero")
    return x + {added}
"""
OUTER = """
from boostbench.kernels.jit import kernel
from inner import inner

@kernel
def outer(x):
    return 2 * inner(x)
"""


def _run(folder: Path, script: str, *, disable_jit: bool = False) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"from outer import outer, inner\n{script}"],
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
    return done.stdout.strip()


@pytest.mark.parametrize("kind", ["imported", "shared"])
def test_a_change_in_another_kernel_counts(tmp_path: Path, kind: str) -> None:
    family, outer = tmp_path / "family", OUTER
    family.mkdir()
    inner = family / "inner.py"
    if kind == "shared":
        shared = tmp_path / "boostbench" / "kernels"
        shared.mkdir(parents=True)
        (shared.parent / "__init__.py").touch()
        (shared / "__init__.py").touch()
        for module in (jit, compiler, exp_log, target):
            shutil.copy(module.__file__, shared)
        inner = shared / "inner.py"
        outer = OUTER.replace("from inner", "from boostbench.kernels.inner")
    (family / "outer.py").write_text(outer)
    inner.write_text(INNER.format(added=1))
    script = "print(outer(3), sum(outer.stats.cache_hits.values()))"
    assert [_run(family, script) for _ in range(2)] == ["8 0", "8 1"]
    inner.write_text(INNER.format(added=2))
    assert _run(family, script).startswith("10 ")


def test_a_helper_is_compiled_with_its_kernel_only(tmp_path: Path) -> None:
    options = '(fastmath={"contract"})'
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=options))
    script = "print(outer(3), len(inner.overloads), sum(outer.stats.cache_hits.values()))"
    # The kernel that is kept has the helper's code.
    assert [_run(tmp_path, script) for _ in range(2)] == ["8 1 0", "8 0 1"]
    assert {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")} == {"outer.outer"}
    (tmp_path / "inner.py").write_text(HELPER.format(added=2, options=options))
    assert _run(tmp_path, script) == "10 1 0"


def test_python_can_call_a_helper_and_gets_its_errors(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=""))
    script = (
        "print(inner(3), outer(3), inner(4.5), inner(3))\n"
        "for call in (outer, inner):\n"
        "    try: call(-1)\n"
        "    except ValueError as error: print(error)"
    )
    for disable_jit in (False, False, True):
        found = _run(tmp_path, script, disable_jit=disable_jit).splitlines()
        assert found == ["4 8 5.5 4", "below zero", "below zero"]
