"""Several partitions in one experiment: run, named, resumed and reported."""

import statistics
from pathlib import Path

import pytest
from experiments import RIDGE, experiment

from results import rows as _rows

SEVERAL = experiment("several", RIDGE, split_seeds=[0, 1, 2])


@pytest.fixture
def several(ran) -> Path:
    """The results folder of a finished run of three partitions."""
    return ran(SEVERAL)


def test_each_partition_is_run_and_all_of_them_are_reported(several: Path) -> None:
    rows = _rows(several / "trials.csv")
    assert [(row["split_seed"], row["fold"]) for row in rows] == [
        (split_seed, fold) for split_seed in "012" for fold in "01"
    ]
    scores = [float(row["r2"]) for row in rows]
    assert len(set(scores)) == 6
    (cell,) = (row for row in _rows(several / "table.csv") if row["row"] == "cell")
    assert (cell["planned"], cell["finished"]) == ("6", "6")
    assert float(cell["r2_mean"]) == pytest.approx(statistics.fmean(scores))
    assert float(cell["r2_sd"]) == pytest.approx(statistics.stdev(scores))
    page = (several / "table.md").read_text()
    assert "3 partitions × 2 folds, 6 runs, all finished." in page
    assert "over all finished runs together" in page


def test_one_partition_more_runs_only_that(cli, several: Path, folder: Path) -> None:
    before = _rows(several / "trials.csv")
    (folder / "several.yaml").write_text(SEVERAL.replace("[0, 1, 2]", "[0, 1, 2, 7]"))
    more = cli("run", "several.yaml", "--jobs", "1")
    assert "2 of 8 trials to run" in more.err
    assert "changed since" not in more.err + more.out
    assert _rows(several / "trials.csv")[:6] == before
    dry = cli("run", "several.yaml", "--dry-run", "--only", "split_seed=7,1")
    assert "(1 data set x 1 method x 4 split seeds x 2 folds x 1 seed, some left out)" in dry.out
    assert "several: 4 trials" in dry.out


def test_a_trial_is_named_with_its_partition(cli, several: Path) -> None:
    listed = cli("show", "diabetes/Ridge").out
    names = ["diabetes/Ridge/0/0", "diabetes/Ridge/1/1/0", "diabetes/Ridge/2/0/0"]
    for name in names:
        assert f"{name} " in listed
        shown = cli("show", name)
        assert shown.out.startswith(f"{name}: ok"), shown.err
    assert "split seed 2" in shown.out
    assert "--only split_seed=2" in shown.out
    assert cli("show", "diabetes/Ridge/0/1/0").out.startswith("diabetes/Ridge/1/0: ok")
    assert cli("show", "diabetes/Ridge/9/0/0").code == 2


def test_a_name_that_could_be_of_two_partitions_shows_both(cli, folder: Path) -> None:
    (folder / "x.yaml").write_text(SEVERAL.replace("[0, 1, 2]", "[3, 4]"))
    cli.run_only("x.yaml", "--jobs", "1")
    both = cli("show", "diabetes/Ridge/1/0").out
    assert "2 of 2 trials done" in both
    assert all(f"diabetes/Ridge/{split_seed}/1/0 " in both for split_seed in (3, 4))
    (folder / "x.yaml").write_text(SEVERAL.replace("[0, 1, 2]", "[3]"))
    cli.run_only("x.yaml", "--jobs", "1")
    assert cli("show", "diabetes/Ridge/1/0").out.startswith("diabetes/Ridge/3/1/0: ok")
