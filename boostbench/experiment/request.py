"""What a run is asked to do, in the words of the command line, and the run made of it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.engine.dask.options import ClusterSpec, cluster_spec
from boostbench.errors import ConfigError
from boostbench.experiment.command import Command
from boostbench.experiment.folders import find_results
from boostbench.experiment.listener import Listener
from boostbench.experiment.run import ExperimentRun, Options
from boostbench.plan.check import search_beside
from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.user_code import forget


@dataclass(frozen=True)
class RunRequest:
    """The arguments of ``boostbench run``, as its ``--help`` explains them.

    ``overrides`` are texts ``KEY=VALUE``; ``words`` are those of the command line itself, if any.
    """

    config: str
    overrides: Sequence[str] = ()
    only: Sequence[str] = ()
    jobs: int | None = None
    mirror: Path | None = None
    offline: bool = False
    retry_failed: bool = False
    again: bool = False
    strict: bool = False
    in_process: bool = False
    dry_run: bool = False
    shard: str | None = None
    cluster: str | None = None
    cluster_config: Path | None = None
    reuse: Sequence[str] = ()
    words: Sequence[str] = ()

    @cached_property
    def command(self) -> Command:
        """The command line of this request; ConfigError for a wrong shard."""
        flags = {
            "--retry-failed": self.retry_failed,
            "--again": self.again,
            "--strict": self.strict,
            "--in-process": self.in_process,
            "--dry-run": self.dry_run,
        }
        command = Command(
            self.config,
            self.overrides,
            self.mirror,
            self.offline,
            shard=str(Shard.parse(self.shard)) if self.shard is not None else "",
            cluster=self.cluster or "",
            cluster_config=self.cluster_config,
            jobs=self.jobs,
            only=self.only,
            flags=[flag for flag, given in flags.items() if given],
            words=self.words,
        )
        if not self.words:
            command.words = shlex.split(command.line())
        return command

    def prepare(self, listener: Listener, *, reimport: bool = False) -> ExperimentRun:
        """Return the run, its experiment loaded and checked.

        With ``reimport`` the user's own modules are imported again, as they are now. Raises
        ConfigError.
        """
        if self.jobs is not None and self.jobs < 1:
            raise ConfigError(f"jobs must be at least 1, not {self.jobs}")
        if self.in_process and (self.cluster or (self.jobs or 1) > 1):
            raise ConfigError(
                "--in-process runs one trial at a time here: leave "
                f"{'--cluster' if self.cluster else '-j'} out"
            )
        if self.reuse and self.again:
            raise ConfigError(
                "--again runs every trial, --reuse takes trials over: leave one of them out"
            )
        command = self.command
        experiment = load_experiment(self.config, self.overrides)
        if reimport:
            _forget_own_modules(experiment)
        options = Options(
            jobs=self.jobs,
            retry_failed=self.retry_failed,
            again=self.again,
            shard=None if self.shard is None else Shard.parse(self.shard),
            strict=self.strict,
            in_process=self.in_process,
            cluster=self._cluster(),
            reuse=[find_results(name) for name in self.reuse],
        )
        selection = Selection.parse(self.only, experiment)
        return ExperimentRun(experiment, selection, command, options, listener)

    def _cluster(self) -> ClusterSpec | None:
        if self.cluster is None:
            if self.cluster_config is not None:
                raise ConfigError("--cluster-config needs --cluster")
            return None
        if self.jobs is not None:
            raise ConfigError(
                "--jobs is not for --cluster: a worker runs as many trials at a time as it has "
                "threads"
            )
        return cluster_spec(self.cluster, self.cluster_config)


def _forget_own_modules(experiment: Experiment) -> None:
    """Have the user's own modules imported again: a notebook outlives edits of their files."""
    search_beside(experiment)
    for entry in experiment.methods:
        if entry.estimator:
            forget(entry.estimator)
