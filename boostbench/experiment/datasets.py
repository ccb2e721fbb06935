"""The data of an experiment: loaded, checked, and saved for the workers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.config.loading import config_names, load_experiment
from boostbench.config.model import DatasetEntry, Experiment, upgraded
from boostbench.data.access import DataAccess, NotComputed, default_access, place_of
from boostbench.data.arrays import load_arrays, save_arrays
from boostbench.data.catalog import Catalog
from boostbench.data.dataset import Dataset
from boostbench.data.loading import NoNetwork, load_dataset, prefetch
from boostbench.data.request import DataRequest, known_fingerprint, requested_card
from boostbench.data.sources import addresses
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError, DataError, UnavailableDataError, UnknownColumnError
from boostbench.experiment.listener import Listener
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset, check_positive
from boostbench.plan.division import Division
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean


def fingerprints_in_plan(experiment: Experiment, store: Store) -> dict[str, str]:
    """Return the planned fingerprints of the data sets whose entries have not changed."""
    record = store.experiment()
    before = {e.get("name"): upgraded(e, DatasetEntry) for e in record.get("datasets", [])}
    now = {entry.name: entry.model_dump(mode="json") for entry in experiment.datasets}
    planned = {trial.dataset: trial.fingerprint for trial in store.plan()}
    return {n: planned[n] for n in planned if n in now and now[n] == before.get(n)}


def rules_in_plan(
    experiment: Experiment, store: Store, names: Collection[str]
) -> dict[str, SplitRule]:
    """Return how the rows of the data sets ``names`` are divided in the plan of ``store``.

    Only where rows are numbered, which depends on the rows of the file that are left out, and the
    experiment divides these data sets as it did.
    """
    planned = {trial.dataset: trial.split_rule for trial in store.plan()}
    found: dict[str, SplitRule] = {}
    for request in experiment.requests():
        before, is_numbered = planned.get(request.name), request.card is None
        if request.name in names and before is not None and is_numbered:
            now = experiment.split_rule(request.name, request.task)
            now = replace(now, train_rows=before.train_rows, test_rows=before.test_rows)
            if now.division == before.division:
                found[request.name] = now
    return found


def gather(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    access: DataAccess,
    arrays_dir: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    planned: Mapping[str, str] | None = None,
    may_fetch: bool = True,
    seen: Callable[[Dataset, Division], object] = lambda *_: None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fingerprints of the data sets by name, and why wanted ones are unavailable.

    Each wanted data set is loaded, checked against the experiment, and saved in ``arrays_dir``;
    local files first, then missing files are downloaded, several data sets at a time.
    The fingerprint of one that is not wanted, or unavailable, comes from its card, else from
    ``planned``; it is left out where neither is known. Without ``may_fetch`` nothing is saved and
    the network is not used: local data are loaded and checked, and ``access`` is notified of the
    others, which would be fetched, or their features computed; a data set whose card has no
    fingerprint gets one that no trial has. ``seen`` is called with each data set that was loaded
    and checked, and how its rows are divided; the remarks on that are among the data set's.

    Raises ConfigError before anything is downloaded where a local file is missing or lacks a
    column that the experiment names. Raises DataError when all were tried and wanted ones do not
    fit the experiment, or none is available, or two are the same.
    """
    loaded: dict[str, Dataset | None] = {}
    lacking: dict[str, str] = {}
    complaints: list[str] = []
    wrong: list[str] = []

    def take(request: DataRequest) -> None:
        entry = [one.name for one in experiment.datasets].index(request.name)
        if request.file and not (path := Path(request.file)).exists():
            where = experiment.where("datasets", entry, "file")
            wrong.append(f"{where}: datasets[{entry}].file: there is no file {path}")
            return
        try:
            dataset = _load(request, access, arrays_dir, may_fetch)
            if dataset is not None:
                check_positive(experiment, dataset)
                division = check_dataset(experiment, dataset, methods)
                remarks = (*dataset.remarks, *division.remarks)
                seen(replace(dataset, remarks=remarks), division)
            loaded[request.name] = dataset
        except UnavailableDataError as error:
            names = "" if request.name in str(error) else f"data set '{request.name}': "
            lacking[request.name] = f"{names}{error}"
        except UnknownColumnError as error:
            wrong.append(f"{experiment.where('datasets', entry)}: {error}")
        except ConfigError as error:
            wrong.append(str(error))
        except DataError as error:
            complaints.append(str(error))

    requests = experiment.requests()
    chosen = [request for request in requests if wanted(request.name)]
    others = [request for request in chosen if request.file is None]
    for request in chosen:
        if request.file is not None:
            take(request)
    if may_fetch and not wrong:
        try:
            prefetch([r for r in others if not _is_saved(r, arrays_dir)], access)
        except NoNetwork as error:
            lacking |= dict.fromkeys(error.missing, str(error))
    for request in others:
        if not wrong and request.name not in lacking:
            take(request)
    if wrong:
        raise ConfigError("\n".join([*wrong, *complaints]))
    if complaints or (lacking and not loaded):
        raise DataError("\n".join(dict.fromkeys([*lacking.values(), *complaints])))
    fingerprints: dict[str, str] = {}
    for request in requests:
        name = request.name
        fingerprint = known_fingerprint(request) or (planned or {}).get(name)
        if (dataset := loaded.get(name)) is not None:
            fingerprint = dataset.fingerprint
        elif name in loaded:
            fingerprint = known_fingerprint(request) or f"not fetched: {name}"
        if fingerprint in fingerprints.values():
            twin = next(other for other, value in fingerprints.items() if value == fingerprint)
            raise DataError(
                f"the data sets '{twin}' and '{name}' hold the same numbers; leave one of them out"
            )
        if fingerprint is not None:
            fingerprints[name] = fingerprint
    return fingerprints, lacking


