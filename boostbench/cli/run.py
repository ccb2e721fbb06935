"""``boostbench run``: the options, and one :class:`~boostbench.cli.job.Job` made of them."""

import os
from typing import Annotated

import typer

from boostbench.cli import options


def run(
    config: options.Config,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Trials at a time. Default: the processors."),
    ] = None,
    only: options.Only = None,
    set_: options.Set = None,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check, and say what would be run; run nothing.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Also run again the trials that failed before.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run again even the trials that are done.")
    ] = False,
) -> None:
    """Run an experiment, or what is missing of it.

    The first Ctrl-C lets the running trials end, the second ends them. The same command goes on
    where a run was interrupted. Exits with 0 if all is well, 1 if some trials failed, 2 on bad
    input, 4 on missing data, 130 if interrupted.
    """
    from boostbench.cli.console import Screen
    from boostbench.cli.job import Command, How, Job
    from boostbench.config.loading import load_experiment
    from boostbench.plan.expand import Selection

    screen = Screen()
    command = Command(config, set_ or [], mirror, offline)
    try:
        experiment = load_experiment(config, set_ or [])
        job = Job(
            screen=screen,
            experiment=experiment,
            selection=Selection.parse(only or [], experiment),
            command=command,
            how=How(jobs=jobs or processors(), retry_failed=retry_failed, again=again),
        )
        code = job.dry_run() if dry_run else job.run()
    except KeyboardInterrupt:
        screen.note(f"interrupted; nothing is lost, go on with: {command}", "bold")
        code = 130
    raise typer.Exit(code)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
