"""A report shows the score that the experiment asks for."""

import math
import typing
from dataclasses import replace

import pytest
from pages import csv_of, files_of, page_of
from report_parts import EXPERIMENT, ok, trial

from boostbench.config.metrics import METRIC_TASKS, MetricName
from boostbench.papers.metrics import METRICS, metric_of
from boostbench.store.store import Store
from boostbench.store.types import Outcome


def _outcome(**metrics: float) -> Outcome:
    return Outcome("ok", metrics={"n_train": 30, "n_test": 10, **metrics}, times={"fit_s": 0.5})


def test_each_metric_that_can_be_asked_for_is_known() -> None:
    assert {name: metric.task for name, metric in METRICS.items()} == METRIC_TASKS
    assert set(typing.get_args(MetricName)) == set(METRICS)
    assert [name for name, metric in METRICS.items() if not metric.greater_is_better] == [
        "rmse", "mse", "mae", "error", "log_loss",
    ]  # fmt: skip


def test_the_experiment_chooses_before_the_paper_and_only_for_its_task() -> None:
    assert metric_of("regression", None, "mae").name == "mae"
    assert metric_of("regression", None, "log_loss").name == "r2"
    assert metric_of("classification", None).name == "error"
    assert metric_of("classification", None, "no such").name == "error"


def test_the_smaller_error_is_the_best_and_its_mean_is_shown(make_store) -> None:
    cells = {
        ("yacht", "srt"): [_outcome(r2=0.5, mae=0.25), _outcome(r2=0.5, mae=0.35)],
        ("yacht", "orrt"): [_outcome(r2=0.9, mae=0.4), _outcome(r2=0.9, mae=0.5)],
    }
    store = make_store(cells, metric="mae", paper=None)
    rows = {row["method"]: row for row in csv_of(store) if row["row"] == "cell"}
    assert float(rows["srt"]["mae_mean"]) == pytest.approx(0.3)
    assert float(rows["orrt"]["mae_mean"]) == pytest.approx(0.45)
    assert "**0.300" in page_of(store).text
    assert "**0.450" not in page_of(store).text
    assert "test mean absolute error" in page_of(store).text


def test_nothing_is_compared_with_a_paper_that_prints_another_score(make_store) -> None:
    cells = {("yacht", "srt"): [_outcome(r2=0.5, rmse=0.7)], ("yacht", "srt_l2"): [ok(0.5)]}
    by_r2 = page_of(make_store(cells, metric="r2"))
    assert "Measured beside published" in by_r2.text
    other = page_of(make_store({("yacht", "srt"): [_outcome(r2=0.5, rmse=0.7)]}, metric="rmse"))
    assert "0.700" in other.text
    assert "published" not in other.text.lower()
    assert "Claims" not in other.headings()


def test_runs_of_earlier_versions_have_the_root_of_their_squared_error(make_store) -> None:
    cells = {("yacht", "srt"): [_outcome(r2=0.5, mse=0.25), _outcome(r2=0.5, mse=0.5, rmse=2.0)]}
    store = make_store(cells, metric="rmse", paper=None)
    (row,) = (row for row in csv_of(store) if row["row"] == "cell")
    assert float(row["rmse_mean"]) == pytest.approx((math.sqrt(0.25) + 2.0) / 2)


def test_a_run_without_the_score_is_said_to_lack_it(make_store) -> None:
    cells = {("yacht", "srt"): [_outcome(r2=0.5, mae=0.25), _outcome(r2=0.5)]}
    store = make_store(cells, metric="mae", paper=None)
    (row,) = (row for row in csv_of(store) if row["row"] == "cell")
    assert (row["planned"], row["finished"]) == ("2", "1")
    assert "the run recorded no test mean absolute error" in page_of(store).text


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_format_can_show_it(tmp_path, name: str) -> None:
    task = METRICS[name].task
    trials = [replace(trial("a", method, 0), task=task) for method in ("one", "two")]
    with Store.open(tmp_path / "store", create=True) as store:
        store.set_plan({**EXPERIMENT, "paper": None, "metric": name}, trials)
        for one, value in zip(trials, (0.25, 0.5), strict=True):
            store.record(one, _outcome(**{name: value}), "e1")
        files = files_of(store, "markdown", "csv", "latex", "html")
    assert {"table.md", "table.csv", "table.tex", "table.html"} <= set(files)
    shown = b"25.00" if METRICS[name].scale == 100 else b"0.250"
    for kind in ("md", "tex", "html"):
        assert shown in files[f"table.{kind}"], kind
