"""Two methods on a data set: one adjusted p and one verdict, wherever they are shown."""

import math
from dataclasses import replace

import numpy as np
import pytest
from parts import OPEN, A, B, method, results_of

from boostbench import stats
from boostbench.papers.metrics import RMSE
from boostbench.report import for_python
from boostbench.report.frames.pairs import DTYPES
from boostbench.report.verdicts.winners import is_separate

NAMES = ("a", "b", "c", "d", "e")


def scores(seed: int):
    return (0.8 + np.random.default_rng(seed).normal(0, 0.01, (4, 3))).tolist()


CELLS = {
    (data, name): scores(10 * i + j) for i, data in enumerate("xy") for j, name in enumerate(NAMES)
}
BEST = {
    data: max(NAMES, key=lambda name: np.mean(CELLS[data, name])) for data in "xy"
}  # fmt: skip


def own(results, *labels):
    """Return results in which the methods with these labels are the user's own."""
    known = [
        replace(m, registered="", is_own=True) if m.label in labels else m for m in results.methods
    ]
    return replace(results, methods=known)


def family_of(frame, dataset, reference):
    """Return the pairs of a reference on a data set, with their p adjusted anew."""
    mine = (frame.dataset == dataset) & ((frame.method == reference) | (frame.against == reference))
    found = frame[mine]
    return found.assign(expected=stats.holm(found.p.to_numpy()))


def test_the_family_is_all_comparisons_of_one_reference_on_a_data_set() -> None:
    frame = for_python.pairs(results_of(CELLS))
    assert len(frame) == 2 * math.comb(5, 2)
    for row in frame.to_dict("records"):
        two = row["method"], row["against"]
        best = BEST[row["dataset"]]
        # The best there if it is one of the two, else the one that the experiment names first.
        reference = best if best in two else min(two, key=NAMES.index)
        assert row["reference"] == reference
        family = family_of(frame, row["dataset"], reference)
        assert row["comparisons"] == len(family) == 4
        (same,) = family[(family.method == two[0]) & (family.against == two[1])].expected
        assert row["p_adjusted"] == pytest.approx(same, rel=1e-12)


def test_an_own_method_is_the_reference_unless_the_best_is_one_of_the_two() -> None:
    mine = next(name for name in NAMES if name not in BEST.values())
    frame = for_python.pairs(own(results_of(CELLS), mine))
    of_mine = frame[frame.method == mine]
    assert len(of_mine) == 8
    for row in of_mine.to_dict("records"):
        best = BEST[row["dataset"]]
        assert row["reference"] == (best if row["against"] == best else mine)
    assert not (frame.against == mine).any()


def test_other_data_sets_change_no_adjusted_p() -> None:
    both = for_python.pairs(results_of(CELLS))
    alone = for_python.pairs(results_of({key: own for key, own in CELLS.items() if key[0] == "x"}))
    here = both[both.dataset == "x"].reset_index(drop=True)
    assert here.equals(alone)


def test_where_nothing_is_adjusted_there_is_no_adjusted_p() -> None:
    far = [[score - 0.2 for score in fold] for fold in A]
    (row,) = for_python.pairs(results_of({("d", "a"): A, ("d", "b"): far})).to_dict("records")
    assert math.isnan(row["p_adjusted"])
    assert (row["comparisons"], row["verdict"]) == (1, "better")
    assert row["p"] < 0.05
    (close,) = for_python.pairs(results_of({("d", "a"): A, ("d", "b"): B})).to_dict("records")
    assert close["verdict"] == "undecided"
    assert close["p"] > 0.05


def test_a_comparison_without_a_test_counts_in_the_family() -> None:
    one_fold = [[0.9, 0.9, 0.9], *[[None] * 3] * 3]
    frame = for_python.pairs(results_of({("d", "a"): A, ("d", "b"): B, ("d", "c"): one_fold}))
    rows = {(row["method"], row["against"]): row for row in frame.to_dict("records")}
    assert rows["a", "c"]["verdict"] == "one split"
    assert math.isnan(rows["a", "c"]["p_adjusted"])
    assert rows["a", "b"]["p_adjusted"] == pytest.approx(min(1, 2 * rows["a", "b"]["p"]))


