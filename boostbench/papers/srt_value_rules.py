"""Rules for the printed columns and average rows of the soft regression tree paper's tables.

A claim's id names its table, column and what is compared: ``S-V-C4-orrt-sd`` is Table C.4, ORRT's
sd, cell by cell; ``S-A-`` are the average rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.papers.claim import Array, Figure, Mask, Rule, Sets, Values
from boostbench.papers.reading import lines
from boostbench.papers.rules import above, count, geometric, inside, left, number_at_most, right

_LEAST = 0.01
_AS = 1.0 + 1e-9
# Tables on fewer than 15 data sets: all but one of them, and half.
_SHARES = {"D.6": (13 / 14, 1 / 2), "F.8": (3 / 4, 1 / 2)}


def _table(key: str) -> str:
    """Return a table's printed name from the one in an id: C4 is C.4."""
    return key if key.isdigit() else f"{key[0]}.{key[1:]}"


def _misses(table: str) -> Callable[[Sets], Array]:
    """Return distances from the printed means, in units of max(printed sd, 0.01)."""

    def of(sets: Sets) -> Array:
        printed, sd = (sets.printed(sets.left[0], what, table) for what in ("mean", "sd"))
        allowed = np.maximum(np.nan_to_num(sd), _LEAST)
        return np.abs(left(sets) - printed) / allowed

    return of


def _distance(table: str) -> Callable[[Sets], np.floating[Any]]:
    return lambda sets: np.mean(np.abs(left(sets) - sets.printed(sets.left[0], "mean", table)))


def means(table: str) -> Rule:
    """Return the rule for a column of means: 12 of 15 within one sd, by .02 on average."""
    most, half = _SHARES.get(table, (12 / 15, 8 / 15))
    figures = (
        Figure("misses", "within one printed sd on", "sets", _misses(table),
               number_at_most(_AS), exact=True),
        Figure("distance", "mean distance", "score", _distance(table), size=True),
    )  # fmt: skip

    def within(values: Values) -> Array:
        return count(values.misses <= _AS) / values.misses.shape[-1]

    return Rule(
        figures,
        lambda v: bool(np.all(within(v) >= most - 1e-9) and np.all(v.distance <= 0.02)),
        lambda v: bool(np.all((within(v) >= half - 1e-9) | (v.distance <= 0.04))),
    )


def sds(table: str) -> Rule:
    """Return the rule for a column of sds: within a factor 2 on 11 of 15."""
    most, half = _SHARES.get(table, (11 / 15, 8 / 15))

    def of(sets: Sets) -> Array:
        ratio = sets.sd(sets.left[0]) / sets.printed(sets.left[0], "sd", table)
        return np.abs(np.log2(ratio))

    figure = Figure("factors", "within a factor 2 on", "sets", of, number_at_most(_AS), exact=True)

    def within(values: Values) -> Array:
        return count(values.factors <= _AS) / values.factors.shape[-1]

    return Rule(
        (figure,),
        lambda v: above(within(v), most - 1e-9),
        lambda v: above(within(v), half - 1e-9),
    )


def times(table: str) -> Rule:
    """Return the rule for a column of times: ratios to SRT-l2's within a factor 3 on 11 of 15."""
    most, sides = (13 / 14, 11 / 14) if table == "D.6" else (11 / 15, 11 / 15)

    def of(sets: Sets) -> Array:
        here = left(sets, "fit_s") / right(sets, "fit_s")
        return here / _printed_ratios(sets, table)

    def side(sets: Sets) -> Array:
        here = left(sets, "fit_s") / right(sets, "fit_s")
        return np.log(here) * np.sign(np.log(_printed_ratios(sets, table)))

    figures = (
        Figure("factors", "ratio to SRT-ℓ₂'s within a factor 3 on", "sets",
               lambda sets: np.abs(np.log(of(sets))), number_at_most(np.log(3) + 1e-9), exact=True),
        Figure("sides", "on the printed side of 1 on", "sets", side,
               lambda v: np.count_nonzero(v >= 0), exact=True),
    )  # fmt: skip

    def of_all(values: Mask) -> Array:
        return count(values) / values.shape[-1]

    return Rule(
        figures,
        lambda v: above(of_all(v.factors <= np.log(3) + 1e-9), most - 1e-9),
        lambda v: above(of_all(v.sides >= 0), sides - 1e-9),
    )


def _printed_ratios(sets: Sets, table: str) -> Array:
    mine, theirs = (sets.printed(role, "time_s", table) for role in (sets.left[0], sets.right[0]))
    if np.isnan(theirs).all():
        # Table D.5 and others print SRT-l2's times again; where not, those of the main tables do.
        theirs = sets.printed(sets.right[0], "time_s")
    return mine / theirs


