"""Experiments and data sets that the tests of the plan share."""

from pathlib import Path

import numpy as np

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.plan.check import check_dataset, check_experiment

RIDGE = "{estimator: sklearn.linear_model.Ridge}"


def make_experiment(
    folder: Path, *methods: str, data: str = "{name: toy, card: diabetes}", more: str = ""
) -> Experiment:
    """An experiment of one seed, a line for each method; that of Ridge by default."""
    lines = "\n".join(f"  - {method}" for method in methods or (RIDGE,))
    path = folder / "x.yaml"
    path.write_text(f"name: x\ndatasets: [{data}]\nmethods:\n{lines}\nseeds: 1\n{more}")
    return load_experiment(path)


def make_dataset(y: np.ndarray | list[int], classes: tuple[str, ...] = ()) -> Dataset:
    """Two random features; ``y`` are codes of classes where it is a list."""
    task = "classification" if isinstance(y, list) else "regression"
    y = np.asarray(y)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    return Dataset(
        name="toy",
        X=X,
        y=y,
        feature_names=("a", "b"),
        target="t",
        task=task,
        fingerprint=fingerprint(X, y),
        source="made",
        classes=classes,
    )


def check(experiment: Experiment, dataset: Dataset) -> None:
    """Check a data set as it is done before the first trial."""
    check_dataset(experiment, dataset, check_experiment(experiment))
