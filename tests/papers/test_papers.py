import math

import pytest

from boostbench.errors import ConfigError
from boostbench.papers import get_paper, paper_names
from boostbench.papers.metrics import R2, RMSE
from boostbench.papers.reading import MEANS, SCORE, TIME

SRT = get_paper("srt")


def printed(method: str, depth: int | None, dataset: str, table: str | None = None):
    column = SRT.column(method, (depth,), table)
    return column.cells.get(dataset) if column else None


def test_cells_are_those_of_the_printed_table() -> None:
    # Table 2, row Ailerons: ORRT .784 (11.65e-2), 2491.8 s, 44 runs with R2 < 0.
    cell = printed("orrt", 3, "ailerons")
    assert (cell.mean, cell.sd, cell.time_s, cell.exploded_runs) == (0.784, 0.1165, 2491.8, 44)


@pytest.mark.parametrize(
    ("method", "depth", "table", "mean"),
    [
        ("srt", 3, "2", 0.99), ("srt_best5", 2, "C.4", 0.987), ("srt_l2_best5", 3, "2", 0.983),
        ("orrt_trained", 3, "2", 0.645), ("orrt_best", 2, "F.8", 0.861), ("ort_lh", 2, "E.7", None),
        ("random_forest", 3, "G.9", 0.925), ("random_forest_r", None, "G.9", 0.925),
        ("ort_l", 3, "2", 0.992), ("ort_l_grid", 3, "D.6", 0.992), ("ort_l_min20", 2, "C.4", 0.991),
    ],
)  # fmt: skip
def test_methods_have_their_column(method, depth, table, mean) -> None:
    assert SRT.column(method, (depth,)).table == table
    cell = printed(method, depth, "yacht")
    assert (cell and cell.mean) == mean


@pytest.mark.parametrize(
    ("method", "dataset", "depth"),
    [("srt", "yacht", 4), ("my_method", "yacht", 3), ("srt", "diabetes", 3)],
)
def test_nothing_is_published_elsewhere(method: str, dataset: str, depth: int) -> None:
    assert printed(method, depth, dataset) is None


def test_each_printed_row_is_reached_by_a_method_and_a_table() -> None:
    reached = set()
    for method in SRT.names:
        for depth in (2, 3, None):
            for table in SRT.tables_and_figures:
                column = SRT.column(method, (depth,), table)
                reached |= {id(cell) for cell in column.cells.values()} if column else set()
    assert len(SRT.cells) == 332
    assert reached == {id(cell) for cell in SRT.cells}


def test_several_tables_print_a_column() -> None:
    found = {table: printed("srt_l2", 3, "abalone", table) for table in ("2", "D.6", "G.9")}
    assert {name: cell.table for name, cell in found.items()} == {n: n for n in found}
    # A table without that column leaves the first that has it.
    assert printed("srt", 3, "yacht", "G.9").table == "2"


@pytest.mark.parametrize("column", ["srt", "srt_l2", "ort_l", "orrt"])
@pytest.mark.parametrize(("table", "depth"), [("2", 3), ("C.4", 2)])
def test_printed_means_are_those_of_the_rows(table: str, depth: int, column: str) -> None:
    cells = SRT.column(column, (depth,), table).cells
    values = [cell.mean for name, cell in cells.items() if name not in MEANS]
    assert len(values) == 15
    assert cells["arithmetic_mean"].mean == pytest.approx(sum(values) / 15, abs=1e-3)
    log_mean = sum(math.log(value) for value in values) / 15
    assert cells["geometric_mean"].mean == pytest.approx(math.exp(log_mean), abs=1.5e-3)


def test_improvements_follow_from_the_printed_means_and_times() -> None:
    (table,) = SRT.improvements.values()
    assert list(SRT.improvements) == ["3"]
    assert {depth for _, (depth,), _ in table} == {2, 3}
    assert sum(map(len, table.values())) == 60
    for (dataset, (depth,), quantity), percent in table.items():
        cells = [printed(name, depth, dataset) for name in ("srt_l2", "ort_l")]
        # What the rounding of both printed figures allows; a time of 2.07 may be 2.065.
        values = [c.mean if quantity == SCORE else c.time_s for c in cells]
        slack = [5e-4 if quantity == SCORE else 0.05 for _ in values]
        gains = [
            R2.gain(quantity, values[0] + a * slack[0], values[1] + b * slack[1])
            for a in (-1, 1)
            for b in (-1, 1)
        ]
        sign = {"srt_l2": 1, "ort_l": -1}
        for method, value in percent.items():
            assert min(g * sign[method] for g in gains) - 0.06 <= value
            assert value <= max(g * sign[method] for g in gains) + 0.06


@pytest.mark.parametrize(
    ("quantity", "mine", "other", "gain"),
    [
        (SCORE, 0.9, 0.6, 50.0),
        (SCORE, 0.6, 0.9, -50.0),
        (SCORE, 0.5, 0.5, 0.0),
        (SCORE, 0.5, -0.1, None),
        (SCORE, 0.5, None, None),
        (TIME, 1.0, 4.0, 75.0),
        (TIME, 4.0, 1.0, -75.0),
        (TIME, 0.0, 0.0, None),
        (TIME, None, 1.0, None),
    ],
)
def test_gains_are_relative_to_the_lower_score_and_the_longer_time(
    quantity, mine, other, gain
) -> None:
    found, of_error = (metric.gain(quantity, mine, other) for metric in (R2, RMSE))
    assert found == (gain if gain is None else pytest.approx(gain))
    assert of_error == (found if quantity == TIME or found is None else -found)


def test_averages_are_over_the_data_sets_that_all_columns_have() -> None:
    assert SRT.averaged("2") == list(SRT.datasets)
    assert set(SRT.datasets) - set(SRT.averaged("D.6")) == {"puma32h"}
    assert SRT.averaged("F.8") == ["airfoil", "cpu_small", "puma32h", "yacht"]
    assert SRT.averaged("no such table") == []


def test_tables_are_in_the_order_of_the_paper() -> None:
    assert SRT.printed_tables == ["2", "3", "C.4", "D.5", "D.6", "E.7", "F.8", "G.9"]
    assert list(SRT.captions) == SRT.printed_tables


def test_unknown_paper_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'nope' is not known here: .* multiboost, srt"):
        get_paper("nope")
    assert paper_names() == ["multiboost", "srt"]


@pytest.mark.parametrize("key", paper_names())
def test_the_cards_of_a_papers_data_sets_exist_with_its_targets(key) -> None:
    from boostbench.data.cards import Catalog

    for data in get_paper(key).datasets.values():
        assert {Catalog().card(card).target for card in data.cards} == set(data.targets)
