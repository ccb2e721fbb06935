"""``boostbench status``: what is done, what failed and why, what runs now."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.cli import options
from boostbench.experiment.command import run_line
from boostbench.suggest import counted, listing

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.plan.trial import Trial
    from boostbench.store.types import Outcome

_STATUSES = ("ok", "skipped", "error", "timeout", "memory", "killed")
_MAX_REASONS = 20


def status(config: options.Results = None, set_: options.Place = None) -> None:
    """Show how far a run is, and why trials failed.

    Without CONFIG: all results below ./results, one line each, if there are several.
    """
    from boostbench.cli.console import Screen
    from boostbench.experiment.folders import check_overrides, find_results, results_folders

    check_overrides(config, set_ or [])
    screen = Screen()
    folders = results_folders() if config is None else []
    if len(folders) > 1:
        _overview(screen, folders)
    else:
        _one(screen, find_results(config, set_ or []))


def _overview(screen: "Screen", folders: list[Path]) -> None:
    from boostbench.errors import StoreError
    from boostbench.store.store import Store

    rows = []
    for folder in folders:
        try:
            with Store.open(folder, create=False, read_only=True) as store:
                plan, outcomes = store.part(), store.outcomes(brief=True)
                running = len(store.running())
        except StoreError as error:
            screen.note(str(error), "red")
            continue
        counts = _count(plan, outcomes)
        failed = sum(n for status, n in counts.items() if status not in {"ok", "skipped"})
        rows.append(
            [
                str(folder),
                f"{len(plan):,}",
                f"{sum(counts.values()):,}",
                f"{failed:,}",
                str(running),
            ]
        )
    screen.table(["results", "planned", "done", "failed", "running now"], rows)


def _count(plan: "list[Trial]", outcomes: "Mapping[str, Outcome]") -> Counter[str]:
    return Counter(outcomes[trial.key].status for trial in plan if trial.key in outcomes)


def _one(screen: "Screen", folder: Path) -> None:
    import time

    from boostbench.experiment.progress import Board, trial_name
    from boostbench.plan.code_changes import changed_since_recorded
    from boostbench.report.collect import unplanned, without_data
    from boostbench.store.store import Store

    with Store.open(folder, create=False, read_only=True) as store:
        plan, outcomes, again = store.part(), store.outcomes(brief=True), store.to_run_again()
        running, experiment, shard = store.running(), store.experiment(), store.shard()
        old = store.outside_plan({trial.key for trial in plan})
    rerun = changed_since_recorded(old, [trial for trial in plan if trial.key not in outcomes])
    missing = [trial for trial in plan if trial.key not in outcomes or trial.key in again]
    board = Board(plan, outcomes, missing)
    counts = _count(plan, outcomes)
    by_status = ", ".join(f"{counts[name]:,} {name}" for name in _STATUSES if counts[name])
    part = f" of shard {shard}" if shard else ""
    screen.say(
        f"{experiment.get('name', folder.name)}: {sum(counts.values()):,} of {len(plan):,} trials"
        f"{part} done{f' ({by_status})' if by_status else ''}; results in {folder}",
        "bold",
    )
    rows = []
    for dataset in board.datasets:
        cells = [board.cells.get((dataset, method)) for method in board.methods]
        rows.append(
            [
                dataset,
                *(
                    ""
                    if cell is None
                    else f"{cell.done}/{cell.total}"
                    + (f" {cell.failed} failed" if cell.failed else "")
                    + (f" {cell.skipped} skipped" if cell.skipped else "")
                    for cell in cells
                ),
            ]
        )
    screen.table(["data set", *board.methods], rows)
    lacking = unplanned(experiment, {trial.dataset for trial in plan})
    if lacking:
        screen.say(f"not planned, as the data were never loaded: {', '.join(lacking)}", "yellow")
    for reason, names in without_data(experiment).items():
        screen.say(f"skipped by the last run, {', '.join(names)}: {reason}", "yellow")
    for trial, since in running:
        screen.say(f"running for {time.time() - since:.0f} s: {trial_name(trial)}")
    _failures(screen, plan, outcomes)
    again &= outcomes.keys() & {trial.key for trial in plan}
    if again:
        screen.say(f"{counted(len(again), 'trial')} of --again still to be run again", "yellow")
    _changed_code(screen, experiment, plan, outcomes, rerun)
    if missing:
        _forecast(screen, folder, experiment, missing)
    if missing and not running:
        screen.say(f"resume with: {run_line(experiment)}")


def _changed_code(
    screen: "Screen",
    experiment: "Mapping[str, Any]",
    plan: "list[Trial]",
    outcomes: "Mapping[str, Outcome]",
    rerun: "Mapping[str, Mapping[tuple[str, ...], int]]",
) -> None:
    """Say which recorded trials a run would run again since their code has changed.

    ``rerun`` counts those that are planned again already, by method and what has changed.
    """
    from boostbench.user_code import changed_files

    for method, files in (experiment.get("sources") or {}).items():
        done = sum(trial.method == method and trial.key in outcomes for trial in plan)
        planned = sum(n for fields, n in rerun.get(method, {}).items() if "code" in fields)
        changed = changed_files(files) or ["its source"] * bool(planned)
        done += planned
        if changed and done:
            screen.say(
                f"{method}: {listing(changed, 5)} changed since {counted(done, 'trial')} of it "
                f"ran: a run runs {'it' if done == 1 else 'them'} again",
                "yellow",
            )


def _forecast(
    screen: "Screen", folder: Path, experiment: "Mapping[str, Any]", missing: "list[Trial]"
) -> None:
    """Say how long the rest takes, as a dry run of the line that resumes it does."""
    from boostbench.engine.environment import processor
    from boostbench.engine.os_processes import processors
    from boostbench.experiment.dry_run import lines
    from boostbench.experiment.forecast import Costs, Shapes, cells_of, neighbours

    costs = Costs(Shapes.of_record(experiment))
    estimators = {trial.estimator for trial in missing}
    costs.learn(folder, neighbours(folder), estimators, processor())
    jobs = min(experiment.get("jobs") or processors(), len(missing))
    limit = (experiment.get("limits") or {}).get("time")
    shared = None if experiment.get("cluster") else processors()
    result = costs.forecast(cells_of(missing), jobs=jobs, time_limit=limit, processors=shared)
    for line in lines(result, costs, jobs)[:1]:
        screen.say(f"the rest: {line}")


def _failures(screen: "Screen", plan: "list[Trial]", outcomes: "Mapping[str, Outcome]") -> None:
    from boostbench.experiment.progress import trial_name

    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in plan:
        outcome = outcomes.get(trial.key)
        if outcome is not None and outcome.status != "ok":
            groups.setdefault((trial.method, outcome.status, outcome.reason), []).append(trial)
    rows = [
        [method, status, str(len(trials)), trial_name(trials[0]), reason]
        for (method, status, reason), trials in sorted(groups.items(), key=lambda g: -len(g[1]))
    ]
    if rows:
        screen.table(
            ["method", "what", "trials", "such as", "reason"],
            rows[:_MAX_REASONS],
            left=(0, 1, 3, 4),
        )
        more = f"; {len(rows) - _MAX_REASONS} more reasons" if len(rows) > _MAX_REASONS else ""
        screen.say(f"see one with: boostbench show {rows[0][3]}{more}")
