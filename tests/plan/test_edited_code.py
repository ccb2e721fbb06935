"""Recorded trials that run again since their code was edited, and the sentence about them."""

from dataclasses import replace

import pytest

from boostbench.errors import ConfigError
from boostbench.plan.code_changes import recorded_with_other_code, sentences
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial


def _trial(method: str = "mine", fold: int = 0, code: str = "old", **changes: object) -> Trial:
    trial = Trial(
        dataset="d", method=method, estimator=f"own:{method}", method_version="1",
        fingerprint="f", task="regression", folds=4, fold=fold, split_seed=0, seed=0,
        scale_features="minmax", scale_target="standard", code=code,
    )  # fmt: skip
    return replace(trial, **changes)


def test_trials_that_differ_in_their_code_only_are_counted_by_method() -> None:
    before = [_trial("mine", fold) for fold in range(4)]
    before += [_trial("other", fold) for fold in range(2)]
    before += [_trial("ridge", 0, ""), _trial("same", 0)]
    recorded = {trial.key for trial in before if trial.fold < 3}
    now = [replace(trial, code="new" if trial.code else "") for trial in before[:-1]] + before[-1:]
    assert recorded_with_other_code(before, recorded, now) == {"mine": 3, "other": 2}
    assert recorded_with_other_code(before, set(), now) == {}
    assert recorded_with_other_code(before, recorded, before) == {}
    assert recorded_with_other_code([], recorded, now) == {}


@pytest.mark.parametrize(
    "change",
    [{"params": {"a": 1}}, {"fingerprint": "g"}, {"folds": 5}, {"seed": 1}, {"method": "renamed"},
     {"dataset": "e"}],
)  # fmt: skip
def test_trials_that_differ_in_more_than_their_code_are_new(change: dict[str, object]) -> None:
    before = [_trial(fold=fold) for fold in range(4)]
    recorded = {trial.key for trial in before}
    now = [_trial(fold=fold, code="new") for fold in range(4)]
    now[2] = replace(now[2], **change)
    assert recorded_with_other_code(before, recorded, now) == {"mine": 3}


def test_code_that_was_installed_before_is_no_edited_code() -> None:
    before = [_trial(code="")]
    assert recorded_with_other_code(before, {before[0].key}, [_trial(code="new")]) == {}


def test_the_files_that_changed_came_or_went_are_named() -> None:
    before = {"mine": {"a.py": "1", "b.py": "1", "gone.py": "1"}, "other": {"a.py": "1"}}
    now = {"mine": {"a.py": "1", "b.py": "2", "new.py": "1"}, "other": {"a.py": "1"}}
    first, second, third = sentences({"mine": 3, "other": 1, "third": 2}, before, now)
    assert first.startswith("mine: b.py, gone.py, new.py changed since 3 trials of it ran: run ")
    assert second.startswith("other: its source changed since 1 trial of it ran: runs again")
    assert third.startswith("third: its source changed since 2 trials")
    (unknown,) = sentences({"mine": 1}, {}, now)
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
