"""Recorded trials that run again since their code was edited, and the sentence about them."""

from dataclasses import replace

import pytest

from boostbench.errors import ConfigError
from boostbench.plan.code_changes import changed_since_recorded, sentences
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial


def _trial(method: str = "mine", fold: int = 0, code: str = "old", **changes: object) -> Trial:
    trial = Trial(
        dataset="d", method=method, estimator=f"own:{method}", method_version="1",
        fingerprint="f", task="regression", folds=4, fold=fold, split_seed=0, seed=0,
        scale_features="minmax", scale_target="standard", code=code,
    )  # fmt: skip
    return replace(trial, **changes)


def test_trials_are_counted_by_method_and_by_what_has_changed() -> None:
    recorded = [_trial("mine", fold) for fold in range(4)]
    recorded += [_trial("other", fold) for fold in range(2)]
    to_run = [replace(trial, code="new") for trial in recorded]
    to_run.append(_trial("mine", 7))
    found = changed_since_recorded(recorded, to_run)
    assert found == {"mine": {("code",): 4}, "other": {("code",): 2}}
    assert changed_since_recorded([], to_run) == {}
    assert changed_since_recorded(recorded, []) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"params": {"a": 1}}, "parameters changed"),
        ({"fingerprint": "g"}, "the data changed"),
        ({"folds": 5}, "the split changed"),
        ({"split": "shuffle", "test_size": 0.5}, "the split changed"),
        ({"method_version": "2"}, "its version changed"),
        ({"choose": {"a": [1]}}, "the choice of parameters changed"),
        ({"code": "new", "fingerprint": "g"}, "the data, its source changed"),
    ],
)
def test_what_has_changed_is_named(change: dict[str, object], words: str) -> None:
    recorded = [_trial(fold=fold) for fold in range(4)]
    found = changed_since_recorded(recorded, [replace(trial, **change) for trial in recorded])
    (sentence,) = sentences(found, {}, {})
    assert sentence.startswith(f"mine: {words} since 4 trials of it ran: run again")


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"split_seed": 1}, {"method": "renamed"}, {"dataset": "e"}]
)
def test_other_trials_are_no_changed_ones(change: dict[str, object]) -> None:
    assert changed_since_recorded([_trial()], [replace(_trial(), **change)]) == {}


def test_of_several_recorded_ones_the_nearest_is_compared() -> None:
    far = _trial(params={"a": 1}, code="older", method_version="0")
    found = changed_since_recorded([far, _trial(), far], [_trial(code="new")])
    assert found == {"mine": {("code",): 1}}


def test_the_files_that_changed_came_or_went_are_named() -> None:
    before = {"mine": {"a.py": "1", "b.py": "1", "gone.py": "1"}, "other": {"a.py": "1"}}
    now = {"mine": {"a.py": "1", "b.py": "2", "new.py": "1"}, "other": {"a.py": "1"}}
    code = ("code",)
    counts = {"mine": {code: 3}, "other": {code: 1}, "third": {code: 2}}
    first, second, third = sentences(counts, before, now)
    assert first.startswith("mine: b.py, new.py, gone.py changed since 3 trials of it ran: run ")
    assert second.startswith("other: its source changed since 1 trial of it ran: runs again")
    assert third.startswith("third: its source changed since 2 trials")
    (unknown,) = sentences({"mine": {code: 1}}, {}, now)
    assert unknown.startswith("mine: its source changed since 1 trial")
    assert sentences({}, before, now) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0/3", "I in I/N is 1 to 3"),
        ("4/3", "I in I/N is 1 to 3"),
        ("1/0", "N in I/N is at least 1"),
        ("0/0", "N in I/N is at least 1"),
        ("1", "give I/N"),
        ("1/2/3", "give I/N"),
        ("-1/3", "give I/N"),
        ("1234567/3", "give I/N"),
        ("", "give I/N"),
    ],
)
def test_a_shard_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        Shard.parse(text)
    assert str(error.value).startswith(f"--shard {text}: {words}")


def test_a_shard_is_its_text_and_its_folder() -> None:
    for shard in (Shard(1, 1), Shard(2, 3), Shard(3, 3), Shard(10, 999999)):
        assert Shard.parse(str(shard)) == Shard.parse(f" {shard}\n") == shard
        assert Shard.of_folder(shard.folder) == shard
    assert Shard(2, 3).folder == "shard-2-of-3"
    for name in ("shard-2-of-", "my-shard-2-of-3", "shard-2-of-3.old", "trials"):
        assert Shard.of_folder(name) is None
