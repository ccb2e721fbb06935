"""``compare``: two stores, made by hand, whose cells are known to differ or not."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from trials import make_trial

from boostbench.cli.app import main
from boostbench.experiment.comparison import ChangeKind, compare
from boostbench.store.store import Store
from boostbench.store.types import Outcome

FOLDS, SEEDS = 4, 3
Scores = Mapping[str, Any]
"""By data set: an array of folds x seeds, NaN where the run has failed."""


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes a results folder of scores."""
    count = iter(range(99))

    def make(
        scores: Scores,
        numpy: str = "2.0",
        metric: str = "r2",
        groups: Mapping[str, int] | None = None,
        **changed: Any,
    ) -> Path:
        changed, folder = {"params": {"depth": 3}, **changed}, tmp_path / f"results{next(count)}"
        with Store.open(folder) as store:
            store.add_environment("here", {"packages": {"numpy": numpy}})
            runs = [
                (make_trial(dataset, "srt", fold=fold, seed=seed, **changed), value)
                for dataset, values in scores.items()
                for (fold, seed), value in np.ndenumerate(values)
            ]
            store.set_plan({"name": "x", "metric": metric}, [trial for trial, _ in runs])
            for trial, value in runs:
                outcome = Outcome("error", "no luck")
                if not np.isnan(value):
                    metrics = {metric: float(value), "n_train": 75, "n_test": 25, **(groups or {})}
                    outcome = Outcome("ok", metrics=metrics, times={"fit_s": 1.0})
                store.record(trial, outcome, "here")
        return folder

    return make


def _noise(seed: int, scale: float = 0.01) -> Any:
    return 0.8 + np.random.default_rng(seed).normal(0, scale, (FOLDS, SEEDS))


def test_each_kind_of_change(folder_of) -> None:
    base = _noise(0)
    a = {
        "same": base,
        "last digits": base,
        "noisy": base,
        "better": base,
        "gone": base,
        "one fold": base[:1],
    }
    b = {
        "same": base,
        "last digits": base + 1e-9,
        "noisy": base + _noise(1, 0.02) - 0.8,
        "better": base + 0.05 + _noise(2, 0.002) - 0.8,
        "new": base,
        "one fold": base[:1] + 0.3,
    }
    cells = {cell.dataset: cell for cell in compare(folder_of(a), folder_of(b)).cells}
    assert list(cells) == [*a, "new"]
    assert {name: cell.change for name, cell in cells.items()} == {
        "same": ChangeKind.EQUAL,
        "last digits": ChangeKind.NOISE,
        "noisy": ChangeKind.NOISE,
        "better": ChangeKind.BETTER,
        "gone": ChangeKind.ONLY_A,
        "new": ChangeKind.ONLY_B,
        "one fold": ChangeKind.UNKNOWN,
    }
    assert cells["better"].difference == pytest.approx(0.05, abs=0.01)
    assert cells["better"].low < cells["better"].difference < cells["better"].high


def test_the_interval_is_that_of_the_corrected_t_test_over_folds(folder_of) -> None:
    a, b = _noise(3), _noise(4)
    (cell,) = compare(folder_of({"d": a}), folder_of({"d": b})).cells
    d = (b - a).mean(axis=1)
    width = stats.t.ppf(0.975, 3) * np.sqrt((1 / 4 + 25 / 75) * d.var(ddof=1))
    assert (cell.low, cell.high) == pytest.approx((d.mean() - width, d.mean() + width))


def test_one_training_set_with_one_test_set_decides_nothing(folder_of) -> None:
    base, rows = _noise(0), {"split": "given", "train_rows": 75}
    higher = {"d": base + 0.05 + _noise(2, 0.002) - 0.8}
    (cell,) = compare(folder_of({"d": base}, **rows), folder_of(higher, **rows)).cells
    assert (cell.change, cell.why) == (ChangeKind.UNKNOWN, ["one split decides nothing"])
    assert cell.difference == pytest.approx(0.05, abs=0.01)
    batches = {**rows, "train_batches": 4}
    (cell,) = compare(folder_of({"d": base}, **batches), folder_of(higher, **batches)).cells
    assert (cell.change, cell.why) == (ChangeKind.BETTER, ["on these test rows"])


def test_only_runs_that_both_have_are_compared(folder_of) -> None:
    a, b = _noise(5), _noise(5)
    a[0, 0], b[1, 1] = np.nan, np.nan
    b[0, 0] = -50.0
    (cell,) = compare(folder_of({"d": a}), folder_of({"d": b})).cells
    assert (cell.change, cell.runs) == (ChangeKind.EQUAL, 10)
    assert cell.a == cell.b
    assert list(cell.why) == ["1 of 11 runs only in A", "1 of 11 runs only in B"]


