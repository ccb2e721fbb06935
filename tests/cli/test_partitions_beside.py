"""What another experiment, on several partitions, decides of the undecided cells."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from boostbench.plan.trial import Trial
from boostbench.report.build import build_report
from boostbench.report.frames.results import collect, on_partitions
from boostbench.store.store import Store
from boostbench.store.types import Outcome

ONE = """
name: mine
paper: srt
table: "2"
decided_by: mine_partitions
datasets: [friedman1]
methods: [srt_l2]
defaults: {depth: 3}
folds: 4
seeds: 2
"""


def scored(trial: Trial, *_: object) -> Outcome:
    """Return the outcome of a trial without the fit: folds and partitions differ a little."""
    r2 = 0.85 + 0.002 * (trial.fold % 2) + 0.001 * trial.split_seed
    return Outcome("ok", metrics={"r2": r2, "n_train": 900, "n_test": 300}, times={"fit_s": 1.0})


@pytest.fixture
def both(cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of one fold, which decide nothing, and on three partitions."""
    monkeypatch.setattr("boostbench.engine.in_process.run_trial", scored)
    partitions = ONE.replace("name: mine", "name: mine_partitions\nsplit_seeds: 3")
    for name, text, part in (("mine", ONE, ["--only", "fold=0"]), ("partitions", partitions, [])):
        Path(f"{name}.yaml").write_text(text)
        cli.well("run", f"{name}.yaml", "-j", "1", *part)
    return folder / "results" / "mine"


def test_undecided_cells_that_several_partitions_decide_are_counted(
    both: Path, tmp_path: Path
) -> None:
    with Store.read(both) as store:
        results = collect(store)
        assert results.cell("friedman1", "srt_l2").verdict == "undecided"
        found = on_partitions(store, results, both)
        assert found == (
            "mine_partitions",
            [("friedman1", "srt_l2")],
            "../mine_partitions/table.html",
        )
        page = build_report(store, both, ["html"]).paths[0].read_text()
        link = '<a href="../mine_partitions/table.html">their page</a>'
        assert f"mine_partitions</code> decide 1: {link} shows them." in page
        # Elsewhere, or before there is such a page, the command that writes it is given.
        for place in (tmp_path / "elsewhere", both):
            page = build_report(store, place, ["html"]).paths[0].read_text()
            assert "<code>boostbench report mine_partitions</code> shows them." in page
            both.with_name("mine_partitions").joinpath("table.html").unlink(missing_ok=True)
        # Nothing is said by other rows, or by a method with another parameter.
        (data,), (method,) = results.datasets, results.methods
        for other in (
            replace(results, datasets=[replace(data, fingerprint="0" * 64)]),
            replace(results, methods=[replace(method, params={**method.params, "mu": 2.0})]),
            replace(results, methods=[replace(method, choose={"mu": [1.0, 2.0]})]),
            replace(results, methods=[replace(method, choose_with={"folds": 3})]),
            # Nor where the experiment names no other, even one whose name is like its own.
            replace(results, experiment={**results.experiment, "decided_by": None}),
        ):
            assert on_partitions(store, other, both) is None


def test_without_partitions_nothing_is_decided(both: Path) -> None:
    shutil.rmtree(both.with_name("mine_partitions"))
    with Store.read(both) as store:
        assert on_partitions(store, collect(store), both) is None
