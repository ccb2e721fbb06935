"""The frame of runs: its columns, and how they are read from what was recorded."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.papers.metrics import Metric
from boostbench.plan.trial import Trial
from boostbench.store.types import MISSING, Outcome

NO_SCORE = "without a score"
"""The status of a run that ended well and has no score in the report's metric."""
PENDING = Outcome("pending")
"""The outcome of a run that has not ended."""
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
    "run": RunColumn("int64", "the number of the run in the plan, from 0"),
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
    planned: Sequence[Trial],
    outcomes: Sequence[Outcome],
    processors: Sequence[str],
    metric: Metric,
) -> pd.DataFrame:
    """Return the runs of a plan, in its order, with their outcomes and processors."""
    states = [_status(one, metric) for one in outcomes]
    ended = [one if _status(one, metric) == "ok" else PENDING for one in outcomes]
    metrics = _numbers(map(attrgetter("metrics"), ended))
    times = _numbers(map(attrgetter("times"), ended))
    clocks = _numbers(map(_last_values, ended))
    unknown = pd.Series(np.nan, metrics.index)
    own_clock = clocks.get("fit_s", unknown)
    rows = metrics.reindex(columns=["n_train", "n_test"]).sum(axis=1)
    planned_columns = {
        name: [*map(attrgetter(column.trial), planned)]
        for name, column in COLUMNS.items()
        if column.trial
    }
    recorded_columns = {
        name: metrics.get(column.metric, unknown)
        for name, column in COLUMNS.items()
        if column.metric
    }
    made = metrics.assign(
        **planned_columns,
        **recorded_columns,
        run=metrics.index,
        groups=recorded_columns["n_test_groups"].notna(),
        status=states,
        reason=[_reason(one, metric) for one in outcomes],
        processor=np.where(np.array(states) == "ok", processors, ""),
        stop=[*map(_stop_reason, ended)],
        chosen=pd.Series([*map(_chosen, ended)], dtype=object),
        clocked=own_clock.notna(),
        score=metrics.get(metric.name, unknown),
        train=metrics.get(f"train_{metric.name}", unknown),
        fit_s=own_clock.fillna(times.get("fit_s", unknown)),
        solver_s=clocks.get("solver_s", unknown),
        choose_s=times.get("choose_s", unknown),
        n_rows=rows.where(rows > 0),
    )
    return made.astype(DTYPES)


def curves_of(outcome: Outcome) -> dict[str, Sequence[float]]:
    """Return the recorded quantities of a finished run, one value per iteration each."""
    if outcome.status != "ok":
        return {}
    curve = {**(outcome.curve or {}), **(outcome.time_curve or {})}
    return {name: curve[name] for name in _CURVES if curve.get(name)}


def _last_values(outcome: Outcome) -> dict[str, float]:
    """Return the last value of each recorded quantity of a run."""
    return {name: values[-1] for name, values in curves_of(outcome).items()}


def _numbers(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return the numbers in ``rows`` as columns, NaN where a row does not have one."""
    return pd.DataFrame([*map(numbers_in, rows)])


def numbers_in(values: Mapping[str, object]) -> dict[str, float]:
    """Return those of recorded values that are numbers."""
    return {name: float(value) for name, value in values.items() if isinstance(value, int | float)}


def _status(outcome: Outcome, metric: Metric) -> str:
    """Return the status of a run in the report: one without a score is not ok."""
    has_score = isinstance(outcome.metrics.get(metric.name), int | float)
    return NO_SCORE if outcome.status == "ok" and not has_score else outcome.status


def _reason(outcome: Outcome, metric: Metric) -> str:
    """Return why a run has no score, as far as it recorded that; "" if it has one."""
    if _status(outcome, metric) != NO_SCORE:
        return outcome.reason
    if why := outcome.metrics.get(metric.name + MISSING):
        return str(why)
    if metric.name in outcome.metrics:
        return f"the run recorded no {metric.words}"
    if metric.function:
        return f"the {metric.words} was asked for after the run"
    if not metric.is_measured:
        return f"no function measures the {metric.words}"
    return f"the run recorded no {metric.words}, as the method gives no probabilities"


def _stop_reason(outcome: Outcome) -> str:
    return str(outcome.metrics.get("stop_reason") or "")


def _chosen(outcome: Outcome) -> dict[str, object]:
    """Return the values of parameters that a run chose, by name."""
    return {
        name.removeprefix(_CHOSEN): value
        for name, value in outcome.metrics.items()
        if name.startswith(_CHOSEN)
    }
