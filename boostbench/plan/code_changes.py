"""Why trials run again though the same were recorded before: what of them has changed."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.plan.trial import Trial
from boostbench.suggest import counted, listing
from boostbench.user_code import shown_path

_WORDS = {
    "code": "its source",
    "method_version": "its version",
    "estimator": "its estimator",
    "fingerprint": "the data",
    "params": "parameters",
    "choose": "the choice of parameters",
    "choose_with": "the choice of parameters",
    "scale_features": "the scaling",
    "scale_target": "the scaling",
    "curves": "the learning curves asked for",
}
_SPLIT = "the split"


def changed_since_recorded(
    recorded: Iterable[Trial], to_run: Sequence[Trial]
) -> dict[str, Counter[tuple[str, ...]]]:
    """Return, by method, how many trials of ``to_run`` differ from recorded ones in what.

    Trials are compared with the ``recorded`` one of the same data set, method, split seed, fold
    and seed that they differ from in the fewest fields.
    """
    old: dict[tuple[Any, ...], list[Trial]] = {}
    for trial in recorded:
        old.setdefault(_labels(trial), []).append(trial)
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for trial in to_run:
        others = [_differing(other, trial) for other in old.get(_labels(trial), ())]
        if others:
            found.setdefault(trial.method, Counter())[min(others, key=len)] += 1
    return found


def sentences(
    changes: Mapping[str, Mapping[tuple[str, ...], int]],
    before: Mapping[str, Mapping[str, str]],
    now: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """Return a sentence for each method and what of it has changed.

    ``before`` and ``now`` are the digests of its own source files by path, and the versions of the
    packages that they import, by method; see :meth:`boostbench.user_code.Sources.record`.
    """
    told = []
    for method, counts in changes.items():
        old, new = before.get(method, {}), now.get(method, {})
        files = _changed_files(old, new)
        for fields, count in counts.items():
            words = dict.fromkeys(_WORDS.get(field, _SPLIT) for field in fields)
            if "code" in fields and old and files:
                words = dict.fromkeys([*files, *(w for w in words if w != _WORDS["code"])])
            run = "runs" if count == 1 else "run"
            told.append(
                f"{method}: {listing(list(words), 5)} changed since {counted(count, 'trial')} of "
                f"it ran: {run} again (the old outcomes stay in the store)"
            )
    return told


def _changed_files(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the paths whose content is new, or gone; the folder may have been moved."""
    before, now = _by_name(old), _by_name(new)
    changed = [path for path, found in new.items() if found not in before.get(Path(path).name, ())]
    names = {Path(path).name for path in changed}
    gone = [
        path
        for path, found in old.items()
        if found not in now.get(Path(path).name, ()) and Path(path).name not in names
    ]
    return [shown_path(path) for path in [*changed, *gone]]


def _by_name(record: Mapping[str, str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path, digest in record.items():
        found.setdefault(Path(path).name, set()).add(digest)
    return found


def _labels(trial: Trial) -> tuple[Any, ...]:
    return trial.dataset, trial.method, trial.split_seed, trial.fold, trial.seed


def _differing(old: Trial, new: Trial) -> tuple[str, ...]:
    names = [field.name for field in dataclasses.fields(Trial)]
    return tuple(name for name in names if getattr(old, name) != getattr(new, name))
