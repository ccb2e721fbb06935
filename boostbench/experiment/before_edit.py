"""The outcomes before an edit of the user's own code: the store keeps them beside those after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.experiment.folders import RESULTS, find_results
from boostbench.experiment.freshness import changed_since_runs
from boostbench.objects.names import is_saved
from boostbench.plan.difference import differing, labels_of
from boostbench.plan.trial import Trial
from boostbench.store.files import is_archive_only
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean, listing

BEFORE = "before"
_MARK = f"@{BEFORE}"

ByLabels = dict[tuple[object, ...], list[Trial]]
"""Recorded trials by the values by which users know them."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a results folder, as it is or ``before`` the last edit."""

    folder: Path
    before: bool = False

    def __str__(self) -> str:
        return f"{self.folder}{_MARK if self.before else ''}"

    def read(self, only: Sequence[str] = ()) -> Store:
        """Open its store for reading; ConfigError where nothing is kept from before an edit."""
        if not self.before:
            return Store.read(self.folder, only=only)
        return _before_edit(Store.read(self.folder)).selecting(only)


def find_side(target: str, note: Callable[[str], object]) -> Side:
    """Return the side that ``NAME`` or ``NAME@before`` names; see :func:`find_results`.

    A file or folder of exactly that name comes first.
    """
    name, at, moment = target.rpartition("@")
    is_there = Path(target).exists() or (RESULTS / target).exists()
    if not (at and name) or is_there or "/" in moment:
        return Side(find_results(target, note))
    if moment != BEFORE:
        raise ConfigError(
            f"'{target}': after the @ give {BEFORE}, for the outcomes before the last edit of own "
            f"code{did_you_mean(moment, [BEFORE])}, or leave it out"
        )
    return Side(find_results(name, note), before=True)


def changes_not_run(*sides: Side) -> list[str]:
    """Return what has changed since the last run of results that are compared before an edit."""
    folders = dict.fromkeys(side.folder for side in sides if side.before)
    lines = []
    for folder in folders:
        with Store.read(folder) as store:
            lines += changed_since_runs(store)
    return [f"changed since these results: {line}; run it to compare that" for line in lines]


def _before_edit(store: Store) -> Store:
    """Return a reader's store with the plan before the last edit in place of its plan.

    A trial whose method was edited is replaced by the one with the same labels that ran with the
    earlier code, if any did; trials of other methods stay. Of several edits it is the last one that
    changed an outcome. Raises ConfigError where no code was edited.
    """
    planned = store.part()
    versions = _earlier_versions(store, planned)
    if not versions:
        raise ConfigError(_why_nothing_before(store))
    results = {key: (one.status, one.metrics) for key, one in store.outcomes().items()}
    before = [trial for trial in planned if trial.method not in versions]
    for method, latest_first in versions.items():
        now = [trial for trial in planned if trial.method == method]
        before += _last_other(now, latest_first, results)
    places = {labels_of(trial): place for place, trial in enumerate(planned)}
    before.sort(key=lambda trial: places[labels_of(trial)])
    # A reader's store is a copy in memory: the file stays as it is.
    store.set_plan({**store.experiment(), "shard": ""}, before)
    return store.selecting(())


def _last_other(
    now: Sequence[Trial], latest_first: Sequence[ByLabels], results: Mapping[str, object]
) -> list[Trial]:
    """Return the trials of the last version of a method with another result, else of the last."""
    versions = [_replaced(now, version) for version in latest_first]
    for replaced in versions:
        if any(results.get(trial.key) != results[earlier.key] for trial, earlier in replaced):
            return [earlier for _, earlier in replaced]
    return [earlier for _, earlier in versions[0]]


def _replaced(now: Sequence[Trial], version: ByLabels) -> list[tuple[Trial, Trial]]:
    """Return the trials of which an earlier version ran, each with that."""
    return [
        (trial, _most_alike(trial, version[labels_of(trial)]))
        for trial in now
        if labels_of(trial) in version
    ]


def _earlier_versions(store: Store, planned: Sequence[Trial]) -> dict[str, list[ByLabels]]:
    """Return by method the recorded trials of each earlier version, that which ran last first."""
    versions: dict[str, dict[str, ByLabels]] = {}
    for trial in _of_other_versions(store, planned):
        own = versions.setdefault(trial.method, {})
        by_labels = own[_version(trial)] = own.pop(_version(trial), {})
        by_labels.setdefault(labels_of(trial), []).append(trial)
    return {method: list(reversed(own.values())) for method, own in versions.items()}


def _of_other_versions(store: Store, planned: Sequence[Trial]) -> list[Trial]:
    """Return the recorded trials, oldest first, that are planned now as another version."""
    now = {labels_of(trial): trial for trial in planned if _version(trial)}
    outside = store.outside_plan({trial.key for trial in store.plan()})
    return [
        trial
        for trial in outside
        if _version(trial)
        and labels_of(trial) in now
        and _version(trial) != _version(now[labels_of(trial)])
    ]


def _version(trial: Trial) -> str:
    """Return what identifies the user's own code or object of a trial, empty without any."""
    return trial.estimator if is_saved(trial.estimator) else trial.code


def _most_alike(trial: Trial, earlier: Sequence[Trial]) -> Trial:
    """Return the earlier trial with the fewest other differences, the last of several."""
    return min(reversed(earlier), key=lambda other: len(differing(other, trial)))


def _why_nothing_before(store: Store) -> str:
    """Return why no outcomes are kept from before an edit."""
    own = dict.fromkeys(trial.method for trial in store.part() if _version(trial))
    if not own:
        return (
            f"{store.folder} has no method of your own code, so there are no outcomes {_MARK}: "
            "they are kept when the code of an estimator has changed between two runs"
        )
    if is_archive_only(store.folder):
        return (
            f"{store.folder} is an archive, which keeps no outcomes {_MARK}: name the results "
            "folder of the runs"
        )
    return (
        f"{store.folder} has no outcomes {_MARK}: the code of {listing(own)} has not changed "
        "between its runs; edit it and run again"
    )
