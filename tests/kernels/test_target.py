"""Kernels add in the same order on processors that LLVM would tune them for differently."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding
from numba import config

from boostbench.kernels import target

AVX2 = "+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+lzcnt,+movbe,+popcnt,+f16c,+cx16"
AVX512 = AVX2 + ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"
# znver4 is unknown to the LLVM of the oldest numba.
HOSTS = [("icelake-server", AVX512), ("znver3", AVX512), ("haswell", AVX2), ("znver3", AVX2)]

SUMS = """
import numpy as np
from boostbench.kernels.elementwise import add_products, dot, weighted_log_loss
from boostbench.kernels.jit import kernel

@kernel
def sums(rows, values, sides, weights, out, n):
    add_products(rows, values, out, n)
    return dot(values, weights, n), weighted_log_loss(values, sides, weights, n)

random = np.random.default_rng(0)
found = []
for n in (5, 64, 1003):
    rows, values, weights = random.normal(size=(6, n)), random.normal(size=n), random.random(n)
    out = np.zeros(6)
    found += [*sums(rows, values, (random.random(n) > 0.5) * 1.0, weights, out, n), *out]
print(np.array(found).tobytes().hex())
"""


def host_has(features: str) -> bool:
    try:
        found = binding.get_host_cpu_features()
    except RuntimeError:
        return False
    return all(found.get(name[1:]) for name in features.split(","))


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.setattr(binding, "set_option", lambda *_: None)
    monkeypatch.setattr(target, "tuning", target.tuning.__wrapped__)
    return monkeypatch


@pytest.mark.parametrize(
    ("features", "name"),
    [
        (AVX512, "skylake-avx512"),
        (AVX512.replace("+avx512dq", "-avx512dq"), "haswell"),
        (AVX2, "haswell"),
        (AVX2.replace(",+fma", ""), ""),
        ("+neon,+sve", ""),
        ("", ""),
    ],
)
def test_tuning_depends_only_on_the_instructions(
    features: str, name: str, fresh: pytest.MonkeyPatch
) -> None:
    fresh.setenv("NUMBA_CPU_FEATURES", features)
    told: list[tuple[str, str]] = []
    fresh.setattr(binding, "set_option", lambda *option: told.append(option))
    assert target.tuning() == name
    # Where there is AVX-512, LLVM knows of its 32 vector registers itself.
    asked = [("", "-force-target-num-vector-regs=32")]
    assert told == (asked if name == "haswell" else [])


def test_instructions_are_what_kernels_may_use(fresh: pytest.MonkeyPatch) -> None:
    fresh.setenv("NUMBA_CPU_FEATURES", AVX2)
    assert target.instructions() == "haswell avx2 fma avx sse4.2"
    fresh.setenv("NUMBA_CPU_FEATURES", "+neon")
    assert target.instructions() == f"{binding.get_host_cpu_name()} neon"
    fresh.delenv("NUMBA_CPU_FEATURES")
    fresh.setenv("NUMBA_CPU_NAME", "generic")
    assert target.tuning() == ""


def test_a_processor_that_llvm_does_not_know_is_no_error(fresh: pytest.MonkeyPatch) -> None:
    def unknown() -> None:
        raise RuntimeError("unknown")

    fresh.delenv("NUMBA_CPU_FEATURES", raising=False)
    fresh.setattr(binding, "get_host_cpu_features", unknown)
    assert target.tuning() == ""


@pytest.mark.skipif(bool(getattr(config, "DISABLE_JIT", False)), reason="nothing is compiled")
@pytest.mark.skipif(not host_has(AVX512), reason="this processor has no AVX-512")
@pytest.mark.own_compiler
@pytest.mark.parametrize("hosts", [HOSTS[1:3], pytest.param(HOSTS, marks=pytest.mark.long)])
def test_sums_have_the_same_bits_on_other_processors(
    hosts: list[tuple[str, str]], tmp_path: Path
) -> None:
    script = tmp_path / "sums.py"
    script.write_text(SUMS)
    running = [
        subprocess.Popen(
            [sys.executable, script],
            env=os.environ
            | {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
            | {"NUMBA_CACHE_DIR": str(tmp_path / name)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, features in hosts
    ]
    answers = {each.communicate()[0] for each in running}
    assert len(answers) == 1
    assert len(answers.pop()) > 100
