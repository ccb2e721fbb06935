"""What differs between two records, trials or plans, in the same words for every command."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from boostbench.objects.names import is_saved
from boostbench.plan.trial import DETERMINING, LABELS, Trial, canonical_json
from boostbench.suggest import counted, listing
from boostbench.user_code import shown_path, sources_now

# What may differ of two stored objects of the same code.
_OBJECT, _PACKAGES = "its parameters", "the versions of its packages"
_WORDS = {
    "fingerprint": "the data",
    "method_version": "its version",
    "code": "its source",
    "positive": "the positive class",
    "features": "whether it gets a frame",
    "weighted": "whether it gets weights",
    "choose_by": "the metric to choose by",
    "choose_folds": "the inner folds",
    "rows": "the rows of its splits",
}
_DIGESTS = {"fingerprint", "code", "rows", _PACKAGES}

ByLabels = dict[tuple[object, ...], Trial]
"""Trials by the values by which users know them."""


class Change(NamedTuple):
    """A value that differs between two records, by its name in them."""

    name: str
    old: object
    new: object

    @property
    def what(self) -> str:
        """What has changed, such as ``its version``."""
        if self.name == _OBJECT:
            return f"{self.name} ({self.old} before, {self.new} now)"
        return _WORDS.get(self.name, self.name)

    def __str__(self) -> str:
        """Return what has changed with both values, such as ``version 1 -> 2``, but for digests."""
        if self.name in _DIGESTS:
            return self.what
        return f"{self.name.removeprefix('method_')} {self.old} -> {self.new}"


def difference(
    old: Mapping[str, object], new: Mapping[str, object], lacking: object = None
) -> list[Change]:
    """Return the values that differ between two records of JSON values.

    ``lacking`` stands for a value that one of them has not.
    """
    changes = [
        Change(name, old.get(name, lacking), new.get(name, lacking)) for name in {**new, **old}
    ]
    # As text: 0 and 0.0 are equal in Python.
    return [each for each in changes if canonical_json(each.old) != canonical_json(each.new)]


def changed_sources(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the files, and packages with their versions, that differ between two records.

    They are those of :meth:`boostbench.user_code.Sources.record`.
    """
    return [
        shown_path(name) if Path(name).is_absolute() else f"{name} ({then} to {now})"
        for name, then, now in difference(old, new)
    ]


def difference_of_trials(old: Trial, new: Trial) -> list[Change]:
    """Return the fields in which two trials differ, parameters by their names; labels excepted.

    Two stored objects differ in their parameters, their source, or the packages that they use.
    """
    changes: dict[str, Change] = {}
    for name in (name for name in DETERMINING if name not in LABELS):
        then, now = getattr(old, name), getattr(new, name)
        if isinstance(then, Mapping):
            changes |= {each.name: each for each in difference(then, now, "default")}
        elif then != now:
            changes[name] = Change(name, then, now)
    if "estimator" in changes:
        _tell_objects(changes, old, new)
    return list(changes.values())


def _tell_objects(changes: dict[str, Change], old: Trial, new: Trial) -> None:
    """Replace the addresses of other stored objects among the ``changes`` by what they mean."""
    if not (is_saved(old.estimator) and is_saved(new.estimator)):
        changes["estimator"] = Change("estimator", old.shown_estimator, new.shown_estimator)
        return
    # An address stands for all that is in an object, and so does its version.
    del changes["estimator"], changes["method_version"]
    if old.described != new.described:
        changes[_OBJECT] = Change(_OBJECT, old.described, new.described)
    elif "code" not in changes:
        changes[_PACKAGES] = Change(_PACKAGES, old.method_version, new.method_version)


def difference_of_plans(
    first: Sequence[Trial], second: Sequence[Trial], names: tuple[str, str]
) -> str:
    """Return the first difference, such as ``the trial d/srt/0/3 is only in A``, or "".

    ``names`` are those of the two plans. Plans are equal when they have the same trials by the same
    labels in the same order.
    """
    if list(first) == list(second):
        return ""
    here, there = by_labels(first), by_labels(second)
    for plan, other, name in ((here, there, names[0]), (there, here, names[1])):
        if only := _only_in(plan, other):
            return f"the trial {only[0]} is only in {name}"
    for labels, trial in here.items():
        for field, old, new in difference_of_trials(trial, there[labels]):
            return f"{field} of {trial.name} is {old!r} in {names[0]} and {new!r} in {names[1]}"
    return "their trials are the same, but in another order"


def why_again(
    recorded: Iterable[Trial], to_run: Sequence[Trial], sources: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return a sentence per method: what changed since the trials ``to_run`` were recorded.

    Trials are compared with the last ``recorded`` one of the same labels.
    ``sources`` are the recorded ones; see :meth:`boostbench.user_code.Sources.record`.
    """
    return [
        f"{sentence}: {'runs' if count == 1 else 'run'} again (the old outcomes stay in the store)"
        for sentence, count in _changed_methods(by_labels(recorded), to_run, sources)
    ]


def changes_of_plan(
    recorded: Sequence[Trial], planned: Sequence[Trial], sources: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return in sentences how a plan made anew differs from the recorded one, as a whole."""
    old, new = by_labels(recorded), by_labels(planned)
    sentences = []
    for plan, other, what in (
        (new, old, "planned and not in the recorded plan"),
        (old, new, "in the recorded plan and not planned"),
    ):
        if names := _only_in(plan, other):
            sentences.append(f"{counted(len(names), 'trial')} {what}: {listing(names, 4)}")
    keys = {trial.key for trial in recorded}
    changed = [trial for trial in planned if trial.key not in keys]
    return sentences + [text for text, _ in _changed_methods(old, changed, sources)]


def _changed_methods(
    old: ByLabels,
    trials: Sequence[Trial],
    sources: Mapping[str, Mapping[str, str]],
) -> Iterator[tuple[str, int]]:
    """Yield what changed of each method since its trials ran, and of how many trials."""
    changes: Counter[tuple[str, ...]] = Counter()
    for new in trials:
        if (then := old.get(labels_of(new))) is not None:
            changes[new.method, *(each.what for each in difference_of_trials(then, new))] += 1
    for (method, *words), count in changes.items():
        files = sources.get(method, {})
        if _WORDS["code"] in words and (changed := changed_sources(files, sources_now(files))):
            words = [*changed, *(word for word in words if word != _WORDS["code"])]
        yield (
            f"{method}: {listing(words, 5)} changed since {counted(count, 'trial')} of it ran",
            count,
        )


def by_labels(trials: Iterable[Trial]) -> ByLabels:
    """Return trials by their labels, the last one of several."""
    return {labels_of(trial): trial for trial in trials}


def _only_in(plan: ByLabels, other: ByLabels) -> list[str]:
    """Return the names of the trials of a plan whose labels another one does not have."""
    return [trial.name for labels, trial in plan.items() if labels not in other]


def labels_of(trial: Trial) -> tuple[object, ...]:
    """Return the values by which users know a trial."""
    return tuple(getattr(trial, name) for name in LABELS)
