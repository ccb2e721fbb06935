"""What ``run --dry-run`` says: how many trials, how many are done, what the rest may cost."""

from pathlib import Path

import psutil

from boostbench.experiment.estimate import cells_of
from boostbench.experiment.run import Run
from boostbench.suggest import counted


def dry_run(run: Run) -> list[str]:
    """Return the lines that say it; nothing is written."""
    work, experiment, cluster = run.dry_run(), run.experiment, run.cluster
    selected, to_run = work.selected, work.to_run
    done = sum(trial.key in work.outcomes and trial.key not in work.again for trial in selected)
    # How many threads a cluster will have is not known before it is asked.
    jobs = run.jobs if cluster is None else 1
    where = counted(jobs, "worker") if cluster is None else f"the cluster {cluster.target}"
    text = [
        f"{experiment.name}: {counted(len(selected), 'trial')} "
        f"({counted(len({trial.dataset for trial in selected}), 'data set')} x "
        f"{counted(len({trial.method for trial in selected}), 'method')} x "
        f"{experiment.parts_text} x {counted(len(experiment.seed_list), 'seed')}"
        f"{', some left out' if run.selection.patterns else ''}"
        f"{f', shard {run.shard}' if run.shard else ''}), "
        f"{done:,} done, {len(to_run):,} to run on {where}"
    ]
    taken = {folder: len(contents.outcomes) for folder, contents in work.reused.items()}
    for folder, count in taken.items():
        text.append(f"{counted(count, 'trial')} to take over from {folder}")
    if run.without_data:
        waiting = counted(len(selected) - done - sum(taken.values()) - len(to_run), "trial")
        text.append(f"without data: {', '.join(run.without_data)} ({waiting} planned)")
    if not to_run:
        return text
    jobs, costs = min(jobs, len(to_run)), run.costs(to_run)
    result = costs.estimate(cells_of(to_run), jobs)
    machine = None if cluster else _machine_memory()
    text += costs.lines(result, jobs, experiment.limits.memory_bytes, machine)
    if cluster and result.seconds is not None:
        text.append("a cluster takes that divided by the number of its threads")
    return text


def _machine_memory() -> int:
    """Return the bytes of memory that this process and its workers may use."""
    total = int(psutil.virtual_memory().total)
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            total = min(total, int((Path("/sys/fs/cgroup") / name).read_text()))
        except (OSError, ValueError):
            continue
    return total
