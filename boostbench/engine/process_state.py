"""What a trial may change in its process: restored before the next one, or the process is replaced.

Only what can change a result is looked at. Most of it is restored; what cannot be restored makes
:attr:`ProcessState.unclean` say so.
"""

import contextlib
import decimal
import gc
import locale
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from boostbench.engine.os_processes import children
from boostbench.importing import is_own_file

_SIGNALS = (
    signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP,
    signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
_STREAMS = ("stdin", "stdout", "stderr", "excepthook", "displayhook")
# Whose functions other code calls by name: a replaced one changes what later trials compute.
_PATCHED = (
    "builtins", "json", "math", "os", "random", "time", "numpy", "numpy.random", "numpy.linalg",
)  # fmt: skip
_LIMITS = ("AS", "CORE", "CPU", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "STACK")

Restore = Callable[[], object]


@cache
def thread_pools() -> tuple[Any, ...]:
    """Return the thread pools of the libraries that the first call found loaded."""
    try:
        from threadpoolctl import ThreadpoolController

        return tuple(ThreadpoolController().lib_controllers)
    except Exception:  # a library that cannot be asked is no reason not to run
        return ()


def seed_generators(seed: int) -> None:
    """Seed the global generators of ``random`` and NumPy."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


class ProcessState:
    """The state of this process, taken when this is made, around any number of trials.

    Restored after each trial: working directory, environment and time zone, ``sys.path``, loaded
    modules, streams, warnings filters, NumPy's error state and print options, decimal context,
    locale, scikit-learn's configuration, the threads of BLAS and OpenMP, timers, umask, recursion
    limit, garbage collection, tracing. Seeded from the trial: the global generators of ``random``
    and NumPy. A random generator that a module keeps starts each trial as the import left it.

    ``loaded_before``: whether the generators of modules loaded until now are left as they are.

    What cannot be restored sets :attr:`unclean`: threads or child processes left running, signal
    handlers, lost or left-open files, replaced functions of common modules, limits of resources,
    processors, priority, a generator in a module of the user's own that the trial itself imported.
    """

    def __init__(self, *, loaded_before: bool = True) -> None:
        self._settings, self._restores, self._pools = _settings(), _restores(), _pools()
        self._modules = dict(sys.modules)
        self._handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        self._fixed = _fixed()
        self._functions = {name: _functions(name) for name in _PATCHED if name in sys.modules}
        self._generators: dict[int, tuple[Any, Any]] = {}
        self._seen = set(sys.modules) if loaded_before else set()
        self._threads = threading.active_count()
        self._open_files = _open_files()
        self._note_generators()
        gc.freeze()
        self.unclean = ""

    def after_imports(self, *, own: bool = False) -> bool:
        """Take what importing an estimator's module has brought as given.

        Settings that the import of a library changed are restored, so that no trial depends on
        which other modules its process has imported. Those that a user's ``own`` module made are
        kept, apart from threads; whether there are any is returned: trials of other modules then
        need another process. Files that it keeps open count as before; generators in the new
        modules are noted as they are now.
        """
        keeps = own and _settings() != self._settings
        if keeps:
            self.unclean = self._changed_handlers()
            _set_threads(self._pools)
            self._settings, self._restores = _settings(), _restores()
            self._modules |= sys.modules
        else:
            self.unclean = self._restore()
        self._note_generators()
        self._open_files = _open_files()
        gc.collect()
        gc.freeze()
        return keeps

    def restore(self) -> None:
        """Bring every setting back to what it was when this was made, or was last kept."""
        self.unclean = self._restore()

    def _note_generators(self) -> None:
        for _, generator in self._new_generators(own_only=False):
            self._generators[id(generator)] = (generator, _get_state(generator))

    @contextlib.contextmanager
    def around(self, seed: int) -> Iterator[None]:
        """Run one trial inside; sets :attr:`unclean` where the process should not be used again."""
        seed_generators(seed)
        for generator, state in self._generators.values():
            _set_state(generator, state)
        try:
            with warnings.catch_warnings():
                yield
        finally:
            try:
                self.unclean = self._restore() or self._inspect()
            except Exception as error:
                self.unclean = f"its state cannot be restored ({type(error).__name__})"

    def _changed_handlers(self) -> str:
        with contextlib.suppress(ValueError, OSError):
            signal.setitimer(signal.ITIMER_REAL, 0)
        changed = any(signal.getsignal(n) != handler for n, handler in self._handlers.items())
        return "its signal handlers were changed" if changed else ""

    def _restore(self) -> str:
        if changed := self._changed_handlers():
            return changed
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
        for restore in self._restores:
            restore()
        _set_threads(self._pools)
        return ""

    def _inspect(self) -> str:
        if threading.active_count() > self._threads:
            return "threads were left running"
        if children(os.getpid()):
            return "child processes were left running"
        if any(getattr(stream, "closed", True) for stream in (sys.stdout, sys.stderr)):
            return "its output was closed"
        gc.collect()
        if _open_files() != self._open_files:
            return "files were closed or left open"
        for name, (read, before) in self._fixed.items():
            if read() != before:
                return f"its {name} changed"
        for name, functions in self._functions.items():
            contents = vars(self._modules[name])
            for key, function in functions.items():
                if contents.get(key) is not function:
                    return f"{name}.{key} was replaced"
        if len(sys.modules) > len(self._seen):
            for name, _ in self._new_generators(own_only=True):
                return f"{name} is a generator that trials would share"
            # Looking through new modules after every trial would take longer than many a trial.
            # No file of this trial is open, so no frozen object keeps one open.
            gc.freeze()
        return ""

    def _new_generators(self, *, own_only: bool) -> list[tuple[str, Any]]:
        """Return the random generators that modules loaded since the last call keep, by name."""
        found = []
        kinds = (random.Random, np.random.Generator, np.random.RandomState)
        shared = (random._inst, np.random.mtrand._rand)
        for name in [name for name in list(sys.modules) if name not in self._seen]:
            self._seen.add(name)
            module = sys.modules[name]
            if own_only and not is_own_file(getattr(module, "__file__", None)):
                continue
            with contextlib.suppress(Exception):
                contents = list(vars(module).items())
                # Those that a class keeps are shared by its instances.
                values = [value for _, value in contents]
                for kind in [v for v in values if isinstance(v, type) and v.__module__ == name]:
                    contents += [(f"{kind.__name__}.{k}", v) for k, v in vars(kind).items()]
                found += [
                    (f"{name}.{key}", value)
                    for key, value in contents
                    if isinstance(value, kinds)
                    # The system's generator has no state.
                    and not isinstance(value, random.SystemRandom)
                    and not any(value is one for one in shared)
                ]
        return found


def _restores() -> list[Restore]:
    """Return functions that restore each setting to its present value."""
    streams = [(name, getattr(sys, name)) for name in _STREAMS]
    recursion, umask, folder = sys.getrecursionlimit(), _umask(), os.getcwd()  # noqa: PTH109
    environ, path = dict(os.environ), list(sys.path)
    errors, options, buffer = np.geterr(), np.get_printoptions(), np.getbufsize()
    generator, context = _bit_generator(), decimal.getcontext().copy()
    language = locale.setlocale(locale.LC_ALL)
    digits = sys.get_int_max_str_digits()
    # Not loaded yet, it is as it comes when a trial loads it.
    sklearn = sys.modules.get("sklearn")
    config = sklearn.get_config() if sklearn is not None else {}

    def set_environment() -> None:
        if dict(os.environ) != environ:
            os.environ.clear()
            os.environ.update(environ)
        if time.tzname != zone:
            time.tzset()

    def set_generator() -> None:
        if _bit_generator() is not generator:
            np.random.set_bit_generator(generator)  # type: ignore[attr-defined]

    def set_sklearn() -> None:
        if sklearn is not None and sklearn.get_config() != config:
            sklearn.set_config(**config)

    zone = time.tzname
    return [
        set_environment,
        lambda: sys.path.__setitem__(slice(None), path),
        lambda: vars(sys).update(streams),
        lambda: sys.setrecursionlimit(recursion),
        lambda: sys.set_int_max_str_digits(digits),
        lambda: sys.settrace(None),
        lambda: sys.setprofile(None),
        lambda: os.umask(umask),
        lambda: np.seterr(**errors),
        lambda: np.set_printoptions(**options),
        lambda: np.setbufsize(buffer) if np.getbufsize() != buffer else None,
        lambda: decimal.setcontext(context.copy()),
        lambda: locale.setlocale(locale.LC_ALL, language),
        set_generator,
        set_sklearn,
        gc.enable,
        lambda: os.chdir(folder),
    ]


def _settings() -> dict[str, Any]:
    """Return what modules may set when they are imported, to be compared by value."""
    sklearn = sys.modules.get("sklearn")
    return {
        "folder": os.getcwd(),  # noqa: PTH109
        "environ": dict(os.environ),
        "path": list(sys.path),
        "streams": [id(getattr(sys, name)) for name in _STREAMS],
        "recursion": sys.getrecursionlimit(),
        "digits": sys.get_int_max_str_digits(),
        "umask": _umask(),
        "errors": np.geterr(),
        "print": repr(np.get_printoptions()),
        "buffer": np.getbufsize(),
        "decimal": repr(decimal.getcontext()),
        "locale": locale.setlocale(locale.LC_ALL),
        "sklearn": None if sklearn is None else repr(sklearn.get_config()),
        "warnings": list(warnings.filters),
    }


def _pools() -> list[tuple[Any, int]]:
    return [(pool, pool.num_threads) for pool in thread_pools()]


def _set_threads(pools: list[tuple[Any, int]]) -> None:
    for pool, threads in pools:
        if pool.num_threads != threads:
            pool.set_num_threads(threads)


def _fixed() -> dict[str, tuple[Callable[[], Any], Any]]:
    """Return how to read each setting that cannot be restored, and its present value."""
    readers: dict[str, Callable[[], Any]] = {
        "limits of resources": _limits,
        "processors": lambda: (
            frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()
        ),
        "priority": lambda: os.getpriority(os.PRIO_PROCESS, 0),
        # A library compiled with -ffast-math makes them zero for the whole process.
        "handling of small floating-point numbers": lambda: sys.float_info.min / 2 > 0,
    }
    return {name: (read, read()) for name, read in readers.items()}


def _limits() -> tuple[Any, ...]:
    import resource

    return tuple(
        resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        for name in _LIMITS
        if hasattr(resource, f"RLIMIT_{name}")
    )


def _functions(module: str) -> dict[str, Any]:
    return {key: value for key, value in vars(sys.modules[module]).items() if callable(value)}


def _bit_generator() -> Any:
    return np.random.get_bit_generator()  # type: ignore[attr-defined]


def _umask() -> int:
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


def _get_state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.bit_generator.state = state


def _open_files() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(name):  # noqa: PTH208
                # The descriptor of this very listing is gone by the time it is looked at.
                with contextlib.suppress(OSError, ValueError):
                    status = os.fstat(int(descriptor))
                    found[descriptor] = (status.st_dev, status.st_ino)
            return found
    return found
