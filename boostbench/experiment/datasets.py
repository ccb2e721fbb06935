"""The data of an experiment: loaded, checked, and laid down where the workers find them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from boostbench.config.loading import config_names, load_experiment
from boostbench.config.model import DatasetEntry, Experiment, as_now
from boostbench.data import DataAccess, known_fingerprint, load_arrays, load_dataset, save_arrays
from boostbench.data.access import NotComputed, default_access, place_of
from boostbench.data.cards import card_names, load_card, requested_card
from boostbench.data.dataset import Dataset
from boostbench.data.loading import NoNetwork, prefetch
from boostbench.data.request import DataRequest
from boostbench.data.sources import addresses
from boostbench.errors import ConfigError, DataError, UnavailableDataError, UnknownColumnError
from boostbench.experiment.listener import Listener
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset
from boostbench.suggest import did_you_mean

Seen = Callable[[Dataset], object]


class UnusableData(DataError):
    """Data sets that are unavailable or do not fit, one line each; ``usable`` names the others."""

    def __init__(self, complaints: Sequence[str], usable: Sequence[str]) -> None:
        super().__init__("\n".join(complaints))
        self.usable = list(usable)


def fingerprints_in_plan(
    experiment: Experiment, record: Mapping[str, Any], planned: Mapping[str, str]
) -> dict[str, str]:
    """Return the fingerprints of a plan, but only of data sets still asked for the same way.

    ``record`` is the experiment, as JSON, that the plan was made of, ``planned`` the fingerprints
    of its data sets by name.
    """
    before = {e.get("name"): as_now(e, DatasetEntry) for e in record.get("datasets", [])}
    same = {
        entry.name
        for entry in experiment.datasets
        if entry.model_dump(mode="json") == before.get(entry.name)
    }
    return {name: fingerprint for name, fingerprint in planned.items() if name in same}


class _Loading:
    """Data sets of an experiment that are loaded and checked one by one, and what went wrong."""

    def __init__(
        self, experiment: Experiment, methods: Sequence[ResolvedMethod], seen: Seen
    ) -> None:
        self.experiment, self.methods, self.seen = experiment, methods, seen
        self.loaded: dict[str, Dataset | None] = {}
        self.lacking: dict[str, str] = {}
        self.complaints: list[str] = []
        self.typos: list[str] = []

    def take(self, request: DataRequest, load: Callable[[DataRequest], Dataset | None]) -> None:
        """Load and check a data set; None, where it is only known that it can be fetched."""
        try:
            dataset = load(request)
            if dataset is not None:
                check_dataset(self.experiment, dataset, self.methods)
        except UnavailableDataError as error:
            names = "" if request.name in str(error) else f"data set '{request.name}': "
            self.lacking[request.name] = f"{names}{error}"
        except UnknownColumnError as error:
            self.typos.append(_at_target(self.experiment, request, error))
        except DataError as error:
            self.complaints.append(str(error))
        else:
            self.loaded[request.name] = dataset
            if dataset is not None:
                self.seen(dataset)

    def check_columns(self, *others: str) -> None:
        """Raise ConfigError where a data set lacks a column that the experiment names."""
        if self.typos:
            raise ConfigError("\n".join([*self.typos, *others]))


def gather(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    access: DataAccess,
    arrays_dir: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    planned: Mapping[str, str] | None = None,
    may_fetch: bool = True,
    seen: Seen = lambda _: None,
    unavailable: dict[str, str] | None = None,
) -> dict[str, str]:
    """Return the fingerprints of the experiment's data sets by name.

    Each wanted data set is loaded, checked against the experiment, and saved in ``arrays_dir``;
    local files first, then what is missing is downloaded, several data sets at a time.
    One that is not wanted is only named: by its card's fingerprint, else by that in ``planned``,
    and left out where neither is known. Without ``may_fetch`` nothing is saved and the network is
    not used: what is at hand is loaded and checked, and of the rest ``access`` is notified that it
    would be fetched, or its features computed; where its card has no fingerprint it gets one that
    no trial has. ``seen`` is called with each data set that was loaded and checked. A wanted one
    that no place has is put into ``unavailable``, with the reason, and named like one that is not
    wanted.

    Raises ConfigError before anything is downloaded where a local file lacks a column that the
    experiment names. Raises UnusableData when all were tried and wanted ones do not fit the
    experiment, or are unavailable while nothing is usable or ``unavailable`` is None. Raises
    DataError when two are the same.
    """
    loading = _Loading(experiment, methods, seen)

    def load(request: DataRequest) -> Dataset | None:
        if (dataset := _saved(request, arrays_dir)) is not None:
            return dataset
        if not may_fetch:
            return _at_hand(request, access)
        dataset = load_dataset(request, access)
        save_arrays(dataset, arrays_dir)
        return dataset

    requests = experiment.requests()
    chosen = [request for request in requests if wanted(request.name)]
    for request in chosen:
        if request.file is not None:
            loading.take(request, load)
    loading.check_columns()
    others = [request for request in chosen if request.file is None]
    if may_fetch:
        unsaved = [
            request
            for request in others
            if not (arrays_dir / f"{known_fingerprint(request)}.npz").is_file()
        ]
        try:
            prefetch(unsaved, access)
        except NoNetwork as error:
            loading.lacking |= dict.fromkeys(error.missing, str(error))
    for request in others:
        if request.name not in loading.lacking:
            loading.take(request, load)
    loading.check_columns()
    lacking, usable = loading.lacking, loading.loaded
    if loading.complaints or (lacking and (unavailable is None or not usable)):
        sentences = [*dict.fromkeys([*lacking.values(), *loading.complaints])]
        raise UnusableData(sentences, [r.name for r in requests if r.name in usable])
    if unavailable is not None:
        unavailable |= lacking
    fingerprints: dict[str, str] = {}
    for request in requests:
        name, known = request.name, known_fingerprint(request)
        if (dataset := usable.get(name)) is not None:
            fingerprint: str | None = dataset.fingerprint
        elif name in usable:
            fingerprint = known or f"not fetched: {name}"
        else:
            fingerprint = known or (planned or {}).get(name)
        if fingerprint in fingerprints.values():
            twin = next(other for other, value in fingerprints.items() if value == fingerprint)
            raise DataError(
                f"the data sets '{twin}' and '{name}' hold the same numbers; leave one of them out"
            )
        if fingerprint is not None:
            fingerprints[name] = fingerprint
    return fingerprints


def check_files(
    experiment: Experiment, methods: Sequence[ResolvedMethod], seen: Seen = lambda _: None
) -> list[Dataset]:
    """Load the data sets that are local files, check them against the experiment, and return them.

    ``seen`` is called with each data set that was loaded and checked.

    Raises DataError, a line for each file that is missing, cannot be read, or does not fit, and
    ConfigError where one lacks a column that the experiment names.
    """
    # A file needs none of the places that an access has.
    access = DataAccess(cache_dir=Path(), offline=True)
    loading = _Loading(experiment, methods, seen)
    for request in experiment.requests():
        if request.file is not None:
            loading.take(request, lambda request: load_dataset(request, access))
    complaints = [*loading.lacking.values(), *loading.complaints]
    loading.check_columns(*complaints)
    if complaints:
        raise DataError("\n".join(complaints))
    return [dataset for dataset in loading.loaded.values() if dataset is not None]


def _at_target(experiment: Experiment, request: DataRequest, error: DataError) -> str:
    """Return what is wrong with the columns of a data set and where the experiment names them."""
    names = [entry.name for entry in experiment.datasets]
    entry = experiment.datasets[names.index(request.name)]
    named: dict[str, object] = {
        "target": entry.target, "drop": entry.drop, "categorical": entry.categorical,
    }  # fmt: skip
    key = next((k for k in named if k in entry.model_fields_set and _names(named[k], error)), "")
    return f"{experiment.where('datasets', names.index(request.name), key or 'target')}: {error}"


def _names(given: object, error: DataError) -> bool:
    columns = given if isinstance(given, list) else [given]
    return any(f" {column!r};" in str(error) or f" {column};" in str(error) for column in columns)


def _saved(request: DataRequest, arrays_dir: Path) -> Dataset | None:
    known = known_fingerprint(request)
    try:
        return None if known is None else replace(load_arrays(known, arrays_dir), name=request.name)
    except DataError:
        return None


def _at_hand(request: DataRequest, access: DataAccess) -> Dataset | None:
    """Return the data set, or None where it would be fetched or computed, and notify of that."""
    try:
        return load_dataset(request, replace(access, offline=True, may_compute=False))
    except NotComputed as error:
        access.notify(f"{request.name}: {error} would be computed, and are checked only then")
        return None
    except UnavailableDataError:
        if access.offline or not _downloads(request, access):
            raise
        access.notify(f"{request.name} would be fetched, and is checked only then")
        return None


def _downloads(request: DataRequest, access: DataAccess) -> bool:
    """Whether a data set may be downloaded from anywhere."""
    if request.card is None:
        return request.openml is not None
    return any(addresses(source, access) for source in requested_card(request).sources)


def requests_of(names: Sequence[str], every: bool = False) -> dict[str, DataRequest]:
    """Return the data sets of these names and of configs, or also all that there is a card of.

    Raises ConfigError for what is neither.
    """
    cards, configs = card_names(), config_names()
    requests: dict[str, DataRequest] = {}
    for name in [*names, *(cards if every else [])]:
        if name.partition(":")[0] in cards:
            requests[name] = DataRequest(name=name, card=name, task=load_card(name).task)
        elif name in configs or name.endswith((".yaml", ".yml")):
            requests |= {r.name: r for r in load_experiment(name).requests()}
        else:
            raise ConfigError(
                f"'{name}' is neither a data set nor a config{did_you_mean(name, cards + configs)}"
                "; see: boostbench list datasets"
            )
    return requests


def fetch_all(
    requests: Mapping[str, DataRequest], mirror: Path | None, offline: bool, listener: Listener
) -> tuple[dict[str, tuple[Dataset, str]], list[str]]:
    """Fetch data sets: return each with where it came from, and what is wrong with the others."""
    found: dict[str, tuple[Dataset, str]] = {}
    failed: list[str] = []
    missing: Sequence[str] = ()
    with listener.downloads() as watch:
        access = replace(default_access(mirror, offline, listener.note), watch=watch)
        try:
            prefetch(list(requests.values()), access)
        except NoNetwork as error:
            failed, missing = [str(error)], error.missing
        for request in requests.values():
            if request.name in missing:
                continue
            try:
                dataset = load_dataset(request, access)
            except DataError as error:
                failed.append(str(error))
                continue
            listener.dataset_loaded(dataset)
            found[request.name] = dataset, place_of(dataset.source) or dataset.source
    return found, failed
