"""The data of an experiment: loaded, checked, and laid down where the workers find them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.config.model import Experiment
from boostbench.errors import DataError
from boostbench.methods import ResolvedMethod
from boostbench.plan.check import check_dataset

if TYPE_CHECKING:
    from boostbench.data.access import DataAccess
    from boostbench.data.dataset import Dataset
    from boostbench.data.request import DataRequest
    from boostbench.plan.trial import Trial


def fingerprints_in_plan(
    experiment: Experiment, record: Mapping[str, Any], plan: Sequence["Trial"]
) -> dict[str, str]:
    """Return the fingerprints that ``plan`` has of data sets that are still asked for the same way.

    ``record`` is the experiment, as JSON, that the plan was made of.
    """
    before = {entry.get("name"): entry for entry in record.get("datasets", [])}
    same = {
        entry.name
        for entry in experiment.datasets
        if entry.model_dump(mode="json") == before.get(entry.name)
    }
    return {trial.dataset: trial.fingerprint for trial in plan if trial.dataset in same}


def gather(
    experiment: Experiment,
    methods: Sequence[ResolvedMethod],
    access: "DataAccess",
    arrays_dir: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    planned: Mapping[str, str] | None = None,
    may_fetch: bool = True,
) -> dict[str, str]:
    """Return the fingerprints of the experiment's data sets by name.

    Each wanted data set is loaded, checked against the experiment, and saved in ``arrays_dir``.
    One that is not wanted is only named: by its card's fingerprint, else by that in ``planned``,
    and left out where neither is known. Without ``may_fetch`` nothing is saved and the network is
    not used; a data set that is then not to be had gets a fingerprint that no trial has.

    Raises DataError for a wanted data set that cannot be had or does not fit the experiment.
    """
    from boostbench.data import known_fingerprint

    fingerprints: dict[str, str] = {}
    for request in experiment.requests():
        known = known_fingerprint(request)
        if not wanted(request.name):
            known = known or (planned or {}).get(request.name)
            if known is not None:
                fingerprints[request.name] = known
        elif may_fetch:
            dataset = _load(request, known, access, arrays_dir)
            check_dataset(experiment, dataset, methods)
            fingerprints[request.name] = dataset.fingerprint
        else:
            fingerprints[request.name] = known or _fingerprint_at_hand(request, access)
    _refuse_twins(fingerprints)
    return fingerprints


def _load(
    request: "DataRequest", known: str | None, access: "DataAccess", arrays_dir: Path
) -> "Dataset":
    import dataclasses

    from boostbench.data import load_arrays, load_dataset, save_arrays

    if known is not None:
        try:
            return dataclasses.replace(load_arrays(known, arrays_dir), name=request.name)
        except DataError:
            pass
    dataset = load_dataset(request, access)
    save_arrays(dataset, arrays_dir)
    return dataset


def _fingerprint_at_hand(request: "DataRequest", access: "DataAccess") -> str:
    import dataclasses

    from boostbench.data import load_dataset

    try:
        return load_dataset(request, dataclasses.replace(access, offline=True)).fingerprint
    except DataError:
        if request.file is not None:
            raise
        return f"not fetched: {request.name}"


def _refuse_twins(fingerprints: dict[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, fingerprint in fingerprints.items():
        if fingerprint in seen:
            raise DataError(
                f"the data sets '{seen[fingerprint]}' and '{name}' hold the same numbers; "
                "leave one of them out"
            )
        seen[fingerprint] = name
