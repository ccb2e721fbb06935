"""The part about own methods: is mine better, than which, how certain, on how many data sets."""

from dataclasses import replace

import pytest
from pages import page_of
from parts import A, B, data, method, results_of, store_of

from boostbench.papers.metrics import RMSE
from boostbench.report.document.report import Report
from boostbench.report.page.html import render
from boostbench.report.page.page import make_page

FAR = [[score - 0.2 for score in fold] for fold in A]
OWN = [{"name": "mine", "estimator": "my.Mine"}]
TITLE = "Is mine better?"
ADJUSTED = "p, adjusted over methods"


def own(label):
    return replace(method(label), registered="", is_own=True)


def page_with(cells, *own_labels, **changes):
    labels = dict.fromkeys(label for _, label in cells)
    methods = [own(label) if label in own_labels else method(label) for label in labels]
    return make_page(Report(results_of(cells, methods=methods, **changes), ()))


def rows(table):
    return [dict(zip(table.header, map(str, row), strict=True)) for row in table.rows]


def test_the_page_begins_with_whether_the_own_method_is_better():
    cells = {("d", "srt"): FAR, ("d", "orrt"): B, ("d", "mine"): A}
    page = page_with(cells, "mine")
    assert page.answer[0] == (
        "mine is better than SRT on d. Whether it is better than ORRT is undecided on d."
    )
    (table,) = page.own.tables
    assert page.own.title == TITLE
    first, second = rows(table)
    assert (first["Against"], first["Verdict"]) == ("srt", "better")
    assert (second["Against"], second["Verdict"]) == ("orrt", "undecided")
    assert first["Better by"].startswith("+0.200 [+0.")
    assert float(first[ADJUSTED]) < 0.05 < float(second[ADJUSTED])
    # What the table says is not said above it again.
    assert not any(one["Better by"] in text for one in (first, second) for text in page.answer)
    text = render(page)
    assert text.index('id="own"') < text.index('id="figure"')


def test_it_may_be_worse_also_where_lower_scores_are_better():
    cells = {("d", "srt"): FAR, ("d", "mine"): A}
    worse = page_with({("d", "srt"): A, ("d", "mine"): FAR}, "mine")
    assert worse.answer[0] == "mine is worse than SRT on d."
    found = results_of(cells, methods=[method("srt"), own("mine")])
    lower = make_page(Report(replace(found, metric=RMSE), ()))
    assert lower.answer[0] == "mine is worse than SRT on d."
    assert rows(lower.own.tables[0])[0]["Better by"].startswith("−0.2")


def test_without_own_methods_or_with_nothing_else_there_is_no_such_part():
    cells = {("d", "srt"): FAR, ("d", "mine"): A}
    for labels in ((), ("srt", "mine")):
        page = page_with(cells, *labels)
        assert page.own is None
        assert " is best on d" in page.answer[0]
        assert 'id="own"' not in render(page)


def test_what_cannot_be_compared_is_said():
    none = [[None, None, None]] * 4
    page = page_with({("d", "srt"): A, ("d", "mine"): none}, "mine")
    assert page.answer[0] == "mine has no finished run, so it is compared with nothing."
    assert page.own is None
    one = page_with({("d", "srt"): [[0.5, 0.6]], ("d", "mine"): [[0.9, 0.9]]}, "mine")
    assert one.answer[0] == "Whether mine is better than SRT is undecided on d."
    (row,) = rows(one.own.tables[0])
    assert (row["Better by"], row["Verdict"]) == ("+0.350", "one split")
    assert "nan" not in " ".join(one.answer)


def test_data_sets_are_counted():
    cells = {
        **{(name, "srt"): FAR for name in "abcde"},
        **{(name, "mine"): A for name in "abc"},
        ("d", "mine"): [[score - 0.4 for score in fold] for fold in A],
        ("e", "mine"): [[score - (0.15, 0.25)[i % 2] for score in f] for i, f in enumerate(A)],
    }
    page = page_with(cells, "mine")
    assert page.answer[0] == "mine is better than SRT on 3 of 5 data sets and worse on 1."
    over, by_dataset = page.own.tables
    (row,) = rows(over)
    assert [row[f"{word} on"] for word in ("Better", "Worse", "Undecided")] == ["3", "1", "1"]
    assert row["Over data sets"] == "undecided"
    assert row["Ratio, sets like these"]
    # The only pair is not adjusted.
    assert row["p"]
    assert len(by_dataset.rows) == 5


