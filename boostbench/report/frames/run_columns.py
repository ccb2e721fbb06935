"""The frame of runs: its columns, and how they are read from what was recorded."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from boostbench.papers.metrics import Metric
from boostbench.plan.trial import PlannedTrial, Trial
from boostbench.store.types import MISSING, PENDING, PlannedResult, Result
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
_AT_ONCE = 10_000
"""So many runs at a time are read as mappings."""


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


class _Numbers:
    """The numbers of runs by name, NaN where a run has none."""

    def __init__(self) -> None:
        self._runs: list[Mapping[str, object]] = []
        self._parts: list[pd.DataFrame] = []

    def add(self, values: Mapping[str, object]) -> None:
        """Take over those of the recorded ``values`` of the next run that are numbers."""
        self._runs.append(values)
        if len(self._runs) == _AT_ONCE:
            self._make_part()

    def _make_part(self) -> None:
        columns: dict[str, list[float]] = {}
        for name in dict.fromkeys(chain.from_iterable(self._runs)):
            values = [own.get(name) for own in self._runs]
            if any(isinstance(value, int | float) for value in values):
                columns[name] = [v if isinstance(v, int | float) else math.nan for v in values]
        self._parts.append(pd.DataFrame(columns, index=range(len(self._runs)), dtype=float))
        self._runs.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each run, a column for each name."""
        self._make_part()
        return pd.concat(self._parts, ignore_index=True)


class _Places:
    """The splits and seeds of runs, and the trials that they are like."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._likes: list[Trial] = []
        self._like_of = array("q")
        self._own = {name: array("q") for name in RUN}

    def add(self, planned: PlannedTrial) -> None:
        """Take over the place of the next run."""
        like = planned.like
        number = self._numbers.setdefault(id(like), len(self._likes))
        if number == len(self._likes):
            self._likes.append(like)
        self._like_of.append(number)
        for name, column in self._own.items():
            column.append(getattr(planned, name))

    @property
    def columns(self) -> dict[str, pd.Series]:
        """The columns that are fields of trials."""
        columns = {name: pd.Series(np.array(own)) for name, own in self._own.items()}
        like_of = np.array(self._like_of)
        for name, column in COLUMNS.items():
            if column.trial and column.trial not in RUN:
                # Trials that are alike have one value of it.
                values = [getattr(like, column.trial) for like in self._likes]
                of_likes = pd.Series(values, dtype=column.dtype)
                columns[name] = of_likes.take(like_of).reset_index(drop=True)
        return columns


def frame_of_runs(
    results: Iterable[PlannedResult], processors: Mapping[str, str], metric: Metric
) -> pd.DataFrame:
    """Return a row for each of the ``results``, in their order, which are read one by one.

    ``processors`` are those of the environments, by their ids.
    """
    metric_values = _Numbers()
    times = _Numbers()
    clocks = _Numbers()
    places = _Places()
    trials = array("q")
    states: list[str] = []
    reasons: list[str] = []
    run_on: list[str] = []
    stops: list[str] = []
    chosen: list[Mapping[str, object]] = []
    for planned, one, number in results:
        places.add(planned)
        trials.append(number)
        status = _status(one, metric)
        states.append(status)
        reasons.append(_reason(one, status, metric))
        ended = one if status == "ok" else PENDING
        metric_values.add(ended.metrics)
        times.add(ended.times)
        clocks.add({n: values[-1] for n, values in ended.time_curve.items() if values})
        run_on.append(processors.get(ended.environment_id, ""))
        stops.append(str(ended.metrics.get("stop_reason") or ""))
        chosen.append(_chosen(ended))
    metrics = metric_values.frame
    seconds = times.frame
    own = clocks.frame
    unknown = pd.Series(np.nan, metrics.index)
    own_clock = own.get("fit_s", unknown)
    rows = metrics.reindex(columns=["n_train", "n_test"]).sum(axis=1)
    recorded_columns = {
        name: metrics.get(column.metric, unknown)
        for name, column in COLUMNS.items()
        if column.metric
    }
    made = metrics.assign(
        **places.columns,
        **recorded_columns,
        run=metrics.index,
        trials=np.array(trials),
        groups=recorded_columns["n_test_groups"].notna(),
        status=states,
        reason=reasons,
        processor=run_on,
        stop=stops,
        chosen=pd.Series(chosen, dtype=object),
        clocked=own_clock.notna(),
        score=metrics.get(metric.name, unknown),
        train=metrics.get(f"train_{metric.name}", unknown),
        fit_s=own_clock.fillna(seconds.get("fit_s", unknown)),
        solver_s=own.get("solver_s", unknown),
        choose_s=seconds.get("choose_s", unknown),
        n_rows=rows.where(rows > 0),
    )
    return made.astype(DTYPES)


def curves_of(recorded: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Return the quantities of a run that reports show, one value per iteration each."""
    return {name: recorded[name] for name in _CURVES if recorded.get(name)}


def _status(result: Result, metric: Metric) -> str:
    """Return the status of a run in the report: one without a score is not ok."""
    has_score = isinstance(result.metrics.get(metric.name), int | float)
    return NO_SCORE if result.status == "ok" and not has_score else result.status


def _reason(result: Result, status: str, metric: Metric) -> str:
    """Return why a run has no score, as far as it recorded that; "" if it has one."""
    if status != NO_SCORE:
        return result.reason
    if why := result.metrics.get(metric.name + MISSING):
        return str(why)
    if metric.name in result.metrics:
        return f"the run recorded no {metric.words}"
    if metric.function:
        return f"the {metric.words} was asked for after the run"
    if not metric.is_measured:
        return f"no function measures the {metric.words}"
    return f"the run recorded no {metric.words}, as the method gives no probabilities"


def _chosen(result: Result) -> Mapping[str, object]:
    """Return the values of parameters that a run chose, by name."""
    own = {
        name.removeprefix(_CHOSEN): value
        for name, value in result.metrics.items()
        if name.startswith(_CHOSEN)
    }
    # The runs without any share one mapping.
    return own or _NOTHING_CHOSEN
