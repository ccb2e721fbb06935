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
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import psutil
from speed_tables import SpeedTable, add_arguments
from watched_run import done_trials, watch_tables, watched_run

from boostbench.data import load_dataset, save_arrays
from boostbench.data.access import DataAccess
from boostbench.data.request import DataRequest
from boostbench.engine.local import run_trials
from boostbench.engine.trial import run_trial
from boostbench.plan.trial import Trial
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store

PARTS = {"overhead": 1_000, "own": 20, "run": 10_000, "plan": 100_000, "endurance": 5_000}
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="Default: all.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trials", type=int)
    add_arguments(parser)
    given = parser.parse_args()
    for name in given.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="boostbench-bench-") as folder:
            here = Path(folder)
            _write_data(here)
            for table in globals()[name](here, given.trials or PARTS[name], given.jobs):
                table.write(given)


# -- overhead ------------------------------------------------------------------------------------


def overhead(here: Path, count: int, jobs: int) -> list[SpeedTable]:
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
    table = SpeedTable(
        "engine_overhead",
        f"{count:,} trivial trials on {jobs} workers",
        "Trials of a mean predictor by the engine (processes that can be killed, limits, every "
        "outcome on the disk), and the same function by joblib and concurrent.futures without any "
        "of that. Processes are started in each round; all take turns.",
        {
            "by": "by", "seconds": "s", "per_trial_ms": "ms of a worker per trial",
            "ratio": "engine / this",
        },
        ("joblib",),
    )  # fmt: skip
    ours = np.array(seconds["engine"])
    for name, found in seconds.items():
        taken = np.array(found)
        table.add(
            by=name, seconds=taken, per_trial_ms=1e3 * taken * jobs / count, ratio=ours / taken
        )
    return [table]


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


def own(here: Path, count: int, jobs: int) -> list[SpeedTable]:
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
    table = SpeedTable(
        "engine_own",
        f"{count} trials of a user's own estimator through the command line",
        f"The whole of boostbench run on {jobs} workers, for a mean predictor in a module of the "
        "user's and for scikit-learn's, in turns.",
        {"estimator": "estimator", "seconds": "s", "ratio": "own / this"},
    )
    for name, found in seconds.items():
        ratio = np.array(seconds["own"]) / np.array(found)
        table.add(estimator=name, seconds=found, ratio=ratio)
    return [table]


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


def run(here: Path, count: int, jobs: int) -> list[SpeedTable]:
    """Print how long ``count`` trivial trials take, all in all, and whether memory grows."""
    config = _experiment(here, _TRIVIAL, seeds=-(-count // 40))
    watch = watched_run(lambda: _start(here, config, jobs), here / "results" / STORE_FILE)
    return watch_tables("engine_run", f"A run of {watch.total:,} trivial trials", watch, jobs)


def endurance(here: Path, count: int, jobs: int) -> list[SpeedTable]:
    """Print the growth of memory and open files over ``count`` trials of real methods."""
    config = _experiment(here, _REAL, seeds=-(-count // 40), datasets=("small", "wide"))
    watch = watched_run(lambda: _start(here, config, jobs), here / "results" / STORE_FILE)
    name = f"A run of {watch.total:,} trials of real methods"
    return watch_tables("engine_endurance", name, watch, jobs)


def plan(here: Path, count: int, jobs: int) -> list[SpeedTable]:
    """Print how long planning, resuming and looking at a plan of ``count`` trials takes."""
    config = _experiment(here, _TRIVIAL, seeds=-(-count // 40))
    store = here / "results" / STORE_FILE
    table = SpeedTable(
        "engine_plan",
        f"A plan of {count:,} trials through the command line",
        "Elapsed and processor seconds of one command each.",
        {"what": "command", "elapsed_s": "elapsed, s", "processor_s": "processor, s"},
    )

    def say(what: str, started: float, cpu: float | None) -> None:
        table.add(what=what, elapsed_s=time.perf_counter() - started, processor_s=cpu)

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
        before, started = done_trials(store), time.perf_counter()
        process = _start(here, config, jobs)
        while done_trials(store) <= before:
            assert process.poll() is None
            time.sleep(0.02)
        used = psutil.Process(process.pid).cpu_times()
        say(what, started, used.user + used.system)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        process.wait()
        say("interrupted: until its report is written", started, None)

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
    return [table]


def _fill(store: Path, which: str) -> None:
    """Give planned trials the outcome of the first recorded one."""
    with sqlite3.connect(store) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(outcomes)")]
        # Without the digest, which is of one trial's outcome only.
        others = {"key": "plan.key", "trial": "plan.trial", "digest": "''"}
        values = ", ".join(others.get(c, f"one.{c}") for c in columns)
        db.execute(
            f"INSERT OR IGNORE INTO outcomes ({', '.join(columns)}) SELECT {values} "
            f"FROM plan, (SELECT * FROM outcomes WHERE status = 'ok' LIMIT 1) AS one WHERE {which}"
        )
    db.close()


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
