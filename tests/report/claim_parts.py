"""Experiments of many runs made by hand, for the judging of claims, without a store on disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from report_parts import EXPERIMENT, Memory, trial

from boostbench.papers import get_paper
from boostbench.papers.claims import read_claims
from boostbench.papers.judge import Judged, judge
from boostbench.report.claims import Ledger, evidence_of, make_ledger
from boostbench.report.results import Results, collect
from boostbench.store.types import Outcome

SRT = get_paper("srt")
FOLDS, SEEDS = 4, 20


@dataclass(frozen=True)
class Measured:
    """The runs of a cell: ``scores`` (partitions, folds, seeds), NaN where one did not finish.

    ``method`` is the registered one if it is not the label, ``params`` replace some of its own.
    ``processor`` is a name for all runs, or one per run.
    """

    scores: NDArray[np.float64]
    fit_s: float | NDArray[np.float64] | None = 1.0
    method: str = ""
    params: Mapping[str, Any] | None = None
    processor: Any = ""


def of(scores: ArrayLike, fit_s: Any = 1.0, **more: Any) -> Measured:
    """Return the runs of ``scores``, (folds, seeds) or (partitions, folds, seeds)."""
    array = np.asarray(scores, dtype=np.float64)
    return Measured(array if array.ndim == 3 else array[None], fit_s, **more)


def spread(
    mean: float,
    sd: float = 0.01,
    fit_s: Any = 1.0,
    exploded: int = 0,
    folds: int = FOLDS,
    seeds: int = SEEDS,
    between: Sequence[float] = (0.0,),
    **more: Any,
) -> Measured:
    """Return runs of exactly this mean and sample sd, beside ``exploded`` ones of R2 = -1.

    Every fold has the same mean, to which ``between`` adds, fold by fold in turn.
    """
    scores = np.full((folds, seeds), -1.0)
    lost = [exploded // folds + (fold < exploded % folds) for fold in range(folds)]
    steps = [np.arange(seeds - out) - (seeds - out - 1) / 2 for out in lost]
    own = np.sqrt(
        sum(float(np.sum(each**2)) for each in steps) / max(1, folds * seeds - exploded - 1)
    )
    for fold, each in enumerate(steps):
        scores[fold, lost[fold] :] = mean + (sd / own * each if own else 0.0)
    return of(scores + np.resize(between, folds)[:, None], fit_s, **more)


def results_of(
    cells: Mapping[tuple[str, str], Measured],
    depth: int = 3,
    of_folds: int = FOLDS,
    **experiment: Any,
) -> Results:
    """Return the results of an experiment on trees with these cells, (data set, label).

    The rows are divided into ``of_folds`` folds, whether or not there are runs of all of them.
    """
    planned, recorded, where = [], {}, {}
    for (dataset, label), runs in cells.items():
        fit_s = np.broadcast_to(np.nan if runs.fit_s is None else runs.fit_s, runs.scores.shape)
        processors = np.broadcast_to(runs.processor, runs.scores.shape)
        model = trial(dataset, runs.method or label, 0, depth)
        model = replace(model, method=label, params={**model.params, **(runs.params or {})})
        for place in np.ndindex(*runs.scores.shape):
            one = replace(model, folds=of_folds, split_seed=place[0], fold=place[1], seed=place[2])
            planned.append(one)
            if not np.isnan(score := float(runs.scores[place])):
                times = {} if runs.fit_s is None else {"fit_s": float(fit_s[place])}
                metrics = {"r2": score, "n_train": 231, "n_test": 77}
                recorded[one.key] = Outcome("ok", metrics=metrics, times=times)
                where[one.key] = str(processors[place])
    names = dict.fromkeys(dataset for dataset, _ in cells)
    entries = {label: runs.method for (_, label), runs in cells.items() if runs.method}
    experiment.setdefault("datasets", [{"name": name, "card": name} for name in names])
    if entries:
        named = [{"name": label, "method": method} for label, method in entries.items()]
        experiment.setdefault("methods", named)
    places = {name: {"cpu": name} for name in set(where.values())}
    settings = {**EXPERIMENT, "folds": of_folds, "seeds": SEEDS, **experiment}
    return collect(Memory(planned, recorded, settings, places, where))


def ledger_of(*several: Results) -> Ledger:
    ledger = make_ledger(several)
    assert ledger is not None
    return ledger


def judged_as(name: str, cells: Mapping[tuple[str, str], Measured], depth: int = 3) -> Judged:
    """Return the verdict on a claim by one experiment, by the reading meant as the paper's."""
    return verdict_on(name, results_of(cells, depth))


def verdict_on(name: str, *several: Results) -> Judged:
    """Return the verdict on a claim by several experiments."""
    claim = next(claim for claim in read_claims(SRT) if claim.id == name)
    return judge(claim, "as described", {}, evidence_of(SRT, several))


_PRINTED = (
    "srt", "srt_l2", "ort_l", "orrt", "ort_l_grid", "ort_lh", "random_forest", "orrt_best",
)  # fmt: skip


@cache
def as_printed(depth: int) -> Results:
    """Return an experiment whose 80 runs of each cell have exactly what the paper prints."""
    cells = {}
    for method in _PRINTED:
        column = SRT.column(method, depth)
        assert column is not None
        for name in column.datasets:
            cell = column.cells[name]
            cells[name, method] = spread(
                cell.mean, cell.sd or 0.0, cell.time_s, int(cell.exploded_runs or 0)
            )
    return results_of(cells, depth)
