"""Which targets are classes, and which are a quantity."""

from pathlib import Path

import numpy as np
import pytest
from shelf import load

from boostbench.data.dataset import Dataset
from boostbench.errors import DataError

RANDOM = np.random.RandomState(0)


def classes(tmp_path: Path, y: list[object], name: str = "my.csv", head: str = "a,y\n") -> Dataset:
    content = head + "".join(f"{i}.5,{label}\n" for i, label in enumerate(y))
    return load(tmp_path, content, name, target="y", task="classification")


def spread(labels: list[object], rows: int) -> list[object]:
    return [labels[i % len(labels)] for i in range(rows)]


@pytest.mark.parametrize(
    ("y", "n_classes"),
    [
        (spread(list(range(10)), 30), 10),
        (spread([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7], 35), 7),
        (spread([100 * k for k in range(30)], 150), 30),
        (spread(["True", "False"], 9), 2),
    ],
)
def test_labels_of_many_kinds_are_classes(tmp_path: Path, y: list[object], n_classes: int) -> None:
    data = classes(tmp_path, y)
    assert len(data.classes) == n_classes
    assert data.remarks == ()


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        (RANDOM.normal(size=300).tolist(), "300"),
        ((RANDOM.normal(size=500) * 9 + 22).round(1).tolist(), "500"),
        (spread(RANDOM.permutation(600)[:250].tolist(), 500), "500"),
        ([f"person {i}" for i in range(40)], "40"),
    ],
)
def test_quantities_are_refused(tmp_path: Path, y: list[object], shown: str) -> None:
    words = rf"continuous values in the target column 'y' \({shown} of {shown} values, '{y[0]}"
    with pytest.raises(DataError, match=rf"my\.csv has {words}.*'task: regression'"):
        classes(tmp_path, y)


def test_levels_that_a_header_declares_are_classes(tmp_path: Path) -> None:
    levels = [f"{k / 10:.1f}" for k in range(30)]
    head = "@relation r\n@attribute a real\n@attribute y {" + ",".join(levels) + "}\n@data\n"
    data = classes(tmp_path, levels, "my.arff", head)
    assert data.classes == tuple(levels)
    with pytest.raises(DataError, match="continuous values in the target"):
        classes(tmp_path, levels)
