"""The outcomes before an edit of the user's own code: the store keeps them beside those after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.experiment.folders import RESULTS, find_results
from boostbench.experiment.freshness import changed_since_runs
from boostbench.objects.names import is_saved
from boostbench.plan.difference import ByLabels, by_labels, difference_of_trials, labels_of
from boostbench.plan.trial import Trial
from boostbench.store.files import is_archive_only
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean, listing

BEFORE = "before"
_MARK = f"@{BEFORE}"


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
        return _before_edit(Store.read(self.folder, copied=True)).selecting(only)


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
    now = by_labels(planned)
    before = {labels: trial for labels, trial in now.items() if trial.method not in versions}
    for latest_first in versions.values():
        before |= _last_other(now, latest_first, results)
    ordered = [before[labels] for labels in now if labels in before]
    # The store is a copy: the file stays as it is.
    store.set_plan({**store.experiment(), "shard": ""}, ordered)
    return store.selecting(())


def _last_other(
    now: ByLabels, latest_first: Sequence[ByLabels], results: Mapping[str, object]
) -> ByLabels:
    """Return the trials of the last version of a method with another result, else of the last."""
    for version in latest_first:
        if any(
            results.get(now[labels].key) != results[earlier.key]
            for labels, earlier in version.items()
        ):
            return version
    return latest_first[0]


def _earlier_versions(store: Store, planned: Sequence[Trial]) -> dict[str, list[ByLabels]]:
    """Return by method the recorded trials of each earlier version, that which ran last first.

    Of several of the same labels it is that which is most like the planned one.
    """
    now = by_labels(trial for trial in planned if _version(trial))
    versions: dict[str, dict[str, ByLabels]] = {}
    for trial in store.outside_plan({trial.key for trial in store.plan()}):
        labels, version = labels_of(trial), _version(trial)
        if not version or labels not in now or version == _version(now[labels]):
            continue
        own = versions.setdefault(trial.method, {})
        trials = own[version] = own.pop(version, {})
        trials[labels] = _more_alike(now[labels], trial, trials.get(labels, trial))
    return {method: list(reversed(own.values())) for method, own in versions.items()}


def _more_alike(now: Trial, later: Trial, earlier: Trial) -> Trial:
    """Return that of two trials with the fewest differences from a planned one, else the later."""
    return min(later, earlier, key=lambda other: len(difference_of_trials(other, now)))


def _version(trial: Trial) -> str:
    """Return what identifies the user's own code or object of a trial, empty without any."""
    return trial.estimator if is_saved(trial.estimator) else trial.code


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
