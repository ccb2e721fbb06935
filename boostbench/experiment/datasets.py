"""The data of an experiment: loaded, checked, and saved for the workers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from boostbench.config.loading import config_names, load_experiment
from boostbench.config.model import Experiment
from boostbench.data.access import DataAccess, NotComputed, default_access, place_of
from boostbench.data.arrays import load_arrays, save_arrays
from boostbench.data.cards import Catalog
from boostbench.data.dataset import Dataset
from boostbench.data.loading import NoNetwork, load_dataset, prefetch
from boostbench.data.request import DataRequest, known_fingerprint, requested_card
from boostbench.data.sources import addresses
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError, DataError, UnavailableDataError, UnknownColumnError
from boostbench.experiment.freshness import changed_options
from boostbench.experiment.listener import Listener
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset, check_positive
from boostbench.plan.division import Division
from boostbench.plan.rows import Place
from boostbench.store.store import Store
from boostbench.suggest import did_you_mean


def fingerprints_in_plan(experiment: Experiment, store: Store) -> dict[str, str]:
    """Return the planned fingerprints of the data sets whose entries have not changed."""
    changed = changed_options(store.record_of_run(), experiment)
    planned = {name: trial.fingerprint for name, trial in store.datasets().items()}
    same = [name for name in experiment.dataset_names if f"data set {name}" not in changed]
    return {name: planned[name] for name in same if name in planned}


def rules_in_plan(
    experiment: Experiment, store: Store, names: Collection[str]
) -> dict[str, SplitRule]:
    """Return how the rows of the data sets ``names`` are divided in the plan of ``store``.

    Only where rows are numbered, which depends on the rows of the file that are left out, and the
    experiment divides these data sets as it did.
    """
    planned = {name: trial.split_rule for name, trial in store.datasets().items()}
    has_same_splits = "splits" not in changed_options(store.record_of_run(), experiment)
    rules: dict[str, SplitRule] = {}
    for request in experiment.requests():
        before = planned.get(request.name)
        if request.name not in names or before is None:
            continue
        now = experiment.split_rule(request.name, request.task)
        if now.split == "splitter" and has_same_splits:
            now = replace(now, folds=before.folds)
        if now.is_by_rows:
            now = replace(now, overlap=before.overlap)
        elif request.card is not None:
            continue
        now = replace(now, train_rows=before.train_rows, test_rows=before.test_rows)
        if now.folds and now.division == before.division:
            rules[request.name] = now
    return rules


def rows_in_plan(
    experiment: Experiment, store: Store, rules: Mapping[str, SplitRule]
) -> dict[str, dict[Place, str]]:
    """Return the planned digests of the rows of data sets, where each split of ``rules`` has one.

    These are the rules of :func:`rules_in_plan`.
    """
    planned: dict[str, dict[Place, str]] = {}
    for trial in store.plan() if any(rule.is_by_rows for rule in rules.values()) else ():
        planned.setdefault(trial.dataset, {})[trial.split_seed, trial.fold] = trial.rows
    rows: dict[str, dict[Place, str]] = {}
    for name, rule in rules.items():
        places = experiment.places_of(rule)
        known = {place: planned.get(name, {}).get(place, "") for place in places}
        if rule.is_by_rows and all(known.values()):
            rows[name] = known
    return rows


def gather(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    access: DataAccess,
    arrays_dir: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    planned: Mapping[str, str] | None = None,
    may_fetch: bool = True,
    needs_some: bool = True,
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
    fit the experiment, or none is available while it ``needs_some``, or two are the same and
    divided in one way.
    """
    requests = experiment.requests()
    gathering = _Gathering(experiment, methods, access, arrays_dir, may_fetch, seen)
    gathering.load_all([request for request in requests if wanted(request.name)])
    gathering.raise_mistakes(needs_some)
    fingerprints = _fingerprints(requests, gathering.loaded, planned or {})
    _refuse_copies(experiment, fingerprints, gathering.divided)
    return fingerprints, gathering.lacking


