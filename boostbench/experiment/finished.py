"""The result of a run, and the run that would find nothing to do.

Importing the estimators takes half of the time of such a run. Where all methods are boostbench's
own and the data have pinned fingerprints, files tell that nothing has changed. Nothing is written,
so that the results may be read-only or in use by another run.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.config.loading import load_experiment, place_of_config
from boostbench.config.model import Experiment
from boostbench.data.access import default_access
from boostbench.data.request import known_fingerprint
from boostbench.estimators import import_estimator
from boostbench.experiment.listener import Listener
from boostbench.experiment.report_record import FinishedRun, finished_run, keep_finished_run
from boostbench.experiment.reporting import Reported, whole_report
from boostbench.experiment.request import Request
from boostbench.methods import ResolvedMethod
from boostbench.plan.trial import canonical_json
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store

if TYPE_CHECKING:
    from boostbench.experiment.preparation import Preparation


@dataclass(frozen=True)
class Finished:
    """The result of a run: the selected trials by status, and how many ran now.

    ``left`` counts those that were to run and did not, by data set and method: ``yacht/srt``.
    """

    counts: Mapping[str, int]
    ran: int
    left: Counter[str]
    interrupted: bool
    report: Reported


def finished_before(request: Request, listener: Listener) -> Finished | None:
    """Return the result of a run that has nothing to do, None where only the run itself can tell.

    Raises ConfigError as :func:`boostbench.config.loading.load_experiment` does, and for a mirror
    that is not there.
    """
    default_access(request.mirror, request.offline)
    experiment = load_experiment(request.config, request.overrides or ())
    folder = experiment.results_dir
    before = finished_run(folder)
    if before is None or not (folder / STORE_FILE).is_file():
        return None
    if (before.command, before.experiment) != (str(request), _digest(experiment, request)):
        return None
    with Store.read(folder) as store:
        report = None if store.missing() else whole_report(store, folder)
    if report is None:
        return None
    for sentence in before.remarks:
        listener.note(sentence)
    return Finished(Counter(ok=before.trials), 0, Counter(), False, report)


def keep_if_nothing_is_left(run: "Preparation", finished: Finished) -> None:
    """Keep in the results folder of a run that the same command would find nothing to do.

    It is not kept where something may change that no digest in the report's record has.
    """
    all_ended_well = finished.counts.keys() == {"ok"} and not run.without_data
    # A shard has results of its own.
    if all_ended_well and run.shard is None and _is_told_by_files(run):
        # The command without --again, which is not to be done twice.
        command = run.request.line_to_resume()
        digest = _digest(run.experiment, run.request)
        keep_finished_run(
            run.experiment.results_dir,
            FinishedRun(command, digest, finished.counts["ok"], run.said_of_data),
        )


def _is_told_by_files(run: "Preparation") -> bool:
    """Return whether all data are pinned and divided by rules, and all code is boostbench's own."""
    experiment = run.experiment
    are_pinned = all(known_fingerprint(request) for request in experiment.requests())
    names = [entry.name for entry in experiment.datasets]
    has_own_splits = any(map(experiment.splitter_of, names)) or any(
        entry.splits is not None and (entry.splits.files or entry.splits.test_rows)
        for entry in experiment.datasets
    )
    # A run says each time which recorded trials lack a metric or predictions.
    asks_for_more = bool(run.metrics or experiment.keep)
    return (
        are_pinned
        and not has_own_splits
        and not asks_for_more
        and all(map(_is_boostbenchs, run.methods))
    )


def _is_boostbenchs(method: ResolvedMethod) -> bool:
    """Return whether a method has only code of boostbench, and can run on every machine."""
    is_own = method.estimator.startswith("boostbench.") and ":" not in method.choose_by
    return is_own and not hasattr(import_estimator(method.estimator), "unavailable")


def _digest(experiment: Experiment, request: Request) -> str:
    """Return the digest of an experiment, and of where its file is."""
    place = place_of_config(request.config, experiment.results_dir)
    text = canonical_json([place, experiment.model_dump(mode="json")])
    return hashlib.sha256(text.encode()).hexdigest()
