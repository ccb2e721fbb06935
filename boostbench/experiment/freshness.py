"""Changes since results were recorded: of the experiment file, data, code and boostbench."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from boostbench.config.loading import load_experiment, recorded_config
from boostbench.config.model import DatasetEntry, Experiment, MethodEntry, MetricEntry, upgraded
from boostbench.config.splits import Part
from boostbench.data.request import known_fingerprint
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.methods import get_method, method_names, registered_name
from boostbench.plan.trial import Trial
from boostbench.release import installed_release, of_version
from boostbench.report.runs import without_unstarted
from boostbench.store.store import Store
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
    """Return, in words, the changes since the runs of a store, of those methods that have runs."""
    record = store.experiment()
    plan = without_unstarted(store.part(), store.outcomes(brief=True))
    return changed_since(record, plan, store.environments(), recorded_config(record, store.folder))


def changed_since(
    record: Record, plan: Sequence[Trial], environments: Mapping[str, Record], path: Path | None
) -> list[str]:
    """Return the changes since results were recorded, in words.

    ``path`` is that of the experiment file. Unknown changes, such as of a missing file, are left
    out.
    """
    return [
        *_versions(environments),
        *_methods(record, plan),
        *_file(record, plan, path),
        *_sources(record),
    ]


def _sources(record: Record) -> Iterator[str]:
    """Yield the files of the user's own code that have changed, by method."""
    for method, files in (record.get("sources") or {}).items():
        if changed := changed_files(files):
            names = [Path(name).name for name in changed]
            yield f"{method}: {listing(names, 5)} changed"


def experiment_now(record: Record, path: Path | None) -> Experiment | None:
    """Return a recorded experiment as its file is now, None if that is unknown."""
    said = [str(text) for text in record.get("overrides") or []]
    try:
        now = load_experiment(path, said) if path is not None else None
    except (ConfigError, OSError):
        return None
    return now if now is not None and now.name == record.get("name") else None


def _versions(environments: Mapping[str, Record]) -> list[str]:
    now = installed_release()
    packages = [values.get("packages") or {} for values in environments.values()]
    found = {of_version(str(p.get("boostbench") or "")) for p in packages} - {"", now}
    if not now or not found:
        return []
    return [f"boostbench: {now} now, {listing(sorted(found))} in these results"]


def _methods(record: Record, plan: Sequence[Trial]) -> Iterator[str]:
    entries = {entry.get("name"): entry for entry in record.get("methods") or ()}
    known = method_names()
    for label, trial in {trial.method: trial for trial in plan}.items():
        name = registered_name(label, entries.get(label))
        version = get_method(name).version if name in known else trial.method_version
        if version != trial.method_version:
            yield f"{label}: version {version} now, {trial.method_version} in these results"


def _file(record: Record, plan: Sequence[Trial], path: Path | None) -> list[str]:
    now = experiment_now(record, path)
    if now is None or path is None:
        return []
    values = now.model_dump(mode="json")
    # A key that did not exist when it was recorded had no effect then.
    old, new = _settings({**values, **record}), _settings(values)
    found = [name for name in {**new, **old} if old.get(name) != new.get(name)]
    fingerprints = {trial.dataset: trial.fingerprint for trial in plan}
    digests = record.get("data_files") or {}
    for entry in now.datasets:
        known = digests.get(entry.name), fingerprints.get(entry.name)
        if f"data set {entry.name}" not in found and _data_changed(now, entry, *known):
            found.append(f"data of {entry.name}")
    return [f"{path.name}: {', '.join(found)} changed"] if found else []


def _settings(values: Record) -> dict[str, object]:
    """Return the settings that change results, by name: keys, and each entry of lists."""
    found = {key: values[key] for key in Experiment.model_fields if key not in _NO_RESULT}
    for key, word, kind in _ENTRIES:
        for entry in values.get(key) or []:
            file = Path(entry.get("file") or "").name
            found[f"{word} {entry['name']}"] = upgraded(entry, kind) | {"file": file}
    return found


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
