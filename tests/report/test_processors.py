"""Times of runs on different processors: the page's notes, and the remaining comparisons."""

import pytest
from parts import ok, store_of

from boostbench.papers import get_paper
from boostbench.papers.claims import read_claims
from boostbench.papers.judge import ClaimVerdict, JudgedReading
from boostbench.papers.readings import judge_all
from boostbench.report.document.report import notes
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.verdicts.ledger import evidence_of

HIGHER, TIMES = "S-RR-1", "S-RR-5"
"""29 % higher mean R2 than ORRT; a seven times smaller mean time."""
OLD, NEW = "Old 1", "New 2"


def experiment(soft: str = OLD, hard: str = OLD, seeds: int = 5) -> ReportData:
    """Return SRT-l2 and ORRT, which takes seven times as long, on all data sets."""
    scores = {"srt_l2": ok(0.645, 1.0), "orrt": ok(0.5, 7.0)}
    cells = {
        (name, label): [[outcome] * seeds] * 4
        for name in get_paper("srt").datasets
        for label, outcome in scores.items()
    }
    processors = {"srt_l2": soft, "orrt": hard}
    return collect(store_of(cells, where=lambda one: processors[one.method]))


def verdict_on(claim: str, *several: ReportData) -> JudgedReading:
    paper = get_paper("srt")
    claims = [one for one in read_claims(paper) if one.id == claim]
    (found,) = judge_all(claims, evidence_of(paper, several))
    return found.judged


def about_times(results: ReportData) -> list[str]:
    return [text for text in notes(results) if "timed on" in text]


@pytest.mark.parametrize("processor", [OLD, ""])
def test_times_of_one_processor_are_compared_without_a_word(processor) -> None:
    results = experiment(processor, processor)
    assert verdict_on(TIMES, results).verdict is ClaimVerdict.REPRODUCED
    assert about_times(results) == []


def test_times_of_two_processors_are_not_compared_but_scores_are() -> None:
    results = experiment(OLD, NEW)
    judged = verdict_on(TIMES, results)
    assert judged.verdict is ClaimVerdict.NOT_JUDGED
    assert judged.why.endswith("times of runs on different processors left out")
    assert verdict_on(HIGHER, results).verdict is ClaimVerdict.REPRODUCED
    (text,) = about_times(results)
    assert "timed on 2 processors: Old 1; New 2." in text


def test_only_pairs_of_runs_on_one_processor_are_compared() -> None:
    """ORRT is seven times slower on the one that both were run on, and as fast on the other."""
    cells = {}
    for name in get_paper("srt").datasets:
        cells[name, "srt_l2"] = [[ok(0.645, 1.0)] * 10] * 4
        cells[name, "orrt"] = [[ok(0.5, 7.0), ok(0.5, 1.0)] * 5] * 4
    store = store_of(cells, where=lambda one: NEW if one.method == "orrt" and one.seed % 2 else OLD)
    judged = verdict_on(TIMES, collect(store))
    assert judged.verdict is ClaimVerdict.REPRODUCED
    assert judged.shown[0].values.point[0, 0] == pytest.approx(7.0)


def test_runs_of_several_experiments_on_one_processor_are_taken() -> None:
    """Neither experiment has both methods on one processor; together they do."""
    mixed, other = experiment(OLD, NEW), experiment(NEW, OLD)
    for pair in ([mixed, other], [other, mixed]):
        assert verdict_on(TIMES, *pair).verdict is ClaimVerdict.REPRODUCED
    # More runs count for more than one processor.
    both = [experiment(NEW, NEW), experiment(OLD, NEW, seeds=10)]
    assert verdict_on(HIGHER, *both).runs == 15 * 40
    assert verdict_on(TIMES, *both).verdict is ClaimVerdict.NOT_JUDGED
