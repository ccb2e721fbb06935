"""Splitters and files of rows: each trial has the rows of its split, in every way of running."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from experiments import SPY, write
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

from results import rows

N = 30
SPLITTERS = """

class Odd:
    '''A splitter of the user's own: one split, on the rows with odd numbers, in any order.'''

    def __init__(self, flawed=""):
        self.flawed = flawed

    def split(self, X, y):
        odd, even = np.arange(len(X))[1::2][::-1], np.arange(len(X))[::2]
        if self.flawed == "overlap":
            even = np.append(even, 1)
        if self.flawed == "outside":
            odd = odd + len(X)
        if self.flawed == "twice":
            odd = np.append(odd, 1)
        if self.flawed == "floats":
            odd = odd / 2
        if self.flawed == "empty":
            odd = odd[:0]
        if self.flawed == "random":
            odd = np.random.default_rng().permutation(odd)[:5]
        if self.flawed == "fails":
            raise RuntimeError("no rows today")
        yield even, odd


class Nothing:
    pass
"""
SPIES = "{name: spy, estimator: listed_spy.Spy}"
Parts = list[tuple[list[int], list[int]]]


@pytest.fixture
def spied(folder: Path) -> Path:
    """A file whose first column has the number of each row."""
    (folder / "listed_spy.py").write_text(SPY + SPLITTERS)
    lines = (f"{i},{i % 5},{i * i % 17}\n" for i in range(N))
    (folder / "d.csv").write_text("row,b,y\n" + "".join(lines))
    return folder


def data(splits: str, name: str = "ours", more: str = "") -> str:
    own = f", splits: {splits}" if splits else ""
    return f"{{name: {name}, file: d.csv, target: y{own}{more}}}"


def write_spied(*datasets: str, **keys: object) -> str:
    return write("x", SPIES, data=", ".join(datasets), scale_features="none", **keys)


def seen(folder: Path, name: str = "ours") -> Parts:
    """Return the rows that each trial was trained and tested on, in the order of the plan."""
    trials = [row for row in rows(folder / "results" / "x") if row["dataset"] == name]
    columns = ("trained_on", "tested_on")
    parts = [[[int(x) for x in trial[part].split()] for part in columns] for trial in trials]
    return [(train, test) for train, test in parts]


def as_lists(splits: Sequence[tuple[np.ndarray, np.ndarray]]) -> Parts:
    return [(sorted(train.tolist()), sorted(test.tolist())) for train, test in splits]


def test_a_splitter_of_scikit_learn_divides_the_rows(cli, spied: Path, undrawn: None) -> None:
    splitter = "{splitter: sklearn.model_selection.ShuffleSplit, params: {n_splits: 3}}"
    config = write_spied(data(""), splits=splitter, split_seeds=2)
    assert "2 split seeds x 3 splits x 1 seed = 6 trials" in cli.well("check", config).out
    assert "6 to run" in cli.run_only(config, "--dry-run").out
    cli.run_only(config, "-j", "1")
    theirs = [s for seed in (0, 1) for s in ShuffleSplit(3, random_state=seed).split(range(N))]
    assert seen(spied) == as_lists(theirs)
    # Finished trials do not run again, and others join them.
    assert "0 to run" in cli.run_only(config, "--dry-run").out
    more = write_spied(data(""), splits=splitter.replace("3}", "4}"), split_seeds=2)
    assert "6 done, 2 to run" in cli.run_only(more, "--dry-run").out


def test_data_sets_have_splitters_of_their_own_beside_folds(
    cli, spied: Path, undrawn: None
) -> None:
    order = "{splitter: sklearn.model_selection.TimeSeriesSplit, params: {n_splits: 3}}"
    own = '{splitter: "listed_spy:Odd"}'
    config = write_spied(data(order, "order"), data(own, "own"), data("", "folds"), folds=4)
    assert "3 data sets x 1 method x 1 to 4 splits" in cli.well("check", config).out
    cli.run_only(config, "-j", "1")
    assert seen(spied, "order") == as_lists(list(TimeSeriesSplit(3).split(range(N))))
    assert seen(spied, "own") == [([*range(0, N, 2)], [*range(1, N, 2)])]
    kfold = KFold(4, shuffle=True, random_state=0).split(range(N))
    assert seen(spied, "folds") == as_lists(list(kfold))


def test_files_list_training_and_test_rows(cli, spied: Path, undrawn: None) -> None:
    for name, numbers in (("a", range(9)), ("b", [29, 10, 11]), ("c", range(20)), ("d", [20, 25])):
        (spied / f"{name}.txt").write_text("\n".join(map(str, numbers)))
    files = "{files: [{train: a.txt, test: b.txt}, {train: c.txt, test: d.txt}]}"
    cli.run_only(write_spied(data(files)), "-j", "1")
    expected = [([*range(9)], [10, 11, 29]), ([*range(20)], [20, 25])]
    assert seen(spied) == expected
    keys = [row["key"] for row in rows(spied / "results" / "x")]
    # Another file changes the trials of its own split only.
    (spied / "d.txt").write_text("21 25")
    assert "1 done, 1 to run" in cli.run_only(write_spied(data(files)), "--dry-run").out
    cli.run_only(write_spied(data(files)), "-j", "1")
    assert next(row["key"] for row in rows(spied / "results" / "x")) == keys[0]
    assert seen(spied)[1][1] == [21, 25]


def test_rows_of_files_are_counted_before_any_is_left_out(cli, spied: Path, undrawn: None) -> None:
    text = (spied / "d.csv").read_text().splitlines()
    text[1 + 4] = "4,4,"
    (spied / "d.csv").write_text("\n".join(text))
    (spied / "a.txt").write_text("3 4 5 6")
    (spied / "b.txt").write_text("7 8 9")
    files = "{files: [{train: a.txt, test: b.txt}]}"
    filled = write_spied(data(files, more=", missing: median"))
    said = cli.refused("run", filled, "-j", "1", code=4)
    assert "a.txt lists 1 row without a target: 4 (counted from 0); complete them" in said
    dropped = write_spied(data(files, more=", missing: drop"))
    done = cli.run_only(dropped, "-j", "1")
    assert "1 of the 4 training rows in a.txt left out for missing values: 4" in done.err
    assert seen(spied) == [([3, 5, 6], [7, 8, 9])]


def test_shards_an_archive_and_other_data_sets_have_the_same_trials(
    cli, spied: Path, undrawn: None
) -> None:
    kfold = "{splitter: sklearn.model_selection.KFold, params: {n_splits: 3, shuffle: true}}"
    config = write_spied(data(kfold), data("", "folds"), split_seeds=2)
    cli.run_only(config, "-j", "1", "--only", "dataset=folds")
    status = cli.well("status", config).out
    assert "x: 4 of 4 trials done" in status
    cli.run_only(config, "-j", "1")
    whole = (spied / "results/x/trials.csv").read_bytes()
    # A data set whose data are not loaded now keeps its trials.
    done = cli.run_only(config, "-j", "1", "--only", "dataset=folds").out
    assert "trials: 4 ok" in done
    assert (spied / "results/x/trials.csv").read_bytes() == whole

    cli.well("archive", "results/x", "--out", "kept")
    shutil.move("results/x", "whole")
    for i in (1, 2):
        cli.run_only(config, "-j", "1", "--shard", f"{i}/2")
    cli.well("merge", "results/x/shard-1-of-2", "results/x/shard-2-of-2")
    assert (spied / "results/x/trials.csv").read_bytes() == whole
    verified = cli.well("verify", "kept", "--sample", "10")
    assert "10" in verified.out


def test_rows_of_another_number_of_windows_are_not_kept(cli, spied: Path, undrawn: None) -> None:
    config = write_spied(data("", "timed", more=", time: row"), data("", "folds"), folds=4)
    cli.run_only(config, "-j", "1")
    # These windows are not those of the rows that the plan knows, and their data are not loaded.
    cli.run_only(config, "-j", "1", "--only", "dataset=folds", "--set", "folds=3")
    assert {row["dataset"] for row in rows("results/x")} == {"folds"}


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ("{splitter: sklearn.model_selection.KFolds}", "has no 'KFolds' (did you mean 'KFold'?)"),
        ("{splitter: nowhere.KFold}", "the splitter nowhere.KFold cannot be imported"),
        (
            "{splitter: sklearn.model_selection.KFold, params: {n_split: 3}}",
            "KFold has no parameter 'n_split' (did you mean 'n_splits'?); it has n_splits, shuffle",
        ),
        ("{splitter: sklearn.model_selection.KFold, params: {n_splits: 1}}", "cannot be made: "),
        (
            "{splitter: sklearn.model_selection.ShuffleSplit, params: {random_state: 3}}",
            "'random_state' cannot be set: it is the split seed",
        ),
        ('{splitter: "listed_spy:Nothing"}', "gives an object of type Nothing without split"),
        ("{params: {n_splits: 3}, n: 2}", "params are those of a splitter; give splitter too"),
        (
            "{splitter: sklearn.model_selection.KFold, n: 3}",
            "a splitter says itself how the rows are divided; leave n out",
        ),
        (
            "{splitter: sklearn.model_selection.GroupKFold}",
            "name the column of the groups by 'group' in the data set",
        ),
        ("{files: [{train: a.txt, test: a.txt}]}", "a.txt and a.txt both list the row 1, from 0"),
        ("{files: [{train: a.txt, test: no.txt}]}", "there is no file"),
        ("{files: [{train: a.txt}]}", "the key 'test' is missing"),
        (
            "{n: 2, files: [{train: a.txt, test: b.txt}]}",
            "2 splits, but 1 pair of files",
        ),
        ("{files: [{train: a.txt, test: far.txt}]}", "far.txt lists the row 30, but the data set"),
        (
            "{files: [{train: a.txt, test: b.txt}, {train: a.txt, test: b.txt}]}",
            "a.txt with b.txt and a.txt with b.txt have the same training and test rows",
        ),
    ],
)
def test_what_cannot_divide_the_rows_is_refused_in_a_sentence(
    cli, spied: Path, splits: str, words: str
) -> None:
    (spied / "a.txt").write_text("1 2 3")
    (spied / "b.txt").write_text("4 5")
    (spied / "far.txt").write_text("4 30")
    done = cli("run", write_spied(data(splits)), "-j", "1")
    # Data that do not fit an experiment that is right are 4.
    assert done.code in (2, 4)
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        ("overlap", "split 0 has 1 row both for training and for the test"),
        ("outside", "its test rows must be from 0 to 29, not 31 to 59"),
        ("twice", "a row is among its test rows twice"),
        ("floats", "its test rows must be row numbers, whole and from 0"),
        ("empty", "split 0 has no test row"),
        ("random", "it gives other rows each time; have it take a whole number as random_state"),
        ("fails", "no rows today"),
    ],
)
def test_a_flawed_splitter_is_refused_in_a_sentence(
    cli, spied: Path, flaw: str, words: str
) -> None:
    own = f'{{splitter: "listed_spy:Odd", params: {{flawed: {flaw}}}}}'
    said = cli.refused("run", write_spied(data(own)), "-j", "1", code=4)
    assert f"data set 'ours', splitter listed_spy:Odd: {words}" in said.replace("split 0: ", "")


@pytest.mark.parametrize("params", ["{}", "{shuffle: true}"])
def test_several_split_seeds_need_a_splitter_that_is_random(cli, spied: Path, params: str) -> None:
    splitter = f"{{splitter: sklearn.model_selection.KFold, params: {params}}}"
    config = write_spied(data(splitter), split_seeds="[3, 5]")
    if "true" in params:
        assert "2 split seeds x 5 splits" in cli.well("check", config).out
        return
    said = cli.refused("check", config)
    assert "x.yaml:2:68: the splitter sklearn.model_selection.KFold uses no random_state" in said


def test_one_table_may_be_listed_several_times_if_it_is_divided_otherwise(
    cli, spied: Path, undrawn: None
) -> None:
    half, third = "{test_size: 0.5, n: 2}", "{test_size: 0.3, n: 2}"
    both = write_spied(data(half), data(third, "again"), splits="{n: 2}")
    cli.run_only(both, "-j", "1")
    assert seen(spied) != seen(spied, "again")
    same = write_spied(data(half), data(half.replace("2", "3"), "again"), splits="{n: 2}")
    done = cli("run", same, "-j", "1")
    assert done.code == 4
    assert "'ours' and 'again' hold the same numbers, and are divided in the same way" in done.err


def test_a_splits_number_is_selected_where_it_is_not_known_yet(
    cli, spied: Path, undrawn: None
) -> None:
    splitter = "{splitter: sklearn.model_selection.KFold, params: {n_splits: 3}}"
    config = write_spied(data(splitter))
    cli.run_only(config, "-j", "1", "--only", "fold=2")
    status = [row["status"] for row in rows(spied / "results" / "x")]
    assert status == ["ok"]
    wrong = cli("run", config, "-j", "1", "--only", "fold=3")
    assert wrong.code == 2
    assert "--only fold=3: there is no fold '3'; there are 0, 1, 2" in wrong.err


def test_check_says_once_that_a_column_looks_like_a_group(cli, folder: Path, undrawn: None) -> None:
    lines = (f"{i * 7 % 20},{i * i % 13},{i * 7 % 20 % 3}\n" for i in range(100))
    (folder / "d.csv").write_text("patient,b,y\n" + "".join(lines))
    config = write("x", "{estimator: sklearn.linear_model.Ridge}", data=data(""))
    said = "ours: 'patient' (5.0 rows per value) looks like a group of rows"
    assert cli.well("check", config).err.count(said) == 1
    assert said not in cli.run_only(config, "-j", "1").err
    config = write(
        "x", "{estimator: sklearn.linear_model.Ridge}", data=data("", more=", drop: [patient]")
    )
    assert "looks like a group" not in cli.well("check", config).err
