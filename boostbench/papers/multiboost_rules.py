"""Rules of the MultiBoost-cw paper's claims, which are on learning curves and times.

The paper says "faster" and "best", rarely by how much; what is taken for that is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from boostbench.papers.claim import Array, Figure, Mask, Quantity, Rule, RunLike, Sets, Values
from boostbench.papers.multiboost_roles import PROTOCOL, SOLVED_BY_LBFGSB
from boostbench.papers.results import CUT_OFF, Curve
from boostbench.papers.rules import INF, above, bands, count, inside

_CLASSES = {
    "vowel": 11, "isolet": 26, "usps": 10, "pendigits": 10, "mnist": 10, "pascal07": 20,
    "labelme12": 12, "cifar10_gist": 10, "scene15": 15, "sun25": 25, "gtsrb": 43,
}  # fmt: skip
# A training that creeps towards its limit reaches it in its last iteration only.
_NEARLY = 0.001
_LITTLE = 1e-12


@cache
def _area(rounds: int) -> Quantity:
    """Return the mean test error over the first ``rounds`` iterations.

    A training that ended by itself keeps its last error; one that was cut off has none.
    """

    def area(run: RunLike) -> float | None:
        errors = run.curve.get("test_error") or ()
        if not errors or (len(errors) < rounds and run.stop == CUT_OFF):
            return None
        held = [*errors[:rounds], *[errors[-1]] * (rounds - len(errors))]
        return float(np.mean(held))

    return area


@cache
def _seconds(clock: str, rounds: int) -> Quantity:
    """Return the seconds that a clock shows after ``rounds`` iterations, or at an earlier end."""

    def seconds(run: RunLike) -> float | None:
        times = run.curve.get(clock) or ()
        return times[min(rounds, len(times)) - 1] if times else None

    return seconds


@cache
def _a_round(search: bool) -> Quantity:
    """Return seconds per iteration, of all of it or of the search for weak learners."""

    def a_round(run: RunLike) -> float | None:
        if run.fit_s is None or not run.iterations:
            return None
        if not search:
            return run.fit_s / run.iterations
        return None if run.solver_s is None else (run.fit_s - run.solver_s) / run.iterations

    return a_round


def _areas(sets: Sets, role: str) -> Array:
    return sets.mean(role, _area(PROTOCOL.iterations))


def _known(sets: Sets, role: str) -> list[Curve]:
    return [curve for curve in sets.curves(role) if curve is not None]


def _common_rounds(sets: Sets, roles: Sequence[str]) -> int:
    """Return the most iterations that every run of the roles has reached on every data set."""
    reached = [curve.reached for role in roles for curve in _known(sets, role)]
    return max(1, min([*reached, PROTOCOL.iterations]))


def _times(sets: Sets, role: str, clock: str, roles: Sequence[str]) -> Array:
    return sets.mean(role, _seconds(clock, _common_rounds(sets, roles)))


def _time_ratios(other: str, clock: str = "fit_s", own: str = "") -> Callable[[Sets], Array]:
    """Return the seconds of ``other`` over those of each left role (the least ratio of them)."""

    def ratios(sets: Sets) -> Array:
        lefts = [own] if own else list(sets.left)
        roles = [*lefts, other]
        theirs = _times(sets, other, clock, roles)
        return np.min([theirs / _times(sets, role, clock, roles) for role in lefts], axis=0)

    return ratios


def _area_leads(*others: str) -> Callable[[Sets], Array]:
    """Return by how much the least area of ``others`` is above the larger of the left roles'."""

    def leads(sets: Sets) -> Array:
        theirs = np.min([_areas(sets, role) for role in others or sets.right], axis=0)
        return theirs - np.max([_areas(sets, role) for role in sets.left], axis=0)

    return leads


def _final_leads(*others: str) -> Callable[[Sets], Array]:
    """Return by how much the lowest error of ``others`` is above the lowest of the left roles'."""

    def leads(sets: Sets) -> Array:
        theirs = np.min([sets.mean(role) for role in others or sets.right], axis=0)
        return theirs - np.min([sets.mean(role) for role in sets.left], axis=0)

    return leads


