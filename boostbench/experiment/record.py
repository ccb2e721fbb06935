"""What a store keeps of the experiment that it has the results of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.config.loading import place_of_config
from boostbench.papers import paper_of, published_as
from boostbench.plan.trial import Trial
from boostbench.user_code import file_digest, own_sources

if TYPE_CHECKING:
    from boostbench.experiment.run import Run


def make_record(
    run: "Run", before: Mapping[str, Any], planned: Sequence[Trial], to_run: Sequence[Trial]
) -> dict[str, Any]:
    """Return, as JSON values, the experiment of a run; ``before`` is what was recorded of it."""
    names = [entry.name for entry in run.experiment.datasets]
    experiment = run.experiment.model_dump(mode="json")
    fingerprints = {trial.dataset: trial.fingerprint for trial in planned}
    paper = paper_of(experiment, run.experiment.folder)
    # Data that are not loaded now keep the remarks and digests of the run that loaded them.
    remarks = {**before.get("data_remarks", {}), **run.data_remarks}
    digests = dict(before.get("data_files", {}))
    for entry in run.experiment.datasets:
        if entry.file and entry.name in run.data_remarks:
            path = Path(str(run.experiment.request(entry).file)).expanduser()
            digests[entry.name] = file_digest(path)
    lacking = before.get("without_data") or {}
    without_data = {n: lacking[n] for n in names if n in lacking and not run.wants(n)}
    optional = {
        "sources": _sources(run, before.get("sources") or {}, to_run),
        "without_data": {**without_data, **run.without_data},
    }
    return {
        **experiment,
        "file": place_of_config(run.request.config, run.experiment.results_dir),
        "data_files": {name: digests[name] for name in names if name in digests},
        "published_as": published_as(paper, experiment["datasets"], fingerprints),
        **run.request.record,
        "data_remarks": {name: remarks[name] for name in names if remarks.get(name)},
        **{name: value for name, value in optional.items() if value},
    }


def _sources(
    run: "Run", before: Mapping[str, dict[str, str]], to_run: Sequence[Trial]
) -> dict[str, dict[str, str]]:
    """Return the digests of the user's own source files, by path, by method and metric."""
    own = {m.label: own_sources(m.estimator).record() for m in run.methods if m.code}
    named = {name: own_sources(path) for name, path in run.metrics.items() if ":" in path}
    own |= {name: found.record() for name, found in named.items() if found.files}
    # What methods ran with that do not run now is what their outcomes came from.
    running = {trial.method for trial in to_run} | (set(run.metrics) if to_run else set())
    return {
        name: found if name in running else before.get(name, found) for name, found in own.items()
    }
