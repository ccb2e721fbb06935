"""Texts as dates, never by a guess.

A column is read as a whole: whether its dates are day first or month first must follow from its
values. Years have four digits.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import pandas as pd

from boostbench.data.text_format import MONTH_NAME, WEEKDAY

DAY_FIRST, MONTH_FIRST = "day first", "month first"
_ORDERS = (DAY_FIRST, MONTH_FIRST)
AMBIGUOUS = "dates that may be day first or month first"
CONTRADICTORY = "dates of which some are day first and others month first"
TWO_DIGITS = "dates with years of two digits"
NO_DATE = "values that are no dates"
SOME_ZONES = "dates of which only some have a time zone"
PROBLEMS = (AMBIGUOUS, CONTRADICTORY, TWO_DIGITS, NO_DATE, SOME_ZONES)
"""Why a column of dates cannot be read."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = (
    r"(?P<hour>\d{1,2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"(?: ?(?P<half>[ap])m)?(?: ?(?P<zone>z|utc|gmt|[-+]\d{2}:?\d{2}))?"
)
# A year of two digits is found as one, to be refused as such.
_YEAR = r"(?P<year>\d{4}|\d\d)"
_FORMS = [
    re.compile(rf"(?:{WEEKDAY})?{form}(?:[t ]+{_CLOCK})?", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)",
        rf"(?P<first>\d\d?)(?P<mark>[-/.])(?P<second_part>\d\d?)(?P=mark){_YEAR}",
        rf"(?P<day>\d\d?)\.?[- ]?(?P<name>{MONTH_NAME})[-, ]*{_YEAR}",
        rf"(?P<name>{MONTH_NAME}) (?P<day>\d\d?),? {_YEAR}",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
        r"(?P<year>\d{4})-(?P<month>\d\d)",
    )
]


class Moment(NamedTuple):
    """A date with its time of day, and the distance of its time zone from UTC where it has one."""

    local: datetime
    zone: timedelta | None

    @property
    def in_utc(self) -> datetime:
        """The moment in UTC, as it is where it has no time zone."""
        return self.local - (self.zone or timedelta())


def moment(text: str, order: str = "") -> Moment | None:
    """Return the moment that a text gives, None where it gives none.

    ``order`` is that of day and month where both are numbers before the year; without it such
    texts give no moment.
    """
    for form in _FORMS:
        if match := form.fullmatch(text):
            try:
                return _moment(match.groupdict(), order)
            except ValueError:
                return None
    return None


def _moment(found: Mapping[str, str | None], order: str) -> Moment | None:
    year = found["year"] or ""
    if len(year) < 4 or (found.get("first") and not order):
        return None
    day, month = _day_and_month(found, order)
    fraction = (found.get("fraction") or "")[:6].ljust(6, "0")
    local = datetime(
        int(year),
        month,
        day,
        _hour(int(found.get("hour") or 0), found.get("half")),
        int(found.get("minute") or 0),
        int(found.get("second") or 0),
        int(fraction),
    )
    return Moment(local, _zone(found.get("zone")))


def _day_and_month(found: Mapping[str, str | None], order: str) -> tuple[int, int]:
    """Return the day and the month, which may be wrong ones; a text without a day has the first."""
    first, second = found.get("first"), found.get("second_part")
    if first and second:
        parts = int(first), int(second)
        return parts if order == DAY_FIRST else parts[::-1]
    name = found.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(found["month"] or 0)
    return int(found.get("day") or 1), month


def _hour(hour: int, half: str | None) -> int:
    """Return an hour of 24; ValueError for one that the half of a day does not have."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(f"there is no hour {hour} {half}m")
    return hour % 12 + (12 if half.lower() == "p" else 0)


def _zone(text: str | None) -> timedelta | None:
    if not text:
        return None
    if text[0] not in "+-":
        return timedelta()
    distance = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return -distance if text[0] == "-" else distance


@dataclass(frozen=True)
class WrongDates:
    """Why a column cannot be read as dates: the problem, and in which rows it has it."""

    problem: str
    rows: pd.Series


@dataclass(frozen=True)
class ReadDates:
    """A column as dates, missing where it has no value; ``how`` says in words how it was read.

    ``local`` are as they are written where all are of one time zone, else in UTC as ``in_utc``.
    """

    local: pd.Series
    in_utc: pd.Series
    how: str = ""


def read_dates(column: pd.Series) -> ReadDates | WrongDates:
    """Return a column of texts as dates, or why it cannot be read without guessing."""
    texts = list(column.dropna().unique())
    by_order = {order: _moments(texts, order) for order in _ORDERS}
    fitting = [order for order, moments in by_order.items() if None not in moments.values()]
    if not fitting:
        return _wrong(column, by_order)
    differ = [text for text in texts if by_order[DAY_FIRST][text] != by_order[MONTH_FIRST][text]]
    if len(fitting) > 1 and differ:
        return WrongDates(AMBIGUOUS, column.isin(differ))
    known = {text: found for text, found in by_order[fitting[0]].items() if found is not None}
    return _in_one_zone(column, known, [fitting[0]] if differ else [])


def _moments(texts: Iterable[str], order: str) -> dict[str, Moment | None]:
    return {text: moment(text, order) for text in texts}


def _in_one_zone(
    column: pd.Series, known: Mapping[str, Moment], how: Sequence[str]
) -> ReadDates | WrongDates:
    """Return a column whose texts give the ``known`` moments; ``how`` says how these were read."""
    zones = {found.zone for found in known.values()}
    if None in zones and len(zones) > 1:
        without = [text for text, found in known.items() if found.zone is None]
        return WrongDates(SOME_ZONES, column.isin(without))
    in_utc = column.map({text: found.in_utc for text, found in known.items()})
    local = in_utc
    if len(zones) > 1:
        how = [*how, "in UTC, as their time zones differ"]
    else:
        local = column.map({text: found.local for text, found in known.items()})
    return ReadDates(_as_datetimes(local), _as_datetimes(in_utc), ", ".join(how))


def _as_datetimes(column: pd.Series) -> pd.Series:
    return column.astype("datetime64[us]")


def _wrong(column: pd.Series, by_order: Mapping[str, Mapping[str, Moment | None]]) -> WrongDates:
    """Return why neither order gives dates in all rows."""
    in_none = [
        text
        for text in by_order[DAY_FIRST]
        if all(moments[text] is None for moments in by_order.values())
    ]
    if not in_none:
        only_one = [text for text, found in by_order[DAY_FIRST].items() if found is None]
        return WrongDates(CONTRADICTORY, column.isin(only_one))
    short = [text for text in in_none if _has_short_year(text)]
    if short:
        return WrongDates(TWO_DIGITS, column.isin(short))
    return WrongDates(NO_DATE, column.isin(in_none))


def _has_short_year(text: str) -> bool:
    matches = (form.fullmatch(text) for form in _FORMS)
    return any(match is not None and len(match["year"]) == 2 for match in matches)