def _positive(values: Array) -> int:
    return int(np.count_nonzero(values > 0))


def _not_negative(values: Array) -> int:
    return int(np.count_nonzero(values >= 0))


_RIVALS = ("multiboost", "adaboost_ecc", "adaboost_mh")
_AREAS = Figure("areas", "smaller mean error over the iterations on", "sets",
                _area_leads(*_RIVALS), _positive)  # fmt: skip
_ALL_AREAS = Figure("areas", "smaller mean error over the iterations on", "sets",
                    _area_leads(*_RIVALS, "adaboost_mo"), _positive)  # fmt: skip
_FINALS = Figure("finals", "lowest last error on", "sets", _final_leads(*_RIVALS),
                 _not_negative)  # fmt: skip
_ALL_FINALS = Figure("finals", "lowest last error on", "sets",
                     _final_leads(*_RIVALS, "adaboost_mo"), _not_negative)  # fmt: skip
_TIMES = Figure("times", "least ratio of L-BFGS-B's training time to it", "ratio",
                _time_ratios(SOLVED_BY_LBFGSB), np.min)  # fmt: skip


def _most(values: Mask) -> bool:
    """Return whether more than half of the data sets of each depth are true."""
    return bool(np.all(2 * count(values) > values.shape[-1]))


def _parts(*tests: Callable[[Values], bool]) -> Callable[[Values], int]:
    return lambda values: sum(bool(test(values)) for test in tests)


def _figure_rule() -> Rule:
    """Return the rule of a figure's caption: smaller areas, lowest error, shorter times."""
    every = _parts(
        lambda v: above(v.areas, 0),
        lambda v: bool(np.all(v.finals >= 0)),
        lambda v: above(v.times, 1.5),
    )
    on_most = _parts(
        lambda v: _most(v.areas > 0), lambda v: _most(v.finals >= 0), lambda v: _most(v.times > 1.5)
    )
    return Rule((_AREAS, _FINALS, _TIMES), lambda v: every(v) == 3, lambda v: on_most(v) >= 2)


_CAPTION = _figure_rule()


def _slopes(sets: Sets) -> Array:
    """Return by how much time per iteration grows faster with the classes, in powers of them."""
    classes = np.log([_CLASSES.get(name, np.nan) for name in sets.names])
    if len(set(classes)) < 3:
        return np.array([np.nan])
    mine, theirs = (
        np.polyfit(classes, np.log(sets.mean(role, _a_round(False))), 1)[0]
        for role in (sets.left[0], "adaboost_mo")
    )
    return np.array([theirs - mine])


def _mo_ratios(*roles: str) -> Callable[[Sets], Array]:
    """Return AdaBoost.MO's seconds per iteration over those of the slowest of ``roles``."""

    def ratios(sets: Sets) -> Array:
        others = [sets.mean(role, _a_round(False)) for role in roles]
        return sets.mean("adaboost_mo", _a_round(False)) / np.max(others, axis=0)

    return ratios


def _mo_areas(sets: Sets) -> Array:
    """Return the size of the logarithm of AdaBoost.MO's area over those of CW and CW-1."""
    mo = _areas(sets, "adaboost_mo")
    ours = [_areas(sets, role) for role in ("multiboost_cw", "multiboost_cw1")]
    return np.max([np.abs(np.log(mo / area)) for area in ours], axis=0)


_MO_AREA = Figure(
    "factor", "mean errors over the iterations within a factor 1.5 on", "sets", _mo_areas,
    lambda v: np.count_nonzero(v <= np.log(1.5)), size=True,
)  # fmt: skip
_MO_TIME = Figure(
    "times", "least ratio of AdaBoost.MO's seconds per iteration", "ratio",
    _mo_ratios("multiboost_cw", "multiboost_cw1"), np.min,
)  # fmt: skip


def _mo_close(values: Values) -> bool:
    return inside(values.factor, 0, np.log(1.5))


