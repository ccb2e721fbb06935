"""The compilation before a run, in tasks that several processes can share."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from boostbench.kernels.compiler import Helper


class Task(NamedTuple):
    """``run()`` calls kernels on tiny data; those of the modules ``modules`` are among them."""

    run: Callable[[], None]
    modules: tuple[str, ...] = ()


def is_kept(task: Task) -> bool:
    """Whether all kernels of the task are on disk already, for some arguments."""
    kernels = [each for name in task.modules for each in _kernels(name)]
    return bool(kernels) and all(_index(each) for each in kernels)


def can_keep(tasks: Sequence[Task]) -> bool:
    """Whether kernels are kept on disk, where other processes find them."""
    kernels = [each for task in tasks for name in task.modules for each in _kernels(name)]
    return bool(kernels) and all(each.stats.cache_path is not None for each in kernels)


def functions_to_compile(module: str) -> dict[str, Any]:
    """Return the kernels and helpers in a module by name, also those that it imports from others.

    A module that is not loaded has none.
    """
    loaded = vars(sys.modules[module]) if module in sys.modules else {}
    return {name: each for name, each in loaded.items() if hasattr(each, "overloads")}


def _kernels(module: str) -> list[Any]:
    return [
        each
        for each in functions_to_compile(module).values()
        if not isinstance(each, Helper) and each.py_func.__module__ == module
    ]


def _index(kernel: Any) -> Any:
    file = getattr(kernel._cache, "_cache_file", None)
    return file is not None and file._load_index()
