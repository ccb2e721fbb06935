"""The methods and data sets of a plan, as reports and their helpers know them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from boostbench.data.splits import SplitRule
from boostbench.methods import ResolvedMethod
from boostbench.papers.settings import Value
from boostbench.values import Params

# Parameters that select the path to an optimum, and not the optimum.
SOLVER_PARAMETERS = frozenset({"solver", "max_sweeps", "tol", "polish"})
CUT_OFF = "time"


@dataclass(frozen=True, kw_only=True)
class PlannedMethod(ResolvedMethod):
    """A method of the plan, with its registered name (or "").

    ``conditions`` has its values of the paper's conditions, as far as they are known. ``changed``
    holds the parameters, set by ``params``, ``defaults`` or ``choose``, that differ from the
    registered method, with their values (a list for ``choose``); those that have the values of
    conditions, ``n_jobs`` and ``verbose`` do not count. Only a method without changes has the
    paper's column.

    An estimator that is not registered, ``is_own``, has the name of its role in the paper as its
    ``registered`` one. ``defaults`` are the values of parameters that are not given, as far as
    known, and ``rounds_parameter`` is the one with the number of rounds of a boosting method.

    A method that others ran has the role that they name, ``plays``: nothing else is known of it.
    """

    registered: str
    conditions: Mapping[str, Value] = field(default_factory=dict)
    changed: Params = field(default_factory=dict)
    is_own: bool = False
    defaults: Params = field(default_factory=dict)
    rounds_parameter: str = ""
    plays: str = ""


@dataclass(frozen=True)
class PlannedDataset:
    """A data set of the plan.

    ``title`` is how it is called in print, ``published_as`` its key in the paper (or ""), ``card``
    its card (or ""), ``table`` the same text for all that divide one table, ``rule`` the division
    of the rows. ``conditions`` has its values of the paper's conditions, as far as they are known.
    ``remarks`` say how the data were read, where the user should know.
    """

    label: str
    published_as: str
    fingerprint: str
    card: str = ""
    title: str = ""
    table: str = ""
    remarks: Sequence[str] = ()
    rule: SplitRule | None = None
    conditions: Mapping[str, Value] = field(default_factory=dict)


def same_objective(methods: Sequence[PlannedMethod]) -> bool:
    """Return whether all methods minimise one function, with one C, by different solvers.

    Methods that choose a parameter per split may not.
    """
    if len(methods) < 2 or any(method.choose for method in methods):
        return False
    first, *others = map(_problem, methods)
    return all(other == first for other in others)


def _problem(method: PlannedMethod) -> tuple[str, Params]:
    """Return an estimator with the parameters on which its optimum depends."""
    params = {key: v for key, v in method.params.items() if key not in SOLVER_PARAMETERS}
    return method.estimator, params
