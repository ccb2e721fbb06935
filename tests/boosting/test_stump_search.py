import numpy as np
import pytest
from boosting_reference import as_tuple, best_stump
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.boosting import InputError, best_stumps, stump_outputs


@st.composite
def tied_problems(draw):
    n = draw(st.integers(1, 30))
    d = draw(st.integers(1, 4))
    columns = draw(st.integers(1, 20))
    levels = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, levels, (n, d)).astype(np.float64)
    return X, rng.integers(-2, 3, (n, columns)).astype(np.float64)


def assert_best(X, weights, rel=0.0):
    """The search finds the stumps of brute force, with their scores to ``rel``."""
    stumps, scores = best_stumps(X, weights)
    for column, (stump, score) in enumerate(zip(stumps, scores, strict=True)):
        expected, expected_score = best_stump(X, weights[:, column])
        assert as_tuple(stump) == expected
        assert score == pytest.approx(expected_score, rel=rel, abs=0.0)
        assert stump["class"] == column


@settings(max_examples=80)
@given(tied_problems())
def test_agrees_with_brute_force_down_to_the_rule_for_ties(problem):
    assert_best(*problem)


@pytest.mark.parametrize("n_columns", [1, 5, 33])
def test_agrees_with_brute_force_for_real_weights(n_columns):
    rng = np.random.default_rng(n_columns)
    X = np.round(rng.normal(size=(80, 5)), 1)
    assert_best(X, rng.normal(size=(80, n_columns)) * np.exp(3 * rng.normal(size=n_columns)), 1e-6)


@pytest.mark.parametrize("common", [-2.0, 0.0, 2.0])
def test_the_most_frequent_value_may_lie_anywhere(common):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((90, 3)) < 0.7, common, rng.integers(-2, 3, (90, 3)))
    assert_best(X, rng.integers(-3, 4, (90, 6)).astype(float))


@pytest.mark.parametrize("n_values", [3, 400])
def test_long_runs_of_equal_values(n_values):
    rng = np.random.default_rng(n_values)
    runs = [rng.integers(0, n_values, 2000), rng.binomial(n_values, 0.5, 2000)]
    # Small integers, so that many stumps are equally good.
    weights = rng.integers(-2, 3, (2000, 5)).astype(float)
    assert_best(np.column_stack([*runs, rng.normal(size=2000)]), weights)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_peaks_within_blocks_are_found_where_most_blocks_are_passed_over(scale):
    rng = np.random.default_rng(7)
    best = rng.permutation(3000).astype(float)
    # Nearly as good, as good, as good the other way round, far worse.
    X = np.column_stack([best + rng.normal(size=3000), best, -best, np.roll(best, 1)])
    cuts = np.array([300.0, 1500.0, 1507.0])
    weights = np.where(best[:, None] > cuts, 1.0, -1.0) * rng.integers(0, 3, (3000, 3))
    # One weight so heavy that no block is known to be out of reach.
    weights[17] *= scale
    assert_best(X, weights)


def test_more_samples_than_16_bits_can_number():
    x = np.random.default_rng(4).permutation(40_000).astype(float)
    stumps, scores = best_stumps(x[:, None], np.where(x > 12_345, 1.0, -1.0)[:, None])
    assert as_tuple(stumps[0]) == (0, 12_345.5, 1)
    assert scores[0] == 40_000


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.int16, np.float16, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_neither_type_nor_layout_matters(dtype, order):
    rng = np.random.default_rng(2)
    X = np.asarray(rng.integers(0, 9, (60, 3)).astype(dtype), order=order)
    weights = rng.normal(size=(60, 5))
    same, _ = best_stumps(X.astype(np.float64), weights)
    stumps, _ = best_stumps(X, weights)
    np.testing.assert_array_equal(stumps, same)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
        (0.0, 5e-324),
        (-5e-324, 0.0),
    ],
)
def test_thresholds_part_even_the_closest_and_the_largest_values(low, high):
    X = np.array([[low], [high]])
    stumps, _ = best_stumps(X, [[-1.0], [1.0]])
    assert np.isfinite(stumps["threshold"][0])
    assert stump_outputs(stumps, X).tolist() == [[-1, 1]]


def test_weights_of_any_size():
    X = np.array([[0.0], [1.0], [2.0]])
    for size in (1e-310, 1e-300, 1e-12, 1e12, 1e300, 1e308):
        stumps, scores = best_stumps(X, np.array([[-size], [size], [size]]))
        assert as_tuple(stumps[0]) == (0, 0.5, 1)
        assert scores[0] == pytest.approx(3 * size, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("X", "weights", "words"),
    [
        ([[1.0], [2.0]], [[1.0]], r"\(2, 1\) and \(1, 1\)"),
        ([[np.nan]], [[1.0]], "NaN"),
        ([[1.0]], [[np.inf]], "infinity"),
        ([1.0], [[1.0]], "n_features"),
    ],
)
def test_bad_input_is_one_sentence(X, weights, words):
    with pytest.raises(InputError, match=words):
        best_stumps(X, weights)
