"""Data that do not fit the experiment are refused before the first trial."""

from pathlib import Path

import numpy as np
import pytest
from plan_parts import check, make_dataset, make_experiment

from boostbench.config.model import Experiment
from boostbench.data import kfold_indices
from boostbench.errors import DataError
from boostbench.plan.check import check_dataset, check_experiment

DEEP = ("{method: srt, params: {depth: 4}}", "random_forest")


@pytest.mark.parametrize(
    ("n", "more", "words"),
    [
        (4, "folds: 4", "'toy' has one and the same target in the 1 test row of fold 0"),
        (3, "splits: {n: 2, test_size: 0.5}", "'toy': 3 rows cannot be split with"),
        (4, "splits: {n: 2, test_size: 0.25}",
         "'toy' has one and the same target in the 1 test row of split 0, for which R² is not "
         "defined; show another metric, such as 'metric: mae', or have more test rows in each "
         "split$"),
        (4, "folds: 4\nmetric: explained_variance", "for which explained variance is not defined"),
    ],
)  # fmt: skip
def test_too_few_rows(tmp_path: Path, n: int, more: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        check(make_experiment(tmp_path, more=more), make_dataset(np.arange(float(n))))


def test_a_split_seed_is_proposed_where_it_helps(tmp_path: Path) -> None:
    y = np.zeros(30)
    y[:10] = np.arange(10.0)
    test = kfold_indices(30, 5, 0, 1)[1]
    y[test] = 0.0
    with pytest.raises(DataError, match=r"or set 'split_seed: (\d+)'$") as caught:
        check(make_experiment(tmp_path, more="folds: 5\nsplit_seed: 1"), make_dataset(y))
    seed = str(caught.value).rstrip("'").rpartition(" ")[2]
    check(make_experiment(tmp_path, more=f"folds: 5\nsplit_seed: {seed}"), make_dataset(y))
    # None helps.
    y[1:] = 0.0
    y[:2] = 1.0, 2.0
    with pytest.raises(DataError, match=r"have more test rows in each split$"):
        check(make_experiment(tmp_path, more="folds: 5"), make_dataset(y))


@pytest.mark.parametrize(
    "more", ["metric: mae", "metric: neg_median_absolute_error", "metric: mse"]
)
def test_one_test_row_is_enough_for_other_metrics(tmp_path: Path, more: str) -> None:
    check(make_experiment(tmp_path, more=f"folds: 12\n{more}"), make_dataset(np.arange(12.0)))


def test_rare_classes_are_no_news_where_one_row_is_left_out(tmp_path: Path) -> None:
    data = "{name: toy, card: iris}"
    method = "{estimator: sklearn.dummy.DummyClassifier}"

    def remarks(folds: int) -> list[str]:
        experiment = make_experiment(tmp_path, method, data=data, more=f"folds: {folds}")
        dataset = make_dataset([0] * 9 + [1] * 3, ("p", "q"))
        return list(check_dataset(experiment, dataset, check_experiment(experiment)).remarks)

    assert remarks(12) == []
    assert "classes with fewer rows than the 4 folds: q 3 rows" in remarks(4)[0]


@pytest.mark.parametrize(
    ("more", "few", "enough", "part"),
    [("folds: 4", 20, 22, "fold 0"), ("splits: {n: 1, test_size: 0.5}", 30, 32, "split 0")],
)
def test_fewer_rows_than_leaves(tmp_path: Path, more, few: int, enough: int, part: str) -> None:
    experiment = make_experiment(tmp_path, *DEEP, more=more)
    words = f"'toy' has 15 training rows in {part}, fewer than the 16 leaves of 'srt'; lower its"
    with pytest.raises(DataError, match=words):
        check(experiment, make_dataset(np.arange(float(few))))
    check(experiment, make_dataset(np.arange(float(enough))))


@pytest.mark.parametrize(
    ("more", "is_right"),
    [
        ("split_seed: 3", False), ("split_seed: 0", True), ("split_seeds: [0, 1, 2]", True),
        ("split_seeds: [0, 1, 2, 3]", False), ("split_seeds: 4", False),
    ],
)  # fmt: skip
def test_the_target_is_looked_at_in_every_training_part(tmp_path: Path, more, is_right) -> None:
    y = np.zeros(40)
    y[kfold_indices(40, 2, 0, 3)[1]] = np.arange(20.0)
    experiment = make_experiment(tmp_path, more=f"folds: 2\n{more}\n")
    if is_right:
        check(experiment, make_dataset(y))
        return
    with pytest.raises(DataError, match="constant target 't' in the training rows"):
        check(experiment, make_dataset(y))


def given_rows(folder: Path, rule: str, n: int) -> Experiment:
    (folder / "c.csv").write_text("u,y\n1,a\n")
    data = f"{{file: c.csv, name: toy, target: y, task: classification, splits: {{{rule}}}}}"
    method = "{estimator: sklearn.dummy.DummyClassifier}"
    return make_experiment(folder, method, data=data, more=f"splits: {{n: {n}}}")


@pytest.mark.parametrize(
    ("codes", "rule", "n", "words", "works"),
    [
        ([0] * 30 + [1] * 30, "train_per_class: 40", 1, "30 rows of .* code 0 to draw 40", 29),
        ([0] * 30 + [1] * 30, "train_per_class: 30", 1, "none is left to test", 29),
        # All classes count, not only the first that has too few.
        ([0] * 9 + [1] * 5 + [2] * 9, "train_per_class: 9", 1, "5 rows of .* code 1 ", 5),
        ([0, 1] * 9, "train_rows: 12, train_per_class: 7", 1, "6 rows of .* to draw 7", 6),
        # All used batches count.
        ([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1],
         "train_rows: 12, train_batches: 2, train_per_class: 3", 2, "2 rows of .* code 1 ", 2),
        ([0, 1], "train_per_class: 1", 1, "none is left to test", 0),
    ],
)  # fmt: skip
def test_too_few_rows_of_a_class(
    tmp_path: Path, codes: list[int], rule: str, n: int, words: str, works: int
) -> None:
    dataset = make_dataset(codes, ("p", "q", "z"))
    with pytest.raises(DataError, match=f"^data set 'toy'(:| has) .*{words}"):
        check(given_rows(tmp_path, rule, n), dataset)
    if works:
        first = rule.rpartition("train_per_class")[0]
        check(given_rows(tmp_path, f"{first}train_per_class: {works}", n), dataset)
