"""Given test rows, and samples of each class for training: which rows they are, and when not."""

from collections.abc import Sequence

import numpy as np
import pytest
from cards import card_of, load_card
from hypothesis import given
from hypothesis import strategies as st
from shelf import assert_parts

from boostbench.data import Dataset, fingerprint
from boostbench.data.cards import Card, Catalog
from boostbench.data.splits import SplitRule, given_indices
from boostbench.errors import DataError
from boostbench.plan.division import check_order


def rows_of(y: np.ndarray, split: int, seed: int, **options: int) -> tuple[np.ndarray, np.ndarray]:
    return given_indices(y, split, SplitRule("given", 1, **options), seed)


counts = st.lists(st.integers(3, 12), min_size=2, max_size=5)


@given(counts, st.integers(1, 3), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_a_sample_has_as_many_rows_of_each_class_and_the_rest_is_tested(
    counts: list[int], per_class: int, split: int, seed: int
) -> None:
    y = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    if per_class == 3 and set(counts) == {3}:
        counts, y = [*counts, 4], np.append(y, np.full(4, len(counts)))
    train, test = rows_of(y, split, seed, train_per_class=per_class)
    assert_parts(train, test, len(y))
    assert np.bincount(y[train]).tolist() == [per_class] * len(counts)
    again = rows_of(y, split, seed, train_per_class=per_class)
    np.testing.assert_array_equal(again[0], train)


def test_given_rows_are_tested_in_each_split_and_never_trained_on() -> None:
    y = np.tile(np.arange(4), 30)
    parts = [rows_of(y, i, 7, train_rows=80, train_per_class=5) for i in range(60)]
    for train, test in parts:
        np.testing.assert_array_equal(test, np.arange(80, 120))
        assert train.max() < 80
        assert np.bincount(y[train]).tolist() == [5] * 4
    assert len({train.tobytes() for train, _ in parts}) == 60
    assert len(np.unique(np.concatenate([train for train, _ in parts]))) == 80
    other = rows_of(y, 0, 8, train_rows=80, train_per_class=5)
    assert other[0].tobytes() not in {train.tobytes() for train, _ in parts}
    whole = rows_of(y, 3, 7, train_rows=80)
    np.testing.assert_array_equal(whole[0], np.arange(80))


def test_each_split_trains_on_its_own_batch() -> None:
    y = np.tile(np.arange(2), 30)
    parts = [rows_of(y, i, 0, train_rows=50, train_batches=5) for i in range(5)]
    np.testing.assert_array_equal(np.concatenate([train for train, _ in parts]), np.arange(50))
    assert all(len(train) == 10 for train, _ in parts)
    assert all((test == np.arange(50, 60)).all() for _, test in parts)
    train, _ = rows_of(y, 4, 0, train_rows=50, train_batches=5, train_per_class=2)
    assert train.min() >= 40
    assert len(train) == 4


@pytest.mark.parametrize(
    ("split", "options", "words"),
    [
        (0, {"train_rows": 12}, "none is left to test on"),
        (0, {"train_per_class": 3}, "none is left to test"),
        (0, {"train_per_class": 4}, "has 3 rows of the class with code 0 to draw 4 per"),
        (0, {"train_rows": 8, "train_per_class": 3}, "has 2 rows of the class with code 2 "),
        (0, {"train_rows": 8, "train_batches": 3}, "cannot be divided into 3 equal batches"),
        (2, {"train_rows": 8, "train_batches": 2}, "too few for split 2"),
    ],
)
def test_rows_that_are_not_there(split: int, options: dict[str, int], words: str) -> None:
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    with pytest.raises(DataError, match=words):
        rows_of(y, split, 0, **options)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (SplitRule("kfold", 4), ""),
        (SplitRule("shuffle", 5, 0.3), "70 % of the rows for training, 30 % for the test"),
        (SplitRule("given", 5, None, 60000, 1000), "1,000 rows per class of the first 60,000 rows"),
        (SplitRule("given", 5, None, None, 100), "100 rows per class for training, all others for"),
        (SplitRule("given", 5, None, 50000, None, 5), "one of 5 equal parts of the first 50,000"),
    ],
)
def test_rules_in_words(rule: SplitRule, words: str) -> None:
    assert rule.words[: len(words)] == words
    assert rule.words.endswith("all after row 50,000 for the test") == (rule.train_batches == 5)


