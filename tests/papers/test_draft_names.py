"""Printed names as identifiers, and what a name is by itself."""

import pytest

from boostbench.papers.drafts.from_latex import (
    CONDITIONS,
    DATA_SETS,
    METHODS,
    METRICS,
    proposed_role,
)
from boostbench.papers.drafts.names import identifier, metric_in, metric_of, size_of


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("-∞", "minus_inf"),
        ("α → -∞", "alpha_minus_inf"),
        ("+∞", "plus_inf"),
        ("1.0 (VI)", "m_1_0_vi"),
        ("B++", "b_plus_plus"),
        ("SRT-ℓ₂", "srt_l2"),
        ("Rényi bound", "renyi_bound"),
        ("λ=0.5", "lambda_0_5"),
        ("", "m_"),
    ],
)
def test_a_printed_name_is_spelt_as_an_identifier(printed: str, name: str) -> None:
    assert identifier(printed) == name


def test_metrics_and_sizes_are_known_by_their_names() -> None:
    assert metric_of("RMSE ↓") == "rmse"
    assert metric_of("F1") == "f1"
    assert metric_of("Forest") == ""
    assert metric_in("Average test RMSE and log-likelihood") == "rmse"
    assert metric_in("Results") == ""
    assert [size_of(name) for name in ("$N$", "#samples", "D", "AUC")] == [
        "n_samples", "n_samples", "n_features", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (["boston", "yacht", "own data"], DATA_SETS),
        (["Accuracy", "F1"], METRICS),
        (["0.1", "0.2", "0.5"], CONDITIONS),
        (["ours", "theirs"], METHODS),
        (["boston", "ours", "theirs"], METHODS),
    ],
)
def test_a_level_is_proposed_to_be_what_most_of_its_names_are(names, role) -> None:
    assert proposed_role(names, frozenset()) == role
