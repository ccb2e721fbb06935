"""The compilation before a run, in tasks that several processes can share."""

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numba import typeof

from boostbench.kernels.compiler import Helper


class Task(NamedTuple):
    """``run()`` calls kernels on tiny data; those of the modules ``modules`` are among them.

    So are ``kernels``, each with values whose types are among those of its arguments. ``shared``
    are functions that they call and kernels of other tasks may call, too, each with values of its
    arguments' types.
    """

    run: Callable[[], None]
    modules: tuple[str, ...] = ()
    kernels: tuple[tuple[Any, tuple[Any, ...]], ...] = ()
    shared: tuple[tuple[Any, tuple[Any, ...]], ...] = ()


def is_kept(task: Task) -> bool:
    """Whether all kernels of the task are on disk already, for arguments of its values' types."""
    kernels = _all_kernels(task)
    return bool(kernels) and all(_is_kept(kernel, values) for kernel, values in kernels)


def can_keep(tasks: Sequence[Task]) -> bool:
    """Whether kernels are kept on disk, where other processes find them."""
    kernels = [kernel for task in tasks for kernel, _ in _all_kernels(task)]
    return bool(kernels) and all(
        hasattr(each, "stats") and each.stats.cache_path is not None for each in kernels
    )


def compile_shared(tasks: Sequence[Task]) -> None:
    """Compile what several of the tasks call, for copies of this process to have already.

    What cannot be compiled is left to the tasks.
    """
    users: Counter[Any] = Counter()
    for task in tasks:
        for function, values in task.shared:
            try:
                users[function, tuple(map(typeof, values))] += 1
            except Exception:
                traceback.print_exc()
    for (function, types), n_users in users.items():
        if n_users > 1:
            try:
                function.compile(types)
            except Exception:
                traceback.print_exc()


def functions_to_compile(module: str) -> dict[str, Any]:
    """Return the kernels and helpers in a module by name, also those that it imports from others.

    A module that is not loaded has none.
    """
    loaded = vars(sys.modules[module]) if module in sys.modules else {}
    return {name: each for name, each in loaded.items() if hasattr(each, "overloads")}


def _all_kernels(task: Task) -> list[tuple[Any, tuple[Any, ...]]]:
    return [*task.kernels, *((each, ()) for name in task.modules for each in _kernels(name))]


def _kernels(module: str) -> list[Any]:
    return [
        each
        for each in functions_to_compile(module).values()
        if not isinstance(each, Helper) and each.py_func.__module__ == module
    ]


def _is_kept(kernel: Any, values: tuple[Any, ...]) -> bool:
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    wanted = {typeof(value) for value in values}
    return file is not None and any(wanted <= set(types) for types, *_ in file._load_index())
