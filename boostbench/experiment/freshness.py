"""Changes since results were recorded: of the experiment, its paper, data, code and boostbench."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from boostbench.config.entries import (
    DatasetEntry,
    MethodEntry,
    MetricEntry,
    upgraded,
    upgraded_splits,
)
from boostbench.config.loading import load_experiment, recorded_config
from boostbench.config.model import Experiment
from boostbench.config.splits import Part
from boostbench.data.request import known_fingerprint
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiment.paper_changes import paper_changes
from boostbench.methods import get_method, method_names, registered_name
from boostbench.plan.difference import difference
from boostbench.plan.trial import Trial
from boostbench.release import installed_release, of_version
from boostbench.store.store import Store
from boostbench.store.types import without_unstarted
from boostbench.suggest import listing
from boostbench.user_code import changed_files, file_digest
from boostbench.values import Record

# Keys that change no result: texts, paths, and limits of the machine.
_NO_RESULT = frozenset(
    {
        "name",
        "title",
        "description",
        "paper",
        "table",
        "decided_by",
        "results",
        "limits",
        "keep",
        "datasets",
        "methods",
        "metrics",
    }
)
_ENTRIES: list[tuple[str, str, type[Part]]] = [
    ("datasets", "data set", DatasetEntry),
    ("methods", "method", MethodEntry),
    ("metrics", "metric", MetricEntry),
]


def changed_since_runs(store: Store) -> list[str]:
    """Return the changes since the runs of a store, in words.

    The data sets and methods without runs are left out, and unknown changes, such as of a missing
    file.
    """
    plan = [cell.like for cell in without_unstarted(store.cells())]
    record = store.record_of_run()
    return [
        *_versions(store.environments()),
        *_methods(record, plan),
        *_file(store, plan),
        *_sources(record),
        *paper_changes(store),
    ]


def _sources(record: Record) -> Iterator[str]:
    """Yield the files of the user's own code that have changed, by method."""
    for method, files in record["sources"].items():
        if changed := changed_files(files):
            names = [Path(name).name for name in changed]
            yield f"{method}: {listing(names, 5)} changed"


def experiment_now(store: Store) -> tuple[Path, Experiment] | None:
    """Return the file of a recorded experiment, and what it says now; None if that is unknown."""
    record = store.record_of_run()
    path = recorded_config(record, store.folder)
    if path is None:
        return None
    try:
        now = load_experiment(path, record["overrides"])
    except (ConfigError, OSError):
        return None
    return (path, now) if now.name == record["name"] else None


def _versions(environments: Mapping[str, Record]) -> list[str]:
    """Return the versions of boostbench that recorded trials, if there are others than this one."""
    now = installed_release()
    recorded = {each.get("packages", {}).get("boostbench", "") for each in environments.values()}
    others = sorted({of_version(version) for version in recorded} - {"", now})
    return [f"boostbench: {now} now, {listing(others)} in these results"] if now and others else []


def _methods(record: Record, plan: Sequence[Trial]) -> Iterator[str]:
    """Yield the registered methods that have another version than in ``plan``."""
    entries = {entry["name"]: entry for entry in record["methods"]}
    known = method_names()
    for label, trial in {trial.method: trial for trial in plan}.items():
        name = registered_name(label, entries.get(label))
        version = get_method(name).version if name in known else trial.method_version
        if version != trial.method_version:
            yield f"{label}: version {version} now, {trial.method_version} in these results"


def _file(store: Store, plan: Sequence[Trial]) -> list[str]:
    """Return what has changed in the experiment file and in its data, in one sentence if any."""
    known_file = experiment_now(store)
    if known_file is None:
        return []
    path, now = known_file
    record, values = store.record_of_run(), now.model_dump(mode="json")
    # A key that did not exist when it was recorded had no effect then.
    settings = difference(_settings({**values, **record}), _settings(values))
    changed = [each.name for each in settings]
    fingerprints = {trial.dataset: trial.fingerprint for trial in plan}
    for entry in now.datasets:
        known = record["data_files"].get(entry.name), fingerprints.get(entry.name)
        if f"data set {entry.name}" not in changed and _data_changed(now, entry, *known):
            changed.append(f"data of {entry.name}")
    return [f"{path.name}: {', '.join(changed)} changed"] if changed else []


def _settings(values: Record) -> dict[str, object]:
    """Return the settings that change results, by name: keys, and each entry of lists."""
    settings = {key: values[key] for key in Experiment.model_fields if key not in _NO_RESULT}
    settings["splits"] = upgraded_splits(values["splits"])
    for key, word, kind in _ENTRIES:
        for entry in values[key]:
            file = Path(entry.get("file") or "").name
            settings[f"{word} {entry['name']}"] = upgraded(entry, kind) | {"file": file}
    return settings


def _data_changed(
    now: Experiment, entry: DatasetEntry, digest: str | None, fingerprint: str | None
) -> bool:
    """Return whether a data set's file or card has changed since it was recorded."""
    try:
        request = now.request(entry)
        if request.file is None:
            return fingerprint is not None and known_fingerprint(request) not in (None, fingerprint)
        path = Path(request.file)
        return digest is not None and path.is_file() and file_digest(path) != digest
    except BoostbenchError:
        return False
