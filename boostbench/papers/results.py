"""Types that papers and reports share: methods and data sets."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from boostbench.data.splits import SplitRule
from boostbench.values import Choices, Params

# What chooses the way to an optimum, and not the optimum.
SOLVER_PARAMETERS = frozenset({"solver", "max_sweeps", "tol", "polish"})
CUT_OFF = "time"


@dataclass(frozen=True)
class Method:
    """A method of the plan: its label, the registered name behind it (or ""), what was run.

    ``changed`` holds the parameters, set by ``params``, ``defaults`` or ``choose``, that are not
    those of the registered method, with their values (of ``choose`` the list); ``depth``,
    ``n_jobs`` and ``verbose`` are not counted. A paper's column of the registered method is about
    one with nothing changed only.
    """

    label: str
    registered: str
    estimator: str
    version: str
    params: Params
    depth: int | None
    choose: Choices = field(default_factory=dict)
    choose_with: Params = field(default_factory=dict)
    changed: Params = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """A data set of the plan.

    ``published_as`` is the paper's data set that it is (or ""), ``card`` the card it comes from
    (or ""), ``rule`` how the rows are divided. ``remarks`` say how the data were read, as far as
    that is worth knowing.
    """

    label: str
    published_as: str
    fingerprint: str
    card: str = ""
    remarks: Sequence[str] = ()
    rule: SplitRule | None = None


def same_objective(methods: Sequence[Method]) -> bool:
    """Return whether all methods minimise one function, with one C, by different solvers.

    Those that choose a parameter per split need not.
    """
    problems = [
        (method.estimator, {k: v for k, v in method.params.items() if k not in SOLVER_PARAMETERS})
        for method in methods
    ]
    chosen = any(method.choose for method in methods)
    return len(methods) > 1 and not chosen and all(one == problems[0] for one in problems)
