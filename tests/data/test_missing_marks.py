"""What counts as missing: one rule for all formats, said in a note, and changed by na_values."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load

from boostbench.config.entries import DatasetEntry, upgraded
from boostbench.errors import DataError

KEYS = {"categorical": "auto", "missing": "median"}
FRAME = pd.DataFrame(
    {
        "number": [1.5, np.nan, 3.25, 1e-7] * 6,
        "whole": pd.array([1, 2, None, 4] * 6, dtype="Int64"),
        "flag": [True, False, False, True] * 6,
        "land": ["NA", "DE", "", " FR "] * 6,
        "kind": pd.Categorical(["u", "None", None, "v"] * 6),
        "words": [None, "?", "x", "nan"] * 6,
        "y": np.arange(24) / 3,
    }
)


def saved(frame: pd.DataFrame, name: str) -> bytes:
    buffer = io.BytesIO()
    if name.endswith(".csv"):
        return frame.to_csv(index=False).encode()
    pytest.importorskip("pyarrow")
    (frame.to_parquet if name.endswith(".parquet") else frame.to_feather)(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("na_values", [None, (), ("-", "4")])
@pytest.mark.parametrize("target", ["y", "flag", "whole", "land"])
def test_a_frame_is_one_data_set_in_each_format(tmp_path, na_values, target) -> None:
    task = "regression" if target == "y" else "classification"
    options = {"na_values": na_values, "target": target, "task": task, **KEYS}
    plain = load(tmp_path, saved(FRAME, "my.csv"), "my.csv", **options)
    for name in ("my.parquet", "my.feather"):
        data = load(tmp_path, saved(FRAME, name), name, **options)
        assert data.fingerprint == plain.fingerprint
        assert (data.feature_names, data.classes) == (plain.feature_names, plain.classes)


@pytest.mark.parametrize("target", ["y", "coded", "short"])
def test_categories_that_are_no_texts_and_labels_of_32_bits(tmp_path, target) -> None:
    coded = pd.Categorical([1.0, 2.0, 30.0, None] * 6)
    flags = pd.Categorical([True, False, False] * 8)
    short = pd.Series([0.1, 0.2, 7.0] * 8, dtype="float32")
    frame = pd.DataFrame({"coded": coded, "flags": flags, "short": short, "y": np.arange(24) / 3})
    task = "regression" if target == "y" else "classification"
    drop = () if target == "short" else ("short",)
    options = {"target": target, "task": task, "drop": drop, "missing": "drop"}
    # A CSV file declares no categories.
    named = [name for name in ("coded", "flags") if name != target]
    plain = load(tmp_path, saved(frame, "my.csv"), "my.csv", categorical=named, **options)
    for name in ("my.parquet", "my.feather"):
        data = load(tmp_path, saved(frame, name), name, **options)
        assert data.fingerprint == plain.fingerprint
        assert (data.feature_names, data.classes) == (plain.feature_names, plain.classes)


@pytest.mark.parametrize("name", ["my.csv", "my.parquet", "my.feather"])
def test_the_usual_spellings_are_counted_in_a_note(tmp_path: Path, name: str) -> None:
    content = saved(FRAME[["land", "words", "y"]].assign(words=["x", "?", "x", "nan"] * 6), name)
    data = load(tmp_path, content, name, **KEYS)
    assert data.feature_names == ("land=DE", "land=FR", "words=x")
    said = "read as missing: '?' 6, 'NA' 6, 'nan' 6, empty 6"
    assert f"{said}; 'na_values: []' leaves only empty cells missing" in data.remarks
    none = load(tmp_path, content, name, na_values=(), **KEYS)
    assert none.feature_names == (
        "land=DE",
        "land=FR",
        "land=NA",
        "words=?",
        "words=nan",
        "words=x",
    )
    # An empty cell of a CSV file is no spelling; an empty text in a frame, which has null, is.
    assert ("read as missing: empty 6" in none.remarks) == (name != "my.csv")
    # Columns that are left out do not matter.
    some = load(tmp_path, content, name, drop=("land",), **KEYS)
    assert "read as missing: '?' 6, 'nan' 6; " in some.remarks_line


def test_a_refusal_says_how_a_spelling_becomes_a_value(tmp_path: Path) -> None:
    text = "land;y\nNA;1\nDE;2\n;3\n"
    with pytest.raises(DataError, match=r"'na_values: \[\]' \(where these are values: 'NA'\)"):
        load(tmp_path, text, categorical="auto")
    with pytest.raises(DataError) as caught:
        load(tmp_path, text, categorical="auto", na_values=())
    assert "missing values in column 'land' (1, in line 4)" in str(caught.value)
    assert "na_values" not in str(caught.value)


def test_an_empty_list_makes_spellings_text_in_a_column_of_numbers(tmp_path: Path) -> None:
    for mark in ("NA", "nan", "NaN", "?"):
        text = f"a,y\n1,1\n{mark},2\n,3\n"
        assert np.isnan(load(tmp_path, text, **KEYS).X[:, 0]).tolist() == [False, True, True]
        with pytest.raises(DataError) as caught:
            load(tmp_path, text, na_values=(), **KEYS)
        assert f"in column 'a' (1 of 2 values, '{mark}' in line 3)" in str(caught.value)


def test_the_own_marks_of_arff_and_keel_are_always_missing(tmp_path: Path) -> None:
    head = "@relation r\n@attribute a {None,x}\n@attribute b string\n@attribute y real\n@data\n"
    for name, mark in (("my.arff", "?"), ("my.dat", "<null>")):
        body = f"None,NA,1\n{mark},u,2\nx,{mark},3\nx,u,5\n"
        data = load(tmp_path, head + body, name, na_values=(), **KEYS)
        assert data.feature_names == ("a=None", "a=x", "b=NA", "b=u")
        assert data.X.sum(axis=1).tolist() == [2, 1, 1, 2]
        assert (
            "next version"
            not in load(tmp_path, head + body, name, na_values=("NA",), **KEYS).remarks_line
        )
        # A level that the header declares is a value in any case.
        assert load(tmp_path, head + body, name, **KEYS).feature_names == ("a=None", "a=x", "b=u")


def test_a_list_says_which_marks_it_will_leave_out(tmp_path: Path) -> None:
    text = "a,y\n1,1\n-999,2\nNA,3\n-,4\n7,6\n"
    data = load(tmp_path, text, target="y", na_values=("-", "-999.0"), **KEYS)
    assert np.isnan(data.X[:, 0]).sum() == 3
    assert data.remarks[:2] == (
        "read as missing: '-' 1, '-999' 1, 'NA' 1",
        "na_values adds to the usual marks, of which the file has 'NA' 1: list these too, since "
        "the next version takes only what is listed",
    )
    listed = load(tmp_path, text, na_values=("-", "-999", "NA"), **KEYS)
    assert listed.fingerprint == data.fingerprint
    assert "next version" not in listed.remarks_line


def test_an_entry_of_an_earlier_version_has_the_usual_marks() -> None:
    now = DatasetEntry.model_validate({"file": "d.csv"}).model_dump(mode="json")
    earlier = {key: value for key, value in now.items() if key != "header"} | {"na_values": []}
    assert upgraded(earlier, DatasetEntry) == now
    exact = DatasetEntry.model_validate({"file": "d.csv", "na_values": []}).model_dump(mode="json")
    assert upgraded(exact, DatasetEntry) == exact != now
