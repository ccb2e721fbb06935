"""Imports and compiled kernels before the first trial, with a report of how far the compiler is."""

import contextlib
import importlib
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from boostbench.estimators import module_of, path_parts
from boostbench.user_code import own_sources

Report = Callable[[dict[str, Any]], None]

_PRELOADED = frozenset({"boostbench", "sklearn", "scipy", "pandas"})
_TREES = "boostbench.trees"
_WITH_KERNELS = (_TREES, "boostbench.boosting")
_OWN_NEED = ("sklearn.base", "sklearn.utils.validation")
# Parameters of tree estimators that have kernels of their own.
_OWN_KERNELS = {
    "SoftRegressionTree": "convergent_after",
    "RandomizedRegressionTree": "init",
}


def what_to_warm(
    estimators: Sequence[str], parameters: Collection[str] | None = None
) -> tuple[list[str], list[str]]:
    """Return the modules worth importing before the first fork, and what has kernels to warm.

    The latter are packages, or ``package:Estimator`` where only that one's kernels are needed, or
    ``package:Estimator.parameter`` for the kernels of one parameter. ``parameters`` are the names
    of those that trials give, None if they are not known.
    A user's own modules, and packages that may start threads, are left to the workers, where time
    and memory are limited; what own modules import of well-behaved packages is not.
    """
    known: dict[str, None] = {}
    warm: dict[str, None] = {}
    for path in dict.fromkeys(estimators):
        name = module_of(path)
        if name.partition(".")[0] in _PRELOADED:
            known[name] = None
            package = _package(name)
            if package == _TREES:
                estimator = path_parts(path)[-1]
                warm[f"{package}:{estimator}"] = None
                own = _OWN_KERNELS.get(estimator)
                if own is not None and (parameters is None or own in parameters):
                    warm[f"{package}:{estimator}.{own}"] = None
            elif package in _WITH_KERNELS:
                warm[package] = None
            continue
        imported = sorted(own_sources(path).installed)
        wanted = [name for name in imported if name.partition(".")[0] in _PRELOADED]
        known.update(dict.fromkeys([*_OWN_NEED, *wanted]))
        packages = dict.fromkeys(_package(name) for name in wanted)
        warm.update(dict.fromkeys(name for name in packages if name in _WITH_KERNELS))
    # All of a package includes each of its estimators.
    needed = [text for text in warm if ":" not in text or text.partition(":")[0] not in warm]
    return list(known), needed


def _package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def warm_up(modules: Sequence[str], needed: Sequence[str], report: Report) -> None:
    """Import ``modules`` and call ``warm_up()`` of each package in ``needed``.

    For ``package:Estimator`` it is called with the names of the package's estimators.
    ``report`` gets ``{"compiled": k, "kernels": n}`` for each kernel that is compiled and not found
    in the cache. What cannot be imported or compiled is left to the trials to report.
    """
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    packages: dict[str, list[str]] = {}
    for text in needed:
        package, _, estimator = text.partition(":")
        packages.setdefault(package, []).extend([estimator] if estimator else [])
    if not packages:
        return
    with _compilations(list(packages), report):
        for name, estimators in packages.items():
            try:
                importlib.import_module(name).warm_up(*([estimators] if estimators else []))
            except Exception:
                traceback.print_exc()


@contextlib.contextmanager
def _compilations(packages: Sequence[str], report: Report) -> Iterator[None]:
    from numba.core import event

    class Compiled(event.Listener):
        reported = (0, 0)

        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            # What kernels use of numba's own is compiled too, and is not counted.
            kernels = _kernels(packages)
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


def _kernels(packages: Sequence[str]) -> list[Any]:
    """Return the functions to compile in the modules of ``packages`` that are loaded."""
    found: dict[int, Any] = {}
    for name, module in list(sys.modules.items()):
        if any(name == package or name.startswith(f"{package}.") for package in packages):
            for value in vars(module).values():
                # An inlined function is compiled as a part of its callers.
                if hasattr(value, "overloads") and value.targetoptions.get("inline") != "always":
                    found[id(value)] = value
    return list(found.values())
