"""``boostbench list WHAT CONFIG``: the data sets, methods or paper of one experiment."""

from collections.abc import Callable
from pathlib import Path

from boostbench.cli.listings import (
    OF_CONFIGS,
    OF_DATASETS,
    OF_METHODS,
    OF_PAPERS,
    Listing,
    fields_of,
    of_card,
    of_paper,
)
from boostbench.config.loading import config_names, load_experiment
from boostbench.config.model import Experiment
from boostbench.data.request import requested_card
from boostbench.errors import ConfigError
from boostbench.experiment.folders import RESULTS, find_results, with_results
from boostbench.experiment.freshness import experiment_now
from boostbench.methods import get_method
from boostbench.papers import get_paper
from boostbench.plan.check import check_experiment
from boostbench.store.store import Store
from boostbench.values import Record


def listing_of(what: str, config: str, note: Callable[[str], object]) -> Listing:
    """Return the data sets, methods, configs or papers of an experiment.

    ``config`` is its file, a shipped config's name, or results. Raises ConfigError where there is
    no such experiment, or its file is gone.
    """
    experiment = _experiment(config, note)
    return _KINDS[what](experiment)


def _experiment(config: str, note: Callable[[str], object]) -> Experiment:
    """Return the experiment of a file, of a shipped config or of results."""
    is_file = Path(config).is_file() or config in config_names()
    there = with_results(Path(config)) or with_results(RESULTS / config)
    if is_file or there is None:
        return load_experiment(config)
    folder = find_results(config, note)
    with Store.read(folder) as store:
        known = experiment_now(store)
    if known is None:
        raise ConfigError(
            f"the experiment file of {folder} is gone or has changed its name: give the file itself"
        )
    return known[1]


def _datasets(experiment: Experiment) -> Listing:
    def describe(name: str) -> Record:
        entry = experiment.entry(name)
        request = experiment.request(entry)
        if request.card is not None:
            return of_card(request.card, requested_card(request))
        source = entry.file or f"OpenML {entry.openml}"
        return {
            "title": source,
            "task": request.task,
            "n_samples": None,
            "n_features": None,
            "licence": "",
            "sources": [source],
            "variants": [],
        }

    return Listing(experiment.dataset_names, describe, OF_DATASETS)


def _methods(experiment: Experiment) -> Listing:
    methods = {method.label: method for method in check_experiment(experiment)}
    registered = {entry.name: entry.method for entry in experiment.methods}
    tasks = sorted({request.task for request in experiment.requests()})

    def describe(name: str) -> Record:
        method, known = methods[name], registered[name]
        named = None if known is None else get_method(known)
        return {
            "title": named.title if named else name,
            "description": named.description if named else method.estimator,
            "task": named.task if named else ", ".join(tasks),
            "estimator": method.estimator,
            "version": method.version,
            "params": dict(method.params),
        }

    return Listing(list(methods), describe, OF_METHODS)


def _configs(experiment: Experiment) -> Listing:
    def describe(_: str) -> Record:
        return fields_of(experiment, "title", "n_trials", "paper")

    return Listing([experiment.name], describe, OF_CONFIGS)


def _papers(experiment: Experiment) -> Listing:
    names = [experiment.paper] if experiment.paper else []
    return Listing(names, lambda name: of_paper(get_paper(name, experiment.folder)), OF_PAPERS)


_KINDS: dict[str, Callable[[Experiment], Listing]] = {
    "datasets": _datasets,
    "methods": _methods,
    "configs": _configs,
    "papers": _papers,
}
