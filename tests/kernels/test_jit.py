"""Cached kernels are never used after their sources have changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench import kernels
from boostbench.kernels.jit import PLAIN_NUMBA

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


def _run(
    folder: Path, script: str, *, disable_jit: bool = False, plain_numba: bool = PLAIN_NUMBA
) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"from outer import outer, inner\n{script}"],
        cwd=folder,
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(folder / "kept"),
            "NUMBA_DISABLE_JIT": str(int(disable_jit)),
            "BOOSTBENCH_PLAIN_NUMBA": str(int(plain_numba)),
            "PYTHONPATH": f"{folder.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
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
        for name in ("jit", "cache_folder", "compiler", "plain", "exp_log", "target"):
            shutil.copy(Path(kernels.__file__).with_name(f"{name}.py"), shared)
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


_ASKED = """
import sys
own = "boostbench.kernels.compiler" in sys.modules
print(outer(3), inner(4.5), own, sum(outer.stats.cache_hits.values()))
"""


def test_plain_numba_compiles_the_same_without_the_own_compiler(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=""))
    runs = [_run(tmp_path, _ASKED, plain_numba=True) for _ in range(2)]
    assert runs == ["8 5.5 False 0", "8 5.5 False 1"]
    # numba's own cache does not see that the helper has changed.
    (tmp_path / "inner.py").write_text(HELPER.format(added=2, options=""))
    assert _run(tmp_path, _ASKED, plain_numba=True) == "10 6.5 False 0"


@pytest.mark.own_compiler
def test_neither_compiler_takes_kernels_that_the_other_kept(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=""))
    order = (True, False, True, False)
    runs = [_run(tmp_path, _ASKED, plain_numba=plain) for plain in order]
    assert runs == ["8 5.5 False 0", "8 5.5 True 0", "8 5.5 False 1", "8 5.5 True 1"]
