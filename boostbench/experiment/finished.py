"""The result of a run, and the run that would find nothing to do.

Importing the estimators takes half of the time of such a run. Where every trial is one of
boostbench's own methods on data that a card describes, files tell that nothing has changed.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.config.loading import load_experiment, place_of_config
from boostbench.config.model import Experiment
from boostbench.experiment.listener import Listener
from boostbench.experiment.report_record import FinishedRun, finished_run, keep_finished_run
from boostbench.experiment.reporting import Reported, whole_report
from boostbench.experiment.request import Request
from boostbench.plan.trial import canonical_json
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store

if TYPE_CHECKING:
    from boostbench.experiment.preparation import Preparation


@dataclass(frozen=True)
class Finished:
    """The result of a run: the selected trials by status, and the numbers run now and remaining."""

    counts: Mapping[str, int]
    ran: int
    left: int
    interrupted: bool
    report: Reported


def finished_before(request: Request, listener: Listener) -> Finished | None:
    """Return the result of a run that has nothing to do, None where only the run itself can tell.

    Raises ConfigError as :func:`boostbench.config.loading.load_experiment` does.
    """
    experiment = load_experiment(request.config, request.overrides or ())
    folder = experiment.results_dir
    before = finished_run(folder)
    if before is None or not (folder / STORE_FILE).is_file():
        return None
    if (before.command, before.experiment) != (str(request), _digest(experiment, request)):
        return None
    with Store.read(folder) as store:
        report = whole_report(store, folder)
    if report is None:
        return None
    for sentence in before.remarks:
        listener.note(sentence)
    return Finished(Counter(ok=before.trials), 0, 0, False, report)


def keep_if_nothing_is_left(run: "Preparation", finished: Finished) -> None:
    """Keep in the results folder of a run that the same command would find nothing to do.

    It is not kept where something may change that no digest in the report's record has.
    """
    if finished.counts.keys() == {"ok"} and _is_whole(run.request) and _is_told_by_files(run):
        keep_finished_run(
            run.experiment.results_dir,
            FinishedRun(
                run.request.line_to_resume(),
                _digest(run.experiment, run.request),
                finished.counts["ok"],
                run.said_of_data,
            ),
        )


def _is_whole(request: Request) -> bool:
    """Return whether a request is for all trials of an experiment, run here."""
    return not (request.only or request.shard or request.reuse or request.cluster)


def _is_told_by_files(run: "Preparation") -> bool:
    """Return whether all data are those of cards or OpenML, and all code is boostbench's own."""
    experiment = run.experiment
    has_own_files = any(
        entry.file is not None or (entry.splits is not None and entry.splits.says_all)
        for entry in experiment.datasets
    )
    has_own_code = any(experiment.splitter_of(entry.name) for entry in experiment.datasets) or any(
        not method.estimator.startswith("boostbench.") or ":" in method.choose_by
        for method in run.methods
    )
    # Lacking metrics or predictions are a remark of every run.
    return not (has_own_files or has_own_code or run.metrics or experiment.keep)


def _digest(experiment: Experiment, request: Request) -> str:
    """Return the digest of an experiment, and of where its file is."""
    place = place_of_config(request.config, experiment.results_dir)
    text = canonical_json([place, experiment.model_dump(mode="json")])
    return hashlib.sha256(text.encode()).hexdigest()
