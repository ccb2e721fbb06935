"""Imports and compiled kernels before the first trial, with a report of how far the compiler is."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.engine import os_processes
from boostbench.errors import DataError
from boostbench.estimators import module_of, path_parts
from boostbench.user_code import own_sources

if TYPE_CHECKING:
    from boostbench.kernels.tasks import Task
    from boostbench.plan.trial import Trial

Report = Callable[[dict[str, Any]], None]
_PIPE_SIZE = 1 << 16
# New objects after which Python collects garbage while kernels are compiled.
_GARBAGE = 500_000
Notify = Callable[[frozenset[str], frozenset[str]], None]

_CLASSES = "classification"
# From that many classes on, boosting has the same kernels for any number.
_MOST_DIFFERENT = 32
_PRELOADED = frozenset({"boostbench", "sklearn", "scipy", "pandas"})
_TREES = "boostbench.trees"
_BOOSTING = "boostbench.boosting"
_WITH_KERNELS = (_TREES, _BOOSTING)
_OWN_NEED = ("sklearn.base", "sklearn.utils.validation")
# Parameters that have kernels of their own.
_OWN_KERNELS = {
    "SoftRegressionTree": "convergent_after",
    "RandomizedRegressionTree": "init",
    "AdaBoostMO": "code",
}


def what_to_warm(
    estimators: Sequence[str],
    parameters: Collection[str] | None = None,
    sizes: Callable[[], Collection[str]] = tuple,
) -> tuple[list[str], list[str]]:
    """Return the modules worth importing before the first fork, and what has kernels to warm.

    The latter are packages, or ``package:Estimator`` where only that one's kernels are needed, or
    ``package:Estimator.parameter`` for the kernels of one parameter. ``parameters`` are the names
    of those that trials give, None if they are not known. ``sizes`` returns those of the data, as
    ``ROWSxCLASSES``, nothing if they are not known: boosting has kernels for each, and gets them as
    ``package:ROWSxCLASSES``.
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
            if package in _WITH_KERNELS:
                estimator = path_parts(path)[-1]
                warm[f"{package}:{estimator}"] = None
                own = _OWN_KERNELS.get(estimator)
                if own is not None and (parameters is None or own in parameters):
                    warm[f"{package}:{estimator}.{own}"] = None
            continue
        imported = sorted(own_sources(path).installed)
        wanted = [name for name in imported if name.partition(".")[0] in _PRELOADED]
        known.update(dict.fromkeys([*_OWN_NEED, *wanted]))
        packages = dict.fromkeys(_package(name) for name in wanted)
        warm.update(dict.fromkeys(name for name in packages if name in _WITH_KERNELS))
    if any(text.startswith(f"{_BOOSTING}:") for text in warm):
        warm.update((f"{_BOOSTING}:{size}", None) for size in sizes())
    # All of a package includes each of its estimators.
    needed = [text for text in warm if ":" not in text or text.partition(":")[0] not in warm]
    return list(known), needed


def sizes_of(trials: Iterable[Trial], arrays_dir: Path) -> list[str]:
    """Return the sizes of classification data for :func:`what_to_warm`, [] if one is unknown.

    One that training rows may lack a class of has several sizes.
    """
    import numpy as np

    from boostbench.data.arrays import load_targets

    sizes: dict[str, None] = {}
    given = {(each.fingerprint, each.train_rows) for each in trials if each.task == _CLASSES}
    try:
        for fingerprint, train_rows in sorted(given, key=str):
            y = load_targets(fingerprint, arrays_dir)
            counts = np.unique(y, return_counts=True)[1]
            # A test part may have the only row of a class; given parts are not stratified.
            fewest = len(np.unique(y[:train_rows])) if train_rows else int((counts > 1).sum())
            some = range(fewest, min(len(counts), _MOST_DIFFERENT))
            sizes.update((f"{len(y)}x{number}", None) for number in (*some, len(counts)))
    except DataError:
        return []  # the trials report it
    return list(sizes)


def _package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def warm_up(
    modules: Sequence[str], needed: Sequence[str], report: Report, processes: int = 1
) -> None:
    """Import ``modules``, and compile or load the kernels of all that is ``needed``.

    A package in ``needed`` has ``warm_up_tasks()`` or ``warm_up()``; for ``package:Estimator`` it
    is called with the names of the package's estimators and the sizes of the data. Of ``processes``
    at most two compile, and only where kernels are kept on disk and some are missing there.
    ``report`` gets ``{"compiled": k, "kernels": n}`` for each kernel that is compiled and not found
    in the cache. What cannot be imported or compiled is left to the trials to report.
    """
    with _garbage_kept():
        for name in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    packages: dict[str, list[str]] = {}
    for text in needed:
        package, _, estimator = text.partition(":")
        packages.setdefault(package, []).extend([estimator] if estimator else [])
    if not packages:
        return
    from boostbench.kernels.tasks import can_keep, is_kept

    tasks: list[Task] = []
    for name, estimators in packages.items():
        try:
            tasks += _tasks(importlib.import_module(name), [estimators] if estimators else [])
        except Exception:
            traceback.print_exc()
    missing = [task for task in tasks if not is_kept(task)]
    if processes > 1 and len(missing) > 1 and can_keep(tasks):
        _run_in_two(missing, list(packages), report)
    with _compilations(list(packages), _counts(report)):
        for task in tasks:
            _run(task)


