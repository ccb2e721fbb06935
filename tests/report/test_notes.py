from boostbench.report.compose import compose
from boostbench.report.frame import load_results
from boostbench.report.page import Page
from boostbench.report.stats import summarise


def page_of(store) -> Page:
    return compose(summarise(load_results(store)), store.environments())


def notes_of(page: Page) -> str:
    return "\n".join(next(s for s in page.sections if s.key == "notes").paragraphs)


def test_both_readings_of_orrt_are_explained_with_what_was_measured(make_store, cells) -> None:
    notes = notes_of(page_of(make_store(cells)))
    assert "mu = 512" in notes
    assert "`orrt_trained` has a higher mean R² than `srt_l2` on 1 of 1 data sets (yacht)." in notes
    assert "0.990, against 0.640 for `orrt`" in notes


def test_exploded_runs_come_with_their_median(make_store, cells) -> None:
    notes = notes_of(page_of(make_store(cells)))
    assert "srt on housing, 1 of 2 runs, mean −14.100, median −14.100" in notes
    assert "mean without them 0.800" in notes
    assert "orrt on yacht, 1 of 2 runs" not in notes


def test_the_forest_is_told_to_be_another_one(make_store) -> None:
    notes = notes_of(page_of(make_store({("airfoil", "random_forest"): [0.85, 0.85]})))
    assert "R's randomForest" in notes
    assert "`random_forest` has 0.850 there, 0.726 is published" in notes


def test_notes_speak_only_of_methods_that_are_there(make_store) -> None:
    notes = notes_of(page_of(make_store({("yacht", "srt"): [0.99, 0.99]})))
    assert "ORRT" not in notes
    assert "forest" not in notes
    assert "sample standard deviation" in notes


def test_gaps_are_listed_by_method_and_reason(make_store, cells) -> None:
    page = page_of(make_store(cells))
    (gaps,) = next(s for s in page.sections if s.key == "gaps").tables
    rows = [[item.text for item in row] for row in gaps.rows]
    assert ["srt_l2", "timeout", "over the limit of 10 s", "1", "housing (1/2)"] in rows
    assert [
        "random_forest_r",
        "skipped",
        "Rscript is not installed",
        "4",
        "all 2, none finished",
    ] in rows
    assert ["orrt_trained", "pending", "not run yet", "2", "housing (0/2)"] in rows


def test_a_complete_run_has_no_list_of_gaps(make_store) -> None:
    page = page_of(make_store({("yacht", "srt"): [0.99, 0.98]}))
    assert "gaps" not in {section.key for section in page.sections}


def test_facts_come_first(make_store, cells) -> None:
    facts = {label: (value, remark) for label, value, remark in page_of(make_store(cells)).facts}
    assert facts["Runs finished"] == (
        "11/20",
        "1 error, 1 killed, 2 pending, 4 skipped, 1 timeout",
    )
    assert facts["Cells reproduced"] == ("2/10", "2 above, 2 below, 4 open")
    assert facts["Protocol"][0] == "1 fold × 2 seeds"
    assert facts["Measured against"][0] == "Tables 2, G.9"


def test_environments_are_shown_without_folders(make_store, cells) -> None:
    page = page_of(make_store(cells))
    (where,) = next(s for s in page.sections if s.key == "where").tables
    assert [[item.text for item in row] for row in where.rows] == [
        ["cpu", "a processor"],
        ["python", "3.11.2"],
    ]


def test_a_method_of_ones_own_is_not_said_to_be_compared(make_store) -> None:
    page = page_of(make_store({("yacht", "own"): [0.9, 0.8]}))
    assert page.sections[0].title == "Test R²"
    assert "Measured against" not in {label for label, _, _ in page.facts}
    assert "published" not in page.sections[0].tables[0].legend
    assert "verdicts" not in {section.key for section in page.sections}
