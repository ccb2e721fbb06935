"""The outcome of a trial: the record that workers send, the store keeps and the report reads."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from boostbench.plan.trial import PlannedTrial, Trial
from boostbench.values import Record

FINAL_STATUSES = ("ok", "timeout", "memory", "killed", "error", "skipped")
"""The states of trials that are stored; others are pending or running."""

Scalar = float | int | str | None

_Value = TypeVar("_Value")

MISSING = "_missing"
"""What follows a score's name in the name under which a trial records why it has none."""


@dataclass(frozen=True)
class Outcome:
    """The result of one trial.

    ``metrics`` are deterministic (same trial, same values); ``times`` are not: ``fit_s``,
    ``fit_cpu_s``, ``predict_s``, ``wall_s``, ``choose_s`` (the choice of parameters) and
    ``first_fit_s`` (of a fit that compiled or imported; it was then timed again) in seconds,
    ``peak_rss_mib`` in MiB. A chosen parameter is the metric ``chosen_NAME``. ``reason`` is one
    line, empty for ``ok``. ``traceback`` is that of a trial that failed; ``output`` is the end of
    the trial's printed output, at most 16 KiB. ``curve`` maps names to lists, one value per
    iteration of the training, and is deterministic: ``iteration`` (1, 2, ...) and, if the
    estimator has them, ``objective``, ``train_error`` and ``test_error`` (shares of misclassified
    rows after that iteration).
    ``time_curve`` does the same for values that are not deterministic: ``fit_s`` and ``solver_s``,
    the seconds of training and of its solver from the start to the end of each iteration. Metrics
    and curves of an estimator that stops by the clock depend on it too: its metric ``stop_reason``
    is then ``time``. Why there is no score NAME is the metric ``NAME_missing``. ``predictions`` are
    those of a trial that keeps them, as its worker sends them; the store has them in tables of
    their own, see :mod:`boostbench.store.predictions`.
    """

    status: str
    reason: str = ""
    metrics: Mapping[str, Scalar] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    traceback: str = ""
    curve: Mapping[str, list[float]] | None = None
    time_curve: Mapping[str, list[float]] | None = None
    output: str = ""
    predictions: Mapping[str, str] | None = field(default=None, repr=False)


class PlannedTrials(NamedTuple):
    """Planned trials as columns.

    ``likes`` has by its number a trial for all that are alike, and ``like`` that number for each;
    the rest is as in :class:`~boostbench.plan.trial.PlannedTrial`.
    """

    likes: Mapping[int, Trial]
    like: Sequence[int]
    split_seed: Sequence[int]
    fold: Sequence[int]
    seed: Sequence[int]
    rows: Sequence[str]
    key: Sequence[str]

    def in_common(self, value: Callable[[Trial], _Value]) -> list[_Value]:
        """Return for each trial a value that it has in common with those like it."""
        values = {number: value(self.likes[number]) for number in set(self.like)}
        return [values[number] for number in self.like]

    @property
    def each(self) -> Iterator[PlannedTrial]:
        """The trials one by one."""
        likes = map(self.likes.__getitem__, self.like)
        return map(PlannedTrial, likes, self.split_seed, self.fold, self.seed, self.rows, self.key)


class PlannedResults(NamedTuple):
    """Planned trials with what a report reads of their outcomes, as columns.

    ``position`` is the place in the plan, from 0. One that is ``pending`` stands for the ``trials``
    of its split that have not ended; the rest is as in :class:`Outcome`.
    """

    planned: PlannedTrials
    position: Sequence[int]
    trials: Sequence[int]
    status: Sequence[str]
    reason: Sequence[str]
    metrics: Sequence[Mapping[str, Scalar]]
    times: Sequence[Mapping[str, float]]
    time_curve: Sequence[Mapping[str, Sequence[float]]]
    environment_id: Sequence[str]


class PlannedCell(NamedTuple):
    """The planned trials of a method on a data set.

    ``like`` is the first of them, and ``trials`` their number. ``recorded`` counts those with an
    outcome by its status, and ``again`` those of them that are to run again.
    """

    like: Trial
    trials: int
    recorded: Mapping[str, int]
    again: Mapping[str, int]

    @property
    def dataset(self) -> str:
        """The label of the data set."""
        return self.like.dataset

    @property
    def method(self) -> str:
        """The label of the method."""
        return self.like.method

    def ended(self, statuses: Collection[str]) -> int:
        """Return the number of trials with one of these ``statuses`` that are not to run again."""
        left = Counter(self.recorded) - Counter(self.again)
        return sum(left[status] for status in statuses)

    @property
    def missing(self) -> int:
        """The number of trials that are still to be run."""
        return self.trials - sum(self.recorded.values()) + self.to_run_again

    @property
    def to_run_again(self) -> int:
        """The number of recorded trials that are to run again."""
        return sum(self.again.values())


def without_unstarted(cells: Sequence[PlannedCell]) -> list[PlannedCell]:
    """Return cells without the data sets and methods that have no runs, unless none has any."""
    done = [cell for cell in cells if cell.recorded] or cells
    datasets, methods = {cell.dataset for cell in done}, {cell.method for cell in done}
    return [each for each in cells if each.dataset in datasets and each.method in methods]


class OutcomeRow(NamedTuple):
    """An outcome as a row: mappings are canonical JSON, ``recorded`` is Unix time in seconds."""

    key: str
    status: str = "pending"
    reason: str = ""
    metrics: str = "{}"
    times: str = "{}"
    traceback: str = ""
    curve: str | None = None
    environment_id: str = ""
    trial: str = ""
    recorded: float = 0.0
    time_curve: str | None = None
    run_id: str = ""
    digest: str = ""
    output: str = ""


class EnvironmentRow(NamedTuple):
    """A described environment as a row: ``description`` is JSON, ``first_seen`` Unix time."""

    id: str
    description: str
    first_seen: float


class RunRow(NamedTuple):
    """A run as a row: ``command`` and ``details`` are JSON, ``started`` is Unix time."""

    id: str
    environment_id: str
    command: str
    started: float
    shard: str
    cluster: str
    details: str


class Contents(NamedTuple):
    """Everything in a store at one moment: ``plan`` has (key, trial) in order, both text."""

    experiment: Record
    plan: Sequence[tuple[str, str]]
    outcomes: Mapping[str, OutcomeRow]
    environments: Sequence[EnvironmentRow]
    runs: Sequence[RunRow]


@dataclass(frozen=True)
class RecordedRun:
    """A run: its environment, the words of its command, and when it began.

    ``started`` is Unix time in seconds; ``shard`` is ``i/n`` or empty, ``cluster`` how the cluster
    was named or empty. ``details`` are facts on which no result depends: ``git`` (``commit`` and
    ``dirty`` of the experiment file's repository, or None), ``system``, ``cpus``, ``memory_gib``,
    ``python``, ``packages``.
    """

    id: str
    environment_id: str
    command: Sequence[str]
    started: float
    shard: str = ""
    cluster: str = ""
    details: Record = field(default_factory=dict)
