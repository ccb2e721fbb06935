"""Recorded trials that run again since their code was edited, and the sentence about them."""

from dataclasses import replace
from pathlib import Path

import pytest
from plan_parts import make_trial

from boostbench.plan.difference import why_again
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.user_code import file_digest


def _trial(method: str = "mine", fold: int = 0, code: str = "old", **changes: object) -> Trial:
    return make_trial(method=method, estimator=f"own:{method}", fold=fold, code=code, **changes)


def test_trials_are_counted_by_method_and_by_what_has_changed() -> None:
    recorded = [_trial("mine", fold) for fold in range(4)] + [_trial("other")]
    to_run = [replace(trial, code="new") for trial in recorded]
    to_run.append(_trial("mine", 7))
    first, second = why_again(recorded, to_run, {})
    assert first.startswith("mine: its source changed since 4 trials of it ran: run again")
    assert second.startswith("other: its source changed since 1 trial of it ran: runs again")
    assert why_again([], to_run, {}) == why_again(recorded, [], {}) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"params": {"a": 1, "b": 2}}, "a, b"),
        ({"fingerprint": "g"}, "the data"),
        ({"method_version": "2"}, "its version"),
        ({"code": "new", "fingerprint": "g"}, "the data, its source"),
    ],
)
def test_what_has_changed_is_named(change: dict[str, object], words: str) -> None:
    recorded = [_trial(fold=fold) for fold in range(4)]
    (sentence,) = why_again(recorded, [replace(trial, **change) for trial in recorded], {})
    assert sentence.startswith(f"mine: {words} changed since 4 trials")


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"split_seed": 1}, {"method": "renamed"}, {"dataset": "e"}]
)
def test_other_trials_are_no_changed_ones(change: dict[str, object]) -> None:
    assert why_again([_trial()], [replace(_trial(), **change)], {}) == []


def test_of_several_recorded_ones_the_last_is_compared() -> None:
    far = _trial(params={"a": 1}, code="older", method_version="0")
    (sentence,) = why_again([far, _trial()], [_trial(code="new")], {})
    assert sentence.startswith("mine: its source changed since 1 trial")


def test_the_files_that_changed_are_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        Path(name).write_text("")
    sources = {str(tmp_path / name): file_digest(Path(name)) for name in ("a.py", "b.py")}
    Path("b.py").write_text("1")
    sources[str(tmp_path / "gone.py")] = "0"
    recorded, now = [_trial()], [_trial(code="new", fingerprint="g")]
    (sentence,) = why_again(recorded, now, {"mine": sources})
    assert sentence.startswith("mine: b.py, the data changed since 1 trial")
    # Of the files of another machine it is not known which.
    (sentence,) = why_again(recorded, now, {"mine": {"/elsewhere/b.py": "0"}})
    assert sentence.startswith("mine: the data, its source changed since 1 trial")


def test_a_shard_is_its_text_and_its_folder() -> None:
    for shard in (Shard(1, 1), Shard(2, 3), Shard(3, 3), Shard(10, 999999)):
        assert Shard.parse(str(shard)) == Shard.parse(f" {shard}\n") == shard
        assert Shard.of_folder(shard.folder) == shard
    assert Shard(2, 3).folder == "shard-2-of-3"
    for name in ("shard-2-of-", "my-shard-2-of-3", "shard-2-of-3.old", "trials"):
        assert Shard.of_folder(name) is None