def _dataset(y: Sequence[int]) -> Dataset:
    codes = np.array(y, dtype=np.int64)
    X = np.arange(len(codes), dtype=np.float64)[:, np.newaxis]
    return Dataset(
        "toy", X, codes, ("a",), "y", "classification", fingerprint(X, codes), "test", ("p", "q")
    )


def _card(**values: object) -> Card:
    return Card.model_validate(card_of(n_samples=8, n_features=1, **values))


COUNTS = {"class_counts": [[1, 1], [2, 0], [0, 4]]}


def test_rows_in_the_order_of_the_card() -> None:
    rule = SplitRule("given", 2, None, 4, None, 2)
    dataset = _dataset([1, 0, 0, 0, 1, 1, 1, 1])
    check_order(dataset, _card(**COUNTS), rule)
    # Without batches only the training part counts as a whole.
    check_order(_dataset([0, 0, 0, 1, 1, 1, 1, 1]), _card(**COUNTS), SplitRule("given", 2, None, 4))
    # Nothing is known of the order, or the user divides the rows otherwise.
    check_order(_dataset([0, 1] * 4), _card(), rule)
    check_order(_dataset([0, 1] * 4), _card(**COUNTS), SplitRule("given", 2, None, 6))
    # The same training rows in other batches: their sum is known.
    for batches in (1, 4):
        other = SplitRule("given", 1, None, 4, None, batches)
        check_order(_dataset([0, 0, 0, 1, 1, 1, 1, 1]), _card(**COUNTS), other)


@pytest.mark.parametrize(
    ("y", "batches", "words"),
    [
        ([0, 0, 0, 1, 1, 1, 1, 1], 2, "2 rows of the class 'p' among its rows 1 to 2, where 1 is"),
        ([1, 1, 1, 1, 0, 1, 0, 0], None, "0 rows of the class 'p' among its rows 1 to 4"),
        ([0, 0, 1, 1, 0, 1, 1, 1], 4, "2 rows of the class 'p' among its rows 1 to 4, where 3"),
    ],
)
def test_rows_in_another_order_have_no_known_test_rows(y, batches, words: str) -> None:
    with pytest.raises(DataError, match=f"{words}.* does not have the original order"):
        check_order(_dataset(y), _card(**COUNTS), SplitRule("given", 2, None, 4, None, batches))
    with pytest.raises(DataError, match="'toy' has 3 classes, but the class_counts of its card"):
        check_order(_dataset([0, 2] * 4), _card(**COUNTS), SplitRule("given", 2, None, 4))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"class_counts": [[1, 1], [2, 2]]}, "class_counts add up to 6, not to 8"),
        ({**COUNTS, "train_rows": 5}, "class_counts has 4 training rows, but train_rows is 5"),
        ({"splits": {"train_rows": 3}, "train_rows": 5}, "splits has 3 training rows"),
    ],
)
def test_a_card_that_does_not_add_up(values: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _card(**values)


@pytest.mark.parametrize("name", Catalog().names)
def test_the_splits_of_every_card_make_sense(name: str) -> None:
    from boostbench.config.splits import DatasetSplits, check_rule, split_rule
    from boostbench.config.splits import Splits as OfExperiment

    card = load_card(name)
    if not (card.splits or card.train_rows):
        return
    rule = split_rule(OfExperiment(n=5), DatasetSplits(given=True), name, card)
    check_rule(rule, None, card.task)
    assert rule.train_rows is None or rule.train_rows < card.n_samples
