"""Scores: their names, directions, formats and bounds, for any task and paper."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from boostbench import numbers
from boostbench.errors import ConfigError
from boostbench.papers.paper import Paper
from boostbench.papers.reading import TIME
from boostbench.papers.tables import Published
from boostbench.suggest import did_you_mean
from boostbench.values import Record
from boostbench.yamltree import read_yaml


@dataclass(frozen=True)
class Metric:
    """A score of one run: its name in the records, its direction, and its format.

    ``name`` is the score's name in the store and in CSV files, ``words`` and ``label`` its name in
    sentences and above a column. ``function`` is called by each trial as ``function(estimator,
    X_test, y_test)`` with its fitted estimator: the name of one of scikit-learn's scorers or
    ``module:function``; it is "" for the scores that every trial records, and for one that only
    others have measured. ``task`` is "" if it is for any. It is written as ``scale`` times its
    value with ``digits`` decimals, its sd with ``sd_digits``; ``curve`` is its learning curve.
    ``is_share`` says that it lies from 0 to 1, except in exploded runs, ``least`` and ``most`` are
    its least and its largest possible value if known. A score below
    ``explodes_below`` has exploded (``exploded_name`` in CSV files, else ``exploded_label``): one
    such run can decide a mean. ``of_target`` says that it is in the target's unit, or in its
    square.

    The least difference from a published mean that counts is ``tolerance`` or the share
    ``relative_tolerance`` of that mean, and the margin of equivalence also ``spread_tolerance``
    times the published sd: the largest of them. ``averages`` are the meaningful averages over data
    sets.
    """

    name: str
    words: str
    label: str
    task: str = ""
    greater_is_better: bool = True
    function: str = ""
    scale: float = 1.0
    digits: int = 3
    sd_digits: int = 4
    unit: str = ""
    curve: str = ""
    is_share: bool = False
    least: float | None = None
    most: float | None = None
    explodes_below: float | None = None
    exploded_name: str = ""
    exploded_label: str = ""
    of_target: bool = False
    tolerance: float = 0.01
    relative_tolerance: float = 0.0
    spread_tolerance: float = 0.25
    averages: Sequence[str] = ("arithmetic",)

    @property
    def title(self) -> str:
        """Its name in sentences, with the unit."""
        return f"{self.words}, {self.unit}" if self.unit else self.words

    @property
    def train_label(self) -> str:
        """The name above a column of scores on the training rows."""
        label = self.label.replace("Test", "Training").replace("test", "training")
        return label if label != self.label else f"Training {label}"

    @property
    def sign(self) -> int:
        """The factor that makes a difference positive if the first value is better."""
        return 1 if self.greater_is_better else -1

    def least_difference(self, mean: float | None) -> float:
        """Return the least difference from a published ``mean`` that counts."""
        return max(self.tolerance, self.relative_tolerance * abs(mean or 0.0))

    @property
    def least_words(self) -> str:
        """The least difference that counts, in words."""
        known = [self.width(self.tolerance).rstrip("0").rstrip(".")] if self.tolerance else []
        if self.relative_tolerance:
            known.append(f"{100 * self.relative_tolerance:g} % of the other mean")
        return " or ".join(known) or "0"

    def margin(self, mean: float, sd: float | None) -> float:
        """Return the margin within which a mean is equivalent to a published one."""
        return max(self.least_difference(mean), self.spread_tolerance * (sd or 0.0))

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest possible mean, as they are written."""
        low, high = self.limits
        return self.scale * low, self.scale * high

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest possible score."""
        least = 0.0 if self.is_share and self.explodes_below is None else self.least
        most = 1.0 if self.is_share else self.most
        return -math.inf if least is None else least, math.inf if most is None else most

    @property
    def is_measured(self) -> bool:
        """Whether runs of ours can have it: every trial records it, or there is a function."""
        return self.name in METRICS or bool(self.function)

    def interval(self, mean: float, half: float) -> tuple[float, float]:
        """Return the ends of the interval of a mean, cut at the bounds of possible means."""
        low, high = (bound / self.scale for bound in self.bounds)
        return max(low, mean - half), min(high, mean + half)

    def in_unit_of_target(self) -> Self:
        """Return the metric for targets that were not scaled.

        No absolute tolerance suits every unit, nor does an arithmetic mean over data sets.
        """
        if not self.of_target:
            return self
        words = f"{self.words} in the target's unit"
        return replace(
            self, tolerance=0.0, relative_tolerance=0.01, averages=("geometric",), words=words
        )

    def gain(self, quantity: str, mine: float | None, other: float | None) -> float | None:
        """Return by how many percent ``mine`` is better than ``other``: positive if it is better.

        A score's gain is relative to the smaller score, time saved to the longer time. ``None``
        where one is unknown, or the figure that it is relative to is not positive.
        """
        if mine is None or other is None:
            return None
        base = max(mine, other) if quantity == TIME else min(mine, other)
        lead = other - mine if quantity == TIME else self.sign * (mine - other)
        return 100.0 * lead / base if base > 0 else None

    def compared_in(self, scale: float) -> Self:
        """Return the metric for differences that are multiplied by ``scale`` already."""
        digits = self.digits + round(math.log10(self.scale / scale))
        return replace(self, scale=1.0, digits=max(digits, 0))

    def text(self, value: float | None) -> str:
        """Return a score as it is written, blank where it is unknown."""
        return "" if value is None else numbers.fixed(self.scale * value, self.digits)

    def printed(self, cell: Published | None) -> str:
        """Return a published score with its printed digits, blank if there is none."""
        if cell is None:
            return ""
        # The paper may print a share, and the report percentages, or the other way round.
        places = round(math.log10(self.scale * cell.scale))
        if not cell.printed or 10.0**places != self.scale * cell.scale:
            return self.text(cell.mean)
        return f"{Decimal(cell.printed).scaleb(places):f}".replace("-", numbers.MINUS)

    def sd(self, sd: float | None, mean: float | None) -> str:
        """Return an sd as it is written, with or without its mean."""
        if sd is None or mean is None:
            return ""
        return numbers.spread(self.scale * sd, self.scale * mean, self.sd_digits)

    def difference(self, value: float | None) -> str:
        """Return a difference of scores, always with a sign."""
        return "" if value is None else numbers.signed(self.scale * value, self.digits)

    def width(self, value: float | None) -> str:
        """Return a tolerance as it is written."""
        return self.sd(value, value)

    def exploded(self, scores: Any) -> Any:
        """Return which runs with these scores, in an array or a column, have exploded."""
        return scores < (-math.inf if self.explodes_below is None else self.explodes_below)


METRICS = {
    name: Metric(name, **entry)
    for name, entry in read_yaml(Path(__file__).with_suffix(".yaml")).value.items()
}
"""The metrics of tables, by their names in ``trials.csv``, which are scikit-learn's."""
R2, ERROR, RMSE = (METRICS[name] for name in ("r2", "error", "rmse"))
_FIELDS = [each.name for each in fields(Metric)]
_FIXED = ("task", "greater_is_better", "function", "scale")
_MEANING = ("greater_is_better", "function", "explodes_below")
"""What a metric of a paper means, which an experiment cannot change."""
_DEFAULT = {"regression": R2, "classification": ERROR}
_DECLARING = ("direction", "range", "of")
"""The keys by which a paper declares a metric that is not known here."""
_DIRECTIONS = {"lower": False, "higher": True}


