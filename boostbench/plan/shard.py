"""A part of a plan that can be run anywhere: every n-th trial, by position."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from boostbench.errors import ConfigError
from boostbench.plan.trial import Trial

_TEXT = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_FOLDER = re.compile(r"shard-([0-9]{1,6})-of-([0-9]{1,6})")


@dataclass(frozen=True)
class Shard:
    """Shard ``index`` (from 1) of ``count``.

    It has the distinct trials at positions p of the plan with p % count == index - 1. Together,
    all shards make up the plan, and no two share a trial.
    """

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read ``i/n``; ConfigError unless 1 <= i <= n."""
        match = _TEXT.fullmatch(text.strip())
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise ConfigError(
                f"--shard {text}: give I/N, the number of this shard, from 1 to N, and how many "
                "there are, such as --shard 1/3"
            )
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def of_folder(cls, name: str) -> "Shard | None":
        """Return the shard whose :attr:`folder` is ``name``."""
        match = _FOLDER.fullmatch(name)
        return None if match is None else cls(int(match[1]), int(match[2]))

    @property
    def folder(self) -> str:
        """The name of the shard's own results folder below the experiment's."""
        return f"shard-{self.index}-of-{self.count}"

    def keys(self, plan: Iterable[Trial]) -> set[str]:
        """Return the keys of the shard's trials; labels that share a key share it."""
        distinct = list(dict.fromkeys(trial.key for trial in plan))
        return set(distinct[self.index - 1 :: self.count])

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
