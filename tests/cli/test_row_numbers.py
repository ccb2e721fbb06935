"""Listed test rows and ``train_rows`` count the rows of the file, before any is left out."""

from collections.abc import Collection
from pathlib import Path

import pytest
from experiments import SPY, write

from results import rows

CLASSIFIER = SPY.replace("Regressor", "Classifier").replace("Spy", "SpyOfClasses")


@pytest.fixture
def spied(folder: Path) -> Path:
    """A file whose first column has the number of each row; some rows lack their target."""
    (folder / "row_spy.py").write_text(SPY + CLASSIFIER)
    return folder


def table(
    folder: Path, n: int, no_target: Collection[int] = (), no_feature: Collection[int] = ()
) -> None:
    lines = (
        f"{i},{'' if i in no_feature else i % 5},{'' if i in no_target else i * i % 17}\n"
        for i in range(n)
    )
    (folder / "d.csv").write_text("row,b,y\n" + "".join(lines))


def listed(folder: Path, name: str, numbers: Collection[int]) -> None:
    (folder / name).write_text("\n".join(map(str, numbers)))


def experiment(missing: str, splits: str, more: str = "") -> str:
    spy = "SpyOfClasses" if "classification" in more else "Spy"
    data = f"{{name: ours, file: d.csv, target: y, missing: {missing}, splits: {splits}{more}}}"
    method = f"{{name: spy, estimator: row_spy.{spy}}}"
    return write("x", method, data=data, splits="given", scale_features="none")


def seen(part: str = "tested_on") -> list[list[int]]:
    return [[int(row) for row in trial[part].split()] for trial in rows("results/x")]


def test_listed_rows_are_those_of_the_file(cli, spied: Path) -> None:
    table(spied, 60, no_target={2, 5, 7, 40})
    listed(spied, "test.txt", range(50, 54))
    cli.run_only(experiment("median", "{test_rows: [test.txt]}"), "-j", "1")
    assert seen() == [[50, 51, 52, 53]]
    trained = [i for i in range(60) if i not in {2, 5, 7, 40, 50, 51, 52, 53}]
    assert seen("trained_on") == [trained]


def test_rows_that_are_dropped_for_a_feature_move_no_listed_row(cli, spied: Path) -> None:
    table(spied, 40, no_target={0}, no_feature={1, 12, 33})
    listed(spied, "b1.txt", [3, 30, 12, 31])
    listed(spied, "b2.txt", [20, 39])
    done = cli.run_only(experiment("drop", "{test_rows: [b*.txt]}"), "-j", "1")
    assert seen() == [[3, 30, 31], [20, 39]]
    note = "1 of the 4 test rows in b1.txt left out for missing values: 12 (counted from 0)"
    assert note in done.err


def test_trials_of_files_without_gaps_stay(cli, spied: Path) -> None:
    table(spied, 40)
    listed(spied, "test.txt", [30, 4, 8])
    cli.run_only(experiment("error", "{test_rows: [test.txt]}"), "-j", "1")
    digest = "1698d71a80d85625"
    assert [row["test_rows"] for row in rows("results/x")] == [digest]
    # The same file read with another key for gaps that it does not have.
    again = cli.run_only(experiment("drop", "{test_rows: [test.txt]}"), "-j", "1")
    assert "nothing was missing" in again.out


@pytest.mark.parametrize(("missing", "left_out"), [("median", {2, 7}), ("drop", {2, 7, 11})])
def test_the_first_rows_are_those_of_the_file(cli, spied: Path, missing: str, left_out) -> None:
    table(spied, 30, no_target={2, 7, 25}, no_feature={11})
    done = cli.run_only(experiment(missing, "{train_rows: 20}"), "-j", "1")
    assert seen("trained_on") == [[i for i in range(20) if i not in left_out]]
    assert seen() == [[i for i in range(20, 30) if i != 25]]
    many = 20 - len(left_out)
    assert f"of the first 20 rows (train_rows) {many} are left for training" in done.err


def test_samples_of_classes_are_drawn_from_the_first_rows_of_the_file(cli, spied: Path) -> None:
    text = "".join(f"{i},{'' if i < 10 else 'ab'[i % 2]}\n" for i in range(50))
    (spied / "d.csv").write_text("row,y\n" + text)
    splits = "{train_rows: 30, train_per_class: 8, n: 2}"
    of_classes = ", task: classification"
    cli.run_only(experiment("median", splits, of_classes), "-j", "1")
    assert seen() == [[*range(30, 50)]] * 2
    for trained in seen("trained_on"):
        assert len(trained) == 16
        assert set(trained) < set(range(10, 30))


@pytest.mark.parametrize(
    ("missing", "splits", "words"),
    [
        ("median", "{test_rows: [t.txt]}",
         "t.txt lists 7 rows without a target: 3, 4, 5, 6, 7 and 2 more (counted from 0); complete "
         "them, take them out of the list, or set 'missing: drop'"),
        ("drop", "{test_rows: [gone.txt]}", "gone.txt lists no row that 'missing: drop' leaves"),
        ("median", "{test_rows: [far.txt]}",
         "far.txt lists the row 30, but the data set has 30 rows, counted from 0"),
        ("median", "{train_rows: 30}", "has 30 rows, so that none is left to test on after"),
        ("median", "{train_rows: 28}", "has no row to test on: all after row 28 are left out"),
        ("median", "{train_rows: 20, train_batches: 2, n: 2}",
         "has 7 rows of its first 20 left out for missing values, so that its batches are not eq"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_tested_on(
    cli, spied: Path, missing: str, splits: str, words: str
) -> None:
    table(spied, 30, no_target={*range(3, 10), 28, 29})
    for name, numbers in (("t", range(2, 12)), ("gone", (28, 29)), ("far", (1, 30))):
        listed(spied, f"{name}.txt", numbers)
    text = cli.refused("check", experiment(missing, splits), code=4)
    assert f"data set 'ours'{'' if words.startswith('has') else ':'} {words}" in text


def test_each_split_needs_a_file_of_its_own(cli, spied: Path) -> None:
    table(spied, 40)
    listed(spied, "a.txt", [1])
    listed(spied, "b.txt", [2, 3])
    text = cli.refused("check", experiment("error", "{test_rows: [a.txt, b.txt], n: 3}"))
    assert "data set 'ours' has 3 splits, but its test_rows are only 2 files; give as many" in text


def test_listed_rows_of_a_sample_are_not_known(cli, spied: Path) -> None:
    text = "".join(f"{i},{'pq'[i % 2]}\n" for i in range(60))
    (spied / "d.csv").write_text("row,y\n" + text)
    listed(spied, "t.txt", range(20, 30))
    of_classes = ", task: classification, per_class: 20"
    name = experiment("error", "{test_rows: [t.txt]}", of_classes)
    words = "per_class takes a part of all rows, so that the given test rows are no longer known"
    assert words in cli.refused("check", name)


def test_a_run_of_other_data_sets_keeps_the_rows(cli, spied: Path) -> None:
    table(spied, 60, no_target={2, 5})
    listed(spied, "test.txt", range(50, 54))
    (spied / "e.csv").write_text("row,y\n" + "".join(f"{i},{i % 3}\n" for i in range(30)))
    more = "}, {name: other, file: e.csv, target: y, splits: {test_size: 0.2, n: 1}"
    name = experiment("median", "{test_rows: [test.txt]}", more)
    cli.run_only(name, "-j", "1")
    cli.run_only(name, "-j", "1", "--only", "dataset=other", "--again")
    assert seen()[0] == [50, 51, 52, 53]
    assert "nothing was missing; trials: 2 ok" in cli.run_only(name, "-j", "1").out
