"""The progress of the run in a results folder, and why trials failed."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from boostbench.config.loading import recorded_config
from boostbench.config.model import Limits, upgraded
from boostbench.engine.os_processes import processors
from boostbench.experiment.estimate import Costs
from boostbench.experiment.freshness import changed_since, experiment_now
from boostbench.experiment.progress import Board
from boostbench.experiment.request import run_line
from boostbench.plan.absent import unplanned, without_data
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome
from boostbench.suggest import counted
from boostbench.values import Record


def overview(folder: Path) -> Record:
    """Return the numbers of planned, done, failed and running trials of a results folder."""
    state = state_of(folder)
    failed = sum(n for status, n in state["statuses"].items() if status not in {"ok", "skipped"})
    counts = {"failed": failed, "running": len(state["running"])}
    return {key: state[key] for key in ("results", "planned", "done")} | counts


def state_of(folder: Path) -> Record:
    """Return, as JSON values, the state of a results folder; StoreError where it cannot be read.

    ``statuses`` counts the recorded trials, ``running`` maps trials to the seconds that they have
    run. ``without_data`` are the data sets that the last run skipped, by reason, ``unplanned``
    others that were never loaded. ``again`` counts recorded trials that are to run again,
    ``notices`` are changes since the results were recorded. ``seconds_left`` is the estimate for
    the remaining trials, and ``estimate`` its sentence; ``resume`` is the command that resumes.
    """
    with Store.open(folder, create=False, read_only=True) as store:
        plan, outcomes, again = store.part(), store.outcomes(brief=True), store.to_run_again()
        running, experiment, shard = store.running(), store.experiment(), store.shard()
        notes = notices(store, outcomes)
    missing = [trial for trial in plan if trial.key not in outcomes or trial.key in again]
    counts = Counter(outcomes[trial.key].status for trial in plan if trial.key in outcomes)
    # The same as in a dry run of the command that resumes it.
    jobs = min(experiment.get("jobs") or processors(), len(missing))
    left = Costs.of_folder(folder, missing).estimate(missing, jobs)
    lacking = experiment.get("without_data") or {}
    never_loaded = unplanned(experiment, {trial.dataset for trial in plan})
    return {
        "name": str(experiment.get("name", folder.name)),
        "results": str(folder),
        "shard": str(shard or ""),
        "planned": len(plan),
        "done": counts.total(),
        "statuses": {name: counts[name] for name in FINAL_STATUSES if counts[name]},
        "cells": [
            {"dataset": dataset, "method": method, **cell.counts}
            for (dataset, method), cell in Board(plan, outcomes, missing, Costs()).cells.items()
        ],
        "running": {trial.name: time.time() - since for trial, since in running},
        "unplanned": [name for name in never_loaded if name not in lacking],
        "without_data": without_data(experiment),
        "failures": _failures(plan, outcomes),
        "again": len(again & outcomes.keys() & {trial.key for trial in plan}),
        "notices": notes,
        "seconds_left": left.seconds,
        "estimate": left.lines(jobs)[0] if missing else "",
        "resume": run_line(experiment) if missing and not running else "",
    }


def notices(store: Store, outcomes: Mapping[str, Outcome]) -> list[str]:
    """Return the changes since the results were recorded."""
    record, plan = store.experiment(), store.part()
    path = recorded_config(record, store.folder)
    changed = changed_since(record, plan, store.environments(), path)
    now = experiment_now(record, path)
    statuses = [outcomes[trial.key].status for trial in plan if trial.key in outcomes]
    ended = statuses.count("timeout") + statuses.count("memory")
    lines = [f"changed since these results: {text}" for text in changed]
    then = upgraded(record.get("limits") or {}, Limits)
    if ended and now is not None and now.limits.model_dump(mode="json") != then:
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
