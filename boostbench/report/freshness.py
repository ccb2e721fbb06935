"""What has changed since results were recorded: the experiment file, data, code, the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench import __version__
from boostbench.config.loading import load_experiment
from boostbench.config.model import DatasetEntry, Experiment, MethodEntry, MetricEntry, as_now
from boostbench.config.splits import Part
from boostbench.data.cards import known_fingerprint
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.methods import get_method, registered_name
from boostbench.plan.trial import Trial, canonical_json
from boostbench.report.provenance import portable_entry, without_folder
from boostbench.suggest import listing
from boostbench.user_code import changed_files, file_digest

# Keys that change no result: words, places, and limits of the machine.
_NO_RESULT = frozenset({
    "name", "title", "description", "paper", "table", "results", "limits", "datasets", "methods",
    "metrics",
})  # fmt: skip
_ENTRIES: list[tuple[str, str, type[Part]]] = [
    ("datasets", "data set", DatasetEntry),
    ("methods", "method", MethodEntry),
    ("metrics", "metric", MetricEntry),
]


def changed_since(
    record: Mapping[str, Any],
    plan: Sequence[Trial],
    environments: Mapping[str, Mapping[str, Any]],
    path: Path | None,
) -> list[str]:
    """Return the changes since results were recorded, in words; ``path``: of the experiment file.

    Of what is not known, such as a file that is not there, nothing is said.
    """
    return [
        *_versions(environments),
        *_methods(record, plan),
        *_file(record, plan, path),
        *(
            f"{method}: {listing(map(without_folder, changed), 5)} changed"
            for method, files in (record.get("sources") or {}).items()
            if (changed := changed_files(files))
        ),
    ]


def experiment_now(record: Mapping[str, Any], path: Path | None) -> Experiment | None:
    """Return a recorded experiment as its file is now, None where that cannot be said."""
    said = [str(text) for text in record.get("overrides") or []]
    try:
        now = load_experiment(path, said) if path is not None else None
    except (ConfigError, OSError):
        return None
    return now if now is not None and now.name == record.get("name") else None


def _versions(environments: Mapping[str, Mapping[str, Any]]) -> list[str]:
    packages = [values.get("packages") or {} for values in environments.values()]
    found = sorted({str(p["boostbench"]) for p in packages if p.get("boostbench")} - {__version__})
    return [f"boostbench: {__version__} now, {listing(found)} in these results"] if found else []


def _methods(record: Mapping[str, Any], plan: Sequence[Trial]) -> Iterator[str]:
    entries = {entry.get("name"): entry for entry in record.get("methods") or ()}
    for label, trial in {trial.method: trial for trial in plan}.items():
        name = registered_name(label, entries.get(label))
        try:
            version = get_method(name).version if name else ""
        except ConfigError:
            continue
        if version and version != trial.method_version:
            yield f"{label}: version {version} now, {trial.method_version} in these results"


def _file(record: Mapping[str, Any], plan: Sequence[Trial], path: Path | None) -> list[str]:
    now = experiment_now(record, path)
    if now is None or path is None:
        return []
    values = now.model_dump(mode="json")
    found = [text for entry in _ENTRIES for text in _entries(record, values, *entry)]
    fingerprints = {trial.dataset: trial.fingerprint for trial in plan}
    digests = record.get("data_files") or {}
    for entry in now.datasets:
        known = digests.get(entry.name), fingerprints.get(entry.name)
        if f"data set {entry.name} changed" not in found and _data_changed(now, entry, *known):
            found.append(f"data of {entry.name} changed")
    found += [
        f"{key} {_shown(record[key])} → {_shown(value)}"
        for key, value in values.items()
        if key not in _NO_RESULT and key in record and record[key] != value
    ]
    return [f"{path.name}: {', '.join(found)}"] if found else []


def _entries(
    record: Mapping[str, Any], now: Mapping[str, Any], key: str, word: str, kind: type[Part]
) -> Iterator[str]:
    old, new = (
        {entry["name"]: portable_entry(as_now(entry, kind)) for entry in values.get(key) or []}
        for values in (record, now)
    )
    for name in dict.fromkeys([*new, *old]):
        if old.get(name) != new.get(name):
            what = "added" if name not in old else "removed" if name not in new else "changed"
            yield f"{word} {name} {what}"


def _data_changed(
    now: Experiment, entry: DatasetEntry, digest: str | None, fingerprint: str | None
) -> bool:
    """Return whether a data set's file, or what its card says of it, is not as it was recorded."""
    try:
        request = now.request(entry)
        if request.file is None:
            return fingerprint is not None and known_fingerprint(request) not in (None, fingerprint)
        path = Path(request.file).expanduser()
        return digest is not None and path.is_file() and file_digest(path) != digest
    except BoostbenchError:
        return False


def _shown(value: Any) -> str:
    return "none" if value is None else canonical_json(value)
