"""The request for a run: the options of ``boostbench run``, each stated once.

Their names, defaults and descriptions make the command line as well as :func:`boostbench.run`.
Nothing heavy is imported here, as ``--help`` reads it.
"""

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import Annotated

from boostbench.errors import ConfigError
from boostbench.experiment import options
from boostbench.experiment.options import flag_of, option
from boostbench.suggest import counted
from boostbench.values import Record

Chosen = str | Sequence[str] | Mapping[str, object] | None
"""Texts ``KEY=VALUE``, one or several, or a mapping."""

_FLAGS = ("retry_failed", "again", "strict", "in_process", "dry_run")


@dataclass
class Request:
    """The options of a run; ConfigError if one is wrong, or two exclude each other.

    From Python, ``only`` and ``overrides`` may be mappings. ``words`` are the command's own words.
    """

    config: options.Config
    jobs: options.Jobs = None
    only: options.Only = None
    overrides: options.Set = None
    mirror: options.Mirror = None
    offline: options.Offline = False
    dry_run: Annotated[bool, option("dry_run")] = False
    retry_failed: Annotated[bool, option("retry_failed")] = False
    again: Annotated[bool, option("again")] = False
    reuse: Annotated[list[str] | None, option("reuse", "RESULTS")] = None
    shard: Annotated[str | None, option("shard", "I/N")] = None
    strict: Annotated[bool, option("strict")] = False
    in_process: Annotated[bool, option("in_process")] = False
    cluster: Annotated[str | None, option("cluster", "ADDRESS")] = None
    cluster_config: Annotated[Path | None, option("cluster_config", "FILE")] = None
    words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.config = path_text("config", self.config)
        self.only = selection(self.only)
        self.overrides = _texts("overrides", self.overrides, _json)
        for name in ("mirror", "cluster_config"):
            if (path := getattr(self, name)) is not None:
                setattr(self, name, Path(path_text(name, path)))
        self.reuse = _paths("reuse", self.reuse)
        if self.jobs is not None and not (isinstance(self.jobs, Integral) and self.jobs > 0):
            raise ConfigError(f"jobs must be a whole number of at least 1, not {self.jobs!r}")
        self.jobs = self.jobs and int(self.jobs)
        self.shard = self.shard and str(self.shard).strip()
        self._check_types()
        if sentence := next(self._contradictions(), ""):
            raise ConfigError(sentence)
        self.words = shlex.split(str(self))

    def _contradictions(self) -> Iterator[str]:
        """Yield which options exclude each other."""
        if self.in_process and (self.cluster or (self.jobs or 1) > 1):
            yield "--in-process runs one trial at a time here: leave --cluster and -j out"
        if self.reuse and self.again:
            yield "--again runs every trial, --reuse takes trials over: leave one of them out"
        if self.cluster_config and not self.cluster:
            yield "--cluster-config needs --cluster"
        if self.cluster and self.jobs:
            yield (
                "--jobs is not for --cluster: a worker runs as many trials at a time as it has "
                "threads"
            )

    def _check_types(self) -> None:
        if not isinstance(self.cluster, str | None):
            raise ConfigError(f"cluster must be an address or a batch system, not {self.cluster!r}")
        for name in ("offline", *_FLAGS):
            if not isinstance(given := getattr(self, name), bool):
                raise ConfigError(f"{name} must be True or False, not {given!r}")

    @property
    def record(self) -> Record:
        """The options for the experiment, its data and its results folder, as JSON values."""
        config = self.cluster_config
        return {
            "config": self.config,
            "overrides": self.overrides,
            "mirror": None if self.mirror is None else str(self.mirror.expanduser().absolute()),
            "offline": self.offline,
            "shard": self.shard or "",
            "cluster": self.cluster or "",
            "cluster_config": None if config is None else str(config.absolute()),
            "jobs": self.jobs,
        }

    def __str__(self) -> str:
        """Return the command for a shell, as given."""
        chosen = [word for text in self.only or () for word in ("--only", text)]
        chosen += [word for text in self.reuse or () for word in ("--reuse", text)]
        flags = [flag_of(name) for name in _FLAGS if getattr(self, name)]
        # These are not in the record: another run of the same results may have others.
        return run_line(self.record, *chosen, *flags)

    def line_to_resume(self, *, retry_failed: bool = False) -> str:
        """Return the command that runs what is left, or also what failed."""
        return str(replace(self, again=False, retry_failed=retry_failed or self.retry_failed))


def run_line(record: Record, *more: str) -> str:
    """Return the command of a :attr:`Request.record`, and ``more`` words, as a line for a shell.

    ``record`` may be the whole record of an experiment.
    """
    words = ["boostbench", "run", record["config"]]
    for override in record["overrides"]:
        words += ["--set", override]
    for name in ("mirror", "offline", "shard", "cluster", "cluster_config", "jobs"):
        if value := record[name]:
            words += [flag_of(name), *([] if value is True else [str(value)])]
    return shlex.join([*words, *more])


def line_on_failures(failed: int, folder: Path, again: str) -> str:
    """Return how many trials failed, and the commands that show them and run them ``again``."""
    return (
        f"{counted(failed, 'trial')} failed; see them with: boostbench status "
        f"{shlex.quote(str(folder))}; run them again with: {again}"
    )


def selection(only: Chosen) -> list[str]:
    """Return texts ``KEY=PATTERN`` for a selection of trials; ConfigError for anything else."""
    return _texts("only", only, _patterns)


def path_text(name: str, value: object) -> str:
    """Return the argument ``name``, a path or a text, as a text; ConfigError for other types."""
    if not isinstance(value, str | os.PathLike):
        raise ConfigError(f"{name} must be a path or a text, not {value!r}")
    return os.fspath(value)


def _paths(name: str, given: object) -> list[str]:
    """Return a path, or several, as texts; ConfigError for other types."""
    if not given:
        return []
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [path_text(name, path) for path in given]
    return [path_text(name, given)]


def _texts(name: str, given: object, text_of: Callable[[str, object], str]) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{key}={text_of(key, value)}" for key, value in given.items()]
    if isinstance(given, Sequence) and all(isinstance(text, str) for text in given):
        return list(given)
    raise ConfigError(f"{name} must be texts KEY=VALUE or a mapping, not {given!r}")


def _patterns(_: str, value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset | range):
        return ",".join(sorted(map(str, value)))
    return str(value)


def _json(key: str, value: object) -> str:
    try:
        return json.dumps(value, default=os.fspath)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"overrides: {key} must be a JSON value, not {value!r}") from error
