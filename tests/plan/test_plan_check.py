"""Data that do not fit the experiment are refused before the first trial."""

from pathlib import Path

import numpy as np
import pytest
from plan_parts import make_dataset, make_experiment

from boostbench.data import Dataset, kfold_indices
from boostbench.errors import DataError
from boostbench.plan.check import check_dataset, check_experiment, leaf_count


def _dataset(n: int, y: np.ndarray | None = None) -> Dataset:
    return make_dataset(np.random.default_rng(0).normal(size=n) if y is None else y)


@pytest.mark.parametrize(
    ("n", "folds", "words"),
    [
        (3, 4, "'toy' has 3 rows, fewer than the 4 folds; set folds to at most 3"),
        (4, 4, "'toy' has one and the same target in the 1 test row of fold 0"),
    ],
)
def test_too_few_rows_for_the_folds(tmp_path: Path, n: int, folds: int, words: str) -> None:
    experiment = make_experiment(tmp_path, more=f"folds: {folds}\n")
    with pytest.raises(DataError, match=words):
        check_dataset(experiment, _dataset(n), check_experiment(experiment))


def test_fewer_rows_than_leaves(tmp_path: Path) -> None:
    experiment = make_experiment(tmp_path, "{method: srt, params: {depth: 4}}")
    (method,) = check_experiment(experiment)
    assert leaf_count(method) == 16
    with pytest.raises(DataError, match="'toy' has 15 training rows in fold 0, fewer than the 16"):
        check_dataset(experiment, _dataset(20), [method])
    check_dataset(experiment, _dataset(22), [method])


@pytest.mark.parametrize(
    ("n", "test_size", "words"),
    [
        (3, 0.5, "'toy': 3 rows cannot be split with"),
        (
            4,
            0.25,
            "'toy' has one and the same target in the 1 test row of split 0, .* or try another",
        ),
    ],
)
def test_too_few_rows_for_the_splits(tmp_path: Path, n: int, test_size: float, words: str) -> None:
    experiment = make_experiment(tmp_path, more=f"splits: {{n: 2, test_size: {test_size}}}\n")
    with pytest.raises(DataError, match=words):
        check_dataset(experiment, _dataset(n), check_experiment(experiment))


def test_fewer_rows_in_a_split_than_leaves(tmp_path: Path) -> None:
    more = "splits: {n: 1, test_size: 0.5}\n"
    experiment = make_experiment(tmp_path, "{method: srt, params: {depth: 4}}", more=more)
    methods = check_experiment(experiment)
    with pytest.raises(DataError, match="'toy' has 15 training rows in split 0, fewer than the 16"):
        check_dataset(experiment, _dataset(30), methods)
    check_dataset(experiment, _dataset(32), methods)


def test_a_target_that_is_constant_on_a_training_fold(tmp_path: Path) -> None:
    experiment = make_experiment(tmp_path, more="folds: 2\nsplit_seed: 0\n")
    y = np.zeros(40)
    y[kfold_indices(40, 2, 0, 0)[1]] = np.arange(20.0)
    with pytest.raises(DataError, match="constant target 't' in the training rows"):
        check_dataset(experiment, _dataset(40, y), check_experiment(experiment))


def test_every_partition_is_looked_at(tmp_path: Path) -> None:
    y = np.zeros(40)
    y[kfold_indices(40, 2, 0, 3)[1]] = np.arange(20.0)
    for split_seeds, is_right in (("[0, 1, 2]", True), ("[0, 1, 2, 3]", False), ("4", False)):
        experiment = make_experiment(tmp_path, more=f"folds: 2\nsplit_seeds: {split_seeds}\n")
        methods = check_experiment(experiment)
        if is_right:
            check_dataset(experiment, _dataset(40, y), methods)
            continue
        with pytest.raises(DataError, match="constant target 't' in the training rows"):
            check_dataset(experiment, _dataset(40, y), methods)
