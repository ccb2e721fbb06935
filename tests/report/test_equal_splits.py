"""Results that recorded one training set and one test set as several splits: these are one."""

from collections.abc import Mapping
from typing import Any

import pytest
from parts import Memory, ok
from trials import make_trial

from boostbench.report.document.answer import winners
from boostbench.report.document.comparisons import comparison_section
from boostbench.report.frames.results import ReportData, collect

SAYS = "On d methods are compared on one split, which decides nothing: a difference may be chance."
SCORES = {"x": (0.90, 0.91), "y": (0.80, 0.83)}


def recorded(rule: Mapping[str, Any], splits: int, split_seeds: int = 1, step: float = 0.0):
    """Return results of two methods, two seeds on each of several splits."""
    runs = [
        (
            make_trial("d", label, fold=fold, split_seed=place, seed=seed, folds=splits, **rule),
            ok(score + step * (fold + place) * (2 if label == "x" else 1)),
        )
        for label, scores in SCORES.items()
        for place in range(split_seeds)
        for fold in range(splits)
        for seed, score in enumerate(scores)
    ]
    settings = {"name": "t", "splits": {"n": splits}, "seeds": 2}
    return collect(Memory([t for t, _ in runs], {t.key: one for t, one in runs}, settings))


def pair_of(results: ReportData) -> Any:
    (found,) = results.method_pairs
    return found


FIRST_ROWS = {"split": "given", "train_rows": 231}


@pytest.mark.parametrize(("splits", "split_seeds"), [(5, 1), (1, 4), (2, 3)])
def test_equal_splits_are_one(splits: int, split_seeds: int) -> None:
    results = recorded(FIRST_ROWS, splits, split_seeds)
    found = pair_of(results)
    (one,) = found.pairs.itertuples()
    assert (one.mean, one.mean_against) == pytest.approx((0.905, 0.815))
    assert (one.runs, one.splits) == (2 * splits * split_seeds, 1)
    assert (one.verdict, found.fixed) == ("one split", None)
    _, *rest = winners(results)
    assert rest == [SAYS]
    assert SAYS in comparison_section(results)[1][0].legend
    # The means are those of all runs, and have no interval for other rows.
    assert results.cell("d", "x").mean == pytest.approx(0.905)
    assert results.cell("d", "x").half_width is None


def test_training_sets_that_differ_are_compared_as_before() -> None:
    results = recorded({**FIRST_ROWS, "train_batches": 5}, 5, step=0.001)
    found = pair_of(results)
    assert (found.pairs.splits.iloc[0], found.pairs.verdict.iloc[0]) == (5, "better")
    _, sure, rows = winners(results)
    assert sure.startswith("That is sure on d: ")
    assert rows == (
        "On d several training sets have one test set: methods are compared on these test rows "
        "only."
    )
    assert rows in comparison_section(results)[1][0].legend


def test_random_splits_are_not_of_these_test_rows() -> None:
    said = winners(recorded({"split": "shuffle", "test_size": 0.25}, 5, step=0.001))
    assert len(said) == 2
    assert "sure on d" in said[1]
