"""Given test rows and samples of each class through the command line, beside random splits."""

from pathlib import Path

import pytest
from helpers.results import rows as _rows

CONFIG = """\
name: parts
datasets:
  - {file: a.csv, target: y, task: classification, splits: {train_rows: 60, train_per_class: 8}}
  - {file: b.csv, target: y, task: classification, splits: {train_per_class: 5}}
  - {file: c.csv, target: y, task: classification}
methods:
  - {name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 2}}
  - {name: dummy, estimator: sklearn.dummy.DummyClassifier, params: {strategy: uniform}}
splits: {n: 3, test_size: 0.2}
seeds: 1
"""


@pytest.fixture
def parts(folder: Path) -> Path:
    for step, name in enumerate("abc", 3):
        rows = "".join(f"{i * step % 17},{i * i % 13},{'xyz'[i % 3]}\n" for i in range(90))
        (folder / f"{name}.csv").write_text(f"u,v,y\n{rows}")
    (folder / "parts.yaml").write_text(CONFIG)
    return folder


def test_each_data_set_is_divided_as_it_says(cli, parts: Path) -> None:
    assert cli("check", "parts.yaml").code == 0
    done = cli("run", "parts.yaml", "-j", "2")
    assert done.code == 0, done.err
    results = parts / "results" / "parts"
    sizes = {(r["dataset"], r["n_train"], r["n_test"]) for r in _rows(results)}
    assert sizes == {("a", "24", "30"), ("b", "15", "75"), ("c", "72", "18")}
    rules = {(r["dataset"], r["split"], r["test_size"], r["train_rows"], r["train_per_class"])
             for r in _rows(results)}  # fmt: skip
    assert rules == {
        ("a", "given", "", "60", "8"), ("b", "given", "", "", "5"), ("c", "shuffle", "0.2", "", ""),
    }  # fmt: skip
    shown = cli("show", "a/tree/1/0").out
    assert "1 of 3, 8 rows per class of the first 60 rows for training, all after row 60" in shown
    assert (
        "1 of 3, 80 % of the rows for training, 20 % for the test" in cli("show", "c/tree/1/0").out
    )
    page = (results / "table.md").read_text(encoding="utf-8")
    assert "| 5 rows per class for training, all others for the test" in page
    assert "| 80 % of the rows for training, 20 % for the test" in page

    # How many splits there are changes none of them: nothing runs again.
    fewer = cli("run", "parts.yaml", "--set", "splits.n=2")
    assert "nothing was missing; trials: 12 ok" in fewer.out
    # Another sample is another trial.
    other = cli("run", "parts.yaml", "--dry-run", "--set", "datasets.0.splits.train_per_class=9")
    assert "18 trials" in other.out
    assert "12 done, 6 to run" in other.out


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            "datasets.0.splits.train_per_class=21",
            "the class with code 0 of data set 'a' has 20 rows to draw 21 per class from",
        ),
        ("datasets.1.splits.train_per_class=30", "none is left to test"),
    ],
)
def test_rows_that_are_not_there_are_a_matter_of_data(
    cli, parts: Path, override: str, words: str
) -> None:
    for command in (("check",), ("run", "--dry-run"), ("run",)):
        done = cli(*command, "parts.yaml", "--set", override)
        assert done.code == 4
        assert words in done.err
    assert not (parts / "results").exists()


def test_what_a_card_does_not_say_is_a_mistake_of_the_experiment(cli, parts: Path) -> None:
    data = ("--set", "datasets=[iris]")
    done = cli("check", "parts.yaml", *data, "--set", "splits=given")
    assert done.code == 2
    assert "data set 'iris' has a card that names no test rows" in done.err
    # With a share beside it, that is for the data sets whose card says nothing.
    done = cli("run", "parts.yaml", *data, "--set", "splits.given=true", "-j", "1")
    assert done.code == 0, done.err
    sizes = {(r["dataset"], r["n_train"], r["n_test"]) for r in _rows(Path("results/parts"))}
    assert sizes == {("iris", "120", "30")}
