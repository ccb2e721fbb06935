"""Times of runs on different processors: what the page says, and what is still compared."""

import numpy as np
import pytest
from claim_parts import SRT, of, results_of, spread, verdict_on

from boostbench.papers.judge import Ruling
from boostbench.report.document import notes

NAMES = list(SRT.datasets)
HIGHER, TIMES = "S-RR-1", "S-RR-5"
"""29 % higher mean R2 than ORRT; a seven times smaller mean time."""
OLD, NEW = "Old 1", "New 2"


def experiment(left=OLD, right=OLD, ratio=7.0):
    """Return SRT-l2 and ORRT, which takes ``ratio`` times as long, on all data sets."""
    cells = {}
    for name in NAMES:
        cells[name, "srt_l2"] = spread(0.645, fit_s=1.0, processor=left)
        cells[name, "orrt"] = spread(0.5, fit_s=ratio, processor=right)
    return results_of(cells)


def about_times(results):
    return [text for text in notes(results) if "timed on" in text]


@pytest.mark.parametrize("processor", [OLD, ""])
def test_times_of_one_processor_are_compared_without_a_word(processor) -> None:
    results = experiment(processor, processor)
    assert verdict_on(TIMES, results).ruling is Ruling.REPRODUCED
    assert about_times(results) == []


def test_times_of_two_processors_are_not_compared_but_scores_are() -> None:
    results = experiment(OLD, NEW)
    judged = verdict_on(TIMES, results)
    assert judged.ruling is Ruling.NOT_JUDGED
    assert judged.why.endswith("times of runs on different processors left out")
    assert verdict_on(HIGHER, results).ruling is Ruling.REPRODUCED
    (text,) = about_times(results)
    assert "timed on 2 processors: Old 1; New 2." in text


def test_only_pairs_of_runs_on_one_processor_are_compared() -> None:
    """ORRT is seven times slower on the one that both were run on, and as fast on the other."""
    old = np.arange(80).reshape(1, 4, 20) % 20 < 10
    processors = np.where(old, OLD, NEW)
    cells = {}
    for name in NAMES:
        scores = np.random.default_rng(0).normal(0.645, 0.01, (1, 4, 20))
        cells[name, "srt_l2"] = of(scores, 1.0, processor=OLD)
        cells[name, "orrt"] = of(scores - 0.145, np.where(old, 7.0, 1.0), processor=processors)
    results = results_of(cells)
    judged = verdict_on(TIMES, results)
    assert judged.ruling is Ruling.REPRODUCED
    assert judged.shown[0].values.point[0, 0] == pytest.approx(7.0)


def test_of_several_experiments_runs_on_one_processor_are_taken() -> None:
    """Neither experiment has both methods on one processor; together they do."""
    mixed, other = experiment(OLD, NEW), experiment(NEW, OLD)
    for pair in ([mixed, other], [other, mixed]):
        assert verdict_on(TIMES, *pair).ruling is Ruling.REPRODUCED
    assert verdict_on(TIMES, mixed, experiment(OLD, "Third 3")).ruling is Ruling.NOT_JUDGED


def test_more_runs_count_for_more_than_one_processor() -> None:
    few = {}
    for name in NAMES:
        few[name, "srt_l2"] = spread(0.645, seeds=5, processor=NEW)
        few[name, "orrt"] = spread(0.5, fit_s=7.0, seeds=5, processor=NEW)
    both = [results_of(few), experiment(OLD, NEW)]
    assert verdict_on(HIGHER, *both).runs == 1200
    assert verdict_on(TIMES, *both).ruling is Ruling.NOT_JUDGED


def test_a_claim_about_scores_that_is_unknown_says_nothing_of_times() -> None:
    cells = {(NAMES[0], "srt_l2"): spread(0.6, processor=OLD)}
    cells[NAMES[0], "orrt"] = spread(0.5, processor=NEW)
    assert "processor" not in verdict_on(HIGHER, results_of(cells)).why
