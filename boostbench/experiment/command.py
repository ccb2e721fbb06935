"""The command line that resumes a run, or runs a part of it again."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def run_line(record: Mapping[str, Any], *more: str) -> str:
    """Return the command of a :attr:`Command.record`, and ``more`` words, as a line for a shell.

    ``record`` may be the whole record of an experiment, and older than some of these keys.
    """
    words = ["boostbench", "run", str(record.get("config") or record.get("name") or "")]
    for override in record.get("overrides") or []:
        words += ["--set", str(override)]
    if record.get("mirror"):
        words += ["--mirror", str(record["mirror"])]
    if record.get("offline"):
        words.append("--offline")
    for option in ("shard", "cluster", "cluster_config", "jobs"):
        if record.get(option):
            words += [f"--{option.replace('_', '-')}", str(record[option])]
    return shlex.join([*words, *more])


class Command:
    """The command as given, and variants of it."""

    def __init__(
        self,
        config: str,
        overrides: Sequence[str],
        mirror: Path | None,
        offline: bool,
        *,
        shard: str = "",
        cluster: str = "",
        cluster_config: Path | None = None,
        jobs: int | None = None,
        only: Sequence[str] = (),
        flags: Sequence[str] = (),
        words: Sequence[str] = (),
    ) -> None:
        self.config = config
        self.overrides = list(overrides)
        self.only = list(only)
        self.flags = list(flags)
        """The options without a value that say what is run, such as ``--again``."""
        self.mirror = mirror
        self.offline = offline
        self.words = ["boostbench", *words]
        """The words of the command line itself."""
        self.record: dict[str, Any] = {
            "config": config,
            "overrides": self.overrides,
            "mirror": None if mirror is None else str(mirror.expanduser().absolute()),
            "offline": offline,
            "shard": shard,
            "cluster": cluster,
            "cluster_config": None if cluster_config is None else str(cluster_config.absolute()),
            "jobs": jobs,
        }
        """As JSON, what the command said of the experiment, its data and its place."""

    def line(self, *, only: Sequence[str] | None = None, flags: Sequence[str] | None = None) -> str:
        """Return the command for a shell, where given with another choice or other flags."""
        # Not of the record: another run of the same results may choose otherwise.
        chosen = [
            word for text in (self.only if only is None else only) for word in ("--only", text)
        ]
        return run_line(self.record, *chosen, *(self.flags if flags is None else flags))

    def line_for(self, datasets: Sequence[str]) -> str:
        """Return the command with these data sets in place of those it chose itself."""
        others = [text for text in self.only if text.partition("=")[0].strip() != "dataset"]
        return self.line(only=[f"dataset={','.join(datasets)}", *others])

    def line_for_failed(self) -> str:
        """Return the command that runs again what failed, and nothing that is done."""
        return self.line(flags=[*self._lasting_flags("--retry-failed"), "--retry-failed"])

    def line_to_resume(self) -> str:
        """Return the command that runs what this one has left, and nothing that it has done."""
        # What --again was to run again is kept in the store.
        return self.line(flags=self._lasting_flags())

    def _lasting_flags(self, *others: str) -> list[str]:
        return [flag for flag in self.flags if flag not in ("--again", *others)]

    def __str__(self) -> str:
        return self.line()
