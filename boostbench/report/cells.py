"""A cell: one method on one data set over all its runs, with the printed value."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import scipy

from boostbench.numbers import count_values
from boostbench.papers.metrics import Metric
from boostbench.report.evidence import evidence, test_ratio
from boostbench.report.printed import Printed
from boostbench.report.runs import NO_SCORE, ended_well, scores
from boostbench.stats import se_over_rows
from boostbench.suggest import counted, listing

CELL = "cell"
LEVEL = 0.95
PRINTED = {
    "mean": "published", "sd": "published_sd", "time_s": "published_time_s",
    "exploded_runs": "published_exploded",
}  # fmt: skip
"""The figures that may be printed for a cell or an average, and their columns."""
PART = ["split_seed", "fold"]
_SPREADS = ("train", "objective", "iterations", "fit_s", "solver_s", "choose_s")


def make_cell(
    dataset: str, method: str, runs: pd.DataFrame, metric: Metric, printed: Printed | None
) -> dict[str, object]:
    """Return the cell of the planned ``runs`` of a method on a data set."""
    done = ended_well(runs)
    unknown = metric.explodes_below is None or done.empty
    count = math.nan if unknown else int(metric.exploded(done.score).sum())
    leaves_out = bool(count > 0 and printed is not None and printed.counted)
    used, failed = kept(done, metric, leaves_out), runs[runs.status != "ok"]
    mean, sd = spread(done.score)
    kept_mean, kept_sd = spread(kept(done, metric, leave_out=True).score)
    compared, compared_sd = (kept_mean, kept_sd) if leaves_out else (mean, sd)
    chosen = _chosen(done)
    found: dict[str, Any] = {
        "row": CELL, "kind": "", "common": (), "dataset": dataset, "method": method,
        "planned": len(runs), "finished": len(done), "fewer": _fewer_folds(runs, done),
        "mean": mean, "sd": sd,
        "median": statistics.median(done.score) if len(done) else math.nan,
        "exploded": count, "kept_mean": kept_mean, "kept_sd": kept_sd,
        "compared": compared, "compared_sd": compared_sd, "leaves_out": leaves_out,
        "half_width": half_width(used),
    }  # fmt: skip
    for name in _SPREADS:
        found[f"{name}_mean"], found[f"{name}_sd"] = spread(done[name])
    value = printed.value if printed else None
    found |= {
        "chosen": chosen,
        "mixed": any(len(counts) > 1 for counts in chosen.values()),
        "stops": count_values(stop for stop in done.stop if stop),
        "missing": _missing(runs),
        "problem": f"all {len(done)} runs have {metric.exploded_label}"
        if leaves_out and math.isnan(kept_mean)
        else ", ".join(f"{n} {status}" for status, n in sorted(Counter(failed.status).items())),
        "printed": printed,
        **{title: known(getattr(value, name, None)) for name, title in PRINTED.items()},
        "published_table": value.table if value else "",
        "not_comparable": printed.not_comparable if printed else "",
        "about_print": (),
        "repeats": printed.repeats if printed else "",
    }
    judged = evidence(used, test_ratio(done), metric, printed)
    difference = math.nan if math.isnan(judged["margin"]) else compared - found["published"]
    return found | {"difference": difference} | judged


def _fewer_folds(runs: pd.DataFrame, done: pd.DataFrame) -> str:
    """Return over how many of the planned folds or splits a mean is, "" where it is over all."""
    planned, finished = (len(own[PART].drop_duplicates()) for own in (runs, done))
    if not 0 < finished < planned:
        return ""
    return f"{finished} of {counted(planned, str(runs.part.iloc[0]))}"


def _missing(runs: pd.DataFrame) -> list[tuple[str, str, int]]:
    """Return (status, reason, runs) of the runs without a score, a missing one with its folds."""
    found = []
    for (status, reason), own in runs[runs.status != "ok"].groupby(["status", "reason"]):
        where = f"{_places(runs, own)} " if status == NO_SCORE else ""
        found.append((str(status), f"{where}{reason}", len(own)))
    return found


def _places(planned: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Return in which folds or splits ``runs`` are, with the split seeds if there are others."""
    part, several = str(runs.part.iloc[0]), planned.split_seed.any()
    places = runs[PART].drop_duplicates().sort_values(PART).itertuples(index=False)
    texts = [f"{seed}/{fold}" if several else str(fold) for seed, fold in places]
    if len(texts) == len(planned[PART].drop_duplicates()):
        return f"in all {counted(len(texts), part)}" if texts[1:] else f"in the only {part}"
    return f"in {part}{'s' if texts[1:] else ''} {listing(texts, 6)} (counted from 0)"


def missing_text(entries: Iterable[tuple[str, str, int]]) -> str:
    """Return how many runs of a cell have no result, and why."""
    return "; ".join(f"{n} {status}: {why}".removesuffix(": ") for status, why, n in entries)


def kept(runs: pd.DataFrame, metric: Metric, leave_out: bool) -> pd.DataFrame:
    """Return the ``runs`` that have not exploded, or all unless these are to be left out."""
    return runs[~metric.exploded(runs.score)] if leave_out else runs


def spread(values: Iterable[float]) -> tuple[float, float]:
    """Return the mean and the sample sd (n - 1) of the values that are known, else NaN."""
    own = [float(value) for value in values if value is not None and not math.isnan(value)]
    mean = statistics.fmean(own) if own else math.nan
    return mean, statistics.stdev(own) if own[1:] else math.nan


def half_width(runs: pd.DataFrame) -> float:
    """Return half the width of the corrected resampled t-interval of the mean of finished runs.

    It is for new rows of the same kind. Seeds are averaged within folds, so that more seeds cannot
    make it shorter than the folds allow. NaN where fewer than two folds (or splits) have a finished
    run, or their sizes are unknown.
    """
    ratio = test_ratio(runs)
    if len({index[:2] for index in runs.index}) < 2 or not ratio:
        return math.nan
    found = se_over_rows(scores(runs), ratio)
    return float(scipy.special.stdtrit(found.df, 0.5 + LEVEL / 2)) * found.se


def _chosen(done: pd.DataFrame) -> dict[str, Mapping[Any, int]]:
    names = dict.fromkeys(name for chosen in done.chosen for name in chosen)
    return {name: count_values(chosen.get(name) for chosen in done.chosen) for name in names}


def known(value: float | None) -> float:
    """Return a value, NaN for an unknown one."""
    return math.nan if value is None else float(value)
