"""Code that the benchmarks share: options, data, turns, and one thread for every library.

Import it before NumPy.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from speed_tables import add_arguments

from boostbench.data.access import default_access
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load_dataset
from boostbench.data.prepare import Prepared, prepare_split
from boostbench.data.request import DataRequest
from boostbench.data.splits import kfold_indices

TrainTestArrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
SHAPE = {"dataset": "data set", "n": "rows", "p": "features"}
MNIST_PER_CLASS = 1000
BOOSTING_DATA = ("vowel", "pendigits", "usps", "mnist")


def parser(text: str | None, **repeats: int) -> argparse.ArgumentParser:
    """Return the options of a script: folders of data and tables, and numbers of repetitions."""
    made = argparse.ArgumentParser(description=str(text).splitlines()[0])
    made.add_argument("--mirror", type=Path, help="folder with copies of the data files")
    for name, number in repeats.items():
        made.add_argument(f"--{name}", type=positive, default=number)
    add_arguments(made)
    return made


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, but is {value}")
    return value


def load(name: str, mirror: Path | None) -> Dataset:
    return load_dataset(DataRequest(name=name, card=name), default_access(mirror, False))


def first_fold(name: str, mirror: Path | None) -> Prepared:
    """Return the first of four folds: three quarters of the rows to train on."""
    data = load(name, mirror)
    return prepare_split(data, *kfold_indices(len(data.y), 4, 0, 0))


def split(name: str, mirror: Path | None) -> TrainTestArrays:
    """X, y for training and X, y for testing: 75/25, for MNIST 1,000 per class and 10,000."""
    data = load(name, mirror)
    rng = np.random.default_rng(0)
    y = np.asarray(data.y)
    if name == "mnist":
        of_class = [np.flatnonzero(y[:60_000] == k) for k in np.unique(y)]
        train = np.concatenate([rng.choice(r, MNIST_PER_CLASS, replace=False) for r in of_class])
        test = np.arange(60_000, y.shape[0])
    else:
        order = rng.permutation(y.shape[0])
        cut = int(0.75 * y.shape[0])
        train, test = order[:cut], order[cut:]
    return data.X[train], y[train], data.X[test], y[test]


def shape_of(name: str, X: np.ndarray, y: np.ndarray | None = None) -> dict[str, Any]:
    """Return the cells that describe the data of a row."""
    cells = {"dataset": name, "n": X.shape[0], "p": X.shape[1]}
    return cells if y is None else cells | {"classes": int(y.max()) + 1}


def turn(task: Callable[[], Any], calls: int = 1, seconds: float = 0.02) -> float:
    """Seconds of one call, the mean over so many calls and so many seconds, at least."""
    count, elapsed = 0, 0.0
    started = perf_counter()
    while count < calls or elapsed < seconds:
        task()
        count += 1
        elapsed = perf_counter() - started
    return elapsed / count


def in_turns(
    tasks: Mapping[Any, Callable[[], Any]], repeats: int, calls: int = 1, seconds: float = 0.02
) -> dict[Any, np.ndarray]:
    """Seconds by task, (repeats,) each, after a turn that does not count."""
    turns: list[list[float]] = []
    for _ in range(repeats + 1):
        turns.append([turn(task, calls, seconds) for task in tasks.values()])
    return dict(zip(tasks, np.array(turns)[1:].T, strict=True))
