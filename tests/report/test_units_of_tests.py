"""What tests assume: groups are their units, and windows that overlap decide nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from parts import Memory, ok, store_of

from boostbench.plan.trial import Trial
from boostbench.report.build import build_report
from boostbench.report.document.answer import answer
from boostbench.report.frames.cells import half_width
from boostbench.report.frames.pairs import caveats_of
from boostbench.report.frames.results import ReportData, collect
from boostbench.stats import corrected_ttest

GOOD, BAD = [0.90, 0.91, 0.92, 0.93], [0.5, 0.52, 0.51, 0.54]
DIFFERENCES = [a - b for a, b in zip(GOOD, BAD, strict=True)]


def divided(store: Memory, **changed: object) -> Memory:
    """Return a store whose trials have other fields."""
    planned = [Trial.from_dict({**trial.to_dict(), **changed}) for trial in store.planned]
    recorded = {
        new.key: store.recorded[old.key]
        for new, old in zip(planned, store.planned, strict=True)
        if old.key in store.recorded
    }
    return replace(store, planned=planned, recorded=recorded, ids={})


def made(groups: dict[str, int] | None = None, **changed: object) -> Memory:
    cells = {
        ("d", name): [ok(score, **(groups or {})) for score in scores]
        for name, scores in (("good", GOOD), ("bad", BAD))
    }
    store = store_of({labels: [[one] for one in own] for labels, own in cells.items()}, paper=None)
    return divided(store, **changed)


def results(groups: dict[str, int] | None = None, **changed: object) -> ReportData:
    return collect(made(groups, **changed))


def said(data: ReportData) -> str:
    return " ".join(answer(data, []))


def test_rows_are_the_units_without_groups() -> None:
    data = results()
    _, test = data.standings.itertuples()
    assert test.p_deciding == pytest.approx(corrected_ttest(DIFFERENCES, 77 / 231).p, rel=1e-12)
    assert "That is sure on d" in said(data)
    assert "group" not in said(data)
    assert caveats_of(data.pairs).sentences == []


def test_groups_are_the_units_where_there_are_some() -> None:
    data = results({"n_train_groups": 3, "n_test_groups": 9})
    _, test = data.standings.itertuples()
    assert test.p_deciding == pytest.approx(corrected_ttest(DIFFERENCES, 3.0).p, rel=1e-12)
    assert test.p_deciding > results().standings.p_deciding[1]
    assert "On d the unit is the group" in said(data)
    # The interval of a mean counts groups too.
    assert half_width(data.of("d", "good")) > half_width(results().of("d", "good"))


@pytest.mark.parametrize("split", ["time", "splitter", "files"])
def test_windows_decide_nothing_and_the_answer_says_why(split: str) -> None:
    data = results(split=split, overlap="windows", rows="a digest")
    _, test = data.standings.itertuples()
    assert test.verdict == "windows"
    assert "That is" not in said(data)
    assert "On d each split trains on the rows of earlier ones" in said(data)
    (pair,) = data.method_pairs
    assert pair.pairs.verdict.iloc[0] == "windows"
    assert half_width(data.of("d", "good")) is None
    assert results().standings.verdict[1] == "better"


def test_splits_on_the_same_test_rows_are_for_these_rows_alone() -> None:
    text = said(results(split="files", overlap="test", rows="a digest"))
    assert "On d several training sets have one test set" in text
    assert "several training sets" not in said(results(split="files", rows="a digest"))


def test_the_page_says_what_its_tests_assume(tmp_path: Path) -> None:
    for store, words in (
        (made(overlap="windows", split="time", rows="r"), "each split trains on the rows of"),
        (made({"n_train_groups": 9, "n_test_groups": 3}), "the unit is the group"),
    ):
        build_report(store, tmp_path, ["html"])
        assert (tmp_path / "table.html").read_text().count(words) >= 2


def test_one_table_counts_once(tmp_path: Path) -> None:
    cells = {(name, "good"): [[0.9], [0.8]] for name in ("d", "again", "other")}
    entries = [{"name": "d", "file": "t.csv"}, {"name": "again", "file": "t.csv"}]
    entries.append({"name": "other", "file": "u.csv"})
    store = store_of(cells, paper=None, datasets=entries)
    assert [data.label for data in collect(store).counted] == ["d", "other"]
    build_report(store, tmp_path, ["md"])
    words = "again is the same table as d, divided otherwise: only d is averaged and counted."
    assert words in (tmp_path / "table.md").read_text()
    entries[1]["target"] = "another"
    assert len(collect(store_of(cells, paper=None, datasets=entries)).counted) == 3
