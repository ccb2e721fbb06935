"""A user's own files: what becomes of their columns, and one sentence for all that is wrong."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from servers import zip_of
from shelf import load

from boostbench.data import DataAccess, DataRequest, bounds, load_dataset
from boostbench.errors import DataError

CSV = "size,colour,price\n1,red,10\n2,blue,20\n3,red,30\n"


def test_csv_with_a_categorical_column(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, categorical=("colour",))
    assert data.feature_names == ("size", "colour=blue", "colour=red")
    np.testing.assert_array_equal(data.X, [[1, 0, 1], [2, 1, 0], [3, 0, 1]])
    np.testing.assert_array_equal(data.y, [10, 20, 30])
    assert (data.task, data.target, data.source) == ("regression", "price", "file my.csv")


@pytest.mark.parametrize("target", ["price", 3, -1, "3"])
def test_target_by_name_or_number(tmp_path: Path, target: str | int) -> None:
    assert load(tmp_path, CSV, target=target, drop=("colour",)).target == "price"


def test_numbers_can_be_categorical(tmp_path: Path) -> None:
    data = load(tmp_path, "a,b,y\n1,2,3\n2,2,4\n", categorical=("a",))
    assert data.feature_names == ("a=1", "a=2", "b")


def test_classes_are_ordered_as_numbers(tmp_path: Path) -> None:
    data = load(tmp_path, "a,y\n1,10\n2,9\n3,10\n", task="classification")
    assert data.classes == ("9", "10")
    assert data.y.tolist() == [1, 0, 1]
    named = load(tmp_path, "a,y\n1,no\n2,yes\n", task="classification")
    assert named.classes == ("no", "yes")


def test_gzip_zip_and_keel_are_recognised(tmp_path: Path) -> None:
    plain = load(tmp_path, "a,y\n1,2\n3,4\n")
    keel = "@relation r\n@attribute a real\n@attribute y real\n@outputs y\n@data\n1, 2\n3, 4\n"
    for name, content, target in (
        ("my.csv.gz", gzip.compress(b"a,y\n1,2\n3,4\n"), "y"),
        ("my.zip", zip_of({"only.csv": b"a,y\n1,2\n3,4\n"}), "y"),
        ("my.dat", keel.encode(), None),
        ("my.arff", keel.replace("@outputs y\n", "").encode(), "y"),
        ("my.arff.gz", gzip.compress(keel.replace("@outputs y\n", "").encode()), "y"),
    ):
        assert load(tmp_path, content, name, target=target).fingerprint == plain.fingerprint, name


def test_negative_zero_does_not_change_the_data(tmp_path: Path) -> None:
    one = load(tmp_path, "a,y\n-0.0,1\n1,2\n")
    other = load(tmp_path, "a,y\n0,1\n1,2\n")
    assert one.fingerprint == other.fingerprint
    assert not np.signbit(one.X).any()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (CSV, {"target": None}, "does not say which column is the target; give target: with one"),
        (CSV, {"target": "prize"}, "has no column 'prize'; did you mean 'price'?"),
        (CSV, {"target": 4}, "has no column 4; its columns are 1 to 3"),
        (CSV, {}, "text in column 'colour' (3 of 3 values, 'red' in line 2)"),
        (CSV, {"drop": ("sise",)}, "has no column 'sise'; did you mean 'size'"),
        ("a,y\n1,2\n?,3\n", {}, "missing values in column 'a' (1, in line 3)"),
        ("a,y\n1,\n2,3\n", {}, "missing values in the target column 'y' (1, in line 2)"),
        ("a,y\n1,u\n2,v\n", {}, "a regression needs a numeric target"),
        ("a,y\n1,2\ninf,3\n", {"missing": "drop"}, "infinite values in column 'a' (1, in line 3)"),
        ("a;y\n1;1,5\n2;2\n", {}, "values that are no numbers in the target column 'y' (1 of 2"),
        ("a,y\n1,\n2,\n", {}, "no values in the target column 'y'"),
        # YAML would take it for something else.
        ("no,a,y\n$1,$1,1\n$2,$2,2\n", {}, "'drop: [\"no\", a]'"),
        ("a,y\n1,2\n", {}, "has 1 row(s); at least two are needed"),
        ("a,y\n1,2\n2,2\n", {}, "constant target 'y'"),
        ("", {}, "is empty"),
    ],
)
def test_bad_data_is_one_sentence(tmp_path: Path, content: str, options, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, content, **options)
    assert message in str(caught.value)
    assert "my.csv" in str(caught.value) or "'mine'" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    text = "größe,y\n1,2\n3,5\n"
    same = load(tmp_path, text)
    other = load(tmp_path, text.encode(encoding), encoding=encoding)
    assert other.feature_names == ("größe",)
    assert other.fingerprint == same.fingerprint
    arff = "@relation r\n@attribute größe real\n@attribute y real\n@data\n1,2\n3,5\n"
    other = load(tmp_path, arff.encode(encoding), encoding=encoding)
    assert other.feature_names == ("größe",)


def test_json_is_not_read(tmp_path: Path) -> None:
    packed = gzip.compress(b"[{}]")
    for name, content in (("a.json", b"[]"), ("b.JSONL", b"{}"), ("c.json.gz", packed)):
        with pytest.raises(DataError, match=rf"{name}: JSONL? is not read; save the table"):
            load(tmp_path, content, name)


def test_json_is_refused_before_it_is_read(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_UNPACKED_BYTES", 3)
    for name in ("large.ndjson", "large.ods"):
        with pytest.raises(DataError, match=f"{name}: [A-Z]+ is not read; save the table as .csv"):
            load(tmp_path, b"more than 3 bytes", name)
    with pytest.raises(DataError, match="is larger than 3 bytes"):
        load(tmp_path, b"more than 3 bytes", "large.csv")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    access = DataAccess(tmp_path, offline=True)
    for path, message in ((tmp_path / "no.csv", "there is no file"), (tmp_path, "is not a file")):
        with pytest.raises(DataError, match=message):
            load_dataset(DataRequest(name="x", file=str(path), target="y"), access)
