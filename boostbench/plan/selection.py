"""Selecting some trials of a plan."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from boostbench.errors import ConfigError
from boostbench.plan.grid import Plan
from boostbench.plan.trial import LABELS, Trial
from boostbench.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from boostbench.config.model import Experiment


@dataclass(frozen=True)
class Selection:
    """A selection of trials: each named key must match one of its patterns."""

    patterns: Mapping[str, Sequence[str]]

    @classmethod
    def parse(cls, only: Sequence[str], known: Mapping[str, Iterable[object]]) -> "Selection":
        """Read texts ``KEY=PATTERN[,PATTERN]``: KEY is dataset, method, split_seed, fold or seed.

        Patterns of one key are alternatives; all keys must match. Raises ConfigError on an unknown
        key and on a pattern that none of the ``known`` values of its key, if these are known,
        matches.
        """
        patterns: dict[str, list[str]] = {}
        for text in only:
            key, _, values = (part.strip() for part in text.partition("="))
            if key not in LABELS or not values:
                raise ConfigError(
                    f"--only {text}: give KEY=VALUE, such as --only dataset=yacht or method=srt*; "
                    f"the keys are {listing(LABELS)}{did_you_mean(key, LABELS)}"
                )
            given = [value.strip() for value in values.split(",") if value.strip()]
            patterns.setdefault(key, []).extend(given)
            if key in known:
                _check_known(key, given, known[key])
        return cls(patterns)

    @classmethod
    def of(cls, only: Sequence[str], experiment: "Experiment") -> "Selection":
        """Parse texts for the trials of ``experiment``; see :meth:`parse`."""
        known: dict[str, Iterable[object]] = {
            "dataset": experiment.dataset_names,
            "method": [entry.name for entry in experiment.methods],
            "split_seed": experiment.split_seed_list,
            "seed": experiment.seed_list,
        }
        numbers = experiment.n_parts.values()
        # How many splits a splitter makes is known when the data are.
        if all(numbers):
            known["fold"] = range(max(numbers))
        return cls.parse(only, known)

    def check_folds(self, planned: Plan) -> None:
        """Raise ConfigError on a fold that no planned trial has, if there are any trials."""
        folds = {split.fold for grid in planned.grids for split in grid.splits}
        if folds:
            _check_known("fold", self.patterns.get("fold", ()), folds)

    def matches(self, key: str, value: str) -> bool:
        """Return whether ``value`` of ``key`` is selected."""
        patterns = self.patterns.get(key)
        return patterns is None or any(fnmatchcase(value, pattern) for pattern in patterns)

    def __contains__(self, trial: Trial) -> bool:
        return all(self.matches(key, str(getattr(trial, key))) for key in self.patterns)


def _check_known(key: str, patterns: Iterable[str], known: Iterable[object]) -> None:
    """Raise ConfigError on a pattern that matches none of the ``known`` values of its key."""
    there = list(map(str, known))
    for pattern in patterns:
        if not any(fnmatchcase(value, pattern) for value in there):
            raise ConfigError(
                f"--only {key}={pattern}: there is no {key} '{pattern}'"
                f"{did_you_mean(pattern, there)}; there are {listing(there)}"
            )
