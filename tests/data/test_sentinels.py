"""Values far from all others, which may stand for a missing one: what is said of them, and when."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import load

from boostbench.data import DataAccess, DataRequest, load_dataset
from boostbench.data.doubts import number_sentinels
from boostbench.data.text_format import PLAIN
from boostbench.errors import DataError

N = 60
RNG = np.random.default_rng(0)
SMALL = RNG.normal(size=N).round(3)
AGES = RNG.integers(0, 101, N)
DAYS = [f"{day:%Y-%m-%d}" for day in pd.date_range("2010-01-03", periods=N, freq="83D")]


def with_sentinels(values: Sequence[object], *sentinels: object) -> list[object]:
    """Return values of which every twentieth is one of the sentinels, in turn."""
    return [sentinels[i // 20 % len(sentinels)] if i % 20 == 7 else v for i, v in enumerate(values)]


def said_of(folder: Path, values: Sequence[object], **options: object) -> list[str]:
    """Return what is said of the values of a column ``v`` that are far from all others."""
    content = "".join(f"{SMALL[i]};{v};{i * i % 97}\n" for i, v in enumerate(values))
    data = load(folder, f"a;v;y\n{content}", target="y", **options)
    return [remark for remark in data.remarks if "far from all others" in remark]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (with_sentinels(SMALL, -9999), "3 of 60 values of 'v' are -9999, far from all others ("),
        (with_sentinels(AGES, 999), "3 of 60 values of 'v' are 999, far from all others (1 to 100"),
        (with_sentinels(AGES, -99999), "are -99999,"),
        (with_sentinels(SMALL, -999.9), "are -999.9,"),
        (with_sentinels(SMALL, 99.99), "are 99.99,"),
        (with_sentinels(SMALL, "1e30"), "are 1e+30,"),
        (with_sentinels(SMALL, "-1.7976931348623157e308"), "are -1.7976931348623157e+308,"),
        (with_sentinels(AGES, -2147483648), "are -2147483648,"),
        (with_sentinels(range(N), 32767, 32767), "are 32767,"),
        (with_sentinels(AGES % 7, 98, 99), "are 98 (2), 99 (1), far from all others (0 to 6)"),
        (with_sentinels(SMALL, -8888, 9999, -9999), "are -9999 (1), -8888 (1), 9999 (1),"),
        (with_sentinels(AGES % 2, 999), "are 999, far from all others (0 to 1)"),
        (with_sentinels(SMALL / 1000, -1), "are -1,"),
        ([*SMALL[:-1], -9999], "1 of 60 values of 'v' is -9999,"),
    ],
)
def test_numbers_that_may_mean_missing(tmp_path: Path, values: list[object], shown: str) -> None:
    (said,) = said_of(tmp_path, values)
    assert shown in said
    # The remedy is one: with it nothing is left to be said.
    named = said.rpartition("'na_values: ")[2].removesuffix("'").strip("[]")
    marks = [mark.strip('"') for mark in named.split(", ")]
    assert said_of(tmp_path, values, na_values=marks, missing="median") == []


@pytest.mark.parametrize(
    "values",
    [
        SMALL,
        AGES,
        with_sentinels(SMALL, -1),
        with_sentinels(AGES, -1),
        with_sentinels(AGES, 99),
        with_sentinels(range(900, 960), 999),
        with_sentinels(range(0, 6000, 100), 9999),
        with_sentinels(AGES % 7, 9),
        with_sentinels(AGES % 2, 9),
        with_sentinels(AGES % 2, 99),
        with_sentinels(AGES % 5, 255),
        with_sentinels(AGES, 5000),
        with_sentinels([1] * N, -9999),
        10.0 ** (np.arange(N) % 9 - 4),
        np.exp(3 * SMALL).round(6),
        np.round(np.exp(3 * SMALL)),
        with_sentinels(SMALL, 9999.123),
        [*range(8), 999],
    ],
)
def test_values_that_are_near_the_others(tmp_path: Path, values: list[object]) -> None:
    assert said_of(tmp_path, values) == []


@given(st.lists(st.integers(-1000, 1000) | st.floats(allow_nan=False), max_size=40))
def test_each_value_that_is_named_is_an_extreme_one(values: list[float]) -> None:
    column = pd.Series([*values, *range(10)], name="v", dtype="float64")
    said = number_sentinels(column, PLAIN)
    assert number_sentinels(column.sample(frac=1, random_state=0), PLAIN) == said
    assert number_sentinels(pd.Series(range(200), name="v", dtype="float64"), PLAIN) == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (with_sentinels(DAYS, "9999-12-31"), "3 of 60 values of 'v' are 9999-12-31, far from all"),
        (with_sentinels(DAYS, "0001-01-01"), "are 0001-01-01, far from all others (2010-01-03 to"),
        (with_sentinels(DAYS, "1900-01-01"), "are 1900-01-01,"),
        (with_sentinels(DAYS[:30], "1970-01-01T00:00"), "are 1970-01-01T00:00,"),
        (with_sentinels(DAYS, "9999-12-31", "0001-01-01"), "are 9999-12-31 (2), 0001-01-01 (1)"),
        (with_sentinels([f"{d[8:]}.{d[5:7]}.{d[:4]}" for d in DAYS], "31.12.9999"), "31.12.9999,"),
        (DAYS, ""),
        (with_sentinels(DAYS, "1999-12-31"), ""),
        (with_sentinels(DAYS, "1900-03-15"), ""),
        (with_sentinels([f"19{50 + i % 50}-05-07" for i in range(N)], "1900-01-01"), ""),
    ],
)
def test_dates_that_may_mean_missing(tmp_path: Path, values: list[object], shown: str) -> None:
    for keys in ({"dates": "ordinal"}, {"dates": "parts"}, {"time": "v"}):
        said = said_of(tmp_path, values, **keys)
        assert len(said) == bool(shown), keys
        assert shown in "".join(said)


def test_the_target_and_the_weights_are_looked_at_too(tmp_path: Path) -> None:
    lines = [f"{SMALL[i]},{w}\n" for i, w in enumerate(with_sentinels(AGES, 99999))]
    said = "3 of 60 values of 'w' are 99999, far from all others (1 to 100)"
    for keys in ({"target": "w"}, {"target": "a", "weights": "w"}, {"target": "a", "time": "w"}):
        content = "a,w,b\n" + "".join(f"{line[:-1]},{i % 7}\n" for i, line in enumerate(lines))
        assert any(remark.startswith(said) for remark in load(tmp_path, content, **keys).remarks)
    # Classes, levels and groups are no quantities.
    for keys in ({"group": "w"}, {"categorical": ["w"]}, {"drop": ["w"]}):
        remarks = load(tmp_path, content, target="a", **keys).remarks
        assert not any("far from all others" in remark for remark in remarks)


def test_a_sentinel_is_shown_as_the_file_writes_it(tmp_path: Path) -> None:
    values = [str(v).replace(".", ",") for v in with_sentinels(SMALL, -999.9)]
    content = "a;y\n" + "".join(f"{v};{i}\n" for i, v in enumerate(values))
    keys = {"target": "y", "decimal": ","}
    said = "; ".join(load(tmp_path, content, **keys).remarks)
    assert "are -999,9, far from all others (-2,325 to 1,802)" in said
    data = load(tmp_path, content, **keys, na_values=["-999,9"], missing="drop")
    assert len(data.y) == 57


def test_no_sentinels_or_codes_in_the_files_of_the_mirror(mirror: Path, tmp_path: Path) -> None:
    n_read = 0
    for path in sorted([*mirror.glob("regression/*"), *mirror.glob("formats/*")]):
        for header in (None, False):
            keys = {"target": -1, "categorical": "auto", "missing": "drop", "header": header}
            request = DataRequest(name="d", file=str(path), **keys)
            with suppress(DataError):
                data = load_dataset(request, DataAccess(tmp_path, offline=True))
                said = "; ".join(data.remarks)
                assert "far from all others" not in said, path
                assert "begin with 0" not in said, path
                n_read += 1
                break
    assert n_read >= 20


@pytest.mark.parametrize("name", ["diabetes", "iris", "wine", "breast_cancer", "digits"])
def test_no_sentinels_in_the_data_of_a_card(tmp_path: Path, name: str) -> None:
    task = "regression" if name == "diabetes" else "classification"
    request = DataRequest(name="d", card=name, task=task)
    data = load_dataset(request, DataAccess(tmp_path, offline=True))
    for values in (*data.X.T, data.y):
        assert number_sentinels(pd.Series(values * 1.0), PLAIN) == []
