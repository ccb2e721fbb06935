import math

import pytest

from boostbench.errors import ConfigError
from boostbench.papers import (
    get_paper,
    published,
    published_datasets,
    published_for,
    published_value,
)


def test_cells_are_those_of_the_printed_table() -> None:
    # Table 2, row Ailerons: ORRT .784 (11.65e-2), 2491.8 s, 44 runs with R2 < 0.
    cell = published_value("srt", "2", "ailerons", 3, "orrt")
    assert cell is not None
    assert (cell.r2_mean, cell.r2_sd, cell.time_s, cell.negative_runs) == (
        0.784,
        0.1165,
        2491.8,
        44,
    )
    assert published_value("srt", "2", "ailerons", 2, "orrt") is None


@pytest.mark.parametrize(
    ("method", "depth", "table", "mean"),
    [
        ("srt", 3, "2", 0.99),
        ("srt_best5", 2, "C.4", 0.987),
        ("srt_l2_best5", 3, "2", 0.983),
        ("orrt_trained", 3, "2", 0.645),
        ("random_forest", 3, "G.9", 0.925),
        ("random_forest_r", None, "G.9", 0.925),
    ],
)
def test_methods_stand_beside_their_column(
    method: str, depth: int | None, table: str, mean: float
) -> None:
    cell = published_for("srt", method, "yacht", depth)
    assert cell is not None
    assert (cell.table, cell.r2_mean) == (table, mean)


@pytest.mark.parametrize(
    ("method", "dataset", "depth"),
    [("srt", "yacht", 4), ("my_method", "yacht", 3), ("srt", "diabetes", 3)],
)
def test_nothing_is_published_elsewhere(method: str, dataset: str, depth: int) -> None:
    assert published_for("srt", method, dataset, depth) is None


@pytest.mark.parametrize("column", ["srt", "srt_l2", "ort_l", "orrt"])
@pytest.mark.parametrize(("table", "depth"), [("2", 3), ("C.4", 2)])
def test_printed_means_are_those_of_the_rows(table: str, depth: int, column: str) -> None:
    rows = [
        published_value("srt", table, name, depth, column) for name in published_datasets("srt")
    ]
    values = [row.r2_mean for row in rows if row is not None]
    assert len(values) == 15
    arithmetic = published_value("srt", table, "arithmetic_mean", depth, column)
    geometric = published_value("srt", table, "geometric_mean", depth, column)
    assert arithmetic is not None
    assert geometric is not None
    assert arithmetic.r2_mean == pytest.approx(sum(values) / 15, abs=1e-3)
    log_mean = sum(math.log(value) for value in values) / 15
    assert geometric.r2_mean == pytest.approx(math.exp(log_mean), abs=1.5e-3)


def test_every_row_belongs_to_a_listed_data_set_or_an_average() -> None:
    known = {*published_datasets("srt"), "arithmetic_mean", "geometric_mean"}
    assert {cell.dataset for cell in published("srt")} == known


def test_unknown_paper_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="paper 'nope' is not known: choose one of multiboost"):
        get_paper("nope")
