"""Whole numbers of which some begin with 0, such as 007: codes, or numbers."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load, load_given

from boostbench.data import Dataset

N = 60
CODES = [f"{i % 6 * 137:05}" for i in range(N)]
READ = "values that begin with 0 read as numbers ('categorical' makes levels of them) in 'v'"


def read(folder: Path, values: list[object], kind: str = "csv", **options: object) -> Dataset:
    frame = pd.DataFrame({"v": values, "a": np.arange(N) % 7 / 2, "y": np.arange(N) ** 1.5})
    if kind == "python":
        return load_given(folder, frame, **{"target": "y", **options})
    buffer = io.BytesIO()
    write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}[kind]
    write(buffer, index=False)
    return load(folder, buffer.getvalue(), f"my.{kind}", **{"target": "y", **options})


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "python"])
def test_codes_are_levels_with_auto_and_else_told_of(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("openpyxl" if kind == "xlsx" else "pyarrow")
    data = read(tmp_path, CODES, kind)
    assert data.feature_names == ("v", "a")
    np.testing.assert_array_equal(data.X[:, 0], [float(code) for code in CODES])
    assert READ in data.remarks
    auto = read(tmp_path, CODES, kind, categorical="auto")
    assert auto.feature_names == (*(f"v={code}" for code in sorted(set(CODES))), "a")
    assert "begin with 0" not in auto.remarks_line
    assert "1 column one-hot encoded (levels: v 6)" in auto.remarks
    named = read(tmp_path, CODES, kind, categorical=["v"])
    assert (named.fingerprint, named.remarks) == (auto.fingerprint, auto.remarks)


def test_codes_in_a_frame(tmp_path: Path) -> None:
    data = read(tmp_path, CODES, features="frame")
    assert data.frame["v"].dtype == np.float64
    assert READ in data.remarks
    data = read(tmp_path, CODES, features="frame", categorical="auto")
    assert list(data.frame["v"].cat.categories) == sorted(set(CODES))


def test_codes_of_which_most_differ_are_names_for_auto(tmp_path: Path) -> None:
    data = read(tmp_path, [f"{i:04}" for i in range(N)], categorical="auto")
    assert data.feature_names == ("a",)
    assert "left out: 'v' (60 different texts in 60 values)" in data.remarks


@pytest.mark.parametrize(
    "values",
    [
        [str(i % 9) for i in range(N)],
        ["0", "10", "100"] * 20,
        ["0.5", "0.25", "1"] * 20,
        ["00.5", "01.5", "2"] * 20,
        ["-01", "02", "3"] * 20,
        ["1e05", "2", "3"] * 20,
    ],
)
def test_other_numbers_are_numbers(tmp_path: Path, values: list[object]) -> None:
    for keys in ({}, {"categorical": "auto"}):
        data = read(tmp_path, values, **keys)
        assert data.feature_names == ("v", "a")
        assert "begin with 0" not in data.remarks_line


def test_where_codes_are_no_features_nothing_is_said(tmp_path: Path) -> None:
    assert read(tmp_path, CODES, target="v", task="classification").classes[:2] == (
        "00000",
        "00137",
    )
    for keys in ({"group": "v"}, {"drop": ["v"]}, {"time": "v"}):
        assert "begin with 0" not in read(tmp_path, CODES, **keys).remarks_line


def test_gaps_and_quotes_beside_codes(tmp_path: Path) -> None:
    lines = "".join(f'{i}.5,"{code if i % 9 else ""}", {i % 4}\n' for i, code in enumerate(CODES))
    data = load(tmp_path, f"a,v,y\n{lines}", target="y", missing="median")
    assert READ in data.remarks
    assert np.isnan(data.X[:, 1]).sum() == 7
    tabs = load(tmp_path, f"v\ty\n{''.join(f'{c}	{i}' + chr(10) for i, c in enumerate(CODES))}")
    assert READ in tabs.remarks


def test_numbers_that_arff_declares_are_numbers(tmp_path: Path) -> None:
    head = "@relation r\n@attribute v {}\n@attribute y numeric\n@data\n"
    rows = "".join(f"{code},{i}\n" for i, code in enumerate(CODES))
    for kind, n_features in (("numeric", 1), ("string", 6)):
        content = head.format(kind) + rows
        data = load(tmp_path, content, "my.arff", target="y", categorical="auto")
        assert len(data.feature_names) == n_features
        assert "begin with 0" not in data.remarks_line
