"""Recorded trials that run again since their code was edited, and the sentence about them."""

from dataclasses import replace

import pytest
from trials import make_trial

from boostbench.plan.difference import difference_of_plans, difference_of_trials, why_again
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial


def _trial(method: str = "mine", fold: int = 0, code: str = "old", **changes: object) -> Trial:
    return make_trial(method=method, estimator=f"own:{method}", fold=fold, code=code, **changes)


def test_trials_are_counted_by_method_and_change() -> None:
    recorded = [_trial("mine", fold) for fold in range(4)] + [_trial("other")]
    to_run = [replace(trial, code="new") for trial in recorded]
    to_run.append(_trial("mine", 7))
    first, second = why_again(recorded, to_run, {})
    assert first.startswith("mine: its source changed since 4 trials of it ran: run again")
    assert second.startswith("other: its source changed since 1 trial of it ran: runs again")
    assert why_again([], to_run, {}) == why_again(recorded, [], {}) == []
    # The last of several recorded ones is compared.
    far = _trial(params={"a": 1}, code="older", method_version="0")
    (sentence,) = why_again([far, _trial()], [_trial(code="new")], {})
    assert sentence.startswith("mine: its source changed since 1 trial")
    # Files of another machine cannot be named.
    (sentence,) = why_again(recorded[:1], to_run[:1], {"mine": {"/elsewhere/b.py": "0"}})
    assert sentence.startswith("mine: its source changed since 1 trial")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"params": {"a": 1, "b": 2}}, "a, b"),
        ({"method_version": "2"}, "its version"),
        ({"code": "new", "fingerprint": "g"}, "the data, its source"),
        # These are other trials.
        ({"seed": 1}, ""),
        ({"split_seed": 1}, ""),
        ({"method": "renamed"}, ""),
        ({"dataset": "e"}, ""),
    ],
)
def test_changes_are_named(change: dict[str, object], words: str) -> None:
    found = why_again([_trial()], [replace(_trial(), **change)], {})
    assert [one.partition(" changed since 1 trial")[0] for one in found] == (
        [f"mine: {words}"] if words else []
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"params": {"a": 1, "b": [2]}}, {"params": {"a": 1.0}}, "a 1 -> 1.0; b [2] -> default"),
        ({"method_version": "1"}, {"method_version": "2"}, "version 1 -> 2"),
        # Digests say nothing to users.
        ({"fingerprint": "f", "rows": "a"}, {"fingerprint": "g", "rows": "b"},
         "the data; the rows of its splits"),
        ({"estimator": "own:A"}, {"estimator": "own:B"}, "estimator own:A -> own:B"),
        ({"dataset": "d"}, {"dataset": "e"}, ""),
    ],
)  # fmt: skip
def test_the_difference_of_two_trials_has_their_values(old, new, said) -> None:
    first = make_trial(method="m", **old)
    changes = difference_of_trials(first, replace(first, **new))
    # Fields are in the order of the class.
    assert sorted(map(str, changes)) == sorted(filter(None, said.split("; ")))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"choose": {"C": [1.0]}}, {}, "C of d/m/0/0 is [1.0] in A and 'default' in B"),
        ({}, {"choose_with": {"tol": 0.1}}, "tol of d/m/0/0 is 'default' in A and 0.1 in B"),
        ({"split": "kfold"}, {"split": "stratified"},
         "split of d/m/0/0 is 'kfold' in A and 'stratified' in B"),
        ({"curves": True}, {}, "curves of d/m/0/0 is True in A and False in B"),
    ],
)  # fmt: skip
def test_the_difference_of_two_plans_is_the_first_that_explains_it(first, second, message) -> None:
    plans = [
        [make_trial(method="m", **changes, fold=f) for f in (0, 1)] for changes in (first, second)
    ]
    assert difference_of_plans(*plans, ("A", "B")) == message
    same = [make_trial(method="m", fold=7)]
    later = [*same, plans[0][1]], [*same, plans[1][1]]
    assert difference_of_plans(*later, ("A", "B")) == message.replace("0/0", "1/0")


def test_a_shard_is_its_text_and_its_folder() -> None:
    for shard in (Shard(1, 1), Shard(2, 3), Shard(3, 3), Shard(10, 999999)):
        assert Shard.parse(str(shard)) == Shard.parse(f" {shard}\n") == shard
        assert Shard.of_folder(shard.folder) == shard
    assert Shard(2, 3).folder == "shard-2-of-3"
    for name in ("shard-2-of-", "my-shard-2-of-3", "shard-2-of-3.old", "trials"):
        assert Shard.of_folder(name) is None
