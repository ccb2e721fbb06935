"""Cells from runs: a method on a data set, with the printed value, and averages of such cells.

Every finished run counts, and methods are compared with one another over all of them. Only what
stands beside a printed mean, or a claim of the paper, is without the runs that exploded where the
printed mean leaves such runs out (:func:`runs_beside_print`).
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from boostbench.numbers import Setting, count_values, known
from boostbench.papers.metrics import Metric, average
from boostbench.report.frames.cell import Cell, MissingRuns, Spread, WithoutRun
from boostbench.report.frames.pairs import limit_of
from boostbench.report.frames.printed import Printed
from boostbench.report.frames.run_columns import NO_SCORE
from boostbench.report.frames.runs import in_folds, test_ratio
from boostbench.report.verdicts.on_print import with_verdict
from boostbench.stats import se_over_rows
from boostbench.suggest import counted, listing
from boostbench.values import RUN

LEAST_RUNS = 16
"""Of fewer runs, the farthest of normal ones often moves the mean by a quarter of their sd."""
PART = [*RUN[:2]]


def make_cell(
    dataset: str,
    method: str,
    runs: pd.DataFrame,
    done: pd.DataFrame,
    metric: Metric,
    printed: Printed | None,
) -> Cell:
    """Return the cell of the planned ``runs`` of a method on a data set; see ``Runs.runs``.

    Those of them that are ``done`` are as ``ended_well`` returns them.
    """
    # Most cells have lost no run, and each question to a frame takes a while.
    lost = runs[runs.status != "ok"] if len(done) < len(runs) else runs.iloc[:0]
    exploded = _exploded(done, metric)
    used = runs_beside_print(done, metric, printed)
    leaves_out = len(used) < len(done)
    all_runs = spread(done.score)
    without_exploded = spread(done.score[~metric.exploded(done.score)]) if exploded else all_runs
    compared = without_exploded if leaves_out else all_runs
    half = half_width(done)
    cell = Cell(
        row=dataset,
        method=method,
        planned=int(runs.trials.sum()),
        finished=len(done),
        fewer=_fewer_folds(runs, done),
        missing=_missing(runs, lost) if len(lost) else [],
        problem=_problem(lost, done, metric, compared),
        mean=all_runs.mean,
        sd=all_runs.sd,
        median=float(statistics.median(done.score)) if len(done) else None,
        exploded=exploded,
        kept_mean=without_exploded.mean,
        kept_sd=without_exploded.sd,
        leaves_out=leaves_out,
        compared=compared.mean,
        compared_sd=compared.sd,
        half_width=half,
        compared_half_width=half_width(used) if leaves_out else half,
        train=spread(done.train),
        objective=spread(done.objective),
        iterations=spread(done.iterations),
        fit_s=spread(done.fit_s),
        solver_s=spread(done.solver_s),
        choose_s=spread(done.choose_s),
        chosen=_chosen(done),
        stops=count_values(done.stop[done.stop != ""]),
    )
    if printed is not None:
        cell = beside_print(cell, printed)
    ratio = test_ratio(done)
    made = with_verdict(cell, used, ratio, metric)
    return replace(made, without=_without_run(made, used, ratio, metric))


def _without_run(cell: Cell, used: pd.DataFrame, ratio: float, metric: Metric) -> WithoutRun | None:
    """Return ``cell`` without the one of the runs ``used`` that is farthest from their mean."""
    if len(used) < LEAST_RUNS or cell.compared is None:
        return None
    scored = used.score.to_numpy(float)
    farthest = int(np.argmax(np.abs(scored - cell.compared)))
    others = used[np.arange(len(used)) != farthest]
    rest = spread(others.score)
    left = replace(cell, compared=rest.mean, compared_sd=rest.sd)
    left = with_verdict(left, others, ratio, metric)
    assert rest.mean is not None
    margin = metric.margin(rest.mean, rest.sd) if cell.margin is None else cell.margin
    return WithoutRun(
        dataset=cell.row,
        part=str(used.part.iloc[0]),
        run=used.index.tolist()[farthest],
        score=scored[farthest],
        cell=left,
        moves=abs(rest.mean - cell.compared) > margin,
    )


def average_cell(kind: str, cells: Sequence[Cell], datasets: int) -> Cell:
    """Return the average of the ``cells`` of one method, of so many ``datasets``."""

    def mean(value: Callable[[Cell], float | None]) -> float | None:
        return average(kind, map(value, cells))

    compared = mean(lambda cell: cell.compared)
    return Cell(
        row=f"{kind.capitalize()} mean",
        method="",
        average=kind,
        planned=datasets,
        finished=len(cells),
        problem=_why_no_average(cells) if compared is None else "",
        mean=mean(lambda cell: cell.mean),
        sd=mean(lambda cell: cell.sd),
        kept_mean=mean(lambda cell: cell.kept_mean),
        kept_sd=mean(lambda cell: cell.kept_sd),
        compared=compared,
        compared_sd=mean(lambda cell: cell.compared_sd),
        exploded=mean(lambda cell: cell.exploded) if kind == "arithmetic" else None,
        train=Spread(mean(lambda cell: cell.train.mean)),
        fit_s=Spread(mean(lambda cell: cell.fit_s.mean)),
        solver_s=Spread(mean(lambda cell: cell.solver_s.mean)),
    )


def _why_no_average(cells: Sequence[Cell]) -> str:
    if not cells:
        return "no finished run"
    worst = min(cells, key=lambda cell: math.inf if cell.compared is None else cell.compared)
    return f"{worst.dataset} is not positive"


def beside_print(cell: Cell, printed: Printed) -> Cell:
    """Return ``cell`` with a printed value beside it."""
    value = printed.value
    return replace(
        cell,
        printed=printed,
        published=known(value.mean),
        published_sd=known(value.sd),
        published_time_s=known(value.time_s),
        published_exploded=known(value.exploded_runs),
        published_table=value.table,
        not_comparable=printed.not_comparable,
        duplicate_of=printed.duplicate_of,
    )


def _exploded(done: pd.DataFrame, metric: Metric) -> int | None:
    """Return how many of the finished runs have exploded, ``None`` where that means nothing."""
    if metric.explodes_below is None or done.empty:
        return None
    return int(metric.exploded(done.score).sum())


def _problem(lost: pd.DataFrame, done: pd.DataFrame, metric: Metric, compared: Spread) -> str:
    """Return why there is no mean, or which runs have no score, "" if all have one."""
    if len(done) and compared.mean is None:
        return f"all {len(done)} runs have {metric.exploded_label}"
    statuses = Counter[str]()
    for status, trials in zip(lost.status, lost.trials, strict=True):
        statuses[status] += trials
    return ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))


def _fewer_folds(runs: pd.DataFrame, done: pd.DataFrame) -> str:
    """Return over how many of the planned folds or splits a mean is, "" where it is over all."""
    planned, finished = (
        len(set(zip(own.split_seed, own.fold, strict=True))) for own in (runs, done)
    )
    if not 0 < finished < planned:
        return ""
    return f"{finished} of {counted(planned, str(runs.part.iloc[0]))}"


def _missing(runs: pd.DataFrame, lost: pd.DataFrame) -> list[MissingRuns]:
    """Return the runs without a score, those with a missing one with their folds."""
    missing = []
    for (status, reason), own in lost.groupby(["status", "reason"]):
        where = f"{_places(runs, own)} " if status == NO_SCORE else ""
        missing.append(MissingRuns(str(status), f"{where}{reason}", int(own.trials.sum())))
    return missing


def _places(planned: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Return in which folds or splits ``runs`` are, with the split seeds if there are others."""
    part, several = str(runs.part.iloc[0]), planned.split_seed.any()
    places = runs[PART].drop_duplicates().sort_values(PART).itertuples(index=False)
    texts = [f"{seed}/{fold}" if several else str(fold) for seed, fold in places]
    if len(texts) == len(planned[PART].drop_duplicates()):
        return f"in all {counted(len(texts), part)}" if texts[1:] else f"in the only {part}"
    return f"in {part}{'s' if texts[1:] else ''} {listing(texts, 6)} (counted from 0)"


