"""Columns that have numbers as names, and numbers that mean columns."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load, load_given

from boostbench.data.given import Data
from boostbench.errors import ConfigError, DataError, UnknownColumnError

VALUES = np.arange(60.0).reshape(20, 3) ** 1.5


@pytest.mark.parametrize("names", [[0, 1, 2], [2018, 2019, 2020], ["0", "1", "b"]])
def test_a_number_is_the_column_of_that_name(tmp_path: Path, names: list[object]) -> None:
    frame = pd.DataFrame(VALUES, columns=names)
    for place, name in enumerate(names[:2]):
        of_file = load(tmp_path, frame.to_csv(index=False), target=int(str(name)), header=True)
        of_frame = load_given(tmp_path, frame, target=int(str(name)))
        for data in (of_file, of_frame):
            assert data.target == str(name)
            np.testing.assert_array_equal(data.y, VALUES[:, place])
            assert f"target {name} is the column '{name}'" in data.remarks
    last = load(tmp_path, frame.to_csv(index=False), target=-1, header=True)
    assert last.target == str(names[-1])


@pytest.mark.parametrize("wanted", [3, "3", -4])
def test_where_names_are_numbers_no_number_is_a_place(tmp_path: Path, wanted: object) -> None:
    content = pd.DataFrame(VALUES).to_csv(index=False)
    with pytest.raises(UnknownColumnError, match=r"a number is a name: its columns are 0, 1, 2$"):
        load(tmp_path, content, target=wanted, header=True)


def test_elsewhere_columns_are_counted_from_1(tmp_path: Path) -> None:
    content = pd.DataFrame(VALUES).to_csv(index=False, header=False)
    data = load(tmp_path, content, target=2, header=False)
    np.testing.assert_array_equal(data.y, VALUES[:, 1])
    assert "target 2 is the column 'x2'" in data.remarks
    assert load_given(tmp_path, VALUES, target=2).target == "x2"
    for wanted in (0, 4, -4):
        with pytest.raises(UnknownColumnError, match=f"no column {wanted}; its columns are 1 to 3"):
            load(tmp_path, content, target=wanted, header=False)
    named = load(tmp_path, "a,b,y\n1,2,3\n4,5,7\n", target="y")
    assert not any("is the column" in remark for remark in named.remarks)


def test_numbers_name_columns_of_each_use(tmp_path: Path) -> None:
    frame = pd.DataFrame(VALUES).assign(**{"3": [1, 2] * 10, "4": range(20)})
    keys = {"target": 2, "drop": [0], "group": 3, "weights": 4}
    of_file = load(tmp_path, frame.to_csv(index=False), header=True, **keys)
    of_frame = load_given(tmp_path, frame, **keys)
    assert of_file.feature_names == of_frame.feature_names == ("1",)
    assert of_file.fingerprint == of_frame.fingerprint
    named = load(tmp_path, frame.to_csv(index=False), header=True, target=2, categorical=[3])
    assert named.feature_names == ("0", "1", "3=1", "3=2", "4")
    with pytest.raises(DataError, match="no column '7'"):
        load(tmp_path, frame.to_csv(index=False), header=True, drop=[7])


def test_a_target_with_a_number_as_its_name(tmp_path: Path) -> None:
    frame = pd.DataFrame(VALUES)
    data = load_given(tmp_path, frame[[0, 1]], frame[2])
    assert (data.target, data.feature_names) == ("2", ("0", "1"))
    with pytest.raises(ConfigError, match="a column named '1' like its target y"):
        Data(frame, frame[1]).frame("d")
