"""The frame of runs: its columns, and how they are read from what was recorded."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.papers.metrics import Metric
from boostbench.store.types import MISSING, PlannedResults, PlannedTrials, Scalar
from boostbench.values import RUN

NO_SCORE = "without a score"
"""The status of a run that ended well and has no score in the report's metric."""
_NOTHING_CHOSEN: Mapping[str, object] = {}
_CURVES = (
    "objective",
    "train_error",
    "test_error",
    "train_r2",
    "test_r2",
    "fit_s",
    "solver_s",
)
_CHOSEN = "chosen_"
_Value = TypeVar("_Value")


class RunColumn(NamedTuple):
    """A column of the frame of runs; numbers that a run does not have are NaN.

    ``trial`` is the field of the trial from which it is, ``metric`` the recorded one; those without
    either are made of several, or named by the report's metric.
    """

    dtype: str
    meaning: str
    trial: str = ""
    metric: str = ""


COLUMNS = {
    "run": RunColumn("int64", "the number of the row, from 0"),
    "position": RunColumn("int64", "the place of its trial in the plan, from 0"),
    "trials": RunColumn("int64", "1, or how many trials of a split have not ended"),
    "dataset": RunColumn("str", "the label of its data set", trial="dataset"),
    "method": RunColumn("str", "the label of its method", trial="method"),
    "split_seed": RunColumn("int64", "the seed of the division of the rows", trial="split_seed"),
    "fold": RunColumn("int64", "the fold or the split, from 0", trial="fold"),
    "seed": RunColumn("int64", "the seed of the method", trial="seed"),
    "part": RunColumn("str", "what a fold is: fold or split", trial="part"),
    "one_split": RunColumn(
        "bool", "whether all splits of the data set have the same rows", trial="is_one_split"
    ),
    "windows": RunColumn(
        "bool",
        "whether splits train on rows on which earlier ones are tested",
        trial="trains_on_earlier_tests",
    ),
    "same_test_rows": RunColumn(
        "bool", "whether several training sets have one test set", trial="shares_test_rows"
    ),
    "groups": RunColumn("bool", "whether the rows are in groups, which are the units of tests"),
    "status": RunColumn("str", "ok, or why it has no score; only runs that are ok have more"),
    "reason": RunColumn("str", "why it has no score, in words"),
    "processor": RunColumn("str", "the processor on which it ran, or nothing"),
    "stop": RunColumn("str", "why the training ended, or nothing"),
    "chosen": RunColumn("object", "the parameters chosen on a part of the training rows, by name"),
    "clocked": RunColumn("bool", "whether the method has its own clock"),
    "score": RunColumn("float64", "the score in the report's metric"),
    "train": RunColumn("float64", "that score on the training rows"),
    "objective": RunColumn("float64", "the objective at the end", metric="objective"),
    "iterations": RunColumn("float64", "the iterations that were finished", metric="n_iter"),
    "fit_s": RunColumn("float64", "the seconds of its own clock, else the wall time of fit"),
    "solver_s": RunColumn("float64", "the seconds of its solver"),
    "choose_s": RunColumn("float64", "the seconds of the choice of parameters"),
    "n_rows": RunColumn("float64", "the rows of the data set"),
    "n_test": RunColumn("float64", "the rows that were tested", metric="n_test"),
    "n_train_groups": RunColumn("float64", "the training rows' groups", metric="n_train_groups"),
    "n_test_groups": RunColumn("float64", "the test rows' groups", metric="n_test_groups"),
}
"""The columns by name; every other number that was recorded has a column of its own name."""
DTYPES = {name: column.dtype for name, column in COLUMNS.items()}


def frame_of_runs(
    results: Iterable[PlannedResults], processors: Mapping[str, str], metric: Metric
) -> pd.DataFrame:
    """Return a row for each of the ``results``, in their order, of which many are read at once.

    ``processors`` are those of the environments, by their ids.
    """
    parts = [_part_of_runs(part, processors, metric) for part in results]
    none = pd.DataFrame(columns=[*DTYPES]).astype(DTYPES)
    runs = pd.concat(parts or [none], ignore_index=True)
    return runs.assign(run=runs.index)


