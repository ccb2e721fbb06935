"""What an experiment of the same name on several partitions decides of the undecided cells."""

import shutil
from pathlib import Path

import pytest

from boostbench.report.build import build_report
from boostbench.report.results import collect, on_partitions
from boostbench.store.store import Store

ONE = """
name: mine
paper: srt
table: "2"
datasets: [friedman1]
methods: [srt_l2]
defaults: {depth: 3}
folds: 4
seeds: 2
"""


@pytest.fixture
def both(ran, folder: Path) -> Path:
    """Runs of one fold, which decide nothing, and on three partitions."""
    ran(ONE, "-j 1 --only fold=0")
    ran(ONE.replace("name: mine", "name: mine_partitions\nsplit_seeds: 3"), "-j 1")
    return folder / "results" / "mine"


def test_undecided_cells_that_several_partitions_decide_are_counted(both: Path) -> None:
    with Store.open(both, create=False, read_only=True) as store:
        results = collect(store)
        found = on_partitions(store, results).elsewhere
        beside = both.with_name("mine_partitions")
        with Store.open(beside, create=False, read_only=True) as other:
            there = collect(other).cell("friedman1", "srt_l2").verdict
        here = results.cell("friedman1", "srt_l2").verdict
        expected = [("friedman1", "srt_l2")] if there in ("agrees", "differs") else []
        assert here == "undecided"
        assert found is not None
        assert found.name == "mine_partitions"
        assert list(found.cells) == expected
        page = build_report(store, both, ["html"]).paths[0].read_text()
    assert f"mine_partitions</code> decide {len(expected)}" in page


def test_without_them_nothing_is_said(both: Path) -> None:
    shutil.rmtree(both.with_name("mine_partitions"))
    with Store.open(both, create=False, read_only=True) as store:
        assert on_partitions(store, collect(store)).elsewhere is None
