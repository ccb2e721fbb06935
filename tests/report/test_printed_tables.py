"""The paper's own tables: which are made, and the values beside each printed figure."""

import re

import pytest
from parts import ok, store_of

from boostbench.papers import get_paper
from boostbench.report.document.main_tables import overview
from boostbench.report.document.printed_tables import printed_tables
from boostbench.report.frames.results import collect

SRT = get_paper("srt")


def tables(cells, **experiment):
    return printed_tables(collect(store_of(cells, **experiment)))


@pytest.mark.parametrize("table", ["2", "C.4", "D.5", "D.6", "E.7", "F.8", "G.9"])
def test_every_table_is_made_of_the_runs_of_its_columns(table) -> None:
    columns = [column for column in SRT.columns if column.table == table]
    cells = {
        (name, f"{column.method}@{column.setting[0] or 3}"): [column.cells[name].mean] * 2
        for column in columns
        for name in column.datasets
    }
    made = tables(cells, table=table)[table]
    assert made.title == f"Table {table}: {SRT.captions[table]}"
    shown = [pair for row in made.texts for pair in zip(made.grouped_header, row, strict=True)]
    scores = [text for head, text in shown if head.endswith("R²") and text not in ("", "–")]
    # Each printed mean is beside the measured one, which is the same, averages included.
    assert len(scores) == sum(len(column.cells) for column in columns)
    for text in scores:
        value, printed = re.fullmatch(r"([0-9.]+) [≈?]? ?\(([0-9.]+)\).*", text).groups()
        assert float(value) == pytest.approx(float(printed), abs=4.1e-3)


def test_a_table_is_made_where_all_columns_of_a_depth_are_run() -> None:
    l2, l3 = ("yacht", "srt_l2@2"), ("yacht", "srt_l2@3")
    forest, ort = ("yacht", "random_forest"), ("yacht", "ort_l@3")
    made = {
        (l2,): [],
        (l2, l3): [],
        (l3, forest): ["G.9"],
        (l2, forest): ["G.9"],
        (forest,): [],
        (l3, ort): ["3"],
        (l2, ort): [],
        (("yacht", "ort_l_grid@3"), l3, ort): ["3", "D.6"],
        # Table E.7 has no yacht.
        (("yacht", "ort_lh@3"), ort): [],
    }
    for names, keys in made.items():
        assert list(tables({name: [0.9, 0.91] for name in names})) == keys, names
    # That of the experiment is made of what there is.
    found = tables({l3: [0.9]}, table="D.6")["D.6"]
    assert "Not run here: ort_l, ort_l_grid." in found.legend
    assert not tables({("yacht", "srt_l2@4"): [0.9]}, table="D.6")


def test_averages_leave_out_the_data_sets_of_the_papers() -> None:
    labels = ("srt_l2", "ort_l", "ort_l_grid")
    cells = {
        (name, label): [0.1 if name == "puma32h" else 0.8] * 2
        for name in SRT.datasets
        for label in labels
    }
    results = collect(store_of(cells, table="D.6"))
    made = printed_tables(results)["D.6"]
    assert "the averages leave out puma32h" in made.legend
    (row,) = (texts for texts in made.texts if texts[0] == "Arithmetic mean")
    # The printed averages of Table D.6, over fourteen data sets.
    assert [row[made.grouped_header.index(f"{name}: R²")] for name in labels] == [
        "0.800 (0.859)",
        "0.800 (0.828)",
        "0.800 (0.834)",
    ]
    # In the first table all fifteen are averaged, of the printed rows too, and not for the grid.
    first = overview(results)
    (row,) = (texts for texts in first.texts if texts[0] == "Arithmetic mean")
    assert (row[1], row[3]) == ("0.753 (0.861)", "0.800 (0.834) [14/15]")


def test_improvements_are_in_percent_beside_the_printed_ones() -> None:
    cells = {
        # Printed at D = 3: ORT-L better by 0.9 %, and 48.1 % faster.
        ("yacht", "srt_l2"): [ok(0.9, 1.0)] * 2,
        ("yacht", "ort_l"): [ok(0.6, 4.0)] * 2,
        # SRT-l2 better by 11.1 %, and 90.6 % faster.
        ("housing", "srt_l2"): [ok(0.88, 1.0)] * 2,
        ("housing", "ort_l"): [ok(0.8, 10.0), None],
        ("airfoil", "srt_l2"): [ok(0.5)] * 2,
        ("airfoil", "ort_l"): [ok(-0.5)] * 2,
        ("compactiv", "srt_l2"): [ok(0.98)] * 2,
        ("compactiv", "ort_l"): [ok(0.98)] * 2,
        ("kin8nm", "srt_l2"): [None] * 2,
        ("kin8nm", "ort_l"): [ok(0.6)] * 2,
        ("mine", "srt_l2"): [0.1] * 2,
        ("mine", "ort_l"): [0.2] * 2,
    }
    made = tables(cells)["3"]
    assert made.grouped_header == ["Data set", "D = 3: R²", "D = 3: Time"]
    assert {name: gains for name, *gains in made.texts} == {
        "yacht": ["srt_l2 50.0 (ort_l 0.9)", "srt_l2 75.0 (ort_l 48.1)"],
        "housing": ["srt_l2 10.0 (srt_l2 11.1) [1/2]", "srt_l2 90.0 (srt_l2 90.6) [1/2]"],
        "airfoil": ["– (ort_l 4.3)", "srt_l2 0.0 (ort_l 58.7)"],
        "compactiv": ["srt_l2 0.0", "srt_l2 0.0 (srt_l2 93.4)"],
        "kin8nm": ["– (srt_l2 21.9) [0/2]", "– (srt_l2 94.6) [0/2]"],
    }
    assert "5 of the table's 15 data sets." in made.legend


def test_gains_are_over_common_runs_and_compared_with_nothing_of_another_protocol() -> None:
    cells = {("yacht", "srt_l2"): [0.9, 0.5], ("yacht", "ort_l"): [0.8, None]}
    ((_, gain, _),) = tables(cells, table="3")["3"].texts
    # 0.9 against 0.8; with all runs the gain would be ORT-L's.
    assert gain.startswith("srt_l2 12.5 ")
    ((_, gain, _),) = tables(cells, table="3", scale_features="none")["3"].texts
    assert gain.endswith("[not comparable]")
