"""The cluster of a run: the address of a scheduler, or a batch system on which to start one."""

import contextlib
import inspect
import socket
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from boostbench.errors import ConfigError, first_line
from boostbench.importing import import_quietly
from boostbench.suggest import did_you_mean, listing
from boostbench.values import Record
from boostbench.yamltree import read_yaml

_SYSTEMS = ("SLURM", "PBS", "SGE", "LSF", "OAR", "HTCondor")
BATCH_SYSTEMS = {name.lower(): f"{name}Cluster" for name in _SYSTEMS}
CONNECT_S = 5.0


@dataclass(frozen=True)
class ClusterSpec:
    """``target`` is an address or a key of :data:`BATCH_SYSTEMS`, to which ``jobs`` jobs go.

    ``arguments`` are those of the class of dask-jobqueue.
    """

    target: str
    jobs: int = 0
    arguments: Record = field(default_factory=dict)

    def check_reachable(self) -> None:
        """Raise ConfigError where nothing answers at the address of the scheduler."""
        if not self.jobs:
            parts = urlsplit(self.target)
            try:
                socket.create_connection((parts.hostname, parts.port), CONNECT_S).close()
            except (OSError, ValueError) as error:
                raise self.unreachable(error) from None

    def unreachable(self, error: Exception) -> ConfigError:
        """Return the error of a scheduler that cannot be reached."""
        why = getattr(error, "strerror", "") or first_line(error)
        return ConfigError(
            f"--cluster {self.target}: no dask scheduler answers there ({why}); start one with: "
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
    if (kind in BATCH_SYSTEMS) != (config is not None):
        raise ConfigError(
            f"--cluster-config FILE belongs to --cluster {listing(BATCH_SYSTEMS)}, and they to it: "
            "it has jobs (how many) and the arguments of the cluster's class of dask-jobqueue"
        )
    return ClusterSpec(_address(target)) if config is None else _batch(kind, Path(config))


def _address(target: str) -> str:
    address = target if "://" in target else f"tcp://{target}"
    with contextlib.suppress(ValueError):
        if urlsplit(address).hostname and urlsplit(address).port:
            return address
    raise ConfigError(
        f"--cluster {target}: give the address of a dask scheduler, such as tcp://scheduler:8786, "
        f"or one of {listing(BATCH_SYSTEMS)}{did_you_mean(target, BATCH_SYSTEMS)}"
    )


def _batch(kind: str, path: Path) -> ClusterSpec:
    document = read_yaml(path)
    values, name = document.value, BATCH_SYSTEMS[kind]
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: give jobs and the arguments of {name} as key: value")
    cluster = batch_class(kind)
    # A class passes further arguments on to its base classes.
    made = [inspect.signature(each.__init__) for each in (*cluster.mro(), *cluster.job_cls.mro())]
    known = ["jobs", *(name for signature in made for name in signature.parameters)]
    for key in values:
        if key not in known:
            where = document.where([key], key=True)
            hint = did_you_mean(str(key), known)
            raise ConfigError(f"{where}: {name} has no argument '{key}'{hint}")
    jobs = values.pop("jobs", None)
    if type(jobs) is not int or jobs < 1:
        where = document.where(["jobs"])
        raise ConfigError(f"{where}: 'jobs' must be the number of jobs to submit, 1 or more")
    return ClusterSpec(kind, jobs, values)


def batch_class(kind: str) -> Any:
    """Return the class of dask-jobqueue for a key of :data:`BATCH_SYSTEMS`."""
    # Importing dask-jobqueue 0.9 makes SIGINT end the process with exit code 0.
    return getattr(import_quietly("dask_jobqueue"), BATCH_SYSTEMS[kind])
