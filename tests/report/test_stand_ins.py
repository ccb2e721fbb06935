"""Data sets that stand for those of a paper: in claims only, and only where those are missing."""

from pathlib import Path

import pytest
from parts import data, paper_of, results_of, row

from boostbench.errors import ConfigError
from boostbench.papers.claims import read_claims
from boostbench.papers.judge import ClaimVerdict, JudgedReading
from boostbench.papers.paper import Paper, read_datasets
from boostbench.papers.readings import judge_all
from boostbench.report.frames.results import ReportData
from boostbench.report.verdicts.ledger import evidence_of

DATASETS = """dataset,title,cards,stands_for,remark
d,D,d,,
e,E,e,,
copies,D,copies,d,on small copies
"""
CLAIMS = (
    "id,where,text,data_sets,figures,reproduced_if\n"
    'A,abstract,Better.,,"f = lead(srt, other)",all(f > 0)\n'
)
GOOD, BAD = [[0.9] * 5] * 4, [[0.5] * 5] * 4


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    (tmp_path / "datasets.csv").write_text(DATASETS)
    (tmp_path / "claims.csv").write_text(CLAIMS)
    return paper_of(tmp_path, [row("d"), row("d", "other"), row("e"), row("e", "other")])


def _measured(paper: Paper, *names: str, better: bool = True) -> ReportData:
    scores = (GOOD, BAD) if better else (BAD, GOOD)
    cells = {
        (name, method): own
        for name in names
        for method, own in zip(("srt", "other"), scores, strict=True)
    }
    return results_of(cells, paper, datasets=[data(name) for name in names])


def _judged(paper: Paper, *several: ReportData) -> JudgedReading:
    (entry,) = judge_all(read_claims(paper), evidence_of(paper, several))
    return entry.judged


def test_a_stand_in_counts_where_the_papers_own_data_are_missing(paper: Paper) -> None:
    found = _judged(paper, _measured(paper, "copies", "e"))
    assert (found.verdict, found.why) == (ClaimVerdict.REPRODUCED, "d on small copies")
    assert (found.datasets, found.missing) == (["d", "e"], [])


def test_the_papers_own_data_come_first_wherever_they_are(paper: Paper) -> None:
    copies = _measured(paper, "copies", "e", better=False)
    for several in (
        [_measured(paper, "copies", "d", "e")],
        [copies, _measured(paper, "d", "e")],
        [_measured(paper, "d", "e"), copies],
    ):
        found = _judged(paper, *several)
        assert "copies" not in found.why
        assert found.datasets == ["d", "e"]
    assert _judged(paper, copies).verdict is ClaimVerdict.NOT_REPRODUCED


def test_a_stand_in_has_no_printed_value_and_no_claim_of_its_own(paper: Paper) -> None:
    results = _measured(paper, "copies", "e")
    assert results.cell("copies", "srt").published is None
    assert results.cell("e", "srt").published == 0.8
    assert paper.claimed_datasets == ["d", "e"]
    path = Path(str(paper.folder)) / "claims.csv"
    path.write_text(CLAIMS.replace("Better.,,", "Better.,copies,"))
    with pytest.raises(ConfigError, match=r"claims.csv:2, data_sets: .* no data set 'copies'"):
        read_claims(paper)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("more,M,more,d,on other copies", r"csv:5, stands_for: 'copies' stands for 'd' already"),
        ("more,M,more,ee,on copies", r"csv:5, stands_for: .* no data set 'ee' \(did you mean 'e'"),
        ("more,M,more,copies,on copies", "no data set 'copies'"),
        ("more,M,more,e,", "'stands_for' and 'remark' go together"),
        ("more,M,more,,on copies", "'stands_for' and 'remark' go together"),
    ],
)
def test_a_wrong_stand_in_is_refused(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "datasets.csv"
    path.write_text(DATASETS + line + "\n")
    with pytest.raises(ConfigError, match=words):
        read_datasets(path)
