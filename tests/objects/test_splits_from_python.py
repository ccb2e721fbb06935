"""``splits=`` of boostbench.run takes what scikit-learn takes as ``cv``."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from from_python import Notes, command, reported_run, run
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

import boostbench

pytestmark = pytest.mark.usefixtures("folder")

N = 40


class Halves:
    """Splits rows at a share of them; no worker can import a test."""

    def __init__(self, parts=2, random_state=None):
        self.parts = parts
        self.random_state = random_state

    def split(self, X, y=None, groups=None):
        first = len(X) // self.parts
        order = np.arange(len(X))
        if self.random_state is not None:
            order = np.random.default_rng(self.random_state).permutation(order)
        yield order[:first], order[first:]

    def get_n_splits(self, *args):
        return 1


def halves():
    return Halves()


def frame() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    columns = {"a": draw.normal(size=N), "b": draw.normal(size=N)}
    return pd.DataFrame({**columns, "shop": np.repeat(np.arange(8), 5), "y": np.arange(N) % 7.0})


def rows_of(splits: object, by=run, **keys: object) -> list[str]:
    """Return the digests of the rows of each split with which an experiment runs."""
    data = boostbench.Data(
        frame(), target="y", group="shop" if keys.pop("grouped", False) else None
    )
    trials = by(datasets={"d": data}, methods={"m": Ridge()}, splits=splits, **keys).trials
    assert set(trials["status"]) == {"ok"}
    return trials["rows"].tolist()


def entry(name: str) -> str:
    return Path("results", name, "experiment.yaml").read_text()


@pytest.mark.parametrize(
    ("splitter", "named"),
    [
        (KFold(4), "splitter: sklearn.model_selection.KFold\n  params: {n_splits: 4}"),
        (TimeSeriesSplit(n_splits=3, gap=1), "params: {n_splits: 3, gap: 1}"),
        # With a seed of its own it is kept as it is.
        (KFold(3, shuffle=True, random_state=7), ':KFold"'),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), ':RepeatedKFold"'),
        (PredefinedSplit(np.arange(N) % 3), ':PredefinedSplit"'),
        (Halves(4, random_state=3), ':Halves"'),
    ],
)
def test_a_splitter_divides_as_scikit_learn_does(splitter, named):
    pairs = list(splitter.split(np.zeros((N, 1))))
    expected = rows_of(pairs)
    assert len(set(expected)) == len(pairs)
    assert rows_of(splitter, name="d") == expected
    assert named in entry("d")
    # It divides one data set alike, and the experiment file says the same.
    assert rows_of({"splitter": splitter}) == expected
    assert command("run", "results/d/experiment.yaml", "--again", "-j", "1") == 0
    of_data = boostbench.Data(frame(), target="y", splits=splitter)
    own = run(datasets={"d": of_data}, methods={"m": Ridge()}).trials
    assert own["rows"].tolist() == expected


def test_pairs_come_from_any_iterable_and_are_kept_with_the_results(capsys):
    pairs = list(KFold(3).split(np.zeros((N, 1))))
    expected = rows_of(pairs, name="pairs")
    assert rows_of(KFold(3).split(np.zeros((N, 1)))) == expected
    assert rows_of(np.array([(train[:26], test[:13]) for train, test in pairs], dtype=object))
    assert rows_of([(train.tolist(), set(test.tolist())) for train, test in pairs][:0] or pairs)
    assert command("archive", "pairs") == 0
    Path("results/pairs").rename("moved")
    assert command("run", "moved/archive/experiment.yaml", "-j", "1", "--dry-run") == 0
    assert "3 trials" in capsys.readouterr().out


def test_pairs_count_rows_as_they_are_given():
    data = frame()
    data.loc[3, "y"] = np.nan
    options = {"target": "y", "missing": "drop"}
    pairs = [(np.arange(20), np.arange(20, N)), (np.arange(20, N), np.arange(20))]
    notes = Notes()
    trials = run(
        datasets={
            "d": boostbench.Data(data, **options),
            "own": boostbench.Data(frame(), target="y"),
        },
        methods={"m": Ridge()},
        splits=pairs,
        listener=notes,
    ).trials
    assert trials["n_train"].tolist() == [19, 20, 20, 20]
    assert trials["n_test"].tolist() == [20, 19, 20, 20]
    assert any("rows in splits[0] (train) left out" in text for text in notes.texts)


def test_a_class_or_function_that_makes_a_splitter_gets_the_split_seed():
    fixed = rows_of(Halves(random_state=1))
    by_class = rows_of({"splitter": Halves, "params": {"parts": 2}}, split_seeds=[1, 2])
    assert by_class[0] == fixed[0] != by_class[1]
    assert rows_of(Halves, split_seed=1) == fixed
    # An object without a seed gets it too, one with a seed keeps its own.
    assert rows_of(Halves(), split_seeds=[1, 2]) == by_class
    assert rows_of(Halves(random_state=1), split_seed=2) == fixed
    assert rows_of(halves, split_seed=2) == rows_of({"splitter": halves}, split_seed=3)


def test_a_splitter_of_groups_gets_them():
    X = frame()
    pairs = list(GroupKFold(4).split(X, groups=X["shop"]))
    assert rows_of(GroupKFold(4), grouped=True) == rows_of(pairs, grouped=True)


def test_a_stored_splitter_is_told_with_its_parameters():
    notes = Notes()
    rows_of(KFold(3, shuffle=True, random_state=7), reported_run, name="told", listener=notes)
    words = "its rows are divided by KFold(n_splits=3, shuffle=True, random_state=7)"
    assert words in notes.texts
    text = Path("results/told/table.md").read_text()
    assert words in text
    assert "| splitter = KFold |" in text
    rows_of(Halves(3), reported_run, name="halves")
    assert "divided by Halves(parts=3)" in Path("results/halves/table.md").read_text()


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (5, "splits is 5: give folds=5, for folds that the split seed shuffles, or a splitter"),
        (np.int64(3), "splits is 3: give folds=3"),
        (0.25, "splits is of type float: give a splitter of scikit-learn, a class with split"),
        (Ridge(), "splits is of type Ridge: give a splitter"),
        ({"splitter": 3}, "splits.splitter is of type int: give a splitter with split"),
        ({"splitter": Halves(), "params": {"parts": 3}}, "Halves is an object, which has its par"),
        ([], "splits has no pair of training and test rows"),
        ([3], "splits[0] is no pair of training and test rows"),
        ([([0, 1], [2]), ([0, 1],)], "splits[1] is no pair of training and test rows"),
        ([([0.5, 1], [2])], "splits[0]: its training rows must be row numbers, whole and from 0"),
        ([(np.arange(N) < 9, np.arange(N) > 9)], "(np.flatnonzero makes them of a mask)"),
        ([([0, 1], [])], "splits[0] has no test row"),
        ([([0, 1], [-1])], "splits[0]: its test rows must be from 0 on, not -1 to -1"),
        ([([0, 1], [2, 2])], "splits[0]: a row is among its test rows twice"),
        ([([0, 1], [1, 2])], "splits[0] has 1 row both for training and for the test"),
        ([(np.arange(9), [N])], "splits[0] (test) lists the row 40, but the data set has 40 rows"),
        (
            ShuffleSplit(2, random_state=np.random.RandomState(0)),
            "take a whole number as random_st",
        ),
    ],
)
def test_what_are_no_splits_is_told_in_the_words_of_the_call(splits, words):
    with pytest.raises(boostbench.BoostbenchError, match=re.escape(words)) as caught:
        rows_of(splits, name="refused")
    assert "\n" not in str(caught.value)
    assert ".txt" not in str(caught.value)
    assert not Path("results").exists()


def test_seeds_or_folds_beside_splits_that_they_do_not_change_are_refused():
    with pytest.raises(boostbench.ConfigError, match="KFold uses no random_state that is a split"):
        rows_of(KFold(3, shuffle=True, random_state=1), split_seeds=2)
    with pytest.raises(boostbench.ConfigError, match="'folds' and 'splits' are both given"):
        rows_of([(np.arange(20), np.arange(20, N))], folds=3)


def test_files_of_rows_are_found_from_where_the_call_is_made():
    Path("a.txt").write_text("\n".join(map(str, range(20))))
    Path("b.txt").write_text("\n".join(map(str, range(20, N))))
    files = [{"train": "a.txt", "test": "b.txt"}]
    data = boostbench.Data(frame(), target="y", splits={"files": files})
    found = run(datasets={"d": data}, methods={"m": Ridge()}, results="deep/inside").trials["rows"]
    assert found.tolist() == rows_of([(np.arange(20), np.arange(20, N))])
