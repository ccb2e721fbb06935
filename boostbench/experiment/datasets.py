"""The data of an experiment: loaded, checked, and laid down where the workers find them."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.config.model import DatasetEntry, Experiment, as_now
from boostbench.data import DataAccess, known_fingerprint, load_arrays, load_dataset, save_arrays
from boostbench.data.access import NotComputed
from boostbench.data.cards import requested_card
from boostbench.data.dataset import Dataset
from boostbench.data.loading import NoNetwork, prefetch
from boostbench.data.request import DataRequest
from boostbench.data.sources import addresses
from boostbench.errors import ConfigError, DataError, UnavailableDataError, UnknownColumnError
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset

if TYPE_CHECKING:
    from boostbench.data.access import DataAccess


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


def gather(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    access: "DataAccess",
    arrays_dir: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    planned: Mapping[str, str] | None = None,
    may_fetch: bool = True,
    seen: Callable[["Dataset"], object] = lambda _: None,
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
    fingerprints: dict[str, str] = {}
    complaints: list[str] = []
    usable: list[str] = []
    lacking: dict[str, str] = {}
    requests = experiment.requests()

    def take(request: "DataRequest") -> None:
        known = known_fingerprint(request)
        load = _load if may_fetch else _load_at_hand
        try:
            dataset = load(request, known, access, arrays_dir)
            if dataset is not None:
                check_dataset(experiment, dataset, methods)
        except UnavailableDataError as error:
            names = "" if request.name in str(error) else f"data set '{request.name}': "
            lacking[request.name] = f"{names}{error}"
            return
        except UnknownColumnError as error:
            typos.append(_at_target(experiment, request, error))
            return
        except DataError as error:
            complaints.append(str(error))
            return
        usable.append(request.name)
        if dataset is None:
            fingerprints[request.name] = known or f"not fetched: {request.name}"
        else:
            seen(dataset)
            fingerprints[request.name] = dataset.fingerprint

    typos: list[str] = []
    chosen = [request for request in requests if wanted(request.name)]
    for request in chosen:
        if request.file is not None:
            take(request)
    if typos:
        raise ConfigError("\n".join(typos))
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
            lacking |= dict.fromkeys(error.missing, str(error))
    for request in others:
        if request.name not in lacking:
            take(request)
    if typos:
        raise ConfigError("\n".join(typos))
    if complaints or (lacking and (unavailable is None or not usable)):
        sentences = [*dict.fromkeys([*lacking.values(), *complaints])]
        raise UnusableData(sentences, [r.name for r in requests if r.name in usable])
    if unavailable is not None:
        unavailable |= lacking
    for request in requests:
        if request.name not in fingerprints:
            known = known_fingerprint(request) or (planned or {}).get(request.name)
            if known is not None:
                fingerprints[request.name] = known
    _refuse_twins(fingerprints)
    return {r.name: fingerprints[r.name] for r in requests if r.name in fingerprints}


def _at_target(experiment: Experiment, request: "DataRequest", error: DataError) -> str:
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


def check_files(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    seen: Callable[["Dataset"], object] = lambda _: None,
) -> "list[Dataset]":
    """Load the data sets that are local files, check them against the experiment, and return them.

    ``seen`` is called with each data set that was loaded and checked.

    Raises DataError, a line for each file that is missing, cannot be read, or does not fit, and
    ConfigError where one lacks a column that the experiment names.
    """
    # A file needs none of the places that an access has.
    access = DataAccess(cache_dir=Path(), offline=True)
    complaints, typos, loaded = [], [], []
    for request in experiment.requests():
        if request.file is not None:
            try:
                dataset = load_dataset(request, access)
                check_dataset(experiment, dataset, methods)
                seen(dataset)
                loaded.append(dataset)
            except UnknownColumnError as error:
                typos.append(_at_target(experiment, request, error))
            except DataError as error:
                complaints.append(str(error))
    if typos:
        raise ConfigError("\n".join([*typos, *complaints]))
    if complaints:
        raise DataError("\n".join(complaints))
    return loaded


def _load(
    request: "DataRequest", known: str | None, access: "DataAccess", arrays_dir: Path
) -> "Dataset":
    dataset = _saved(request, known, arrays_dir)
    if dataset is None:
        dataset = load_dataset(request, access)
        save_arrays(dataset, arrays_dir)
    return dataset


def _saved(request: "DataRequest", known: str | None, arrays_dir: Path) -> "Dataset | None":

    if known is None:
        return None
    try:
        return dataclasses.replace(load_arrays(known, arrays_dir), name=request.name)
    except DataError:
        return None


def _load_at_hand(
    request: "DataRequest", known: str | None, access: "DataAccess", arrays_dir: Path
) -> "Dataset | None":
    """Return the data set, or None where it would be fetched or computed, and notify of that."""

    saved = _saved(request, known, arrays_dir)
    if saved is not None:
        return saved
    try:
        return load_dataset(request, dataclasses.replace(access, offline=True, may_compute=False))
    except NotComputed as error:
        access.notify(f"{request.name}: {error} would be computed, and are checked only then")
        return None
    except UnavailableDataError:
        if access.offline or not _downloads(request, access):
            raise
        access.notify(f"{request.name} would be fetched, and is checked only then")
        return None


def _downloads(request: "DataRequest", access: "DataAccess") -> bool:
    """Whether a data set may be downloaded from anywhere."""
    if request.card is None:
        return request.openml is not None
    return any(addresses(source, access) for source in requested_card(request).sources)


def _refuse_twins(fingerprints: dict[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, fingerprint in fingerprints.items():
        if fingerprint in seen:
            raise DataError(
                f"the data sets '{seen[fingerprint]}' and '{name}' hold the same numbers; "
                "leave one of them out"
            )
        seen[fingerprint] = name