def runs_beside_print(runs: pd.DataFrame, metric: Metric, printed: Printed | None) -> pd.DataFrame:
    """Return the finished runs of a cell that count beside its printed mean: all, or those of it.

    A printed mean that leaves out the runs that exploded is compared with one that does, too.
    """
    leaves_out = printed is not None and printed.counted
    return runs[~metric.exploded(runs.score)] if leaves_out else runs


def spread(values: pd.Series) -> Spread:
    """Return the mean and the sample sd (n - 1) of the values that are known."""
    given = values.to_numpy(np.float64)
    numbers = given[~np.isnan(given)].tolist()
    return Spread(
        statistics.fmean(numbers) if numbers else None,
        statistics.stdev(numbers) if len(numbers) > 1 else None,
    )


def half_width(runs: pd.DataFrame) -> float | None:
    """Return half the width of the corrected resampled t-interval of the mean of finished runs.

    It is for new rows of the same kind. Seeds are averaged within folds, so that more seeds cannot
    make it shorter than the folds allow. ``None`` where fewer than two folds (or splits) have a
    finished run, their sizes are unknown, or their training rows are earlier test rows.
    """
    ratio, splits = test_ratio(runs), {index[:2] for index in runs.index}
    if not ratio or limit_of(len(splits), bool(runs.windows.any())):
        return None
    return known(se_over_rows(in_folds(runs.score), ratio).half_width())


def _chosen(done: pd.DataFrame) -> dict[str, dict[Setting, int]]:
    """Return how often each value of a parameter was chosen, by parameter."""
    counts = {}
    for name in dict.fromkeys(name for chosen in done.chosen for name in chosen):
        counts[name] = count_values(chosen.get(name) for chosen in done.chosen)
    return counts
