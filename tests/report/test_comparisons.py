"""Methods against each other, over the runs that both have."""

import math

import numpy as np
import pytest
from parts import A, B, data, results_of
from scipy import stats as scipy_stats
from stats_parts import FRIEDMAN

from boostbench.papers.metrics import ERROR, RMSE
from boostbench.report.document import comparisons
from boostbench.report.frames.over_datasets import rank_methods
from boostbench.stats import ratio_interval

DIFFERENCES = (0.02, 0.01, -0.01, 0.03, 0.0, 0.05, 0.01, 0.04)


def folds(value: float):
    return [[value], [value], [value], [value]]


def over(values, names="xy"):
    """Return cells of one value per data set (rows) and method (columns)."""
    return {
        (f"d{i}", names[j]): folds(value)
        for i, line in enumerate(values)
        for j, value in enumerate(line)
    }


def pair(cells, **given):
    (found,) = results_of(cells, **given).method_pairs
    return found


section = comparisons.comparison_section


def test_one_data_set_is_tested_on_fold_means() -> None:
    found = pair({("d", "x"): A, ("d", "y"): B})
    (one,) = found.pairs.itertuples()
    assert (one.mean, one.mean_against) == pytest.approx((0.805, 0.78))
    assert (one.runs, found.runs) == (12, 12)
    assert one.p == pytest.approx(0.085016, abs=1e-6)
    assert (found.is_tested, found.ratio, found.wins.wins, found.decided) == (False, None, 1, None)


def test_data_sets_are_the_unit() -> None:
    found = pair(over([(0.5 + d, 0.5) for d in DIFFERENCES]))
    assert found.p == pytest.approx(0.0625)
    assert found.better == pytest.approx(0.828571, abs=1e-6)
    # At most .01 is a tie, except for the last bits.
    assert (found.wins.wins, found.wins.ties, found.wins.losses) == (4, 4, 0)
    # Equal differences on all folds are decided, those of 0 are not.
    assert found.decided == (6, 1)


def test_ratio_for_data_sets_like_these() -> None:
    values = [(0.9, 0.7), (0.8, 0.75), (0.7, 0.3), (0.85, 0.8), (0.6, 0.5), (0.95, 0.9)]
    found = pair(over(values))
    a, b = np.array(values).T
    # Wider than 95 %, which holds the ratio of other data sets too rarely.
    assert found.ratio == ratio_interval(a, b, 0.98)
    # When data sets are left out one at a time, the third changes the ratio most.
    without = found.without
    assert without.dataset == "d2"
    assert without.ratio.ratio == pytest.approx((a.sum() - 0.7) / (b.sum() - 0.3))


def test_only_runs_that_both_have_are_compared() -> None:
    # The case: x has .1 and .5, y has .2 and a timeout; x wins the only common split.
    cells = {("d", "x"): [[0.1], [0.5]], ("d", "y"): [[0.2], [None]]}
    found = pair(cells, metric=ERROR)
    (one,) = found.pairs.itertuples()
    assert (one.mean, one.mean_against, one.runs) == (0.1, 0.2, 1)
    assert one.better == pytest.approx(0.1)
    assert found.wins.wins == 1
    assert math.isnan(one.p)
    assert one.verdict == "one split"


def test_a_data_set_without_common_runs_is_named() -> None:
    cells = {
        ("d", "x"): [[0.1], [None]], ("d", "y"): [[None], [0.2]],
        ("e", "x"): [[0.1], [0.2]], ("e", "y"): [[None], [None]],
        ("f", "x"): [[0.1], [0.2]], ("f", "y"): [[0.1], [0.2]],
    }  # fmt: skip
    found = pair(cells)
    assert found.datasets == ["f"]
    assert found.lacking == ["d", "e"]
    legend = section(results_of(cells))[1][0].legend
    assert "Left out where two methods have no finished run in common: d, e." in legend


def test_there_is_no_table_where_no_pair_that_is_shown_has_common_runs() -> None:
    others = {("e", name): A for name in "bcdefgh"}
    results = results_of({("d", "a"): A, **others})
    assert len(results.method_pairs) == 21
    assert section(results)[1] == []
    assert section(results_of({("e", "a"): A, **others}))[1] != []


def test_a_data_set_published_as_another_one_counts_once() -> None:
    cells = {(name, m): folds(0.5) for name in ("friedman", "friedman1") for m in "xy"}
    datasets = [data("friedman"), data("friedman1", "friedman")]
    found = pair(cells, datasets=datasets)
    assert found.datasets == ["friedman"]


@pytest.mark.parametrize("mean", [-0.5, 0.0])
def test_a_mean_that_is_not_positive_has_no_ratio(mean: float) -> None:
    found = pair(over([(0.5, mean)] * 6))
    assert (found.ratio, found.fixed, found.without) == (None, None, None)
    assert found.better == 1.0