def _mo_slow(values: Values) -> bool:
    return above(values.times, 10)


def _ratio_of(quantity: Quantity) -> Callable[[Sets], Array]:
    return lambda sets: sets.mean(sets.left[0], quantity) / sets.mean(sets.right[0], quantity)


def _to_objective(left: Curve | None, right: Curve | None) -> float:
    """Return solver seconds of the right one until the objective that both reach, to the left's."""
    if left is None or right is None:
        return np.nan
    mine, theirs = left.means.get("objective"), right.means.get("objective")
    if not mine or not theirs:
        return np.nan
    common = max(mine[-1], theirs[-1]) * (1 + _NEARLY)
    at = [curve.first_at_most("objective", common) for curve in (left, right)]
    seconds = [
        None if step is None else curve.at("solver_s", step)
        for curve, step in zip((left, right), at, strict=True)
    ]
    return seconds[1] / seconds[0] if seconds[0] and seconds[1] else np.nan


def _fcd_to_objective(sets: Sets) -> Array:
    ratios = [
        [_to_objective(a, b) for a, b in zip(sets.curves(role), sets.curves("lbfgsb"), strict=True)]
        for role in sets.left
    ]
    return np.min(ratios, axis=0)


def _fastest_other(sets: Sets) -> Array:
    roles = [*sets.left, *sets.right]
    others = [_times(sets, role, "solver_s", roles) for role in sets.right]
    return np.min(others, axis=0) / _times(sets, sets.left[0], "solver_s", roles)


def _above_the_lowest(sets: Sets) -> Array:
    every = np.array([sets.mean(role, "objective") for role in (*sets.left, *sets.right)])
    return 100 * (every[0] / np.min(every, axis=0) - 1)


_SEARCH = Figure("search", "time of one search to the other's", "ratio",
                 _ratio_of(_a_round(True)), np.max)  # fmt: skip
_EVERY_TIME = Rule(
    (_TIMES,), lambda v: above(v.times, 1.5), lambda v: _most(v.times > 1),
)  # fmt: skip

