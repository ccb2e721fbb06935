"""Folds, random splits and given test rows, which depend on data set and split seed only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.data.dataset import Target
from boostbench.errors import DataError

Rows = NDArray[np.int64]
Split = tuple[Rows, Rows]
"""The sorted row numbers of the training and of the test part."""
BY_ROWS = ("group", "time", "splitter", "files")
"""The kinds of splits whose rows are listed when trials are planned."""


@dataclass(frozen=True)
class SplitRule:
    """How the rows of a data set are divided into training and test rows, ``folds`` times.

    ``split`` is ``kfold`` or ``stratified`` (folds), ``shuffle`` (random splits that leave the
    share ``test_size`` for the test), ``listed`` (the test rows of each split were listed, and
    ``test_rows`` is the digest of all of them, see :func:`boostbench.data.arrays.save_test_rows`),
    one of :data:`BY_ROWS`, whose rows the plan lists (:mod:`boostbench.plan.rows`), or
    ``given``: the training rows are the first ``train_rows`` (all rows where None), of these the
    one of ``train_batches`` equal consecutive parts that belongs to the split, and of these
    ``train_per_class`` random rows of each class. Tested are the rows after the first
    ``train_rows``, or, where these are not given, all that are not trained on. Rows listed by the
    plan are ``group`` (no group on both sides; random splits where there is a ``test_size``),
    ``time`` (trained on earlier rows only; the latest rows are tested where there is a
    ``test_size``), ``splitter`` (a splitter divides them into ``folds`` splits, 0 while that number
    is not known) or ``files``. Their ``overlap`` is ``windows`` where splits train on rows on which
    earlier ones are tested, but not the other way round, and ``test`` where all have the same test
    rows.
    """

    split: str
    folds: int
    test_size: float | None = None
    train_rows: int | None = None
    train_per_class: int | None = None
    train_batches: int | None = None
    test_rows: str = ""
    overlap: Literal["", "windows", "test"] = field(default="", compare=False)

    @property
    def makes_folds(self) -> bool:
        """Whether the test parts are folds, which partition the rows."""
        in_groups = self.split == "group" and self.test_size is None
        return self.split in ("kfold", "stratified") or in_groups

    @property
    def part(self) -> str:
        """What a part is called: a fold, or else a split."""
        return "fold" if self.makes_folds else "split"

    @property
    def is_by_rows(self) -> bool:
        """Whether the plan lists the training and test rows of each split."""
        return self.split in BY_ROWS

    @property
    def is_one_split(self) -> bool:
        """Whether the rows are divided in one way only, however many splits are asked for."""
        if self.split == "time":
            return self.test_size is not None
        in_batches = (self.train_batches or 1) > 1
        return self.split == "given" and self.train_per_class is None and not in_batches

    @property
    def uses_split_seed(self) -> bool:
        """Whether another split seed divides the rows otherwise."""
        if self.split in ("listed", "files", "time"):
            return False
        return self.split != "given" or bool(self.train_per_class)

    @property
    def shares_test_rows(self) -> bool:
        """Whether several training sets are tested on the same rows."""
        if self.overlap == "test":
            return True
        given = self.split == "given" and self.train_rows is not None
        return given and self.folds > 1 and not self.is_one_split

    @property
    def trains_on_earlier_tests(self) -> bool:
        """Whether a split trains on rows on which earlier ones are tested, as windows do."""
        return self.overlap == "windows"

    @property
    def division(self) -> "SplitRule":
        """The rule without the number of splits, unless the training rows depend on it."""
        in_windows = self.split == "time" and self.test_size is None
        return self if self.makes_folds or in_windows else replace(self, folds=0)

    @property
    def words(self) -> str:
        """The parts in words; "" for folds."""
        if self.is_by_rows:
            return self._words_by_rows
        if self.test_size is not None:
            share = 100 * self.test_size
            return f"{100 - share:g} % of the rows for training, {share:g} % for the test"
        if self.test_rows:
            return "the test rows of given files, all others for training"
        if self.split != "given":
            return ""
        first = "" if self.train_rows is None else f"the first {self.train_rows:,} rows"
        if self.train_batches is not None:
            first = f"one of {self.train_batches} equal parts of {first}"
        if self.train_per_class is not None:
            first = f"{self.train_per_class:,} rows per class" + (f" of {first}" if first else "")
        rest = "all others" if self.train_rows is None else f"all after row {self.train_rows:,}"
        return f"{first} for training, {rest} for the test"

    @property
    def _words_by_rows(self) -> str:
        """The parts in words where the plan lists their rows."""
        share = 100 * (self.test_size or 0.0)
        match self.split:
            case "group" if self.test_size is not None:
                return f"{100 - share:g} % of the groups for training, {share:g} % for the test"
            case "group":
                return f"{self.folds} folds of whole groups"
            case "time" if self.test_size is not None:
                return f"the latest {share:g} % of the rows for the test, earlier ones for training"
            case "time":
                return "later and later rows for the test, all earlier ones for training"
            case "files":
                return "the training and test rows of given files"
        return "the training and test rows of a splitter"


def kfold_indices(n_samples: int, folds: int, fold: int, split_seed: int) -> Split:
    """Return the sorted row numbers (train, test) of one fold of a shuffled k-fold.

    The folds are those of ``sklearn.model_selection.KFold(folds, shuffle=True,
    random_state=split_seed)``: every method and seed sees the same ones.

    Parameters
    ----------
    fold : 0 .. folds - 1

    """
    order = np.random.RandomState(split_seed).permutation(n_samples)
    test = np.sort(np.array_split(order, folds)[fold]).astype(np.int64)
    return _others(test, n_samples), test


def stratified_kfold_indices(y: Target, folds: int, fold: int, split_seed: int) -> Split:
    """Return the sorted row numbers (train, test) of one fold with its share of each class.

    The folds are those of ``sklearn.model_selection.StratifiedKFold(folds, shuffle=True,
    random_state=split_seed)``, which also takes classes of fewer rows than folds here.

    Parameters
    ----------
    y : (n_samples,) class codes
    fold : 0 .. folds - 1
    """
    # As scikit-learn numbers the classes: by their first row.
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]
    order = np.sort(codes)
    counts = np.array([np.bincount(order[i::folds], minlength=len(first)) for i in range(folds)])
    rng = np.random.RandomState(split_seed)
    fold_of = np.empty(len(y), dtype=np.int64)
    for code in range(len(first)):
        parts = np.arange(folds).repeat(counts[:, code])
        rng.shuffle(parts)
        fold_of[codes == code] = parts
    return np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def split_indices(
    y: Target,
    fold: int,
    rule: SplitRule,
    split_seed: int,
    *,
    stratify: bool = False,
    test_rows: Sequence[Rows] = (),
    name: str = "the data set",
) -> Split:
    """Return the sorted row numbers (train, test) of one of the splits of ``rule``.

    With ``stratify`` a random split has its share of each class of ``y`` (n_samples,), as
    stratified folds have. ``test_rows`` are those of each split where they are listed, ``name`` is
    the data set's name in messages.

    Raises
    ------
    DataError
        as the functions for each kind
    """
    if rule.split == "listed":
        test = np.sort(test_rows[fold])
        if test[-1] >= len(y):
            raise DataError(
                f"{name} has {len(y):,} rows, but its test_rows name {test[-1]:,}, from 0"
            )
        return _others(test, len(y)), test
    if rule.split == "given":
        return given_indices(y, fold, rule, split_seed, name=name)
    if rule.test_size is not None:
        return shuffle_indices(y, rule.test_size, fold, split_seed, stratify=stratify, name=name)
    if rule.folds > len(y):
        raise DataError(
            f"{name} has {len(y)} rows, fewer than the {rule.folds} folds; "
            f"set folds to at most {len(y)}"
        )
    if rule.split == "stratified":
        return stratified_kfold_indices(y, rule.folds, fold, split_seed)
    return kfold_indices(len(y), rule.folds, fold, split_seed)


def n_tested(test_size: float, n: int) -> int:
    """Return how many of ``n`` rows or groups are the share ``test_size``: at least one."""
    # A product such as 0.07 * 100 must not be rounded up for its last bit.
    return max(1, math.ceil(round(test_size * n, 9)))


def shuffle_indices(
    y: Target,
    test_size: float,
    split: int,
    split_seed: int,
    *,
    stratify: bool,
    name: str = "the data set",
) -> Split:
    """Return the sorted row numbers (train, test) of one random split: the same for every method.

    The test part has ``ceil(test_size * n_samples)`` rows, at least one. With ``stratify`` each
    class has its share of it, rounded down or up, and keeps at least one row for training.

    Parameters
    ----------
    y : (n_samples,) target; looked at only with ``stratify``
    split : 0, 1, ...; one split does not depend on how many others there are

    Raises
    ------
    DataError
        if the training part would have fewer than two rows
    """
    n_samples = len(y)
    n_test = n_tested(test_size, n_samples)
    if n_samples - n_test < 2:
        raise DataError(
            f"{name}: {n_samples} rows cannot be split with test_size {test_size}: "
            f"{n_samples - n_test} would be left for training"
        )
    rng = np.random.RandomState([split_seed, split])
    # Without classes all rows are of one, of which the test part is drawn.
    codes = np.unique(y, return_inverse=True)[1] if stratify else np.zeros(n_samples, np.int64)
    shares = _shares(np.bincount(codes), n_test, rng) if stratify else [n_test]
    chosen = [rng.permutation(np.flatnonzero(codes == code))[:n] for code, n in enumerate(shares)]
    test = np.sort(np.concatenate(chosen))
    return _others(test, n_samples), test


def given_indices(
    y: Target, split: int, rule: SplitRule, split_seed: int, name: str = "the data set"
) -> Split:
    """Return the sorted row numbers (train, test) where the test rows are given, or all the rest.

    See :class:`SplitRule`. The rows of each class are drawn by
    ``numpy.random.RandomState([split_seed, split])``, class after class: the same for every method.

    Parameters
    ----------
    y : (n_samples,) class codes; looked at only with ``train_per_class``
    split : 0, 1, ..., below ``train_batches`` where that is given

    Raises
    ------
    DataError
        if no row is left to test, the batches are unequal or too few, or a class has fewer training
        rows than ``train_per_class``
    """
    n_samples = len(y)
    train_rows = rule.train_rows
    batches = rule.train_batches
    end = n_samples if train_rows is None else train_rows
    if train_rows is not None and train_rows >= n_samples:
        raise DataError(
            f"{name} has {n_samples:,} rows, so that none is left to test on after train_rows: "
            f"{train_rows:,}; set train_rows lower"
        )
    train = np.arange(end, dtype=np.int64)
    if batches is not None:
        if split >= batches:
            raise DataError(
                f"{name}: there are {batches} batches of training rows, too few for split {split}, "
                f"counted from 0; set splits.n to at most {batches}"
            )
        if end % batches:
            raise DataError(
                f"{name} has {end:,} training rows, which cannot be divided into {batches} equal "
                "batches; set train_batches otherwise"
            )
        train = np.split(train, batches)[split]
    if rule.train_per_class is not None:
        rng = np.random.RandomState([split_seed, split])
        train = draw(y, train, rule.train_per_class, rng, name)
    if train_rows is not None:
        return train, np.arange(train_rows, n_samples, dtype=np.int64)
    test = _others(train, n_samples)
    if not len(test):
        raise DataError(
            f"{name}: train_per_class is {rule.train_per_class}, all rows of each class: none is "
            "left to test"
        )
    return train, test


def _others(rows: Rows, n_samples: int) -> Rows:
    """Return the row numbers that are not among ``rows``, sorted."""
    return np.setdiff1d(np.arange(n_samples), rows)


def draw(y: Target, rows: Rows, per_class: int, rng: np.random.RandomState, name: str) -> Rows:
    """Return ``per_class`` random ``rows`` of each class in ``y``, sorted."""
    chosen = []
    for label in np.unique(y):
        mine = rows[y[rows] == label]
        if len(mine) < per_class:
            raise DataError(
                f"{name} has {len(mine):,} rows of the class with code {label} to draw "
                f"{per_class:,} per class from"
            )
        chosen.append(rng.permutation(mine)[:per_class])
    return np.sort(np.concatenate(chosen))


def _shares(counts: Rows, n_test: int, rng: np.random.RandomState) -> Rows:
    """Return the test rows per class: about the same share of each, ``n_test`` in total."""
    exact = n_test * counts / counts.sum()
    shares = np.floor(exact).astype(np.int64)
    # Largest remainders first; equal ones in random order, so that no class is favoured.
    order = np.lexsort((rng.permutation(len(counts)), shares - exact))
    for code in order[: n_test - shares.sum()]:
        shares[code] += 1
    return np.asarray(np.minimum(shares, counts - 1))
