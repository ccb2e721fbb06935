"""The MultiBoost-cw paper's protocol, and which methods play which role in its claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.papers.results import Method, same_objective

# With one bit per class, AdaBoost.MO is AdaBoost.MH: nothing is claimed of that.
_MO_CODES = ("auto", "exhaustive")
SOLVED_BY_LBFGSB = "multiboost_lbfgsb"
SOLVED_BY_DESCENT = "multiboost_fcd"


@dataclass(frozen=True)
class Protocol:
    """The numbers of the paper's protocol (Section 3); times in seconds."""

    runs: int = 5
    test_size: float = 0.25
    iterations: int = 500
    candidates: tuple[float, ...] = (1e2, 1e3, 1e4, 1e5)
    mo_limit_s: float = 1000.0
    sweeps: tuple[int, ...] = (1, 2, 5, 10, 50)
    """The values of tau_max compared there."""
    mnist_per_class: int = 1000


PROTOCOL = Protocol()


def claim_roles(methods: Sequence[Method]) -> dict[str, Method]:
    """Return the methods by their role in the claims: a registered name, or a solver.

    The first of a name has its role, and needs the paper's number of iterations for it. Claims on
    MultiBoost's times are on it by L-BFGS-B, which takes long: the one with the most iterations.
    """
    roles: dict[str, Method] = {}
    solvers = same_objective(methods)
    for method in methods:
        role = method.registered
        if role == "adaboost_mo" and method.params.get("code", "auto") not in _MO_CODES:
            continue
        whole = _iterations(method) == PROTOCOL.iterations
        if role == "multiboost" and method.params.get("solver", "lbfgsb") == "lbfgsb":
            before = roles.get(SOLVED_BY_LBFGSB)
            if _iterations(method) > (0 if before is None else _iterations(before)):
                roles[SOLVED_BY_LBFGSB] = method
        elif role == "multiboost" and whole:
            roles.setdefault(SOLVED_BY_DESCENT, method)
        if solvers and role == "multiboost_cw":
            by_lbfgsb = method.params.get("solver") == "lbfgsb"
            role = "lbfgsb" if by_lbfgsb else f"fcd_{method.params.get('max_sweeps', 2)}"
        if role and whole:
            roles.setdefault(role, method)
    return roles


def _iterations(method: Method) -> int:
    """Return the iterations asked for, those of the paper where there are more."""
    asked = int(method.params.get("max_iter", PROTOCOL.iterations))
    return min(asked, PROTOCOL.iterations)
