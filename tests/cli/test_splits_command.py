"""Given test rows and samples of each class through the command line, beside random splits."""

from pathlib import Path

import pytest
from experiments import write

from results import rows as _rows


@pytest.fixture
def parts(folder: Path) -> Path:
    for step, name in enumerate("abc", 3):
        rows = "".join(f"{i * step % 17},{i * i % 13},{'xyz'[i % 3]}\n" for i in range(90))
        (folder / f"{name}.csv").write_text(f"u,v,y\n{rows}")
    more = ", splits: {train_rows: 60, train_per_class: 8}", ", splits: {train_per_class: 5}", ""
    write(
        "parts",
        "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 2}}",
        "{name: dummy, estimator: sklearn.dummy.DummyClassifier, params: {strategy: uniform}}",
        data=", ".join(
            f"{{file: {name}.csv, target: y, task: classification{splits}}}"
            for name, splits in zip("abc", more, strict=True)
        ),
        splits="{n: 3, test_size: 0.2}",
    )
    return folder


def test_each_data_set_is_divided_as_it_says(cli, parts: Path) -> None:
    cli.well("check", "parts.yaml")
    cli.well("run", "parts.yaml", "-j", "2")
    results = parts / "results" / "parts"
    columns = ("dataset", "n_train", "n_test", "split", "test_size", "train_rows")
    assert {tuple(r[c] for c in (*columns, "train_per_class")) for r in _rows(results)} == {
        ("a", "24", "30", "given", "", "60", "8"),
        ("b", "15", "75", "given", "", "", "5"),
        ("c", "72", "18", "shuffle", "0.2", "", ""),
    }
    shown = cli("show", "a/tree/1/0").out
    assert "1 of 3, 8 rows per class of the first 60 rows for training, all after row 60" in shown
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


def test_splits_missing_on_a_card_are_an_error(cli, parts: Path) -> None:
    data = ("--set", "datasets=[iris]")
    text = cli.refused("check", "parts.yaml", *data, "--set", "splits=given")
    assert "data set 'iris' has a card that names no test rows" in text
    # With a share beside it, that is for the data sets whose card says nothing.
    cli.run_only("parts.yaml", *data, "--set", "splits.given=true", "-j", "1")
    sizes = {(r["dataset"], r["n_train"], r["n_test"]) for r in _rows("results/parts")}
    assert sizes == {("iris", "120", "30")}