def test_several_partitions_are_compared_on_all_their_folds() -> None:
    cells = {("d", "x"): [A, A], ("d", "y"): [B, [[None] * 3] * 4]}
    (one,) = pair(cells).pairs.itertuples()
    assert (one.runs, len(one.parts)) == (12, 4)
    (one,) = pair({("d", "x"): [A, A], ("d", "y"): [B, B]}).pairs.itertuples()
    differences = [0.03, 0.02, 0.04, 0.01] * 2
    se = math.sqrt((1 / 8 + 1 / 3) * np.var(differences, ddof=1))
    assert one.p == pytest.approx(2 * scipy_stats.t.sf(0.025 / se, 7))


def test_where_the_sizes_of_the_parts_are_not_known_nothing_is_corrected() -> None:
    cells = {("d", "x"): A, ("d", "y"): B}
    (one,) = pair(cells, n_rows=100).pairs.itertuples()
    differences = np.mean(A, axis=1) - np.mean(B, axis=1)
    assert one.p == pytest.approx(scipy_stats.ttest_1samp(differences, 0).pvalue)
    assert results_of(cells, n_rows=100).cell("d", "x").half_width is None


def test_pairs_are_adjusted_as_one_family() -> None:
    found = results_of(
        over([[v, 0.5, 0.4] for v in (0.6, 0.7, 0.8, 0.9, 0.65)], "xyz")
    ).method_pairs
    assert [(p.method, p.against) for p in found] == [("x", "y"), ("x", "z"), ("y", "z")]
    # The least p of five differences of one sign.
    assert [p.p for p in found] == [0.0625] * 3
    assert [p.p_adjusted for p in found] == pytest.approx([0.1875] * 3)
    assert {p.comparisons for p in found} == {3}
    # The only pair is not adjusted.
    (alone,) = results_of(over([[v, 0.5] for v in (0.6, 0.7, 0.8, 0.9, 0.65)])).method_pairs
    assert math.isnan(alone.p_adjusted)
    assert (alone.p, alone.verdict) == (0.0625, "undecided")


def test_one_method_is_not_compared() -> None:
    assert section(results_of({("d", "x"): A}))[1] == []
    assert section(results_of({("d", "x"): A, ("d", "y"): [[None]]}))[1] == []
    # Nor are two without a common run.
    assert section(results_of({("d", "x"): [[1], [None]], ("d", "y"): [[None], [1]]}))[1] == []


def test_many_methods_are_compared_with_the_first_one() -> None:
    names = "abcdefg"
    found = results_of(over([[0.1 * i for i in range(1, 8)]], names)).method_pairs
    assert [(p.method, p.against) for p in found if p.shown] == [
        (other, "a") for other in names[1:]
    ]
    six = results_of(over([[0.1 * i for i in range(1, 7)]], names[:6])).method_pairs
    assert len(six) == 15


def test_ranks_are_friedmans() -> None:
    found = rank_methods(results_of(over(FRIEDMAN, "wxyz")))
    assert found.friedman.ranks == pytest.approx((1.583333, 2.25, 2.416667, 3.75), abs=1e-6)
    assert found.friedman.p == pytest.approx(0.024773, 1e-4)
    assert found.cd == pytest.approx(1.914843, abs=1e-6)
    lower = rank_methods(results_of(over(FRIEDMAN, "wxyz"), metric=RMSE))
    assert lower.friedman.ranks == pytest.approx([5 - rank for rank in found.friedman.ranks])


def test_ranks_are_over_data_sets_that_all_methods_have() -> None:
    cells = over(FRIEDMAN, "wxyz")
    cells["d3", "z"] = cells["d4", "z"] = [[None]] * 4
    assert rank_methods(results_of(cells)) is None
    assert rank_methods(results_of(over([(1, 2)] * 6))) is None


def test_the_tables_of_the_page() -> None:
    cells = over(FRIEDMAN, "wxyz")
    cells["d3", "z"] = [[None]] * 4
    _, (pairs, ranks) = section(results_of(cells))
    assert [item.text for item in pairs.rows[0]][:5] == ["w", "x", "6", "24", "0.772 : 0.763"]
    assert "no finished run in common: d3." in pairs.legend
    assert ranks.rows[0][0].text == "w"
    assert "Friedman's test over 5 data sets" in ranks.legend
    assert "Not all methods have runs of d3." in ranks.legend
    _, (pairs,) = section(results_of(over(FRIEDMAN[:2], "wxyz")))
    assert "p" not in pairs.header
    assert "over data sets, 5 or more." in pairs.legend


