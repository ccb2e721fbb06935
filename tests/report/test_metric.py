"""A report shows the score that the experiment asks for."""

from dataclasses import replace

import pytest
from pages import csv_of, files_of, page_of
from report_parts import EXPERIMENT, ok, trial

from boostbench.papers.metrics import METRICS, metric_from, metric_of
from boostbench.store.store import Store
from boostbench.store.types import Outcome


def _outcome(**metrics: float) -> Outcome:
    return Outcome("ok", metrics={"n_train": 30, "n_test": 10, **metrics}, times={"fit_s": 0.5})


def test_the_experiment_chooses_before_the_paper_and_only_for_its_task() -> None:
    assert metric_of("regression", None, {"metric": "mae"}).name == "mae"
    assert metric_of("regression", None, {"metric": "log_loss"}).name == "r2"
    assert metric_of("classification", None, {}).name == "error"


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
    assert "Measured beside printed" in by_r2.text
    other = page_of(make_store({("yacht", "srt"): [_outcome(r2=0.5, rmse=0.7)]}, metric="rmse"))
    assert "0.700" in other.text
    assert "printed" not in other.text.lower()
    assert "Claims" not in other.headings()


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
        files = files_of(store, "md", "csv", "latex", "html")
    assert {"table.md", "table.csv", "table.tex", "table.html"} <= set(files)
    shown = b"25.00" if METRICS[name].scale == 100 else b"0.250"
    for kind in ("md", "tex", "html"):
        assert shown in files[f"table.{kind}"], kind


def test_a_metric_of_a_file_is_as_the_file_says() -> None:
    assert metric_from("rmse") is METRICS["rmse"]
    scorer = metric_from("neg_max_error")
    assert (scorer.function, scorer.sign, scorer.words) == (
        "neg_max_error",
        1,
        "test neg max error",
    )
    own = metric_from({"name": "width", "function": "m:f", "greater_is_better": False, "digits": 1})
    assert (own.name, own.function, own.sign, own.text(2.46)) == ("width", "m:f", -1, "2.5")
    assert own.rounded(2.46) == -2.5
    assert metric_from({"name": "m:width"}).label == "width"
    percent = metric_from({"name": "jaccard", "scale": 100, "averages": ["geometric"]})
    assert (percent.label, percent.text(0.5), list(percent.averages)) == (
        "jaccard, %", "50.000", ["geometric"],
    )  # fmt: skip


def test_each_metric_says_what_difference_counts() -> None:
    r2 = METRICS["r2"]
    assert (r2.least_difference(0.9), r2.margin(0.9, 0.08), r2.margin(0.9, None)) == (
        0.01, 0.02, 0.01,
    )  # fmt: skip
    share = replace(METRICS["rmse"], tolerance=0.0, relative_tolerance=0.1, spread_tolerance=0.5)
    assert (share.least_difference(-20.0), share.margin(20.0, 3.0)) == (2.0, 2.0)
    assert share.margin(20.0, 6.0) == 3.0
    assert share.least_words == "10 % of the other mean"
    assert r2.least_words == "0.01"


@pytest.mark.parametrize(
    ("experiment", "in_unit"),
    [({}, False), ({"scale_target": "standard"}, False), ({"scale_target": "none"}, True),
     ({"units": "original", "scale_target": "standard"}, True)],
)  # fmt: skip
def test_no_absolute_tolerance_suits_every_unit(experiment, in_unit: bool) -> None:
    found = metric_of("regression", None, {"metric": "rmse", **experiment})
    assert ("in the target's unit" in found.words, found.tolerance == 0.0) == (in_unit, in_unit)
    assert found.averages == (("geometric",) if in_unit else ("arithmetic",))
    assert metric_of("regression", None, {"metric": "r2", **experiment}) is METRICS["r2"]


def test_wins_and_ratios_of_errors_are_those_of_the_lower_one(make_store) -> None:
    cells = {
        (f"d{i}", method): [_outcome(r2=0.5, rmse=rmse + i / 10), _outcome(r2=0.5, rmse=rmse)]
        for i in range(5)
        for method, rmse in (("srt", 0.2), ("orrt", 0.4))
    }
    page = page_of(make_store(cells, metric="rmse", paper=None))
    row = page.row("Pairs of methods", Method="srt")
    assert row["Wins, ties, losses"] == "5, 0, 0"
    assert "(below 1 it favours the method on the left)" in page.section("Pairs of methods")
    assert "**SRT is best on 5 of 5 data sets.**" in page.text