def test_a_cell_without_a_finished_run_on_one_side(folder_of) -> None:
    failed = np.full((FOLDS, SEEDS), np.nan)
    (cell,) = compare(folder_of({"d": _noise(5)}), folder_of({"d": failed})).cells
    assert cell.change == ChangeKind.ONLY_A
    (cell,) = compare(folder_of({"d": failed}), folder_of({"d": _noise(5)})).cells
    assert cell.change == ChangeKind.ONLY_B


def test_the_metric_is_the_one_that_the_experiment_of_a_names(folder_of) -> None:
    a, b = (folder_of({"d": _noise(5) + shift}, metric="mae") for shift in (0.0, 0.05))
    found = compare(a, b)
    assert (found.metric.name, found.cells[0].change) == ("mae", ChangeKind.WORSE)
    assert found.cells[0].difference == pytest.approx(0.05)


def test_differences_of_the_trials_are_named(folder_of) -> None:
    base = {"d": _noise(6)}
    newer = folder_of(base, numpy="2.1", method_version="2", params={"depth": 2, "mu": 1.0})
    found = compare(folder_of(base), newer)
    assert list(found.cells[0].why) == ["version 1 -> 2", "depth 3 -> 2", "mu default -> 1.0"]
    assert list(found.environments) == ["numpy 2.0 -> 2.1"]


@pytest.mark.parametrize(
    "changed", [{"fingerprint": "f" * 64}, {"split": "stratified"}, {"folds": 5}]
)
def test_other_data_and_other_folds_are_not_judged(folder_of, changed: dict[str, str]) -> None:
    a, b = _noise(7), _noise(8)
    (cell,) = compare(folder_of({"d": a}), folder_of({"d": b}, **changed)).cells
    assert cell.change == ChangeKind.UNKNOWN
    assert len(cell.why) == 1
    assert np.isnan(cell.p)
    assert np.isnan(cell.a)


def test_p_values_are_adjusted_for_the_number_of_cells(folder_of) -> None:
    shifted = _noise(9) + 0.004 + _noise(10, 0.001) - 0.8
    alone = compare(folder_of({"d0": _noise(9)}), folder_of({"d0": shifted})).cells[0]
    assert alone.change == ChangeKind.BETTER
    many_a = {"d0": _noise(9), **{f"d{i}": _noise(20 + i)[:, :1] for i in range(1, 40)}}
    many_b = {"d0": shifted, **{f"d{i}": _noise(90 + i)[:, :1] for i in range(1, 40)}}
    cells = compare(folder_of(many_a), folder_of(many_b)).cells
    assert (cells[0].p, cells[0].comparisons) == (alone.p, 40)
    assert cells[0].p_adjusted == pytest.approx(min(1.0, 40 * alone.p))
    assert cells[0].p_adjusted > 0.05
    # A single cell is not adjusted.
    assert np.isnan(alone.p_adjusted)
    assert cells[0].change == ChangeKind.NOISE


def test_results_that_have_nothing_in_common_are_refused(folder_of, capsys) -> None:
    a, b = folder_of({"a": 0.5 + _noise(1)}), folder_of({"b": 0.5 + _noise(1)})
    with pytest.raises(SystemExit) as ended:
        main(["compare", str(a), str(b)])
    assert ended.value.code == 2
    assert "no data set and method in common" in capsys.readouterr().err


def test_the_command_shows_the_cells_and_writes_json(folder_of, capsys, monkeypatch) -> None:

    monkeypatch.setenv("COLUMNS", "200")
    folders = [str(folder_of({"d": _noise(11) + shift})) for shift in (0.0, 0.05)]
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as caught:
            main(["compare", *folders, *more])
        assert not caught.value.code
        out = capsys.readouterr().out
        if more:
            (cell,) = json.loads(out)["cells"]
            assert (cell["change"], cell["runs"]) == ("changed for the better", FOLDS * SEEDS)
        else:
            assert "+0.050" in out
            assert "cells: 1 changed for the better" in out


def test_the_unit_is_the_group_and_windows_decide_nothing(folder_of) -> None:
    a, b = {"d": _noise(0)}, {"d": _noise(1) + 0.01}
    (rows,) = compare(folder_of(a), folder_of(b)).cells
    groups = {"n_train_groups": 3, "n_test_groups": 9}
    (grouped,) = compare(folder_of(a, groups=groups), folder_of(b, groups=groups)).cells
    scale = np.sqrt((1 / FOLDS + 3) / (1 / FOLDS + 1 / 3))
    assert grouped.high - grouped.low == pytest.approx((rows.high - rows.low) * scale)
    windows = {"split": "time", "overlap": "windows", "rows": "r"}
    (cell,) = compare(folder_of(a, **windows), folder_of(b, **windows)).cells
    assert (cell.change, cell.why) == (
        ChangeKind.UNKNOWN,
        ["splits that train on earlier test rows decide nothing"],
    )
    (other,) = compare(folder_of(a, **windows), folder_of(b, **{**windows, "rows": "s"})).cells
    assert (other.change, other.why) == (ChangeKind.UNKNOWN, ["the rows of its splits"])
