"""The paper's own tables: which are made, and what stands beside each printed figure."""

import re
from dataclasses import replace

import pytest
from pages import files_of, page_of
from report_parts import EXPERIMENT, trial

from boostbench.errors import ConfigError
from boostbench.papers import get_paper
from boostbench.papers.paper import Paper
from boostbench.report.build import build_report
from boostbench.store.store import Store
from boostbench.store.types import Outcome

SRT = get_paper("srt")
TABLE_2 = "Table 2: SRT, SRT-ℓ₂, ORT-L and ORRT, trees of depth 3"
TABLE_3 = "Table 3: how much better and faster the better of SRT-ℓ₂ and ORT-L is, in percent"
TABLE_D6 = "Table D.6: SRT-ℓ₂, ORT-L and ORT-L with a grid search, trees of depth 3"
TABLE_E7 = "Table E.7: ORT-L and ORT-LH (oblique splits) on three data sets"
TABLE_F8 = "Table F.8: ORRT, the best of its starts (ORRT*), SRT and SRT-ℓ₂ on four data sets"
TABLE_G9 = "Table G.9: SRT-ℓ₂ and random forest"


def run(r2: float, fit_s: float = 1.0, **metrics: float) -> Outcome:
    return Outcome("ok", metrics={"r2": r2, **metrics}, times={"fit_s": fit_s})


def tables(store) -> list[str]:
    """Return the headings of the paper's tables that are in the page."""
    return [re.sub(r"\\(.)", r"\1", h) for h in page_of(store).headings() if h.startswith("Table ")]


