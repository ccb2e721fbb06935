"""Reports of classification: errors in percent, own clocks, and chosen parameters."""

from dataclasses import replace

import pytest
from pages import csv_of, page_of
from parts import boosted, boosting_of

from boostbench.store.types import Outcome

FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]


@pytest.fixture
def cells():
    return {
        ("vowel", "multiboost_cw"): [boosted(FAST, chosen_C=1e4), boosted(FAST, chosen_C=100)],
        ("usps", "multiboost"): [boosted(FAST, 0.1), Outcome("killed", "by SIGKILL")],
    }


def test_csv_has_shares_seconds_and_chosen_values(cells) -> None:
    rows = {(row["dataset"], row["method"]): row for row in csv_of(boosting_of(cells))}
    cell = rows["vowel", "multiboost_cw"]
    assert (cell["error_mean"], cell["planned"], cell["finished"]) == ("0.1", "2", "2")
    assert cell["objective_mean"] == cell["objective_sd"] == ""
    assert cell["chosen"] == '{"C": {"100": 1, "10000": 1}}'
    assert float(cell["solver_s_mean"]) == pytest.approx(0.05)
    assert rows["usps", "multiboost"]["error_sd"] == ""
    assert rows["usps", "multiboost"]["missing"] == "1 killed: by SIGKILL"


def test_times_are_the_methods_own_and_the_wall_time_of_those_without_a_clock() -> None:
    run = boosted(FAST, 0.25)
    cells = {
        ("vowel", "clocked"): [replace(run, times={"fit_s": 77.0})],
        ("vowel", "bare"): [replace(run, times={"fit_s": 88.0}, time_curve=None)],
    }
    page = page_of(boosting_of(cells))
    assert page.column("clocked", "Time, s") == ["2.50"]
    assert page.column("bare", "Time, s") == ["88.0"]
    assert "own clock" in page.text
    assert "Of `bare`, without such a clock, it is the wall time of all of `fit`." in page.text


def test_no_mean_objective_of_runs_that_chose_differently() -> None:
    cells = {
        ("vowel", "multiboost_cw"): [boosted(FAST, chosen_C=1e4), boosted(FAST, chosen_C=100)],
        ("usps", "multiboost_cw"): [boosted(FAST, chosen_C=100), boosted(FAST, chosen_C=100)],
        ("vowel", "multiboost"): [boosted(FAST), boosted(FAST)],
    }
    page = page_of(boosting_of(cells))
    assert page.column("multiboost_cw", "Objective") == ["–", "10.00", ""]
    assert page.column("multiboost", "Objective") == ["10.00", ""]
    assert (
        "With an equal C, `multiboost_cw` and `multiboost` minimise the same function" in page.text
    )
    assert "each method chooses its own C on every split" in page.text
