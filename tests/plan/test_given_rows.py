"""What is refused and what is noted of given training and test rows."""

from pathlib import Path

import pytest
from plan_parts import make_dataset, make_experiment

from boostbench.config.model import Experiment
from boostbench.data.dataset import Dataset
from boostbench.errors import DataError
from boostbench.plan.check import check_dataset, check_experiment, notes_on


@pytest.fixture(autouse=True)
def _file(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("u,y\n1,a\n")


def _experiment(folder: Path, rule: str, more: str = "splits: {n: 1}") -> Experiment:
    data = f"{{file: c.csv, name: toy, target: y, task: classification, splits: {rule}}}"
    method = "{estimator: sklearn.dummy.DummyClassifier}"
    return make_experiment(folder, method, data=data, more=more)


def _classified(codes: list[int]) -> Dataset:
    return make_dataset(codes, ("p", "q", "z"))


@pytest.mark.parametrize(
    ("codes", "rule", "n", "words", "most"),
    [
        ([0] * 30 + [1] * 30, "train_per_class: 40", 1, "'toy' has 30 training rows of the class "
         "'p', fewer than train_per_class: 40; set it to at most 29", 29),
        ([0] * 30 + [1] * 30, "train_per_class: 30", 1, "'toy' has no row left to test on with "
         "train_per_class: 30; set it to at most 29", 29),
        ([0] * 30 + [1] * 31, "train_per_class: 31", 1, "30 training .* set it to at most 30", 30),
        # Of all classes, not only the first that has too few.
        ([0] * 9 + [1] * 5 + [2] * 9, "train_per_class: 10", 1, "'p', .* set it to at most 5", 5),
        ([0, 1] * 9, "train_rows: 12, train_per_class: 7", 1, "6 tr.* set it to at most 6", 6),
        # Of all batches that are used.
        ([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1],
         "train_rows: 12, train_batches: 2, train_per_class: 3", 2, "'q', .* at most 2", 2),
        ([0, 1], "train_per_class: 1", 1, "leave classes out that have too few rows", 0),
    ],
)  # fmt: skip
def test_the_largest_train_per_class_is_named(
    tmp_path: Path, codes: list[int], rule: str, n: int, words: str, most: int
) -> None:
    more = f"splits: {{n: {n}}}"
    experiment = _experiment(tmp_path, f"{{{rule}}}", more)
    methods = check_experiment(experiment)
    with pytest.raises(DataError, match=words):
        check_dataset(experiment, _classified(codes), methods)
    if most:
        first = rule.rpartition("train_per_class")[0]
        works = _experiment(tmp_path, f"{{{first}train_per_class: {most}}}", more)
        check_dataset(works, _classified(codes), methods)


def test_classes_that_are_tested_without_training_rows_are_named(tmp_path: Path) -> None:
    rows = _classified([0, 1, 0, 1, 0, 1, 2])
    (note,) = notes_on(_experiment(tmp_path, "{train_rows: 4}"), rows)
    assert note == "data set 'toy': class 'z' has test rows but no training row in split 0"
    assert notes_on(_experiment(tmp_path, "{train_rows: 4}"), _classified([0, 2, 1, 1, 0, 1])) == []
    batches = _experiment(tmp_path, "{train_rows: 4, train_batches: 2}", "splits: {n: 2}")
    assert notes_on(batches, _classified([0, 2, 1, 1, 0, 1, 2])) == [
        "data set 'toy': class 'q' has test rows but no training row in split 0",
        "data set 'toy': classes 'p', 'z' have test rows but no training row in split 1",
    ]
    assert notes_on(_experiment(tmp_path, "{test_size: 0.25}"), rows) == []
    assert notes_on(_experiment(tmp_path, "{train_per_class: 1}"), rows) == []


def test_splits_of_the_same_rows_are_named(tmp_path: Path) -> None:
    rows = _classified([0, 1, 0, 1, 0, 1])
    experiment = _experiment(tmp_path, "{train_rows: 4}", "splits: {n: 3}")
    words = "data set 'toy' has one given division: its 3 splits have the same rows"
    assert notes_on(experiment, rows) == [words]
    for rule in ("{train_rows: 4, train_per_class: 1}", "{train_per_class: 1}",
                 "{test_size: 0.5}"):  # fmt: skip
        assert notes_on(_experiment(tmp_path, rule, "splits: {n: 3}"), rows) == []
    batches = _experiment(tmp_path, "{train_rows: 4, train_batches: 2}", "splits: {n: 2}")
    assert notes_on(batches, rows) == []
    assert notes_on(_experiment(tmp_path, "{train_rows: 4}"), rows) == []
