"""Types that papers and reports share: methods and data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boostbench.data.splits import SplitRule

# What chooses the way to an optimum, and not the optimum.
SOLVER_PARAMETERS = frozenset({"solver", "max_sweeps", "tol", "polish"})
CUT_OFF = "time"


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


def same_objective(methods: Sequence[Method]) -> bool:
    """Return whether all methods minimise one function, with one C, by different solvers.

    Those that choose a parameter per split need not.
    """
    problems = {
        (method.estimator, *sorted(f"{name} {value!r}" for name, value in method.params.items()
                                   if name not in SOLVER_PARAMETERS))
        for method in methods
    }  # fmt: skip
    chosen = any(method.choose for method in methods)
    return len(problems) == 1 and len(methods) > 1 and not chosen
