"""One claim in full: its words and bounds, and the two methods compared in plain words."""

import pytest
from report_parts import ok

from boostbench.papers import get_paper
from boostbench.report.claimlines import claim_lines
from boostbench.report.collect import collect
from boostbench.report.ledger import make_ledger
from boostbench.report.summary import summarise


def published(method: str, shift: float = 0.0, like: str = "") -> dict:
    """Return cells whose two runs have the published means of ``method`` (or of ``like``)."""
    column = get_paper("srt").column(like or method, 3)
    return {
        (name, method): [ok(column.cells[name].mean + shift + step) for step in (-0.001, 0.001)]
        for name in column.datasets
    }


def lines_of(store, claim: str) -> list[str]:
    summary = summarise(collect(store))
    (entry,) = [each for each in summary.ledger.entries if each.claim.id == claim]
    return claim_lines(entry, [summary])


def answer(store, claim: str = "S-RR-1") -> str:
    (found,) = [line for line in lines_of(store, claim) if "In words:" in line]
    return found.strip()


def test_the_published_figures_give_the_published_answer(make_store) -> None:
    store = make_store(published("srt_l2") | published("orrt"))
    text = answer(store)
    assert text.startswith(
        "In words: the mean test R² of srt_l2 is 29.3 % higher than that of orrt"
    )
    # The published rows, by their Fieller interval and without the set that carries most of it.
    assert "on data sets like these 12.8 % to 51.0 %" in text
    assert "; without puma32h " in text
    lines = lines_of(store, "S-RR-1")
    assert lines[0].startswith("S-RR-1, section 6.2: “SRT l2 outperforms ORRT")
    assert "  reproduced if: between 20 and 40" in lines
    assert "  contradicted if: <= 0" in lines


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (
            0.0,
            "no difference between srt_l2 and orrt is shown; these data sets do not rule out that",
        ),
        (0.05, "% lower than that of orrt, and on data sets like these"),
    ],
)
def test_no_advantage_is_said_so(make_store, shift, expected) -> None:
    others = published("orrt", shift, like="srt_l2")
    # A difference that varies over data sets around its mean.
    for place, cell in enumerate(others):
        others[cell] = [ok(run.metrics["r2"] + 0.02 * (-1) ** place) for run in others[cell]]
    assert expected in answer(make_store(published("srt_l2") | others))


def test_the_methods_are_compared_on_the_results_that_the_verdict_rests_on(make_store) -> None:
    cells = published("srt_l2") | published("orrt")
    few = {cell: runs for cell, runs in cells.items() if cell[0] == "yacht"}
    summaries = [summarise(collect(make_store(each))) for each in (few, cells)]
    for order in (summaries, summaries[::-1]):
        ledger = make_ledger(order)
        (entry,) = [each for each in ledger.entries if each.claim.id == "S-RR-1"]
        lines = claim_lines(entry, order)
        assert any("srt_l2 against orrt on 15 data sets" in line for line in lines)
        assert not any("on 1 data set" in line for line in lines)
    # Results in which the two have no run in common are no place to compare them.
    apart = {("yacht", "srt_l2"): few["yacht", "srt_l2"], ("housing", "orrt"): [ok(0.5)]}
    other = summarise(collect(make_store(apart)))
    for order in ([other, summaries[1]], [summaries[1], other]):
        (entry,) = [e for e in make_ledger(order).entries if e.claim.id == "S-RR-1"]
        assert any("srt_l2 against orrt on 15 data sets" in x for x in claim_lines(entry, order))


def test_a_claim_on_some_data_sets_or_of_which_nothing_is_measured_compares_nothing(
    make_store,
) -> None:
    store = make_store(published("srt_l2") | published("orrt"))
    for claim in ("S-RR-5", "S-RR-9", "S-OL-1", "S-TH-1"):
        assert not any("In words:" in line for line in lines_of(store, claim))
    assert any("ort_l is not measured" in line for line in lines_of(store, "S-OL-1"))
