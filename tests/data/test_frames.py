"""Frames, groups, times and weights beside the matrix: fingerprints, files and splits."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.data import Dataset, fingerprint, load_arrays, prepare_split, save_arrays
from boostbench.data.dataset import in_canonical_order, take_rows, with_fingerprint
from boostbench.errors import DataError


def a_dataset(n: int = 30, seed: int = 0) -> Dataset:
    """A table with a column of each kind; the first feature numbers the rows."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(n).astype(float)
    # The type of texts that pandas 3 gives by itself.
    names = pd.Index(["Bern", "Chur", "Genf", "Zug"], dtype=pd.StringDtype(na_value=np.nan))
    cities = pd.Categorical(rng.choice(["Bern", "Genf", "Zug"], n), names)
    cities[rng.integers(n)] = np.nan
    frame = pd.DataFrame(
        {
            "number": numbers,
            "city": cities,
            "open": rng.random(n) < 0.5,
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    made = Dataset(
        name="table",
        X=np.column_stack([numbers, rng.normal(size=n)]),
        y=numbers**2,
        feature_names=("number", "other"),
        target="y",
        task="regression",
        fingerprint="",
        source="made",
        frame=frame,
        groups=rng.integers(0, 5, n),
        times=rng.integers(0, 9, n),
        weights=rng.random(n),
    )
    return with_fingerprint(made)


def in_rows(dataset: Dataset) -> list[tuple[object, ...]]:
    """What a data set says of each row, by the number in its first feature."""
    assert dataset.frame is not None
    frame = dataset.frame.astype(object).where(dataset.frame.notna(), None)
    parts = [frame.iloc[:, j] for j in range(frame.shape[1])]
    rows = zip(dataset.X[:, 0], dataset.X[:, 1], dataset.y, dataset.weights, *parts, strict=True)
    return sorted(rows, key=lambda row: row[0])


@given(st.integers(3, 40), st.integers(0, 9))
def test_what_is_saved_comes_back(tmp_path_factory: pytest.TempPathFactory, n: int, s: int) -> None:
    folder = tmp_path_factory.mktemp("arrays")
    dataset = a_dataset(n, s)
    path = save_arrays(dataset, folder)
    again = load_arrays(dataset.fingerprint, folder)
    pd.testing.assert_frame_equal(again.frame, dataset.frame)
    for name in ("groups", "times", "weights", "X", "y"):
        np.testing.assert_array_equal(getattr(again, name), getattr(dataset, name))
        assert getattr(again, name).dtype == getattr(dataset, name).dtype
    assert not again.frame["number"].to_numpy().flags.writeable
    before = path.stat().st_mtime_ns
    save_arrays(dataset, folder)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("kinds", [["number"], ["city"], ["open"], ["city", "open"]])
def test_a_frame_may_lack_a_kind_of_column(tmp_path: Path, kinds: list[str]) -> None:
    dataset = a_dataset()
    part = dataclasses.replace(dataset, frame=dataset.frame[kinds], groups=None, weights=None)
    part = with_fingerprint(part)
    save_arrays(part, tmp_path)
    again = load_arrays(part.fingerprint, tmp_path)
    pd.testing.assert_frame_equal(again.frame, part.frame)
    assert again.groups is None
    assert again.weights is None
    assert again.times is not None


@pytest.mark.parametrize("name", ["groups", "times", "weights"])
def test_columns_beside_a_matrix_alone_come_back(tmp_path: Path, name: str) -> None:
    whole = a_dataset()
    nothing = dict.fromkeys(("frame", "groups", "times", "weights"))
    dataset = dataclasses.replace(whole, **{**nothing, name: getattr(whole, name)})
    dataset = with_fingerprint(dataset)
    assert dataset.fingerprint != fingerprint(dataset.X, dataset.y)
    save_arrays(dataset, tmp_path)
    again = load_arrays(dataset.fingerprint, tmp_path)
    np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    assert again.frame is None


def test_a_data_set_without_any_of_them_keeps_its_fingerprint() -> None:
    whole = a_dataset()
    plain = dataclasses.replace(whole, frame=None, groups=None, times=None, weights=None)
    assert with_fingerprint(plain).fingerprint == fingerprint(whole.X, whole.y)


def changed(frame: pd.DataFrame, how: str) -> pd.DataFrame:
    match how:
        case "value":
            frame.loc[3, "number"] += 1.0
        case "gap":
            frame.loc[3, "gaps"] = np.nan if frame["gaps"].notna()[3] else 0.0
        case "category":
            frame.loc[3, "city"] = "Chur"
        case "truth":
            frame.loc[3, "open"] = not frame.loc[3, "open"]
        case "name":
            return frame.rename(columns={"number": "numbers"})
        case "dtype":
            frame["open"] = frame["open"].astype(float)
        case "order of columns":
            return frame[["city", "number", "open", "gaps"]]
        case "order of levels":
            frame["city"] = frame["city"].cat.reorder_categories(["Zug", "Genf", "Chur", "Bern"])
        case "level":
            frame["city"] = frame["city"].cat.add_categories("Thun")
        case "column":
            del frame["gaps"]
    return frame


@pytest.mark.parametrize(
    "how",
    [
        *("value", "gap", "category", "truth", "name", "dtype", "order of columns"),
        *("order of levels", "level", "column"),
    ],
)
def test_the_fingerprint_depends_on_all_of_the_frame(how: str) -> None:
    dataset = a_dataset()
    other = dataclasses.replace(dataset, frame=changed(dataset.frame.copy(), how))
    assert with_fingerprint(other).fingerprint != dataset.fingerprint


def test_the_fingerprint_does_not_depend_on_the_index_or_the_bits_of_nan() -> None:
    dataset = a_dataset()
    frame = dataset.frame.set_axis(np.arange(30)[::-1], axis=0)
    gaps = frame["gaps"].to_numpy().copy()
    gaps[np.isnan(gaps)] = -np.float64("nan")
    frame["gaps"] = gaps
    other = dataclasses.replace(dataset, frame=frame)
    assert with_fingerprint(other).fingerprint == dataset.fingerprint


@pytest.mark.parametrize("name", ["groups", "times", "weights"])
def test_the_fingerprint_depends_on_each_column_of_rows(name: str) -> None:
    dataset = a_dataset()
    values = getattr(dataset, name)
    prints = {dataset.fingerprint}
    for other in (values[::-1].copy(), None):
        prints.add(with_fingerprint(dataclasses.replace(dataset, **{name: other})).fingerprint)
    assert len(prints) == 3
    # The same numbers in another role are another data set.
    moved = dataclasses.replace(dataset, groups=dataset.times, times=None)
    assert with_fingerprint(moved).fingerprint not in prints


def test_each_flipped_byte_is_found_or_changes_nothing(tmp_path: Path) -> None:
    dataset = a_dataset(5)
    path = save_arrays(dataset, tmp_path)
    content = path.read_bytes()
    refusals = []
    # Each eleventh: a byte is like its neighbours.
    for place in range(0, len(content), 11):
        turned = bytearray(content)
        turned[place] ^= 0x80
        path.write_bytes(turned)
        try:
            again = load_arrays(dataset.fingerprint, tmp_path)
        except DataError as error:
            refusals.append(str(error))
        else:
            pd.testing.assert_frame_equal(again.frame, dataset.frame)
            for name in ("X", "y", "groups", "times", "weights"):
                np.testing.assert_array_equal(getattr(again, name), getattr(dataset, name))
    assert len(refusals) > 50
    assert all(str(path) in said for said in refusals)


def test_a_frame_of_another_type_cannot_be_hashed() -> None:
    dataset = a_dataset()
    wrong = dataclasses.replace(dataset, frame=dataset.frame.assign(open="yes"))
    with pytest.raises(ValueError, match=r"column 'open' is of (str|object)"):
        with_fingerprint(wrong)


@given(st.data())
def test_all_parts_stay_in_step_with_the_rows(data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 40))
    dataset = a_dataset(n, data.draw(st.integers(0, 9)))
    chosen = data.draw(st.lists(st.integers(0, n - 1), min_size=3, max_size=n, unique=True))
    rows = np.array(chosen, dtype=np.int64)
    part = take_rows(dataset, rows)
    by_number = {row[0]: row for row in in_rows(dataset)}
    assert in_rows(part) == [by_number[number] for number in sorted(part.X[:, 0])]
    assert list(part.frame.index) == list(range(len(rows)))
    for name in ("groups", "times"):
        before, now = getattr(dataset, name)[rows], getattr(part, name)
        assert np.array_equal(np.unique(now), np.arange(now.max() + 1))
        # The codes are others, their order is the same.
        assert np.array_equal(
            np.sign(np.subtract.outer(before, before)), np.sign(np.subtract.outer(now, now))
        )


@pytest.mark.parametrize("train_rows", [None, 12])
def test_the_canonical_order_moves_all_parts(train_rows: int | None) -> None:
    dataset = a_dataset()
    ordered = in_canonical_order(dataset, train_rows)
    assert in_rows(ordered) == in_rows(dataset)
    assert not np.array_equal(ordered.X, dataset.X)
    again = in_canonical_order(take_rows(dataset, np.arange(30)[::-1]), None)
    assert again.fingerprint == in_canonical_order(dataset, None).fingerprint


def test_frames_of_a_split_are_fresh_unscaled_rows() -> None:
    dataset = a_dataset()
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    split = prepare_split(dataset, train, test, "standard", "standard", features="frame")
    expected = dataset.frame.iloc[train].reset_index(drop=True)
    pd.testing.assert_frame_equal(split.X_train, expected)
    pd.testing.assert_frame_equal(split.X_test, dataset.frame.iloc[test].reset_index(drop=True))
    assert isinstance(split.X_train.index, pd.RangeIndex)
    np.testing.assert_array_equal(split.y_train, dataset.y[train])
    assert split.unit == (0.0, 1.0)
    np.testing.assert_array_equal(split.weights_train, dataset.weights[train])
    # What an estimator does to them changes neither the data set nor the next split.
    split.X_train["number"] = 0.0
    split.X_train.loc[0, "gaps"] = 5.0
    split.weights_train[:] = 0.0
    again = prepare_split(dataset, train, test, features="frame")
    pd.testing.assert_frame_equal(again.X_train, expected)
    np.testing.assert_array_equal(again.weights_train, dataset.weights[train])


def test_frames_of_a_split_come_from_the_file_as_well(tmp_path: Path) -> None:
    dataset = a_dataset()
    save_arrays(dataset, tmp_path)
    stored = load_arrays(dataset.fingerprint, tmp_path)
    rows = np.arange(20), np.arange(20, 30)
    mine, theirs = (prepare_split(d, *rows, features="frame") for d in (stored, dataset))
    pd.testing.assert_frame_equal(mine.X_train, theirs.X_train)
    mine.X_train.loc[0, "number"] = 99.0
    assert load_arrays(dataset.fingerprint, tmp_path).frame.loc[0, "number"] != 99.0


def test_the_matrix_of_a_data_set_with_a_frame_is_scaled_as_ever() -> None:
    dataset = a_dataset()
    plain = dataclasses.replace(dataset, frame=None, groups=None, times=None, weights=None)
    rows = np.arange(20), np.arange(20, 30)
    mine, theirs = (prepare_split(d, *rows) for d in (dataset, plain))
    for name in ("X_train", "X_test", "y_train", "y_test"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    assert mine.unit == theirs.unit
    assert theirs.weights_train is None
    np.testing.assert_array_equal(mine.weights_train, dataset.weights[:20])


def test_a_split_of_a_frame_that_is_not_there_or_has_no_weight_is_refused() -> None:
    dataset = a_dataset()
    plain = dataclasses.replace(dataset, frame=None)
    rows = np.arange(20), np.arange(20, 30)
    with pytest.raises(DataError, match="'table' has no frame; set 'features: frame'"):
        prepare_split(plain, *rows, features="frame")
    weights = np.where(np.arange(30) < 20, 0.0, 1.0)
    with pytest.raises(DataError, match="'table' has the weight 0 in all training rows"):
        prepare_split(dataclasses.replace(dataset, weights=weights), *rows)
    prepare_split(dataclasses.replace(dataset, weights=weights), rows[1], rows[0])
