"""The shipped boosting experiments get the claims and protocols that they are for."""

import pytest
from pages import page_of
from parts import Memory, boosted, of_file

from boostbench.report.frames.results import collect
from boostbench.report.verdicts.ledger import make_ledger

USUAL = "75 % of the rows for training, 25 % for the test"


def as_if_run(name: str) -> Memory:
    """Return the store of a shipped experiment whose every trial has finished."""
    return of_file(name, lambda trial: boosted([0.2] * trial.params["max_iter"]), "splits.n=1")


def test_parameters_show_the_chosen_values_and_the_choice() -> None:
    rows = page_of(as_if_run("fig1_uci")).rows("Methods")
    shown = {row["Method"]: row["Parameters"] for row in rows}
    chosen = "; C chosen from 100, 1e3, 1e4, 1e5"
    assert shown["multiboost_cw"].endswith(chosen)
    assert shown["multiboost"].endswith(f"{chosen}, with solver = fcd")
    assert shown["adaboost_mh"] == "max_iter = 500"


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("fig1_uci", 13), ("fig2_digits", 17), ("fig3_images", 9), ("fig4_scenes", 9),
        ("fig5_gtsrb", 9), ("fig6_fcd", 4),
    ],
)  # fmt: skip
def test_every_claim_of_the_figure_is_measured(name: str, claims: int) -> None:
    assert len(make_ledger([collect(as_if_run(name))]).measured) == claims


def test_the_protocol_of_the_paper_is_beside_that_of_the_experiment() -> None:
    page = page_of(of_file("fig6_fcd", None, "splits.n=1"))
    assert "trains for 500 iterations, and chooses C among" in page.text
    assert "test_size = 0.25" in page.row("Settings", Setting="splits")["Here"]
    row = page.row("Data sets", Data_set="scene15_images")
    assert row["Division, paper"] == "100 rows per class for training, all others for the test"
    assert row["Division"] == USUAL


@pytest.mark.parametrize("name", ["fig2_digits", "fig3_images", "fig4_scenes", "fig5_gtsrb"])
def test_each_set_is_divided_as_the_paper_divides_it(name: str) -> None:
    for row in page_of(of_file(name, None, "splits.n=1")).rows("Data sets"):
        assert row["Division"] == (row.get("Division, paper") or USUAL), row
