"""Frames, groups, times and weights as they are read from tables."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import LoopbackServer
from shelf import load, load_given

from boostbench.data import DataAccess, DataRequest, Dataset, fingerprint, load_dataset
from boostbench.data.request import known_fingerprint
from boostbench.errors import DataError

FRAME = {"target": "y", "features": "frame", "missing": "keep"}


def a_table(n: int = 40, seed: int = 0) -> pd.DataFrame:
    """A table as users have them; ``id`` numbers the rows, ``y`` has two classes."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(3)),
            "city": pd.Series(rng.choice(["Bern", "Genf", "Zug"], n)).mask(rng.random(n) < 0.1),
            "open": rng.random(n) < 0.5,
            "paid": pd.Series(rng.choice(["true", "false"], n)).mask(np.arange(n) % 9 == 4),
            "id": np.arange(n) * 3 + 1,
            "who": [f"c{i}" for i in rng.integers(0, max(2, n // 4), n)],
            "when": [f"2021-{m:02}-11" for m in rng.integers(1, 12, n)],
            "w": rng.integers(0, 4, n) + 0.5,
            "y": np.where(np.arange(n) < n // 2, "no", "yes"),
        }
    )


ROLES = {"group": "who", "time": "when", "weights": "w"}


def test_a_frame_has_the_columns_of_the_file(tmp_path: Path) -> None:
    table = a_table()
    data = load(tmp_path, table.to_csv(index=False), **FRAME, **ROLES, task="classification")
    frame = data.frame
    assert list(frame) == ["size", "city", "open", "paid", "id"]
    assert isinstance(frame.index, pd.RangeIndex)
    np.testing.assert_array_equal(frame["size"], table["size"])
    assert list(frame["city"].cat.categories) == ["Bern", "Genf", "Zug"]
    assert frame["city"].astype(object).equals(table["city"].astype(object))
    assert frame["open"].dtype == bool
    np.testing.assert_array_equal(frame["open"], table["open"])
    # Beside gaps there is no bool.
    assert frame["paid"].dtype == np.float64
    np.testing.assert_array_equal(frame["paid"], table["paid"].map({"true": 1.0, "false": 0.0}))
    assert data.groups.dtype == data.times.dtype == np.int64
    np.testing.assert_array_equal(data.groups, pd.factorize(table["who"], sort=True)[0])
    np.testing.assert_array_equal(data.times, pd.factorize(table["when"], sort=True)[0])
    np.testing.assert_array_equal(data.weights, table["w"])
    said = "; ".join(data.remarks)
    assert f"{table['who'].nunique()} groups in 'who' (" in said
    assert f"{table['when'].nunique()} different times in 'when'" in said
    assert "a frame of 5 columns, gaps kept (size " in said


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("keep", "a frame of 2 columns, gaps kept (size 1, city 2),"),
        ("drop", "a frame of 2 columns,"),
    ],
)
def test_gaps_of_rows_without_a_target_are_not_counted(
    tmp_path: Path, missing: str, said: str
) -> None:
    content = "size,city,y\n1,,1\n,Bern,\n3,Zug,3\n,,2\n5,Bern,\n6,Zug,4\n7,Bern,5\n,,\n"
    data = load(tmp_path, content, target="y", features="frame", missing=missing)
    assert any(remark.startswith(said) for remark in data.remarks)
    if missing == "keep":
        assert data.frame.isna().sum().tolist() == [1, 2]


def test_the_matrix_beside_a_frame_is_that_of_the_table_without_it(tmp_path: Path) -> None:
    content = a_table().drop(columns="when").to_csv(index=False)
    keys = {"target": "y", "task": "classification"}
    with_frame = load(tmp_path, content, **keys, features="frame", missing="keep")
    without = load(tmp_path, content, **keys, categorical="auto", missing="median")
    np.testing.assert_array_equal(with_frame.X, without.X)
    assert with_frame.feature_names == without.feature_names
    assert (with_frame.missing, without.missing) == ("median", "median")
    assert without.fingerprint == fingerprint(without.X, without.y) != with_frame.fingerprint