def needs_spread(function: str) -> bool:
    """Return whether a score compares the error with the spread of the targets, as R2 does."""
    return function in ("r2", "explained_variance") or function.startswith("d2_")


def asked_metrics(experiment: Record, paper: Paper | None = None) -> dict[str, Metric]:
    """Return the metrics that an experiment, as JSON values, and its paper ask for, by name.

    Those not in :data:`METRICS` are functions that each trial calls. The experiment's own settings
    for a metric override the paper's; ConfigError where they change what it means.
    """
    printed = _entries_of(paper)
    asked = list(experiment.get("metrics") or ())
    if wrong := [why for entry in asked if (why := contradiction(entry, paper))]:
        raise ConfigError("\n".join(wrong))
    entries = _by_name([*asked, *printed, experiment.get("metric")])
    return {name: metric_from(own) for name, own in entries.items()}


def known_metrics(experiment: Record, paper: Paper | None) -> dict[str, Metric]:
    """Return :data:`METRICS`, and those of :func:`asked_metrics`, by name."""
    return METRICS | asked_metrics(experiment, paper)


def contradiction(entry: str | Record, paper: Paper | None) -> str:
    """Return what an experiment's metric says that its paper's says otherwise, "" for nothing."""
    asked, printed = _mapping(entry), _by_name(_entries_of(paper))
    name = asked["name"]
    only_named = name not in METRICS and len(printed.get(name, ())) == 1
    if name not in printed or (only_named and asked.get("function", name) != name):
        return ""
    for key, value in _meaning(name, printed[name]).items():
        if value is not None and asked.get(key, value) != value:
            written = str(value).lower() if isinstance(value, bool) else value
            return (
                f"the metric '{name}' of the paper has '{key}: {written}'; leave '{key}' out here, "
                "or give the metric another name"
            )
    return ""


