"""Which columns of text hold dates."""

import re

import pandas as pd

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:1[5-9]|2\d)\d\d"
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[-+]\d{2}:?\d{2}))?"
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[,.]? +"
_DATE = re.compile(
    rf"(?:{_WEEKDAY})?(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"
    rf"|{_DAY}([-/.]){_DAY}\2{_YEAR}"
    rf"|{_DAY}/{_DAY}/\d\d"
    rf"|{_DAY}\.?[- ]?{_NAME}[-, ]*(?:{_YEAR}|\d\d)"
    rf"|{_NAME} {_DAY},? {_YEAR})"
    rf"(?:[t ]+{_TIME})?"
    # As ISO 8601 has it without marks; without a time it would be a number.
    r"|(?:1[5-9]|2\d)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])t\d{4}(?:\d\d)?z?",
    re.IGNORECASE,
)


def is_date(text: str) -> bool:
    """Return whether a text is a date, with or without a time."""
    return _DATE.fullmatch(text) is not None


def date_rows(column: pd.Series) -> pd.Series:
    """Return in which rows a column of texts has dates; in none if most values are none."""
    known = column.dropna()
    dates = {text for text in known.unique() if is_date(text)}
    rows = column.isin(dates)
    return rows if 2 * rows.sum() > len(known) else rows & False