RULES: Mapping[str, Rule] = {
    "M-ABS-2": Rule(
        (_SEARCH, Figure("total", "training time to MultiBoost's by the same solver", "ratio",
                         _ratio_of("fit_s"), np.max)),
        lambda v: inside(v.search, 0.8, 1.25) & inside(v.total, 0, 1.25),
        lambda v: inside(v.search, 0.5, 2),
        lambda v: bool(np.any(v.search > 2)),
    ),
    "M-ABS-4": Rule(
        (_ALL_AREAS, _ALL_FINALS),
        lambda v: _most(v.areas > 0) & _most(v.finals >= 0),
        lambda v: _most(v.areas > 0) | _most(v.finals >= 0),
    ),
    "M-ABS-5": _EVERY_TIME,
    "M-INT-2": Rule(
        (
            Figure("areas", "smaller mean error over the iterations on", "sets",
                   _area_leads("multiboost"), _positive),
            Figure("finals", "lower last error on", "sets", _final_leads("multiboost"), _positive),
            _TIMES,
        ),
        lambda v: bool(
            _most(v.areas > 0) and _most(v.finals > 0) and above(v.times, 1 / 1.1 - _LITTLE)
        ),
        lambda v: _parts(
            lambda v: _most(v.areas > 0), lambda v: _most(v.finals > 0),
            lambda v: above(v.times, 1 / 1.1 - _LITTLE),
        )(v) >= 2,
    ),
    "M-INT-3": Rule(
        (
            _MO_TIME,
            Figure("slope", "power of the classes by which its time grows faster", "score",
                   _slopes, np.max),
            Figure("areas", "both below the other three on", "sets",
                   lambda s: np.min([_areas(s, role) for role in _RIVALS], axis=0)
                   - np.max([_areas(s, r) for r in ("multiboost_cw", "adaboost_mo")], axis=0),
                   _positive),
        ),
        lambda v: bool(_mo_slow(v) and above(v.slope, 0) and _most(v.areas > 0)),
        lambda v: above(v.times, 2),
        lambda v: bool(np.any(v.times <= 1)),
    ),
    "M-INT-6": bands(
        Figure("times", "largest ratio of training times", "ratio", _ratio_of("fit_s"), np.max),
        (0, 5), (0, 20),
    ),
    "M-SUB": bands(_SEARCH, (0.8, 1.25), (0.5, 2)),
    "M-ALL-1": Rule(
        (_ALL_AREAS, _ALL_FINALS, _TIMES),
        lambda v: bool(_most(v.areas > 0) and _most(v.finals >= 0) and above(v.times, 1.5)),
        lambda v: _parts(
            lambda v: _most(v.areas > 0), lambda v: _most(v.finals >= 0),
            lambda v: above(v.times, 1.5),
        )(v) >= 2,
    ),
    "M-MO-1": Rule(
        (_MO_AREA,),
        _mo_close,
        lambda v: _most(v.factor <= np.log(3)),
        lambda v: _most(v.factor > np.log(3)),
    ),
    "M-MO-2": Rule((_MO_TIME,), _mo_slow, lambda v: above(v.times, 1),
                   lambda v: bool(np.any(2 * count(v.times <= 1) >= v.times.shape[-1]))),
    "M-MO-3": Rule(
        (
            Figure("times", "least ratio of AdaBoost.MO's seconds per iteration", "ratio",
                   lambda s: _mo_ratios(*s.left)(s), np.min),
        ),
        lambda v: above(v.times, 2),
        lambda v: above(v.times, 1),
    ),
    "M-F1": Rule(
        (
            _AREAS,
            Figure("behind", "last error above the lowest of all, points", "points",
                   lambda s: -100 * _final_leads(*_RIVALS)(s), np.max),
        ),
        lambda v: above(v.areas, 0) & inside(v.behind, -INF, 2),
        lambda v: bool(above(v.areas, 0)) or bool(inside(v.behind, -INF, 2)),
    ),
    "M-F1-T": Rule(
        (
            _TIMES,
            Figure("solver", "least ratio of solver times", "ratio",
                   _time_ratios(SOLVED_BY_LBFGSB, "solver_s"), np.min),
        ),
        lambda v: above(v.times, 1.5) & above(v.solver, 1.5),
        lambda v: above(v.times, 1),
    ),
    **dict.fromkeys(("M-F2", "M-F3", "M-F4", "M-F5"), _CAPTION),
    "M-F2-MO": Rule(
        (_MO_AREA, _MO_TIME),
        lambda v: _mo_close(v) & _mo_slow(v),
        lambda v: bool(_mo_close(v)) or bool(_mo_slow(v)),
    ),
    "M-F6-1": Rule(
        (
            Figure("times", "least ratio of the others' solver time", "ratio", _fastest_other,
                   np.min),
        ),
        lambda v: above(v.times, 1),
        lambda v: _most(v.times > 1),
    ),
    "M-F6-2": Rule(
        (
            Figure("times", "least ratio of solver times to the same objective", "ratio",
                   _fcd_to_objective, np.min, exact=True),
        ),
        lambda v: above(v.times, 2),
        lambda v: _most(v.times > 1),
    ),
    "M-F6-3": bands(
        Figure("excess", "largest excess over the lowest objective of all", "percent",
               _above_the_lowest, np.max),
        (-INF, 1), (-INF, 5),
    ),
    "M-F6-4": Rule(
        (
            Figure("times", "least ratio of L-BFGS-B's solver time", "ratio",
                   _time_ratios("lbfgsb", "solver_s"), np.min),
        ),
        lambda v: above(v.times, 2),
        lambda v: _most(v.times > 1),
    ),
    "M-CON-1": bands(
        Figure("behind", "mean error above the lowest of the others, points", "points",
               lambda s: -100 * np.mean(_final_leads()(s))),
        (-INF, 1), (-INF, 3),
    ),
    "M-CON-2": Rule(
        (_TIMES,), lambda v: above(v.times, 2), lambda v: _most(v.times > 1),
    ),
}  # fmt: skip
