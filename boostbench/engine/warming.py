"""Imports and compiled kernels before the first trial, with a word on how far the compiler is."""

import contextlib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Report = Callable[[dict[str, Any]], None]


def warm_up(modules: Sequence[str], rooms: Sequence[str], report: Report) -> None:
    """Import ``modules`` and call ``warm_up()`` of each module in ``rooms``.

    ``report`` gets ``{"compiled": k, "kernels": n}`` for each kernel that is compiled and not found
    in the cache. What cannot be imported or compiled is left to the trials to report.
    """
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    if not rooms:
        return
    with _compilations(rooms, report):
        for name in rooms:
            try:
                importlib.import_module(name).warm_up()
            except Exception:
                traceback.print_exc()


@contextlib.contextmanager
def _compilations(rooms: Sequence[str], report: Report) -> Iterator[None]:
    from numba.core import event

    class Compiled(event.Listener):
        reported = (0, 0)

        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            # What kernels use of numba's own is compiled too, and is not counted.
            kernels = _kernels(rooms)
            now = (sum(bool(kernel.overloads) for kernel in kernels), len(kernels))
            if now != self.reported:
                self.reported = now
                report({"compiled": now[0], "kernels": now[1]})

    listener = Compiled()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


def _kernels(rooms: Sequence[str]) -> list[Any]:
    """Return the functions to compile in the modules of ``rooms`` that are loaded."""
    found: dict[int, Any] = {}
    for name, module in list(sys.modules.items()):
        if any(name == room or name.startswith(f"{room}.") for room in rooms):
            for value in vars(module).values():
                # An inlined function is compiled as a part of its callers.
                if hasattr(value, "overloads") and value.targetoptions.get("inline") != "always":
                    found[id(value)] = value
    return list(found.values())
