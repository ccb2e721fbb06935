"""What is refused of given training and test rows."""

from pathlib import Path

import pytest
from plan_parts import make_dataset, make_experiment

from boostbench.config.model import Experiment
from boostbench.data.dataset import Dataset
from boostbench.errors import DataError
from boostbench.plan.check import check_dataset, check_experiment


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
    ("codes", "rule", "n", "words", "works"),
    [
        ([0] * 30 + [1] * 30, "train_per_class: 40", 1, "code 0 .* has 30 rows to draw 40", 29),
        ([0] * 30 + [1] * 30, "train_per_class: 30", 1, "none is left to test", 29),
        # Of all classes, not only the first that has too few.
        ([0] * 9 + [1] * 5 + [2] * 9, "train_per_class: 9", 1, "code 1 .* has 5 rows", 5),
        ([0, 1] * 9, "train_rows: 12, train_per_class: 7", 1, "has 6 rows to draw 7", 6),
        # Of all batches that are used.
        ([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1],
         "train_rows: 12, train_batches: 2, train_per_class: 3", 2, "code 1 .* has 2 rows", 2),
        ([0, 1], "train_per_class: 1", 1, "none is left to test", 0),
    ],
)  # fmt: skip
def test_too_few_rows_of_a_class(
    tmp_path: Path, codes: list[int], rule: str, n: int, words: str, works: int
) -> None:
    more = f"splits: {{n: {n}}}"
    experiment = _experiment(tmp_path, f"{{{rule}}}", more)
    methods = check_experiment(experiment)
    with pytest.raises(DataError, match=f"^data set 'toy': .*{words}"):
        check_dataset(experiment, _classified(codes), methods)
    if works:
        first = rule.rpartition("train_per_class")[0]
        right = _experiment(tmp_path, f"{{{first}train_per_class: {works}}}", more)
        check_dataset(right, _classified(codes), methods)
