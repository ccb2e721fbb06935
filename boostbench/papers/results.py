"""What a paper's claims and notes look at: the methods, data sets and measurements of a report."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from boostbench.data.splits import SplitRule

# What chooses the way to an optimum, and not the optimum.
SOLVER_PARAMETERS = frozenset({"solver", "max_sweeps", "tol", "polish"})
CUT_OFF = "time"


@dataclass(frozen=True)
class Spread:
    """A mean and the sample standard deviation (ddof = 1; ``None`` of fewer than two values)."""

    mean: float
    sd: float | None

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """Return the mean and sd of the values that are known, ``None`` if none is."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        return cls(statistics.fmean(known), statistics.stdev(known) if known[1:] else None)


@dataclass(frozen=True)
class Range:
    """The median, the smallest and the largest of some values."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Range | None:
        """Return the range of the values that are known, ``None`` if none is."""
        known = [value for value in values if value is not None]
        return cls(statistics.median(known), min(known), max(known)) if known else None


@dataclass(frozen=True)
class Method:
    """A method of the plan: its label, the registered name behind it (or ""), what was run.

    ``changed`` holds the parameters, set by ``params``, ``defaults`` or ``choose``, that are not
    those of the registered method, with their values (of ``choose`` the list); ``depth``,
    ``n_jobs`` and ``verbose`` are not counted.
    """

    label: str
    registered: str
    estimator: str
    version: str
    params: Mapping[str, Any]
    depth: int | None
    choose: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    choose_with: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def as_registered(self) -> bool:
        """Whether this is the registered method, with none of its parameters changed.

        Only then is it what a paper's column of that method is about.
        """
        return bool(self.registered) and not self.changed


@dataclass(frozen=True)
class Dataset:
    """A data set of the plan.

    ``published_as`` is the paper's data set that it is (or ""), ``card`` the card it comes from
    (or ""), ``per_class`` how many rows of each class were taken (``None``: all), ``rule`` how
    the rows are divided. ``remarks`` say how the data were read, as far as that is worth knowing.
    """

    label: str
    published_as: str
    fingerprint: str
    card: str = ""
    per_class: int | None = None
    remarks: Sequence[str] = ()
    rule: SplitRule | None = None


@dataclass(frozen=True)
class Curve:
    """The mean curves of one method on one data set.

    ``means`` and ``sds`` map the recorded quantities (objective, train_error, test_error, fit_s,
    solver_s) to one value per iteration, the first being iteration 1; ``sds`` (ddof = 1) is empty
    for a single run; ``ranges`` has the median, smallest and largest value per iteration of what
    may span orders of magnitude (objective, fit_s, solver_s). ``finals`` and ``final_ranges`` are
    of the values at the last iteration of each run, and need not be the curve's end. ``reached`` is
    how many iterations every run had, ``settled`` whether each training ended by itself.
    """

    dataset: str
    method: str
    runs: int
    length: int
    reached: int
    means: Mapping[str, Sequence[float]]
    sds: Mapping[str, Sequence[float]]
    finals: Mapping[str, Spread]
    settled: bool = False
    ranges: Mapping[str, Sequence[Range]] = field(default_factory=dict)
    final_ranges: Mapping[str, Range] = field(default_factory=dict)

    def first_at_most(self, quantity: str, bound: float) -> int | None:
        """Return the first iteration whose mean is at most ``bound``, ``None`` if none is."""
        values = self.means.get(quantity, ())
        return next((i for i, value in enumerate(values, start=1) if value <= bound), None)

    def at(self, quantity: str, step: int) -> float | None:
        """Return the mean at iteration ``step``, ``None`` where the curve is shorter."""
        values = self.means.get(quantity, ())
        return values[step - 1] if len(values) >= step else None


@dataclass(frozen=True)
class Measured:
    """One method on one data set in one role of a claim; what is unknown is ``None``.

    ``score`` and ``sd`` are those compared with the published values, in the report's metric;
    ``exploded`` is the share of runs that exploded (R2 < 0). ``times`` holds mean seconds
    (``fit_s``, ``solver_s``). ``iterations`` is the number that every run had, ``None`` where
    they differ; ``stops`` counts why trainings ended.
    """

    role: str
    score: float | None
    sd: float | None = None
    kept: float | None = None
    exploded: float | None = None
    finished: int = 0
    times: Mapping[str, float] = field(default_factory=dict)
    objective: float | None = None
    iterations: int | None = None
    stops: Mapping[Any, int] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    chosen: Sequence[str] = ()
    published: float | None = None
    curve: Curve | None = None


class Results(Protocol):
    """A report's results as a paper's notes read them."""

    @property
    def experiment(self) -> Mapping[str, Any]:
        """The experiment as JSON values."""
        ...

    @property
    def methods(self) -> Sequence[Method]:
        """The methods in the order of the plan."""
        ...

    @property
    def datasets(self) -> Sequence[Dataset]:
        """The data sets in the order of the plan."""
        ...

    @property
    def compares(self) -> bool:
        """Whether any cell has a published value beside it."""
        ...

    def measured(self, dataset: str, method: str, role: str = "") -> Measured | None:
        """Return what was measured, by labels, ``None`` without a finished run."""
        ...

    def paired(self, dataset: str, left: str, right: str) -> tuple[float, float] | None:
        """Return the mean scores of two methods over the runs that both have, by labels.

        Runs that have exploded on either side are left out; ``None`` where no others are common.
        """
        ...

    def text(self, score: float | None) -> str:
        """Return a score as the report writes it."""
        ...

    def planned_runs(self) -> Sequence[int]:
        """Return the different numbers of runs that were planned for a cell."""
        ...


def registered(results: Results, name: str) -> Method | None:
    """Return the first method that is the registered ``name`` unchanged, ``None`` without one."""
    return next(
        (each for each in results.methods if each.registered == name and each.as_registered), None
    )


def same_objective(methods: Sequence[Method]) -> bool:
    """Return whether all methods minimise one function, with one C, by different solvers.

    Those that choose a parameter per split need not.
    """
    if any(method.choose for method in methods):
        return False
    problems = {
        (
            method.estimator,
            tuple(
                sorted(
                    (name, repr(value))
                    for name, value in method.params.items()
                    if name not in SOLVER_PARAMETERS
                )
            ),
        )
        for method in methods
    }
    return len(problems) == 1 and len(methods) > 1
