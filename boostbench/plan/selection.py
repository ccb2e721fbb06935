"""The choice of some of the trials of a plan."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.plan.trial import Trial
from boostbench.suggest import did_you_mean, listing

_KEYS = ("dataset", "method", "split_seed", "fold", "seed")


@dataclass(frozen=True)
class Selection:
    """Which trials are meant: for each named key, a value that matches one of its patterns."""

    patterns: Mapping[str, tuple[str, ...]]

    @classmethod
    def parse(cls, only: Sequence[str], experiment: Experiment | None = None) -> "Selection":
        """Read texts ``KEY=PATTERN[,PATTERN]``: KEY is dataset, method, split_seed, fold or seed.

        Raises ConfigError on another key and, given the experiment, on a pattern that none of its
        values matches.
        """
        patterns: dict[str, tuple[str, ...]] = {}
        for text in only:
            key, equals, values = text.partition("=")
            key = key.strip()
            if not equals or not values.strip():
                raise ConfigError(
                    f"--only {text}: give KEY=VALUE, such as --only dataset=yacht or method=srt*"
                )
            if key not in _KEYS:
                raise ConfigError(
                    f"--only {text}: no key '{key}'{did_you_mean(key, _KEYS)}; "
                    f"the keys are {listing(_KEYS)}"
                )
            given = tuple(value.strip() for value in values.split(",") if value.strip())
            patterns[key] = patterns.get(key, ()) + given
        selection = cls(patterns)
        if experiment is not None and patterns:
            selection._check(
                "the experiment",
                dataset=[entry.name for entry in experiment.datasets],
                method=[entry.name for entry in experiment.methods],
                split_seed=experiment.split_seed_list,
                fold=range(max(experiment.n_parts.values())),
                seed=experiment.seed_list,
            )
        return selection

    def takes(self, key: str, value: str) -> bool:
        """Whether ``value`` of ``key`` is selected."""
        patterns = self.patterns.get(key)
        return patterns is None or any(fnmatchcase(value, pattern) for pattern in patterns)

    def __contains__(self, trial: Trial) -> bool:
        return all(self.takes(key, str(getattr(trial, key))) for key in self.patterns)

    def _check(self, what: str, **values: Iterable[Any]) -> None:
        """Raise ConfigError for the first pattern that no value of its key matches."""
        for key, patterns in self.patterns.items():
            known = [str(value) for value in values[key]]
            for pattern in patterns:
                if not any(fnmatchcase(value, pattern) for value in known):
                    raise ConfigError(
                        f"--only {key}={pattern}: {what} has no {key} '{pattern}'"
                        f"{did_you_mean(pattern, known)}; it has {listing(known)}"
                    )


def select(trials: Sequence[Trial], only: Sequence[str]) -> list[Trial]:
    """Return the trials that ``only`` selects, such as ``["dataset=yacht", "method=srt*"]``.

    Repeated texts of one key add up; different keys must all hold. Raises ConfigError on an
    unknown key and on a pattern that no trial matches.
    """
    chosen = Selection.parse(only)
    if not chosen.patterns:
        return list(trials)
    values = {key: sorted({str(getattr(trial, key)) for trial in trials}) for key in _KEYS}
    chosen._check("the plan", **values)
    return [trial for trial in trials if trial in chosen]
