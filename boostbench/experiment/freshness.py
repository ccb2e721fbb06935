"""What results rest on: their experiment, data, code, paper and versions, then and now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from boostbench.experiment.paper_changes import PaperState, paper_changes, states_of_paper
from boostbench.methods import get_method, method_names, registered_name
from boostbench.plan.difference import changed_sources, difference
from boostbench.plan.trial import Trial
from boostbench.release import installed_release, of_version
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import without_unstarted
from boostbench.suggest import listing
from boostbench.user_code import file_digest, sources_now
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


Pair = tuple[Mapping[str, object], Mapping[str, object]]
"""Values by name, as they were recorded and as they are now."""


@dataclass(frozen=True)
class Basis:
    """What results rest on, by name: they are stale where it is not as it was recorded.

    ``versions`` are those of boostbench and of registered methods, ``options`` the keys and entries
    of the experiment file that change results, ``data`` the digests of files and the fingerprints
    on cards, ``code`` the digests of the user's own files by method or metric.
    """

    versions: Mapping[str, object]
    options: Mapping[str, object]
    data: Mapping[str, object]
    code: Mapping[str, Mapping[str, str]]
    paper: PaperState


def changed_since_runs(store: Store) -> list[str]:
    """Return the changes since the runs of a store, in words; see :func:`bases`."""
    config = recorded_config(store.record_of_run(), store.folder)
    then, now = bases(store)
    others = _in_words(then, now, config.name if config else "")
    return [*others, *paper_changes(then.paper, now.paper, config and config.parent)]


def changed_paper(store: Store) -> list[str]:
    """Return the changes of the paper since the runs of a store, in words."""
    record = store.record_of_run()
    config = recorded_config(record, store.folder)
    beside = config and config.parent
    return list(paper_changes(*states_of_paper(record, beside), beside))


def bases(store: Store) -> tuple[Basis, Basis]:
    """Return what the results of a store rest on, as it was recorded and as it is now.

    The data sets and methods without runs are left out. What is unknown now, such as a file that is
    gone, is as it was.
    """
    record = store.record_of_run()
    config = recorded_config(record, store.folder)
    plan = [cell.like for cell in without_unstarted(store.cells())]
    known_file = experiment_now(store)
    experiment = known_file and known_file[1]
    code = record["sources"]
    then, now = zip(
        _versions(store, plan),
        _options(record, experiment),
        _data(record, plan, experiment),
        (code, {name: sources_now(files) for name, files in code.items()}),
        states_of_paper(record, config and config.parent),
        strict=True,
    )
    return Basis(*then), Basis(*now)


def _in_words(then: Basis, now: Basis, file: str) -> Iterator[str]:
    """Yield the differences of what results rest on, the paper excepted, in sentences."""
    for each in difference(then.versions, now.versions):
        yield f"{each.name}: version {each.new} now, {each.old} in these results"
    options = [each.name for each in difference(then.options, now.options)]
    data = [each.name for each in difference(then.data, now.data)]
    # A data set whose entry has changed may have another file.
    options += [f"data of {name}" for name in data if f"data set {name}" not in options]
    if options:
        yield f"{file}: {', '.join(options)} changed"
    for name, files in then.code.items():
        if changed := changed_sources(files, now.code[name]):
            yield f"{name}: {listing([Path(file).name for file in changed], 5)} changed"


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


def _versions(store: Store, plan: Sequence[Trial]) -> Pair:
    """Return the versions of boostbench and of the registered methods."""
    record, known = store.record_of_run(), method_names()
    entries = {entry["name"]: entry for entry in record["methods"]}
    then = {trial.method: trial.method_version for trial in plan}
    names = {label: registered_name(label, entries.get(label)) for label in then}
    now = then | {label: get_method(name).version for label, name in names.items() if name in known}
    release, environments = installed_release(), store.environments().values()
    recorded = {of_version(each.get("packages", {}).get("boostbench", "")) for each in environments}
    if release and (others := sorted(recorded - {"", release})):
        then, now = {"boostbench": listing(others), **then}, {"boostbench": release, **now}
    return then, now


def changed_options(record: Record, experiment: Experiment) -> set[str]:
    """Return the keys and entries, such as ``data set iris``, that are not as recorded."""
    return {each.name for each in difference(*_options(record, experiment))}


def _options(record: Record, experiment: Experiment | None) -> Pair:
    """Return the keys and entries that change results."""
    if experiment is None:
        return {}, {}
    values = experiment.model_dump(mode="json")
    # A key that did not exist when it was recorded had no effect then.
    return _settings({**values, **record}), _settings(values)


def _settings(values: Record) -> dict[str, object]:
    """Return the settings that change results, by name: keys, and each entry of lists."""
    settings = {key: values[key] for key in Experiment.model_fields if key not in _NO_RESULT}
    settings["splits"] = upgraded_splits(values["splits"])
    for key, word, kind in _ENTRIES:
        for entry in values[key]:
            file = Path(entry.get("file") or "").name
            settings[f"{word} {entry['name']}"] = upgraded(entry, kind) | {"file": file}
    return settings


def _data(record: ExperimentRecord, plan: Sequence[Trial], experiment: Experiment | None) -> Pair:
    """Return the digests of data files, and the fingerprints of other data sets."""
    if experiment is None:
        return {}, {}
    fingerprints = {trial.dataset: trial.fingerprint for trial in plan}
    then: dict[str, str] = {}
    now: dict[str, str] = {}
    for entry in experiment.datasets:
        known = record["data_files"] if entry.file else fingerprints
        if entry.name in known:
            then[entry.name] = known[entry.name]
            now[entry.name] = _data_now(experiment, entry) or known[entry.name]
    return then, now


def _data_now(experiment: Experiment, entry: DatasetEntry) -> str | None:
    """Return the digest of a data set's file, or the fingerprint on its card, None if unknown."""
    try:
        request = experiment.request(entry)
        if request.file is None:
            return known_fingerprint(request)
        return file_digest(Path(request.file)) if Path(request.file).is_file() else None
    except BoostbenchError:
        return None
