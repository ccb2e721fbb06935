"""Columns that say something of the rows and are no features: groups, times and weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data.class_labels import as_labels
from boostbench.data.columns import texts_of
from boostbench.data.dataset import Floats, codes_of
from boostbench.data.dates import NO_DATE, WrongDates, read_dates
from boostbench.data.doubts import date_sentinels, number_sentinels
from boostbench.data.options import DatasetOptions
from boostbench.data.problems import quoted
from boostbench.data.table import TEXT, Table, is_text
from boostbench.errors import DataError, UnknownColumnError
from boostbench.suggest import counted

_NOUNS = {"group": "group", "time": "time", "weights": "weight"}


@dataclass(frozen=True)
class RowColumns:
    """What a :class:`boostbench.data.dataset.Dataset` has of each row beside X and y.

    ``doubts`` are sentences on values that may stand for a missing one.
    """

    groups: NDArray[np.int64] | None = None
    times: NDArray[np.int64] | None = None
    weights: Floats | None = None
    doubts: Sequence[str] = ()

    def remarks(self, options: DatasetOptions) -> list[str]:
        """Return sentences on the groups and times, if there are any, and the doubts."""
        parts = []
        if self.groups is not None:
            sizes = np.bincount(self.groups)
            rows = counted(int(sizes.max()), "row")
            rows = f"{sizes.min():,} to {rows}" if sizes.min() < sizes.max() else rows
            parts.append(f"{counted(len(sizes), 'group')} in {quoted(options.group)} ({rows} each)")
        if self.times is not None:
            n_times = counted(int(self.times.max()) + 1, "different time")
            parts.append(f"{n_times} in {quoted(options.time)}")
        return [*([", ".join(parts)] if parts else []), *self.doubts]


def check_roles(options: DatasetOptions, target: str, where: str) -> None:
    """Raise UnknownColumnError where a column of rows is to be something else too."""
    roles = dict.fromkeys(options.onehot, "categorical") | dict.fromkeys(options.drop, "drop")
    roles[target] = "target"
    for key, name in options.of_rows.items():
        if name in roles:
            raise UnknownColumnError(
                f"{where} has one column {quoted(name)}, but both '{roles[name]}' and '{key}' name "
                f"it; give '{key}' another column, or leave one of the keys out"
            )
        roles[name] = key


def read_row_columns(table: Table, rows: pd.Series, options: DatasetOptions) -> RowColumns:
    """Return the groups, times and weights of the used ``rows``, where they are asked for.

    Raises
    ------
    DataError
        if one of these rows has no value, or one that cannot be used
    """
    columns = {
        key: _Column(table, key, table.frame[name][rows]) for key, name in options.of_rows.items()
    }
    group, time, weight = (columns.get(key) for key in _NOUNS)
    doubts: list[str] = []
    return RowColumns(
        groups=None if group is None else _groups(group, options),
        times=None if time is None else _times(time, options, doubts),
        weights=None if weight is None else _weights(weight, options, doubts),
        doubts=doubts,
    )


@dataclass(frozen=True)
class _Column:
    """The used rows of the column that a key names."""

    table: Table
    key: str
    values: pd.Series

    def __post_init__(self) -> None:
        remedy = "fill it in, or leave such rows out with 'missing: drop'"
        self.refuse(self.values.isna(), "no value", remedy)

    def numbers(self, options: DatasetOptions) -> pd.Series | None:
        """Return the values as finite numbers, None where one is no number."""
        numbers: pd.Series | None = self.values
        if is_text(self.values):
            numbers = options.texts.numbers(self.values.astype(TEXT))
        if numbers is not None:
            self.refuse(np.isinf(numbers), "an infinite value", "correct it")
        return numbers

    def refuse(self, wrong: pd.Series, what: str, remedy: str) -> None:
        """Raise the :meth:`error` of ``wrong`` rows, if there are any."""
        if wrong.any():
            raise self.error(wrong, what, remedy)

    def error(self, wrong: pd.Series, what: str, remedy: str) -> DataError:
        """Return the error that names the first of the ``wrong`` rows."""
        n, row = int(wrong.sum()), int(np.argmax(wrong))
        line = self.table.line_of(int(self.values.index[row]))
        return DataError(
            f"{self.table.where} has {what} in the {_NOUNS[self.key]} column "
            f"{quoted(self.values.name)} ({n:,}, {'first ' if n > 1 else ''}in {line}); {remedy}"
        )


def _groups(column: _Column, options: DatasetOptions) -> NDArray[np.int64]:
    labels, _ = as_labels(texts_of(column.values), options.texts)
    return pd.factorize(labels, sort=True)[0].astype(np.int64)


def _times(column: _Column, options: DatasetOptions, doubts: list[str]) -> NDArray[np.int64]:
    numbers = column.numbers(options)
    if numbers is not None:
        doubts += number_sentinels(numbers, options.texts)
        return codes_of(numbers.to_numpy())
    dates = read_dates(column.values.astype(TEXT))
    if isinstance(dates, WrongDates):
        problem = dates.problem
        if problem == NO_DATE:
            first = quoted(column.values[dates.rows].iloc[0], 40)
            problem = f"{first}, which is neither a number nor a date,"
        remedy = "write dates as 2021-04-03, or name another column"
        raise column.error(dates.rows, problem, remedy)
    doubts += date_sentinels(column.values, dates.local)
    return codes_of(dates.in_utc.to_numpy())


def _weights(column: _Column, options: DatasetOptions, doubts: list[str]) -> Floats:
    numbers = column.numbers(options)
    if numbers is None:
        texts = column.values.astype(TEXT)
        wrong = texts.map(options.texts.number).isna()
        what = f"{quoted(texts[wrong].iloc[0], 40)}, which is no number,"
        raise column.error(wrong, what, "correct it, or name it in na_values: if it means missing")
    column.refuse(numbers < 0, "a number below 0", "weights are 0 or more: correct it")
    if not numbers.any():
        remedy = "give rows a weight above 0, or leave 'weights' out"
        raise column.error(numbers == 0, "nothing but 0", remedy)
    doubts += number_sentinels(numbers, options.texts)
    return numbers.to_numpy() + 0.0