def _part_of_runs(
    results: PlannedResults, processors: Mapping[str, str], metric: Metric
) -> pd.DataFrame:
    states = [
        _status(status, own, metric)
        for status, own in zip(results.status, results.metrics, strict=True)
    ]
    reasons = [
        _why_no_score(own, metric) if status == NO_SCORE else reason
        for status, reason, own in zip(states, results.reason, results.metrics, strict=True)
    ]
    recorded = _of_scored(results.metrics, states, {})
    metrics = _numbers(recorded)
    seconds = _numbers(_of_scored(results.times, states, {}))
    curves = _of_scored(results.time_curve, states, {})
    clocks = _numbers(list(map(_last_values, curves)))
    ran_on = _of_scored(results.environment_id, states, "")
    unknown = pd.Series(np.nan, metrics.index)
    own_clock = clocks.get("fit_s", unknown)
    rows = metrics.reindex(columns=["n_train", "n_test"]).sum(axis=1)
    recorded_columns = {
        name: metrics.get(column.metric, unknown)
        for name, column in COLUMNS.items()
        if column.metric
    }
    made = metrics.assign(
        **_places(results.planned),
        **recorded_columns,
        run=metrics.index,
        position=results.position,
        trials=results.trials,
        groups=recorded_columns["n_test_groups"].notna(),
        status=states,
        reason=reasons,
        processor=[processors.get(environment, "") for environment in ran_on],
        stop=[str(own.get("stop_reason") or "") for own in recorded],
        chosen=pd.Series(_chosen(recorded), dtype=object),
        clocked=own_clock.notna(),
        score=metrics.get(metric.name, unknown),
        train=metrics.get(f"train_{metric.name}", unknown),
        fit_s=own_clock.fillna(seconds.get("fit_s", unknown)),
        solver_s=clocks.get("solver_s", unknown),
        choose_s=seconds.get("choose_s", unknown),
        n_rows=rows.where(rows > 0),
    )
    return made.astype(DTYPES)


def _last_values(curves: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: values[-1] for name, values in curves.items() if values}


def _of_scored(values: Sequence[_Value], states: Sequence[str], nothing: _Value) -> list[_Value]:
    """Return a value of each run, ``nothing`` for one without a score."""
    return [
        value if status == "ok" else nothing for value, status in zip(values, states, strict=True)
    ]


def _numbers(runs: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return the recorded values of runs that are numbers by name, NaN where a run has none."""
    columns: dict[str, NDArray[np.float64]] = {}
    for name in dict.fromkeys(chain.from_iterable(runs)):
        values = [own.get(name) for own in runs]
        kinds = set(map(type, values))
        numbers = {kind for kind in kinds if issubclass(kind, int | float)}
        if kinds != numbers:
            values = [value if type(value) in numbers else math.nan for value in values]
        if numbers:
            columns[name] = np.array(values, dtype=np.float64)
    return pd.DataFrame(columns, index=range(len(runs)), dtype=float)


def _places(planned: PlannedTrials) -> dict[str, pd.Series]:
    """Return the columns that are fields of trials."""
    columns: dict[str, Sequence[object]] = {name: getattr(planned, name) for name in RUN}
    for name, column in COLUMNS.items():
        if column.trial and name not in RUN:
            columns[name] = planned.in_common(attrgetter(column.trial))
    return {name: pd.Series(values, dtype=DTYPES[name]) for name, values in columns.items()}


def curves_of(recorded: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Return the quantities of a run that reports show, one value per iteration each."""
    return {name: recorded[name] for name in _CURVES if recorded.get(name)}


def _status(status: str, metrics: Mapping[str, Scalar], metric: Metric) -> str:
    """Return the status of a run in the report: one without a score is not ok."""
    has_score = isinstance(metrics.get(metric.name), int | float)
    return NO_SCORE if status == "ok" and not has_score else status


def _why_no_score(metrics: Mapping[str, Scalar], metric: Metric) -> str:
    """Return why a run that ended well has no score, as far as it recorded that."""
    if why := metrics.get(metric.name + MISSING):
        return str(why)
    if metric.name in metrics:
        return f"the run recorded no {metric.words}"
    if metric.function:
        return f"the {metric.words} was asked for after the run"
    if not metric.is_measured:
        return f"no function measures the {metric.words}"
    return f"the run recorded no {metric.words}, as the method gives no probabilities"


def _chosen(runs: Sequence[Mapping[str, Scalar]]) -> list[Mapping[str, object]]:
    """Return the values of parameters that each run chose, by name."""
    recorded = set(chain.from_iterable(runs))
    names = {name for name in recorded if name.startswith(_CHOSEN)}
    if not names:
        # Most runs choose nothing, and share one mapping.
        return [_NOTHING_CHOSEN] * len(runs)
    return [_without_prefix(own, names) for own in runs]


def _without_prefix(own: Mapping[str, Scalar], names: Collection[str]) -> dict[str, object]:
    return {name.removeprefix(_CHOSEN): value for name, value in own.items() if name in names}
