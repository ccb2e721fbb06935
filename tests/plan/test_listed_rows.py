"""Groups and times: which rows the plan lists for each split, and what it refuses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plan_parts import make_dataset, make_experiment

from boostbench.data.arrays import load_rows, save_rows
from boostbench.data.dataset import Dataset
from boostbench.data.splits import SplitRule
from boostbench.errors import DataError
from boostbench.methods import resolve
from boostbench.plan.check import check_dataset, check_experiment
from boostbench.plan.division import Division
from boostbench.plan.expand import expand
from boostbench.plan.trial import Trial

N = 60
GROUPS = np.arange(N) % 20
TIMES = np.arange(N)[::-1] // 3


def grouped(groups: bool = True, times: bool = False, classes: bool = False) -> Dataset:
    y = [int(i % 7 == 0) for i in range(N)] if classes else np.arange(float(N))
    made = make_dataset(y, ("a", "b") if classes else ())
    return replace(made, groups=GROUPS if groups else None, times=TIMES if times else None)


def divide(folder: Path, dataset: Dataset, more: str, splits: str = "") -> Division:
    keys = [("task", dataset.task if dataset.classes else ""), ("splits", splits)]
    keys += [("group", "g" if dataset.groups is not None else "")]
    keys += [("time", "t" if dataset.times is not None else "")]
    own = "".join(f", {key}: {value}" for key, value in keys if value)
    method = "{estimator: sklearn.dummy.Dummy" + (
        "Classifier}" if dataset.classes else "Regressor}"
    )
    data = f"{{name: toy, file: t.csv, target: y{own}}}"
    experiment = make_experiment(folder, method, data=data, more=more)
    return check_dataset(experiment, dataset, check_experiment(experiment))


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize(
    ("more", "rule", "n"),
    [
        ("folds: 4", SplitRule("group", 4), 4),
        ("splits: {n: 3, test_size: 0.3}", SplitRule("group", 3, 0.3), 3),
        ("folds: 3\nsplit_seeds: [2, 5]", SplitRule("group", 3), 6),
    ],
)
def test_no_group_is_on_both_sides(
    tmp_path: Path, more: str, rule: SplitRule, n: int, classes: bool
) -> None:
    division = divide(tmp_path, grouped(classes=classes), more)
    assert division.rule == rule
    assert len(division.rows) == len(set(division.digests.values())) == n
    for train, test in division.rows.values():
        assert not np.intersect1d(GROUPS[train], GROUPS[test]).size
        assert len(train) + len(test) == N


@pytest.mark.parametrize(
    ("more", "folds", "overlap"),
    [
        ("folds: 4", 4, "windows"),
        ("folds: 2\nsplit_seeds: 3", 2, "windows"),
        ("splits: {n: 3, test_size: 0.3}", 1, ""),
    ],
)
@pytest.mark.parametrize("with_groups", [False, True])
def test_training_rows_are_earlier(
    tmp_path: Path, more: str, folds: int, overlap: str, with_groups: bool
) -> None:
    dataset = grouped(groups=with_groups, times=True)
    if with_groups:
        dataset = replace(dataset, groups=np.arange(N) // 5)
    division = divide(tmp_path, dataset, more)
    assert (division.rule.split, division.rule.folds) == ("time", folds)
    assert division.rule.overlap == overlap
    assert len(division.rows) == folds
    left_out = 0
    for train, test in division.rows.values():
        assert TIMES[train].max() < TIMES[test].min()
        if dataset.groups is not None:
            assert not np.intersect1d(dataset.groups[train], dataset.groups[test]).size
        earlier = np.flatnonzero(np.less(TIMES, TIMES[test].min()))
        left_out += len(earlier) - len(train)
    assert (left_out > 0) == any("earlier row" in text for text in division.remarks)
    assert (left_out > 0) == with_groups


def test_split_seeds_without_effect_are_told(tmp_path: Path) -> None:
    told = ["its rows are divided in one way, whatever split_seeds says"]
    assert divide(tmp_path, grouped(False, True), "folds: 3\nsplit_seeds: 2").remarks == told
    assert not divide(tmp_path, grouped(False, True), "folds: 3\nsplit_seed: 2").remarks
    assert not divide(tmp_path, grouped(), "folds: 3\nsplit_seeds: 2").remarks


def test_one_split_by_time_is_said_to_be_one(tmp_path: Path) -> None:
    division = divide(tmp_path, grouped(False, True), "splits: {n: 3, test_size: 0.3}")
    assert division.remarks == [
        "one training set and one test set are one split, whatever n and split_seeds say"
    ]
    assert division.rule.is_one_split
    assert not divide(tmp_path, grouped(False, True), "splits: {n: 1, test_size: 0.3}").remarks


def test_a_splitter_makes_as_many_splits_for_each_split_seed(tmp_path: Path) -> None:
    (tmp_path / "splits_by_seed.py").write_text(
        "import numpy as np\n"
        "class BySeed:\n"
        "    def __init__(self, odd=2, random_state=None):\n"
        "        self.n = odd if random_state % 2 else 2\n"
        "        self.start = random_state\n"
        "    def split(self, X):\n"
        "        for part in np.array_split(np.roll(np.arange(len(X)), self.start), self.n):\n"
        "            yield np.setdiff1d(np.arange(len(X)), part), part\n"
    )
    toy = grouped(groups=False)
    splits = '{splitter: "splits_by_seed:BySeed", params: {odd: %d}}'
    assert len(divide(tmp_path, toy, "split_seeds: 2", splits % 2).rows) == 4
    assert divide(tmp_path, toy, "split_seed: 1", splits % 3).rule.folds == 3
    with pytest.raises(DataError, match="other numbers of splits for other split seeds: 2 and 3;"):
        divide(tmp_path, toy, "split_seeds: 2", splits % 3)


SORTED = "{splitter: sklearn.model_selection.TimeSeriesSplit, params: {n_splits: 4}}"
GAPS = "{splitter: sklearn.model_selection.TimeSeriesSplit, params: {n_splits: 4, gap: 3}}"
KFOLD = "{splitter: sklearn.model_selection.KFold}"
GROUP_KFOLD = "{splitter: sklearn.model_selection.GroupKFold, params: {n_splits: 4}}"


@pytest.mark.parametrize(
    ("dataset", "splits", "words"),
    [
        (grouped(), GROUP_KFOLD, ""),
        (grouped(), "{splitter: sklearn.model_selection.LeaveOneGroupOut}", ""),
        (grouped(), KFOLD, "has training and test rows of 12 groups; divide it by folds"),
        (grouped(), "{test_rows: [a.txt]}", "has training and test rows of 1 group;"),
        (grouped(), "{files: [{train: b.txt, test: a.txt}]}", ""),
        (grouped(False, True), GAPS, ""),
        (grouped(False, True), SORTED, ""),
        (grouped(False, True), KFOLD, "not earlier than all its test rows"),
        (grouped(False, True), "{files: [{train: b.txt, test: a.txt}]}", ""),
        (grouped(False, True), "{files: [{train: a.txt, test: b.txt}]}", "3 training rows that"),
        (replace(grouped(False, True), times=TIMES // 2), SORTED.replace("4", "3"),
         "has 3 training rows that are not earlier"),
    ],
)  # fmt: skip
def test_other_ways_to_divide_keep_to_groups_and_times_or_are_refused(
    tmp_path: Path, dataset: Dataset, splits: str, words: str
) -> None:
    (tmp_path / "a.txt").write_text("0 20 40" if dataset.times is None or words else "0 1 2")
    (tmp_path / "b.txt").write_text("41 42 43" if dataset.times is None else "50 51 52")
    if "test_rows" in splits:
        (tmp_path / "a.txt").write_text("0 20")
    if words:
        with pytest.raises(DataError, match=words):
            divide(tmp_path, dataset, "splits: given", splits)
        return
    division = divide(tmp_path, dataset, "splits: given", splits)
    for train, test in division.rows.values():
        if dataset.groups is not None:
            assert not np.intersect1d(GROUPS[train], GROUPS[test]).size
        if dataset.times is not None:
            assert TIMES[train].max() < TIMES[test].min()


@pytest.mark.parametrize(
    ("splits", "overlap"),
    [
        (SORTED, "windows"),
        (SORTED.replace("n_splits: 4", "n_splits: 4, max_train_size: 12"), "windows"),
        ("{splitter: sklearn.model_selection.ShuffleSplit, params: {n_splits: 1}}", ""),
        (KFOLD, ""),
        ("{splitter: sklearn.model_selection.ShuffleSplit, params: {n_splits: 3}}", ""),
        ("{files: [{train: a.txt, test: c.txt}, {train: b.txt, test: c.txt}]}", "test"),
        ("{files: [{train: a.txt, test: b.txt}, {train: c.txt, test: d.txt}]}", ""),
        ("{files: [{train: a.txt, test: b.txt}, {train: b.txt, test: c.txt}]}", "windows"),
    ],
)  # fmt: skip
def test_how_splits_overlap(tmp_path: Path, splits: str, overlap: str) -> None:
    for name, first in zip("abcd", range(0, 40, 10), strict=True):
        rows = range(first, first + 10)
        (tmp_path / f"{name}.txt").write_text(" ".join(map(str, rows)))
    division = divide(tmp_path, grouped(False), "splits: given", splits)
    assert division.rule.overlap == overlap


def test_trials_have_the_digest_of_their_rows_and_of_no_more(tmp_path: Path) -> None:
    experiment = make_experiment(
        tmp_path, data="{name: toy, file: t.csv, target: y, group: g}", more="folds: 3"
    )
    dataset = grouped()
    division = check_dataset(experiment, dataset, check_experiment(experiment))
    methods = [resolve(entry, {}) for entry in experiment.methods]
    marks = {"toy": dataset.fingerprint}
    trials = expand(
        experiment, marks, methods, {"toy": division.rule}, rows={"toy": division.digests}
    )
    assert [trial.rows for trial in trials] == list(division.digests.values())
    assert len({trial.random_state for trial in trials}) == 3
    for trial, split in zip(trials, division.rows.values(), strict=True):
        assert save_rows(split, tmp_path) == trial.rows
        for mine, saved in zip(split, load_rows(trial.rows, tmp_path), strict=True):
            np.testing.assert_array_equal(mine, saved)
        # How many folds there are is not in the key where the rows are.
        assert replace(trial, folds=9).key == trial.key
        assert replace(trial, overlap="windows").key == trial.key
        assert replace(trial, rows="other").key != trial.key
        assert replace(trial, rows="other").random_state != trial.random_state
        assert Trial.from_dict(trial.to_dict()) == trial
    # Rows that are not known give no trials.
    assert expand(experiment, marks, methods, {"toy": division.rule}) == []


def test_damaged_rows_are_refused(tmp_path: Path) -> None:
    split = np.arange(3), np.arange(3, 5)
    digest = save_rows(split, tmp_path)
    np.savez(tmp_path / f"{digest}.npz", train=split[0], test=split[1] + 1)
    with pytest.raises(DataError, match="damaged: delete the file and run again"):
        load_rows(digest, tmp_path)