@contextlib.contextmanager
def _garbage_kept() -> Iterator[None]:
    """Collect no garbage inside: a fifth of the time of imports, of which everything stays."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _tasks(package: Any, arguments: list[list[str]]) -> list[Task]:
    from boostbench.kernels.tasks import Task

    if hasattr(package, "warm_up_tasks"):
        return list(package.warm_up_tasks(*arguments))
    return [Task(partial(package.warm_up, *arguments))]


def _run(task: Task) -> None:
    try:
        task.run()
    except Exception:
        traceback.print_exc()


def _run_in_two(tasks: Sequence[Task], packages: Sequence[str], report: Report) -> None:
    """Run the tasks in this process and in a copy of it; each takes the next that is left.

    Kernels that the copy has compiled are on disk afterwards.
    """
    from numba.core.registry import cpu_target

    from boostbench.kernels.tasks import compile_shared

    theirs: set[str] = set()
    count = _counts(report, theirs)
    # Both need what this loads.
    cpu_target.target_context.refresh()
    with _compilations(packages, count):
        compile_shared(tasks)
    queue, queue_end = os.pipe()
    os.write(queue_end, bytes(range(len(tasks))))
    os.close(queue_end)
    news, news_end = os.pipe()
    this = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            os_processes.die_with_parent(this)
            os.close(news)
            _run_from(queue, tasks, packages, _names_to(news_end))
        finally:
            os._exit(0)
    os.close(news_end)
    os.set_blocking(news, False)

    def notify(names: frozenset[str], known: frozenset[str]) -> None:
        with contextlib.suppress(BlockingIOError):
            theirs.update(os.read(news, _PIPE_SIZE).decode().split())
        count(names, known)

    try:
        _run_from(queue, tasks, packages, notify)
        os.set_blocking(news, True)
        while arrived := os.read(news, _PIPE_SIZE):
            theirs.update(arrived.decode().split())
            count(*_compiled(_kernels(packages)))
    finally:
        os.close(queue)
        os.close(news)
        os.waitpid(child, 0)


def _run_from(queue: int, tasks: Sequence[Task], packages: Sequence[str], notify: Notify) -> None:
    with _compilations(packages, notify):
        while number := os.read(queue, 1):
            _run(tasks[number[0]])


def _names_to(pipe: int) -> Notify:
    sent: set[str] = set()

    def notify(names: frozenset[str], _: frozenset[str]) -> None:
        # New names only: longer messages could arrive in pieces.
        if new := names - sent:
            sent.update(new)
            os.write(pipe, "".join(f"{name}\n" for name in sorted(new)).encode())

    return notify


def _counts(report: Report, theirs: Set[str] = frozenset()) -> Notify:
    reported = (0, 0)

    def notify(names: frozenset[str], known: frozenset[str]) -> None:
        nonlocal reported
        now = (len(names | theirs), len(known | theirs))
        if now != reported:
            reported = now
            report({"compiled": now[0], "kernels": now[1]})

    return notify


@contextlib.contextmanager
def _compilations(packages: Sequence[str], notify: Notify) -> Iterator[None]:
    """Pass :func:`_compiled` of the kernels to ``notify`` after each compilation."""
    from numba.core import event

    class Compiled(event.Listener):
        kernels: dict[str, Any]
        n_modules = 0

        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            if len(sys.modules) != self.n_modules:
                self.n_modules, self.kernels = len(sys.modules), _kernels(packages)
            notify(*_compiled(self.kernels))

    listener = Compiled()
    event.register("numba:compile", listener)
    thresholds = gc.get_threshold()
    # The compiler makes millions of objects that live on: an eighth of its time went into garbage
    # collection.
    gc.set_threshold(_GARBAGE, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        event.unregister("numba:compile", listener)


def _compiled(kernels: dict[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of those of ``kernels`` that are compiled, and of all."""
    # What kernels use of numba's own is compiled too, and is not counted.
    return frozenset(name for name, each in kernels.items() if each.overloads), frozenset(kernels)


def _kernels(packages: Sequence[str]) -> dict[str, Any]:
    """Return the functions to compile in the modules of ``packages`` that are loaded, by name."""
    from boostbench.kernels.tasks import functions_to_compile

    found: dict[int, tuple[str, Any]] = {}
    for name in list(sys.modules):
        if any(name == package or name.startswith(f"{package}.") for package in packages):
            for key, each in functions_to_compile(name).items():
                found.setdefault(id(each), (f"{each.py_func.__module__}.{key}", each))
    return dict(found.values())
