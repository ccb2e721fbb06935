"""``boostbench run``: the options, and one :class:`~boostbench.cli.job.Job` made of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import options

if TYPE_CHECKING:
    from boostbench.engine.dask.options import ClusterSpec


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
            "is not what it was when the recorded trials ran.",
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
    """Run an experiment, or what is missing of it.

    The first Ctrl-C lets the running trials end, the second ends them. The same command goes on
    where a run was interrupted. Exits with 0 if all is well, 1 if some trials failed, 2 on bad
    input, 4 on missing data, 130 if interrupted.
    """
    from boostbench.cli.again import Command
    from boostbench.cli.console import Screen
    from boostbench.cli.job import How, Job
    from boostbench.config.loading import load_experiment
    from boostbench.engine.os_processes import processors
    from boostbench.errors import ConfigError
    from boostbench.plan.expand import Selection
    from boostbench.plan.shard import Shard

    screen = Screen()
    part = None if shard is None else Shard.parse(shard)
    flags = {
        "--retry-failed": retry_failed,
        "--again": again,
        "--strict": strict,
        "--in-process": in_process,
        "--dry-run": dry_run,
    }
    command = Command(
        config,
        set_ or [],
        mirror,
        offline,
        shard=str(part or ""),
        cluster=cluster or "",
        cluster_config=cluster_config,
        jobs=jobs,
        only=only or [],
        flags=[flag for flag, given in flags.items() if given],
        words=context.obj or [],
    )
    if in_process and (cluster or (jobs or 1) > 1):
        raise ConfigError(
            f"--in-process runs one trial at a time here: leave {'--cluster' if cluster else '-j'} "
            "out"
        )
    try:
        experiment = load_experiment(config, set_ or [])
        job = Job(
            screen=screen,
            experiment=experiment,
            selection=Selection.parse(only or [], experiment),
            command=command,
            how=How(
                jobs=jobs or processors(),
                retry_failed=retry_failed,
                again=again,
                shard=part,
                strict=strict,
                in_process=in_process,
                cluster=_cluster(cluster, cluster_config, jobs),
            ),
        )
        code = job.dry_run() if dry_run else job.run()
    except KeyboardInterrupt:
        screen.note(f"interrupted; nothing is lost, resume with: {command}", "bold")
        code = 130
    raise typer.Exit(code)


def _cluster(target: str | None, config: Path | None, jobs: int | None) -> "ClusterSpec | None":
    from boostbench.errors import ConfigError

    if target is None:
        if config is not None:
            raise ConfigError("--cluster-config needs --cluster")
        return None
    if jobs is not None:
        raise ConfigError(
            "--jobs is not for --cluster: a worker runs as many trials at a time as it has threads"
        )
    from boostbench.engine.dask.options import cluster_spec

    return cluster_spec(target, config)
