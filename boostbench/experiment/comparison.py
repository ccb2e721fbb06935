"""Two results of the same experiment: the changes beyond noise, cell by cell, and their causes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.engine.environment import differences
from boostbench.errors import ConfigError
from boostbench.papers.metrics import Metric
from boostbench.plan.difference import differing
from boostbench.plan.trial import Trial
from boostbench.report.printed import printed_column, printed_value
from boostbench.report.runs import Runs, number_in, read_runs
from boostbench.stats import corrected_ttest, holm, paired_differences
from boostbench.stats.paired import as_array
from boostbench.store.store import Store
from boostbench.store.types import Outcome

LEVEL = 0.95
_WORDS = {"fingerprint": "data", "code": "its source"}
CellKey = tuple[str, str]
FinishedTrials = Mapping[tuple[int, int, int], tuple[Trial, Outcome]]
"""Trials that ended well by split seed, fold and seed."""


class ChangeKind(StrEnum):
    """How a cell changed."""

    EQUAL = "equal bit for bit in their common runs"
    NOISE = "within noise"
    BETTER = "changed for the better"
    WORSE = "changed for the worse"
    UNKNOWN = "not judged"
    ONLY_A = "finished only in A"
    ONLY_B = "finished only in B"


@dataclass(frozen=True)
class CellChange:
    """One method on one data set in A and in B.

    ``runs`` counts the runs (fold and seed) that both have; ``a`` and ``b`` are means over these,
    ``low`` to ``high`` the 95 % interval of b - a for new rows of the same kind. ``p`` is adjusted
    by Holm's method over all cells with an interval. NaN where unknown.
    ``why`` names the differences between the trials of A and of B.
    """

    dataset: str
    method: str
    change: ChangeKind
    runs: int = 0
    a: float = np.nan
    b: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    why: Sequence[str] = ()

    @property
    def difference(self) -> float:
        """The mean of B minus that of A."""
        return self.b - self.a


@dataclass(frozen=True)
class Comparison:
    """The cells in the order of A's plan, then those of B only; ``metric`` is A's choice.

    ``environments`` says how the environments that only B has differ from A's.
    """

    metric: Metric
    cells: Sequence[CellChange]
    environments: Sequence[str]

    def as_json(self) -> dict[str, object]:
        """Return the comparison as values of JSON's types."""
        cells = [{**asdict(cell), "difference": cell.difference} for cell in self.cells]
        finite = [
            {k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in c.items()}
            for c in cells
        ]
        return {
            "metric": self.metric.name, "environments": list(self.environments), "cells": finite,
        }  # fmt: skip

    def row(self, cell: CellChange) -> list[str]:
        """Return a cell in words, with enough digits to show a difference, at least as printed."""
        a, b = self.metric.scale * cell.a, self.metric.scale * cell.b
        means, interval = ["", "", ""], ""
        if not math.isnan(a):
            gap, digits = abs(b - a), self.metric.digits
            if 0 < gap < 10.0**-digits:
                digits = min(12, 1 - math.floor(math.log10(gap)))
            means = [numbers.fixed(value, digits) for value in (a, b)]
            means.append(numbers.signed(b - a, digits))
        if not math.isnan(cell.p):
            low, high = map(self.metric.difference, (cell.low, cell.high))
            interval = f"[{low}, {high}]"
        runs = f"{cell.runs:,}" if cell.runs else ""
        names = [cell.dataset, cell.method]
        return [*names, runs, *means, interval, str(cell.change), ", ".join(cell.why)]


def compare(a: Path, b: Path, metric: str | None = None, only: Sequence[str] = ()) -> Comparison:
    """Compare the finished runs in two results folders, A and B.

    ``metric`` is compared in place of the one that A's report shows. Raises ConfigError where they
    have no data set and method in common.

    Runs are paired by data set, method, fold and seed; a cell counts as changed where the corrected
    resampled t-test over its folds rejects equality at 5 % after Holm's adjustment, and the means
    differ as printed. Runs that exploded are left out where the report leaves them out.
    Cells whose data or division into folds differ are not judged.
    """
    with (
        Store.open(a, create=False, read_only=True, only=only) as first,
        Store.open(b, create=False, read_only=True, only=only) as second,
    ):
        runs, left, right = read_runs(first, metric), _finished(first), _finished(second)
        here, there = first.environments().values(), second.environments().values()
    changed = {t for old in here for new in there if new not in here for t in differences(old, new)}
    if left and right and not left.keys() & right.keys():
        raise ConfigError("the two results have no data set and method in common")
    left_out = _left_out(runs)
    cells = [
        _cell(key, left.get(key, {}), right.get(key, {}), runs.metric, key in left_out)
        for key in dict.fromkeys([*left, *right])
    ]
    half_a_digit = 0.5 * 10.0**-runs.metric.digits / runs.metric.scale
    judged = [i for i, cell in enumerate(cells) if not np.isnan(cell.p)]
    for i, p in zip(judged, holm([cells[i].p for i in judged]) if judged else (), strict=True):
        gain = runs.metric.sign * cells[i].difference
        change = ChangeKind.BETTER if gain > 0 else ChangeKind.WORSE
        if p >= 1 - LEVEL or abs(gain) < half_a_digit:
            change = ChangeKind.NOISE
        cells[i] = replace(cells[i], p=float(p), change=change)
    return Comparison(runs.metric, cells, sorted(changed))


