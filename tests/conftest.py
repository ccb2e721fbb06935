"""What all tests share."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from boostbench.entry_points import entry_points

# A busy machine is no failure. Each run tries other examples, unless a test says otherwise:
# BOOSTBENCH_STRESS=20 pytest -m hypothesis tries twenty times as many in one.
_EXAMPLES = 40 * int(os.environ.get("BOOSTBENCH_STRESS", "1"))
settings.register_profile("few examples", deadline=None, max_examples=_EXAMPLES)
settings.load_profile("few examples")

# Their tests share what takes seconds, processes, runs or kernels, or one takes very long: each
# file stays on one worker, and is begun first.
_WHOLE = frozenset(
    f"tests/{name}.py"
    for name in (
        "cli/test_shown_twice",
        "engine/test_cluster",
        "engine/test_cluster_faults",
        "engine/test_faults",
        "engine/test_kills",
        "engine/test_own_workers",
        "engine/test_warming",
        "experiment/test_notebook",
        "objects/test_digest",
        "report/test_page_browser",
        "report/test_srt_configs",
        "test_docs",
        "trees/test_trees_convergent",
        "trees/test_trees_processes",
        "trees/test_trees_sample_weights",
        "trees/test_trees_solvers",
    )
)


def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: many tests wait for processes to end."""
    given = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    count = getattr(os, "process_cpu_count", os.cpu_count)
    return int(given) if given else (count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Compile all kernels once, before each worker of xdist compiles those that it meets.

    Ctrl-C ends what the tests start, also where a shell runs them in the background.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(50_000, 20, 100)
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    # -P: the package that the tests import, not the one in this folder, as kernels are kept by
    # their sources.
    script = str(Path(__file__).with_name("compile_kernels.py"))
    children = [
        subprocess.Popen([sys.executable, "-P", script, family])
        for family in ("soft_trees", "optimal_trees", "boosting")
    ]
    for child in children:
        child.wait()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what holds for the project's own compiler of kernels where plain numba compiles."""
    if item.get_closest_marker("own_compiler"):
        from boostbench.kernels.jit import PLAIN_NUMBA

        if PLAIN_NUMBA:
            pytest.skip("plain numba compiles the kernels")


def pytest_collection_finish() -> None:
    """Keep thousands of tests out of each garbage collection: a tenth of the time."""
    gc.collect()
    gc.freeze()


class EntryPoint:
    """A fake entry point, which loads to an object or raises an exception."""

    value = "somewhere:thing"

    def __init__(self, name: str, loads: Any) -> None:
        self.name = name
        self._loads = loads

    def load(self) -> Any:
        if isinstance(self._loads, Exception):
            raise self._loads
        return self._loads


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function ``(group, **objects)``: the entry points of the group in this test."""
    every, points = metadata.entry_points, {}

    def install(wanted: str, **objects: Any) -> None:
        points[wanted] = [EntryPoint(name, loads) for name, loads in objects.items()]

        def ours(group: str | None = None) -> Any:
            # Numba asks without a group when it compiles for the first time in a process.
            return every() if group is None else points.get(group, [])

        monkeypatch.setattr(metadata, "entry_points", ours)
        entry_points.cache_clear()

    yield install
    entry_points.cache_clear()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the files in ``_WHOLE`` out first and whole, and all other tests one by one."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if file in _WHOLE else nodeid

    return Scheduling(config, log) if config.getvalue("dist") == "load" else None


def _draw_nothing(patch: pytest.MonkeyPatch) -> None:
    from boostbench.report.figures import files
    from boostbench.report.names import FIGURE_KINDS
    from boostbench.report.page import html

    patch.setattr(files.Drawing, "files", lambda _: dict.fromkeys(FIGURE_KINDS, b"not drawn"))
    patch.setattr(files.Drawing, "pdf", lambda *_: b"not drawn")
    for name in ("_chart", "_panel"):
        patch.setattr(html, name, lambda _: "not drawn")


def _make_runs_cheap(patch: pytest.MonkeyPatch) -> None:
    from boostbench.engine import in_process, local, probe

    def run_trials(trials: Any, store: Any, *, jobs: int, **options: Any) -> Any:
        return in_process.run_in_process(trials, store, **options)

    for module in (local, probe):
        patch.setattr(module, "run_trials", run_trials)
    _draw_nothing(patch)


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with copies of the data sets."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BOOSTBENCH_MIRROR") or beside)
    if not folder.is_dir():
        pytest.skip("no mirror: set BOOSTBENCH_MIRROR to a folder with copies of the data sets")
    return folder


@pytest.fixture(scope="session")
def make_runs_cheap() -> Callable[[pytest.MonkeyPatch], None]:
    """With it trials run in this process, one after another, and figures stay empty.

    Starting worker processes and drawing take most of the time of a small run.
    """
    return _make_runs_cheap


@pytest.fixture
def cheap(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs cheap (see ``make_runs_cheap``), except in tests marked ``end_to_end``."""
    if "end_to_end" not in request.keywords:
        _make_runs_cheap(monkeypatch)


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figures in a test marked ``end_to_end`` that is about worker processes alone."""
    _draw_nothing(monkeypatch)
