"""The claims of both papers as data: complete, of known methods and data sets, each judged."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.methods import builtin_method_names
from boostbench.papers import get_paper
from boostbench.papers.claim import UNITS, Figure, Rule, Ruling, Values, read_as, read_claims
from boostbench.papers.multiboost_roles import PROTOCOL

PAPERS = [get_paper(name) for name in ("srt", "multiboost")]
CLAIMS = [(paper, claim) for paper in PAPERS for claim in paper.claims]
JUDGED = [(paper, claim) for paper, claim in CLAIMS if claim.rule is not None]
SOLVERS = {
    "lbfgsb",
    "multiboost_lbfgsb",
    "multiboost_fcd",
    *(f"fcd_{n}" for n in (1, *PROTOCOL.sweeps)),
}
IDS = {"argvalues": JUDGED, "ids": [claim.id for _, claim in JUDGED]}


def test_all_claims_of_both_papers_are_there() -> None:
    assert [len(paper.claims) for paper in PAPERS] == [185, 45]
    # The sentences, and one claim per column and row of averages.
    kinds = Counter(claim.id[:4] for claim in PAPERS[0].claims)
    assert (kinds["S-V-"], kinds["S-A-"]) == (32, 43)
    assert len(JUDGED) == 184
    assert len({claim.id for _, claim in CLAIMS}) == 230


@pytest.mark.parametrize(("paper", "claim"), CLAIMS, ids=[claim.id for _, claim in CLAIMS])
def test_a_claim_is_judged_or_says_why_not(paper, claim) -> None:
    assert claim.text
    assert claim.where
    assert (claim.rule is None) is bool(claim.reason)
    if claim.rule is not None:
        reproduced, _, contradicted = claim.counts_as
        assert reproduced
        assert contradicted
        assert claim.statistic
        assert claim.left


@pytest.mark.parametrize(("paper", "claim"), **IDS)
def test_what_a_claim_is_about_is_known(paper, claim) -> None:
    known = {*builtin_method_names(), *SOLVERS}
    assert {*claim.left, *claim.right} <= known
    assert set(claim.datasets) <= set(paper.datasets)
    assert set(claim.rule.needed) <= set(claim.datasets or paper.datasets)
    assert set(claim.depths) <= {2, 3}
    assert set(claim.rule.depths_needed) <= set(claim.depths)
    for reading in paper.readings[1:]:
        assert {*read_as(claim, reading).left, *read_as(claim, reading).right} <= known


@pytest.mark.parametrize(("paper", "claim"), **IDS)
def test_the_figures_of_a_rule_are_named_and_have_a_unit(paper, claim) -> None:
    figures = claim.rule.figures
    assert figures
    assert len({figure.name for figure in figures}) == len(figures)
    assert {figure.unit for figure in figures} <= set(UNITS)
    assert all(figure.title for figure in figures)
    # A number of data sets is counted from a value per data set.
    assert all(figure.summary is not None for figure in figures if figure.unit == "sets")


@pytest.mark.parametrize(("paper", "claim"), **IDS)
def test_claims_on_seconds_say_so(paper, claim) -> None:
    if any("time" in figure.name for figure in claim.rule.figures):
        assert claim.seconds


ROW = {
    "id": "X-1", "place": "section 1", "kind": "ordering", "quote": "it is better", "printed": "",
    "datasets": "", "depths": "2;3", "left": "srt", "right": "orrt", "statistic": "difference",
    "reproduced_if": "> 0", "direction_only_if": "", "contradicted_if": "<= 0", "seconds": "no",
    "own_tables": "supports", "own_value": "1", "reason": "", "remarks": "",
}  # fmt: skip
WITHOUT_VALUE = {name: text for name, text in ROW.items() if name != "own_value"}
RULE = Rule((Figure("x", "x", "score", lambda sets: 0.0),), lambda values: bool(values.x > 0))


def write(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "claims.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_file_of_claims_is_read(tmp_path) -> None:
    other = {**ROW, "id": "X-2", "reason": "no runs", "seconds": "yes, ratio"}
    one, two = read_claims(write(tmp_path, ROW, other), {"X-1": RULE})
    assert (one.rule, one.depths, one.left, one.reason, one.seconds) == (
        RULE, (2, 3), ("srt",), "", False,
    )  # fmt: skip
    assert (two.rule, two.reason, two.seconds) == (None, "no runs", True)


@pytest.mark.parametrize(
    ("rows", "rules", "sentence"),
    [
        ([WITHOUT_VALUE], {"X-1": RULE}, ":2: there is no column 'own_value'"),
        ([{**ROW, "quote": ""}], {"X-1": RULE}, ":2: 'quote' is empty"),
        ([ROW, ROW], {"X-1": RULE}, ":3: the claim 'X-1' occurs twice"),
        ([ROW], {}, ":2: the claim 'X-1' has neither a rule nor a reason"),
        ([ROW], {"X-1": RULE, "X-9": RULE}, ": there is no claim X-9, which has a rule"),
    ],
)  # fmt: skip
def test_a_wrong_file_of_claims_is_refused(tmp_path, rows, rules, sentence) -> None:
    path = write(tmp_path, *rows)
    with pytest.raises(ConfigError) as caught:
        read_claims(path, rules)
    assert str(caught.value).startswith(f"{path}{sentence}")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Ruling.REPRODUCED),
        (2, Ruling.DIRECTION),
        (1, Ruling.UNDECIDED),
        (0, Ruling.CONTRADICTED),
    ],
)
def test_the_first_test_that_is_true_decides(value, expected) -> None:
    rule = Rule(
        RULE.figures,
        lambda values: bool(values.x >= 3),
        lambda values: bool(values.x >= 2),
        lambda values: bool(values.x <= 0),
    )
    assert rule.judge(Values(x=value)) is expected
    # Without a test for it, what is left contradicts.
    bare = Rule(RULE.figures, rule.reproduced)
    assert bare.judge(Values(x=value)) is (expected if value == 3 else Ruling.CONTRADICTED)
