"""The record of an experiment in the store of its results."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from boostbench.config.loading import place_of_config
from boostbench.config.model import Experiment
from boostbench.experiment.request import Request
from boostbench.experiment.roles import own_estimators
from boostbench.methods import ResolvedMethod
from boostbench.papers import paper_of, published_as
from boostbench.plan.trial import Trial
from boostbench.user_code import file_digest, own_sources
from boostbench.values import Record


def make_record(
    experiment: Experiment,
    request: Request,
    before: Record,
    planned: Sequence[Trial],
    loaded: Mapping[str, Sequence[str]],
    rows: Mapping[str, int],
    without_data: Mapping[str, str],
    sources: Record,
) -> Record:
    """Return the record of a run's experiment, as JSON values; ``before`` is its earlier record.

    ``loaded`` are the remarks on the loaded data sets and ``rows`` their numbers of rows,
    ``without_data`` has the reasons why others are unavailable.
    """
    names = [entry.name for entry in experiment.datasets]
    recorded = experiment.model_dump(mode="json")
    fingerprints = {trial.dataset: trial.fingerprint for trial in planned}
    paper = paper_of(recorded, experiment.folder)
    # Data that are not loaded now keep the remarks, rows and digests of the run that loaded them.
    counts = {**before.get("data_rows", {}), **rows} if paper else {}
    counts = {name: counts[name] for name in names if name in counts}
    remarks = {**before.get("data_remarks", {}), **loaded}
    digests = dict(before.get("data_files", {}))
    for entry in experiment.datasets:
        if entry.file and entry.name in loaded:
            digests[entry.name] = file_digest(Path(str(experiment.request(entry).file)))
    optional = {
        "sources": sources,
        "without_data": without_data,
        "own_estimators": own_estimators(experiment, paper),
        "data_rows": counts,
    }
    return {
        **recorded,
        "file": place_of_config(request.config, experiment.results_dir),
        "data_files": {name: digests[name] for name in names if name in digests},
        "published_as": published_as(
            paper, recorded["datasets"], fingerprints, experiment.catalog, counts
        ),
        **request.record,
        "data_remarks": {name: remarks[name] for name in names if remarks.get(name)},
        **{name: value for name, value in optional.items() if value},
    }


def sources_of(
    methods: Sequence[ResolvedMethod],
    metrics: Mapping[str, str],
    before: Mapping[str, dict[str, str]],
    to_run: Sequence[Trial],
) -> dict[str, dict[str, str]]:
    """Return the digests of the user's own source files, by path, by method and metric."""
    own = {m.label: own_sources(m.estimator).record() for m in methods if m.code}
    named = {name: own_sources(path) for name, path in metrics.items() if ":" in path}
    own |= {name: found.record() for name, found in named.items() if found.files}
    # Methods that do not run now keep the sources of their recorded outcomes.
    running = {trial.method for trial in to_run} | (set(metrics) if to_run else set())
    return {
        name: found if name in running else before.get(name, found) for name, found in own.items()
    }
