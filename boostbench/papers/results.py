"""Types that papers and reports share: methods, data sets, spreads and mean curves."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
