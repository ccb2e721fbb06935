"""Two results of the same experiment: the changes beyond noise, cell by cell, and their causes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd

from boostbench import numbers
from boostbench.engine.environment import differences
from boostbench.errors import ConfigError
from boostbench.experiment.before_edit import Side
from boostbench.papers.metrics import Metric
from boostbench.plan.difference import difference_of_trials
from boostbench.plan.trial import Trial
from boostbench.report.frames.pairs import ALPHA, PairVerdict, holm, tested
from boostbench.report.frames.run_columns import frame_of_runs
from boostbench.report.frames.runs import (
    by_cell,
    ended_well,
    in_folds,
    read_runs,
    test_ratio,
)
from boostbench.store.store import Store
from boostbench.store.types import Scalar
from boostbench.values import RUN

CellKey = tuple[str, str]
_LIMITS: Mapping[str, str] = {
    PairVerdict.ONE_SPLIT: "one split decides nothing",
    PairVerdict.WINDOWS: "splits that train on earlier test rows decide nothing",
}


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
    ``low`` to ``high`` the 95 % interval of b - a for new rows of the same kind, ``p`` that of the
    test. ``p_adjusted`` is it after Holm's adjustment for the ``comparisons`` of all cells with an
    interval, NaN where there is one. NaN where unknown.
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
    comparisons: int = 1
    p_adjusted: float = np.nan
    why: Sequence[str] = ()

    @property
    def difference(self) -> float:
        """The mean of B minus that of A."""
        return self.b - self.a

    def as_json(self) -> dict[str, object]:
        """Return the cell as values of JSON's types."""
        values = {**asdict(self), "difference": self.difference}
        return {name: numbers.finite(value) for name, value in values.items()}


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
        return {
            "metric": self.metric.name,
            "environments": list(self.environments),
            "cells": [c.as_json() for c in self.cells],
        }

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


def compare(
    a: Path | Side, b: Path | Side, metric: str | None = None, only: Sequence[str] = ()
) -> Comparison:
    """Compare the finished runs in two results folders, A and B, as they are or before an edit.

    ``metric`` is compared in place of the one that A's report shows. Raises ConfigError where they
    have no data set and method in common.

    Runs are paired by data set, method, fold and seed; a cell counts as changed where the corrected
    resampled t-test over its folds rejects equality at 5 % after Holm's adjustment, and the means
    differ as printed. All finished runs count, also those that a mean beside print leaves out.
    Cells whose data or division into folds differ are not judged.
    """
    with (
        _side(a).read(only) as first,
        _side(b).read(only) as second,
    ):
        shown = read_runs(first, metric).metric
        left, right = _finished(first, shown), _finished(second, shown)
        changed = _changed_environments(first, second)
    if left and right and not left.keys() & right.keys():
        raise ConfigError("the two results have no data set and method in common")
    none = pd.DataFrame()
    cells = [
        _cell(key, left.get(key, none), right.get(key, none), shown)
        for key in dict.fromkeys([*left, *right])
    ]
    return Comparison(shown, _adjusted(cells, shown), changed)


def _side(given: Path | Side) -> Side:
    return given if isinstance(given, Side) else Side(given)


def _changed_environments(first: Store, second: Store) -> list[str]:
    """Return how the environments that only the second store has differ from the first's."""
    here, there = first.environments().values(), second.environments().values()
    new = [environment for environment in there if environment not in here]
    return sorted({text for now in new for then in here for text in differences(then, now)})


def _adjusted(cells: Sequence[CellChange], metric: Metric) -> list[CellChange]:
    """Return the cells with p adjusted for all that have one, and judged by it."""
    family = pd.Series([cell.p for cell in cells]).dropna()
    made = list(cells)
    for place, p in zip(family.index, holm(family), strict=True):
        cell = replace(cells[place], comparisons=len(family), p_adjusted=p)
        made[place] = _judged(cell, metric)
    return made


def _judged(cell: CellChange, metric: Metric) -> CellChange:
    gain = metric.sign * cell.difference
    half_a_digit = 0.5 * 10.0**-metric.digits / metric.scale
    p = cell.p if np.isnan(cell.p_adjusted) else cell.p_adjusted
    if p >= ALPHA or abs(gain) < half_a_digit:
        return replace(cell, change=ChangeKind.NOISE)
    return replace(cell, change=ChangeKind.BETTER if gain > 0 else ChangeKind.WORSE)


