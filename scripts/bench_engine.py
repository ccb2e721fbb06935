"""What running trials costs beside the trials themselves, and whether it stays flat.

    python scripts/bench_engine.py [overhead] [own] [run] [plan] [endurance] [--jobs 2] [--trials N]

``overhead``: 1,000 trivial trials by the engine (processes that can be killed, limits, every
outcome on the disk) and by joblib and concurrent.futures, which run the same function without any
of that; in turns, so that what disturbs the machine disturbs all. ``own``: 20 trials of a mean
predictor in a user's module, which imports pandas in ``fit``, through the command line, and as many
of scikit-learn's, in turns. ``run``: 10,000 trivial trials
through the command line, planned, run and reported. ``plan``: a plan of 100,000 trials through the
command line: ``--dry-run``, ``run`` until the first trial ends, ``status``; and the same when some
and when all are done. ``endurance``: 5,000 trials of real methods. ``run`` and ``endurance`` watch
the memory and the open files of the parent, the fork server and the workers, and print how much
these grow in 1,000 trials. Default: all. ``--trials`` sets how many for all of them.
"""

import argparse
import math
import os
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from boostbench.data import load_dataset, save_arrays
from boostbench.data.access import DataAccess
from boostbench.data.request import DataRequest
from boostbench.engine.local import run_trials
from boostbench.engine.worker import run_trial
from boostbench.plan.trial import Trial
from boostbench.store.store import FILE_NAME, Store

PARTS = {"overhead": 1_000, "own": 20, "run": 10_000, "plan": 100_000, "endurance": 5_000}
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="Default: all.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trials", type=int)
    given = parser.parse_args()
    for name in given.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="boostbench-bench-") as folder:
            here = Path(folder)
            _write_data(here)
            globals()[name](here, given.trials or PARTS[name], given.jobs)


# -- overhead ------------------------------------------------------------------------------------


def overhead(here: Path, count: int, jobs: int) -> None:
    """Print the seconds of ``count`` trivial trials by each contestant, and the ratios."""
    import joblib

    dataset = load_dataset(
        DataRequest("small", file=str(here / "small.csv"), target="y"), _access()
    )
    save_arrays(dataset, here / "arrays")
    trials = [_dummy(dataset.fingerprint, seed) for seed in range(count)]

    def engine(turn: int) -> None:
        with Store.open(here / f"results{turn}", create=True) as store:
            store.set_plan({}, trials)
            summary = run_trials(trials, store, jobs=jobs, arrays_dir=here / "arrays")
            assert summary.counts == {"ok": count}

    def by_joblib(turn: int) -> None:
        # Fresh processes each turn, as the engine's are.
        joblib.externals.loky.get_reusable_executor(jobs, reuse=False).shutdown()
        work = joblib.delayed(run_trial)
        found = joblib.Parallel(jobs)(work(trial, here / "arrays") for trial in trials)
        assert all(outcome.status == "ok" for outcome in found)

    def by_futures(turn: int) -> None:
        with ProcessPoolExecutor(jobs) as pool:
            found = pool.map(run_trial, trials, [here / "arrays"] * count)
            assert all(outcome.status == "ok" for outcome in found)

    contestants: dict[str, Callable[[int], None]] = {
        "engine": engine, "joblib": by_joblib, "concurrent.futures": by_futures,
    }  # fmt: skip
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(ROUNDS):
        for name, run in contestants.items():
            started = time.perf_counter()
            run(turn)
            seconds[name].append(time.perf_counter() - started)
    ours = statistics.median(seconds["engine"])
    print(f"overhead: {count:,} trivial trials on {jobs} workers, processes started anew each time")
    for name, found in seconds.items():
        one = statistics.median(found)
        print(f"  {name:20s} {one:6.2f} s  {1e3 * one * jobs / count:5.2f} ms of a worker a trial"
              f"  engine/{name} {ours / one:.2f}")  # fmt: skip


def _dummy(fingerprint: str, seed: int) -> Trial:
    return Trial(
        dataset="small", method="dummy", estimator="sklearn.dummy:DummyRegressor",
        method_version="1", fingerprint=fingerprint, task="regression", folds=4, fold=seed % 4,
        split_seed=0, seed=seed, scale_features="minmax", scale_target="standard",
    )  # fmt: skip


_OWN = """\
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        import pandas

        self.mean_ = pandas.Series(y).mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)
"""


