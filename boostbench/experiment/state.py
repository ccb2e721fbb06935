"""The progress of the run in a results folder, and why trials failed."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boostbench.config.entries import upgraded
from boostbench.config.model import Limits
from boostbench.engine.os_processes import processors
from boostbench.experiment.estimate import Costs
from boostbench.experiment.freshness import changed_since_runs, experiment_now
from boostbench.experiment.progress import Board
from boostbench.experiment.request import run_line
from boostbench.plan.absent import unplanned, without_data
from boostbench.plan.trial import Trial
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome
from boostbench.suggest import counted
from boostbench.values import Record


def overview(folder: Path, only: Sequence[str] = ()) -> Record:
    """Return the numbers of planned, done, failed and running trials of a results folder."""
    with Store.read(folder, only=only) as store:
        recorded = _recorded(store)
    statuses = recorded.statuses
    return {
        "results": str(folder),
        "planned": len(recorded.plan),
        "done": len(recorded.ended),
        "failed": sum(n for status, n in statuses.items() if status not in {"ok", "skipped"}),
        "running": len(recorded.running),
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
        recorded = _recorded(store)
        shard = store.shard()
        notes = notices(store, changed_since_runs(store))
    experiment, missing = recorded.experiment, recorded.missing
    # The same as in a dry run of the command that resumes it.
    jobs = min(experiment["jobs"] or processors(), len(missing))
    left = Costs.of_folder(folder, missing).estimate(missing, jobs)
    return {
        "name": experiment["name"] or folder.name,
        "results": str(folder),
        "shard": str(shard or ""),
        "planned": len(recorded.plan),
        "done": len(recorded.ended),
        "statuses": recorded.statuses,
        "cells": recorded.cells,
        "running": {trial.name: time.time() - since for trial, since in recorded.running},
        "unplanned": recorded.never_loaded,
        "without_data": without_data(experiment),
        "failures": _failures(recorded.plan, recorded.outcomes),
        "again": len({trial.key for trial in recorded.ended} & recorded.again),
        "notices": notes,
        "seconds_left": left.seconds,
        "estimate": left.lines(jobs)[0] if missing else "",
        "resume": _resume(experiment, only) if missing and not recorded.running else "",
    }


def _resume(experiment: ExperimentRecord, only: Sequence[str]) -> str:
    """Return the command that runs the missing ones of the chosen trials."""
    return run_line(experiment, *(word for text in only for word in ("--only", text)))


@dataclass(frozen=True)
class _RecordedRun:
    """The plan of a results folder, and what is recorded of its trials.

    ``again`` are the keys of trials that are to run again, ``running`` has the times since when
    trials run, and ``loaded`` are the data sets of the whole plan.
    """

    experiment: ExperimentRecord
    plan: Sequence[Trial]
    outcomes: Mapping[str, Outcome]
    again: set[str]
    running: Sequence[tuple[Trial, float]]
    loaded: set[str]

    @property
    def ended(self) -> list[Trial]:
        """The planned trials with an outcome."""
        return [trial for trial in self.plan if trial.key in self.outcomes]

    @property
    def missing(self) -> list[Trial]:
        """The planned trials that are still to be run."""
        return [t for t in self.plan if t.key not in self.outcomes or t.key in self.again]

    @property
    def statuses(self) -> dict[str, int]:
        """The numbers of ended trials by status."""
        counts = Counter(self.outcomes[trial.key].status for trial in self.ended)
        return {name: counts[name] for name in FINAL_STATUSES if counts[name]}

    @property
    def never_loaded(self) -> list[str]:
        """The data sets without trials that were not found to be unavailable."""
        lacking = self.experiment["without_data"]
        names = unplanned(self.experiment, self.loaded)
        return [name for name in names if name not in lacking]

    @property
    def cells(self) -> list[Record]:
        """The numbers of trials of each data set and method."""
        board = Board(self.plan, self.outcomes, self.missing, Costs())
        return [
            {"dataset": dataset, "method": method, **cell.counts}
            for (dataset, method), cell in board.cells.items()
        ]


def _recorded(store: Store) -> _RecordedRun:
    """Return what a store has of its chosen trials."""
    plan = store.part()
    chosen = {trial.key for trial in plan}
    return _RecordedRun(
        store.record_of_run(),
        plan,
        store.outcomes(brief=True),
        store.to_run_again(),
        [(trial, since) for trial, since in store.running() if trial.key in chosen],
        {trial.dataset for trial in store.plan()},
    )


def notices(store: Store, changed: Sequence[str]) -> list[str]:
    """Return what has ``changed`` since the results were recorded, limits included."""
    record, outcomes = store.record_of_run(), store.outcomes(brief=True)
    statuses = [outcomes[trial.key].status for trial in store.part() if trial.key in outcomes]
    ended = statuses.count("timeout") + statuses.count("memory")
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


def _failures(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> list[Record]:
    """Return the failures by method and reason, the most frequent first."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for trial in plan:
        outcome = outcomes.get(trial.key)
        if outcome is not None and outcome.status != "ok":
            group = (trial.method, outcome.status, outcome.reason)
            groups.setdefault(group, []).append(trial.name)
    return [
        {"method": m, "status": status, "reason": why, "trials": len(names), "such_as": names[0]}
        for (m, status, why), names in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]
