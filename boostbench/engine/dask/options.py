"""Which cluster a run goes to: the address of a scheduler, or a batch system to start one on."""

import inspect
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from boostbench.errors import ConfigError
from boostbench.importing import import_quietly
from boostbench.suggest import counted, did_you_mean, listing
from boostbench.yamltree import read_yaml

_SYSTEMS = ("SLURM", "PBS", "SGE", "LSF", "OAR", "HTCondor")
BATCH_SYSTEMS = {name.lower(): f"{name}Cluster" for name in _SYSTEMS}
CONNECT_S = 5.0
_SCHEMES = ("tcp", "tls", "ws", "wss")
# The run sets them, or they are no plain values.
_NOT_OURS = {
    "asynchronous", "config_name", "dashboard_address", "host", "job_cls", "loop", "n_workers",
    "name", "scheduler", "scheduler_cls", "security", "self",
}  # fmt: skip


@dataclass(frozen=True)
class ClusterSpec:
    """``target`` is an address or a key of :data:`BATCH_SYSTEMS`, which has ``jobs`` jobs of it.

    ``arguments`` are those of the class of dask-jobqueue.
    """

    target: str
    jobs: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_batch(self) -> bool:
        """Whether the scheduler is started here and its workers by a batch system."""
        return self.target in BATCH_SYSTEMS

    @property
    def waiting(self) -> str:
        """The message for a user while there are no workers."""
        if self.is_batch:
            return (
                f"waiting for {counted(self.jobs, 'job')} submitted to {self.target} to begin; "
                "its queue and the jobs' logs say why they do not"
            )
        return f"waiting for workers at the dask scheduler {self.target}"

    def check_reachable(self) -> None:
        """Raise ConfigError where nothing answers at the address of the scheduler."""
        if self.is_batch:
            return
        parts = urlsplit(self.target)
        try:
            socket.create_connection((parts.hostname, parts.port), CONNECT_S).close()
        except OSError as error:
            why = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
            raise no_scheduler(self.target, why) from None


def no_scheduler(address: str, why: str) -> ConfigError:
    """Return the error of a scheduler that cannot be reached."""
    return ConfigError(
        f"--cluster {address}: no dask scheduler answers there ({why}); start one with: "
        "dask scheduler"
    )


def cluster_spec(target: str, config: Path | None) -> ClusterSpec:
    """Return the cluster that ``--cluster`` and ``--cluster-config`` name.

    Raises ConfigError for an address or a file that cannot be used, and where dask is missing.
    """
    kind = target.lower()
    needed = ["distributed", *(["dask_jobqueue"] if kind in BATCH_SYSTEMS else [])]
    if not all(map(find_spec, needed)):
        raise ConfigError("--cluster needs dask: pip install 'boostbench[cluster]'")
    if kind in BATCH_SYSTEMS:
        if config is None:
            raise ConfigError(
                f"--cluster {kind} needs --cluster-config FILE with the arguments of "
                f"dask_jobqueue.{BATCH_SYSTEMS[kind]} and jobs"
            )
        return _batch(kind, Path(config))
    if config is not None:
        raise ConfigError(f"--cluster-config is for {listing(BATCH_SYSTEMS)}, not for an address")
    return ClusterSpec(_address(target))


def _address(target: str) -> str:
    full = target if "://" in target else f"tcp://{target}"
    try:
        parts = urlsplit(full)
        good = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port
    except ValueError:
        good = False
    if not good or any(c.isspace() for c in target):
        raise ConfigError(
            f"--cluster {target}: give the address of a dask scheduler, such as "
            f"tcp://scheduler:8786, or one of {listing(BATCH_SYSTEMS)}"
            f"{did_you_mean(target, BATCH_SYSTEMS)}"
        )
    return full


def _batch(kind: str, path: Path) -> ClusterSpec:
    document = read_yaml(path)
    values = document.value
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: give the arguments of {BATCH_SYSTEMS[kind]} as key: value")
    allowed = [*_arguments(kind), "jobs"]
    for key in values:
        if key not in allowed:
            raise ConfigError(
                f"{document.where([key], key=True)}: {BATCH_SYSTEMS[kind]} has no argument "
                f"'{key}'{did_you_mean(str(key), allowed)}"
            )
    jobs = values.pop("jobs", None)
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        where = document.where(["jobs"]) if jobs is not None else f"{path}"
        raise ConfigError(f"{where}: 'jobs' must be the number of jobs to submit, 1 or more")
    return ClusterSpec(kind, jobs, values)


def batch_class(kind: str) -> Any:
    """Return the class of dask-jobqueue for a key of :data:`BATCH_SYSTEMS`."""
    # Importing dask-jobqueue 0.9 lets SIGINT end the process with exit code 0.
    return getattr(import_quietly("dask_jobqueue"), BATCH_SYSTEMS[kind])


def _arguments(kind: str) -> list[str]:
    """Return the arguments of the cluster and of its jobs, whose classes pass them on."""
    cluster = batch_class(kind)
    names: dict[str, None] = {}
    for cls in (*cluster.mro(), *cluster.job_cls.mro()):
        if "__init__" in vars(cls) and cls.__module__.startswith("dask_jobqueue"):
            for name, parameter in inspect.signature(cls.__init__).parameters.items():
                if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                    names[name] = None
    return [name for name in names if name not in _NOT_OURS]
