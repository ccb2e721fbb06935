"""The claims of the MultiBoost-cw paper, judged on the curves of each data set.

The paper says "faster" and "best", rarely by how much; what is taken for "much" is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.papers.claim import (
    ALL,
    Claim,
    Comparison,
    Finding,
    Statistic,
    above_one,
    grade,
    quotient,
)
from boostbench.papers.results import CUT_OFF, Measured, Method, same_objective

OURS = ("multiboost_cw", "multiboost_cw1")
"""The methods that the paper proposes."""

DIGITS = ("usps", "pendigits", "mnist")
"""The data sets of Figure 2."""

_MUCH, _SIMILAR, _EARLY_SHARE, _ACCURATE = 2.0, 2.0, 0.1, 0.01
# A training that creeps towards its limit reaches it in its last iteration only.
_NEARLY = 0.001
_OTHER_ITERATIONS = "other iterations"
# With one bit per class, AdaBoost.MO is AdaBoost.MH: nothing is claimed of that.
_MO_CODES = ("auto", "exhaustive")


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


def _much_above_one(value: float, published: float | None) -> Finding:
    return grade(value >= _MUCH, value > 1)


def _below_zero(value: float, published: float | None) -> Finding:
    return grade(value < 0)


def _not_above_zero(value: float, published: float | None) -> Finding:
    return grade(value <= 0)


def _similar(value: float, published: float | None) -> Finding:
    return grade(1 / _SIMILAR <= value <= _SIMILAR)


def _accurate(value: float, published: float | None) -> Finding:
    return grade(value <= _ACCURATE, value <= 5 * _ACCURATE)


def _over_the_limit(value: float, published: float | None) -> Finding:
    return grade(value > PROTOCOL.mo_limit_s)


def _rounds(pairs: Sequence[Comparison]) -> float | None:
    """Iterations of the other until the test error that both reach, over those of the judged."""
    (left, others) = pairs[0]
    mine, theirs = _to_common_value(left, others[0], "test_error")
    return theirs / mine if mine and theirs else None


def _seconds_to_objective(pairs: Sequence[Comparison]) -> float | None:
    """Solver seconds of the other until the objective that both reach, over the judged one's."""
    (left, others) = pairs[0]
    mine, theirs = _to_common_value(left, others[0], "objective", _NEARLY)
    if not mine or not theirs:
        return None
    return quotient(_at(others[0], "solver_s", theirs), _at(left, "solver_s", mine))


def _to_common_value(
    left: Measured, right: Measured, quantity: str, slack: float = 0.0
) -> tuple[int | None, int | None]:
    """Return the iterations at which the two first reach the worse of their final values.

    ``slack`` is the share of it by which they may be above.
    """
    if left.curve is None or right.curve is None:
        return None, None
    mine, theirs = left.curve.means.get(quantity), right.curve.means.get(quantity)
    if not mine or not theirs:
        return None, None
    common = max(mine[-1], theirs[-1]) * (1 + slack)
    return left.curve.first_at_most(quantity, common), right.curve.first_at_most(quantity, common)


def _at(measured: Measured, quantity: str, step: int) -> float | None:
    return measured.curve.at(quantity, step) if measured.curve else None


def _max_iter(measured: Measured) -> int:
    return int(measured.params.get("max_iter", PROTOCOL.iterations))


def _early_gap(pairs: Sequence[Comparison]) -> float | None:
    """Test error minus the other's, at a tenth of the planned iterations."""
    (left, others) = pairs[0]
    step = max(1, round(_EARLY_SHARE * max(_max_iter(left), _max_iter(others[0]))))
    mine, theirs = _early_error(left, step), _early_error(others[0], step)
    return mine - theirs if mine is not None and theirs is not None else None


def _early_error(measured: Measured, step: int) -> float | None:
    """Return the test error at ``step``: the last one of trainings that had converged by then."""
    if measured.curve and measured.curve.length < min(step, _max_iter(measured)):
        step = 0 if CUT_OFF in measured.stops else measured.curve.length
    return _at(measured, "test_error", step) if step else None


def _final_gap(pairs: Sequence[Comparison]) -> float | None:
    """The lowest final test error of the paper's methods minus the lowest of the others."""
    (left, others) = pairs[0]
    ours = [m.score for m in (left, *others) if m.score is not None and m.role in OURS]
    rest = [m.score for m in others if m.score is not None and m.role not in OURS]
    return min(ours) - min(rest) if ours and rest else None


def _last_common(clock: str, pair: Comparison) -> int | None:
    """The last iteration that all runs of all methods have reached, where time curves show it."""
    curves = [measured.curve for measured in (pair.left, *pair.right)]
    reached = [curve.reached for curve in curves if curve and curve.means.get(clock)]
    return min(reached) if len(reached) == len(curves) else None


def _last_training(pair: Comparison) -> int | None:
    return _last_common("fit_s", pair)


def _last_solver(pair: Comparison) -> int | None:
    return _last_common("solver_s", pair)


_LAST = {"fit_s": _last_training, "solver_s": _last_solver}


def _time_ratio(clock: str) -> Statistic:
    """The seconds of the fastest other over the judged one's, after as many iterations."""

    def statistic(pairs: Sequence[Comparison]) -> float | None:
        every = (pairs[0].left, *pairs[0].right)
        step = _last_common(clock, pairs[0])
        if step is not None:
            mine, *theirs = (_at(measured, clock, step) for measured in every)
        elif len({measured.iterations for measured in every} - {None}) == 1 and all(
            measured.iterations is not None for measured in every
        ):
            mine, *theirs = (measured.times.get(clock) for measured in every)
        else:
            return None
        known = [seconds for seconds in theirs if seconds is not None]
        return quotient(min(known), mine) if known and len(known) == len(theirs) else None

    return statistic


