"""Columns of dates as numbers: their parts, or the days since the first."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from boostbench.data.dates import ReadDates, WrongDates, read_dates
from boostbench.data.doubts import date_sentinels
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import TEXT, Table, is_text
from boostbench.errors import DataError
from boostbench.suggest import listing

_PARTS: Mapping[str, Callable[[pd.Series], pd.Series]] = {
    "year": lambda dates: dates.dt.year,
    "month": lambda dates: dates.dt.month,
    "day": lambda dates: dates.dt.day,
    "weekday": lambda dates: dates.dt.day_of_week,
    "hour": lambda dates: dates.dt.hour,
}


@dataclass
class ExpandedDates:
    """A table with numbers for its dates, and the ``names`` of its possible features, in order.

    ``parts`` are the columns that the file does not have, and ``made`` all columns made of dates.
    ``left_out`` says which columns are no features, and why, ``read_as`` how the others were read;
    ``wrong`` are those that cannot be read, and ``doubts`` are sentences on likely mistakes.
    """

    table: Table
    names: list[str] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    read_as: list[str] = field(default_factory=list)
    wrong: list[tuple[pd.Series, WrongDates]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def remarks(self) -> list[str]:
        """Sentences on how the dates were read, and on likely mistakes among them."""
        read = [f"dates as numbers: {listing(self.read_as, 8)}"] if self.read_as else []
        return [*read, *self.doubts]

    def add_to(self, problems: Problems) -> None:
        """Add the columns that cannot be read."""
        for column, wrong in self.wrong:
            problems.add(wrong.problem, column, wrong.rows)


def expand_dates(
    table: Table, names: Sequence[str], levels: Collection[str], how: str | None
) -> ExpandedDates:
    """Return the table with what becomes of the columns of dates among ``names``.

    ``how`` is ``parts``, ``ordinal`` or ``drop``; nothing becomes of them where it is None, nor of
    the columns ``levels``, whose texts are levels.

    Raises
    ------
    DataError
        if a part would have the name of another column
    """
    expanded = ExpandedDates(table)
    numbers: dict[str, pd.Series] = {}
    for name in names:
        column = table.frame[name]
        may_be_dates = how is not None and is_text(column) and name not in levels
        if not may_be_dates or not table.date_values(column).any():
            expanded.names.append(name)
        elif how == "drop":
            expanded.left_out.append(f"{quoted(name)} (dates)")
        else:
            made = _numbers_of(column, str(how), expanded)
            _check_names(made, name, table)
            numbers |= made
            expanded.names += made
            expanded.made |= made.keys()
            expanded.parts |= made.keys() - {name}
    frame = table.frame.copy(deep=False)
    for name, values in numbers.items():
        frame[name] = values
    expanded.table = replace(table, frame=frame)
    return expanded


def _numbers_of(column: pd.Series, how: str, expanded: ExpandedDates) -> dict[str, pd.Series]:
    """Return the columns of numbers that dates become, and say in ``expanded`` what they are."""
    name, read = str(column.name), read_dates(column.astype(TEXT))
    if isinstance(read, WrongDates):
        expanded.wrong.append((column, read))
        return {}
    expanded.doubts += date_sentinels(column, read.local)
    made = _days(name, read) if how == "ordinal" else _parts(name, read)
    varying = {new: values for new, values in made.items() if values.nunique() > 1}
    if not varying:
        expanded.left_out.append(f"{quoted(name)} (one date only)")
        return {}
    described = f"as days since {read.local.min().isoformat()[:10]}"
    if how == "parts":
        described = "as " + ", ".join(new.removeprefix(f"{name}_") for new in varying)
    expanded.read_as.append(f"{quoted(name)} {described}{f' ({read.how})' if read.how else ''}")
    return varying


def _parts(name: str, read: ReadDates) -> dict[str, pd.Series]:
    return {f"{name}_{part}": of(read.local).astype("float64") for part, of in _PARTS.items()}


def _days(name: str, read: ReadDates) -> dict[str, pd.Series]:
    return {name: (read.local - read.local.min()) / pd.Timedelta(days=1)}


def _check_names(made: Collection[str], name: str, table: Table) -> None:
    for new in made:
        if new != name and new in table.names:
            raise DataError(
                f"{table.where} has a column {quoted(new)}, which is how a part of the dates in "
                f"column {quoted(name)} is called; rename one of them, or set 'dates: ordinal'"
            )
