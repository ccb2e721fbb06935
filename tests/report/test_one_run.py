"""Means, verdicts and conclusions that one run decides: said with its place, and only then."""

from dataclasses import replace

import numpy as np
import pytest
from pages import page_of
from parts import method, results_of, store_of

from boostbench.report.document.answer import answer
from boostbench.report.document.main_tables import agreement_lines, overview
from boostbench.report.document.report import Report
from boostbench.report.frames.results import collect
from boostbench.report.page.cell_cards import cards
from boostbench.report.page.page import make_page


def runs(mean=0.8, sd=0.01, seeds=4, seed=0, **outliers):
    """Return scores of 4 folds; an outlier is that of a run, as in ``f2s1=-8.0``."""
    scores = mean + np.random.default_rng(seed).normal(0, sd, (4, seeds))
    for place, score in outliers.items():
        scores[int(place[1]), int(place[3])] = score
    return scores.tolist()


def test_a_mean_that_one_run_moves_says_so_everywhere() -> None:
    cells = {("yacht", "srt"): runs(f2s1=-8.0), ("housing", "srt"): runs(seed=1)}
    page = page_of(store_of({**cells, ("yacht", "orrt"): runs(seed=2)}, table="2"))
    (yacht, housing, average, *_) = page.rows("Measured beside printed")
    assert yacht["srt"].endswith("[1 R² < 0, 0.798 ≠ without 0/2/1]")
    assert average["srt"].endswith("[0.800 without yacht 0/2/1]")
    assert "without" not in housing["srt"] + yacht["orrt"]
    assert "\\[x without s/f/r\\]: the mean, with the sign of a verdict" in page.text
    said = (
        "Means that one run decides: without split seed 0, fold 2, seed 1 (−8.000) SRT has 0.798 "
        "in place of 0.248 on yacht, 0.800 in place of 0.525 in the arithmetic mean"
    )
    assert said in page.text
    assert "Without yacht 0/2/1: 1 of 2 cells within one printed sd" in page.text


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param(runs(sd=0.03), id="no run is far from the others"),
        pytest.param(runs(seeds=3, f2s1=-8.0), id="each of few runs moves the mean"),
        pytest.param([[None] * 4] * 4, id="no run has finished"),
    ],
)
def test_other_means_say_nothing(scores) -> None:
    text = page_of(store_of({("yacht", "srt"): scores, ("housing", "srt"): scores})).text
    assert "one run" not in text
    assert "without s/f/r" not in text


def test_a_verdict_that_one_run_decides_is_said_with_the_other_one() -> None:
    # The printed mean is 0.990: without the run all lie nearer to it than the margin.
    scores = runs(0.990, 0.001, f3s0=0.900)
    results = collect(store_of({("yacht", "srt"): scores}, table="2"))
    (cell,) = results.only_cells
    left = cell.by_one_run
    assert (cell.verdict, left.cell.verdict, left.moves) == ("undecided", "agrees", False)
    assert overview(results).texts[0][1].endswith("[0.990 ≈ without 0/3/0]")
    (card,) = cards(results)
    said = "Without the run of split seed 0, fold 3, seed 0 (0.900) the mean is 0.990, agrees."
    assert card.why.endswith(said)
    said = "Without one run each, 1 of the verdicts on cells would be another."
    assert said in answer(results, ())
    (line,) = agreement_lines(results, results.names)
    assert "Without" not in line


@pytest.mark.parametrize(("away", "is_said"), [(0.40, True), (0.20, False)])
def test_an_average_has_a_margin_of_its_own(away: float, is_said: bool) -> None:
    # A run moves the mean of its 16 by a fifteenth of its distance from the others, at which the
    # margin is 0.01, and that of four data sets by a quarter of this, at which it is 0.005.
    names = ("yacht", "housing", "airfoil", "kin8nm")
    cells = {(name, "mine"): runs(sd=0.0005, seed=n) for n, name in enumerate(names)}
    cells["kin8nm", "mine"] = runs(sd=0.0005, f0s0=0.8 - away)
    results = results_of(cells)
    average = next(cell for cell in results.cells if cell.average == "arithmetic")
    moved = average.without.cell.compared - average.compared
    assert (moved > 0.005) == is_said
    assert (average.by_one_run is not None) == is_said
    assert ("without kin8nm 0/0/0" in " ".join(overview(results).texts[4])) == is_said


def test_an_average_that_is_near_print_only_without_a_run() -> None:
    # Printed are 0.990 and 0.809: the average is 0.0105 too low, and 0.0094 without a run.
    cells = {
        ("yacht", "srt"): runs(0.980, 0.0, f0s0=0.945),
        ("housing", "srt"): runs(0.800, 0.0),
    }
    said = " ".join(page_of(store_of(cells, table="2")).text.split())
    assert "Further from print: SRT 0.889" in said
    assert "without yacht 0/0/0" in said


def test_conclusions_on_methods_are_tried_again_without_the_run() -> None:
    cells = {("d", "srt"): runs(0.8), ("d", "mine"): runs(0.9, seed=1, f1s2=-3.0)}
    own = replace(method("mine"), registered="", is_own=True)
    sentences = make_page(Report(results_of(cells, methods=[method("srt"), own]), ())).answer
    assert sentences[:2] == [
        "Whether mine is better than SRT is undecided on d.",
        "SRT is best on d, R² 0.797.",
    ]
    assert sentences[-1].startswith(
        "Without split seed 0, fold 1, seed 2 of mine: mine is better than SRT on d. mine is best "
        "on d, R² 0.902. That is sure on d"
    )


def test_a_conclusion_of_which_only_the_score_moves_is_not_said_again() -> None:
    cells = {("d", "srt"): runs(0.8), ("d", "mine"): runs(0.9, seed=1, f1s2=0.7)}
    own = replace(method("mine"), registered="", is_own=True)
    sentences = make_page(Report(results_of(cells, methods=[method("srt"), own]), ())).answer
    assert sentences[:2] == ["mine is better than SRT on d.", "mine is best on d, R² 0.889."]
    said = "Means that one run decides: without split seed 0, fold 1, seed 2 (0.700) mine has 0.902"
    assert sentences[-1].startswith(said)


def test_an_order_of_two_methods_that_one_run_reverses() -> None:
    names = ("a", "b", "c", "d", "e")
    cells = {(name, "srt"): runs(0.80, 0.001, seed=n) for n, name in enumerate(names)}
    cells |= {(name, "orrt"): runs(0.81, 0.001, seed=n) for n, name in enumerate(names)}
    assert "Orders that one run reverses" not in page_of(store_of(cells, paper=None)).text
    cells["a", "orrt"] = runs(0.81, 0.001, f0s0=-9.0)
    text = page_of(store_of(cells, paper=None)).text
    assert "Orders that one run reverses: SRT before ORRT without a 0/0/0 of ORRT." in text
