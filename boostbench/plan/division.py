"""How the rows of a loaded data set are divided: row numbers are those of its file.

A file's rows without a target, or all rows with gaps under ``missing: drop``, are left out when it
is read, so that later rows move up. Listed test rows and ``train_rows`` count the rows of the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from boostbench.config.entries import DatasetEntry
from boostbench.config.files import ListedRows, ListedSplit
from boostbench.config.model import Experiment
from boostbench.data.arrays import rows_digest, test_rows_digest
from boostbench.data.cards import Card
from boostbench.data.dataset import Dataset
from boostbench.data.splits import Rows, Split, SplitRule
from boostbench.errors import DataError, UnavailableDataError
from boostbench.objects.names import rows_in_words
from boostbench.plan.rows import Place, left_out_of_training, list_rows, rule_of_rows
from boostbench.plan.splitters import splitter_in_words
from boostbench.suggest import counted, listing

_MOST_NAMED = 5


@dataclass(frozen=True)
class Division:
    """The rule for a loaded data set, whose rows are counted as they are in memory.

    ``test_rows`` are the listed test rows of each split, ``rows`` the training and test rows by
    split seed and number where the plan lists them, and ``digests`` those of these. ``names`` are
    what splits are called in messages: the files that list their rows, else their numbers.
    ``remarks`` say what differs from the rows that were asked for.
    """

    rule: SplitRule
    test_rows: Sequence[Rows] = ()
    rows: Mapping[Place, Split] = field(default_factory=dict)
    digests: Mapping[Place, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    remarks: Sequence[str] = ()


def division_of(experiment: Experiment, dataset: Dataset) -> Division:
    """Return how the rows of ``dataset`` are divided.

    Raises DataError where a listed test row is not in the file or has no target, or no test row is
    left. A card's rows are those that it describes, after any that it leaves out.
    """
    rule = experiment.split_rule(dataset.name, dataset.task)
    entry = experiment.entry(dataset.name)
    left_out = np.array(dataset.left_out if entry.card is None else (), dtype=np.int64)
    counting = _Counting(experiment.folder, dataset, left_out, drops=entry.missing == "drop")
    if rule.test_rows:
        return _listed(experiment, counting, rule)
    if rule.is_by_rows:
        return _by_rows(experiment, counting, rule)
    names = [f"{rule.part} {number}" for number in range(rule.folds)]
    division = Division(rule, names=names, remarks=_counted_once(experiment, entry, rule))
    if rule.train_rows is None or not len(left_out):
        return division
    return _of_first_rows(division, dataset, left_out)


def _counted_once(experiment: Experiment, entry: DatasetEntry, rule: SplitRule) -> list[str]:
    """Return in a sentence that the rows are divided once, where several splits are asked for."""
    if not rule.is_one_split or experiment.splits is None:
        return []
    asked = experiment.splits.n if "n" in experiment.splits.model_fields_set else 1
    asked = (entry.splits and entry.splits.n) or asked
    if asked == 1 and len(experiment.split_seed_list) == 1:
        return []
    return ["one training set and one test set are one split, whatever n and split_seeds say"]


def _of_first_rows(division: Division, dataset: Dataset, left_out: Rows) -> Division:
    """Return a division by the file's first ``train_rows`` rows, by those of them that are left."""
    rule, where = division.rule, f"data set '{dataset.name}'"
    asked = rule.train_rows or 0
    gone = int((left_out < asked).sum())
    if gone and (rule.train_batches or 1) > 1:
        raise DataError(
            f"{where} has {counted(gone, 'row')} of its first {asked:,} left out for missing "
            "values, so that its batches are not equal; complete them, or take them out of the "
            "file and lower train_rows"
        )
    n_rows = len(dataset.y) + len(left_out)
    if asked >= n_rows:
        raise DataError(
            f"{where} has {n_rows:,} rows, so that none is left to test on after train_rows: "
            f"{asked:,}; set train_rows lower"
        )
    if asked - gone >= len(dataset.y):
        raise DataError(f"{where} has no row to test on: all after row {asked:,} are left out")
    if not gone:
        return division
    remark = f"of the first {asked:,} rows (train_rows) {asked - gone:,} are left for training"
    rule = replace(rule, train_rows=asked - gone)
    return replace(division, rule=rule, remarks=[*division.remarks, remark])


def _listed(experiment: Experiment, counting: "_Counting", rule: SplitRule) -> Division:
    """Return a division by listed test rows, which it counts as they are in memory."""
    listed = experiment.listed_test_rows(counting.dataset.name)
    test_rows = [counting.in_memory(each, "test") for each in listed]
    names = [counting.name(each) for each in listed]
    rule = replace(rule, test_rows=test_rows_digest(test_rows))
    return Division(rule, test_rows, names=names, remarks=counting.remarks)


