"""``boostbench run``: the options, and one run of an experiment made of them."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import options

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.experiment.run import ExperimentRun, Finished


def run(
    context: typer.Context,
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
    reuse: Annotated[
        list[str] | None,
        typer.Option(
            "--reuse",
            metavar="RESULTS",
            help="Take over the trials that ended well in this results folder (or those of this "
            "experiment file) instead of running them again. Can be repeated.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Run every N-th trial only, from the I-th, in a results folder of its own "
            "(shard-I-of-N below the experiment's); bring them together by: boostbench merge.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Run nothing where what results depend on (versions, processor, linear algebra) "
            "has changed since the recorded trials ran.",
        ),
    ] = False,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process",
            help="Run one trial at a time in this process, for a debugger: what trials print is "
            "shown, breakpoints stop, and the limits on time and memory do not hold.",
        ),
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Run the trials on the workers of a dask cluster: the address of its scheduler, "
            "such as tcp://scheduler:8786, or slurm, pbs, sge, lsf, oar, htcondor.",
        ),
    ] = None,
    cluster_config: Annotated[
        Path | None,
        typer.Option(
            "--cluster-config",
            metavar="FILE",
            help="For --cluster slurm and its like: a YAML file with jobs (how many) and the "
            "arguments of dask-jobqueue.",
        ),
    ] = None,
) -> None:
    """Run an experiment, or its missing trials.

    The first Ctrl-C lets the running trials end, the second kills them. The same command resumes an
    interrupted run. Data sets that are unavailable are skipped. Exits with 0 if all is well, 1 if
    some trials failed, 2 on bad input, 4 on missing data, 130 if interrupted.
    """
    from boostbench.cli.console import Screen
    from boostbench.cli.live import ScreenListener
    from boostbench.errors import DataError
    from boostbench.experiment.dry_run import dry_run as lines_of_dry_run
    from boostbench.experiment.request import RunRequest

    screen = Screen()
    request = RunRequest(
        config,
        set_ or [],
        only or [],
        jobs,
        mirror,
        offline,
        retry_failed=retry_failed,
        again=again,
        strict=strict,
        in_process=in_process,
        dry_run=dry_run,
        shard=shard,
        cluster=cluster,
        cluster_config=cluster_config,
        reuse=reuse or [],
        words=context.obj or [],
    )
    this = None
    try:
        this = request.prepare(ScreenListener(screen, live=not in_process))
        if dry_run:
            for line in lines_of_dry_run(this):
                screen.say(line)
            raise typer.Exit(DataError.exit_code if this.without_data else 0)
        code = _close(screen, this, this.run())
    except KeyboardInterrupt:
        line = this.line_to_resume if this is not None else str(request.command)
        screen.note(f"interrupted; nothing is lost, resume with: {line}", "bold")
        code = 130
    raise typer.Exit(code)


def _close(screen: "Screen", run: "ExperimentRun", finished: "Finished") -> int:
    """Show the report and what is left to do; return the exit code."""
    from boostbench.cli.report import show_report
    from boostbench.errors import DataError
    from boostbench.suggest import counted

    if finished.report is None:
        screen.note(
            "interrupted; all trials are done, write the report with: "
            f"boostbench report {shlex.quote(str(run.folder))}",
            "bold",
        )
        return 130
    show_report(screen, finished.report, run.folder, finished.unplanned)
    shard = run.options.shard
    counts = ", ".join(f"{n:,} {status}" for status, n in sorted(finished.counts.items()))
    text = f"trials{f' of shard {shard}' if shard else ''}: {counts or 'none'}"
    screen.say(text if finished.ran + finished.left else f"nothing was missing; {text}")
    # An interrupt as the last trial ended has left nothing to resume.
    if finished.interrupted and finished.left:
        screen.note(
            f"interrupted; what is done is kept, resume with: {run.command.line_to_resume()}",
            "bold",
        )
        return 130
    if finished.failed:
        screen.note(
            f"{counted(finished.failed, 'trial')} failed; see them with: boostbench status "
            f"{run.results_in_words()}; run them again with: {run.command.line_for_failed()}",
            "yellow",
        )
    if finished.without_data:
        screen.note(run.data_to_get(finished), "yellow")
        return DataError.exit_code
    return 0 if finished.all_well else 1
