"""The model from which runs are drawn for the calibration, and the counts."""

from pathlib import Path

import numpy as np
import pytest

from boostbench.papers import get_paper

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def script():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        import calibrate

        yield calibrate


@pytest.fixture(scope="module")
def worlds(script):
    import calibration_worlds

    return calibration_worlds


def runs_of(random, partition: float, fold: float, seed: float, n: int = 1):
    """Return runs (n, 5, 4, 4) with these sds; the folds of a partition sum to nothing."""
    folds = random.normal(0, fold, (n, 5, 4))
    folds -= folds.mean(axis=-1, keepdims=True)
    between = random.normal(0, partition, (n, 5, 1)) + folds
    return 0.8 + between[..., None] + random.normal(0, seed, (n, 5, 4, 4))


@pytest.mark.parametrize("sds", [(0.03, 0.05, 0.02), (0.02, 0.02, 0.04)])
def test_drawn_runs_vary_as_those_that_the_model_is_fitted_to(worlds, sds) -> None:
    random = np.random.default_rng(3)
    found = {"partition": [], "fold": [], "seed": []}
    for runs in runs_of(random, *sds, n=300):
        part = worlds.fit(runs)
        assert part.mean == pytest.approx(runs.mean())
        drawn = worlds.draw(part, worlds.weights(random, 5), random, 4)
        folds = drawn.mean(axis=-1)
        found["partition"].append(folds.mean(axis=-1).var(ddof=1))
        found["fold"].append((folds - folds.mean(axis=-1, keepdims=True)).var() * 4 / 3)
        found["seed"].append(drawn.var(axis=-1, ddof=1).mean())
    partition, fold, seed = (sd**2 for sd in sds)
    noise = seed / 4
    assert np.mean(found["seed"]) == pytest.approx(seed, rel=0.1)
    assert np.mean(found["partition"]) == pytest.approx(partition + noise / 4, rel=0.2)
    assert np.mean(found["fold"]) == pytest.approx(fold + noise, rel=0.2)


def test_methods_share_their_folds(worlds) -> None:
    random = np.random.default_rng(4)
    runs = runs_of(random, 0.03, 0.05, 0.0)[0]
    both = [worlds.fit(runs), worlds.fit(runs + 0.1)]
    shared = worlds.weights(random, 1)
    first, second = (worlds.draw(part, shared, random, 2) for part in both)
    assert second - first == pytest.approx(0.1)


def test_the_truth_of_a_cell(worlds) -> None:
    none = np.zeros(5), np.zeros(20)
    times = worlds.Variation(0.0, *none, np.log([1.0, 3.0]))
    part = worlds.Variation(0.5, *none, np.array([-0.6, 0.2]), times)
    true = worlds.true_of(part, np.random.default_rng(5), (1, 20))
    assert (true.score, true.time) == (0.5, pytest.approx(2.0, rel=0.02))
    assert true.failures == pytest.approx(0.5, abs=0.02)
    assert true.kept == pytest.approx(0.7)
    assert true.sd == pytest.approx(0.4, rel=0.02)


def test_coverage_and_errors(script) -> None:
    rows = [
        ("fitted", "one partition", "interval", "ratio", "", "True"),
        ("null", "one partition", "interval", "ratio", "", "True"),
        ("fitted", "one partition", "interval", "ratio", "", "False"),
        ("fitted", "one partition", "claims", "2", "weaker", "reproduced"),
        ("fitted", "one partition", "claims", "2", "reproduced", "reproduced"),
        ("fitted", "one partition", "claims", "2", "reproduced", "not reproduced"),
        ("fitted", "one partition", "claims", "2", "reproduced", "undecided"),
        ("fitted", "one partition", "claims", "2", "undecided", "weaker"),
        ("null", "one partition", "cells", "2", "agrees", "differs"),
    ]
    counts = script.tally(rows)
    (covered,) = script.coverage(counts).itertuples()
    assert (covered.share, covered.number) == (pytest.approx(2 / 3), 3)
    found = script.errors(counts).set_index("said")
    assert found.loc["reproduced", ["too_favourable", "too_strict"]].tolist() == [0.5, 0.0]
    assert found.loc["not reproduced", ["too_favourable", "too_strict"]].tolist() == [0.0, 1.0]
    # What lies between the bands is not weaker: the verdict is too favourable.
    assert found.loc["weaker", ["too_favourable", "too_strict"]].tolist() == [1.0, 0.0]
    assert "undecided" not in found.index
    page = script.page(counts, 1)
    assert "| ratio | one partition | 66.7 % | 3 |" in page
    assert "one partition: 1 of 1 cells differ" in page


def test_the_truth_of_a_printed_mean_is_that_of_its_table(worlds) -> None:
    paper, key = get_paper("srt"), ("airfoil", "srt", (3,))
    part = worlds.Variation(0.7, np.zeros(5), np.zeros(20), np.array([-0.01, 0.01]))
    true = {key: worlds.CellTruth(0.7, 0.7, 0.01, 0.0, 1.0)}
    drawn, known = worlds.printed(paper, {key: part}, true, shift=True, seed=1)
    of_key = [cell for cell in drawn.cells if (cell.dataset, cell.method, cell.setting) == key]
    assert known == {key: pytest.approx(0.816)}
    means = {cell.table: cell.mean for cell in of_key}
    assert means == {"2": pytest.approx(0.816, abs=0.004), "F.8": pytest.approx(0.855, abs=0.004)}
    assert worlds.printed(paper, {key: part}, true, shift=False, seed=1)[1] == {key: 0.7}
