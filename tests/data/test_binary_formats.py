"""IDX, MATLAB and Parquet files."""

import io
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat

from boostbench.data.binary import parse_idx, parse_mat, table_of_idx
from boostbench.data.frames import parse_frame
from boostbench.errors import DataError


def idx(array: np.ndarray) -> bytes:
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return header + array.astype(np.uint8).tobytes()


def test_idx_images_and_labels() -> None:
    images, labels = np.arange(24).reshape(2, 3, 4), np.array([7, 1])
    arrays = [parse_idx(idx(images), "w"), parse_idx(idx(labels), "w")]
    np.testing.assert_array_equal(arrays[0], images)
    table = table_of_idx([*arrays, *arrays], "w")
    assert table.frame.shape == (4, 13)
    assert table.frame["target"].tolist() == [7, 1, 7, 1]
    assert table.frame["x12"].tolist() == [11, 23, 11, 23]
    with pytest.raises(DataError, match="as many labels as images"):
        table_of_idx([arrays[0], arrays[1][:1]], "w")
    with pytest.raises(DataError, match="images of different sizes"):
        table_of_idx([*arrays, arrays[0][:, :2], arrays[1]], "w")
    assert len(table_of_idx([arrays[0], arrays[1][:, None]], "w").frame) == 2


def test_idx_of_wrong_length_or_header() -> None:
    whole = idx(np.arange(6).reshape(2, 3))
    for content in (whole[:-1], whole + b"x"):
        with pytest.raises(DataError, match="its header asks for 18"):
            parse_idx(content, "w")
    for content in (b"", b"\0\0", b"\x89PNG....", whole[:6]):
        with pytest.raises(DataError, match="not an IDX file"):
            parse_idx(content, "w")
    huge = struct.pack(">BBBB3I", 0, 0, 14, 3, *[2**32 - 1] * 3)
    with pytest.raises(DataError, match="asks for"):
        parse_idx(huge, "w")
    with pytest.raises(DataError, match="its shape is"):
        parse_idx(struct.pack(">BBBB2I", 0, 0, 8, 2, 0, 7), "w")
    with pytest.raises(DataError, match="its shape is"):
        parse_idx(struct.pack(">BBBB255I", 0, 0, 8, 255, *[1] * 255) + b"x", "w")


def test_mat_with_a_cell_of_views() -> None:
    views = np.empty((1, 2), dtype=object)
    views[0, 0], views[0, 1] = np.ones((3, 2)), np.full((3, 1), 5)
    buffer = io.BytesIO()
    savemat(buffer, {"X": views, "Y": np.array([[1], [2], [3]])})
    table = parse_mat(buffer.getvalue(), "w")
    assert table.frame.iloc[0].tolist() == [1, 1, 5, 1]


@given(st.binary(max_size=200))
def test_no_mat_file(content: bytes) -> None:
    with pytest.raises(DataError, match=r"^w "):
        parse_mat(content, "w")


def test_parquet_types_and_damage() -> None:
    frame = pd.DataFrame(
        {
            "i": np.array([1, 2], dtype=np.uint8),
            "b": [True, False],
            "c": pd.Categorical(["u", None]),
            "t": ["x", "y"],
            "m": [1.5, None],
        },
        index=pd.Index([7, 8], name="id"),
    )
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    found = parse_frame(buffer.getvalue(), "w", declared=True).frame
    assert found["i"].tolist() == [1.0, 2.0]
    assert found["id"].tolist() == [7.0, 8.0]
    assert found["b"].tolist() == [1.0, 0.0]
    assert found["c"].astype(object).fillna("gone").tolist() == ["u", "gone"]
    assert found["t"].dtype == "category"
    assert np.isnan(found["m"][1])
    for content in (b"PAR1", buffer.getvalue()[:-10], b""):
        with pytest.raises(DataError, match="damaged Parquet"):
            parse_frame(content, "w")


def test_a_feather_file_with_wrong_places_of_texts_is_refused() -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"color": ["red", "green", "blue"] * 4, "y": np.arange(12.0)})
    file = io.BytesIO()
    frame.to_feather(file, compression="uncompressed")
    content = file.getvalue()
    assert len(parse_frame(content, "w").frame) == 12
    places = np.cumsum([0, *frame.color.str.len()])
    (damaged,) = (
        content.replace(right, wrong)
        for kind in ("<i4", "<i8")
        if (right := places.astype(kind).tobytes()) in content
        and (wrong := np.where(places == 3, 9, places).astype(kind).tobytes())
    )
    with pytest.raises(DataError, match="w is a damaged Feather file: "):
        parse_frame(damaged, "w")
