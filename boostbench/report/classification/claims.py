"""The claims of the MultiBoost-cw paper, each put to the measured curves, data set by data set.

The paper says "faster" and "best", rarely by how much; what is taken for "much" is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.papers.multiboost import DIGITS, OURS, PROTOCOL
from boostbench.report import numbers
from boostbench.report.claims import Finding
from boostbench.report.classification.curves import CUT_OFF

if TYPE_CHECKING:
    from boostbench.report.classification.curves import Curve
    from boostbench.report.classification.stats import ErrorCell

MUCH = 2.0
SIMILAR = 2.0
EARLY_SHARE = 0.1
ACCURATE = 0.01
# What goes on for ever towards its end reaches it in its last iteration.
NEARLY = 0.001
OTHER_ITERATIONS = "other iterations"


@dataclass(frozen=True)
class Measured:
    """One method on one data set: its role in the claims, means, and mean curves if recorded."""

    role: str
    cell: ErrorCell
    curve: Curve | None
    max_iter: int
    time_limit: float | None = None


Others = Sequence[Measured]
ALL = "*"
Statistic = Callable[[Measured, Others], float | None]
Step = Callable[[Measured, Others], int | None]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is checked on each data set.

    ``left`` is the role that is judged, ``right`` the roles it is set against; each is measured
    or the claim is not made (:data:`ALL` stands for all other methods that are). ``statistic`` is
    evaluated on each data set, ``None`` where the curves do not say (``unknown`` has the words);
    ``judge`` grades its value. ``at`` tells the iteration at which seconds are compared.
    ``published_as`` are the data sets that the claim is on, if not on all. The claim as a whole
    holds if it does on all data sets, with ``most`` on more than half.
    """

    text: str
    where: str
    left: str
    right: Sequence[str] | str
    statistic: Statistic
    show: Callable[[float], str]
    judge: Callable[[float], Finding]
    most: bool = False
    at: Step | None = None
    published_as: Sequence[str] = ()
    unknown: str = "not known"

    def overall(self, findings: Sequence[Finding]) -> Finding:
        """Return the verdict over data sets."""
        holding = sum(finding is Finding.HOLDS for finding in findings)
        if holding == len(findings) or (self.most and 2 * holding > len(findings)):
            return Finding.HOLDS
        some = holding or any(finding is Finding.PARTLY for finding in findings)
        return Finding.PARTLY if some else Finding.FAILS


def _grade(full: bool, part: bool = False) -> Finding:
    return Finding.HOLDS if full else Finding.PARTLY if part else Finding.FAILS


def _much_above_one(value: float) -> Finding:
    return _grade(value >= MUCH, value > 1)


def _above_one(value: float) -> Finding:
    return _grade(value > 1)


def _below_zero(value: float) -> Finding:
    return _grade(value < 0)


def _not_above_zero(value: float) -> Finding:
    return _grade(value <= 0)


def _similar(value: float) -> Finding:
    return _grade(1 / SIMILAR <= value <= SIMILAR)


def _accurate(value: float) -> Finding:
    return _grade(value <= ACCURATE, value <= 5 * ACCURATE)


def _over_the_limit(value: float) -> Finding:
    return _grade(value > PROTOCOL.mo_limit_s)


def _times(value: float) -> str:
    rounded = float(f"{value:.3g}")
    return f"× {rounded:,.0f}" if rounded >= 1000 else f"× {rounded:g}"


def _points(value: float) -> str:
    return f"{numbers.difference(100 * value)[:-1]} pp"


def _percent(value: float) -> str:
    return f"{100 * value:.2g} %"


def _seconds(value: float) -> str:
    return f"{numbers.seconds(value)} s"


def _rounds(left: Measured, others: Others) -> float | None:
    """Iterations of the other until the test error that both reach, over those of the judged."""
    mine, theirs = _to_common_value(left, others[0], "test_error")
    return theirs / mine if mine and theirs else None


def _seconds_to_objective(left: Measured, others: Others) -> float | None:
    """Solver seconds of the other until the objective that both reach, over the judged one's."""
    mine, theirs = _to_common_value(left, others[0], "objective", NEARLY)
    if not mine or not theirs:
        return None
    return _quotient(_at(others[0], "solver_s", theirs), _at(left, "solver_s", mine))


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
    values = measured.curve.means.get(quantity, ()) if measured.curve else ()
    return values[step - 1] if len(values) >= step else None


