"""With a numba that lacks what linking needs, kernels are compiled by plain ``njit``, and told."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import config

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off")

NEWER = "import numba, types; numba.version_info = types.SimpleNamespace(short=(99, 0))\n"
MISSING = "import numba.core.codegen as codegen; del codegen.JITCodeLibrary\n"
FAILING = (
    NEWER
    + """
from numba.core.base import BaseContext
own = BaseContext.subtarget
def subtarget(self, **options):
    if not options.get("enable_nrt", True):
        raise TypeError("no such option")
    return own(self, **options)
BaseContext.subtarget = subtarget
"""
)
SCRIPT = """
import json
import numpy as np
from boostbench.engine.environment import snapshot
from boostbench.kernels import jit
from boostbench.kernels.elementwise import dot

@jit.helper
def twice(x):
    return 2.0 * x

@jit.kernel
def total(x):
    return twice(dot(x, x, x.shape[0]))

found = [type(twice).__name__, total(np.arange(3.0)), twice(4.0)]
print(json.dumps([*found, jit.without_linking, snapshot()["settings"]]))
"""


def _run(folder: Path, before: str, script: str = SCRIPT) -> str:
    (folder / "script.py").write_text(before + script)
    done = subprocess.run(
        [sys.executable, "-B", "-P", folder / "script.py"],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _found(folder: Path, before: str) -> list[Any]:
    found: list[Any] = json.loads(_run(folder, before))
    assert found[1:3] == [10.0, 8.0]
    return [found[0], *found[3:]]


@pytest.mark.parametrize(("broken", "why"), [(MISSING, "JITCodeLibrary"), (FAILING, "no such")])
def test_without_what_linking_needs_kernels_are_compiled_by_njit(
    tmp_path: Path, broken: str, why: str
) -> None:
    kind, reason, settings = _found(tmp_path, broken)
    assert kind == "CPUDispatcher"
    assert reason.startswith("numba ")
    assert why in reason
    assert settings["kernels"] == "compiled by plain njit"


def test_a_newer_numba_is_tried_out(tmp_path: Path) -> None:
    kind, reason, settings = _found(tmp_path, NEWER)
    assert (kind, reason, "kernels" in settings) == ("Helper", "", False)


def test_the_doctor_says_how_kernels_are_compiled(tmp_path: Path) -> None:
    script = "import sys; sys.argv = ['boostbench', 'doctor']\n"
    said = _run(tmp_path, MISSING, f"{script}from boostbench.cli.app import main; main()")
    (line,) = [line for line in said.splitlines() if line.strip().startswith("kernels ")]
    assert "plain njit" in line
