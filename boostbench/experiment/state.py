"""How far the run of a results folder is, and why trials failed."""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.config.loading import recorded_config
from boostbench.config.model import Limits, parse_memory
from boostbench.engine.os_processes import processors
from boostbench.experiment.estimate import Costs, cells_of
from boostbench.experiment.progress import Board
from boostbench.experiment.request import run_line
from boostbench.plan.absent import unplanned, without_data
from boostbench.plan.trial import Trial
from boostbench.report.freshness import changed_since, experiment_now
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.suggest import counted

STATUSES = ("ok", "skipped", "error", "timeout", "memory", "killed")
Json = dict[str, Any]


def overview(folder: Path) -> Json:
    """Return how many trials of a results folder are planned, done, failed and running now."""
    with Store.open(folder, create=False, read_only=True) as store:
        plan, outcomes, running = store.part(), store.outcomes(brief=True), len(store.running())
    counts = _statuses(plan, outcomes)
    return {
        "results": str(folder),
        "planned": len(plan),
        "done": counts.total(),
        "failed": sum(n for status, n in counts.items() if status not in {"ok", "skipped"}),
        "running": running,
    }


def state_of(folder: Path, config: str | None = None) -> Json:
    """Return, as JSON values, the state of a results folder; StoreError where it cannot be read.

    ``config``: the experiment as the user named it. ``statuses`` counts the recorded trials,
    ``running`` maps trials to the seconds that they have run. ``unplanned`` are other data sets
    never loaded than ``without_data``, those that the last run skipped, by reason. ``again`` counts
    recorded trials that are to run again, ``notices`` say what has changed since. ``seconds_left``
    is the estimate for the rest, of which ``estimate`` is the sentence; ``resume`` the command.
    """
    with Store.open(folder, create=False, read_only=True) as store:
        plan, outcomes, again = store.part(), store.outcomes(brief=True), store.to_run_again()
        running, experiment, shard = store.running(), store.experiment(), store.shard()
        notes = notices(store, outcomes, config)
    missing = [trial for trial in plan if trial.key not in outcomes or trial.key in again]
    counts = _statuses(plan, outcomes)
    seconds, estimate = _estimate(folder, experiment, missing) if missing else (None, "")
    lacking = experiment.get("without_data") or {}
    never_loaded = unplanned(experiment, {trial.dataset for trial in plan})
    return {
        "name": str(experiment.get("name", folder.name)),
        "results": str(folder),
        "shard": str(shard or ""),
        "planned": len(plan),
        "done": counts.total(),
        "statuses": {name: counts[name] for name in STATUSES if counts[name]},
        "cells": [
            {"dataset": dataset, "method": method, **cell.counts}
            for (dataset, method), cell in Board(plan, outcomes, missing).cells.items()
        ],
        "running": {trial.name: time.time() - since for trial, since in running},
        "unplanned": [name for name in never_loaded if name not in lacking],
        "without_data": without_data(experiment),
        "failures": _failures(plan, outcomes),
        "again": len(again & outcomes.keys() & {trial.key for trial in plan}),
        "notices": notes,
        "seconds_left": seconds,
        "estimate": estimate,
        "resume": run_line(experiment) if missing and not running else "",
    }


def _statuses(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> Counter[str]:
    return Counter(outcomes[trial.key].status for trial in plan if trial.key in outcomes)


def notices(store: Store, outcomes: Mapping[str, Outcome], config: str | None) -> list[str]:
    """Return what has changed since the results were recorded, and which limits are higher now.

    ``config`` is taken for the experiment file where that of the results is gone.
    """
    record, plan = store.experiment(), store.part()
    path = recorded_config(record, store.folder)
    if config is not None and (path is None or not path.is_file()):
        path = Path(config)
    changed = changed_since(record, plan, store.environments(), path)
    now = experiment_now(record, path)
    ended = Counter(outcomes[trial.key].reason for trial in plan if trial.key in outcomes)
    return [f"changed since these results: {text}" for text in changed] + [
        f"{counted(count, 'trial')} {higher}: {run_line(record, '--retry-failed')}"
        for reason, count in ended.items()
        if now is not None and (higher := _higher_limit(reason, now.limits))
    ]


def _higher_limit(reason: str, now: Limits) -> str:
    """Return at which limit a trial ended and what it is now, "" where that is no more."""
    at = re.fullmatch(r"over the (time|memory) limit of (.+)", reason)
    if at is None:
        return ""
    if at[1] == "time":
        before, limit, words = float(at[2].removesuffix(" s")), now.time, f"{now.time or 0:g} s"
    else:
        before, limit, words = parse_memory(at[2]), now.memory_bytes, str(now.memory)
    if limit is not None and limit <= before:
        return ""
    what = f"{'timed out at' if at[1] == 'time' else 'used more than'} {at[2]}"
    return f"{what}, " + ("there is no limit now" if limit is None else f"the limit is now {words}")


def _estimate(
    folder: Path, experiment: Mapping[str, Any], missing: Sequence[Trial]
) -> tuple[float | None, str]:
    """Return how long the rest takes, as a dry run of the line that resumes it does."""
    limit = (experiment.get("limits") or {}).get("time")
    shared = None if experiment.get("cluster") else processors()
    costs = Costs.of_folder(folder, missing, time_limit=limit, processors=shared)
    jobs = min(experiment.get("jobs") or processors(), len(missing))
    result = costs.estimate(cells_of(missing), jobs)
    return result.seconds, next(iter(costs.lines(result, jobs)), "")


def _failures(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> list[Json]:
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