@pytest.fixture
def of_methods(tmp_path):
    """Return a function that makes a store of {(data set, label): runs} of registered methods.

    A label such as ``srt_l2@2`` is the method ``srt_l2`` at depth 2; ``folds`` divides the runs.
    ``elsewhere`` are the (data set, label, seed) of runs on another processor.
    """
    made = []

    def make(cells, folds: int = 1, elsewhere=(), **experiment) -> Store:
        store = Store.open(tmp_path / f"store{len(made)}", create=True)
        made.append(store)
        labels = dict.fromkeys(label for _, label in cells)
        names = dict.fromkeys(dataset for dataset, _ in cells)
        planned = []
        for (dataset, label), runs in cells.items():
            seeds = len(runs) // folds
            for i, outcome in enumerate(runs):
                one = trial(dataset, label, i % seeds, int(label.partition("@")[2] or 3))
                planned.append((replace(one, fold=i // seeds), outcome))
        entries = [{"name": label, "method": label.partition("@")[0]} for label in labels]
        experiment.setdefault("datasets", [{"name": name, "card": name} for name in names])
        store.set_plan(
            {**EXPERIMENT, "methods": entries, **experiment},
            [one for one, _ in planned],
        )
        store.add_environment("e1", {"cpu": "Old 1"})
        store.add_environment("e2", {"cpu": "New 2"})
        for one, outcome in planned:
            if outcome is not None:
                where = "e2" if (one.dataset, one.method, one.seed) in elsewhere else "e1"
                store.record(one, outcome if isinstance(outcome, Outcome) else run(outcome), where)
        return store

    yield make
    for store in made:
        store.close()


def published_cells(table: str) -> dict[tuple[str, str], list[Outcome]]:
    """Return cells whose two runs have exactly what a table prints."""
    cells = {}
    for column in SRT.columns:
        if column.table != table:
            continue
        for name in column.datasets:
            cell = column.cells[name]
            half = (cell.sd or 0.0) / 2**0.5
            label = f"{column.method}@{column.depth or 3}"
            cells[name, label] = [
                run(cell.mean + sign * half, cell.time_s or 1.0) for sign in (-1, 1)
            ]
    return cells


@pytest.mark.parametrize("table", ["2", "C.4", "D.5", "D.6", "E.7", "F.8", "G.9"])
def test_every_table_is_made_of_the_runs_of_its_columns(of_methods, table) -> None:
    cells = published_cells(table)
    store = of_methods(cells, table=table)
    page = page_of(store)
    title = f"Table {table}: {SRT.captions[table]}"
    found = [h for h in page.headings() if h.replace("\\", "").startswith(title)]
    assert len(found) == (2 if table == "F.8" else 1)
    shown = [item for h in found for row in page.rows(h) for item in row.items()]
    columns = [c for c in SRT.columns if c.table == table]
    scores = [t for head, t in shown if head.endswith("R²") and t and "best of" not in head]
    # Each printed mean stands beside the one measured, which is the same, averages included.
    assert len(scores) == sum(len(column.cells) for column in columns)
    for text in scores:
        value, published = re.fullmatch(r"([0-9.]+) ✓[≈?]? \(([0-9.]+)\).*", text).groups()
        assert float(value) == pytest.approx(float(published), abs=4.1e-3)
    assert page.facts()["Reproduces"].startswith(f"Table {table} ")


def test_sds_times_and_counts_are_shown_where_the_paper_prints_them(of_methods) -> None:
    cells = {
        ("yacht", "srt"): [run(0.98, 2.0), run(1.0, 4.0)],
        ("yacht", "srt_l2"): [0.983, 0.983],
        ("yacht", "ort_l"): [0.992, 0.992],
        ("yacht", "orrt"): [run(0.645), run(-2.0)],
        ("yacht", "random_forest"): [0.925, 0.925],
    }
    page = page_of(of_methods(cells, table="2"))
    row = page.row(TABLE_2, Data_set="yacht")
    assert row["srt: R²"] == "0.990 ✓? (0.990)"
    assert row["srt: sd"] == "0.0141 (0.0049)"
    assert row["srt: Time, s"] == "3.00 (5.10)"
    assert row["srt: R² < 0"] == "0 (0)"
    assert row["orrt: R²"] == "0.645 ✓? (0.645) [1 R² < 0 out]"
    assert row["orrt: R² < 0"] == "1 (21)"
    forest = page.row(TABLE_G9, Data_set="yacht")
    assert set(forest) == {
        "Data set", "srt_l2, D=3: R²", "srt_l2, D=3: sd", "random_forest: R²",
        "random_forest: sd",
    }  # fmt: skip
    # Table 2 has fifteen data sets, of which there is one here: no averages.
    assert "1 of the table's 15 data sets." in page.section(TABLE_2)
    assert len(page.rows(TABLE_2)) == 1


def test_a_table_is_made_where_all_columns_of_a_depth_are_run(of_methods) -> None:
    l2, l3 = ("yacht", "srt_l2@2"), ("yacht", "srt_l2@3")
    forest, ort = ("yacht", "random_forest"), ("yacht", "ort_l@3")
    runs = [0.9, 0.91]
    made = {
        (l2,): [],
        (l2, l3): [],
        (l3, forest): [TABLE_G9],
        (l2, forest): [TABLE_G9],
        (forest,): [],
        (l3, ort): [TABLE_3],
        (l2, ort): [],
        (("yacht", "ort_l_grid@3"), l3, ort): [TABLE_3, TABLE_D6],
        # Table E.7 has no yacht.
        (("yacht", "ort_lh@3"), ort): [],
    }
    for names, titles in made.items():
        assert tables(of_methods(dict.fromkeys(names, runs))) == titles, names
    # That of the experiment is made of what there is.
    page = page_of(of_methods({l3: runs}, table="D.6"))
    assert "Not run here: ort_l, ort_l_grid." in page.section(TABLE_D6)
    assert tables(of_methods({("yacht", "srt_l2@4"): runs}, table="D.6")) == []


def test_a_method_of_the_columns_own_name_comes_before_other_readings(of_methods) -> None:
    runs = [0.9, 0.9]
    cells = {
        ("yacht", "srt_l2_best5"): runs, ("yacht", "srt_l2"): [0.8, 0.8],
        ("yacht", "random_forest_r"): runs, ("yacht", "random_forest"): runs,
    }  # fmt: skip
    page = page_of(of_methods(cells, table="2"))
    assert [name for name in page.rows(TABLE_G9)[0] if name.endswith("R²")] == [
        "srt_l2, D=3: R²", "srt_l2_best5, D=3: R²", "random_forest: R²",
        "random_forest_r: R²",
    ]  # fmt: skip
    # What is too wide has one method for each printed column.
    for name in ("srt_l2_literal", "srt_best5", "srt"):
        cells["yacht", name] = runs
    header = list(page_of(of_methods(cells, table="2")).rows(TABLE_2)[0])
    assert [name for name in header if name.endswith("R²")] == ["srt: R²", "srt_l2: R²"]


def test_cells_without_a_run_partial_ones_and_unknown_sets(of_methods) -> None:
    cells = {
        ("yacht", "srt_l2"): [0.98, None],
        ("yacht", "random_forest"): [Outcome("timeout", "over the limit of 10 s"), None],
        ("housing", "srt_l2"): [0.872, 0.872],
        ("housing", "random_forest"): [0.878, 0.878],
        ("mine", "srt_l2"): [0.5, 0.5],
    }
    page = page_of(of_methods(cells, table="G.9"))
    rows = page.rows(TABLE_G9)
    assert [row["Data set"] for row in rows] == [
        "yacht", "housing", "Arithmetic mean", "Geometric mean",
    ]  # fmt: skip
    yacht, housing, mean, _ = rows
    assert yacht["srt_l2, D=3: R²"] == "0.980 ✓? (0.983) [1/2]"
    assert yacht["srt_l2, D=3: sd"] == "(0.0048)"
    assert yacht["random_forest: R²"] == "– (0.925) [1 pending, 1 timeout]"
    assert housing["random_forest: R²"] == "0.878 ✓? (0.878)"
    # Of the published rows only those are averaged that have a measured one beside them.
    assert mean["random_forest: R²"] == "0.878 ✓ (0.878) [1/2]"
    assert mean["srt_l2, D=3: R²"] == "0.926 ✓ (0.927)"


def test_averages_leave_out_what_the_papers_leave_out(of_methods) -> None:
    cells = {
        (name, label): [0.8, 0.8]
        for name in SRT.datasets
        for label in ("srt_l2", "ort_l", "ort_l_grid")
    } | {("puma32h", label): [0.1, 0.1] for label in ("srt_l2", "ort_l", "ort_l_grid")}
    page = page_of(of_methods(cells, table="D.6"))
    assert "the averages leave out puma32h" in page.section(TABLE_D6)
    row = page.row(TABLE_D6, Data_set="Arithmetic mean")
    # The printed averages of Table D.6, over fourteen data sets.
    assert [row[f"{name}: R²"] for name in ("srt_l2", "ort_l", "ort_l_grid")] == [
        "0.800 ▼ (0.859)", "0.800 ▼ (0.828)", "0.800 ▼ (0.834)",
    ]  # fmt: skip
    # In the first table all fifteen are averaged, of the printed rows too, and not for the grid.
    first = page.row("Measured beside published", Data_set="Arithmetic mean")
    assert first["srt_l2"] == "0.753 ▼ (0.861)"
    assert first["ort_l_grid"] == "0.800 ▼ (0.834) [14/15]"


# Two folds of three starts: (R2, training objective).
STARTS = [
    run(0.50, objective=0.4), run(0.60, objective=0.3), run(0.70, objective=0.35),
    run(0.30, objective=0.5), run(0.40, objective=0.6), run(0.20, objective=0.5),
]  # fmt: skip
BY_OBJECTIVE = "orrt, best of 3 seeds by objective, D=3: "
BY_TEST = "orrt, best of 3 seeds by test R², D=3: "


@pytest.mark.parametrize(
    ("runs", "objective", "test"),
    [
        # .60 and the first of the two of equal objective, .30; .70 and .40.
        (STARTS, "0.450 ▼ (0.603)", "0.550 ▼ (0.603)"),
        ([*STARTS[:3], None, None, None], "0.600 ✓ (0.603) [3/6]", "0.700 ▲ (0.603) [3/6]"),
        ([*STARTS[:4], None, None], "0.450 ▼ (0.603) [4/6]", "0.500 ▼ (0.603) [4/6]"),
        ([run(0.5)] * 6, "– (0.603)", "0.500 ▼ (0.603)"),
        ([Outcome("killed", "")] * 6, "– (0.603) [6 killed]", "– (0.603) [6 killed]"),
    ],
)
def test_the_best_of_the_starts_comes_from_the_recorded_seeds(
    of_methods, runs, objective, test
) -> None:
    cells = {("airfoil", "orrt"): runs, ("airfoil", "srt"): STARTS, ("airfoil", "srt_l2"): STARTS}
    page = page_of(of_methods(cells, folds=2))
    row = page.row(TABLE_F8.replace("*", r"\*"), Data_set="airfoil")
    assert row[BY_OBJECTIVE + "R²"] == objective
    assert row[BY_TEST + "R²"] == test
    if runs is STARTS:
        assert row[BY_OBJECTIVE + "sd"] == "0.2121 (0.0195)"
    assert "looks at the test rows" in page.section(TABLE_F8.replace("*", r"\*"))


def test_one_seed_has_no_best(of_methods) -> None:
    cells = {("airfoil", name): [0.5, 0.6] for name in ("orrt", "srt", "srt_l2")}
    assert tables(of_methods(cells, folds=2)) == []
    cells["airfoil", "orrt_best"] = [0.6, 0.61]
    page = page_of(of_methods(cells, folds=2))
    (row,) = page.rows(TABLE_F8.replace("*", r"\*"))
    assert row["orrt_best, D=3: R²"] == "0.605 ✓? (0.603)"
    assert not any("best of" in name for name in row)


def test_runs_that_exploded_are_left_out_as_in_the_table_that_counts_them(of_methods) -> None:
    # Table 2 counts twenty runs of ORRT on airfoil with R2 < 0, Table F.8 has the same mean.
    cells = {("airfoil", name): [0.513, -4.0] for name in ("orrt", "orrt_best", "srt", "srt_l2")}
    page = page_of(of_methods(cells, table="F.8"))
    first = page.row("Measured beside published", Data_set="airfoil")
    assert first["orrt"] == "0.513 ✓? (0.513) [1 R² < 0 out]"
    assert first["orrt_best"].startswith("−1.744 ▼? (0.603)")


def test_improvements_are_in_percent_beside_the_printed_ones(of_methods) -> None:
    cells = {
        # Printed at D = 3: ORT-L better by 0.9 %, and 48.1 % faster.
        ("yacht", "srt_l2"): [run(0.9, 1.0)] * 2,
        ("yacht", "ort_l"): [run(0.6, 4.0)] * 2,
        # SRT-l2 better by 11.1 %, and 90.6 % faster.
        ("housing", "srt_l2"): [run(0.88, 1.0)] * 2,
        ("housing", "ort_l"): [run(0.8, 10.0), None],
        ("airfoil", "srt_l2"): [run(0.5)] * 2,
        ("airfoil", "ort_l"): [run(-0.5)] * 2,
        ("compactiv", "srt_l2"): [run(0.98)] * 2,
        ("compactiv", "ort_l"): [run(0.98)] * 2,
        ("kin8nm", "srt_l2"): [None] * 2,
        ("kin8nm", "ort_l"): [run(0.6)] * 2,
        ("mine", "srt_l2"): [0.1] * 2,
        ("mine", "ort_l"): [0.2] * 2,
    }
    page = page_of(of_methods(cells))
    found = page.rows(TABLE_3)
    assert list(found[0]) == [
        "Data set", "R², D=3: srt_l2", "R², D=3: ort_l",
        "Time, D=3: srt_l2", "Time, D=3: ort_l",
    ]  # fmt: skip
    assert {row.pop("Data set"): list(row.values()) for row in found} == {
        "yacht": ["50.0 ✗", "(0.9)", "75.0 ✗", "(48.1)"],
        "housing": ["10.0 ✓ (11.1) [not all runs]", "", "90.0 ✓ (90.6) [not all runs]", ""],
        "airfoil": ["–", "– (4.3)", "0.0", "0.0 (58.7)"],
        "compactiv": ["0.0", "0.0", "0.0 (93.4)", "0.0"],
        "kin8nm": [f"{t} [not all runs]" for t in ("– (21.9)", "–", "– (94.6)", "–")],
    }
    assert "10 data sets of the table not run here" in page.section(TABLE_3)
    assert page_of(of_methods(cells, table="3")).facts()["Reproduces"].startswith("Table 3 ")


def test_gains_in_time_are_of_runs_on_one_processor(of_methods) -> None:
    cells = {
        ("yacht", "srt_l2"): [run(0.9, 1.0), run(0.9, 1.0)],
        ("yacht", "ort_l"): [run(0.6, 4.0), run(0.6, 1000.0)],
        ("housing", "srt_l2"): [run(0.88, 1.0)] * 2,
        ("housing", "ort_l"): [run(0.8, 10.0)] * 2,
    }
    elsewhere = {("yacht", "ort_l", 1), ("housing", "ort_l", 0), ("housing", "ort_l", 1)}
    page = page_of(of_methods(cells, elsewhere=elsewhere))
    yacht, housing = ([*row.values()][1:] for row in page.rows(TABLE_3))
    assert yacht[:2] == ["50.0 ✗", "(0.9)"]
    assert yacht[2] == "75.0 ✗ [only runs on the same processor]"
    assert housing[:1] == ["10.0 ✓ (11.1)"]
    assert housing[2] == "– (90.6) [different processors]"


def test_all_formats_have_the_same_tables(of_methods, tmp_path) -> None:
    cells = {("yacht", "srt_l2"): [0.983, 0.985], ("yacht", "ort_l"): [0.7, None]}
    store = of_methods(cells, table="2")
    files = {name: text.decode() for name, text in files_of(store, "md", "html", "latex").items()}
    assert tables(store) == [TABLE_2, TABLE_3]
    html = files["table.html"]
    assert html.count('<h3 id="table-') == 2
    part = html.partition('<h3 id="table-2">')[2].partition("</table>")[0]
    assert 'colspan="4" scope="colgroup" class="opens">srt_l2</th>' in part
    cell = "".join(re.findall(r">([^<]+)<", part.partition('scope="row"')[2]))
    assert "0.984✓?(0.983)" in cell
    assert "0.700▼?(0.992)[1/2]" in cell
    latex = files["table.tex"]
    part = latex.partition(r"\label{tab:small-table-2")[2].partition("% Table 3")[0]
    assert r"\multicolumn{4}{c}{ort\_l}" in part
    assert r"0.984\,$\checkmark$?\,(0.983)" in part
    assert r"0.700\,$\downarrow$?\,(0.992)\,{\scriptsize {[}1/2{]}}" in part
    assert r"\caption{Table 3: how much better" in latex
    (text,) = build_report(store, None, table="2").tables
    assert text.title == TABLE_2
    assert (
        dict(zip(text.header, text.rows[0], strict=True))["ort_l: R²"] == "0.700 ▼? (0.992) [1/2]"
    )
    # The same words, row by row, as in Markdown.
    assert [list(row.values()) for row in page_of(store).rows(TABLE_2)] == text.rows


def test_a_table_that_is_not_filled_cannot_be_shown(of_methods) -> None:
    store = of_methods({("yacht", "srt_l2"): [0.9], ("yacht", "ort_l"): [0.8]})
    assert not build_report(store, None).tables
    for name, message in (
        ("G9", r"do not fill a table 'G9'; those that they fill are 3"),
        ("2", r"do not fill a table '2'.*; those that they fill are 3"),
    ):
        with pytest.raises(ConfigError, match=message):
            build_report(store, None, table=name)
    for store in (
        of_methods({("mine", "x"): [0.9]}, paper=None),
        of_methods({("mine", "srt_l2"): [0.9], ("mine", "ort_l"): [0.8]}),
        of_methods({("yacht", "srt_l2"): [0.9]}),
    ):
        with pytest.raises(ConfigError, match="'2'; they fill none"):
            build_report(store, None, table="2")


def test_a_paper_without_captions_has_its_tables_too(register, of_methods, tmp_path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(
        "table,dataset,depth,method,r2_mean\n7,yacht,3,tree,0.9\n7,housing,3,tree,0.8\n"
    )
    register(own=Paper("own", "T", "A", "J", tables=path, names={"srt": "tree"}, metric="r2"))
    page = page_of(of_methods({("yacht", "srt"): [0.9, 0.91]}, paper="own"))
    assert page.rows("Table 7") == [{"Data set": "yacht", "R²": "0.905 ✓? (0.9)"}]


AGAINST = "The paper against itself"
EACH_OTHER = "Its tables against each other"


def test_the_paper_against_itself_is_shown_for_the_tables_of_the_report(of_methods) -> None:
    runs = [0.9, 0.9]
    grid = {("yacht", name): runs for name in ("srt_l2@2", "ort_l@2", "ort_l_grid@2")}
    page = page_of(of_methods(grid, table="D.5"))
    row = page.row(EACH_OTHER, Where="srt_l2 (D = 2), geometric mean of the score")
    assert (row["Tables"], row["Figures"]) == (
        "D.5",
        "0.837 printed, 0.8332 to 0.8342 from the rows",
    )
    row = page.row(EACH_OTHER, Where="ort_l (D = 2), sd")
    assert row["Figures"] == "auto_mpg: 0.028 and 0.0121; arithmetic mean: 0.0225 and 0.0214"
    assert (row["Tables"], row["Remark"]) == ("C.4, D.5", "all lower in Table D.5")
    assert all("D.5" in tables for tables in page.column(EACH_OTHER, "Tables"))
    assert "in tables that this report does not use" in page.section(AGAINST)
    forest = page_of(of_methods({("yacht", "random_forest"): runs}, table="G.9"))
    assert "“but it is never more than 0.6%”" in forest.column(EACH_OTHER, "Where")[-1]
    assert all("G.9" in tables for tables in forest.column(EACH_OTHER, "Tables"))


def test_a_paper_without_contradictions_or_comparisons_is_not_against_itself(
    register, of_methods, tmp_path
) -> None:
    path = tmp_path / "own.csv"
    path.write_text("table,dataset,depth,method,r2_mean\n7,yacht,3,tree,0.9\n")
    register(own=Paper("own", "T", "A", "J", tables=path, names={"srt": "tree"}))
    cells = {("yacht", "srt"): [0.9, 0.91]}
    assert AGAINST not in page_of(of_methods(cells, paper="own")).headings()
    assert AGAINST in page_of(of_methods(cells)).headings()
    assert AGAINST not in page_of(of_methods({("mine", "srt"): [0.9]})).headings()
    assert AGAINST not in page_of(of_methods(cells, paper=None)).headings()
    path.write_text(
        "table,dataset,depth,method,r2_mean\n7,yacht,3,tree,0.9\n8,yacht,3,tree,0.7\n9,x,3,t,0.7\n"
    )
    register(own=Paper("own", "T", "A", "J", tables=path, names={"srt": "tree"}))
    (row,) = page_of(of_methods(cells, paper="own")).rows(EACH_OTHER)
    assert (row["Tables"], row["Figures"]) == ("7, 8", "yacht: 0.9 and 0.7")


def test_an_sd_that_cannot_be_is_no_tolerance(of_methods) -> None:
    # 0.876 ± 0.394 is printed: a misprint of .0394 that would let any mean pass.
    cells = {("lpga2009", "ort_l_grid"): [0.7, 0.7], ("lpga2009", "ort_l"): [0.81, 0.81]}
    page = page_of(of_methods(cells, table="D.6"))
    assert page.row(TABLE_D6, Data_set="lpga2009")["ort_l_grid: R²"] == "0.700 ▼? (0.876)"
    first = page.row("Measured beside published", Data_set="lpga2009")
    assert (first["ort_l_grid"], first["ort_l"]) == ("0.700 ▼? (0.876)", "0.810 ✓? (0.844)")
    row = page.row("ort_l_grid, beside Table D.6", Data_set="lpga2009")
    assert (row["Published: sd"], row["Tolerance"]) == ("0.3940", "0.0100")
    assert "not taken as a tolerance" in page.section(EACH_OTHER)


def test_each_table_is_judged_by_its_own_sd(register, of_methods, tmp_path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(
        "table,dataset,depth,method,r2_mean,r2_sd\n"
        "1,yacht,3,tree,0.9,0.05\n2,yacht,3,tree,0.9,0.02\n3,yacht,3,tree,0.9,0.41\n"
    )
    register(own=Paper("own", "T", "A", "J", tables=path, names={"srt": "tree"}, runs=80))
    page = page_of(of_methods({("yacht", "srt"): [0.86, 0.86]}, paper="own", table="1"))
    shown = [page.rows(f"Table {name}")[0]["R²"] for name in "123"]
    assert shown == ["0.860 ✓? (0.9)", "0.860 ▼? (0.9)", "0.860 ▼? (0.9)"]


def test_gains_are_over_common_runs_and_compared_with_nothing_of_another_protocol(
    of_methods,
) -> None:
    cells = {("yacht", "srt_l2"): [0.9, 0.5], ("yacht", "ort_l"): [0.8, None]}
    row = page_of(of_methods(cells, table="3")).row(TABLE_3, Data_set="yacht")
    # 0.9 against 0.8; with all runs the gain would be ORT-L's.
    assert row["R², D=3: srt_l2"].startswith("12.5 ")
    other = page_of(of_methods(cells, table="3", scale_features="none"))
    row = other.row(TABLE_3, Data_set="yacht")
    assert row["R², D=3: srt_l2"].endswith("[not comparable]")
    assert not set("✓✗") & set("".join(row.values()))