def test_a_long_list_is_closed_and_every_pair_of_the_own_method_is_tested():
    names = ["srt", "orrt", "srt_l2", "ort_l", "a", "b", "c"]
    cells = {
        (f"set{n}", name): [[s - 0.001 * n - 0.1 * (name != "mine") for s in fold] for fold in A]
        for n in range(6)
        for name in [*names, "mine"]
    }
    page = page_with(cells, "mine", datasets=[data(f"set{n}") for n in range(6)])
    (over,) = page.own.tables
    assert [row["Against"] for row in rows(over)] == names
    assert all(row["Better on"] == "6" and row["p, adjusted over pairs"] for row in rows(over))
    (closed,) = (part for part in page.closed if part.key == "own-on-datasets")
    assert len(closed.tables[0].rows) == 42
    assert page.answer[0].startswith("mine is better than SRT, ORRT, SRT-ℓ₂, ORT-L, a, b and c on")


@pytest.mark.parametrize("best", ["mine", "orrt"])
def test_a_comparison_with_the_best_has_one_adjusted_p_on_the_page(best):
    scores = {
        "mine": B,
        "orrt": B,
        "srt": [[s - 0.03 * (i % 2) for s in f] for i, f in enumerate(B)],
    }
    page = page_with(
        {("d", name): A if name == best else own for name, own in scores.items()}, "mine"
    )
    (own_table,) = page.own.tables
    (numbers,) = next(block for block in page.blocks if block.key == "numbers").tables
    behind = {row["method"]: row[ADJUSTED] for row in rows(numbers)}
    against = {row["Against"]: row[ADJUSTED] for row in rows(own_table)}
    if best == "mine":
        assert against == {"orrt": behind["ORRT"], "srt": behind["SRT"]}
    else:
        assert against["orrt"] == behind["mine"]
    assert all(against.values())


@pytest.mark.parametrize("table", [None, "2"])
def test_the_paper_comes_after_own_methods(table):
    papers = [(d, m) for d in ("yacht", "housing") for m in ("srt", "srt_l2", "orrt", "ort_l")]
    cells = {**dict.fromkeys(papers, A), ("yacht", "mine"): FAR}
    page = page_of(store_of(cells, methods=OWN, table=table))
    first = "**mine is worse than SRT, SRT-ℓ₂, ORRT and ORT-L on yacht.**"
    assert page.text.index(first) < page.text.index(TITLE)
    assert page.headings().index(TITLE) < page.headings().index("The paper's claims")
    if table:
        assert page.text.index(first) < page.text.index("printed cells")


def test_of_two_own_methods_each_comparison_is_said_once():
    cells = {("d", "srt"): FAR, ("d", "mine"): A, ("d", "yours"): B}
    page = page_with(cells, "mine", "yours")
    assert page.own.title == "Are mine and yours better?"
    found = [(t.key, row["Against"]) for t in page.own.tables for row in rows(t)]
    assert found == [
        ("own-mine-by-data-set", "srt"),
        ("own-mine-by-data-set", "yours"),
        ("own-yours-by-data-set", "srt"),
    ]


def test_tables_with_the_same_legend_have_it_once():
    cells = {("d", "srt"): FAR, ("d", "mine"): A, ("d", "yours"): B}
    legends = [bool(table.legend) for table in page_with(cells, "mine", "yours").own.tables]
    assert legends == [False, True]
    over = {(name, label): own for name in "abcde" for (_, label), own in cells.items()}
    legends = [bool(table.legend) for table in page_with(over, "mine", "yours").own.tables]
    assert legends == [False, False, True, True]