def _load(
    request: DataRequest, access: DataAccess, arrays_dir: Path, may_fetch: bool
) -> Dataset | None:
    """Return a data set, None if it would have to be fetched or computed, which is not allowed."""
    try:
        return replace(load_arrays(str(known_fingerprint(request)), arrays_dir), name=request.name)
    except DataError:
        # It is not saved, or the copy is damaged.
        pass
    if may_fetch:
        dataset = load_dataset(request, access)
        save_arrays(dataset, arrays_dir)
        return dataset
    try:
        return load_dataset(request, replace(access, offline=True, may_compute=False))
    except NotComputed as error:
        access.notify(f"{request.name}: {error} would be computed, and are checked only then")
    except UnavailableDataError:
        if access.offline or not _downloads(request, access):
            raise
        access.notify(f"{request.name} would be fetched, and is checked only then")
    return None


def _is_saved(request: DataRequest, arrays_dir: Path) -> bool:
    return (arrays_dir / f"{known_fingerprint(request)}.npz").is_file()


def _downloads(request: DataRequest, access: DataAccess) -> bool:
    """Return whether a data set can be downloaded."""
    if request.card is None:
        return request.openml is not None
    return any(addresses(source, access) for source in requested_card(request).sources)


def requests_of(names: Sequence[str]) -> dict[str, DataRequest]:
    """Return the requests for these data sets and configs; ConfigError for other names."""
    catalog, configs = Catalog(), config_names()
    requests: dict[str, DataRequest] = {}
    for name in names:
        if name.partition(":")[0] in catalog.names:
            task = catalog.card(name).task
            requests[name] = DataRequest(name=name, card=name, task=task, catalog=catalog)
        elif name in configs or name.endswith((".yaml", ".yml")):
            requests |= {r.name: r for r in load_experiment(name).requests()}
        else:
            near = did_you_mean(name, catalog.names + configs)
            raise ConfigError(
                f"'{name}' is neither a data set nor a config{near}; see: boostbench list datasets"
            )
    return requests


def fetch_all(
    requests: Mapping[str, DataRequest], mirror: Path | None, offline: bool, listener: Listener
) -> tuple[dict[str, tuple[Dataset, str]], list[str]]:
    """Fetch data sets; return each with its source, and the errors of the others."""
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
