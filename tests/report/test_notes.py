"""What a page says beside its numbers: notes, facts, gaps, methods and data sets."""

from pages import page_of
from parts import store_of

NOTES = "How to read this"


def notes(store) -> str:
    return page_of(store).section(NOTES)


def test_notes_mention_only_methods_in_the_report() -> None:
    text = notes(store_of({("yacht", "srt"): [0.99, 0.99]}))
    for words in ("ORRT", "forest", "_best5", "literal", "own clock", "A curve is"):
        assert words not in text
    assert "sample standard deviation" in text
    assert "Their training rows overlap" in text
    assert "i7-9700K" in text
    assert "srt_l2_literal" in notes(store_of({("yacht", "srt_l2_literal"): [0.9]}))


def test_missing_runs_are_listed_by_method_with_the_reason(cells) -> None:
    page, why = page_of(store_of(cells)), "Why, or what would decide"
    row = page.row("srt_l2, beside Table 2", Data_set="housing")
    assert row[why].endswith("; 1 timeout: over the limit of 10 s")
    assert (
        page.column("random_forest_r, beside Table G.9", why)[:2]
        == ["2 skipped: Rscript is not installed"] * 2
    )
    other = page.row("orrt_trained, beside Table 2", Data_set="housing")[why]
    assert other.startswith("it is trained with mu = 1")
    assert other.endswith("; 2 pending")


def test_the_answer_and_the_introduction_come_first(cells) -> None:
    page = page_of(store_of(cells, table="2"))
    first = page.text.partition("## ")[0]
    assert first.index("**Of 5 printed cells 5 are undecided.**") < first.index("4 folds")
    assert "4 folds × 2 seeds, 20 runs, 11 finished." in first
    assert "9 runs without a result: 4 skipped, 2 pending, 1 " in first
    assert "Measured against Table 2 and G.9 of A. Consolo" in first
    assert {"Setting": "seeds", "Here": "2", "Paper": "20"} in page.rows("Settings")


def test_columns_that_agree_are_counted_by_method() -> None:
    cells = {("yacht", "srt"): [0.985, 0.99], ("housing", "srt"): [0.80, 0.82],
             ("yacht", "srt_l2"): [0.5, 0.5], ("housing", "srt_l2"): [0.5, 0.5]}  # fmt: skip
    page = page_of(store_of(cells))
    # Of srt .9875 and .81 are measured where .990 ± .0049 and .809 ± .083 are printed.
    assert (
        "srt: 2 of 2 cells within one printed sd, mean distance 0.002, average −0.001, sds ×0.351 "
        "the printed ones."
    ) in page.text
    assert "seconds" not in page.section("Agreement with the printed columns")
    assert "srt_l2: 0 of 2 cells within one printed sd" in page.text


def test_the_page_begins_with_the_omissions() -> None:
    cells = {("yacht", "srt"): [0.9, 0.9], ("mine", "srt"): [None], ("yacht", "own"): [None]}
    entries = [{"name": name, "card": name} for name in ("yacht", "mine", "never")]
    text = page_of(store_of(cells, datasets=entries)).text
    assert "2 trials not run, of mine, own." in text
    assert "Not loaded, and so not among these runs: never." in text
    assert "4 runs, 2 finished." in text
    text = page_of(store_of({("yacht", "srt"): [0.9]}, shard="2/3", datasets=entries)).text
    assert "Shard 2/3 of the plan: `boostbench merge`" in text
    assert "Not loaded" not in text