def _finished(store: Store, metric: Metric) -> Mapping[CellKey, pd.DataFrame]:
    """Return the runs of each planned cell that ended well, with their trials and metrics."""
    known = list(store.results())
    runs = frame_of_runs(known, {}, metric)
    trials = [planned.trial for results in known for planned in results.planned.each]
    metrics = [own for results in known for own in results.metrics]
    ended = [status == "ok" for results in known for status in results.status]
    runs = runs.assign(
        trial=pd.Series(trials, dtype=object), metrics=pd.Series(metrics, dtype=object), ended=ended
    )
    groups = by_cell(runs.set_index([*RUN], drop=False))
    return {key: own[own.ended] for key, own in groups.items()}


def _cell(key: CellKey, a: pd.DataFrame, b: pd.DataFrame, metric: Metric) -> CellChange:
    if a.empty:
        return CellChange(*key, ChangeKind.UNKNOWN if b.empty else ChangeKind.ONLY_B)
    if b.empty:
        return CellChange(*key, ChangeKind.ONLY_A)
    both = a.add_suffix("_a").join(b.add_suffix("_b"), how="inner").sort_index()
    why = [*_why(a.trial.iloc[0], b.trial.iloc[0]), *_only_in_one(a, b)]
    cell = CellChange(*key, ChangeKind.UNKNOWN, len(both), why=why)
    scored = both.dropna(subset=["score_a", "score_b"])
    if scored.empty:
        return replace(cell, why=[*why, f"no {metric.words} in common"])
    if any(map(_is_divided_otherwise, both.trial_a, both.trial_b)):
        return cell
    means = np.mean([*zip(scored.score_a, scored.score_b, strict=True)], axis=0)
    cell = replace(cell, runs=len(scored), a=float(means[0]), b=float(means[1]))
    if all(map(_has_same_metrics, both.metrics_a, both.metrics_b)):
        return replace(cell, change=ChangeKind.EQUAL)
    return _tested(cell, ended_well(a.loc[scored.index]), ended_well(b.loc[scored.index]))


def _only_in_one(a: pd.DataFrame, b: pd.DataFrame) -> Iterator[str]:
    """Yield how many runs only A, and only B, has."""
    for name, own, other in (("A", a.index, b.index), ("B", b.index, a.index)):
        if len(only := own.difference(other)):
            yield f"{len(only):,} of {len(own):,} runs only in {name}"


def _is_divided_otherwise(a: Trial, b: Trial) -> bool:
    of_a, of_b = ((each.fingerprint, each.split_rule.division, each.rows) for each in (a, b))
    return of_a != of_b


def _has_same_metrics(a: Mapping[str, Scalar], b: Mapping[str, Scalar]) -> bool:
    return all(same(a[name], b[name]) for name in a if name in b)


def _tested(cell: CellChange, a: pd.DataFrame, b: pd.DataFrame) -> CellChange:
    """Return a cell with its interval and p, before their adjustment, if splits allow that."""
    windows = bool(a.windows.any())
    test = tested(in_folds(b.score), in_folds(a.score), test_ratio(b), windows, sign=1)
    why = _LIMITS.get(test.limit) or ("on these test rows" if a.same_test_rows.any() else "")
    said = [*cell.why, why] if why else cell.why
    return replace(cell, low=test.low, high=test.high, p=test.p, why=said)


def _why(a: Trial, b: Trial) -> list[str]:
    """Return the differences between trials of one cell, such as ``version 1 -> 2``."""
    same_division = a.split_rule.division == b.split_rule.division
    return [
        str(change)
        for change in difference_of_trials(a, b)
        if not (same_division and change.name == "folds")
    ]


def same(a: object, b: object, tolerance: float = 0.0) -> bool:
    """Return whether two figures are equal, bit for bit (NaN is NaN) or within ``tolerance``."""
    if a == b or (a != a and b != b):
        return True
    if not (isinstance(a, int | float) and isinstance(b, int | float)):
        return False
    return tolerance > 0 and math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
