"""Averages over data sets: only what all sides of a comparison have."""

from dataclasses import replace
from pathlib import Path

import pytest
from summary_parts import data, method, paper_of, row, summary_of

from boostbench.papers import get_paper
from boostbench.report.averages import Average, average
from boostbench.report.sections import page
from boostbench.report.tables import overview


def rows_of(summary) -> dict[str, dict[str, Average]]:
    return {row.label: dict(row.averages) for row in summary.rows}


def folds(*values):
    return [[value] for value in values]


def test_an_average_is_of_all_or_not_at_all() -> None:
    assert average("arithmetic", [1.0, 3.0]) == 2.0
    assert average("geometric", [1.0, 4.0]) == pytest.approx(2.0)
    assert average("arithmetic", [1.0, None]) is None
    assert average("geometric", [1.0, 0.0]) is None
    assert average("arithmetic", []) is None


def test_methods_on_different_data_sets_have_a_row_of_their_own() -> None:
    summary = summary_of(
        {
            ("easy", "a"): folds(0.9, 0.9), ("easy", "b"): folds(0.8, 0.8),
            ("middle", "a"): folds(0.5, 0.7), ("middle", "b"): folds(0.5, None),
            ("hard", "a"): folds(0.1, 0.1), ("hard", "b"): folds(None, None),
            ("hard", "c"): folds(None, None),
        }
    )  # fmt: skip
    rows = rows_of(summary)
    mean = rows["Arithmetic mean"]
    assert (mean["a"].score, mean["a"].used) == (pytest.approx((0.9 + 0.6 + 0.1) / 3), 3)
    assert (mean["b"].score, mean["b"].used) == (pytest.approx((0.8 + 0.5) / 2), 2)
    common = rows["Arithmetic mean of common runs, 2 data sets"]
    # Of the middle one only the first fold.
    assert common["a"].score == pytest.approx((0.9 + 0.5) / 2)
    assert common["b"].score == pytest.approx((0.8 + 0.5) / 2)
    assert (common["c"].score, common["c"].used) == (None, 0)
    legend = overview(summary).legend
    assert "the runs that all methods have, on easy, middle; only these compare" in legend


def test_a_run_that_a_mean_leaves_out_is_left_out_of_all(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row(d, m, 0.5, out=3) for d in "xy" for m in "ab"])
    cells = {("x", "a"): folds(0.6, -4.0), ("x", "b"): folds(0.5, 0.9),
             ("y", "a"): folds(0.4, 0.4), ("y", "b"): folds(0.3, 0.3)}  # fmt: skip
    rows = rows_of(summary_of(cells, paper))
    mean, common = rows["Arithmetic mean"], rows["Arithmetic mean of common runs, 2 data sets"]
    assert (mean["a"].score, mean["b"].score) == pytest.approx((0.5, 0.5))
    assert (common["a"].score, common["b"].score) == pytest.approx((0.5, 0.4))


def test_what_cannot_be_compared_is_not_averaged_with_what_can(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row(d, "a", 0.5) for d in "xyz"])
    cells = {(d, "a"): folds(v, v) for d, v in (("x", 0.4), ("y", 0.6), ("z", 0.9))}
    other = replace(data("z").rule, folds=10)
    datasets = [data("x"), data("y"), data("z", rule=other)]
    mean = rows_of(summary_of(cells, paper, datasets=datasets))["Arithmetic mean"]["a"]
    assert (mean.score, mean.published, mean.used) == (pytest.approx(0.5), pytest.approx(0.5), 2)
    changed = [method("a", changed={"max_iter": 0})]
    mean = rows_of(summary_of(cells, paper, methods=changed))["Arithmetic mean"]["a"]
    assert (mean.published, mean.difference, mean.used) == (None, None, 3)


def friedmans(*labels: str, finished: bool = True):
    value = 0.9 if finished else None
    cells = {(label, "srt"): folds(0.93, 0.93, 0.94, 0.93) for label in labels}
    cells["yacht", "srt"] = folds(value, value, value, value)
    datasets = [data(label, "friedman") for label in labels]
    return summary_of(cells, get_paper("srt"), datasets=[*datasets, data("yacht")])


@pytest.mark.parametrize("labels", [("friedman",), ("friedman", "friedman1")])
def test_two_data_sets_that_are_one_in_print_count_once(labels) -> None:
    summary = friedmans(*labels)
    mean = rows_of(summary)["Arithmetic mean"]["srt"]
    assert (mean.used, mean.of) == (2, 2)
    assert mean.published == pytest.approx((0.937 + 0.990) / 2)
    facts = {label: value for label, value, _ in page(summary).facts}
    assert facts["Published cells"].endswith("of 2")
    note = "friedman1 is published as the same data as friedman: only the first is averaged"
    assert (note in overview(summary).legend) == (len(labels) == 2)


def test_each_published_cell_counts_once_by_the_reading_that_is_meant() -> None:
    names = ("srt_best5", "srt", "srt_l2_literal", "orrt_trained", "orrt", "random_forest",
             "random_forest_r")  # fmt: skip
    cells = {("yacht", name): folds(0.9, 0.9, 0.91, 0.9) for name in names}
    summary = summary_of(cells, get_paper("srt"))
    meant = {label for (_, label), cell in summary.cells.items() if cell.meant}
    # Of the column of SRT-l2 only another reading is run, and nothing counts.
    assert meant == {"srt", "orrt", "random_forest_r"}
    (fact,) = (fact for fact in page(summary).facts if fact[0] == "Published cells")
    assert fact[1].endswith(" of 3")
    assert "not counted: srt_best5, srt_l2_literal, orrt_trained, random_forest" in fact[2]


def test_the_first_entry_that_is_the_registered_method_counts() -> None:
    methods = [method("short", "srt", {"max_iter": 0}), method("full", "srt"), method("b", "srt")]
    cells = {("yacht", m.label): folds(0.9, 0.9) for m in methods}
    summary = summary_of(cells, get_paper("srt"), methods=methods)
    assert [summary.cell("yacht", m.label).meant for m in methods] == [False, True, False]


def test_nothing_comparable_is_said_with_its_reason() -> None:
    methods = [method("srt", changed={"max_iter": 0})]
    summary = summary_of({("yacht", "srt"): folds(0.9, 0.9)}, get_paper("srt"), methods=methods)
    (fact,) = (fact for fact in page(summary).facts if fact[0] == "Published cells")
    assert fact[1:] == ("none comparable", "max_iter = 0 is not the registered method's")
    assert "Not comparable with the published values: max_iter = 0 is" in overview(summary).legend
