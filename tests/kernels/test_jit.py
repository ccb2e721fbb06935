"""Cached kernels are never used after their sources have changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


_SCRIPT = (
    "from outer import outer; print(outer(3)); "
    "stats = getattr(outer, 'stats', None); "
    "print(sum(stats.cache_hits.values()) if stats else '')"
)


def _run(folder: Path, *, disable_jit: bool = False, script: str = _SCRIPT) -> tuple[str, str]:
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
    for module in (jit, compiler, exp_log, target):
        shutil.copy(module.__file__, shared)
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


def test_a_helper_is_compiled_with_its_kernel_only(tmp_path: Path) -> None:
    options = '(fastmath={"contract"})'
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=options))
    script = (
        "from outer import outer, inner; print(outer(3)); "
        "print(len(inner.overloads), sum(outer.stats.cache_hits.values()))"
    )
    assert _run(tmp_path, script=script) == ("8", "1 0")
    # The kernel that is kept has the helper's code.
    assert _run(tmp_path, script=script) == ("8", "0 1")
    assert {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")} == {"outer.outer"}
    (tmp_path / "inner.py").write_text(HELPER.format(added=2, options=options))
    assert _run(tmp_path, script=script) == ("10", "1 0")


def test_python_can_call_a_helper_and_gets_its_errors(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=""))
    script = (
        "from outer import outer, inner\n"
        "print(inner(3), outer(3), inner(4.5), inner(3))\n"
        "for call in (outer, inner):\n"
        "    try: call(-1)\n"
        "    except ValueError as error: print(error, end=' ')"
    )
    for disable_jit in (False, False, True):
        found = _run(tmp_path, script=f"{script}\nprint()", disable_jit=disable_jit)
        assert found == ("4 8 5.5 4", "below zero below zero ")
