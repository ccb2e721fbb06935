"""The page of results: its contents, in order, for each of its three kinds."""

import re
from pathlib import Path

import pytest
from parts import OPEN, A, B, boosted, boosting_of, paper_of, results_of, row

from boostbench.papers import Paper
from boostbench.report.document.report import Report
from boostbench.report.frames.results import collect
from boostbench.report.page import cell_cards
from boostbench.report.page.html import render
from boostbench.report.page.page import make_page
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.report.words import cited, names_apart
from boostbench.store.store import Store

TEST = (
    "a test of fold means separates all others from the best (sure), some of them (partly "
    "sure) or none (not sure)."
)
ARCHIVES = Path(__file__).parents[2] / "results"


def opened(name):
    """Return kept results with their claims."""
    with Store.read(ARCHIVES / name / "archive") as store:
        results = collect(store)
    ledger = make_ledger([results])
    return results, ledger.entries if ledger else ()


@pytest.fixture(scope="module")
def fig6():
    return make_page(Report(*opened("fig6_fcd")))


@pytest.fixture
def printed(tmp_path):
    """Return results beside a table: srt is met on d, and far too good on e."""
    paper = paper_of(tmp_path, [row("d", mean=0.801, sd=0.001), row("e", mean=0.2, sd=0.001)])
    flat = [[0.80, 0.80, 0.80], [0.80, 0.80, 0.80], [0.80, 0.80, 0.80], [0.80, 0.80, 0.80]]
    cells = {("d", "srt"): flat, ("e", "srt"): flat, ("d", "orrt"): B, ("e", "orrt"): B}
    return results_of(cells, paper, table="1", folds=4, seeds=3, title="A table")


def blocks(page):
    return {block.kind: block for block in page.blocks}


def test_the_page_of_a_table_begins_with_its_cells(printed):
    page = make_page(Report(printed, ()))
    assert page.answer[0] == "Of 2 printed cells 1 agrees and 1 differs."
    assert page.intro == (
        "Table 1 of Author, measured again: 2 data sets, 4 folds × 3 seeds, 48 runs, all finished."
    )
    assert [block.kind for block in page.blocks] == ["matrix", "differences", "charts"]
    matrix = blocks(page)["matrix"]
    assert matrix.columns == ["SRT"]
    shown = {name: [(c.measured, c.printed, c.verdict) for c in own] for name, own in matrix.rows}
    assert shown == {"d": [("0.800", "0.801", "agrees")], "e": [("0.800", "0.200", "differs")]}


def test_the_agreement_of_columns_is_a_closed_part_in_the_names_of_methods(printed):
    page = make_page(Report(printed, ()))
    assert not any("printed sd" in note for block in page.blocks for note in block.notes)
    (part,) = (part for part in page.closed if part.key == "agreement")
    assert list(part.notes) == [
        "SRT: 1 of 2 cells within one printed sd, mean distance 0.300, average +0.300."
    ]
    nothing_printed = make_page(Report(results_of({("d", "srt"): A}), ()))
    assert "agreement" not in [part.key for part in nothing_printed.closed]


def test_cells_that_differ_are_listed_once_with_direction(printed):
    found = blocks(make_page(Report(printed, ())))["differences"]
    assert found.title == "1 cell differs, on e"
    assert [(dataset, method, cell.away) for dataset, method, cell in found.rows] == [
        ("e", "SRT", "+0.600")
    ]


def test_each_cell_has_a_card_that_says_why(printed):
    (part,) = (part for part in make_page(Report(printed, ())).closed if part.kind == "cards")
    cards = {card.name: card for card in part.cards}
    assert set(cards) == {"d, SRT", "d, ORRT", "e, SRT", "e, ORRT"}
    assert "lies inside the margin of ±0.010" in cards["d, SRT"].why
    assert "lies wholly outside the margin" in cards["e, SRT"].why
    assert cards["d, ORRT"].why == "The mean of 12 runs is 0.780. Nothing is printed for it."
    assert dict(cards["d, SRT"].facts)["runs"] == "12 of 12"
    assert cards["d, SRT"].command == "boostbench show d/srt"
    assert cell_cards.card_key("wine", "red_srt") != cell_cards.card_key("wine_red", "srt")
    (card,) = cell_cards.cards(
        collect(boosting_of({("vowel", "m"): [boosted([0.1]), boosted([0.5])]}))
    )
    assert dict(card.facts)["95 % interval, %"] == "[0.00, 100.00]"


@pytest.mark.parametrize(
    ("other", "sure", "behind"),
    [(B, "not sure", "0.025"), ([[score - 0.2 for score in fold] for fold in A], "sure", "0.200")],
)
def test_a_first_run_begins_with_who_won_and_how_sure_that_is(other, sure, behind):
    page = make_page(Report(results_of({("d", "a"): A, ("d", "b"): other}), ()))
    assert page.answer == ["a is best on d, R² 0.805.", f"That is {sure} on d: {TEST}"]
    assert [block.kind for block in page.blocks] == ["charts", "tables", "steps"]
    assert not page.stacks
    (table,) = blocks(page)["tables"].tables
    rows = [[item.text for item in items[1:]] for items in table.rows]
    # Of two methods nothing is adjusted.
    assert table.header == ["method", "mean R²", "behind the best", "p"]
    assert rows[0] == ["0.805", "best", ""]
    assert rows[1][1] == behind
    assert (float(rows[1][2]) < 0.05) == (sure == "sure")


