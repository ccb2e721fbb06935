"""Two results of the same experiment: what changed beyond noise, cell by cell, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import numbers
from boostbench.config.loading import recorded_config
from boostbench.engine.environment import differences
from boostbench.errors import ConfigError
from boostbench.papers import Paper, paper_of
from boostbench.papers.metrics import Metric, metric_of
from boostbench.plan.difference import differing
from boostbench.plan.trial import Trial
from boostbench.report.printed import printed_column, printed_value
from boostbench.report.runs import number_in, read_runs
from boostbench.stats import corrected_ttest, holm, paired_differences
from boostbench.store.store import Store
from boostbench.store.types import Outcome

LEVEL = 0.95
_WORDS = {"fingerprint": "data", "code": "its source"}
Cell = tuple[str, str]


class Change(StrEnum):
    """What became of a cell."""

    EQUAL = "equal bit for bit"
    EQUAL_SO_FAR = "equal in the runs of both"
    PRINTED = "same as printed"
    NOISE = "within noise"
    BETTER = "changed for the better"
    WORSE = "changed for the worse"
    UNKNOWN = "not judged"
    ONLY_A = "only in A"
    ONLY_B = "only in B"
    FAILED_A = "no finished run in A"
    FAILED_B = "no finished run in B"


@dataclass(frozen=True)
class CellChange:
    """One method on one data set in A and in B.

    ``runs`` counts the runs that both have of one fold and seed; ``a`` and ``b`` are means over
    these, ``low`` to ``high`` the 95 % interval of b - a for new rows of the same kind. ``p`` is
    adjusted by Holm's method over all cells with an interval. NaN where unknown.
    ``why`` names what differs between the trials of A and of B.
    """

    dataset: str
    method: str
    change: Change
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

    ``environments`` says how B's differs from A's, over all trials that both have.
    """

    metric: Metric
    cells: Sequence[CellChange]
    environments: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as values of JSON's types."""
        cells = [{**asdict(cell), "difference": cell.difference} for cell in self.cells]
        return {
            "metric": self.metric.name,
            "environments": list(self.environments),
            "cells": [{name: _finite(value) for name, value in cell.items()} for cell in cells],
        }

    def row(self, cell: CellChange) -> list[str]:
        """Return a cell in words, with the digits that show a difference, at least as printed."""
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


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def compare_folders(
    folders: Sequence[Path], metric: str | None = None, only: Sequence[str] = ()
) -> Comparison:
    """Compare the results in two folders, or in one with what it recorded before."""
    with ExitStack() as opened:
        stores = [
            opened.enter_context(Store.open(folder, create=False, read_only=True, only=only))
            for folder in folders
        ]
        return compare(stores[0], *stores[1:], metric=metric)


def compare(first: Store, second: Store | None = None, *, metric: str | None = None) -> Comparison:
    """Compare two stores, A and B, of which only finished runs count.

    ``metric`` is compared in place of the one that A's report shows. Without B, what the store
    recorded before (by other versions, parameters, data or code) is A, and what it has of its
    present plan is B. Raises ConfigError where nothing was recorded before.

    Runs are paired by data set, method, fold and seed; a cell counts as changed where the corrected
    resampled t-test over its folds refuses equality at 5 % after Holm's adjustment, and the means
    differ by what is printed. Runs that exploded are left out where the report leaves them out.
    Cells whose data or division into folds differ are not judged.
    """
    if second is None:
        a, b = _Side(first, _earlier(first)), _Side(first)
    else:
        a, b = _Side(first), _Side(second)
    experiment, paper = first.experiment(), _paper(first)
    task = next((trial.task for trial in (*a.trials, *b.trials)), "regression")
    compared = metric_of(task, paper, experiment, option=metric)
    if a.planned and b.planned and not a.planned.keys() & b.planned.keys():
        raise ConfigError("the two results have no data set and method in common")
    left_out = _left_out(first, compared) if paper is not None else set()
    cells = [
        _cell(key, a, b, compared, key in left_out)
        for key in dict.fromkeys([*a.planned, *b.planned])
    ]
    half_a_digit = 0.5 * 10.0**-compared.digits / compared.scale
    judged = [i for i, cell in enumerate(cells) if not np.isnan(cell.p)]
    for i, p in zip(judged, holm([cells[i].p for i in judged]) if judged else (), strict=True):
        gain = compared.sign * cells[i].difference
        change = Change.BETTER if gain > 0 else Change.WORSE
        if abs(gain) < half_a_digit:
            change = Change.PRINTED
        elif p >= 1 - LEVEL:
            change = Change.NOISE
        cells[i] = replace(cells[i], p=float(p), change=change)
    return Comparison(compared, cells, _environments(a, b))


class _Side:
    """The finished runs of one store, by cell and by fold and seed, and how many are planned."""

    def __init__(self, store: Store, trials: Sequence[Trial] | None = None) -> None:
        self.trials = store.part() if trials is None else trials
        self.ids = store.environment_ids()
        self.described = {name: store.environment(name) or {} for name in set(self.ids.values())}
        outcomes = store.outcomes()
        self.planned = Counter((trial.dataset, trial.method) for trial in self.trials)
        self.cells: dict[Cell, dict[tuple[int, int, int], tuple[Trial, Outcome]]] = {}
        for trial in self.trials:
            outcome = outcomes.get(trial.key)
            if outcome is not None and outcome.status == "ok":
                runs = self.cells.setdefault((trial.dataset, trial.method), {})
                runs[trial.split_seed, trial.fold, trial.seed] = trial, outcome


