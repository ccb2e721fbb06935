"""The shipped boosting experiments get the claims and protocols that they are for."""

import pytest
from boosting_parts import ok
from pages import page_of
from report_parts import Memory, of_file

from boostbench.report.claims import make_ledger
from boostbench.report.results import collect


def as_if_run(name: str) -> Memory:
    """Return the store of a shipped experiment whose every trial has finished."""
    return of_file(name, lambda trial: ok([0.2] * trial.params["max_iter"]), "splits.n=1")


def test_parameters_show_what_was_chosen_and_how() -> None:
    rows = page_of(as_if_run("fig1_uci")).rows("Methods")
    shown = {row["Method"]: row["Parameters"] for row in rows}
    chosen = "; C chosen from 100, 1e3, 1e4, 1e5"
    assert shown["multiboost_cw"].endswith(chosen)
    assert shown["multiboost"].endswith(f"{chosen}, with solver = fcd")
    assert shown["adaboost_mh"] == "max_iter = 500"


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("fig1_uci", 15), ("fig2_digits", 19), ("fig3_images", 3), ("fig4_scenes", 3),
        ("fig5_gtsrb", 3), ("fig6_fcd", 4),
    ],
)  # fmt: skip
def test_every_claim_of_the_figure_is_measured(name: str, claims: int) -> None:
    assert len(make_ledger([collect(as_if_run(name))]).measured) == claims


def test_the_protocol_of_the_paper_is_beside_that_of_the_experiment() -> None:
    page = page_of(as_if_run("fig2_digits"))
    assert "trains for 500 iterations, and chooses C among" in page.text
    (splits,) = [row for row in page.rows("Settings") if row["Setting"] == "splits"]
    assert "test_size = 0.25" in splits["Here"]
    row = page.row("Data sets", Data_set="mnist")
    assert (
        row["Division"]
        == row["Division, paper"]
        == (
            "1,000 rows per class of the first 60,000 rows for training, all after row 60,000 for "
            "the test"
        )
    )


def test_each_set_is_divided_as_the_paper_divides_it() -> None:
    rules = {
        (trial.dataset, trial.split_rule.words)
        for name in ("fig2_digits", "fig3_images", "fig4_scenes", "fig5_gtsrb")
        for trial in as_if_run(name).part()
    }
    first, after = "rows for training, all after row", "for the test"
    assert rules == {
        ("usps", "75 % of the rows for training, 25 % for the test"),
        ("pendigits", "75 % of the rows for training, 25 % for the test"),
        ("mnist", f"1,000 rows per class of the first 60,000 {first} 60,000 {after}"),
        ("pascal07", "70 % of the rows for training, 30 % for the test"),
        ("labelme12", "70 % of the rows for training, 30 % for the test"),
        ("cifar10_gist", f"one of 5 equal parts of the first 50,000 {first} 50,000 {after}"),
        ("cifar10_pixels", f"one of 5 equal parts of the first 50,000 {first} 50,000 {after}"),
        ("scene15", "100 rows per class for training, all others for the test"),
        ("scene15_images", "100 rows per class for training, all others for the test"),
        ("sun25", "80 % of the rows for training, 20 % for the test"),
        ("gtsrb", f"100 rows per class of the first 39,209 {first} 39,209 {after}"),
    }


def test_other_rows_than_those_of_the_paper_are_said() -> None:
    row = page_of(as_if_run("fig6_fcd")).row("Data sets", Data_set="scene15")
    assert (row["Division, paper"], row["Division"]) == (
        "100 rows per class for training, all others for the test",
        "75 % of the rows for training, 25 % for the test",
    )