def _above_the_best(pairs: Sequence[Comparison]) -> float | None:
    """By what share the final objective lies above the lowest of all."""
    (left, others) = pairs[0]
    known = [m.objective for m in (left, *others) if m.objective is not None]
    if left.objective is None or len(known) < 1 + len(others) or min(known) <= 0:
        return None
    return left.objective / min(known) - 1


def _whole_training(pairs: Sequence[Comparison]) -> float | None:
    """Seconds of the paper's number of iterations, ``None`` unless training was seen to the end.

    That is where it did them all, ended by itself, or was cut off by a limit no shorter than the
    paper's.
    """
    left = pairs[0].left
    seconds = _at(left, "fit_s", PROTOCOL.iterations)
    if seconds is not None:
        return seconds
    seen = {
        CUT_OFF: (left.params.get("time_limit") or 0) >= PROTOCOL.mo_limit_s,
        "max_iter": _max_iter(left) >= PROTOCOL.iterations,
    }
    if sum(left.stops.values()) < left.finished or not all(
        seen.get(str(s), True) for s in left.stops
    ):
        return None
    return left.times.get("fit_s")


_SECTION, _SOLVERS = "Section 3, Figures 1 and 2", "Section 3.1, Figure 6"
_EARLY, _FAR = "test error at a tenth of the iterations", "converges much faster than"
CLAIMS = (
    *(
        Claim(text, _SECTION, ours, (other,), statistic, unit, judge, each=True)
        for ours in OURS
        for other in ("multiboost", "adaboost_ecc", "adaboost_mh")
        for text, statistic, unit, judge in (
            (f"{ours} {_FAR} {other} (iterations to the same error)", _rounds, "ratio",
             _much_above_one),
            (f"{ours} has the lower {_EARLY} than {other}", _early_gap, "points", _below_zero),
        )
    ),
    Claim(
        "CW or CW-1 has the best test error on most data sets",
        _SECTION, OURS[0], ALL, _final_gap, "points", _not_above_zero, each=True, most=True,
    ),
    *(
        Claim(
            f"{ours} needs less {what} than multiboost by L-BFGS-B",
            _SECTION, ours, ("multiboost_lbfgsb",), _time_ratio(clock), "ratio", above_one,
            each=True, step=_LAST[clock], unknown=_OTHER_ITERATIONS,
        )
        for ours in OURS
        for what, clock in (("training time", "fit_s"), ("solver time", "solver_s"))
    ),
    Claim(
        "adaboost_mo converges about as fast as multiboost_cw (iterations to the same error)",
        _SECTION, OURS[0], ("adaboost_mo",), _rounds, "ratio", _similar, each=True,
    ),
    Claim(
        "adaboost_mo needs much more training time than multiboost_cw",
        _SECTION, OURS[0], ("adaboost_mo",), _time_ratio("fit_s"), "ratio", _much_above_one,
        each=True, step=_LAST["fit_s"], unknown=_OTHER_ITERATIONS,
    ),
    Claim(
        "adaboost_mo cannot finish 500 iterations in 1,000 s",
        "Figure 2", "adaboost_mo", (), _whole_training, "seconds", _over_the_limit,
        each=True, datasets=DIGITS, unknown="not run far enough",
    ),
    Claim(
        "FCD with τ = 1 is the fastest (solver time of the next to its own)",
        _SOLVERS, "fcd_1", ALL, _time_ratio("solver_s"), "ratio", above_one,
        each=True, step=_LAST["solver_s"], unknown=_OTHER_ITERATIONS,
    ),
    *(
        Claim(
            f"FCD with τ = {sweeps} converges much faster than L-BFGS-B "
            "(solver time to the same objective)",
            _SOLVERS, f"fcd_{sweeps}", ("lbfgsb",), _seconds_to_objective, "ratio",
            _much_above_one, each=True,
        )
        for sweeps in PROTOCOL.sweeps[1:]
    ),
    Claim(
        "FCD with τ = 2 is very accurate (objective above the lowest of all)",
        _SOLVERS, "fcd_2", ALL, _above_the_best, "share", _accurate, each=True,
    ),
    Claim(
        "FCD with τ = 2 needs less running time than L-BFGS-B",
        _SOLVERS, "fcd_2", ("lbfgsb",), _time_ratio("fit_s"), "ratio", above_one,
        each=True, step=_LAST["fit_s"], unknown=_OTHER_ITERATIONS,
    ),
)  # fmt: skip
LEGEND = (
    "“Much” is taken for twice, “about as” for at most twice either way. × k is what the other "
    "method needs over what the judged one does; “the same” error is the worse of the two at their "
    "ends, “the same” objective 0.1 % above that; pp are percentage points of test error. "
    "Training, running and solver times are compared after the same number of iterations, the most "
    "that all runs of the methods reached: [at n] says how many. Times of whole trainings are in "
    "the tables below."
)


def claim_roles(methods: Sequence[Method]) -> dict[str, Method]:
    """Return the methods by their role in the claims: a registered name, or a solver.

    The first of a name has its role; claims on MultiBoost's times are on it with L-BFGS-B.
    """
    roles: dict[str, Method] = {}
    solvers = same_objective(methods)
    for method in methods:
        role = method.registered
        if role == "adaboost_mo" and method.params.get("code", "auto") not in _MO_CODES:
            continue
        if solvers and role == "multiboost_cw":
            lbfgsb = method.params.get("solver") == "lbfgsb"
            role = "lbfgsb" if lbfgsb else f"fcd_{method.params.get('max_sweeps', 2)}"
        if role == "multiboost" and method.params.get("solver", "lbfgsb") == "lbfgsb":
            roles.setdefault("multiboost_lbfgsb", method)
        if role:
            roles.setdefault(role, method)
    return roles
