"""Averages over data sets: only what all sides of a comparison have."""

from dataclasses import replace
from pathlib import Path

import pytest
from parts import data, method, paper_of, results_of, row

from boostbench.report.document.answer import averages
from boostbench.report.document.main_tables import overview
from boostbench.report.document.printed_tables import printed_tables

MEAN, COMMON = "Arithmetic mean", "Arithmetic mean of common runs, 2 data sets"


def folds(*values):
    return [[value] for value in values]


def test_methods_on_different_data_sets_have_a_row_of_their_own() -> None:
    results = results_of(
        {
            ("easy", "a"): folds(0.9, 0.9),
            ("easy", "b"): folds(0.8, 0.8),
            ("middle", "a"): folds(0.5, 0.7),
            ("middle", "b"): folds(0.5, None),
            ("hard", "a"): folds(0.1, 0.1),
            ("hard", "b"): folds(None, None),
            ("hard", "c"): folds(None, None),
        }
    )
    assert list(results.averages) == [
        MEAN,
        "Geometric mean",
        COMMON,
        COMMON.replace("Arithmetic", "Geometric"),
    ]
    rows = {(label, name): results.cell(label, name) for label in (MEAN, COMMON) for name in "abc"}
    found = {key: (row.compared, row.finished) for key, row in rows.items()}
    assert found == {
        (MEAN, "a"): (pytest.approx((0.9 + 0.6 + 0.1) / 3), 3),
        (MEAN, "b"): (pytest.approx((0.8 + 0.5) / 2), 2),
        (MEAN, "c"): (None, 0),
        # Only the first fold of the middle one.
        (COMMON, "a"): (pytest.approx((0.9 + 0.5) / 2), 2),
        (COMMON, "b"): (pytest.approx((0.8 + 0.5) / 2), 2),
        (COMMON, "c"): (None, 0),
    }
    assert {rows[COMMON, name].common for name in "abc"} == {("easy", "middle")}
    legend = overview(results).legend
    assert "the runs that all methods have, on easy, middle; only these compare" in legend


def test_a_run_that_a_mean_leaves_out_is_left_out_of_all(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row(d, m, 0.5, out=3) for d in "xy" for m in "ab"])
    cells = {
        ("x", "a"): folds(0.6, -4.0),
        ("x", "b"): folds(0.5, 0.9),
        ("y", "a"): folds(0.4, 0.4),
        ("y", "b"): folds(0.3, 0.3),
    }
    results = results_of(cells, paper)
    assert [results.cell(MEAN, name).compared for name in "ab"] == pytest.approx([0.5, 0.5])
    assert [results.cell(COMMON, name).compared for name in "ab"] == pytest.approx([0.5, 0.4])


def test_cells_that_do_not_compare_are_averaged_apart(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row(d, "a", 0.5) for d in "xyz"])
    cells = {(d, "a"): folds(v, v) for d, v in (("x", 0.4), ("y", 0.6), ("z", 0.9))}
    other = replace(data("z").rule, folds=10)
    datasets = [data("x"), data("y"), data("z", rule=other)]
    mean = results_of(cells, paper, datasets=datasets).cell(MEAN, "a")
    assert (mean.compared, mean.published, mean.finished) == pytest.approx((0.5, 0.5, 2))
    mean = results_of(cells, paper, methods=[method("a", changed={"max_iter": 0})]).cell(MEAN, "a")
    assert (mean.published, mean.difference, mean.finished) == (None, None, 3)


def printed_beside(tmp_path: Path, mean_of_a: float, mean_of_b: float):
    """Return results on x and y of a paper that prints a on two more data sets."""
    means = {
        "a": {"x": 0.3, "y": 0.4, "z": 0.8, "arithmetic_mean": mean_of_a},
        "b": {"x": 0.31, "y": 0.42, "arithmetic_mean": mean_of_b},
    }
    printed = [row(d, m, value) for m, own in means.items() for d, value in own.items()]
    cells = {(d, m): folds(0.4, 0.6) for d in "xy" for m in "ab"}
    return results_of(cells, paper_of(tmp_path, printed))


def test_a_printed_average_over_other_data_sets_is_not_put_beside_ours(tmp_path: Path) -> None:
    """The mean of a is that of x, y, z and another one, .123; that of b is over x and y."""
    results = printed_beside(tmp_path, 0.406, 0.365)
    beside = [results.cell(MEAN, name).published for name in "ab"]
    assert beside == pytest.approx([0.35, 0.365])
    said = (
        "Printed averages over other data sets than ours, beside which is the average of the "
        "printed means of the same data sets: arithmetic mean of a, 0.406 (over 4 data sets, ours "
        "over 2)."
    )
    assert said in overview(results).legend
    assert all(said in table.legend for table in printed_tables(results).values())
    assert printed_tables(results)
    beside = {name: own.printed for name, own in averages(results).items()}
    assert beside == {"a": "0.350 over the same data sets", "b": "0.365"}


def test_a_printed_average_of_the_same_sets_or_against_its_cells(tmp_path: Path) -> None:
    results = printed_beside(tmp_path, 0.35, 0.385)
    beside = [results.cell(MEAN, name).published for name in "ab"]
    # That of a is over the two that both columns have; that of b is shown as printed.
    assert beside == pytest.approx([0.35, 0.385])
    legend = overview(results).legend
    assert "over other data sets" not in legend
    assert (
        "Printed averages that are not those of their cells (in parentheses): arithmetic mean of "
        "b, 0.385 (0.3650)." in legend
    )


def test_the_arithmetic_mean_of_exploded_runs_counts(tmp_path: Path) -> None:
    cells = {("x", "a"): folds(0.6, -4.0, -1.0), ("y", "a"): folds(0.4, 0.4, -0.1)}
    results = results_of(cells)
    assert results.cell(MEAN, "a").exploded == 1.5
    assert results.cell("Geometric mean", "a").exploded is None
    assert results.cell("Geometric mean", "a").problem == "x is not positive"