def _by_rows(experiment: Experiment, counting: "_Counting", rule: SplitRule) -> Division:
    """Return a division whose rows are listed here: by groups, time, a splitter, or files."""
    dataset = counting.dataset
    listed = experiment.listed_splits(dataset.name)
    given = [counting.split_in_memory(each) for each in listed]
    rows = list_rows(experiment, dataset, rule, given)
    rule = rule_of_rows(rule, rows)
    names = [f"{counting.name(each.train)} with {counting.name(each.test)}" for each in listed]
    names = names or [f"{rule.part} {number}" for number in range(rule.folds)]
    remarks = [
        *_divided_once(experiment, dataset.name, rule),
        *_by_stored_splitter(experiment, dataset.name, rule),
        *counting.remarks,
        *left_out_of_training(dataset, rows),
    ]
    digests = {place: rows_digest(split) for place, split in rows.items()}
    return Division(rule, rows=rows, digests=digests, names=names, remarks=remarks)


def _divided_once(experiment: Experiment, name: str, rule: SplitRule) -> list[str]:
    """Return in a sentence that split seeds do not change the rows, where several are given."""
    if counted_once := _counted_once(experiment, experiment.entry(name), rule):
        return counted_once
    if rule.uses_split_seed or len(experiment.split_seed_list) == 1:
        return []
    return ["its rows are divided in one way, whatever split_seeds says"]


def _by_stored_splitter(experiment: Experiment, name: str, rule: SplitRule) -> list[str]:
    """Return in a sentence which splitter from Python divides the rows, if one does."""
    splits = experiment.splitter_of(name) if rule.split == "splitter" else None
    words = splitter_in_words(splits.splitter) if splits and splits.splitter else ""
    return [f"its rows are divided by {words}"] if words else []


@dataclass
class _Counting:
    """The rows that files list, counted as they are in memory, and ``remarks`` on those left out.

    ``drops`` says that rows with missing values are meant to be left out.
    """

    folder: Path | None
    dataset: Dataset
    left_out: Rows
    drops: bool
    remarks: list[str] = field(default_factory=list)

    def name(self, listed: ListedRows) -> str:
        """Return a file as the experiment names it, and rows from Python in words."""
        return rows_in_words(listed.path.name) or _relative(listed.path, self.folder)

    def split_in_memory(self, listed: ListedSplit) -> Split:
        """Return the sorted rows of a listed split as they are counted in memory."""
        test = np.sort(self.in_memory(listed.test, "test"))
        train = np.sort(self.in_memory(listed.train, "training"))
        return train, test

    def in_memory(self, listed: ListedRows, part: str) -> Rows:
        """Return the listed rows of a part as they are counted in memory.

        Raises DataError where one of them is not in the file or has no target, or none is left.
        """
        name, rows, left_out = self.name(listed), listed.rows, self.left_out
        where = f"data set '{self.dataset.name}': {name}"
        n_rows = len(self.dataset.y) + len(left_out)
        if rows.max() >= n_rows:
            raise DataError(
                f"{where} lists the row {rows.max():,}, but the data set has {n_rows:,} rows, "
                "counted from 0"
            )
        gone = np.intersect1d(rows, left_out)
        numbers = f"{listing(map(str, gone.tolist()), _MOST_NAMED)} (counted from 0)"
        if len(gone) and not self.drops:
            raise DataError(
                f"{where} lists {counted(len(gone), 'row')} without a target: {numbers}; complete "
                "them, take them out of the list, or set 'missing: drop'"
            )
        if len(gone) == len(rows):
            use = "test" if part == "test" else "train"
            raise DataError(f"{where} lists no row that 'missing: drop' leaves to {use} on")
        if len(gone):
            self.remarks.append(
                f"{len(gone):,} of the {len(rows):,} {part} rows in {name} left out for missing "
                f"values: {numbers}"
            )
            rows = rows[~np.isin(rows, gone)]
        return np.asarray(rows - np.searchsorted(left_out, rows))


def _relative(path: Path, folder: Path | None) -> str:
    """Return a file as the experiment names it where it lies below the experiment's folder."""
    inside = folder is not None and path.is_relative_to(folder)
    return str(path.relative_to(folder) if inside and folder is not None else path)


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
        for code in np.flatnonzero(n_rows != expected).tolist():
            raise UnavailableDataError(
                f"data set '{dataset.name}' has {n_rows[code]:,} rows of the class "
                f"'{dataset.label_of(code)}' among its rows {start + 1:,} to {stop:,}, where "
                f"{expected[code]:,} {'is' if expected[code] == 1 else 'are'} expected: this copy "
                "does not have the original order, so that its test rows are not known; divide it "
                "by splits: {test_size: 0.25} in place of given"
            )
