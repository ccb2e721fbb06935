"""A run of some data sets leaves the results of the others where they are."""

from pathlib import Path

import pytest
from helpers.results import statuses

TWO = """\
name: two
datasets: [{file: d.csv, target: y}, {file: e.csv, target: y}]
methods: [{name: dummy, estimator: sklearn.dummy.DummyRegressor}]
folds: 2
seeds: 1
"""


@pytest.fixture
def two(folder: Path, cli) -> Path:
    """The results folder of a finished run of two local files."""
    for name, step in (("d", 3), ("e", 5)):
        rows = "".join(f"{i},{i * step % 17}\n" for i in range(20))
        (folder / f"{name}.csv").write_text("u,y\n" + rows)
    (folder / "two.yaml").write_text(TWO)
    assert cli("run", "two.yaml", "--jobs", "1").code == 0
    return folder / "results" / "two"


def test_the_other_local_file_stays_in_plan_and_tables(cli, two: Path) -> None:
    before = {path.name: path.read_bytes() for path in two.glob("t*.*") if path.suffix != ".png"}
    assert {"trials.csv", "table.md"} <= set(before)
    done = cli("run", "two.yaml", "--only", "dataset=d", "--jobs", "1")
    assert done.code == 0, done.err
    assert "nothing was missing; trials: 2 ok" in done.out
    assert {name: (two / name).read_bytes() for name in before} == before
    assert "4 of 4 trials done (4 ok)" in cli("status", "two.yaml").out
    assert cli("show", "e/dummy/0/0").out.startswith("e/dummy/0/0: ok")


def test_a_data_set_asked_for_otherwise_is_not_taken_from_the_old_plan(
    cli, two: Path, folder: Path
) -> None:
    (folder / "two.yaml").write_text(TWO.replace("e.csv, target: y", "e.csv, target: u"))
    assert cli("run", "two.yaml", "--only", "dataset=d", "--jobs", "1").code == 0
    assert statuses(two) == [("d", "ok")] * 2


def _four(folder: Path) -> None:
    rows = "".join(f"{i + 2},{i * 3 % 17}\n" for i in range(20))
    for name in "dg":
        (folder / f"{name}.csv").write_text(
            "u,y\n" + rows.replace(",", "0,") * (name == "g") + rows
        )
    (folder / "f.csv").write_text("u,y\n" + rows.replace("4,", "x,"))
    files = ", ".join(f"{{file: {name}.csv, target: y}}" for name in "defg")
    (folder / "four.yaml").write_text(
        f"name: four\ndatasets: [{files}]\nfolds: 2\nseeds: 1\nmethods:\n"
        "  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}\n"
        "  - {name: ridge, estimator: sklearn.linear_model.Ridge}\n"
    )


def test_all_that_is_wrong_is_told_and_the_rest_can_be_run(cli, folder: Path) -> None:
    _four(folder)
    for more in ([], ["--dry-run"]):
        done = cli("run", "four.yaml", "--offline", "--only", "method=dummy", *more)
        assert done.code == 4
        first, missing, text = done.err.splitlines()
        assert (first, missing) == ("2 errors:", f"there is no file {folder}/e.csv")
        assert text.startswith("f.csv")
        assert not (folder / "results").exists()
    rest = ("--only", "dataset=d,g", "--only", "method=dummy")
    done = cli("run", "four.yaml", "--offline", *rest, "-j", "1")
    assert done.code == 0, done.err
    assert "trials: 4 ok" in done.out
    assert "never loaded: e, f" in cli("status", "four.yaml").out
    (table,) = folder.glob("results/*/table.md")
    assert "Not loaded, and so not among these runs: e and f." in table.read_text()
    only_bad = cli("run", "four.yaml", "--only", "dataset=e")
    assert only_bad.err == f"error: there is no file {folder}/e.csv\n"


def test_a_column_that_is_not_there_stops_before_anything_is_downloaded(
    cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _four(folder)
    monkeypatch.setattr(
        "boostbench.experiment.datasets.prefetch", lambda *_: pytest.fail("downloads began")
    )
    data = "datasets=[yacht, {file: d.csv, target: y, drop: [w]}, {file: g.csv, target: z}]"
    for more in (["-j", "1"], ["--dry-run"]):
        done = cli("run", "four.yaml", "--set", data, *more)
        assert done.code == 2
        assert done.err.splitlines() == [
            "2 errors:",
            "--set datasets: d.csv has no column 'w'; its columns are u, y",
            "--set datasets: g.csv has no column 'z'; its columns are u, y",
        ]
        assert not (folder / "results").exists()
    (folder / "four.yaml").write_text(
        "name: four\ndatasets:\n  - {file: d.csv, target: y,\n     drop: [w]}\n"
        "methods: [{estimator: sklearn.linear_model.Ridge}]\n"
    )
    assert cli("run", "four.yaml").err == (
        "error: four.yaml:3:5: d.csv has no column 'w'; its columns are u, y\n"
    )
