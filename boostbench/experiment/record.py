"""The record of an experiment in the store of its results."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from boostbench.config.loading import place_of_config
from boostbench.config.model import Experiment
from boostbench.experiment.paper_changes import paper_now
from boostbench.experiment.preparation import Preparation
from boostbench.experiment.roles import own_estimators
from boostbench.papers import paper_of, published_as
from boostbench.plan.difference import difference
from boostbench.plan.grid import Plan
from boostbench.plan.trial import Trial
from boostbench.store.record import OF_THE_CALL
from boostbench.store.store import Store
from boostbench.user_code import file_digest, own_sources
from boostbench.values import Record

T = TypeVar("T")


def is_recorded(run: Preparation, store: Store, planned: Plan) -> bool:
    """Return whether a store has the plan and the record that a run makes which runs no trial."""
    then, now = store.experiment(), make_record(run, store, planned.likes, ())
    changed = {change.name for change in difference(then, now)}
    # The place of the file is recorded apart from its name as it was given.
    return changed <= {*OF_THE_CALL, "config"} and store.is_planned(planned)


def make_record(
    run: Preparation, store: Store, planned: Sequence[Trial], to_run: Sequence[Trial]
) -> Record:
    """Return the record of a run's experiment, as JSON values; the store has an earlier one.

    ``planned`` has a trial of each planned method and data set.
    """
    experiment, before = run.experiment, store.record_of_run()
    at_start = before["paper_at_start"]
    if not store.runs():
        at_start = paper_now(experiment.paper, experiment.folder, at_start)
    names = experiment.dataset_names
    recorded = experiment.model_dump(mode="json", exclude={"keep"})
    fingerprints = {trial.dataset: trial.fingerprint for trial in planned}
    paper = paper_of(recorded, experiment.folder)
    # Data that are not loaded now keep the remarks, rows and digests of the run that loaded them.
    counts = _of(names, {**before["data_rows"], **run.rows}) if paper else {}
    remarks = _of(names, {**before["data_remarks"], **run.data_remarks})
    digests = _of(names, {**before["data_files"], **_digests(experiment, run.data_remarks)})
    unasked = [name for name in names if not run.needs_data(name)]
    optional = {
        "sources": _sources(run, before["sources"], to_run),
        "without_data": {**_of(unasked, before["without_data"]), **run.without_data},
        "own_estimators": own_estimators(experiment, paper),
        "data_rows": counts,
        "paper_at_start": at_start,
        "keep": list(experiment.keep),
    }
    return {
        **recorded,
        "file": place_of_config(run.request.config, experiment.results_dir),
        "data_files": digests,
        "published_as": published_as(
            paper, recorded["datasets"], fingerprints, experiment.catalog, counts
        ),
        **run.request.record,
        "data_remarks": {name: own for name, own in remarks.items() if own},
        **{name: value for name, value in optional.items() if value},
    }


def _of(names: Sequence[str], values: Mapping[str, T]) -> dict[str, T]:
    """Return the values of some names, in their order, as far as there are any."""
    return {name: values[name] for name in names if name in values}


def _digests(experiment: Experiment, loaded: Collection[str]) -> dict[str, str]:
    """Return the digests of the files of the loaded data sets."""
    return {
        entry.name: file_digest(Path(str(experiment.request(entry).file)))
        for entry in experiment.datasets
        if entry.file and entry.name in loaded
    }


def _sources(
    run: Preparation, before: Mapping[str, dict[str, str]], to_run: Sequence[Trial]
) -> dict[str, dict[str, str]]:
    """Return the digests of the user's own source files, by path, by method and metric."""
    own = {m.label: own_sources(m.estimator).record() for m in run.methods if m.code}
    own |= {name: own_sources(path).record() for name, path in run.metrics.items() if ":" in path}
    own = {name: files for name, files in own.items() if files}
    # Methods that do not run now keep the sources of their recorded outcomes.
    running = {trial.method for trial in to_run} | (set(run.metrics) if to_run else set())
    return {name: now if name in running else before.get(name, now) for name, now in own.items()}
