"""What a claim's parts come to at their limits, and where something is unknown."""

import pytest

from boostbench.papers import claim, get_paper
from boostbench.papers.claim import Claim, Comparison, Finding
from boostbench.papers.results import Curve, Measured, Spread

HOLDS, PARTLY, FAILS = Finding.HOLDS, Finding.PARTLY, Finding.FAILS


def pairs(*scores: tuple[float | None, float | None]) -> list[Comparison]:
    return [Comparison(Measured("left", a), [Measured("right", b)]) for a, b in scores]


@pytest.mark.parametrize(
    ("findings", "everywhere", "on_most"),
    [
        ([HOLDS, HOLDS, HOLDS, HOLDS], HOLDS, HOLDS),
        ([HOLDS, HOLDS, HOLDS, FAILS], PARTLY, HOLDS),
        ([HOLDS, HOLDS, PARTLY, FAILS], PARTLY, PARTLY),
        ([HOLDS, FAILS, FAILS, FAILS], PARTLY, PARTLY),
        ([PARTLY, FAILS, FAILS, FAILS], PARTLY, PARTLY),
        ([FAILS, FAILS, FAILS, FAILS], FAILS, FAILS),
    ],
)
def test_a_claim_over_data_sets(findings, everywhere, on_most) -> None:
    for most, expected in ((False, everywhere), (True, on_most)):
        one = Claim("", "", "a", ("b",), claim.wins, "count", claim.positive, True, most)
        assert one.overall(findings) is expected


@pytest.mark.parametrize(
    ("judge", "measured", "published", "expected"),
    [
        (claim.reaches, 0.90, 0.91, HOLDS),
        (claim.reaches, 0.89, 0.91, FAILS),
        (claim.reaches, 0.99, None, None),
        (claim.positive, 1e-9, None, HOLDS),
        (claim.positive, 0.0, None, FAILS),
        (claim.above_one, 1.0 + 1e-9, None, HOLDS),
        (claim.above_one, 1.0, None, FAILS),
        (claim.below_one, 1.0 - 1e-9, None, HOLDS),
        (claim.below_one, 1.0, None, FAILS),
        (claim.never, 0.0, None, HOLDS),
        (claim.never, 1e-9, None, FAILS),
        (claim.as_many, 5, 5, HOLDS),
        (claim.as_many, 4, 5, PARTLY),
        (claim.as_many, 3, 5, FAILS),
        (claim.as_many, 5, None, None),
    ],
)
def test_judges_at_their_limits(judge, measured, published, expected) -> None:
    assert judge(measured, published) is expected


@pytest.mark.parametrize("paper", ["srt", "multiboost"])
def test_every_claim_of_a_paper_is_judged_without_a_published_value(paper) -> None:
    claims = get_paper(paper).claims
    assert claims
    for one in claims:
        for measured in (0.0, 1.0, 100.0):
            assert one.judge(measured, None) in (None, *Finding), one.text


def test_means_and_quotients_of_what_is_not_all_known() -> None:
    assert claim.mean([1.0, 2.0, 6.0]) == 3.0
    assert claim.mean(iter([0.5])) == 0.5
    assert claim.mean([]) is claim.mean([None]) is claim.mean([1.0, None]) is None
    assert claim.quotient(1.0, 2.0) == 0.5
    assert claim.quotient(0.0, 2.0) == 0.0
    assert claim.quotient(1.0, 0.0) is claim.quotient(1.0, None) is claim.quotient(None, 1.0)
    assert claim.quotient(None, 1.0) is None


def test_statistics_of_scores() -> None:
    known = pairs((0.9, 0.5), (0.8, 0.8), (0.4, 0.6))
    assert claim.mean_score(known) == pytest.approx(0.7)
    assert claim.score_gap(known) == pytest.approx(0.7 - 1.9 / 3)
    assert claim.wins(known) == 1.0
    assert claim.wins([]) is None
    for unknown in (pairs((0.9, 0.5), (None, 0.5)), pairs((0.9, 0.5), (0.9, None))):
        assert claim.wins(unknown) is claim.score_gap(unknown) is None


def test_a_spread_leaves_out_what_is_unknown() -> None:
    assert Spread.of([1.0, None, 3.0]) == Spread(2.0, pytest.approx(2**0.5))
    assert Spread.of([None, 3.0]) == Spread(3.0, None)
    assert Spread.of([None]) is Spread.of([]) is None


def test_a_curve_is_read_by_iterations_from_one() -> None:
    curve = Curve("d", "m", 1, 3, 3, {"error": [0.5, 0.2, 0.2]}, {}, {})
    assert [curve.at("error", step) for step in (1, 2, 3, 4)] == [0.5, 0.2, 0.2, None]
    assert curve.at("objective", 1) is None
    bounds = (0.5, 0.3, 0.2, 0.1)
    assert [curve.first_at_most("error", bound) for bound in bounds] == [1, 2, 2, None]
    assert curve.first_at_most("objective", 1.0) is None
