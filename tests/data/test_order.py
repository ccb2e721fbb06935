"""The canonical order of rows: that of their classes and values, in each of two parts."""

import numpy as np
import pytest

from boostbench.data.dataset import Dataset, in_canonical_order, with_fingerprint


def a_dataset(X: np.ndarray, y: np.ndarray) -> Dataset:
    about = ("a", "b", "c"), "y", "classification", "", "made here", ("k", "l", "m")
    return with_fingerprint(Dataset("d", X, y, *about))


def with_ties(rows: int = 60) -> Dataset:
    """Return a data set in which many rows agree in their class and first values, some in all."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.5, 0.0, 2.0, 10.0], (rows, 3))
    return a_dataset(X, rng.integers(0, 3, rows))


def tuples(dataset: Dataset) -> list[tuple[float, ...]]:
    return [(code, *row) for code, row in zip(dataset.y.tolist(), dataset.X.tolist(), strict=True)]


@pytest.mark.parametrize("train_rows", [None, 40, 1, 60])
def test_the_rows_of_each_part_are_sorted_by_class_then_by_values(train_rows: int | None) -> None:
    made = with_ties()
    rows = tuples(made)
    assert len(set(rows)) < len(rows)
    found = in_canonical_order(made, train_rows)
    end = train_rows or 60
    assert tuples(found) == [*sorted(rows[:end]), *sorted(rows[end:])]
    assert tuples(made) == rows
    assert found.X.flags.c_contiguous
    assert found.y.dtype == np.int64
    assert found.fingerprint == a_dataset(found.X.copy(), found.y.copy()).fingerprint
    assert (found.name, found.classes, found.feature_names) == ("d", ("k", "l", "m"), tuple("abc"))


def test_copies_in_other_orders_become_one_data_set() -> None:
    made = with_ties()
    expected = in_canonical_order(made, 40).fingerprint
    rng = np.random.default_rng(1)
    for _ in range(5):
        order = np.concatenate([rng.permutation(40), 40 + rng.permutation(20)])
        copy = a_dataset(made.X[order], made.y[order])
        assert copy.fingerprint != made.fingerprint
        assert in_canonical_order(copy, 40).fingerprint == expected
    # A row in the other part makes another data set.
    order = np.arange(60)
    first, second = next(
        (i, j) for i in range(40) for j in range(40, 60) if tuples(made)[i] != tuples(made)[j]
    )
    order[[first, second]] = order[[second, first]]
    moved = a_dataset(made.X[order], made.y[order])
    assert in_canonical_order(moved, 40).fingerprint != expected
    assert in_canonical_order(moved, None).fingerprint == in_canonical_order(made, None).fingerprint


def test_zeros_with_a_sign_are_equal_to_those_without() -> None:
    y = np.array([0, 1, 1, 0])
    X = np.array([[0.0, 2.0, 0.0], [-0.0, 3.0, 1.0], [0.0, 1.0, 1.0], [-0.0, 1.0, 0.0]])
    # Put there after the fingerprint, which takes the signs away.
    made = a_dataset(X.copy(), y)
    made.X[[1, 3], 0] = -0.0
    assert tuples(in_canonical_order(made, None)) == sorted(tuples(made))
    assert not np.signbit(in_canonical_order(made, None).X).any()
