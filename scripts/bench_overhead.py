"""What a trial costs beside its own work: trivial trials by boostbench and by benchopt, in turns.

    python scripts/bench_overhead.py [--trials 10000] [--turns 3] [--benchopt PYTHON]

All contestants train a mean predictor on the same 200 rows in 4 folds, scale by the training rows
and score both parts, through their command line, on two workers, with every outcome kept on the
disk. A figure is the slope between a run of a tenth of the trials and one of all, so that starting,
importing and reporting, which a run does once, is not in it. The first row is the work of a trial
itself, in one process and without any of that: what a contestant needs beyond it is its overhead.
``--benchopt`` names a Python that has benchopt and scikit-learn (pip install benchopt scikit-learn,
in an environment of its own); benchopt neither limits nor kills a trial, nor starts it in a process
with restored settings.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_engine import _access, _command, _dummy, _environment, _experiment, _write_data
from speed_tables import SpeedTable, add_arguments

from boostbench.data import load_dataset, save_arrays
from boostbench.data.request import DataRequest
from boostbench.engine.trial import run_trial

JOBS, FOLDS = 2, 4
Taken = tuple[float, float]

_OWN = """\
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Mean(RegressorMixin, BaseEstimator):
    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + self.shift)
"""
_OBJECTIVE = """\
import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "trivial"
    sampling_strategy = "run_once"
    parameters = {"fold": [0, 1, 2, 3]}

    def set_data(self, X, y):
        part = np.arange(len(y)) % 4 == self.fold
        low, high = X[~part].min(axis=0), X[~part].max(axis=0)
        X = (X - low) / (high - low)
        y = (y - y[~part].mean()) / y[~part].std()
        self.train, self.test = (X[~part], y[~part]), (X[part], y[part])

    def get_objective(self):
        return {"X_train": self.train[0], "y_train": self.train[1], "X_test": self.test[0]}

    def evaluate_result(self, train, test):
        found = {}
        for name, y, predicted in (("train", self.train[1], train), ("test", self.test[1], test)):
            mse = float(np.mean((y - predicted) ** 2))
            found |= {f"{name}_mse": mse, f"{name}_r2": 1 - mse / float(np.var(y))}
            found |= {f"{name}_mae": float(np.mean(np.abs(y - predicted)))}
        return {"value": found["test_mse"], **found}

    def get_one_result(self):
        return {"train": np.zeros(len(self.train[1])), "test": np.zeros(len(self.test[1]))}
"""
_DATASET = """\
from pathlib import Path

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "small"

    def get_data(self):
        table = np.loadtxt(Path(__file__).parents[1] / "small.csv", delimiter=",", skiprows=1)
        return {"X": table[:, :-1], "y": table[:, -1]}
"""
_SOLVER = """\
from benchopt import BaseSolver
from sklearn.dummy import DummyRegressor


class Solver(BaseSolver):
    name = "dummy"
    sampling_strategy = "run_once"
    parameters = {"seed": list(range(SEEDS))}

    def set_objective(self, X_train, y_train, X_test):
        self.data = X_train, y_train, X_test

    def run(self, _):
        X_train, y_train, X_test = self.data
        model = DummyRegressor().fit(X_train, y_train)
        self.found = {"train": model.predict(X_train), "test": model.predict(X_test)}

    def get_result(self):
        return self.found
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--benchopt", metavar="PYTHON")
    add_arguments(parser)
    options = parser.parse_args()
    table = SpeedTable(
        "overhead",
        f"Milliseconds per trivial trial on {JOBS} workers",
        " ".join(__doc__.split("\n\n")[2].split()) + _version(options.benchopt),
        {
            "contestant": "By",
            "trials": "Trials",
            "processor_ms": "Processor a trial, ms",
            "elapsed_ms": "Elapsed x workers a trial, ms",
        },
    )
    contestants: dict[str, Callable[[Path, int], Taken]] = {
        "boostbench run, scikit-learn's estimator": _boostbench("sklearn.dummy.DummyRegressor"),
        "boostbench run, own estimator": _boostbench("bench_own.Mean"),
    }
    if options.benchopt:
        contestants["benchopt run"] = lambda here, count: _benchopt(here, count, options.benchopt)
    found: dict[str, list[Taken]] = {name: [] for name in ("the trial itself", *contestants)}
    for _ in range(options.turns):
        found["the trial itself"].append(_itself(options.trials // 10))
        for name, run in contestants.items():
            found[name].append(_slope(run, options.trials))
    for name, taken in found.items():
        processor, elapsed = zip(*taken, strict=True)
        table.add(
            contestant=name, trials=options.trials, processor_ms=processor, elapsed_ms=elapsed
        )
    table.write(options)


def _version(python: str | None) -> str:
    if python is None:
        return ""
    ask = "from importlib.metadata import version; print(version('benchopt'))"
    answer = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return f" benchopt {answer.stdout.strip()}."


def _slope(run: Callable[[Path, int], Taken], count: int) -> Taken:
    """Return the processor and (times workers) elapsed milliseconds of one more trial."""
    taken = []
    for trials in (count // 10, count):
        with tempfile.TemporaryDirectory(prefix="boostbench-bench-") as folder:
            here = Path(folder)
            _write_data(here)
            taken.append(run(here, trials))
    (few_cpu, few_wall), (all_cpu, all_wall) = taken
    more = count - count // 10
    return 1e3 * (all_cpu - few_cpu) / more, 1e3 * JOBS * (all_wall - few_wall) / more


def _itself(count: int) -> Taken:
    """Return the milliseconds of a trial's own work, in this process."""
    with tempfile.TemporaryDirectory(prefix="boostbench-bench-") as folder:
        here = Path(folder)
        _write_data(here)
        request = DataRequest("small", file=str(here / "small.csv"), target="y")
        dataset = load_dataset(request, _access())
        save_arrays(dataset, here / "arrays")
        trials = [_dummy(dataset.fingerprint, seed) for seed in range(count)]
        for trial in trials[:20]:
            run_trial(trial, here / "arrays")
        processor, started = time.process_time(), time.perf_counter()
        for trial in trials:
            run_trial(trial, here / "arrays")
        processor, elapsed = time.process_time() - processor, time.perf_counter() - started
    return 1e3 * processor / count, 1e3 * elapsed / count


def _boostbench(estimator: str) -> Callable[[Path, int], Taken]:
    def run(here: Path, count: int) -> Taken:
        (here / "bench_own.py").write_text(_OWN)
        config = _experiment(here, [f"- {{estimator: {estimator}}}"], seeds=-(-count // FOLDS))
        return _taken(_command("run", config, "--jobs", str(JOBS)), here)

    return run


def _benchopt(here: Path, count: int, python: str) -> Taken:
    seeds = str(-(-count // FOLDS))
    files = {
        "objective.py": _OBJECTIVE,
        "datasets/small.py": _DATASET,
        "solvers/dummy.py": _SOLVER.replace("SEEDS", seeds),
    }
    for name, text in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    words = ["run", str(here), "-n", "1", "-r", "1", "-j", str(JOBS), "--no-plot", "--local"]
    return _taken([python, "-m", "benchopt", *words], here)


def _taken(command: list[str], here: Path) -> Taken:
    used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=here, env=_environment(here), capture_output=True)
    if done.returncode:
        sys.exit(done.stderr.decode()[-2000:])
    elapsed, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, elapsed


if __name__ == "__main__":
    main()