def _quotient(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _early_gap(left: Measured, others: Others) -> float | None:
    """Test error minus the other's, at a tenth of the planned iterations."""
    step = max(1, round(EARLY_SHARE * max(left.max_iter, others[0].max_iter)))
    mine, theirs = _early_error(left, step), _early_error(others[0], step)
    return mine - theirs if mine is not None and theirs is not None else None


def _early_error(measured: Measured, step: int) -> float | None:
    """Return the test error at ``step``: the last one of trainings that had converged by then."""
    if measured.curve and measured.curve.length < min(step, measured.max_iter):
        step = 0 if CUT_OFF in measured.cell.stops else measured.curve.length
    return _at(measured, "test_error", step) if step else None


def _final_gap(left: Measured, others: Others) -> float | None:
    """The lowest final test error of the paper's methods minus the lowest of the others."""
    ours = [m.cell.error.mean for m in (left, *others) if m.cell.error and m.role in OURS]
    rest = [m.cell.error.mean for m in others if m.cell.error and m.role not in OURS]
    return min(ours) - min(rest) if ours and rest else None


def _last_common(clock: str) -> Step:
    """The last iteration that all runs of all methods have reached, as far as time curves tell."""

    def step(left: Measured, others: Others) -> int | None:
        curves = [measured.curve for measured in (left, *others)]
        reached = [curve.reached for curve in curves if curve and curve.means.get(clock)]
        return min(reached) if len(reached) == len(curves) else None

    return step


def _time_ratio(clock: str) -> Statistic:
    """The seconds of the fastest other over the judged one's, after as many iterations."""
    last_common = _last_common(clock)

    def statistic(left: Measured, others: Others) -> float | None:
        step = last_common(left, others)
        if step is not None:
            mine, *theirs = (_at(measured, clock, step) for measured in (left, *others))
        elif _equally_long([left, *others]):
            spreads = [getattr(measured.cell, clock) for measured in (left, *others)]
            mine, *theirs = (spread.mean if spread else None for spread in spreads)
        else:
            return None
        known = [seconds for seconds in theirs if seconds is not None]
        return _quotient(min(known), mine) if known and len(known) == len(theirs) else None

    return statistic


def _equally_long(methods: Others) -> bool:
    """Whether all runs of all ``methods`` had one number of iterations."""
    counts = [measured.cell.iterations for measured in methods]
    same = {count.mean for count in counts if count is not None and not count.sd}
    return len(same) == 1 and all(count is not None and not count.sd for count in counts)


def _above_the_best(left: Measured, others: Others) -> float | None:
    """By what share the final objective lies above the lowest of all."""
    known = [m.cell.objective.mean for m in (left, *others) if m.cell.objective]
    if left.cell.objective is None or len(known) < 1 + len(others) or min(known) <= 0:
        return None
    return left.cell.objective.mean / min(known) - 1


def _whole_training(left: Measured, others: Others) -> float | None:
    """Seconds of the paper's number of iterations, ``None`` unless training was seen to the end.

    That is where it did them all, ended by itself, or was cut off by a limit no shorter than the
    paper's.
    """
    seconds = left.curve.means.get("fit_s", ()) if left.curve else ()
    if len(seconds) >= PROTOCOL.iterations:
        return seconds[PROTOCOL.iterations - 1]
    seen = {
        CUT_OFF: (left.time_limit or 0) >= PROTOCOL.mo_limit_s,
        "max_iter": left.max_iter >= PROTOCOL.iterations,
    }
    stops = left.cell.stops
    if sum(stops.values()) < left.cell.finished or not all(seen.get(str(s), True) for s in stops):
        return None
    return left.cell.fit_s.mean if left.cell.fit_s else None


def _claims_of_boosting() -> list[Claim]:
    section, digits = "Section 3, Figures 1 and 2", "Figure 2"
    early, far = "test error at a tenth of the iterations", "converges much faster than"
    return [
        *(
            Claim(text, section, ours, [other], statistic, show, judge)
            for ours in OURS
            for other in ("multiboost", "adaboost_ecc", "adaboost_mh")
            for text, statistic, show, judge in (
                (f"{ours} {far} {other} (iterations to the same error)", _rounds, _times,
                 _much_above_one),
                (f"{ours} has the lower {early} than {other}", _early_gap, _points, _below_zero),
            )
        ),
        Claim(
            "CW or CW-1 has the best test error on most data sets",
            section, OURS[0], ALL, _final_gap, _points, _not_above_zero, most=True,
        ),
        *(
            Claim(
                f"{ours} needs less {what} than multiboost by L-BFGS-B",
                section, ours, ["multiboost_lbfgsb"], _time_ratio(clock), _times, _above_one,
                at=_last_common(clock), unknown=OTHER_ITERATIONS,
            )
            for ours in OURS
            for what, clock in (("training time", "fit_s"), ("solver time", "solver_s"))
        ),
        Claim(
            "adaboost_mo converges about as fast as multiboost_cw (iterations to the same error)",
            section, OURS[0], ["adaboost_mo"], _rounds, _times, _similar,
        ),
        Claim(
            "adaboost_mo needs much more training time than multiboost_cw",
            section, OURS[0], ["adaboost_mo"], _time_ratio("fit_s"), _times, _much_above_one,
            at=_last_common("fit_s"), unknown=OTHER_ITERATIONS,
        ),
        Claim(
            "adaboost_mo cannot finish 500 iterations in 1,000 s",
            digits, "adaboost_mo", [], _whole_training, _seconds, _over_the_limit,
            published_as=DIGITS, unknown="not run far enough",
        ),
    ]  # fmt: skip


def _claims_of_solvers() -> list[Claim]:
    section = "Section 3.1, Figure 6"
    return [
        Claim(
            "FCD with τ = 1 is the fastest (solver time of the next to its own)",
            section, "fcd_1", ALL, _time_ratio("solver_s"), _times, _above_one,
            at=_last_common("solver_s"), unknown=OTHER_ITERATIONS,
        ),
        *(
            Claim(
                f"FCD with τ = {sweeps} converges much faster than L-BFGS-B "
                "(solver time to the same objective)",
                section, f"fcd_{sweeps}", ["lbfgsb"], _seconds_to_objective, _times,
                _much_above_one,
            )
            for sweeps in PROTOCOL.sweeps[1:]
        ),
        Claim(
            "FCD with τ = 2 is very accurate (objective above the lowest of all)",
            section, "fcd_2", ALL, _above_the_best, _percent, _accurate,
        ),
        Claim(
            "FCD with τ = 2 needs less running time than L-BFGS-B",
            section, "fcd_2", ["lbfgsb"], _time_ratio("fit_s"), _times, _above_one,
            at=_last_common("fit_s"), unknown=OTHER_ITERATIONS,
        ),
    ]  # fmt: skip


CLAIMS: Mapping[str, Sequence[Claim]] = {
    "multiboost": [*_claims_of_boosting(), *_claims_of_solvers()]
}