def _paper(store: Store) -> Paper | None:
    """Return the paper of the results, None where it is not at hand: no metric is its then."""
    config = recorded_config(store.experiment(), store.folder)
    try:
        return paper_of(store.experiment(), config.parent if config else None)
    except ConfigError:
        return None


def _earlier(store: Store) -> list[Trial]:
    """Return the trials of the planned cells that were recorded before, the last of each kind."""
    cells = {(trial.dataset, trial.method) for trial in store.part()}
    last = {
        (trial.dataset, trial.method, trial.split_seed, trial.fold, trial.seed): trial
        for trial in store.outside_plan({trial.key for trial in store.plan()})
        if (trial.dataset, trial.method) in cells
    }
    if not last:
        raise ConfigError(
            f"all that {store.path.parent} has recorded is of its present plan; name a second "
            "results folder to compare it with"
        )
    return list(last.values())


def _left_out(store: Store, metric: Metric) -> set[Cell]:
    """Return the cells whose means leave out runs that exploded, as the printed means do."""
    if metric.explodes_below is None:
        return set()
    runs = read_runs(store, metric.name)
    columns = [(method, printed_column(runs, method)) for method in runs.methods]
    return {
        (data.label, method.label)
        for data in runs.datasets
        for method, column in columns
        if (printed := printed_value(runs, method, data, column)) and printed.counted
    }


def _cell(key: Cell, a: _Side, b: _Side, metric: Metric, leave_out: bool) -> CellChange:
    left, right = a.cells.get(key, {}), b.cells.get(key, {})
    if not a.planned[key]:
        return CellChange(*key, Change.ONLY_B)
    if not left:
        return CellChange(*key, Change.FAILED_A, why=[f"{a.planned[key]:,} planned in A"])
    if not b.planned[key]:
        return CellChange(*key, Change.ONLY_A)
    if not right:
        return CellChange(*key, Change.FAILED_B, why=[f"{b.planned[key]:,} planned in B"])
    both = sorted(left.keys() & right.keys())
    why = _why(next(iter(left.values()))[0], next(iter(right.values()))[0])
    for name, finished in (("A", left), ("B", right)):
        if len(finished) > len(both):
            why.append(f"{len(finished) - len(both):,} of {len(finished):,} runs only in {name}")
    cell = CellChange(*key, Change.UNKNOWN, len(both), why=why)
    pairs = {place: (left[place][1].metrics, right[place][1].metrics) for place in both}
    known: dict[tuple[int, int, int], tuple[float, float]] = {}
    for place, (old, new) in pairs.items():
        x, y = number_in(old, metric.name), number_in(new, metric.name)
        if x is None or y is None or (leave_out and any(map(metric.exploded, (x, y)))):
            continue
        known[place] = x, y
    if not known:
        return replace(cell, why=[*why, f"no {metric.words} in common"])
    if any(
        left[place][0].fingerprint != right[place][0].fingerprint
        or left[place][0].split_rule.division != right[place][0].split_rule.division
        for place in both
    ):
        return cell
    means = np.mean(list(known.values()), axis=0)
    cell = replace(cell, runs=len(known), a=float(means[0]), b=float(means[1]))
    if not any(unequal(x, y) for x, y in pairs.values()):
        complete = len(both) == len(left) == len(right)
        return replace(cell, change=Change.EQUAL if complete else Change.EQUAL_SO_FAR)
    of_a, of_b = (_by_fold({place: xy[side] for place, xy in known.items()}) for side in (0, 1))
    if len(of_a) < 2:
        return replace(cell, why=[*why, "a single fold"])
    tested: list[Any] = [(new["n_test"], new["n_train"]) for _, new in pairs.values()]
    ratio = float(np.mean([n_test / n_train for n_test, n_train in tested]))
    test = corrected_ttest(paired_differences(of_b, of_a).differences, ratio, LEVEL)
    return replace(cell, low=test.low, high=test.high, p=test.p)


def _by_fold(scores: Mapping[tuple[int, int, int], float]) -> np.ndarray[Any, Any]:
    """Return values as an array of folds x seeds, NaN where there is none."""
    folds = sorted({place[:2] for place in scores})
    seeds = sorted({place[2] for place in scores})
    values = np.full((len(folds), len(seeds)), np.nan)
    for place, value in scores.items():
        values[folds.index(place[:2]), seeds.index(place[2])] = value
    return values


def _why(a: Trial, b: Trial) -> list[str]:
    """Return what differs between trials of one cell, such as ``version 1 -> 2``."""
    found = differing(a, b)
    if a.split_rule.division == b.split_rule.division:
        found.pop("folds", None)
    return [
        _WORDS[name] if name in _WORDS else f"{name.removeprefix('method_')} {old} -> {new}"
        for name, (old, new) in found.items()
    ]


def _environments(a: _Side, b: _Side) -> list[str]:
    pairs = {
        (a.ids[a.cells[key][place][0].key], b.ids[b.cells[key][place][0].key])
        for key in a.cells.keys() & b.cells.keys()
        for place in a.cells[key].keys() & b.cells[key].keys()
    }
    return sorted({text for i, j in pairs for text in differences(a.described[i], b.described[j])})


def equal(a: Any, b: Any) -> bool:
    """Return whether two figures are the same, bit for bit; NaN is the same as NaN."""
    return bool(a == b) or (a != a and b != b)


def unequal(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Return whether a metric that both outcomes have is not the same."""
    return any(not equal(a[name], b[name]) for name in a if name in b)
