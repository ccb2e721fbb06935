"""Which processor the kernels are tuned for: the same one wherever its instructions exist.

LLVM divides a loop that sums into as many interleaved sums as it holds best for the processor at
hand. Two processors with the same instructions then add in different orders; results differ in
their last bits, and by more where a decision hangs on them.
"""

import os
from functools import cache

from llvmlite import binding

_AVX512 = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma")
_AVX2 = ("avx2", "bmi", "bmi2", "fma")
_WIDEST_FIRST = ("avx512f", "avx2", "fma", "avx", "sse4.2", "sve", "neon")


@cache
def tuning() -> str:
    """LLVM's name of the processor to tune for, or an empty string: the one at hand."""
    features = _features()
    if features.issuperset(_AVX512):
        return "skylake-avx512"
    if features.issuperset(_AVX2):
        # As many interleaved sums as with AVX-512, which has 32 vector registers. It holds for all
        # of numba in this process, and changes nothing there but the order of sums. LLVM ends the
        # process over an option that it does not know: all that numba may have here know this one.
        binding.set_option("", "-force-target-num-vector-regs=32")
        return "haswell"
    return ""


def instructions() -> str:
    """Return the processor that kernels are tuned for, and the widest instructions allowed."""
    features = _features()
    usable = (name for name in _WIDEST_FIRST if name in features)
    return " ".join([tuning() or binding.get_host_cpu_name(), *usable])


def processor() -> str:
    """Return the processor that numba compiles for, and its instructions, by LLVM's names."""
    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    return " ".join([name, tuning(), *sorted(_features())])


def _features() -> frozenset[str]:
    """Return the instructions that numba uses, by LLVM's names, without importing numba."""
    named = os.environ.get("NUMBA_CPU_FEATURES")
    if named is None and os.environ.get("NUMBA_CPU_NAME") != "generic":
        try:
            features = binding.get_host_cpu_features()
        except RuntimeError:
            return frozenset()
        return frozenset(name for name, has in features.items() if has)
    return frozenset(name[1:] for name in (named or "").split(",") if name.startswith("+"))