def _finished(store: Store) -> Mapping[CellKey, FinishedTrials]:
    """Return the trials of each planned cell that ended well."""
    outcomes = store.outcomes()
    cells: dict[CellKey, dict[tuple[int, int, int], tuple[Trial, Outcome]]] = {}
    for trial in store.part():
        own, outcome = cells.setdefault((trial.dataset, trial.method), {}), outcomes.get(trial.key)
        if outcome is not None and outcome.status == "ok":
            own[trial.split_seed, trial.fold, trial.seed] = trial, outcome
    return cells


def _left_out(runs: Runs) -> set[CellKey]:
    """Return the cells whose means leave out runs that exploded, as the printed means do."""
    columns = [(method, printed_column(runs, method)) for method in runs.methods]
    return {
        (data.label, method.label)
        for data in runs.datasets
        for method, column in columns
        if (printed := printed_value(runs, method, data, column)) and printed.counted
    }


def _cell(
    key: CellKey, a: FinishedTrials, b: FinishedTrials, metric: Metric, leave_out: bool
) -> CellChange:
    if not (a and b):
        return CellChange(
            *key, ChangeKind.ONLY_A if a else ChangeKind.ONLY_B if b else ChangeKind.UNKNOWN
        )
    both = sorted(a.keys() & b.keys())
    why = _why(next(iter(a.values()))[0], next(iter(b.values()))[0])
    for name, finished in (("A", a), ("B", b)):
        if len(finished) > len(both):
            why.append(f"{len(finished) - len(both):,} of {len(finished):,} runs only in {name}")
    cell = CellChange(*key, ChangeKind.UNKNOWN, len(both), why=why)
    known: dict[tuple[int, int, int], tuple[float, float]] = {}
    for place in both:
        x, y = (number_in(side[place][1].metrics, metric.name) for side in (a, b))
        if x is None or y is None or (leave_out and any(map(metric.exploded, (x, y)))):
            continue
        known[place] = x, y
    if not known:
        return replace(cell, why=[*why, f"no {metric.words} in common"])
    trials = [[side[place][0] for place in both] for side in (a, b)]
    old, new = ([(t.fingerprint, t.split_rule.division) for t in own] for own in trials)
    if old != new:
        return cell
    means = np.mean(list(known.values()), axis=0)
    cell = replace(cell, runs=len(known), a=float(means[0]), b=float(means[1]))
    pairs = [(a[place][1].metrics, b[place][1].metrics) for place in both]
    if all(same(x[name], y[name]) for x, y in pairs for name in x if name in y):
        return replace(cell, change=ChangeKind.EQUAL)
    rule = trials[0][0].split_rule
    if rule.is_one_split or len({place[:2] for place in known}) < 2:
        return replace(cell, why=[*why, "one split decides nothing"])
    if rule.shares_test_rows:
        cell = replace(cell, why=[*why, "on these test rows"])
    of_a, of_b = (as_array({place: xy[side] for place, xy in known.items()}) for side in (0, 1))
    sizes: list[Any] = [(y["n_test"], y["n_train"]) for _, y in pairs]
    ratio = float(np.mean([n_test / n_train for n_test, n_train in sizes]))
    test = corrected_ttest(paired_differences(of_b, of_a).differences, ratio, LEVEL)
    return replace(cell, low=test.low, high=test.high, p=test.p)


def _why(a: Trial, b: Trial) -> list[str]:
    """Return the differences between trials of one cell, such as ``version 1 -> 2``."""
    found = differing(a, b)
    if a.split_rule.division == b.split_rule.division:
        found.pop("folds", None)
    return [
        _WORDS[name] if name in _WORDS else f"{name.removeprefix('method_')} {old} -> {new}"
        for name, (old, new) in found.items()
    ]


def same(a: Any, b: Any, tolerance: float = 0.0) -> bool:
    """Return whether two figures are equal, bit for bit (NaN is NaN) or within ``tolerance``."""
    if a == b or (a != a and b != b):
        return True
    numeric = isinstance(a, int | float) and isinstance(b, int | float)
    return numeric and tolerance > 0 and math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
