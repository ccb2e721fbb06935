"""The data of an experiment: loaded, checked, and laid down where the workers find them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.config.model import DatasetEntry, Experiment
from boostbench.errors import DataError
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset

if TYPE_CHECKING:
    from boostbench.data.access import DataAccess
    from boostbench.data.dataset import Dataset
    from boostbench.data.request import DataRequest


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
    # A key that did not exist when the plan was made had no effect then, as by its default now.
    usual = {key: field.default for key, field in DatasetEntry.model_fields.items()}
    before = {e.get("name"): {**usual, **e} for e in record.get("datasets", [])}
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
) -> dict[str, str]:
    """Return the fingerprints of the experiment's data sets by name.

    Each wanted data set is loaded, checked against the experiment, and saved in ``arrays_dir``;
    what is missing is downloaded first, several data sets at a time.
    One that is not wanted is only named: by its card's fingerprint, else by that in ``planned``,
    and left out where neither is known. Without ``may_fetch`` nothing is saved and the network is
    not used: what is at hand is loaded and checked, and of the rest ``access`` is notified that it
    would be fetched; where its card has no fingerprint it gets one that no trial has. ``seen`` is
    called with each data set that was loaded and checked.

    Raises UnusableData when all were tried and wanted ones are unavailable or do not fit the
    experiment, DataError when two are the same.
    """
    from boostbench.data import known_fingerprint
    from boostbench.data.prefetch import NoNetwork, prefetch

    fingerprints: dict[str, str] = {}
    complaints: list[str] = []
    usable: list[str] = []
    requests = experiment.requests()
    unavailable: list[str] = []
    if may_fetch:
        access = access.sharing()
        unsaved = [
            request
            for request in requests
            if wanted(request.name)
            and not (arrays_dir / f"{known_fingerprint(request)}.npz").is_file()
        ]
        try:
            prefetch(unsaved, access)
        except NoNetwork as error:
            complaints, unavailable = [str(error)], error.missing
    load = _load if may_fetch else _load_at_hand
    for request in requests:
        known = known_fingerprint(request)
        if not wanted(request.name):
            known = known or (planned or {}).get(request.name)
            if known is not None:
                fingerprints[request.name] = known
            continue
        if request.name in unavailable:
            continue
        try:
            dataset = load(request, known, access, arrays_dir)
            if dataset is not None:
                check_dataset(experiment, dataset, methods)
        except DataError as error:
            complaints.append(str(error))
            continue
        usable.append(request.name)
        if dataset is None:
            access.notify(f"{request.name} would be fetched, and is checked only then")
            fingerprints[request.name] = known or f"not fetched: {request.name}"
        else:
            seen(dataset)
            fingerprints[request.name] = dataset.fingerprint
    if complaints:
        raise UnusableData(list(dict.fromkeys(complaints)), usable)
    _refuse_twins(fingerprints)
    return fingerprints


def check_files(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    seen: Callable[["Dataset"], object] = lambda _: None,
) -> "list[Dataset]":
    """Load the data sets that are local files, check them against the experiment, and return them.

    ``seen`` is called with each data set that was loaded and checked.

    Raises DataError, a line for each file that is missing, cannot be read, or does not fit.
    """
    from boostbench.data import DataAccess, load_dataset

    # A file needs none of the places that an access has.
    access = DataAccess(cache_dir=Path(), offline=True)
    complaints, loaded = [], []
    for request in experiment.requests():
        if request.file is not None:
            try:
                dataset = load_dataset(request, access)
                check_dataset(experiment, dataset, methods)
                seen(dataset)
                loaded.append(dataset)
            except DataError as error:
                complaints.append(str(error))
    if complaints:
        raise DataError("\n".join(complaints))
    return loaded


def _load(
    request: "DataRequest", known: str | None, access: "DataAccess", arrays_dir: Path
) -> "Dataset":
    from boostbench.data import load_dataset, save_arrays

    dataset = _saved(request, known, arrays_dir)
    if dataset is None:
        dataset = load_dataset(request, access)
        save_arrays(dataset, arrays_dir)
    return dataset


def _saved(request: "DataRequest", known: str | None, arrays_dir: Path) -> "Dataset | None":
    import dataclasses

    from boostbench.data import load_arrays

    if known is None:
        return None
    try:
        return dataclasses.replace(load_arrays(known, arrays_dir), name=request.name)
    except DataError:
        return None


def _load_at_hand(
    request: "DataRequest", known: str | None, access: "DataAccess", arrays_dir: Path
) -> "Dataset | None":
    """Return the data set if it is available without the network, None if it would be fetched."""
    import dataclasses

    from boostbench.data import load_dataset
    from boostbench.data.fetch import NotAtHand

    saved = _saved(request, known, arrays_dir)
    if saved is not None:
        return saved
    local = dataclasses.replace(access, offline=True)
    try:
        return load_dataset(request, local)
    except NotAtHand:
        if access.offline:
            raise
        return None
    except DataError:
        if access.offline or request.card is None:
            raise
        if request.per_class is None:
            return None
    # The card's rows may be at hand, but too few of a class.
    try:
        load_dataset(dataclasses.replace(request, per_class=None), local)
    except DataError:
        return None
    return load_dataset(request, local)


def _refuse_twins(fingerprints: dict[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, fingerprint in fingerprints.items():
        if fingerprint in seen:
            raise DataError(
                f"the data sets '{seen[fingerprint]}' and '{name}' hold the same numbers; "
                "leave one of them out"
            )
        seen[fingerprint] = name
