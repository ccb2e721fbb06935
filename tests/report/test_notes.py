"""What a page says beside its numbers: notes, facts, gaps, methods and data sets."""

import re

import pytest
from boosting_parts import ok as boosting_ok
from pages import Page, files_of, page_of
from report_parts import ok

NOTES = "How to read this"


def notes(store) -> str:
    return page_of(store).section(NOTES)


def test_both_readings_of_orrt_are_explained(make_store, cells) -> None:
    text = notes(make_store(cells))
    assert "mu = 512" in text
    assert "A claim against ORRT holds for the reading it was measured with." in text


def test_exploded_runs_come_with_their_median(make_store, cells) -> None:
    text = notes(make_store(cells))
    assert "srt on housing, 1 of 2 runs, mean −14.100, median −14.100" in text
    assert "mean without them 0.800" in text
    assert "orrt on yacht, 1 of 2 runs" not in text


def test_the_forest_is_said_to_be_another_one(make_store) -> None:
    text = notes(make_store({("airfoil", "random_forest"): [0.85, 0.85]}))
    assert "R's randomForest" in text


def test_notes_speak_only_of_methods_that_are_there(make_store) -> None:
    text = notes(make_store({("yacht", "srt"): [0.99, 0.99]}))
    for words in ("ORRT", "forest", "_best5", "literal", "own clock", "A curve is"):
        assert words not in text
    assert "sample standard deviation" in text
    assert "The folds overlap in their training rows" in text
    assert "i7-9700K" in text
    assert "srt_l2_literal" in notes(make_store({("yacht", "srt_l2_literal"): [0.9]}))


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("vowel", "1,452 rows"),
        ("isolet_partial", "not results on ISOLET"),
        ("scene15", "119 features"),
        ("usps", ""),
    ],
)
def test_notes_on_data_follow_the_card_and_not_the_label(make, card, words) -> None:
    cells = {("mine", "multiboost_cw"): [boosting_ok([0.5, 0.3])]}
    every = ("1,452 rows", "not results on ISOLET", "119 features")
    text = notes(make(cells, datasets=[{"name": "mine", "card": card}]))
    assert [each for each in every if each in text] == [words] * bool(words)
    labelled = {(card, "multiboost_cw"): [boosting_ok([0.5, 0.3])]}
    text = notes(make(labelled, datasets=[{"name": card, "file": f"{card}.csv"}]))
    assert not [each for each in every if each in text]


def test_multiboost_by_descent_and_equal_optima_are_explained(make) -> None:
    run = [boosting_ok([0.5, 0.3])]
    both = {("vowel", "multiboost_cw"): run, ("vowel", "multiboost"): run}
    text = notes(make(both, {"multiboost": {"solver": "fcd"}}))
    assert "With an equal C" in text
    assert "many times faster" in text
    text = notes(make({("vowel", "multiboost_cw"): run}))
    assert "With an equal C" not in text
    assert "many times faster" not in text
    assert "only in the legends of its figures" in text


def test_gaps_are_listed_by_method_and_reason(make_store, cells) -> None:
    rows = [tuple(r.values()) for r in page_of(make_store(cells)).rows(
        "Cells that are empty or incomplete")]  # fmt: skip
    assert ("srt_l2", "timeout", "over the limit of 10 s", "1", "housing (1/2)") in rows
    assert ("random_forest_r", "skipped", "Rscript is not installed", "4",
            "all 2, none finished") in rows  # fmt: skip
    assert ("orrt_trained", "pending", "not run yet", "2", "housing (0/2)") in rows


def test_a_complete_run_has_no_list_of_gaps(make_store) -> None:
    page = page_of(make_store({("yacht", "srt"): [0.99, 0.98]}))
    assert "Cells that are empty or incomplete" not in page.headings()


def test_facts_come_first(make_store, cells) -> None:
    page = page_of(make_store(cells, table="2"))
    facts = page.facts()
    assert page.text.index("**Runs finished:**") < page.text.index("## ")
    assert facts["Runs finished"] == "11/20 (1 error, 1 killed, 2 pending, 4 skipped, 1 timeout)"
    assert facts["Published cells"] == (
        "equivalent 0, different 0, inconclusive 5 of 8 (by the simple rule 2 within tolerance, "
        "1 above, 2 below; 3 open; of srt, srt_l2, orrt, random_forest_r; not counted: "
        "orrt_trained)"
    )
    assert facts["Protocol"] == (
        "4 folds × 2 seeds (the same folds for every method; scaling fit on the training fold "
        "(features: minmax, target: standard))"
    )
    assert facts["Measured against"].startswith("Tables 2, G.9 (A. Consolo")
    assert facts["Measured against"].endswith("80 runs per cell.)")
    assert facts["Reproduces"].startswith("Table 2 (of A. Consolo")
    assert "Highest mean test R²" not in facts


