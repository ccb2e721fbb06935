"""What ``run --dry-run`` says: how many trials, how many are done, what the rest may cost."""

from pathlib import Path
from typing import Any

import psutil

from boostbench.experiment.estimate import Costs, Estimate, cells_of
from boostbench.experiment.progress import duration
from boostbench.experiment.reuse import reusable
from boostbench.experiment.run import ExperimentRun
from boostbench.plan.trial import Trial
from boostbench.store.files import STORE_FILE
from boostbench.store.store import Store
from boostbench.suggest import counted


def dry_run(run: ExperimentRun) -> list[str]:
    """Return the lines that say it; nothing is written."""
    planned = run.plan(may_fetch=False)
    selected = run.selected(planned)
    outcomes: dict[str, Any] = {}
    again: set[str] = set()
    if not (run.folder / STORE_FILE).is_file():
        to_run = run.to_run(selected, outcomes, again)
    else:
        with Store.open(run.folder, create=False, read_only=True) as store:
            run.check_owner(store, planned)
            outcomes, again = store.outcomes(brief=True), store.to_run_again()
            to_run = run.to_run(selected, outcomes, again)
            run.note_changes(store, planned, [t for t in to_run if t.key not in outcomes])
            if to_run:
                run.compare_environment(store, planned, to_run)
    keys = {trial.key for trial in to_run}
    reused = reusable(run.options.reuse, keys, run.folder)
    taken = {key for contents in reused.values() for key in contents.outcomes}
    to_run = [trial for trial in to_run if trial.key not in taken]
    done = sum(trial.key in outcomes and trial.key not in again for trial in selected)
    cluster = run.options.cluster
    # How many threads a cluster will have is not known before it is asked.
    jobs = run.jobs if cluster is None else 1
    where = counted(jobs, "worker") if cluster is None else f"the cluster {cluster.target}"
    text = [f"{_counts(run, selected)}, {done:,} done, {len(to_run):,} to run on {where}"]
    text += [
        f"{counted(len(contents.outcomes), 'trial')} to take over from {folder}"
        for folder, contents in reused.items()
    ]
    if run.without_data:
        waiting = counted(len(selected) - done - len(taken) - len(to_run), "trial")
        text.append(f"without data: {', '.join(run.without_data)} ({waiting} planned)")
    if not to_run:
        return text
    jobs = min(jobs, len(to_run))
    costs = run.costs(to_run)
    result = costs.estimate(cells_of(to_run), **run.estimate_options(jobs))
    machine = None if cluster else machine_memory()
    text += lines(result, costs, jobs, run.experiment.limits.memory_bytes, machine)
    if cluster and result.seconds is not None:
        text.append("a cluster takes that divided by the number of its threads")
    return text


def _counts(run: ExperimentRun, selected: list[Trial]) -> str:
    experiment = run.experiment
    return (
        f"{experiment.name}: {counted(len(selected), 'trial')} "
        f"({counted(len({trial.dataset for trial in selected}), 'data set')} x "
        f"{counted(len({trial.method for trial in selected}), 'method')} x "
        f"{experiment.parts_text} x {counted(len(experiment.seed_list), 'seed')}"
        f"{', some left out' if run.selection.patterns else ''}"
        f"{f', shard {run.options.shard}' if run.options.shard else ''})"
    )


def lines(
    result: Estimate,
    costs: Costs,
    jobs: int,
    memory_limit: int | None = None,
    machine: int | None = None,
) -> list[str]:
    """Return what to say of an estimate; ``memory_limit`` of a trial and ``machine`` in bytes."""
    if result.seconds is None:
        return ["no recorded times yet to estimate from"] if result.unknown else []
    learned = {"here": costs.here, "in the archive": costs.archived}
    basis = [
        f"{counted(count, 'trial')} recorded {where}" for where, count in learned.items() if count
    ]
    found = [_cost(result, jobs), f"by the medians of {' and '.join(basis)}"]
    if result.unknown:
        missing = counted(result.unknown, "trial")
        found.append(f"not in this: {missing} like which none is recorded")
    if result.over_limit:
        found.append(
            f"{counted(result.over_limit, 'trial')} may reach the time limit, counted at that"
        )
    return [*found, *_misfits(result, jobs, memory_limit, machine)]


def _cost(result: Estimate, jobs: int) -> str:
    assert result.seconds is not None
    text = f"about {duration(result.seconds)} on {counted(jobs, 'worker')}"
    text += f", longest trial about {duration(result.longest)}"
    if result.peak_mib is not None:
        text += f"; memory: about {_mib(result.peak_mib)} per worker"
        text += f", {_mib(jobs * result.peak_mib)} in all" if jobs > 1 else ""
    return text


def _misfits(
    result: Estimate, jobs: int, memory_limit: int | None, machine: int | None
) -> list[str]:
    if result.peak_mib is None:
        return []
    found = []
    if machine is not None and jobs * result.peak_mib > machine / 2**20:
        fitting = int(machine / 2**20 // result.peak_mib)
        found.append(
            f"this machine's memory of {_mib(machine / 2**20)} does not hold that: "
            + (f"--jobs {fitting} would fit" if fitting else "not even one worker fits")
        )
    if memory_limit is not None and result.growth_mib > memory_limit / 2**20:
        found.append(
            f"a worker grows by about {_mib(result.growth_mib)}, over the memory limit of "
            f"{_mib(memory_limit / 2**20)}: such trials would end as 'memory'"
        )
    return found


def machine_memory() -> int:
    """Return the bytes of memory that this process and its workers may use."""
    total = int(psutil.virtual_memory().total)
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            total = min(total, int((Path("/sys/fs/cgroup") / name).read_text()))
        except (OSError, ValueError):
            continue
    return total


def _mib(mib: float) -> str:
    return f"{mib:,.0f} MiB" if mib < 10_000 else f"{mib / 1024:,.1f} GiB"