def test_the_kinds_of_files_of_one_table_have_one_frame(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    table = a_table()
    prints = set()
    for kind in ("csv", "parquet", "feather"):
        buffer = io.BytesIO()
        if kind == "csv":
            table.to_csv(buffer, index=False)
        else:
            getattr(table, f"to_{kind}")(buffer)
        keys = FRAME | ROLES | {"task": "classification"}
        prints.add(load(tmp_path, buffer.getvalue(), f"my.{kind}", **keys).fingerprint)
    assert len(prints) == 1


def test_categories_that_a_file_declares(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    levels = pd.CategoricalDtype(["low", "high"], ordered=True)
    frame = pd.DataFrame({"a": ["low", "high", None] * 9, "y": range(27)})
    frame.astype({"a": levels}).to_parquet(buffer)
    data = load(tmp_path, buffer.getvalue(), "my.parquet", **FRAME)
    assert list(data.frame["a"].cat.categories) == ["high", "low"]
    assert not data.frame["a"].cat.ordered
    assert data.frame["a"].isna().sum() == 9


def test_texts_that_the_matrix_does_not_take_are_in_the_frame(tmp_path: Path) -> None:
    n = 1300
    zips = pd.Series([f"z{i % 1100}" for i in range(n)])
    names = [f"person {i}" for i in range(n)]
    table = pd.DataFrame({"name": names, "zip": zips, "a": np.arange(n) % 7, "y": np.arange(n)})
    data = load(tmp_path, table.to_csv(index=False), **FRAME)
    assert list(data.frame) == ["name", "zip", "a"]
    assert data.feature_names == ("a",)
    assert any(
        remark.startswith("not in the matrix: 'name' (1,300 different texts") and "'zip'" in remark
        for remark in data.remarks
    )


def test_numbers_named_as_categories_have_their_texts(tmp_path: Path) -> None:
    content = "zip,a,y\n" + "".join(f"0{i % 3},{i},{i}\n" for i in range(12))
    data = load(tmp_path, content, **FRAME, categorical=["zip"])
    assert list(data.frame["zip"].cat.categories) == ["00", "01", "02"]
    # Every other column of text is a category as well.
    texts = "zip,b,y\n" + "".join(f"{i % 3},{'uv'[i % 2]},{i}\n" for i in range(12))
    data = load(tmp_path, texts, **FRAME, categorical=["zip"])
    assert list(data.frame["zip"].cat.categories) == ["0", "1", "2"]
    assert list(data.frame["b"].cat.categories) == ["u", "v"]


def by_id(data: Dataset) -> pd.DataFrame:
    """Return what the data set says of its rows by their number."""
    assert data.frame is not None
    shown = data.frame.copy()
    shown["X"] = data.X[:, data.feature_names.index("id")]
    shown["y"] = [data.label_of(code) for code in data.y]
    shown["w"] = data.weights
    shown["who"], shown["when"] = data.groups, data.times
    return shown.set_index("id")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    n=st.integers(12, 60),
    seed=st.integers(0, 999),
    missing=st.sampled_from(["keep", "drop"]),
    per_class=st.sampled_from([None, 2, 3]),
)
def test_all_that_is_said_of_a_row_stays_together(
    tmp_path: Path, n: int, seed: int, missing: str, per_class: int | None
) -> None:
    table = a_table(n, seed)
    keys = FRAME | ROLES | {"task": "classification", "missing": missing, "per_class": per_class}
    complete = table.dropna() if missing == "drop" else table
    if complete["y"].value_counts().reindex(["no", "yes"]).fillna(0).min() < (per_class or 1):
        return
    data = load(tmp_path, table.to_csv(index=False), **keys)
    found, known = by_id(data), table.set_index("id")
    assert set(found.index) <= set(complete["id"])
    assert len(found) == (2 * per_class if per_class else len(complete))
    known = known.loc[found.index]
    np.testing.assert_array_equal(found["X"], found.index)
    np.testing.assert_array_equal(found["y"], known["y"])
    np.testing.assert_array_equal(found["w"], known["w"])
    np.testing.assert_array_equal(found["size"], known["size"])
    assert found["city"].astype(object).equals(known["city"].astype(object))
    for name in ("who", "when"):
        np.testing.assert_array_equal(found[name], pd.factorize(known[name], sort=True)[0])
    # Only the target decides which rows are left out where gaps are kept.
    assert set(data.left_out) == set(np.flatnonzero(~table["id"].isin(complete["id"])))


def refusal(tmp_path: Path, content: str, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        load(tmp_path, content, **{"target": "y", **options})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rows(header: str, *lines: str) -> str:
    return "\n".join([header, *lines, *(f"{i},u{i % 4},{i}" for i in range(12))]) + "\n"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("group", "", "has no value in the group column 'k' (1, in line 2); fill it in, or leave"),
        ("time", "", "has no value in the time column 'k' (1, in line 2); fill it in, or leave"),
        ("weights", "NA", "has no value in the weight column 'k' (1, in line 2); fill it in"),
        ("weights", "-0.5", "has a number below 0 in the weight column 'k' (1, in line 2)"),
        ("weights", "inf", "has an infinite value in the weight column 'k' (1, in line 2)"),
        ("weights", "heavy", "has 'heavy', which is no number, in the weight column 'k' (1, in li"),
        ("time", "inf", "has an infinite value in the time column 'k' (1, in line 2); correct it"),
        (
            "time",
            "soon",
            "has 'soon', which is neither a number nor a date, in the time column 'k' ",
        ),
    ],
)
def test_values_of_rows_that_cannot_be_used(
    tmp_path: Path, key: str, value: str, said: str
) -> None:
    content = rows("k,b,y", f"{value},u0,3")
    message = refusal(tmp_path, content, **{key: "k"}, features="frame", missing="keep")
    assert message.startswith(f"my.csv {said}")
    if value in ("", "NA"):
        data = load(tmp_path, content, **FRAME | {"missing": "drop", key: "k"})
        assert data.left_out == (0,)


