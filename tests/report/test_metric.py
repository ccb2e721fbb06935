"""A report shows the score that the experiment asks for."""

from dataclasses import replace

import pytest
from pages import csv_of, files_of, page_of
from parts import boosting_of, store_of

from boostbench.errors import ConfigError
from boostbench.papers import get_paper
from boostbench.papers.metrics import METRICS, asked_metrics, metric_from, metric_of
from boostbench.store.types import Outcome


def _outcome(**metrics: float) -> Outcome:
    return Outcome("ok", metrics={"n_train": 30, "n_test": 10, **metrics}, times={"fit_s": 0.5})


def test_the_smaller_error_is_the_best_and_its_mean_is_shown() -> None:
    cells = {
        ("yacht", "srt"): [_outcome(r2=0.5, mae=0.25), _outcome(r2=0.5, mae=0.35)],
        ("yacht", "orrt"): [_outcome(r2=0.9, mae=0.4), _outcome(r2=0.9, mae=0.5)],
    }
    store = store_of(cells, metric="mae", paper=None)
    rows = {row["method"]: row for row in csv_of(store) if row["row"] == "cell"}
    assert float(rows["srt"]["mae_mean"]) == pytest.approx(0.3)
    assert float(rows["orrt"]["mae_mean"]) == pytest.approx(0.45)
    assert "**0.300" in page_of(store).text
    assert "**0.450" not in page_of(store).text
    assert "test mean absolute error" in page_of(store).text


def test_nothing_is_compared_with_a_paper_that_prints_another_score() -> None:
    other = page_of(store_of({("yacht", "srt"): [_outcome(r2=0.5, rmse=0.7)]}, metric="rmse"))
    assert "0.700" in other.text
    assert "printed" not in other.text.lower()
    assert "Claims" not in other.headings()


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_format_can_show_it(name: str) -> None:
    make = store_of if METRICS[name].task == "regression" else boosting_of
    cells = {("a", "one"): [_outcome(**{name: 0.25})], ("a", "two"): [_outcome(**{name: 0.5})]}
    files = files_of(make(cells, paper=None, metric=name), "md", "csv", "latex", "html")
    shown = b"25.00" if METRICS[name].scale == 100 else b"0.250"
    for kind in ("md", "tex", "html"):
        assert shown in files[f"table.{kind}"], kind
    assert b"0.25" in files["table.csv"]


def test_a_metric_of_a_file_is_as_the_file_says() -> None:
    assert metric_from("rmse") is METRICS["rmse"]
    assert metric_from({"name": "rmse", "digits": 1, "scale": 1.0}).text(2.46) == "2.5"
    scorer = metric_from("neg_max_error")
    assert (scorer.function, scorer.sign) == ("neg_max_error", 1)
    own = metric_from({"name": "width", "function": "m:f", "greater_is_better": False, "digits": 1})
    assert (own.name, own.function, own.sign, own.text(2.46)) == ("width", "m:f", -1, "2.5")
    assert own.text(30512.4) == "30,512"
    assert metric_from({"name": "m:width"}).label == "width"
    percent = metric_from({"name": "jaccard", "scale": 100, "averages": ["geometric"]})
    assert (percent.label, percent.text(0.5)) == ("jaccard, %", "50.000")
    assert list(percent.averages) == ["geometric"]


def test_a_mapping_of_an_experiment_or_its_paper_counts_before_a_bare_name() -> None:
    mapping = {"name": "width", "function": "m:f", "greater_is_better": False, "scale": None}
    for said, printed in (([mapping], ["width"]), ([{"name": "width"}], [mapping])):
        paper = replace(get_paper("srt"), metrics=printed)
        found = metric_of("regression", paper, {"metrics": said, "metric": "width"})
        assert (found.function, found.sign, found.scale) == ("m:f", -1, 1.0)


@pytest.mark.parametrize(
    ("printed", "asked", "wrong"),
    [
        ([{"name": "width", "function": "m:f", "greater_is_better": False}],
         {"name": "width", "greater_is_better": True}, "greater_is_better: false"),
        ([{"name": "width", "function": "m:f"}], {"name": "width", "greater_is_better": False},
         "greater_is_better: true"),
        ([{"name": "width", "function": "m:f"}], {"name": "width", "function": "m:g"},
         "function: m:f"),
        (["neg_max_error"], {"name": "neg_max_error", "greater_is_better": False},
         "greater_is_better: true"),
        ([], {"name": "r2", "explodes_below": -1.0}, "explodes_below: 0.0"),
        ([{"name": "width", "function": "m:f", "greater_is_better": False}],
         {"name": "width", "function": "m:f", "greater_is_better": False, "digits": 1}, ""),
        (["width"], {"name": "width", "function": "m:f", "greater_is_better": False}, ""),
        ([{"name": "width", "digits": 2}], {"name": "width", "function": "m:f"}, ""),
        ([], {"name": "width", "function": "m:f", "greater_is_better": False}, ""),
        ([{"name": "width", "function": "m:f"}], {"name": "width", "explodes_below": 0.5}, ""),
    ],
)  # fmt: skip
def test_an_experiment_cannot_change_what_a_metric_of_its_paper_means(
    printed, asked, wrong
) -> None:
    paper = replace(get_paper("srt"), metrics=printed)
    if not wrong:
        assert asked["name"] in asked_metrics({"metrics": [asked]}, paper)
        return
    with pytest.raises(ConfigError, match=f"'{asked['name']}' of the paper has '{wrong}'; leave"):
        asked_metrics({"metrics": [asked]}, paper)


def test_each_metric_has_a_least_difference() -> None:
    r2 = METRICS["r2"]
    assert (r2.least_difference(0.9), r2.margin(0.9, 0.08), r2.margin(0.9, None)) == (
        0.01,
        0.02,
        0.01,
    )
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
    # That of another task is not chosen.
    assert metric_of("regression", None, {"metric": "log_loss"}) is METRICS["r2"]
    assert metric_of("classification", None, {}) is METRICS["error"]


def test_wins_and_ratios_of_errors_are_those_of_the_lower_one() -> None:
    cells = {
        (f"d{i}", method): [_outcome(r2=0.5, rmse=rmse + i / 10), _outcome(r2=0.5, rmse=rmse)]
        for i in range(5)
        for method, rmse in (("srt", 0.2), ("orrt", 0.4))
    }
    page = page_of(store_of(cells, metric="rmse", paper=None))
    row = page.row("Pairs of methods", Method="srt")
    assert row["Wins, ties, losses"] == "5, 0, 0"
    assert "(below 1 it favours the method on the left)" in page.section("Pairs of methods")
    assert "**SRT is best on 5 of 5 data sets.**" in page.text
