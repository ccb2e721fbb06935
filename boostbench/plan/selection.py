"""The choice of some of the trials of a plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.plan.trial import Trial
from boostbench.suggest import did_you_mean, listing

_FIELDS: Mapping[str, Callable[[Trial], str]] = {
    "dataset": lambda trial: trial.dataset,
    "method": lambda trial: trial.method,
    "split_seed": lambda trial: str(trial.split_seed),
    "fold": lambda trial: str(trial.fold),
    "seed": lambda trial: str(trial.seed),
}


@dataclass(frozen=True)
class Selection:
    """Which trials are meant: for each named key, a value that matches one of its patterns."""

    patterns: Mapping[str, tuple[str, ...]]

    @classmethod
    def parse(cls, only: Sequence[str], experiment: Experiment | None = None) -> "Selection":
        """Read texts ``KEY=PATTERN[,PATTERN]`` with KEY one of dataset, method, split_seed,
        fold and seed.

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
            if key not in _FIELDS:
                raise ConfigError(
                    f"--only {text}: no key '{key}'{did_you_mean(key, _FIELDS)}; "
                    f"the keys are {listing(_FIELDS)}"
                )
            given = tuple(value.strip() for value in values.split(",") if value.strip())
            if experiment is not None:
                _check_values(text, key, given, experiment)
            patterns[key] = patterns.get(key, ()) + given
        return cls(patterns)

    def takes(self, key: str, value: str) -> bool:
        """Whether ``value`` of ``key`` is selected."""
        patterns = self.patterns.get(key)
        return patterns is None or any(fnmatchcase(value, pattern) for pattern in patterns)

    def __contains__(self, trial: Trial) -> bool:
        return all(self.takes(key, _FIELDS[key](trial)) for key in self.patterns)


def _check_values(text: str, key: str, given: Sequence[str], experiment: Experiment) -> None:
    values = {
        "dataset": [entry.name for entry in experiment.datasets],
        "method": [entry.name for entry in experiment.methods],
        "split_seed": [str(split_seed) for split_seed in experiment.split_seed_list],
        "fold": [str(fold) for fold in range(max(experiment.n_parts.values()))],
        "seed": [str(seed) for seed in experiment.seed_list],
    }[key]
    for pattern in given:
        if not any(fnmatchcase(value, pattern) for value in values):
            raise ConfigError(
                f"--only {text}: the experiment has no {key} '{pattern}'"
                f"{did_you_mean(pattern, values)}; it has {listing(values)}"
            )


def select(trials: Sequence[Trial], only: Sequence[str]) -> list[Trial]:
    """Return the trials that ``only`` selects, such as ``["dataset=yacht", "method=srt*"]``.

    Repeated texts of one key add up; different keys must all hold. Raises ConfigError on an
    unknown key and on a pattern that no trial matches.
    """
    chosen = Selection.parse(only)
    if not chosen.patterns:
        return list(trials)
    for key, patterns in chosen.patterns.items():
        values = sorted({_FIELDS[key](trial) for trial in trials})
        for pattern in patterns:
            if not any(fnmatchcase(value, pattern) for value in values):
                raise ConfigError(
                    f"--only {key}={pattern}: no trial has the {key} '{pattern}'"
                    f"{did_you_mean(pattern, values)}; there are {listing(values)}"
                )
    return [trial for trial in trials if trial in chosen]
