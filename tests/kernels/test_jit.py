"""Cached kernels are never used after their sources have changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_a_change_in_a_kernel_or_helper_counts_in_those_that_call_it(tmp_path: Path) -> None:
    shared, family = tmp_path / "boostbench" / "kernels", tmp_path / "family"
    shared.mkdir(parents=True)
    family.mkdir()
    (shared.parent / "__init__.py").touch()
    (shared / "__init__.py").touch()
    for name in ("jit", "cache_folder", "compiler", "plain", "exp_log", "target"):
        shutil.copy(Path(kernels.__file__).with_name(f"{name}.py"), shared)
    (shared / "common.py").write_text(INNER.format(added=1))
    (family / "beside.py").write_text(INNER.format(added=1))
    options = '(fastmath={"contract"})'
    (family / "inner.py").write_text(HELPER.format(added=1, options=options))
    (family / "outer.py").write_text(OUTER)
    (family / "of_common.py").write_text(
        OUTER.replace("inner import", "boostbench.kernels.common import")
    )
    (family / "of_beside.py").write_text(OUTER.replace("inner import", "beside import"))
    script = (
        "import of_beside, of_common\n"
        "for kernel in (outer, of_beside.outer, of_common.outer):\n"
        "    print(kernel(3), sum(kernel.stats.cache_hits.values()), end=' ')\n"
        "print(len(inner.overloads))"
    )
    # The kernel that is kept has the helper's code.
    assert [_run(family, script) for _ in range(2)] == ["8 0 8 0 8 0 1", "8 1 8 1 8 1 0"]
    names = {path.name.partition("-")[0] for path in family.rglob("*.nbi")}
    callers = {"outer.outer", "of_beside.outer", "of_common.outer"}
    assert names == {*callers, "beside.inner", "common.inner"}
    (family / "inner.py").write_text(HELPER.format(added=2, options=options))
    (family / "beside.py").write_text(INNER.format(added=3))
    assert _run(family, script) == "10 0 12 0 8 0 1"
    (shared / "common.py").write_text(INNER.format(added=2))
    assert _run(family, script) == "10 0 12 0 10 0 1"


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


def test_both_compilers_give_the_same_and_neither_takes_what_the_other_kept(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(HELPER.format(added=1, options=""))
    assert _run(tmp_path, _ASKED, plain_numba=True) == "8 5.5 False 0"
    if not PLAIN_NUMBA:
        assert _run(tmp_path, _ASKED, plain_numba=False) == "8 5.5 True 0"
    assert _run(tmp_path, _ASKED, plain_numba=True) == "8 5.5 False 1"
    if not PLAIN_NUMBA:
        assert _run(tmp_path, _ASKED, plain_numba=False) == "8 5.5 True 1"
    # numba's own cache does not see that the helper has changed.
    (tmp_path / "inner.py").write_text(HELPER.format(added=2, options=""))
    assert _run(tmp_path, _ASKED, plain_numba=True) == "10 6.5 False 0"
