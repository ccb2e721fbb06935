"""The rows of the papers' claims tried on the papers' own tables, and on the wrong methods."""

from collections.abc import Mapping

import numpy as np
import pytest

from boostbench.papers import get_paper, paper_names
from boostbench.papers.check import check_paper, literally, on_printed_tables
from boostbench.papers.claims import Claim, read_claims
from boostbench.papers.judge import ClaimVerdict, decide
from boostbench.papers.language import Unknown, Values
from boostbench.papers.reading import MEANS
from boostbench.papers.settings import matches
from boostbench.papers.tables import Column

SRT = get_paper("srt")
CLAIMS = {claim.id: claim for claim in read_claims(SRT)}


def on_print(claim: Claim) -> ClaimVerdict | None:
    """Return the verdict on the printed values as they are, None where some are not printed."""
    try:
        scope, named = on_printed_tables(SRT, claim)
    except (Unknown, KeyError):
        return None
    exact = {name: Values.exact(values.point) for name, values in named.items()}
    return decide(claim, scope, exact).verdict if claim.reproduced_if else None


SUPPORTED = [claim.id for claim in CLAIMS.values() if claim.own_tables == "supports"]
IN_PRINT = {name: on_print(claim) for name, claim in CLAIMS.items() if claim.reproduced_if}


@pytest.mark.parametrize("name", [name for name in SUPPORTED if CLAIMS[name].reproduced_if])
def test_claims_that_the_tables_support_are_reproduced(name) -> None:
    assert IN_PRINT[name] in (ClaimVerdict.REPRODUCED, None)


def test_nearly_all_supported_rows_can_be_tried() -> None:
    known = [name for name in SUPPORTED if IN_PRINT.get(name) is not None]
    assert len(known) >= 50


# To the letter the tables contradict these, and fulfil them within the bands, or in part.
def test_claims_that_the_tables_contradict_are_not_all_reproduced() -> None:
    weaker = ("S-OL-3", "S-E-2", "S-G1-2")
    assert {CLAIMS[name].own_tables for name in weaker} == {"contradicts"}
    assert {IN_PRINT[name] for name in weaker} == {ClaimVerdict.WEAKER}


def test_literal_conditions_match_the_notes() -> None:
    tried = literally(SRT, list(CLAIMS.values()))
    assert len(tried) >= 65
    for one in tried:
        if one.claim.own_tables == "supports":
            assert one.truth.maybe, one.claim.id
        if one.claim.own_tables == "contradicts":
            assert not one.truth.sure, one.claim.id
    contradicted = {one.claim.id for one in tried if not one.truth.maybe}
    assert {"S-OL-3", "S-G1-2", "S-G2-1", "S-G2-2", "S-E-2", "S-G-9", "S-G-10"} <= contradicted


def swapped(first: str, second: str) -> Mapping[str, str]:
    return {first: second, second: first}


def test_claims_turn_round_where_their_two_methods_change_places() -> None:
    """A negative control: the printed values of each method judged as if they were the other's."""
    kept = []
    for name, claim in CLAIMS.items():
        roles = claim.roles
        if IN_PRINT.get(name) is not ClaimVerdict.REPRODUCED or len(roles) != 2:
            continue
        calls = [call.read_as(swapped(*roles)) for call in claim.figures]
        turned = on_print(Claim(**{**vars(claim), "figures": calls}))
        if turned is ClaimVerdict.REPRODUCED:
            kept.append(name)
    assert set(kept) == set(ALIKE)


ALIKE = {
    "S-L2-3": "as fast as each other",
    "S-RR-10": "as fast as each other",
    "S-G1-3": "a few seconds of both",
    "S-GRID-1": "as good as each other",
    "S-G-3": "as good as each other",
    "S-D-2": "as good as each other within .1 %",
    "S-D-5": "as good as each other within .1 %",
    "S-G-5": "8 of 15 is as near to a half as can be",
    "S-G-11": "a bound that both keep",
    "S-SC-1": "it is said of both",
}
"""Claims that do not turn round, and why they have no direction."""


def columns(table: str) -> list[Column]:
    return [column for column in SRT.columns if column.table == table]


def agrees(own: Column, other: Column) -> bool:
    """Return whether a column is near another one's printed values, on most sets and on average."""
    names = [n for n in own.cells if n in other.cells and n not in MEANS]
    away = np.array([own.cells[n].mean - other.cells[n].mean for n in names])
    slack = [max(other.cells[n].sd or 0.0, 0.01) + 1e-12 for n in names]
    near = abs(away.mean()) <= 0.01 + 1e-12 and np.abs(away).mean() <= 0.02 + 1e-12
    return bool(near and np.mean(np.abs(away) <= slack) >= 0.8)


@pytest.mark.parametrize("table", ["2", "C.4", "D.5", "D.6", "G.9", "F.8"])
def test_every_column_agrees_with_itself_and_with_no_other_methods(table) -> None:
    """A negative control: each method's column judged as if it were every other's."""
    alike = set()
    for own in columns(table):
        assert agrees(own, own)
        for other in columns(table):
            same_depth = own is not other and matches(own.setting, other.setting)
            if same_depth and agrees(own, other):
                alike.add(frozenset((own.method, other.method)))
    assert alike == NEARLY_THE_SAME.get(table, set())


NEARLY_THE_SAME = {
    # "Perfectly comparable", and "approximately 1%" apart, as the paper itself says.
    "D.5": {frozenset(("ort_l", "ort_l_grid"))},
    "D.6": {frozenset(("ort_l", "ort_l_grid"))},
    "C.4": {frozenset(("srt", "srt_l2"))},
}


@pytest.mark.parametrize("key", paper_names())
def test_the_shipped_papers_are_right(key) -> None:
    assert check_paper(get_paper(key).folder) == []


def test_sentences_are_whole_and_none_is_judged_twice() -> None:
    seen = set()
    for key in paper_names():
        for claim in read_claims(get_paper(key)):
            assert claim.text[0].isupper() or claim.text[0] in "(“", claim.id
            assert claim.text.endswith((".", ")", "”")) or claim.reason, claim.id
            figures = "; ".join(call.text for call in claim.figures)
            mark = figures, claim.reproduced_if, tuple(claim.data_sets), str(claim.at)
            assert not figures or mark not in seen, claim.id
            seen.add(mark)