def average_means(table: str) -> Rule:
    """Return the rule for averages of means: arithmetic and geometric within .01."""
    figures = (
        Figure("arithmetic", "arithmetic mean minus the paper's", "difference",
               lambda s: np.mean(left(s)) - np.mean(s.printed(s.left[0], "mean", table))),
        Figure("geometric", "geometric mean minus the paper's", "difference",
               lambda s: geometric(left(s)) - geometric(s.printed(s.left[0], "mean", table))),
    )  # fmt: skip
    return Rule(
        figures,
        lambda v: inside(v.arithmetic, -0.01, 0.01) & inside(v.geometric, -0.01, 0.01),
        lambda v: inside(v.arithmetic, -0.03, 0.03) & inside(v.geometric, -0.03, 0.03),
    )


def average_sds(table: str) -> Rule:
    """Return the rule for the average of sds: within a factor 1.5."""
    figure = Figure(
        "factor", "mean sd to the paper's", "ratio",
        lambda s: np.mean(s.sd(s.left[0])) / np.mean(s.printed(s.left[0], "sd", table)),
    )  # fmt: skip
    return Rule(
        (figure,),
        lambda v: inside(v.factor, 1 / 1.5, 1.5),
        lambda v: inside(v.factor, 1 / 3, 3),
    )


_KINDS: tuple[tuple[str, str, Callable[[Array], np.floating[Any]]], ...] = (
    ("arithmetic", "mean", np.mean),
    ("geometric", "geometric mean", geometric),
)


_Mean = Callable[[Array], np.floating[Any]]


def _closed(
    figure: Callable[[Sets, _Mean], np.floating[Any]], of: _Mean
) -> Callable[[Sets], np.floating[Any]]:
    return lambda sets: figure(sets, of)


def average_times(table: str) -> Rule:
    """Return the rule for averages of times as ratios to SRT-l2's: within a factor 2."""

    def ratio(sets: Sets, of: Callable[[Array], np.floating[Any]]) -> np.floating[Any]:
        return of(left(sets, "fit_s")) / of(right(sets, "fit_s"))

    def printed(sets: Sets, of: Callable[[Array], np.floating[Any]]) -> np.floating[Any]:
        mine, theirs = (
            sets.printed(role, "time_s", table) for role in (sets.left[0], sets.right[0])
        )
        return of(mine) / of(theirs)

    figures = tuple(
        Figure(name, f"{title} time to SRT-ℓ₂'s, to the paper's ratio", "ratio",
               _closed(lambda s, o: ratio(s, o) / printed(s, o), of))
        for name, title, of in _KINDS
    ) + tuple(
        Figure(f"{name}_side", f"{title} time to SRT-ℓ₂'s", "ratio",
               _closed(
                   lambda s, o: np.exp(np.log(ratio(s, o)) * np.sign(np.log(printed(s, o)))), of))
        for name, title, of in _KINDS
    )  # fmt: skip
    return Rule(
        figures,
        lambda v: inside(v.arithmetic, 0.5, 2) & inside(v.geometric, 0.5, 2),
        lambda v: inside(v.arithmetic_side, 1, np.inf) & inside(v.geometric_side, 1, np.inf),
    )


def average_exploded(table: str) -> Rule:
    """Return the rule for the average number of runs with R2 < 0: within a factor 1.5."""
    figures = (
        Figure("number", "runs of 80 with R² < 0, mean", "count",
               lambda s: 80 * np.mean(s.mean(s.left[0], "exploded"))),
        Figure("factor", "the same to the paper's", "ratio",
               lambda s: 80 * np.mean(s.mean(s.left[0], "exploded"))
               / np.mean(s.printed(s.left[0], "exploded_runs", table))),
    )  # fmt: skip
    return Rule(
        figures,
        lambda v: inside(v.factor, 1 / 1.5, 1.5),
        lambda v: above(v.number, 1 - 1e-9),
    )


def forest_averages() -> Rule:
    """Return the rule for the averages of the forest's column."""
    mean, sd = average_means("G.9"), average_sds("G.9")
    return Rule(
        (*mean.figures, *sd.figures),
        lambda v: bool(mean.reproduced(v)) and bool(inside(v.factor, 1 / 1.5, 1.5)),
        mean.direction,
    )


_CELLS = {"R2": means, "sd": sds, "time": times}
_AVERAGES = {"R2": average_means, "sd": average_sds, "time": average_times, "neg": average_exploded}


def value_rule(key: str) -> Rule | None:
    """Return the rule of a claim by its id, ``None`` for one that is not a column's."""
    parts = key.split("-")
    if parts[:2] not in (["S", "V"], ["S", "A"]) or len(parts) < 4:
        return None
    if key == "S-A-G9-random_forest":
        return forest_averages()
    made = (_CELLS if parts[1] == "V" else _AVERAGES)[parts[4]]
    return made(_table(parts[2]))


def value_rules(path: Path) -> dict[str, Rule]:
    """Return the rules of a claims file's rows on columns, except those not to be judged."""
    rules = {row["id"]: value_rule(row["id"]) for _, row in lines(path) if not row.get("reason")}
    return {key: rule for key, rule in rules.items() if rule is not None}
