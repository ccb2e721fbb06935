"""Dates: read without guessing, and as numbers."""

import io
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import load

from boostbench.data.dates import AMBIGUOUS, ReadDates, WrongDates, read_dates
from boostbench.errors import DataError

HOURS = pd.date_range("2019-11-28 20:00", periods=60, freq="29h")
CLEAR = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%a, %d %b %Y"),
    *("%Y%m%dT%H%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d-%b-%Y %I:%M %p"),
    *("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S+02:00", "%Y-%m-%d %H:%M:%S.250"),
)


def of(values: list[str]) -> ReadDates | WrongDates:
    return read_dates(pd.Series(values, dtype="str"))


def csv_of(values: list[object], name: str = "when") -> str:
    rows = "".join(f'"{value}",{i},{i * i}\n' for i, value in enumerate(values))
    return f"{name},a,y\n{rows}"


@given(
    st.lists(st.datetimes(datetime(1500, 1, 1), datetime(2999, 12, 31)), min_size=1, max_size=9),
    st.sampled_from(CLEAR),
)
def test_each_clear_form_gives_the_date_that_was_written(
    moments: list[datetime], form: str
) -> None:
    written = [f"{moment:{form}}" for moment in moments]
    found = of(written)
    assert isinstance(found, ReadDates)
    has_hour = "%H" in form or "%I" in form
    for moment, read in zip(moments, found.local, strict=True):
        assert read.date() == moment.date()
        assert read.hour == (moment.hour if has_hour else 0)
        assert read.minute == (moment.minute if has_hour else 0)
        assert read.microsecond == (250_000 if form.endswith("250") else 0)


@pytest.mark.parametrize("mark", ["/", ".", "-"])
def test_the_order_of_day_and_month_follows_from_the_values(mark: str) -> None:
    def written(*pairs: tuple[int, int]) -> list[str]:
        return [f"{first:02}{mark}{second}{mark}2021" for first, second in pairs]

    day_first, month_first = of(written((3, 4), (25, 1))), of(written((3, 4), (1, 25)))
    assert isinstance(day_first, ReadDates)
    assert isinstance(month_first, ReadDates)
    assert list(day_first.local) == [datetime(2021, 4, 3), datetime(2021, 1, 25)]
    assert list(month_first.local) == [datetime(2021, 3, 4), datetime(2021, 1, 25)]
    assert (day_first.how, month_first.how) == ("day first", "month first")
    either = of(written((3, 4), (5, 5)))
    assert isinstance(either, WrongDates)
    assert either.problem == AMBIGUOUS
    assert list(either.rows) == [True, False]
    # Both orders give the same dates.
    same = of(written((3, 3), (5, 5)))
    assert isinstance(same, ReadDates)
    assert same.how == ""


def test_time_zones_are_left_out_where_all_are_one_and_become_utc_else() -> None:
    one = of(["2021-03-04 01:00+02:00", "2021-03-04 23:00+02:00"])
    assert isinstance(one, ReadDates)
    assert [moment.hour for moment in one.local] == [1, 23]
    assert [moment.hour for moment in one.in_utc] == [23, 21]
    two = of(["2021-03-04 01:00+02:00", "2021-03-04 01:00-0130", "2021-03-04T01:00Z"])
    assert isinstance(two, ReadDates)
    assert two.how == "in UTC, as their time zones differ"
    assert list(two.local) == [
        datetime(2021, 3, 3, 23),
        datetime(2021, 3, 4, 2, 30),
        datetime(2021, 3, 4, 1),
    ]
    assert isinstance(of(["2021-03-04 01:00+02:00", "2021-03-04 01:00"]), WrongDates)


def test_parts_are_those_that_vary(tmp_path: Path) -> None:
    data = load(tmp_path, csv_of(list(HOURS)), dates="parts")
    assert data.feature_names == (
        *("when_year", "when_month", "when_day", "when_weekday", "when_hour", "a"),
    )
    for j, part in enumerate(("year", "month", "day", "day_of_week", "hour")):
        np.testing.assert_array_equal(data.X[:, j], getattr(HOURS, part))
    assert "dates as numbers: 'when' as year, month, day, weekday, hour" in data.remarks
    days = [f"2021-05-{day:02}" for day in range(1, 32)]
    data = load(tmp_path, csv_of(days), dates="parts", features="frame")
    assert list(data.frame) == ["when_day", "when_weekday", "a"]
    assert data.frame["when_weekday"][0] == 5.0, "a Saturday"


def test_ordinals_are_days_since_the_first(tmp_path: Path) -> None:
    data = load(tmp_path, csv_of(list(HOURS[::-1])), dates="ordinal", features="frame")
    expected = (HOURS[::-1] - HOURS[0]) / timedelta(days=1)
    np.testing.assert_array_equal(data.X[:, 0], expected)
    np.testing.assert_array_equal(data.frame["when"], expected)
    assert data.feature_names == ("when", "a")
    assert "dates as numbers: 'when' as days since 2019-11-28" in data.remarks


def test_dates_may_be_dropped_whatever_they_are(tmp_path: Path) -> None:
    for form in ("%Y-%m-%d", "%m/%d/%y"):
        content = csv_of([f"{moment:{form}}" for moment in HOURS])
        data = load(tmp_path, content, dates="drop", features="frame")
        assert data.feature_names == ("a",)
        assert list(data.frame) == ["a"]
        assert "left out: 'when' (dates)" in data.remarks


