"""The training and test rows of splits that the plan lists: by groups, by time, by a splitter.

They are computed once, when trials are planned. Each trial has the digest of its rows in its key,
and the workers read the rows from a file of that name.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from boostbench.config.model import Experiment
from boostbench.data.dataset import Dataset
from boostbench.data.row_splits import splits_by_columns
from boostbench.data.splits import Split, SplitRule
from boostbench.errors import DataError
from boostbench.objects.names import readable
from boostbench.plan.splitters import make_splitter, rows_by_splitter
from boostbench.suggest import counted

Place = tuple[int, int]
"""A split seed and the number of a fold or split."""


def list_rows(
    experiment: Experiment, dataset: Dataset, rule: SplitRule, given: Sequence[Split] = ()
) -> dict[Place, Split]:
    """Return the rows of each split by split seed and number; ``given`` are those of files.

    Raises DataError where the rows cannot be divided so.
    """
    return {
        (split_seed, number): split
        for split_seed in experiment.split_seeds_of(rule)
        for number, split in enumerate(_rows(experiment, dataset, rule, split_seed, given))
    }


def _rows(
    experiment: Experiment,
    dataset: Dataset,
    rule: SplitRule,
    split_seed: int,
    given: Sequence[Split],
) -> Sequence[Split]:
    """Return the rows of each split of one split seed."""
    name = f"data set '{dataset.name}'"
    if rule.split == "files":
        return given[: rule.folds]
    if rule.split == "splitter":
        splits = experiment.splitter_of(dataset.name)
        assert splits is not None
        assert splits.splitter is not None
        splitter = make_splitter(splits.splitter, splits.params, split_seed)
        where = f"{name}, splitter {readable(splits.splitter)}"
        return rows_by_splitter(splitter, dataset, where)
    return splits_by_columns(
        dataset.groups,
        dataset.times,
        dataset.y if dataset.task == "classification" else None,
        n=rule.folds,
        test_size=rule.test_size,
        split_seed=split_seed,
        name=name,
    )


def rule_of_rows(rule: SplitRule, rows: Mapping[Place, Split]) -> SplitRule:
    """Return a rule with the number of splits, and how they overlap."""
    by_seed: dict[int, list[Split]] = {}
    for (split_seed, _), split in rows.items():
        by_seed.setdefault(split_seed, []).append(split)
    numbers = {len(splits) for splits in by_seed.values()}
    if len(numbers) > 1:
        raise DataError(
            "the splitter gives other numbers of splits for other split seeds: "
            f"{' and '.join(map(str, sorted(numbers)))}; have one split_seed"
        )
    overlap = _overlap(next(iter(by_seed.values())))
    return SplitRule(rule.split, numbers.pop(), rule.test_size, overlap=overlap)


def _overlap(splits: Sequence[Split]) -> Literal["", "windows", "test"]:
    """Return how splits overlap; see :class:`~boostbench.data.splits.SplitRule`."""
    if len(splits) < 2:
        return ""
    first_test = splits[0][1]
    if all(np.array_equal(test, first_test) for _, test in splits[1:]):
        return "test"
    trains_on_earlier = False
    n_rows = 1 + max(int(part.max()) for split in splits for part in split)
    is_trained = [_mark(train, n_rows) for train, _ in splits]
    for (i, (_, test)), (j, (_, later_test)) in combinations(enumerate(splits), 2):
        if is_trained[i][later_test].any():
            return ""
        trains_on_earlier |= bool(is_trained[j][test].any())
    return "windows" if trains_on_earlier else ""


def _mark(rows: np.ndarray, n_rows: int) -> np.ndarray:
    marks = np.zeros(n_rows, dtype=bool)
    marks[rows] = True
    return marks


def check_columns(dataset: Dataset, split: Split, own: str, name: str) -> None:
    """Check that a split, called ``own``, divides no group and trains on earlier rows only.

    Raises DataError where the data set has groups or times, and the split does otherwise.
    """
    train, test = split
    groups, times = dataset.groups, dataset.times
    if groups is not None:
        both = np.intersect1d(groups[train], groups[test])
        if len(both):
            raise DataError(
                f"{name}: {own} has training and test rows of {counted(len(both), 'group')}; "
                "divide it by folds, by splits: {test_size: ...} or by a splitter that keeps "
                "groups together, such as sklearn.model_selection.GroupKFold, or leave 'group' out"
            )
    if times is not None and times[train].max() >= times[test].min():
        late = int((times[train] >= times[test].min()).sum())
        raise DataError(
            f"{name}: {own} has {counted(late, 'training row')} that "
            f"{'is' if late == 1 else 'are'} not earlier than all its test rows; divide it by "
            "folds or by splits: {test_size: ...}, which train on earlier rows only, or leave "
            "'time' out"
        )


def left_out_of_training(dataset: Dataset, rows: Mapping[Place, Split]) -> list[str]:
    """Return in a sentence that earlier rows of tested groups are not trained on, if there are."""
    if dataset.groups is None or dataset.times is None:
        return []
    most = max(
        int((dataset.times < dataset.times[test].min()).sum()) - len(train)
        for train, test in rows.values()
    )
    if not most:
        return []
    return [f"up to {counted(most, 'earlier row')} of groups that are tested are not trained on"]