def _meaning(name: str, printed: Record) -> dict[str, object]:
    """Return what a paper's metric means, as far as its entry or its name says."""
    metric = metric_from(printed)
    known = {key: getattr(metric, key) for key in _MEANING}
    if name not in METRICS and "function" not in printed:
        del known["function"]
    return known


def _entries_of(paper: Paper | None) -> list[str | Record]:
    """Return a paper's metrics as in an experiment file, the main one first."""
    if paper is None:
        return []
    return [paper.metric, *map(dict, paper.metrics)]


def _by_name(entries: Iterable[str | Record | None]) -> dict[str, dict[str, object]]:
    """Return the settings of metrics by name, of several entries those of the first."""
    settings: dict[str, dict[str, object]] = {}
    for entry in entries:
        if entry:
            own = _mapping(entry)
            settings[own["name"]] = own | settings.get(own["name"], {})
    return settings


def _mapping(entry: str | Record) -> dict[str, Any]:
    given = {"name": entry} if isinstance(entry, str) else dict(entry)
    given = {key: value for key, value in given.items() if value is not None}
    return _declared(given) if any(key in given for key in _DECLARING) else given


def _declared(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a metric with its direction, range and function as our fields."""
    name, direction = given["name"], given.get("direction")
    own = {key: value for key, value in given.items() if key not in _DECLARING}
    if direction is not None:
        if direction not in _DIRECTIONS:
            raise ConfigError(
                f"the metric '{name}' has 'direction: {direction}'; write 'direction: lower' or "
                "'direction: higher', whichever values are better"
            )
        own["greater_is_better"] = _DIRECTIONS[direction]
    elif name not in METRICS and "greater_is_better" not in given:
        raise ConfigError(
            f"the metric '{name}' needs its direction: add 'direction: lower' or "
            "'direction: higher'"
        )
    if "range" in given:
        own |= _limits_in(name, given["range"])
    if "of" in given or name not in METRICS:
        own["function"] = given.get("of", given.get("function", ""))
    return own


def _limits_in(name: str, ends: object) -> dict[str, object]:
    """Return the fields of a metric with this range, a list of its ends, null where it has none."""
    is_pair = isinstance(ends, list) and len(ends) == 2
    low, high = ends if isinstance(ends, list) and len(ends) == 2 else (None, None)
    is_pair &= all(end is None or isinstance(end, int | float) for end in (low, high))
    if not is_pair or (low is not None and high is not None and not low < high):
        raise ConfigError(
            f"the metric '{name}' has 'range: {ends}'; write its least and its largest value, as "
            "in [0, 1], with null for an end that it does not have"
        )
    if (low, high) == (0, 1):
        return {"is_share": True}
    return {"least": low, "most": high}


def signs_of(paper: Paper, *experiments: Record) -> dict[str, int]:
    """Return 1 for each score of which larger values are better, else -1, also for "score"."""
    known = dict(METRICS)
    for experiment in experiments or ({},):
        known |= asked_metrics(experiment, paper)
    signs = {name: metric.sign for name, metric in known.items()}
    return signs | {"score": signs[paper.metric]}


def scales_of(paper: Paper) -> dict[str, float]:
    """Return by what its claims multiply each of a paper's scores: 100 for those in percent."""
    scales = {name: paper.scale_of(name) for name in paper.metric_names}
    main = scales[paper.metric]
    return scales | {"score": main, "sd": main, "area": main}


def metric_from(entry: str | Record) -> Metric:
    """Return the metric of a name or a mapping in an experiment file.

    A name that is not in :data:`METRICS` is that of its function. As for all of scikit-learn's
    scorers, larger values are better unless a mapping says otherwise. One that is declared by its
    ``direction`` has the function ``of``, or none. What a score of :data:`METRICS` is cannot be
    changed, only its digits, tolerances and averages.
    """
    given = _mapping(entry)
    name, known = given["name"], METRICS.get(given["name"])
    free = [key for key in _FIELDS if known is None or key not in _FIXED]
    if wrong := [k for k in given if k not in free and given[k] != getattr(known, k, None)]:
        hint = did_you_mean(wrong[0], [*free, *_DECLARING])
        raise ConfigError(f"the metric '{name}' has no '{wrong[0]}'{hint}")
    if known is not None:
        return replace(known, **given) if len(given) > 1 else known
    words = name.rpartition(":")[2].replace("_", " ")
    unit = "%" if given.get("scale") == 100 else ""
    label = f"{words}, {unit}" if unit else words
    preset = {"words": f"test {words}", "label": label, "function": name, "unit": unit}
    return Metric(**preset | given)


def metric_of(
    task: str, paper: Paper | None, experiment: Record, *, option: str | None = None
) -> Metric:
    """Return the metric of a report: the experiment's, else the paper's.

    It must fit the task; else it is R2, or the error of a classifier. The words of errors say so if
    the ``experiment``, as JSON values, measured them in the target's own unit.
    Raises ConfigError if it has no metric ``option``, which a command asks for instead.
    """
    known = known_metrics(experiment, paper)
    fits = {name: metric for name, metric in known.items() if metric.task in ("", task)}
    if option is not None and option not in fits:
        raise ConfigError(
            f"these results have no metric '{option}'{did_you_mean(option, fits)}; they have "
            f"{', '.join(fits)}; others are measured where an experiment has `keep: [predictions]`"
        )
    names = [option, experiment.get("metric"), *_measured_names(paper, known)]
    metric = next((fits[name] for name in names if name in fits), _DEFAULT[task])
    scaled = experiment.get("units") != "original" and experiment.get("scale_target") != "none"
    return metric if scaled else metric.in_unit_of_target()


def _measured_names(paper: Paper | None, known: Mapping[str, Metric]) -> list[str]:
    """Return a paper's main metric, or where runs cannot have that its other ones."""
    if paper is None:
        return []
    if known[paper.metric].is_measured:
        return [paper.metric]
    return [name for name in paper.metric_names if known[name].is_measured]


def average(kind: str, values: Iterable[float | None]) -> float | None:
    """Return the "arithmetic" or "geometric" mean of the values.

    ``None`` if there are none, if one is unknown (the mean of the others would be shown beside
    means of all), and for a geometric mean with a value that is not positive.
    """
    every = list(values)
    numbers = [value for value in every if value is not None and not math.isnan(value)]
    if not every or len(numbers) < len(every):
        return None
    if kind == "arithmetic":
        return math.fsum(numbers) / len(numbers)
    if min(numbers) <= 0:
        return None
    return math.exp(math.fsum(map(math.log, numbers)) / len(numbers))
