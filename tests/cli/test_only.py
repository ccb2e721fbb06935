"""A run of some data sets leaves the results of the others where they are."""

from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, write

from results import statuses

FILES = "{file: d.csv, target: y}, {file: e.csv, target: y}"


def _rows(name: str, step: int, first: int = 0) -> None:
    rows = "".join(f"{2 * (i + first)},{i * step % 17}\n" for i in range(20))
    Path(f"{name}.csv").write_text("u,y\n" + rows)


@pytest.fixture
def two(folder: Path, cli) -> Path:
    """The results folder of a finished run of two local files."""
    _rows("d", 3)
    _rows("e", 5)
    cli.well("run", write("two", DUMMY, data=FILES), "--jobs", "1")
    return folder / "results" / "two"


def test_the_other_local_file_stays_in_plan_and_tables(cli, two: Path) -> None:
    before = {path.name: path.read_bytes() for path in two.glob("t*.*") if path.suffix != ".png"}
    assert {"trials.csv", "table.md"} <= set(before)
    done = cli.well("run", "two.yaml", "--only", "dataset=d", "--jobs", "1")
    assert "nothing was missing; trials: 2 ok" in done.out
    assert {name: (two / name).read_bytes() for name in before} == before
    assert "4 of 4 trials done (4 ok)" in cli("status", "two.yaml").out
    assert cli("show", "e/dummy/0/0").out.startswith("e/dummy/0/0: ok")


def test_a_data_set_asked_for_otherwise_is_not_taken_from_the_old_plan(cli, two: Path) -> None:
    write("two", DUMMY, data=FILES.replace("e.csv, target: y", "e.csv, target: u"))
    cli.run_only("two.yaml", "--only", "dataset=d", "--jobs", "1")
    assert statuses(two) == [("d", "ok")] * 2


@pytest.fixture
def four(folder: Path) -> Path:
    """An experiment of two files that are right, one that is not there and one with text."""
    for name, first in (("d", 2), ("g", 3), ("f", 2)):
        _rows(name, 3, first)
    Path("f.csv").write_text(Path("f.csv").read_text().replace("4,", "x,"))
    files = ", ".join(f"{{file: {name}.csv, target: y}}" for name in "defg")
    write("four", DUMMY, RIDGE, data=files)
    return folder


def test_all_errors_are_reported_and_the_rest_can_be_run(cli, four: Path) -> None:
    lacks = "four.yaml:2:45: datasets[1].file: there is no file"
    for more in ([], ["--dry-run"]):
        done = cli("run", "four.yaml", "--offline", "--only", "method=dummy", *more)
        assert done.code == 2
        first, missing, text = done.err.splitlines()
        assert (first, missing) == ("2 errors:", f"{lacks} {four}/e.csv")
        assert text.startswith("f.csv")
        assert not (four / "results").exists()
    rest = ("--only", "dataset=d,g", "--only", "method=dummy")
    assert "trials: 4 ok" in cli.well("run", "four.yaml", "--offline", *rest, "-j", "1").out
    assert "never loaded: e, f" in cli("status", "four.yaml").out
    (table,) = four.glob("results/*/table.md")
    assert "Not loaded, and so not among these runs: e and f." in table.read_text()
    note = cli.refused("run", "four.yaml", "--only", "dataset=e")
    assert note == f"error: {lacks} {four}/e.csv\n"


def test_a_column_that_is_not_there_stops_before_anything_is_downloaded(
    cli, four: Path, monkeypatch
) -> None:
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
        assert not (four / "results").exists()
    write("four", RIDGE, data="\n  {file: d.csv, target: y,\n     drop: [w]}")
    text = cli.refused("run", "four.yaml")
    assert text == "error: four.yaml:3:3: d.csv has no column 'w'; its columns are u, y\n"
