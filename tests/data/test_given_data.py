"""Values from memory: rows that belong together, masks, and names."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load_given

from boostbench.data.given import Data
from boostbench.errors import ConfigError, DataError

N = 24
X = pd.DataFrame({"a": np.arange(N) / 3, "b": np.arange(N) % 5})
Y = pd.Series(np.arange(N) ** 1.5, name="y")
LETTERS = [f"r{i}" for i in range(N)]


@pytest.mark.parametrize(
    ("rows", "target"),
    [
        (X, Y),
        (X, Y.set_axis(pd.Index(range(N)))),
        (X.set_axis(np.arange(N) * 1.0), Y),
        (X.set_axis(LETTERS), Y.set_axis(pd.Index(LETTERS, dtype=object, name="row"))),
        (X.set_axis(pd.Categorical(LETTERS)), Y.set_axis(LETTERS)),
        (X.iloc[::-1], Y.iloc[::-1]),
        (X.set_axis([0] * N), Y.set_axis([0] * N)),
        (X.iloc[::-1], Y.to_numpy()),
        (X.to_numpy(), Y.iloc[::-1].set_axis(LETTERS)),
        (X, list(Y)),
        (X.set_axis(LETTERS), pd.Index(Y)),
    ],
)
def test_rows_of_one_index_or_without_one_belong_together(rows: object, target: object) -> None:
    frame = Data(rows, target).frame("d")
    np.testing.assert_array_equal(frame.iloc[:, 0], np.asarray(rows)[:, 0])
    np.testing.assert_array_equal(frame.iloc[:, -1], np.asarray(target))


@pytest.mark.parametrize(
    ("rows", "target", "said"),
    [
        (X, Y.iloc[::-1], "row 1 is '0' in X, but '23' in y; give y.loc"),
        (X.sample(frac=1, random_state=1), Y, "but '0' in y; give y.loc"),
        (X, Y.iloc[[0, 2, 1, *range(3, N)]], "row 2 is '1' in X, but '2' in y; give y.loc"),
        (X, Y.iloc[::-1].to_frame(), "row 1 is '0' in X, but '23' in y; give y.loc"),
        (X, Y.set_axis(range(100, 100 + N)), "row 1 is '0' in X, but '100' in y; give both the"),
        (X, Y.set_axis(range(1, N + 1)), "row 1 is '0' in X, but '1' in y; give both the"),
        (X, Y.set_axis(LETTERS), "row 1 is '0' in X, but 'r0' in y; give both the"),
    ],
)
def test_rows_of_other_labels_are_refused(rows: object, target: object, said: str) -> None:
    with pytest.raises(ConfigError, match="data set 'd' and of its target y have diff") as error:
        Data(rows, target).frame("d")
    assert said in str(error.value)
    assert str(error.value).endswith("y.to_numpy() where rows belong together in their order")


def test_a_bunch_with_rows_in_another_order_is_refused() -> None:
    with pytest.raises(ConfigError, match="different labels"):
        Data({"data": X, "target": Y.iloc[::-1]}).frame("d")


@pytest.mark.parametrize("dtype", ["float64", "int64", "object", "float32"])
def test_what_a_mask_hides_is_missing(tmp_path: Path, dtype: str) -> None:
    values = np.arange(2.0 * N).reshape(N, 2).astype(dtype)
    mask = np.zeros((N, 2), dtype=bool)
    mask[[1, 4], [0, 1]] = True
    hidden = np.ma.masked_array(values, mask)
    with pytest.raises(DataError, match="missing values in 2 columns: 'x1'"):
        load_given(tmp_path, hidden, Y)
    data = load_given(tmp_path, hidden, Y, missing="median")
    np.testing.assert_array_equal(data.X, np.where(mask, np.nan, values.astype(float)))
    bunch = {"data": hidden, "target": Y.to_numpy(), "feature_names": ["x1", "x2"]}
    assert load_given(tmp_path, bunch, missing="median").fingerprint == data.fingerprint
    target = np.ma.masked_array(values[:, 0], mask[:, 0])
    data = load_given(tmp_path, X, target, missing="drop")
    assert data.left_out == (1,)
    open_mask = np.ma.masked_array(values, False)
    plain = load_given(tmp_path, values, Y)
    assert load_given(tmp_path, open_mask, Y).fingerprint == plain.fingerprint


def test_masked_codes_keep_their_digits(tmp_path: Path) -> None:
    codes = np.ma.masked_array(2**60 + np.arange(N) % 3, np.arange(N) == 3)
    data = load_given(tmp_path, X, codes, task="classification", missing="drop")
    assert data.classes == tuple(str(2**60 + i) for i in range(3))


@pytest.mark.parametrize("key", ["group", "time", "weights"])
@pytest.mark.parametrize("values", [Y, Y.to_numpy(), list(Y), np.ma.masked_array(Y)])
def test_values_in_place_of_a_name_are_refused(key: str, values: object) -> None:
    with pytest.raises(ConfigError, match=f"{key} must be the name of a column: put the values"):
        Data(X, Y, **{key: values})


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Y, "y"),
        (Y.rename(2018), "2018"),
        (Y.rename(np.int64(3)), "3"),
        (Y.rename(None), "target"),
        (Y.rename(("a", "b")), "target"),
        (Y.to_frame("price"), "price"),
        (pd.Index(Y, name="i"), "i"),
        (pd.array(Y), "target"),
        (Y.to_numpy()[:, np.newaxis], "target"),
    ],
)
def test_the_name_of_the_target(tmp_path: Path, target: object, name: str) -> None:
    data = load_given(tmp_path, X, target)
    assert data.target == name
    np.testing.assert_array_equal(data.y, Y)


def test_what_a_target_declares_is_kept(tmp_path: Path) -> None:
    codes = pd.Categorical(["b", "a", "c"] * 8)
    data = load_given(tmp_path, X, codes, task="classification")
    assert data.classes == ("a", "b", "c")
    gaps = pd.array([1, None, 2] * 8, dtype="Int64")
    assert load_given(tmp_path, X, gaps, missing="drop").y.tolist() == [1, 2] * 8