def test_weights_of_nothing_but_zeros_are_refused(tmp_path: Path) -> None:
    content = "k,b,y\n" + "".join(f"0,{i},{i}\n" for i in range(9))
    message = refusal(tmp_path, content, weights="k")
    assert message.startswith("my.csv has nothing but 0 in the weight column 'k'")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"group": "y"}, "has one column 'y', but both 'target' and 'group' name it"),
        ({"group": "k", "time": "k"}, "has one column 'k', but both 'group' and 'time' name it"),
        ({"time": "k", "weights": "k"}, "both 'time' and 'weights' name it"),
        ({"group": "k", "drop": ["k"]}, "both 'drop' and 'group' name it"),
        ({"group": "k", "categorical": ["k"]}, "both 'categorical' and 'group' name it"),
        ({"group": "kk"}, "has no column 'kk'; did you mean 'k'?"),
        ({"weights": "nowhere"}, "has no column 'nowhere'; its columns are k, b, y"),
    ],
)
def test_a_column_has_one_use(tmp_path: Path, keys: dict[str, object], said: str) -> None:
    content = rows("k,b,y")
    assert said in refusal(tmp_path, content, **{"categorical": "auto", **keys})
    assert load(tmp_path, content, target="y", group="k", categorical="auto").groups is not None


def test_times_are_ranks_of_numbers_or_of_dates(tmp_path: Path) -> None:
    body = [("10", "3 Mar 2021"), ("9", "1 Feb 2021"), ("9.0", "2021-02-01"), ("-1", "2020-12-31")]
    content = "n,d,a,y\n" + "".join(f"{n},{d},{i % 3},{i}\n" for i, (n, d) in enumerate(body * 3))
    for key in ("n", "d"):
        data = load(tmp_path, content, target="y", time=key, drop=["nd".replace(key, "")])
        assert data.times.tolist() == [2, 1, 1, 0] * 3
    unclear = content.replace("3 Mar 2021", "02/03/2021")
    message = refusal(tmp_path, unclear, time="d", drop=["n"])
    assert "has dates that may be day first or month first in the time column 'd' (3, " in message


def test_long_numbers_of_groups_are_told_apart(tmp_path: Path) -> None:
    known = [9007199254740992, 9007199254740993]
    content = "g,a,y\n" + "".join(f"{known[i % 2]},{i},{i}\n" for i in range(8))
    assert load(tmp_path, content, target="y", group="g").groups.tolist() == [0, 1] * 4
    same = "g,a,y\n" + "".join(f"{['1', '1.0', '+1'][i % 3]},{i},{i}\n" for i in range(9))
    assert set(load(tmp_path, same, target="y", group="g").groups) == {0}


def test_columns_of_rows_are_no_features_and_in_the_fingerprint(tmp_path: Path) -> None:
    table = a_table().drop(columns=["size", "city", "paid", "when"])
    content = table.to_csv(index=False)
    keys = {"target": "y", "task": "classification", "categorical": "auto"}
    plain = load(tmp_path, content, **keys, drop=["who", "w"])
    beside = load(tmp_path, content, **keys, group="who", weights="w")
    assert beside.feature_names == plain.feature_names
    np.testing.assert_array_equal(beside.X, plain.X)
    assert beside.fingerprint != plain.fingerprint == fingerprint(plain.X, plain.y)
    other = table.assign(w=table["w"] + 1).to_csv(index=False)
    assert load(tmp_path, other, **keys, group="who", weights="w").fingerprint not in (
        beside.fingerprint
    )


