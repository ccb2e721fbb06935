"""The order of a data set's rows: checked against its card, or made the same for all copies."""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from boostbench.data.cards import Card
from boostbench.data.dataset import Dataset, with_fingerprint
from boostbench.data.splits import SplitRule
from boostbench.errors import DataError, UnavailableDataError


def check_order(dataset: Dataset, card: Card, rule: SplitRule) -> None:
    """Check the class counts of each training part and of the test part against the card.

    Copies of a data set may have its rows in another order, where the first rows are not its
    training rows. Equal counts of each class in each part leave little doubt. Only rules with the
    card's training rows are checked, and only cards with ``class_counts``; where the rule has other
    batches than the card, the training rows are checked as a whole.

    Raises
    ------
    DataError
        if the data have more classes than the card
    UnavailableDataError
        if a part's count of a class differs from the card's
    """
    counts = np.array(card.class_counts, dtype=np.int64)
    if not len(counts) or rule.train_rows != counts[:-1].sum():
        return
    if dataset.y.max() >= counts.shape[1]:
        raise DataError(
            f"data set '{dataset.name}' has {int(dataset.y.max()) + 1:,} classes, but the "
            f"class_counts of its card are of {counts.shape[1]:,}"
        )
    if rule.train_batches != len(counts) - 1:
        counts = np.array([counts[:-1].sum(axis=0), counts[-1]])
    ends = [0, *accumulate(int(part.sum()) for part in counts)]
    for start, stop, expected in zip(ends[:-1], ends[1:], counts, strict=True):
        n_rows = np.bincount(dataset.y[start:stop], minlength=len(expected))
        wrong = np.flatnonzero(n_rows != expected)
        if len(wrong):
            code, n = int(wrong[0]), int(expected[wrong[0]])
            raise UnavailableDataError(
                f"data set '{dataset.name}' has {n_rows[code]:,} rows of the class "
                f"'{dataset.label_of(code)}' among its rows {start + 1:,} to {stop:,}, where "
                f"{n:,} {'is' if n == 1 else 'are'} expected: this copy does not have the original "
                "order, so that its test rows are not known; divide it by splits: "
                "{test_size: 0.25} in place of given"
            )


def in_canonical_order(dataset: Dataset, train_rows: int | None) -> Dataset:
    """Return the data set with the rows of each of its two parts sorted by class, then by values.

    The parts are the first ``train_rows`` rows (all rows where None) and the rest. Values are
    compared feature by feature, from the first on.
    """
    end = len(dataset.y) if train_rows is None else train_rows
    parts = np.arange(len(dataset.y)) >= end
    # The last key of lexsort is the first to decide.
    order = np.lexsort([*dataset.X.T[::-1], dataset.y, parts])
    return with_fingerprint(replace(dataset, X=dataset.X[order], y=dataset.y[order]))