@dataclass
class _Gathering:
    """The data sets of an experiment, as they are loaded and checked one by one.

    ``loaded`` has those that may be used, None if one would have to be fetched first, ``lacking``
    why others are unavailable. ``wrong`` are mistakes in the experiment, ``complaints`` are on data
    that do not fit it. ``divided`` says how the rows of those are divided that were checked.
    """

    experiment: Experiment
    methods: Sequence[ResolvedMethod]
    access: DataAccess
    arrays_dir: Path
    may_fetch: bool
    seen: Callable[[Dataset, Division], object]
    loaded: dict[str, Dataset | None] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    divided: dict[str, Division] = field(default_factory=dict)

    def load_all(self, requests: Sequence[DataRequest]) -> None:
        """Load local files first, then the others, unless a file shows a mistake."""
        others = [request for request in requests if request.file is None]
        for request in requests:
            if request.file is not None:
                self.load_one(request)
        if self.may_fetch and not self.wrong:
            self._download(others)
        for request in others:
            if not self.wrong and request.name not in self.lacking:
                self.load_one(request)

    def _download(self, requests: Sequence[DataRequest]) -> None:
        try:
            prefetch([r for r in requests if not _is_saved(r, self.arrays_dir)], self.access)
        except NoNetwork as error:
            self.lacking |= dict.fromkeys(error.missing, str(error))

    def load_one(self, request: DataRequest) -> None:
        """Load and check a data set, or keep the reason why it cannot be used."""
        entry = self.experiment.dataset_names.index(request.name)
        if request.file and not (path := Path(request.file)).exists():
            where = self.experiment.where("datasets", entry, "file")
            self.wrong.append(f"{where}: datasets[{entry}].file: there is no file {path}")
            return
        try:
            dataset = _load(request, self.access, self.arrays_dir, self.may_fetch)
            if dataset is not None:
                self._check(dataset)
            self.loaded[request.name] = dataset
        except UnavailableDataError as error:
            names = "" if request.name in str(error) else f"data set '{request.name}': "
            self.lacking[request.name] = f"{names}{error}"
        except UnknownColumnError as error:
            self.wrong.append(f"{self.experiment.where('datasets', entry)}: {error}")
        except ConfigError as error:
            self.wrong.append(str(error))
        except DataError as error:
            self.complaints.append(str(error))

    def _check(self, dataset: Dataset) -> None:
        check_positive(self.experiment, dataset)
        division = check_dataset(self.experiment, dataset, self.methods)
        self.divided[dataset.name] = replace(division, rows={})
        remarks = (*dataset.remarks, *division.remarks)
        self.seen(replace(dataset, remarks=remarks), division)

    def raise_mistakes(self, needs_some: bool) -> None:
        """Raise ConfigError or DataError for all that is wrong, if anything is."""
        if self.wrong:
            raise ConfigError("\n".join([*self.wrong, *self.complaints]))
        if self.complaints or (needs_some and self.lacking and not self.loaded):
            raise DataError("\n".join(dict.fromkeys([*self.lacking.values(), *self.complaints])))


def _fingerprints(
    requests: Sequence[DataRequest],
    loaded: Mapping[str, Dataset | None],
    planned: Mapping[str, str],
) -> dict[str, str]:
    """Return the known fingerprints by name; one that no trial has for data to be fetched."""
    fingerprints: dict[str, str] = {}
    for request in requests:
        name, dataset = request.name, loaded.get(request.name)
        if dataset is not None:
            fingerprints[name] = dataset.fingerprint
        elif known := known_fingerprint(request):
            fingerprints[name] = known
        elif name in loaded:
            fingerprints[name] = f"not fetched: {name}"
        elif name in planned:
            fingerprints[name] = planned[name]
    return fingerprints


def _refuse_copies(
    experiment: Experiment, fingerprints: Mapping[str, str], divided: Mapping[str, Division]
) -> None:
    """Raise DataError where two data sets have the same numbers and are divided in one way."""
    names: dict[tuple[object, ...], str] = {}
    for request in experiment.requests():
        name = request.name
        if name not in fingerprints:
            continue
        division = divided.get(name)
        rule = division.rule if division else experiment.split_rule(name, request.task)
        rows = tuple(division.digests.values()) if division else ()
        # Of rows that are not loaded now nothing is known: then each data set counts as another.
        other = name if rule.is_by_rows and not rows else ""
        same = fingerprints[name], rule.division, rows, other
        if same in names:
            raise DataError(
                f"the data sets '{names[same]}' and '{name}' hold the same numbers, and are "
                "divided in the same way; leave one of them out, or divide it otherwise by its "
                "own splits"
            )
        names[same] = name


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
    fetched: dict[str, tuple[Dataset, str]] = {}
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
            fetched[request.name] = dataset, place_of(dataset.source) or dataset.source
    return fetched, failed
