"""Large data sets of OpenML, one or several side by side."""

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cards import load_card, put_card

from boostbench.data import DataAccess, load_dataset
from boostbench.data.openml import cache_folder
from boostbench.errors import DataError, UnavailableDataError

LABELS = ["2", "10", "2", "1", "10", "1", "2"]


def _arff(values: np.ndarray, labels: list[str]) -> bytes:
    names = "".join(f"@ATTRIBUTE 'f {j}' real\n" for j in range(values.shape[1]))
    rows = "".join(
        ",".join(map(repr, row)) + f",'{label}'\n"
        for row, label in zip(values.tolist(), labels, strict=True)
    )
    head = f"@relation r\n% a comment\n{names}@attribute class {{1,2,10}}\n\n@data\n"
    return f"{head}{rows}\n".encode()


def _values(seed: int, width: int, rows: int = len(LABELS)) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, width)) * 10.0 ** (seed - 2)


def _keep(access: DataAccess, number: int, arff: bytes) -> None:
    """Put a set into the cache, as a download does."""
    folder = cache_folder(number, access)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.arff").write_bytes(arff)
    meta = {
        "targets": ["class"],
        "exclude": [None],
        "file": "data.arff",
        "sha256": hashlib.sha256(arff).hexdigest(),
    }
    (folder / "meta.json").write_text(json.dumps(meta))


def _load(access: DataAccess, shelf: Path, n_features: int = 9, join: tuple[int, ...] = (2, 3)):
    source = {"kind": "openml", "id": 1, "join": list(join)}
    about = {"target": "class", "n_samples": len(LABELS), "n_features": n_features}
    request = put_card(shelf, task="classification", sources=[source], **about)
    return load_dataset(request, access)


@pytest.fixture
def parts(local: DataAccess) -> list[np.ndarray]:
    """The values of the sets 1, 2 and 3 that are in the cache of ``local``."""
    made = [_values(number, width) for number, width in ((1, 2), (2, 3), (3, 4))]
    for number, values in enumerate(made, 1):
        _keep(local, number, _arff(values, LABELS))
    return made


def test_features_lie_side_by_side_to_the_last_bit(local: DataAccess, shelf: Path, parts) -> None:
    data = _load(local, shelf)
    np.testing.assert_array_equal(data.X, np.column_stack(parts))
    assert data.classes == ("1", "2", "10")
    assert data.y.tolist() == [1, 2, 1, 0, 2, 0, 1]
    assert data.feature_names[:3] == ("1:f 0", "1:f 1", "2:f 0")
    assert data.source == "OpenML 1 + OpenML 2 + OpenML 3"


def test_through_the_client_where_one_set_has_parquet_only(server, shelf, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    values = [_values(1, 2), _values(2, 3)]
    server.add_openml(1, _arff(values[0], LABELS), target="class")
    frame = pd.DataFrame(values[1], columns=["a", "b", "c"])
    frame["class"] = pd.Categorical(LABELS)
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    _, place = server.add_openml(2, b"", target="class", parquet=buffer.getvalue())
    server.replies[place].status = 404
    access = server.access(tmp_path)
    data = _load(access, shelf, 5, (2,))
    np.testing.assert_array_equal(data.X, np.column_stack(values))
    # Now from the cache.
    asked = len(server.requests)
    assert _load(access, shelf, 5, (2,)).fingerprint == data.fingerprint
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("values", "labels", "words"),
    [
        (
            (2, 3),
            [*LABELS[:3], "2", *LABELS[4:]],
            "row 4 is of the class '1' in OpenML 1 and of "
            "'2' in OpenML 2: their rows do not belong together",
        ),
        ((2, 3, 6), LABELS[:6], "OpenML 2 has 6 rows, but OpenML 1 has 7"),
        ((2, 8), LABELS, "gives 7 rows of 14 features, but the card expects 7 of 9"),
    ],
)
def test_sets_that_do_not_go_together(local, shelf: Path, parts, values, labels, words) -> None:
    _keep(local, 2, _arff(_values(*values), labels))
    with pytest.raises(DataError, match=words):
        _load(local, shelf)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"'10'", b"?,'10'", r"missing values in column '2:f 2' \(1, in row 2\)"),
        (b"'10'", b"inf,'10'", r"infinite values in column '2:f 2' \(1, in row 2\)"),
        (b"@data", b"", r"OpenML 2:\d+ starts with"),
        (b"attribute class", b"attribute kind", "OpenML 2 does not say which column is the target"),
    ],
)
def test_files_that_hold_something_else(local, shelf: Path, parts, old, new, words) -> None:
    arff = _arff(parts[1], LABELS)
    if old == b"'10'":
        row = next(line for line in arff.splitlines() if line.endswith(old))
        old, new = row, row.rsplit(b",", 2)[0] + b"," + new
    _keep(local, 2, arff.replace(old, new, 1))
    with pytest.raises(DataError, match=words):
        _load(local, shelf)


def test_a_set_that_is_not_here_is_unavailable(local: DataAccess, shelf: Path, parts) -> None:
    (cache_folder(3, local) / "data.arff").write_bytes(b"damaged")
    with pytest.raises(UnavailableDataError, match=r"not in the cache, .* and may not be"):
        _load(local, shelf)


@pytest.mark.parametrize(
    ("name", "n_classes", "parts"), [("gtsrb", 43, 2), ("cifar10_pixels", 10, 6), ("isolet", 26, 2)]
)
def test_the_counts_on_the_cards_are_those_of_the_original(name, n_classes, parts) -> None:
    card = load_card(name)
    assert len(card.class_counts) == parts
    assert {len(counts) for counts in card.class_counts} == {n_classes}
    assert sum(map(sum, card.class_counts[:-1])) == card.train_rows
    # Each class has about the same share of both parts.
    train = np.sum(card.class_counts[:-1], axis=0) / card.train_rows
    test = np.array(card.class_counts[-1]) / sum(card.class_counts[-1])
    assert np.abs(train - test).max() < 0.005
