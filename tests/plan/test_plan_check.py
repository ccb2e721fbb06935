"""Data that do not fit the experiment are refused before the first trial."""

from pathlib import Path

import numpy as np
import pytest

from boostbench.config.loading import load_experiment
from boostbench.data.access import DataAccess
from boostbench.data.arrays import fingerprint
from boostbench.data.dataset import Dataset
from boostbench.data.splits import kfold_indices
from boostbench.errors import DataError
from boostbench.experiment.datasets import gather
from boostbench.plan.check import check_dataset, check_experiment, leaf_count

RIDGE = "{estimator: sklearn.linear_model.Ridge}"


def _experiment(folder: Path, methods: str = RIDGE, data: str = "diabetes", more: str = ""):
    path = folder / "x.yaml"
    path.write_text(f"name: x\ndatasets: [{data}]\nmethods: [{methods}]\nseeds: 1\n{more}")
    return load_experiment(path)


def _dataset(n: int, y: np.ndarray | None = None) -> Dataset:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 3))
    y = generator.normal(size=n) if y is None else y
    return Dataset(
        name="toy", X=X, y=y, feature_names=("a", "b", "c"), target="t", task="regression",
        fingerprint=fingerprint(X, y), source="made",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n", "folds", "words"),
    [
        (3, 4, "'toy' has 3 rows, fewer than the 4 folds; set folds to at most 3"),
        (4, 4, "'toy' has a test fold of 1 row with one and the same target"),
    ],
)
def test_too_few_rows_for_the_folds(tmp_path: Path, n: int, folds: int, words: str) -> None:
    experiment = _experiment(tmp_path, more=f"folds: {folds}\n")
    with pytest.raises(DataError, match=words):
        check_dataset(experiment, _dataset(n), check_experiment(experiment))


def test_fewer_rows_than_leaves(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path, "{method: srt, params: {depth: 4}}")
    (method,) = check_experiment(experiment)
    assert leaf_count(method) == 16
    with pytest.raises(DataError, match="'toy' has 15 rows in a training fold, fewer than the 16"):
        check_dataset(experiment, _dataset(20), [method])
    check_dataset(experiment, _dataset(22), [method])


@pytest.mark.parametrize(
    ("n", "test_size", "words"),
    [
        (3, 0.5, "3 rows cannot be split with"),
        (4, 0.25, "'toy' has a test split of 1 row .* set test_size higher or try another"),
    ],
)
def test_too_few_rows_for_the_splits(tmp_path: Path, n: int, test_size: float, words: str) -> None:
    experiment = _experiment(tmp_path, more=f"splits: {{n: 2, test_size: {test_size}}}\n")
    with pytest.raises(DataError, match=words):
        check_dataset(experiment, _dataset(n), check_experiment(experiment))


def test_fewer_rows_in_a_split_than_leaves(tmp_path: Path) -> None:
    more = "splits: {n: 1, test_size: 0.5}\n"
    experiment = _experiment(tmp_path, "{method: srt, params: {depth: 4}}", more=more)
    methods = check_experiment(experiment)
    with pytest.raises(DataError, match="'toy' has 15 rows in a training split, fewer than the 16"):
        check_dataset(experiment, _dataset(30), methods)
    check_dataset(experiment, _dataset(32), methods)


def test_a_target_that_is_constant_on_a_training_fold(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path, more="folds: 2\nsplit_seed: 0\n")
    y = np.zeros(40)
    y[kfold_indices(40, 2, 0, 0)[1]] = np.arange(20.0)
    with pytest.raises(DataError, match="constant target 't' in the training rows"):
        check_dataset(experiment, _dataset(40, y), check_experiment(experiment))


def test_every_partition_is_looked_at(tmp_path: Path) -> None:
    y = np.zeros(40)
    y[kfold_indices(40, 2, 0, 3)[1]] = np.arange(20.0)
    for split_seeds, is_right in (("[0, 1, 2]", True), ("[0, 1, 2, 3]", False), ("4", False)):
        experiment = _experiment(tmp_path, more=f"folds: 2\nsplit_seeds: {split_seeds}\n")
        methods = check_experiment(experiment)
        if is_right:
            check_dataset(experiment, _dataset(40, y), methods)
            continue
        with pytest.raises(DataError, match="constant target 't' in the training rows"):
            check_dataset(experiment, _dataset(40, y), methods)


def test_gather_saves_what_is_wanted_and_names_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("u,y\n" + "".join(f"{i},{i * i}\n" for i in range(12)))
    experiment = _experiment(tmp_path, data="diabetes, {file: a.csv, target: y}, friedman1")
    access = DataAccess(cache_dir=tmp_path / "cache", offline=True)
    arrays = tmp_path / "arrays"
    prints = gather(experiment, [], access, arrays, wanted=lambda name: name == "diabetes")
    assert set(prints) == {"diabetes", "friedman1"}
    assert [path.stem for path in arrays.glob("*.npz")] == [prints["diabetes"]]
    everything = gather(experiment, [], access, arrays, may_fetch=False)
    assert everything.items() > prints.items()
    assert len(everything["a"]) == 64


def test_the_same_numbers_twice_are_refused(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path, data="diabetes, {name: again, card: diabetes}")
    access = DataAccess(cache_dir=tmp_path / "cache", offline=True)
    with pytest.raises(DataError, match="'diabetes' and 'again' hold the same numbers"):
        gather(experiment, [], access, tmp_path / "arrays")
