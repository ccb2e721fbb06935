"""A run of some data sets leaves the results of the others where they are."""

import csv
from pathlib import Path

import pytest

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


def _statuses(results: Path) -> list[tuple[str, str]]:
    with (results / "trials.csv").open(newline="", encoding="utf-8") as file:
        return [(row["dataset"], row["status"]) for row in csv.DictReader(file)]


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
    assert _statuses(two) == [("d", "ok")] * 2