def test_what_the_best_method_leaves_open_is_not_decided_elsewhere() -> None:
    results = results_of(OPEN)
    standings = results.standings
    assert standings.method[0] == "best"
    assert list(standings.method[standings.low > 0]) == ["a"]
    assert not is_separate(standings).any()
    pairs = results.pairs
    assert list(pairs.verdict[pairs.method == "best"]) == ["undecided"] * 5
    # Compared with nothing else, it is decided.
    two = results_of({key: own for key, own in OPEN.items() if key[1] in ("best", "a")})
    assert list(is_separate(two.standings)) == [False, True]
    assert list(two.pairs.verdict) == ["better", "worse"]


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_a_pair_says_the_same_from_both_sides(lower_is_better) -> None:
    cells = {("d", "a"): A, ("d", "b"): B, ("d", "c"): scores(1)}
    cells["d", "c"][3] = [None] * 3
    metric = {"metric": RMSE} if lower_is_better else {}
    there, back = results_of(cells, **metric), results_of(dict(reversed(cells.items())), **metric)
    # What depends on the order of the experiment.
    of_order = ["is_first", "is_shown", "reference", "p_adjusted", "p_deciding"]
    two, best = ["method", "against"], there.champions.method[0]
    here, other = (each.pairs.set_index(two).sort_index() for each in (there, back))
    assert here.drop(columns=of_order).equals(other.drop(columns=of_order))
    with_best = here.reference == best
    assert here.p_adjusted[with_best].equals(other.p_adjusted[with_best])
    # Each pair has a row from either side, which say the same.
    turned = here.swaplevel().sort_index()
    assert (here.better == -turned.better).all()
    for name in ("reference", "comparisons", "p_adjusted"):
        assert here[name].equals(turned[name])
    assert set(zip(here.verdict, turned.verdict, strict=True)) <= {
        ("better", "worse"),
        ("worse", "better"),
        ("undecided", "undecided"),
    }


def test_every_column_is_declared_with_its_type() -> None:
    for cells in (CELLS, {("d", "a"): A}):
        pairs = results_of(cells).pairs
        assert {name: str(dtype) for name, dtype in pairs.dtypes.items()} == DTYPES


def test_the_best_is_that_by_the_whole_number_and_ties_are_named() -> None:
    near = [[score - 1e-6 for score in fold] for fold in A]
    results = results_of({("d", "a"): near, ("d", "b"): A, ("d", "c"): A})
    assert list(results.standings.method[results.standings.is_best]) == ["b", "c"]
    assert results.best == {("d", "b"), ("d", "c")}


def test_the_best_is_that_by_the_means_of_folds() -> None:
    # Over runs ``b`` is ahead, over folds ``a`` is, and means are those of folds.
    a = [[0.9, None, None], [0.5, 0.5, 0.5]]
    b = [[0.8, None, None], [0.55, 0.55, 0.55]]
    results = results_of({("d", "a"): a, ("d", "b"): b})
    assert list(results.champions.method) == ["a", "b"]
    assert results.champions.better[1] == pytest.approx(0.025)


def test_methods_of_the_paper_and_own_ones_have_the_p_of_the_frame() -> None:
    results = own(results_of(CELLS, methods=[method(name) for name in NAMES]), "c")
    frame = for_python.pairs(results).set_index(["dataset", "method", "against"])
    for pair in results.method_pairs:
        for one in pair.pairs.itertuples():
            row = frame.loc[one.dataset, pair.method, pair.against]
            assert (row.p, row.p_adjusted, row.verdict) == (one.p, one.p_adjusted, one.verdict)
    for dataset, own_standings in results.champions.groupby("dataset"):
        best, *others = own_standings.itertuples()
        for each in others:
            two = (best.method, each.method)
            keys = [(dataset, *two), (dataset, *reversed(two))]
            (row,) = (frame.loc[key] for key in keys if key in frame.index)
            assert row.p_adjusted == each.p_deciding
