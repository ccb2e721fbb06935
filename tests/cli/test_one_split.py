"""One training set with one test set is one split: it counts once, and decides nothing."""

from pathlib import Path

import pytest
from experiments import RIDGE, write

from results import rows

SMOOTHER = "{name: smoother, estimator: sklearn.linear_model.Ridge, params: {alpha: 9.0}}"
DECIDES_NOTHING = "methods are compared on one split, which decides nothing: a difference may be"


@pytest.fixture
def table(folder: Path) -> Path:
    """A file of 60 rows, and lists of test rows."""
    values = ((i, i * 7 % 11 / 11, i * i % 13 / 13) for i in range(60))
    lines = (f"{a:.3f},{b:.3f},{a + 2 * b + (i % 3) / 10:.3f}\n" for i, a, b in values)
    (folder / "d.csv").write_text("a,b,y\n" + "".join(lines))
    lists = {"one": range(10), "two": range(10, 20), "turned": [*range(9, -1, -1)]}
    for name, listed in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(map(str, listed)))
    return folder


def experiment(splits: str, data: str = "{train_rows: 40}", **keys: object) -> str:
    own = f"{{name: ours, file: d.csv, target: y, splits: {data}}}"
    return write("x", RIDGE, SMOOTHER, data=own, **{"splits": splits, "seeds": 2, **keys})


@pytest.mark.parametrize(
    ("splits", "data", "keys"),
    [
        ("given", "{train_rows: 40}", {}),
        ("{n: 5}", "{train_rows: 40}", {}),
        ("{n: 5}", "{train_rows: 40, n: 3}", {}),
        ("{n: 2}", "{train_rows: 40, train_batches: 1}", {}),
        ("given", "{train_rows: 40}", {"split_seeds": 3}),
        ("given", "{test_rows: [one.txt]}", {"split_seeds": 3}),
    ],
)
def test_given_rows_are_one_split_whatever_number_is_asked_for(
    cli, table: Path, splits: str, data: str, keys: dict[str, object]
) -> None:
    name = experiment(splits, data, **keys)
    assert "2 methods x 1 split x 2 seeds = 4 trials" in cli.well("check", name).out
    said = cli.well("run", name, "-j", "1").out
    assert DECIDES_NOTHING in said
    assert "sure" not in said
    trials = rows("results/x")
    assert [(row["fold"], row.get("split_seed", "0")) for row in trials] == [("0", "0")] * 4
    page = (table / "results" / "x" / "table.md").read_text(encoding="utf-8")
    assert "2 methods on 1 data set: 1 split × 2 seeds, 4 runs, all finished." in page
    assert page.count(DECIDES_NOTHING) == 2


def test_what_is_counted_once_is_said(cli, table: Path) -> None:
    once = "ours: one training set and one test set are one split, whatever n and split_seeds say"
    assert once in cli.well("check", experiment("{n: 5}")).err
    assert once in cli.well("check", experiment("given", split_seeds=2)).err
    assert once not in cli.well("check", experiment("given")).err
    assert once not in cli.well("check", experiment("{n: 5}", "{train_rows: 40, n: 1}")).err


def test_the_splits_of_other_data_sets_stay(cli, table: Path) -> None:
    (table / "e.csv").write_text((table / "d.csv").read_text() + "1,2,3\n")
    data = "{file: d.csv, target: y, splits: {train_rows: 40}}, {file: e.csv, target: y}"
    name = write("x", RIDGE, SMOOTHER, data=data, splits="{n: 3, test_size: 0.2}", split_seeds=2)
    text = cli.well("check", name).out
    assert "2 split seeds x 1 to 3 splits x 1 seed = 14 trials" in text
    said = cli.well("run", name, "-j", "1").out
    assert f"On d {DECIDES_NOTHING}" in said
    assert "That is " in said


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ("{test_rows: [one.txt, two.txt, turned.txt]}", "one.txt and turned.txt"),
        ("{test_rows: [two.txt, two.txt]}", "two.txt and two.txt"),
    ],
)
def test_two_splits_with_the_same_rows_are_refused(cli, table: Path, data: str, names: str):
    words = f"data set 'ours': {names} have the same training and test rows, which would count"
    assert words in cli.refused("check", experiment("given", data), code=4)
    assert words in cli.refused("run", experiment("given", data), code=4)


def test_samples_of_all_rows_of_each_class_are_one_split(cli, table: Path) -> None:
    lines = "".join(f"{i},{i * i % 7},{'ab'[i % 2]}\n" for i in range(30))
    (table / "c.csv").write_text("u,v,y\n" + lines)
    sample = "{{file: c.csv, target: y, task: classification, splits: {{train_rows: 20, {}}}}}"
    dummy = "{estimator: sklearn.dummy.DummyClassifier}"
    whole = write("w", dummy, data=sample.format("train_per_class: 10"), splits="{n: 2}")
    assert "split 0 and split 1 have the same" in cli.refused("check", whole, code=4)
    cli.well("check", write("w", dummy, data=sample.format("train_per_class: 9"), splits="{n: 2}"))
    cli.well("check", whole, "--set", "splits.n=1")


def test_several_training_sets_of_one_test_set_are_compared_on_these_rows(cli, table: Path) -> None:
    name = experiment("{n: 4}", "{train_rows: 40, train_batches: 4}")
    said = cli.well("run", name, "-j", "1").out
    same = "On ours several training sets have one test set: methods are compared on these test"
    assert same in said
    assert "sure on ours" in said
    assert DECIDES_NOTHING not in said
    page = (table / "results" / "x" / "table.md").read_text(encoding="utf-8")
    assert page.count(same) == 2
    # Without given rows each split has its own test rows.
    other = write("y", RIDGE, SMOOTHER, data="{file: d.csv, target: y}", splits="{n: 3}")
    assert "these test rows" not in cli.well("run", other, "-j", "1").out
