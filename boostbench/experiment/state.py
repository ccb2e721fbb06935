"""The progress of the run in a results folder, and why trials failed."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from boostbench.config.entries import upgraded
from boostbench.config.model import Limits
from boostbench.engine.os_processes import processors
from boostbench.experiment.estimate import Costs
from boostbench.experiment.freshness import changed_since_runs, experiment_now
from boostbench.experiment.progress import Progress
from boostbench.experiment.request import run_line
from boostbench.plan.absent import unplanned, without_data
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, PlannedCell
from boostbench.suggest import counted
from boostbench.values import Record


def overview(folder: Path, only: Sequence[str] = ()) -> Record:
    """Return the numbers of planned, done, failed and running trials of a results folder."""
    with Store.read(folder, only=only) as store:
        cells, running = store.cells(), store.running()
    statuses = _statuses(cells)
    return {
        "results": str(folder),
        "planned": sum(cell.trials for cell in cells),
        "done": sum(statuses.values()),
        "failed": sum(n for status, n in statuses.items() if status not in {"ok", "skipped"}),
        "running": len(running),
    }


def state_of(folder: Path, only: Sequence[str] = ()) -> Record:
    """Return, as JSON values, the state of a results folder; StoreError where it cannot be read.

    ``only`` selects trials, and the state is that of these; ConfigError where none match.

    ``statuses`` counts the recorded trials, ``running`` maps trials to the seconds that they have
    run. ``without_data`` are the data sets that the last run skipped, by reason, ``unplanned``
    others that were never loaded. ``again`` counts recorded trials that are to run again,
    ``notices`` are changes since the results were recorded. ``seconds_left`` is the estimate for
    the remaining trials, and ``estimate`` its sentence; ``resume`` is the command that resumes.
    """
    with Store.read(folder, only=only) as store:
        cells, shard = store.cells(), store.shard()
        running = store.running()
        experiment, never_loaded = store.record_of_run(), _never_loaded(store)
        failures = store.failures()
        notes = notices(store, changed_since_runs(store))
    statuses = _statuses(cells)
    return {
        "name": experiment["name"] or folder.name,
        "results": str(folder),
        "shard": str(shard or ""),
        "planned": sum(cell.trials for cell in cells),
        "done": sum(statuses.values()),
        "statuses": {name: statuses[name] for name in FINAL_STATUSES if statuses[name]},
        "cells": list(map(_counts, cells)),
        "running": {trial.name: time.time() - since for trial, since in running},
        "unplanned": never_loaded,
        "without_data": without_data(experiment),
        "failures": failures,
        "again": sum(cell.to_run_again for cell in cells),
        "notices": notes,
        **_left(folder, experiment, cells),
        "resume": "" if running else _resume(experiment, cells, only),
    }


def _left(folder: Path, experiment: ExperimentRecord, cells: Iterable[PlannedCell]) -> Record:
    """Return the estimated cost of the missing trials."""
    missing = [(cell.like, cell.missing) for cell in cells if cell.missing]
    # The same as in a dry run of the command that resumes it.
    jobs = min(experiment["jobs"] or processors(), sum(trials for _, trials in missing))
    left = Costs.of_folder(folder, missing).estimate(missing, jobs)
    return {
        "seconds_left": left.seconds,
        "estimate": left.lines(jobs)[0] if missing else "",
    }


def _resume(experiment: ExperimentRecord, cells: Iterable[PlannedCell], only: Sequence[str]) -> str:
    """Return the command that runs the missing ones of the chosen trials, if there are any."""
    if not any(cell.missing for cell in cells):
        return ""
    return run_line(experiment, *(word for text in only for word in ("--only", text)))


def _never_loaded(store: Store) -> list[str]:
    """Return the data sets without trials that were not found to be unavailable."""
    experiment = store.record_of_run()
    lacking = experiment["without_data"]
    never_loaded = unplanned(experiment, store.datasets().keys())
    return [name for name in never_loaded if name not in lacking]


def _statuses(cells: Iterable[PlannedCell]) -> Counter[str]:
    """Return the numbers of recorded trials by status."""
    statuses: Counter[str] = Counter()
    for cell in cells:
        statuses.update(cell.recorded)
    return statuses


def _counts(cell: PlannedCell) -> Record:
    """Return the numbers of trials of a data set and method."""
    done = Progress(cell.trials, Counter(cell.recorded) - Counter(cell.again))
    return {"dataset": cell.dataset, "method": cell.method, **done.counts}


def notices(store: Store, changed: Sequence[str]) -> list[str]:
    """Return what has ``changed`` since the results were recorded, limits included."""
    record, statuses = store.record_of_run(), _statuses(store.cells())
    ended = statuses["timeout"] + statuses["memory"]
    lines = [f"changed since these results: {text}" for text in changed]
    # The experiment file is read for the limits alone.
    known_file = experiment_now(store) if ended else None
    then = upgraded(record["limits"], Limits)
    if known_file and known_file[1].limits.model_dump(mode="json") != then:
        line = run_line(record, "--retry-failed")
        lines.append(
            f"{counted(ended, 'trial')} ended at a limit, and the limits have changed: {line}"
        )
    return lines
