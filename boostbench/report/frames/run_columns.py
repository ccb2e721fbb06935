"""The frame of runs: its columns, and how they are read from what was recorded."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.papers.metrics import Metric
from boostbench.plan.trial import LABELS, Trial
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
    """A column of the frame of runs; numbers that a run does not have are NaN."""

    dtype: str
    meaning: str


COLUMNS = {
    "run": RunColumn("int64", "the number of the run in the plan, from 0"),
    "dataset": RunColumn("str", "the label of its data set"),
    "method": RunColumn("str", "the label of its method"),
    "split_seed": RunColumn("int64", "the seed of the division of the rows"),
    "fold": RunColumn("int64", "the fold or the split, from 0"),
    "seed": RunColumn("int64", "the seed of the method"),
    "part": RunColumn("str", "what a fold is: fold or split"),
    "one_split": RunColumn("bool", "whether all splits of the data set have the same rows"),
    "windows": RunColumn("bool", "whether splits train on rows on which earlier ones are tested"),
    "same_test_rows": RunColumn("bool", "whether several training sets have one test set"),
    "groups": RunColumn("bool", "whether the rows are in groups, which are the units of tests"),
    "status": RunColumn("str", "ok, or why it has no score; only runs that are ok have more"),
    "reason": RunColumn("str", "why it has no score, in words"),
    "processor": RunColumn("str", "the processor on which it ran, or nothing"),
    "stop": RunColumn("str", "why the training ended, or nothing"),
    "chosen": RunColumn("object", "the parameters chosen on a part of the training rows, by name"),
    "clocked": RunColumn("bool", "whether the method has its own clock"),
    "score": RunColumn("float64", "the score in the report's metric"),
    "train": RunColumn("float64", "that score on the training rows"),
    "objective": RunColumn("float64", "the objective of the training at its end"),
    "iterations": RunColumn("float64", "the iterations that the training finished"),
    "fit_s": RunColumn("float64", "the seconds of its own clock, else the wall time of fit"),
    "solver_s": RunColumn("float64", "the seconds of its solver"),
    "choose_s": RunColumn("float64", "the seconds of the choice of parameters"),
    "n_rows": RunColumn("float64", "the rows of the data set"),
    "n_test": RunColumn("float64", "the rows that were tested"),
    "n_train_groups": RunColumn("float64", "the groups of the training rows, if there are groups"),
    "n_test_groups": RunColumn("float64", "the groups of the test rows, if there are groups"),
}
"""The columns by name; every other number that was recorded has a column of its own name."""


def frame_of_runs(
    planned: Sequence[Trial],
    outcomes: Sequence[Outcome],
    processors: Sequence[str],
    metric: Metric,
) -> pd.DataFrame:
    """Return the runs of a plan, in its order, with their outcomes and processors."""
    states = [_status(one, metric) for one in outcomes]
    ended = [one if state == "ok" else PENDING for one, state in zip(outcomes, states, strict=True)]
    metrics = _numbers(one.metrics for one in ended)
    times = _numbers(one.times for one in ended)
    clocks = _numbers(_last_values(one) for one in ended)
    unknown = pd.Series(np.nan, metrics.index)
    own_clock = clocks.get("fit_s", unknown)
    rows = metrics.reindex(columns=["n_train", "n_test"]).sum(axis=1)
    made = metrics.assign(
        **{name: [getattr(trial, name) for trial in planned] for name in LABELS},
        run=metrics.index,
        part=["fold" if trial.makes_folds else "split" for trial in planned],
        one_split=[trial.is_one_split for trial in planned],
        windows=[trial.trains_on_earlier_tests for trial in planned],
        same_test_rows=[trial.shares_test_rows for trial in planned],
        groups=metrics.get("n_test_groups", unknown).notna(),
        status=states,
        reason=[_reason(one, metric) for one in outcomes],
        processor=pd.Series(processors, dtype="str").where(np.array(states) == "ok", ""),
        stop=[str(one.metrics.get("stop_reason") or "") for one in ended],
        chosen=pd.Series([_chosen(one) for one in ended], dtype=object),
        clocked=own_clock.notna(),
        score=metrics.get(metric.name, unknown),
        train=metrics.get(f"train_{metric.name}", unknown),
        iterations=metrics.get("n_iter", unknown),
        fit_s=own_clock.fillna(times.get("fit_s", unknown)),
        solver_s=clocks.get("solver_s", unknown),
        choose_s=times.get("choose_s", unknown),
        n_rows=rows.where(rows > 0),
    )
    not_recorded = {name: unknown for name in COLUMNS if name not in made}
    dtypes = {name: column.dtype for name, column in COLUMNS.items()}
    return made.assign(**not_recorded).astype(dtypes)


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
    return f"the run recorded no {metric.words}, as the method gives no probabilities"


def _chosen(outcome: Outcome) -> dict[str, object]:
    """Return the values of parameters that a run chose, by name."""
    return {
        name.removeprefix(_CHOSEN): value
        for name, value in outcome.metrics.items()
        if name.startswith(_CHOSEN)
    }