def test_gaps_in_dates_are_those_of_other_columns(tmp_path: Path) -> None:
    content = csv_of(["2021-01-05", "", *(f"2021-02-{day:02}" for day in range(1, 20))])
    with pytest.raises(DataError, match="missing values in 3 columns: 'when_month'") as caught:
        load(tmp_path, content, dates="parts")
    assert "(1, in line 3)" in str(caught.value)
    kept = load(tmp_path, content, dates="parts", features="frame", missing="keep")
    assert kept.frame["when_month"].isna().tolist() == [i == 1 for i in range(21)]
    assert load(tmp_path, content, dates="ordinal", missing="drop").X.shape == (20, 2)
    filled = load(tmp_path, content, dates="ordinal", missing="median")
    assert np.isnan(filled.X).sum() == 1


@pytest.mark.parametrize("how", ["parts", "ordinal"])
@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("2021-02-31", r"values that are no dates in column 'when' \(1 of 31 values, '2021-02-31'"),
        ("2021-02-01 13:00 pm", r"values that are no dates in column 'when' \(1 of 31 values"),
        ("2021-02-01 25:00", r"values that are no dates in column 'when' \(1 of 31 values"),
        ("soon", r"values that are no dates in column 'when' \(1 of 31 values, 'soon' in line 32"),
        ("5 May 21", r"dates with years of two digits in column 'when' \(1 of 31 values, '5 May"),
        ("05/06/2021", r"dates that may be day first or month first in column 'when' \(1 of 31"),
        ("2021-02-01 10:00Z", r"dates of which only some have a time zone in column 'when' \(30"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, how: str, odd: str, said: str) -> None:
    content = csv_of([*(f"2021-01-{day:02}" for day in range(1, 31)), odd])
    with pytest.raises(DataError, match=said) as caught:
        load(tmp_path, content, dates=how)
    assert "write the dates as 2021-04-03 in the file" in str(caught.value)
    assert "'drop: [when]' (leave out columns)" in str(caught.value)
    assert load(tmp_path, content, dates=how, drop=["when"]).feature_names == ("a",)


def test_days_that_are_first_and_last_are_refused(tmp_path: Path) -> None:
    content = csv_of(["13/01/2021", "01/13/2021", "01/02/2021"])
    said = "dates of which some are day first and others month first in column 'when' \\(1 of 3"
    with pytest.raises(DataError, match=said):
        load(tmp_path, content, dates="parts")


def test_without_the_key_the_error_names_it(tmp_path: Path) -> None:
    content = csv_of(list(HOURS))
    for keys in ({}, {"features": "frame"}):
        with pytest.raises(DataError, match="dates in column 'when'") as caught:
            load(tmp_path, content, **keys)
        assert "add to the data set: 'dates: parts' (year, month, day...)" in str(caught.value)


def test_a_part_may_not_take_the_name_of_a_column(tmp_path: Path) -> None:
    rows = "".join(f"{moment},{i},{i}\n" for i, moment in enumerate(HOURS))
    content = f"d,d_day,y\n{rows}"
    with pytest.raises(DataError, match="has a column 'd_day', which is how a part of the dates"):
        load(tmp_path, content, dates="parts")
    assert load(tmp_path, content, dates="ordinal").feature_names == ("d", "d_day")


def test_one_date_is_no_feature(tmp_path: Path) -> None:
    data = load(tmp_path, csv_of(["2021-03-04"] * 20), dates="parts")
    assert data.feature_names == ("a",)
    assert "left out: 'when' (one date only)" in data.remarks


def test_columns_named_as_categories_stay_levels(tmp_path: Path) -> None:
    content = csv_of(["2021-03-04", "2021-05-06"] * 10)
    data = load(tmp_path, content, dates="parts", features="frame", categorical=["when"])
    assert list(data.frame["when"].cat.categories) == ["2021-03-04", "2021-05-06"]


@pytest.mark.parametrize("kind", ["parquet", "feather", "xlsx", "arff"])
def test_dates_that_a_format_declares(tmp_path: Path, kind: str) -> None:
    content: str | bytes
    if kind == "arff":
        rows = "".join(f"{moment:%Y%m%d},{i},{i * i}\n" for i, moment in enumerate(HOURS))
        head = "@relation r\n@attribute when date yyyyMMdd\n@attribute a real\n@attribute y real\n"
        content = f"{head}@data\n{rows}"
    else:
        pytest.importorskip("openpyxl" if kind == "xlsx" else "pyarrow")
        numbers = range(len(HOURS))
        frame = pd.DataFrame({"when": HOURS, "a": numbers, "y": [i * i for i in numbers]})
        buffer = io.BytesIO()
        if kind == "xlsx":
            frame.to_excel(buffer, index=False)
        else:
            getattr(frame, f"to_{kind}")(buffer)
        content = buffer.getvalue()
    data = load(tmp_path, content, f"my.{kind}", dates="parts", features="frame")
    np.testing.assert_array_equal(data.frame["when_day"], HOURS.day)
    assert ("when_hour" in data.frame) == (kind != "arff")