def test_an_interval_that_is_not_adjusted_does_not_decide():
    """Of five comparisons one has an interval above 0 by itself, and an adjusted p above 5 %."""
    page = make_page(Report(results_of(OPEN), ()))
    assert page.answer[1] == f"That is not sure on set: {TEST}"
    (table,) = blocks(page)["tables"].tables
    away, p = table.header.index("behind the best"), table.header.index("p, adjusted over methods")
    rows = {row[0].text: (row[away].note, row[p].text) for row in table.rows}
    assert not rows["a"][0].startswith(("[−", "[0.000"))
    assert float(rows["a"][1]) > 0.05
    assert all(note.startswith("[−") for name, (note, _) in rows.items() if name in "bcde")
    assert page.answer[2] == (
        "By itself the 95 % interval of the difference excludes 0 for a on set (the adjusted p is "
        f"{rows['a'][1]}, of 5 comparisons), but not after Holm's correction for all that are "
        "compared with the best: the adjusted p decides."
    )
    # Of two methods, the interval and the p say the same.
    two = make_page(
        Report(results_of({key: OPEN[key] for key in [("set", "best"), ("set", "a")]}), ())
    )
    assert two.answer[1:] == [f"That is sure on set: {TEST}"]


def test_unfinished_runs_come_first_without_conclusions():
    half = [[0.8, None], [None, None], [0.7, 0.7], [0.7, 0.7]]
    none = [[None, None]] * 4
    page = make_page(Report(results_of({("d", "a"): half, ("d", "b"): none}), ()))
    assert page.warnings == ["11 runs without a result: 11 timeout."]
    assert page.answer[0] == "a has a mean test R² of 0.720 on d."
    assert "Nothing is compared" in page.answer[1]
    apart = make_page(
        Report(results_of({("d", "a"): half, ("d", "b"): [[None, 0.7], *none[1:]]}), ())
    )
    assert apart.answer[0].startswith("No method is the best: on each data set two of them have")
    assert make_page(Report(results_of({("d", "a"): none}), ())).answer == [
        "No run has finished yet."
    ]
    assert "a has a mean test R² of 0.500" in render(
        make_page(Report(results_of({("d", "a"): [[0.5]]}), ()))
    )


def test_the_page_of_a_figure_has_its_curves_by_iterations_and_by_each_clock(fig6):
    first = fig6.blocks[0]
    axes = ["iterations", "training seconds", "solver seconds"]
    assert (first.curve, list(first.groups)) == ("objective", axes)
    assert re.fullmatch(
        r"FCD-2 comes within 1 % of the lowest objective \d+ to \d+ times sooner than LBFGS-B",
        first.title,
    )
    assert fig6.answer[0].startswith("Of 4 claims judged 4 are reproduced.")
    assert "scores" in [part.key for part in fig6.closed]


def test_curves_are_drawn_with_few_points_and_end_at_the_axis(fig6):
    for panels in fig6.blocks[0].groups.values():
        for panel in panels:
            assert len(panel.traces) == 6
            drawn = [trace.inside(panel.low, panel.high, True) for trace in panel.traces]
            assert all(len(x) <= 90 and min(y) >= panel.low == 0.1 for x, y in drawn)


def test_claims_are_grouped_by_verdict_with_names_of_methods(fig6):
    (group,) = blocks(fig6)["claims"].groups
    assert (group.title, len(group.claims)) == ("Reproduced", 4)
    assert "FCD-1" in group.claims[0].meta
    assert not any("fcd_" in claim.meta for claim in group.claims)


def test_every_link_leads_somewhere_and_nothing_is_loaded(printed):
    html = render(make_page(Report(printed, ())))
    places = re.findall(r'\bid="([^"]+)"', html)
    assert len(places) == len(set(places))
    assert set(re.findall(r'(?:href="#|data-card=")([^"]+)"', html)) <= set(places)
    assert not re.findall(r'(?:src|href)="(?!#|data:|https://(?:doi|arxiv)\.org/)', html)


def test_marks_have_titles_and_colours_are_those_of_the_page(printed):
    html = render(make_page(Report(printed, ())))
    figures = re.findall(r'<svg class="(?:fig|mini|bar|strip).*?</svg>', html, flags=re.S)
    assert figures
    assert not [svg for svg in figures if "<title>" not in svg and 'aria-hidden="true"' not in svg]
    assert not [svg for svg in figures if re.search(r"(?:fill|stroke): #", svg)]


def test_a_method_has_one_name_everywhere():
    results, _ = opened("quickstart")
    assert list(results.names.values()) == [
        "SRT",
        "SRT-ℓ₂",
        "SRT-ℓ₂ (best of 5)",
        "ORRT (trained)",
        "Random forest (n_estimators = 20)",
    ]
    report = Report(results, ())
    report.sections = []
    html = render(make_page(report))
    assert "srt_l2_best5" not in re.sub(r'<code>.*?</code>|(id|href|data-card)="[^"]*"', "", html)


def test_methods_and_data_sets_have_printed_names_and_never_keys():
    results, _ = opened("fig5_gtsrb")
    assert results.names["lbfgsb_200"] == "MultiBoost (L-BFGS-B, 200 iterations)"
    assert results.dataset_names == {"gtsrb_images": "GTSRB (32 x 32 copies)"}
    results, _ = opened("fig4_scenes")
    assert [*results.dataset_names.values()] == ["SCENE15", "SCENE15 (GIST, PHOG, LBP)"]


def test_names_that_are_the_same_are_told_apart_by_their_labels():
    names = {"vowel": "Vowel", "vowel_doubled": "Vowel", "mine": "My data"}
    assert names_apart(names) == {
        "vowel": "vowel",
        "vowel_doubled": "vowel_doubled",
        "mine": "My data",
    }


def test_a_paper_is_cited_by_names_and_year():
    paper = Paper("", "G. Lin, A. van den Hengel", journal="11th Conference, 2012")
    assert cited(paper) == "Lin and van den Hengel (2012)"
