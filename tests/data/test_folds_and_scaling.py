"""Folds partition the rows; scaling uses only the training rows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import assert_parts, load
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from boostbench.data import Dataset, kfold_indices, prepare_split
from boostbench.data.splits import SplitRule, split_indices
from boostbench.errors import DataError


def dataset(X: np.ndarray, y: np.ndarray, task: str = "regression") -> Dataset:
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    return Dataset("toy", X, y, names, "y", task, "0" * 64, "test")


def random_dataset(n: int = 40, p: int = 3) -> Dataset:
    random = np.random.default_rng(0)
    return dataset(random.normal(5, 3, (n, p)), random.normal(-2, 7, n))


@given(st.integers(2, 60), st.integers(2, 10), st.integers(0, 2**32 - 1))
def test_folds_partition_the_rows(n: int, folds: int, seed: int) -> None:
    if folds > n:
        with pytest.raises(DataError, match=f"has {n} rows, fewer than the {folds} folds"):
            split_indices(np.zeros(n), 0, SplitRule("kfold", folds), seed)
        return
    parts = [kfold_indices(n, folds, fold, seed) for fold in range(folds)]
    for train, test in parts:
        assert_parts(train, test, n)
        assert len(test) in (n // folds, n // folds + 1)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(n))


@pytest.mark.parametrize(
    ("kind", "scaler"), [("minmax", MinMaxScaler), ("standard", StandardScaler)]
)
def test_scaling_agrees_with_scikit_learn(kind: str, scaler: type) -> None:
    data = random_dataset()
    train, test = kfold_indices(40, 4, 0, 0)
    found = prepare_split(data, train, test, scale_features=kind)  # type: ignore[arg-type]
    reference = scaler().fit(data.X[train])
    np.testing.assert_allclose(found.X_train, reference.transform(data.X[train]), atol=1e-12)
    np.testing.assert_allclose(found.X_test, reference.transform(data.X[test]), atol=1e-12)
    np.testing.assert_allclose(found.y_train.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(found.y_train.std(), 1)
    np.testing.assert_allclose(found.y_test * found.unit[1] + found.unit[0], data.y[test])


def test_test_rows_do_not_matter_to_the_scale() -> None:
    data = random_dataset()
    train, test = kfold_indices(40, 4, 1, 0)
    first = prepare_split(data, train, test)
    X, y = data.X.copy(), data.y.copy()
    X[test] *= 100
    y[test] -= 1000
    second = prepare_split(dataset(X, y), train, test)
    np.testing.assert_array_equal(first.X_train, second.X_train)
    np.testing.assert_array_equal(first.y_train, second.y_train)
    assert second.X_test.max() > 1, "test values are not clipped"


def test_none_leaves_the_values() -> None:
    data = random_dataset()
    train, test = kfold_indices(40, 4, 0, 0)
    found = prepare_split(data, train, test, scale_features="none", scale_target="none")
    np.testing.assert_array_equal(found.X_train, data.X[train])
    np.testing.assert_array_equal(found.y_test, data.y[test])
    assert found.unit == (0.0, 1.0)


@pytest.mark.parametrize("kind", ["minmax", "standard"])
def test_constant_columns_become_zero(kind: str) -> None:
    X = np.column_stack([np.full(8, 0.1), np.arange(8.0)])
    X[7, 0] = 9.0
    train, test = np.arange(6), np.array([6, 7])
    found = prepare_split(dataset(X, np.arange(8.0)), train, test, scale_features=kind)  # type: ignore[arg-type]
    assert not found.X_train[:, 0].any()
    assert not found.X_test[:, 0].any()
    assert found.X_train[:, 1].any()


@pytest.mark.parametrize("kind", ["minmax", "standard"])
@pytest.mark.parametrize(
    "values",
    [
        [0.1 + 0.2, 0.3],
        [0.1 + 0.2 - 0.3, 0.0],
        [1e6, np.nextafter(1e6, 2e6)],
        [-7.3e12, np.nextafter(-7.3e12, 0)],
    ],
)
def test_columns_that_vary_only_by_rounding_become_zero(kind, values: list[float]) -> None:
    X = np.column_stack([values * 4, np.arange(8.0)])
    X[7, 0] = 9.0
    assert np.ptp(X[:6, 0]) > 0
    found = prepare_split(dataset(X, np.arange(8.0)), np.arange(6), np.array([6, 7]), kind)
    assert not found.X_train[:, 0].any()
    assert not found.X_test[:, 0].any()


@given(st.integers(-14, 14), st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_small_and_large_values_are_scaled_as_scikit_learn_scales_them(power, digits) -> None:
    X = np.column_stack([10.0**power * np.array(digits), np.arange(6.0)])
    found = prepare_split(dataset(X, np.arange(6.0)), np.arange(5), np.array([5]))
    reference = MinMaxScaler().fit_transform(X[:5])
    np.testing.assert_allclose(found.X_train, reference, rtol=1e-9, atol=1e-14)


def test_a_target_that_varies_only_by_rounding_is_constant(tmp_path: Path) -> None:
    for y in ([0.3, 0.1 + 0.2, 0.3], [5e8, np.nextafter(5e8, 0), 5e8]):
        content = "a,y\n" + "".join(f"{i},{float(value)!r}\n" for i, value in enumerate(y))
        with pytest.raises(DataError, match="constant target 'y': it varies only by rounding"):
            load(tmp_path, content)
        data = dataset(np.arange(4.0)[:, None], np.array([*y, 7.0]))
        with pytest.raises(DataError, match="constant target 'y' in the training rows"):
            prepare_split(data, np.arange(3), np.array([3]))
    # The unit of a target does not matter, nor how little classes differ.
    assert load(tmp_path, "a,y\n1,1e-20\n2,2e-20\n").y.tolist() == [1e-20, 2e-20]
    labels = "a,y\n1,0.3\n2,0.30000000000000004\n"
    assert load(tmp_path, labels, task="classification").y.tolist() == [0, 1]


def test_classes_stay_codes() -> None:
    data = dataset(np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1]), "classification")
    found = prepare_split(data, np.array([0, 1, 2]), np.array([3]))
    assert found.y_train.dtype == np.int64
    assert found.y_test.tolist() == [1]


def test_splits_that_cannot_be_prepared() -> None:
    x, y = np.arange(6.0), np.arange(6.0)
    for column, target, n_train, message in (
        ([np.nan, *x[1:]], y, 4, "missing or infinite value among its features"),
        (x, [np.inf, *y[1:]], 4, "missing or infinite value in its target"),
        (x, [1, 1, 1, 1, 2, 3], 4, "constant target 'y' in the training rows"),
        ([1.7e308, -1.7e308, *x[2:]], y, 4, "range overflows"),
        (x, y, 1, r"training and \d test row\(s\); at least two and one are needed"),
    ):
        data = dataset(np.column_stack([column, x]), np.array(target, dtype=float))
        with pytest.raises(DataError, match=message):
            prepare_split(data, np.arange(n_train), np.array([4, 5]))


def test_two_training_rows_and_one_test_row_are_enough() -> None:
    data = dataset(np.arange(6.0)[:, np.newaxis], np.arange(6.0))
    found = prepare_split(data, np.array([0, 2]), np.array([1]))
    assert (found.X_train[:, 0].tolist(), found.X_test.tolist()) == ([0.0, 1.0], [[0.5]])
    for train, test in (([0], [1, 2, 3]), ([0, 1, 2], []), ([], [1])):
        with pytest.raises(DataError, match=f"{len(train)} training and {len(test)} test row"):
            prepare_split(data, np.array(train, dtype=int), np.array(test, dtype=int))


@pytest.mark.parametrize("folds", [2, 4, 7])
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("kind", "of"), [("kfold", KFold), ("stratified", StratifiedKFold)])
def test_folds_are_those_of_scikit_learn(folds, seed, kind, of):
    y = np.random.default_rng(seed).choice(4, size=93, p=[0.5, 0.3, 0.1, 0.1])
    reference = of(folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(reference.split(np.zeros((93, 1)), y)):
        found = split_indices(y, fold, SplitRule(kind, folds), seed)
        np.testing.assert_array_equal(found[0], train)
        np.testing.assert_array_equal(found[1], test)


@given(st.lists(st.integers(0, 3), min_size=6, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_every_fold_has_its_share_of_each_class(labels, folds, seed):
    y = np.array(labels)
    if folds > len(y):
        return
    rule = SplitRule("stratified", folds)
    tests = [split_indices(y, fold, rule, seed)[1] for fold in range(folds)]
    assert sorted(np.concatenate(tests)) == list(range(len(y)))
    for code in set(labels):
        counts = [int((y[test] == code).sum()) for test in tests]
        assert max(counts) - min(counts) <= 1
