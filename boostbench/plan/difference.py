"""Differences between trials, and between plans, in words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from boostbench.objects.names import is_saved
from boostbench.plan.trial import DETERMINING, LABELS, Trial, canonical_json
from boostbench.suggest import counted, listing
from boostbench.user_code import changed_files

OBJECT, PACKAGES = "its parameters", "the versions of its packages"
"""What may differ of two stored objects of the same code."""
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


def differing(first: Trial, second: Trial) -> dict[str, tuple[object, object]]:
    """Return the fields in which two trials differ, parameters by their names; labels excepted.

    Two stored objects differ in their parameters, their source, or the packages that they use.
    """
    differences: dict[str, tuple[object, object]] = {}
    for name in (name for name in DETERMINING if name not in LABELS):
        old, new = getattr(first, name), getattr(second, name)
        if isinstance(old, Mapping):
            for key in sorted({**old, **new}):
                if _is_other(old.get(key), new.get(key)):
                    differences[key] = old.get(key, "default"), new.get(key, "default")
        elif old != new:
            differences[name] = old, new
    if "estimator" in differences:
        _tell_objects(differences, first, second)
    return differences


def _tell_objects(
    differences: dict[str, tuple[object, object]], first: Trial, second: Trial
) -> None:
    """Replace the addresses of other stored objects among the ``differences`` by what they mean."""
    if not (is_saved(first.estimator) and is_saved(second.estimator)):
        differences["estimator"] = first.shown_estimator, second.shown_estimator
        return
    # An address stands for all that is in an object, and so does its version.
    del differences["estimator"], differences["method_version"]
    if first.described != second.described:
        differences[OBJECT] = first.described, second.described
    elif "code" not in differences:
        differences[PACKAGES] = first.method_version, second.method_version


def _is_other(one: object, other: object) -> bool:
    """Return whether two values are others in a key: 0 and 0.0 are equal in Python."""
    return canonical_json(one) != canonical_json(other)


def difference(first: Sequence[Trial], second: Sequence[Trial], names: tuple[str, str]) -> str:
    """Return the first difference, such as ``the trial d/srt/0/3 is only in A``, or "".

    ``names`` are those of the two plans. Plans are equal when they have the same trials by the same
    labels in the same order.
    """
    if list(first) == list(second):
        return ""
    here, there = _by_labels(first), _by_labels(second)
    for plan, other, name in ((here, there, names[0]), (there, here, names[1])):
        for labels, trial in plan.items():
            if labels not in other:
                return f"the trial {trial.name} is only in {name}"
    for labels, trial in here.items():
        for field, (old, new) in differing(trial, there[labels]).items():
            return f"{field} of {trial.name} is {old!r} in {names[0]} and {new!r} in {names[1]}"
    return "their trials are the same, but in another order"


def why_again(
    recorded: Iterable[Trial], to_run: Sequence[Trial], sources: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return a sentence per method: what changed since the trials ``to_run`` were recorded.

    Trials are compared with the last ``recorded`` one of the same labels.
    ``sources`` are the recorded ones; see :meth:`boostbench.user_code.Sources.record`.
    """
    old = _by_labels(recorded)
    changes = Counter(
        (trial.method, *_words(old[labels_of(trial)], trial))
        for trial in to_run
        if labels_of(trial) in old
    )
    sentences = []
    for (method, *words), count in changes.items():
        if _WORDS["code"] in words and (files := changed_files(sources.get(method, {}))):
            words = [*files, *(word for word in words if word != _WORDS["code"])]
        sentences.append(
            f"{method}: {listing(words, 5)} changed since {counted(count, 'trial')} of "
            f"it ran: {'runs' if count == 1 else 'run'} again (the old outcomes stay in the store)"
        )
    return sentences


def _words(old: Trial, new: Trial) -> list[str]:
    """Return what differs between two trials in words."""
    differences = differing(old, new)
    words = {name: _WORDS.get(name, name) for name in differences}
    if OBJECT in differences:
        words[OBJECT] = "{} ({} before, {} now)".format(OBJECT, *differences[OBJECT])
    return list(words.values())


def _by_labels(trials: Iterable[Trial]) -> dict[tuple[object, ...], Trial]:
    return {labels_of(trial): trial for trial in trials}


def labels_of(trial: Trial) -> tuple[object, ...]:
    """Return the values by which users know a trial."""
    return tuple(getattr(trial, name) for name in LABELS)