def test_openml_gives_frames_dates_and_groups(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    days = pd.date_range("2021-01-30", periods=12)
    levels = ",".join(map(str, days.date))
    lines = "".join(f"{day:%Y-%m-%d},g{i % 3},{i % 5},{i}\n" for i, day in enumerate(days))
    arff = (
        f"@relation r\n@attribute day {{{levels}}}\n@attribute who {{g2,g1,g0}}\n"
        f"@attribute a real\n@attribute y real\n@data\n{lines}"
    )
    with LoopbackServer() as server:
        server.add_openml(5, arff.encode(), target="y")
        access = DataAccess(tmp_path, openml_server=f"{server.url}/api/v1/xml")
        keys = {"features": "frame", "dates": "parts", "time": "a"}
        data = load_dataset(DataRequest(name="five", openml=5, group="who", **keys), access)
        assert list(data.frame) == ["day_month", "day_day", "day_weekday"]
        assert data.groups.tolist() == [0, 1, 2] * 4
        assert data.times.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
        data = load_dataset(DataRequest(name="five", openml=5, features="frame"), access)
        assert list(data.frame["day"].cat.categories) == [f"{day:%Y-%m-%d}" for day in days]
        assert list(data.frame["who"].cat.categories) == ["g0", "g1", "g2"]


@pytest.mark.parametrize("card", ["iris", "diabetes"])
def test_a_card_gives_a_frame_of_the_columns_of_its_matrix(tmp_path: Path, card: str) -> None:
    access = DataAccess(tmp_path / "cache", offline=True)
    task = "classification" if card == "iris" else "regression"
    plain = load_dataset(DataRequest(name=card, card=card, task=task), access)
    request = DataRequest(name=card, card=card, task=task, features="frame")
    data = load_dataset(request, access)
    # The fingerprint on the card is that of the matrix alone.
    assert known_fingerprint(request) is None
    np.testing.assert_array_equal(data.frame.to_numpy(), plain.X)
    assert tuple(data.frame) == plain.feature_names
    np.testing.assert_array_equal(data.X, plain.X)
    assert data.fingerprint != plain.fingerprint


def test_a_card_whose_columns_have_no_names_has_no_frame(tmp_path: Path) -> None:
    access = DataAccess(tmp_path / "cache", offline=True)
    for card in ("mnist", "scene15_images"):
        request = DataRequest(name="x", card=card, task="classification", features="frame")
        with pytest.raises(DataError, match=f"the card '{card}' gives its columns no names"):
            load_dataset(request, access)


@pytest.mark.parametrize("kind", ["parquet", "feather", "python", "arff", "arrow"])
def test_declared_categories_of_numbers_are_categories(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    numbers = [10, 9, 1] * 9
    frame = pd.DataFrame({"g": pd.Categorical(numbers), "x": np.arange(27) / 7, "y": range(27)})
    if kind == "python":
        data = load_given(tmp_path, frame, **FRAME)
    elif kind == "arff":
        head = "@relation r\n@attribute g {1,9,10}\n@attribute x real\n@attribute y real\n@data\n"
        content = head + frame.to_csv(index=False, header=False)
        data = load(tmp_path, content, "my.arff", **FRAME)
    elif kind == "arrow":
        # Without pandas' own notes on the columns.
        table = pa.table({"g": pa.array(numbers).dictionary_encode(), "x": frame.x, "y": frame.y})
        pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "arrow.parquet")
        content = (tmp_path / "arrow.parquet").read_bytes()
        data = load(tmp_path, content, "my.parquet", **FRAME)
    else:
        buffer = io.BytesIO()
        getattr(frame, f"to_{kind}")(buffer)
        data = load(tmp_path, buffer.getvalue(), f"my.{kind}", **FRAME)
    assert data.frame["g"].tolist() == list(map(str, numbers))
    assert list(data.frame["g"].cat.categories) == ["1", "10", "9"]
    assert data.feature_names == ("g=1", "g=10", "g=9", "x")
    assert data.frame["x"].dtype == np.float64


def test_numbers_that_are_no_categories_stay_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"g": [10, 9, 1] * 9, "y": range(27)})
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    assert load(tmp_path, buffer.getvalue(), "my.parquet", **FRAME).frame["g"].dtype == np.float64
    assert load_given(tmp_path, frame, **FRAME).frame["g"].dtype == np.float64