def test_three_partitions_say_how_partitions_vary() -> None:
    cells = {("d", "x"): [A, shifted(A, 0.01), shifted(A, -0.02)], ("d", "y"): [B, B, B]}
    found = pair(cells)
    assert found.pairs.parts.iloc[0] == pytest.approx([0.805, 0.815, 0.785])
    ratio = (0.805 + 0.815 + 0.785) / 3 / 0.78
    se = np.sqrt(np.var([0.805, 0.815, 0.785], ddof=1) / 3) / 0.78
    assert (found.fixed.ratio, found.fixed.se) == pytest.approx((ratio, se))


def shifted(scores, by: float):
    return [[score + by for score in fold] for fold in scores]


def test_printed_mean_ranks_are_beside_the_measured_ones(monkeypatch) -> None:
    monkeypatch.setattr(comparisons, "printed_ranks", lambda _: {"x": "2.10", "z": "3.9"})
    _, (_, ranks) = section(results_of(over(FRIEDMAN, "wxyz")))
    assert [[item.text for item in row] for row in ranks.rows] == [
        ["w", "1.58", ""],
        ["x", "2.25", "2.10"],
        ["y", "2.42", ""],
        ["z", "3.75", "3.9"],
    ]


def test_no_more_orders_are_steady_than_were_tried() -> None:
    steady = over([(0.9, 0.5)] * 5)
    (line,), _ = section(results_of(steady))
    assert line == "No order of two methods by their means reverses without one or two data sets."
    # The third method shares two data sets with the others, too few to try.
    third = {("d0", "z"): folds(0.95), ("d1", "z"): folds(0.1)}
    (line,), (pairs,) = section(results_of(steady | third))
    assert line == (
        "Of 1 order of two methods by their means, none reverses without one or two data sets. "
        "Not tried: 2 pairs of methods with fewer than 5 data sets in common."
    )
    column = pairs.header.index("Reversed without")
    assert [row[column] for row in pairs.texts] == ["never", "", ""]
    # A fourth shares none with the third.
    fourth = {("d2", "w"): folds(0.2)}
    (line,), _ = section(results_of(steady | third | fourth))
    assert "Not tried: 5 pairs of methods" in line
    fragile = over([(0.9, 0.5), *[(0.5, 0.51)] * 4])
    (line,), _ = section(results_of(fragile | third))
    assert "Of 1 order of two methods by their means, 1 reverses without one" in line
    assert "Not tried: 2 pairs" in line


def test_the_summary_over_data_sets_decides_after_holm_over_them() -> None:
    cells = {(f"d{n}", m): own for n in range(3) for m, own in (("x", A), ("y", B))}
    # Of one pair p is .085 on each data set, and of another nearly 0.
    cells |= {("d0", "y"): [[score - 0.1 * (1 + 0.05 * i) for score in f] for i, f in enumerate(A)]}
    (found,) = results_of(cells).method_pairs
    assert found.decided == (1, 0)
    assert list(found.pairs.verdict) == ["better", "undecided", "undecided"]
    header = section(results_of(cells))[1][0].header
    assert "Decided, Holm over data sets" in header
    assert not any(name.startswith("p") for name in header)
    # Holm over 30 data sets undoes what one of them alone decides.
    gaps = [0.03 * (1 + sign * 0.29) for sign in (1, -1, 1, -1)]
    near = {("d0", "y"): [[score - gap for score in f] for gap, f in zip(gaps, A, strict=True)]}
    same = {(f"d{n}", m): A for n in range(1, 30) for m in "xy"}
    (one, *_), (found,) = (
        results_of({("d0", "x"): A} | near).pairs.verdict,
        results_of({("d0", "x"): A} | near | same).method_pairs,
    )
    assert (one, found.decided) == ("better", (0, 0))
    assert found.pairs.verdict.iloc[0] == "better"


def test_orders_that_depend_on_one_data_set_are_named() -> None:
    values = [(0.9, 0.5), (0.5, 0.51), (0.5, 0.51), (0.5, 0.51), (0.5, 0.51)]
    (line,), _ = section(results_of(over(values)))
    assert "1 reverses without one data set (x before y without d0), 0 more without two" in line
    (found,) = results_of(over(values)).method_pairs
    assert found.reversed_without == ["d0"]
    steady = [(0.9, 0.5)] * 5
    assert section(results_of(over(steady)))[0][0].startswith("No order of two methods")
    assert section(results_of(over(values[:4])))[0] == []
    for pairs, said in ((values, "d0"), (steady, "never"), ([(0.5, 0.5)] * 5, "equal")):
        assert said in section(results_of(over(pairs)))[1][0].texts[0]
    # Errors in the units of several targets have no mean.
    fragile, (pairs,) = section(results_of(over(values), metric=RMSE.in_unit_of_target()))
    assert (fragile, pairs.header[4:]) == (
        [],
        ["Wins, ties, losses", "Decided, Holm over data sets"],
    )
