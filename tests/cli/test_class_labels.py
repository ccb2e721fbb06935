"""``check`` counts the rows of classes, and warns of labels that are likely mistakes."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from experiments import write

DUMMY = "{estimator: sklearn.dummy.DummyClassifier}"


def check(cli, labels: Sequence[object], own: str = "", **keys: object):
    """Check an experiment on a file whose target has these labels; ``own`` are keys of the file."""
    lines = "".join(f"{i * 7 % 31},{i * i % 13},{label}\n" for i, label in enumerate(labels))
    Path("c.csv").write_text("a,b,k\n" + lines)
    data = f"{{name: ours, file: c.csv, target: k, task: classification{own}}}"
    return cli.well("check", write("x", DUMMY, data=data, **keys or {"folds": 4}))


def test_classes_are_shown_with_their_numbers_of_rows(cli, folder: Path) -> None:
    done = check(cli, ["no"] * 30 + ["yes"] * 10)
    assert "ours: 2 classes: no 30, yes 10\n" in done.err
    assert "differ only" not in done.err
    done = check(cli, ["7"] * 12 + ["a b"] * 9 + ["10"] * 8)
    assert "ours: 3 classes: 10 8, 7 12, 'a b' 9\n" in done.err


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["true", "True", "TRUE"], "'TRUE' and 'True' and 'true'"),
        ([">50K", ">50K.", "<=50K"], "'>50K' and '>50K.'"),
        (["Yes", "yes", "no"], "'Yes' and 'yes'"),
        (["New York", "NewYork", "Rome"], "'New York' and 'NewYork'"),
        (["red", "r\u200bed", "blue"], r"'red' and 'r\u200bed'"),
        (["a\u00a0b", "a b", "c"], r"'a b' and 'a\xa0b'"),
        (["caf\u00e9", "cafe\u0301", "bar"], "'cafe\u0301' and 'caf\u00e9'"),
        (["a", "b", "c."], ""),
        (["0501", "501", "00501x"], ""),
    ],
)
def test_labels_that_are_nearly_equal_are_named(cli, folder: Path, labels, shown: str) -> None:
    text = check(cli, labels * 8).err
    what = "labels that differ only in case, blanks, a trailing dot or characters that are not seen"
    words = f"{what}: {shown} (each is a class of its own; write them in one way"
    assert (words in text) == bool(shown)
    assert ("differ only" in text) == bool(shown)


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["1.5", "1.50", "2.5"], "labels that are one number: '1.5' and '1.50' (each is a class"),
        (["1e3", "1000", "7"], "labels that are one number: '1000' and '1e3' (each is a class"),
        (["yes", "no", "1", "0"], "in several ways: '0' and '1', 'no' and 'yes' (each is a class"),
        (["T", "true", "F"], "in several ways: 'F' and 'T', 'true' (each is a class"),
        (["1.5", "007.1", "7.1"], ""),
        (["yes", "no", "0", "perhaps"], ""),
        (["yes", "no"], ""),
        (["0.5", "1", "1.5"], ""),
    ],
)
def test_labels_that_may_mean_one_class_are_named(cli, folder: Path, labels, shown: str) -> None:
    text = check(cli, labels * 8).err
    assert shown in text
    assert ("each is a class of its own" in text) == bool(shown)


def test_classes_with_fewer_rows_than_folds(cli, folder: Path) -> None:
    labels = ["a"] * 20 + ["b"] * 15 + ["rare"] * 3
    words = "classes with fewer rows than the 4 folds: rare 3 rows (some folds do not test them"
    assert words in check(cli, labels).err
    assert "fewer rows" not in check(cli, labels, folds=3).err


def test_classes_that_are_tested_but_not_trained(cli, folder: Path) -> None:
    labels = ["<=9K", ">9K"] * 20 + ["<=9K.", ">9K."] * 10
    words = (
        "classes that are tested without having been trained: <=9K. in split 0, >9K. in split 0 "
        "(no method can predict them there; check how the labels are written"
    )
    text = check(cli, labels, ", splits: {train_rows: 40}", splits="given").err
    assert words in text
    assert "'<=9K' and '<=9K.', '>9K' and '>9K.'" in text
    # Where each part has each class there is nothing to say.
    assert (
        "tested without"
        not in check(cli, ["p", "q"] * 30, ", splits: {train_rows: 40}", splits="given").err
    )


def test_a_class_that_only_a_list_of_test_rows_has(cli, folder: Path) -> None:
    (folder / "rows.txt").write_text("38\n39\n")
    splits = ", splits: {test_rows: [rows.txt]}"
    text = check(cli, ["p", "q"] * 19 + ["z", "p"], splits, splits="given").err
    assert "tested without having been trained: z in rows.txt (no" in text


@pytest.mark.parametrize(
    "labels", [["true", "1", "false", "0"], ["TRUE", "FALSE", "0"], ["True", "False", "1.0", "?x"]]
)
def test_true_and_1_in_one_column_are_refused(cli, folder: Path, labels: list[str]) -> None:
    lines = "".join(f"{i},{label}\n" for i, label in enumerate(labels * 6))
    (folder / "c.csv").write_text("a,k\n" + lines)
    data = "{file: c.csv, target: k, task: classification}"
    text = cli.refused("check", write("x", DUMMY, data=data), code=4)
    assert "has both true/false and 1/0 in the target column 'k'; write its classes in one" in text


@pytest.mark.parametrize("labels", [["true", "false"], ["0", "1"], ["true", "false", "2"]])
def test_one_notation_is_accepted(cli, folder: Path, labels: list[str]) -> None:
    assert "classes: " in check(cli, labels * 8).err