def test_a_table_with_which_nothing_is_compared_is_not_reproduced(make_store, cells) -> None:
    facts = page_of(make_store(cells, table="C.4")).facts()
    assert "Reproduces" not in facts
    assert facts["Asked for"].startswith("Table C.4, which has nothing of these methods")


def test_verdicts_are_counted_by_method(make_store, cells) -> None:
    row = page_of(make_store(cells)).row("Verdicts by method", Method="orrt")
    assert row == {
        "Method": "orrt", "Measured against": "orrt, Table 2, D = 3", "≈ equivalent": "0",
        "≠ different": "0", "? inconclusive": "1", "✓ within tolerance": "1",
        "▲ above": "0", "▼ below": "0", "Open": "1", "Finished runs": "2/4",
    }  # fmt: skip


def test_what_the_page_leaves_out_is_said_first(make_store) -> None:
    cells = {("yacht", "srt"): [0.9, 0.9], ("mine", "srt"): [None], ("yacht", "own"): [None]}
    entries = [{"name": name, "card": name} for name in ("yacht", "mine", "never")]
    facts = page_of(make_store(cells, datasets=entries)).facts()
    assert facts["Not run"] == "1 data set, 1 method (2 trials) (mine, own)"
    assert facts["Not loaded"] == "never (not among these runs)"
    assert facts["Runs finished"] == "2/4"
    facts = page_of(make_store({("yacht", "srt"): [0.9]}, shard="2/3", datasets=entries)).facts()
    assert facts["Shard"].startswith("2 of 3 (")
    assert "Not loaded" not in facts


@pytest.mark.parametrize(
    ("experiment", "expected"),
    [
        ({"scale_features": "none", "scale_target": "none"}, "nothing is scaled"),
        ({"scale_features": None, "scale_target": None}, "the same folds for all"),
        ({"splits": {"n": 3, "test_size": 0.2}}, "80 % of the rows for training, 20 % for the"),
        ({"splits": {"n": 3, "test_size": 0.2}}, "3 splits × 2 seeds"),
        ({"seeds": [4]}, "4 folds × 1 seed "),
    ],
)
def test_the_protocol_is_told_in_words(make_store, experiment, expected) -> None:
    store = make_store({("yacht", "srt"): [0.9, 0.9]}, **experiment)
    assert expected in page_of(store).facts()["Protocol"]


def test_environments_are_shown_without_folders(make_store, cells) -> None:
    rows = page_of(make_store(cells)).rows("Environment")
    assert rows == [
        {"Property": "cpu", "e1": "a processor"},
        {"Property": "python", "e1": "3.11.2"},
    ]


def test_data_sets_and_methods_are_listed(make_store) -> None:
    store = make_store(
        {("fried", "srt_l2"): [ok(0.9)], ("mine", "srt_l2"): [ok(0.9)]},
        datasets=[{"name": "fried", "card": "friedman1"}, {"name": "mine", "file": "mine.csv"}],
        data_remarks={"mine": ["read as text", "3 rows dropped"]},
    )
    page = page_of(store)
    fried, mine = page.rows("Data sets")
    assert list(fried.values()) == [
        "fried", "Friedman artificial", "308", "40,768", "10", b"fried".hex() + "00", "",
    ]  # fmt: skip
    assert (mine["In the paper"], mine["As read"]) == ("", "read as text; 3 rows dropped")
    (method,) = page.rows("Methods")
    assert method == {
        "Method": "srt_l2", "Estimator": "boostbench.trees:srt_l2, version 2",
        "Parameters": "depth = 3, regularization = l2",
    }  # fmt: skip


def test_a_method_of_ones_own_is_not_said_to_be_compared(make_store) -> None:
    page: Page = page_of(make_store({("yacht", "own"): [0.9, 0.8]}))
    assert page.headings()[1] == "Test R²"
    assert "Measured against" not in page.facts()
    assert "published" not in page.section("Test R²")
    assert "Verdicts by method" not in page.headings()


def test_the_page_has_its_sections_in_order(make_store, cells) -> None:
    page = files_of(make_store(cells), "html")["table.html"].decode()
    assert re.findall(r"<h2>(.*?)</h2>", page) == [
        "Measured beside published", "Agreement with the printed columns",
        "The paper&#39;s claims", "Verdicts by method",
        "Cells that are empty or incomplete", "At a glance",
        "Measured minus published", "Mean test R² by data set", "Comparisons of methods",
        "The paper&#39;s tables",
        "How to read this", "Scores and times",
        "Each method in full", "Data sets and methods", "Where and how it ran",
    ]  # fmt: skip
    assert "Mean test R², measured − published: one panel per method, one row per data" in page
