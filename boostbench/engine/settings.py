"""What a process-wide setting is now, so that a trial which changed one can be told."""

import contextlib
import decimal
import locale
import operator
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from itertools import repeat
from types import ModuleType
from typing import Any

_PATCHED = (
    "builtins", "json", "math", "os", "random", "time", "numpy", "numpy.random", "numpy.linalg",
)  # fmt: skip
_NOTHING = object()
_LIMITS = ("AS", "CORE", "CPU", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "STACK")


@cache
def thread_pools() -> tuple[Any, ...]:
    """Return the handles of the thread pools of the libraries loaded by the first call."""
    try:
        from threadpoolctl import ThreadpoolController

        return tuple(ThreadpoolController().lib_controllers)
    except Exception:  # a library that cannot be asked is no reason not to run
        return ()


def _limits() -> tuple[Any, ...]:
    import resource

    return tuple(
        resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        for name in _LIMITS
        if hasattr(resource, f"RLIMIT_{name}")
    )


def _processors() -> frozenset[int]:
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def _numpy() -> tuple[Any, ...]:
    import numpy as np

    return (repr(np.get_printoptions()), np.getbufsize())


def _sklearn() -> Any:
    loaded = sys.modules.get("sklearn")
    return None if loaded is None else loaded.get_config()


def _generator() -> str:
    import numpy as np

    return type(np.random.get_bit_generator()).__name__  # type: ignore[attr-defined]


# "Its {name} were changed" is what is said of each.
_SETTINGS: dict[str, Callable[[], Any]] = {
    "threads of BLAS or OpenMP": lambda: [pool.num_threads for pool in thread_pools()],
    "limits of resources": _limits,
    "processors": _processors,
    "priority": lambda: os.getpriority(os.PRIO_PROCESS, 0),
    "locale": lambda: locale.setlocale(locale.LC_ALL),
    "time zone": lambda: (time.tzname, time.timezone),
    "decimal context": lambda: repr(decimal.getcontext()),
    "interpreter's settings": lambda: (
        sys.getswitchinterval(), sys.get_int_max_str_digits(), sys.unraisablehook,
        list(sys.meta_path), list(sys.path_hooks),
    ),
    "NumPy settings": _numpy,
    "NumPy generator": _generator,
    "scikit-learn settings": _sklearn,
    "small floating-point numbers": lambda: sys.float_info.min / 2 > 0,
}  # fmt: skip


def _other(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Return a name whose object in ``now`` is another one than ``before``, or none at all."""
    # There are thousands of names, and a loop over them takes several times as long.
    if all(map(operator.is_, map(now.get, before, repeat(_NOTHING)), before.values())):
        return None
    return next(name for name, value in before.items() if now.get(name, _NOTHING) is not value)


class Settings:
    """The settings of the process when this was made."""

    def __init__(self) -> None:
        self._before = {name: read() for name, read in _SETTINGS.items()}
        self._modules = dict(sys.modules)
        self._contents = {
            name: {
                key: value
                for key, value in vars(sys.modules[name]).items()
                if not isinstance(value, ModuleType)
            }
            for name in _PATCHED
            if name in sys.modules
        }

    def changed(self) -> str:
        """Return what is different now in words, empty where nothing is."""
        for name, read in _SETTINGS.items():
            before = self._before[name]
            # scikit-learn may have been imported since: then it is as it comes.
            if before is not None and read() != before:
                return f"its {name} changed"
        replaced = _other(self._modules, sys.modules)
        if replaced is not None:
            return f"the module {replaced} was replaced"
        for name, contents in self._contents.items():
            replaced = _other(contents, vars(self._modules[name]))
            if replaced is not None:
                return f"{name}.{replaced} was replaced"
        # None is gone, so more of them are those that a trial has loaded.
        return self._generators() if len(sys.modules) > len(self._modules) else ""

    def _generators(self) -> str:
        """Tell of random generators that a module loaded by a trial keeps from call to call."""
        import numpy as np

        kinds = (random.Random, np.random.Generator, np.random.RandomState)
        shared = (random._inst, np.random.mtrand._rand)
        for name in [name for name in list(sys.modules) if name not in self._modules]:
            module = sys.modules[name]
            with contextlib.suppress(Exception):
                for key, value in vars(module).items():
                    if isinstance(value, kinds) and not any(value is one for one in shared):
                        return f"{name}.{key} is a generator that trials would share"
            self._modules[name] = module
        return ""
