"""How far the run of a results folder is, and why trials failed."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.experiment.command import run_line
from boostbench.experiment.progress import Board
from boostbench.plan.absent import unplanned, without_data
from boostbench.plan.code_changes import changed_since_recorded
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.user_code import changed_files

STATUSES = ("ok", "skipped", "error", "timeout", "memory", "killed")
Rerun = Mapping[str, Mapping[tuple[str, ...], int]]


@dataclass(frozen=True)
class CellState:
    """The trials of one method on one data set: planned, ended, failed and skipped."""

    dataset: str
    method: str
    planned: int
    done: int
    failed: int
    skipped: int


@dataclass(frozen=True)
class FailureState:
    """Trials of one method that did not end well for one reason; ``such_as`` names the first."""

    method: str
    status: str
    reason: str
    trials: int
    such_as: str


@dataclass(frozen=True)
class ChangedState:
    """Of a method what changed since so many of its recorded trials ran: they run again."""

    method: str
    what: Sequence[str]
    trials: int


@dataclass(frozen=True)
class State:
    """One results folder as it is now; all of it JSON values.

    ``statuses`` counts the recorded trials, ``running`` maps trials to the seconds that they have
    run. ``unplanned`` are other data sets never loaded than ``without_data``, those that the last
    run skipped, by reason. ``again`` counts recorded trials that are to run again. ``seconds_left``
    is the estimate for the rest, of which ``estimate`` is the sentence; ``resume`` the command.
    """

    name: str
    results: str
    shard: str
    planned: int
    done: int
    statuses: Mapping[str, int]
    cells: Sequence[CellState]
    running: Mapping[str, float]
    unplanned: Sequence[str]
    without_data: Mapping[str, Sequence[str]]
    failures: Sequence[FailureState]
    again: int
    changed: Sequence[ChangedState]
    seconds_left: float | None = None
    estimate: str = ""
    resume: str = ""


def state_of(folder: Path) -> State:
    """Return the state of a results folder; StoreError where it cannot be read."""
    with Store.open(folder, create=False, read_only=True) as store:
        plan, outcomes, again = store.part(), store.outcomes(brief=True), store.to_run_again()
        running, experiment, shard = store.running(), store.experiment(), store.shard()
        keys = {trial.key for trial in plan}
        old = store.outside_plan(keys)
    rerun = changed_since_recorded(old, [trial for trial in plan if trial.key not in outcomes])
    missing = [trial for trial in plan if trial.key not in outcomes or trial.key in again]
    board = Board(plan, outcomes, missing)
    counts = count_statuses(plan, outcomes)
    seconds, estimate = _estimate(folder, experiment, missing) if missing else (None, "")
    return State(
        name=str(experiment.get("name", folder.name)),
        results=str(folder),
        shard=str(shard or ""),
        planned=len(plan),
        done=sum(counts.values()),
        statuses={name: counts[name] for name in STATUSES if counts[name]},
        cells=[
            CellState(*key, cell.total, cell.done, cell.failed, cell.skipped)
            for key, cell in board.cells.items()
        ],
        running={trial.name: time.time() - since for trial, since in running},
        unplanned=[
            name
            for name in unplanned(experiment, {trial.dataset for trial in plan})
            if name not in (experiment.get("without_data") or {})
        ],
        without_data=without_data(experiment),
        failures=_failures(plan, outcomes),
        again=len(again & outcomes.keys() & keys),
        changed=_changed_code(experiment, plan, outcomes, rerun),
        seconds_left=seconds,
        estimate=estimate,
        resume=run_line(experiment) if missing and not running else "",
    )


def count_statuses(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> Counter[str]:
    """Return how many planned trials have each status."""
    return Counter(outcomes[trial.key].status for trial in plan if trial.key in outcomes)


def _changed_code(
    experiment: Mapping[str, Any],
    plan: Sequence[Trial],
    outcomes: Mapping[str, Outcome],
    rerun: Rerun,
) -> list[ChangedState]:
    """Return of which methods recorded trials run again since their code has changed.

    ``rerun`` counts those that are planned again already, by method and what has changed.
    """
    found = []
    for method, files in (experiment.get("sources") or {}).items():
        done = sum(trial.method == method and trial.key in outcomes for trial in plan)
        planned = sum(n for fields, n in rerun.get(method, {}).items() if "code" in fields)
        changed = changed_files(files) or ["its source"] * bool(planned)
        if changed and done + planned:
            found.append(ChangedState(method, changed, done + planned))
    return found


def _estimate(
    folder: Path, experiment: Mapping[str, Any], missing: Sequence[Trial]
) -> tuple[float | None, str]:
    """Return how long the rest takes, as a dry run of the line that resumes it does."""
    from boostbench.engine.os_processes import processors
    from boostbench.experiment.dry_run import lines
    from boostbench.experiment.estimate import Costs, cells_of

    costs = Costs.of_folder(folder, missing)
    jobs = min(experiment.get("jobs") or processors(), len(missing))
    limit = (experiment.get("limits") or {}).get("time")
    shared = None if experiment.get("cluster") else processors()
    result = costs.estimate(cells_of(missing), jobs=jobs, time_limit=limit, processors=shared)
    return result.seconds, next(iter(lines(result, costs, jobs)), "")


def _failures(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> list[FailureState]:
    """Return the failures by method and reason, the most frequent first."""
    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in plan:
        outcome = outcomes.get(trial.key)
        if outcome is not None and outcome.status != "ok":
            groups.setdefault((trial.method, outcome.status, outcome.reason), []).append(trial)
    return [
        FailureState(*group, len(trials), trials[0].name)
        for group, trials in sorted(groups.items(), key=lambda g: -len(g[1]))
    ]