def own(here: Path, count: int, jobs: int) -> None:
    """Print the seconds of a run of a user's own estimator, and of one of scikit-learn's."""
    (here / "bench_own.py").write_text(_OWN)
    methods = {"own": "bench_own.Mean", "scikit-learn's": "sklearn.dummy.DummyRegressor"}
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(ROUNDS):
        for name, estimator in methods.items():
            config = _experiment(here, [f"- {{estimator: {estimator}}}"], seeds=-(-count // 4))
            command = _command("run", config, "--again", "--jobs", str(jobs))
            started = time.perf_counter()
            subprocess.run(
                command, capture_output=True, cwd=here, env=_environment(here), check=True
            )
            seconds[name].append(time.perf_counter() - started)
    mine, theirs = (statistics.median(found) for found in seconds.values())
    print(f"own: {count} trials through the command line on {jobs} workers: own estimator "
          f"{mine:.2f} s, scikit-learn's {theirs:.2f} s, ratio {mine / theirs:.2f}")  # fmt: skip


# -- runs through the command line ----------------------------------------------------------------

_TRIVIAL = [
    f"- {{name: dummy{i}, estimator: sklearn.dummy.DummyRegressor, "
    f"params: {{strategy: quantile, quantile: {i / 10}}}}}"
    for i in range(1, 11)
]
_REAL = [
    "- {name: srt, method: srt}",
    "- {name: srt_l2_best5, method: srt_l2_best5}",
    "- {name: orrt, method: orrt_trained, params: {max_iter: 20}}",
    "- {name: forest, method: random_forest, params: {n_estimators: 10}}",
    "- {name: ridge, estimator: sklearn.linear_model.Ridge}",
]


def run(here: Path, count: int, jobs: int) -> None:
    """Print how long ``count`` trivial trials take, all in all, and whether memory grows."""
    config = _experiment(here, _TRIVIAL, seeds=-(-count // 40))
    watch = _watched_run(here, config, jobs)
    print(f"run: {watch.total:,} trivial trials planned, run and reported on {jobs} workers: "
          f"{watch.seconds:.1f} s, of which {watch.ending:.1f} s after the last trial; "
          f"{watch.processor:.1f} s of processors")  # fmt: skip
    watch.tell()


def endurance(here: Path, count: int, jobs: int) -> None:
    """Print the growth of memory and open files over ``count`` trials of real methods."""
    config = _experiment(here, _REAL, seeds=-(-count // 40), datasets=("small", "wide"))
    watch = _watched_run(here, config, jobs)
    print(f"endurance: {watch.total:,} trials of real methods on {jobs} workers: "
          f"{watch.seconds:.0f} s, {watch.processor:.0f} s of processors")  # fmt: skip
    watch.tell()


def plan(here: Path, count: int, jobs: int) -> None:
    """Print how long planning, resuming and looking at a plan of ``count`` trials takes."""
    config = _experiment(here, _TRIVIAL, seeds=-(-count // 40))
    store = here / "results" / FILE_NAME
    print(f"plan: {count:,} trials through the command line{'':16s} elapsed  processor")

    def say(what: str, started: float, cpu: float) -> None:
        wall = time.perf_counter() - started
        print(f"  {what:52s} {wall:6.1f} s  {cpu:6.1f} s", flush=True)

    def timed(what: str, *words: str) -> None:
        started = time.perf_counter()
        command = _command(words[0], config, *words[1:])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, cwd=here, env=_environment(here))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        say(what, started, used)
        assert done.returncode in (0, 1), done.stderr.decode()

    def until_first_trial(what: str) -> None:
        before, started = _done(store), time.perf_counter()
        process = _start(here, config, jobs)
        while _done(store) <= before:
            assert process.poll() is None
            time.sleep(0.02)
        used = psutil.Process(process.pid).cpu_times()
        say(what, started, used.user + used.system)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        process.wait()
        say("  interrupted: until its report is written", started, math.nan)

    timed("run --dry-run, nothing recorded", "run", "--dry-run")
    until_first_trial("run, planned anew: until the first trial has ended")
    _fill(store, "position % 2 = 0")
    timed("run --dry-run, half done", "run", "--dry-run")
    until_first_trial("run, half done: until the next trial has ended")
    timed("status, half done", "status")
    _fill(store, "1")
    timed("run --dry-run, all done", "run", "--dry-run")
    timed("status, all done", "status")
    timed("run, all done: nothing to run, tables and report", "run")
    timed("report --format csv, all done", "report", "--format", "csv")


def _fill(store: Path, which: str) -> None:
    """Give planned trials the outcome of the first recorded one."""
    with sqlite3.connect(store) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(outcomes)")]
        values = ", ".join(f"plan.{c}" if c in ("key", "trial") else f"one.{c}" for c in columns)
        db.execute(
            f"INSERT OR IGNORE INTO outcomes ({', '.join(columns)}) SELECT {values} "
            f"FROM plan, (SELECT * FROM outcomes WHERE status = 'ok' LIMIT 1) AS one WHERE {which}"
        )
    db.close()


# -- watching ------------------------------------------------------------------------------------


@dataclass
class Watch:
    """What was seen of a run's processes: (trials done, MiB or files) pairs by process and kind."""

    total: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    ending: float = 0.0
    seen: dict[tuple[str, str], list[tuple[int, float]]] = field(default_factory=dict)

    def look(self, process: psutil.Process, done: int) -> None:
        """Note the memory and the files of ``process`` and its descendants."""
        found: dict[str, list[psutil.Process]] = {"parent": [process], "fork server": []}
        found["workers"] = []
        with suppress(psutil.Error):
            found["fork server"] = process.children()
            found["workers"] = [w for server in process.children() for w in server.children()]
        for name, members in found.items():
            for what, ask in (("MiB", _rss), ("files", _files)):
                values = []
                for member in members:
                    with suppress(psutil.Error, OSError):
                        values.append(ask(member))
                if values:
                    self.seen.setdefault((name, what), []).append((done, max(values)))

    def tell(self) -> None:
        """Print the values at 10, 50 and 100 % of the trials, and the growth after 10 %."""
        print(f"  {'':12s} {'':5s} {'at 10%':>8s} {'at 50%':>8s} {'at 100%':>8s} "
              f"{'growth in 1,000 trials':>24s}")  # fmt: skip
        for (name, what), pairs in self.seen.items():
            # With the last trial the workers end.
            done, values = np.array([p for p in pairs if p[0] < self.total], dtype=float).T
            near = [
                float(np.median(values[np.abs(done - share * self.total) <= 0.05 * self.total]))
                for share in (0.1, 0.5, 0.97)
            ]
            later = done >= 0.1 * self.total
            growth = 1000 * np.polyfit(done[later], values[later], 1)[0]
            print(f"  {name:12s} {what:5s} {near[0]:8.1f} {near[1]:8.1f} {near[2]:8.1f} "
                  f"{growth:24.3f}")  # fmt: skip


def _watched_run(here: Path, config: Path, jobs: int) -> Watch:
    watch, store = Watch(), here / "results" / FILE_NAME
    started = time.perf_counter()
    process = _start(here, config, jobs)
    ended = threading.Event()
    last = [started]

    def look() -> None:
        running = psutil.Process(process.pid)
        before = 0
        while not ended.wait(0.25):
            done = _done(store)
            if done > before:
                before, last[0] = done, time.perf_counter()
                with suppress(psutil.Error):
                    watch.look(running, done)

    thread = threading.Thread(target=look)
    thread.start()
    code = process.wait()
    watch.seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    watch.processor = used.ru_utime + used.ru_stime
    ended.set()
    thread.join()
    assert code == 0, code
    watch.total = _done(store)
    watch.ending = time.perf_counter() - last[0]
    return watch


def _rss(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20


def _files(process: psutil.Process) -> float:
    return process.num_fds()


def _done(store: Path) -> int:
    if not store.is_file():
        return 0
    try:
        with sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=1) as db:
            count = db.execute("SELECT count(*) FROM outcomes").fetchone()[0]
        db.close()
    except sqlite3.Error:
        return 0
    return int(count)


# -- the experiments -----------------------------------------------------------------------------


def _experiment(
    here: Path, methods: Sequence[str], *, seeds: int, datasets: Sequence[str] = ("small",)
) -> Path:
    lines = [
        "name: bench", f"results: {here / 'results'}", f"folds: 4\nseeds: {seeds}", "datasets:",
        *(f"- {{name: {name}, file: {name}.csv, target: y}}" for name in datasets),
        "methods:", *methods, "defaults: {depth: 3}" if methods is _REAL else "",
    ]  # fmt: skip
    path = here / "bench.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _write_data(here: Path) -> None:
    rng = np.random.default_rng(0)
    for name, rows, features in (("small", 200, 5), ("wide", 1000, 15)):
        X = rng.normal(size=(rows, features))
        table = np.column_stack([X, X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=rows)])
        header = ",".join([*(f"x{i}" for i in range(features)), "y"])
        np.savetxt(here / f"{name}.csv", table, delimiter=",", header=header, comments="")


def _access() -> DataAccess:
    return DataAccess(cache_dir=Path(), offline=True)


def _command(name: str, config: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "boostbench", name, str(config), *words]


def _start(here: Path, config: Path, jobs: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _command("run", config, "--jobs", str(jobs)),
        cwd=here,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(here),
    )


def _environment(here: Path) -> dict[str, str]:
    return {**os.environ, "BOOSTBENCH_CACHE": str(here / "cache")}


if __name__ == "__main__":
    main()
