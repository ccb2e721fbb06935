"""Remarks on how a table was read, and on columns that look like a mistake."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data.features import Chosen
from boostbench.data.problems import quoted, yaml_list
from boostbench.data.table import Column
from boostbench.suggest import counted, listing

_MOST_SHOWN = 8
_LEAST_ROWS_COUNTED = 10
_IDENTIFIER = re.compile(
    r"(?:.*[ _.-])?(?:id|idx|index|key|uid|uuid|nr|no|obs|row)"
    r"|rows?[ _.-]?(?:nr|no|num|number|names?)|unnamed.*|#",
    re.IGNORECASE,
)
_CAMEL_IDENTIFIER = re.compile(r".*[a-z](?:Id|ID|Index)")
_READ = {
    "true and false": "true/false read as 1/0 in {}",
    "percentages": "percentages read as numbers (72 for 72%) in {}",
}


def remarks_of(
    whole: Chosen,
    used: Chosen,
    rows: NDArray[np.bool_],
    lacking_target: NDArray[np.bool_],
    missing: str,
) -> list[str]:
    """Return what was done to the columns ``whole``, of which ``rows`` are ``used``.

    :param rows: (n,) truth values
    :param lacking_target: (n,), whether a row has no target
    :param missing: what was to be done about missing values
    """
    remarks = []
    levels = [column for column in used.columns if column.name in used.levels]
    if levels:
        shown = _shown(f"{_short(c)} {_n_levels(c):,}" for c in levels)
        remarks.append(f"{counted(len(levels), 'column')} one-hot encoded (levels: {shown})")
    remarks += [_READ[kind].format(_shown(names)) for kind, names in whole.converted.items()]
    if missing == "median":
        remarks += _filled(used)
    if not rows.all():
        lacking = [c for c in whole.columns if missing == "drop" and c.missing.any()]
        shown = _shown(
            [f"{_short(c)} {int(c.missing.sum()):,}" for c in lacking]
            + [f"target {int(lacking_target.sum()):,}"] * bool(lacking_target.any())
        )
        left_out = f"{int((~rows).sum()):,} of {counted(len(rows), 'row')} left out"
        remarks.append(f"{left_out} for missing values ({shown})")
    if whole.left_out:
        remarks.append(f"left out: {_shown(whole.left_out)}")
    return remarks + doubtful_columns(used)


def doubtful_columns(chosen: Chosen) -> list[str]:
    """Return a sentence on constant columns, and one on those that identify the rows."""
    numeric = [c for c in chosen.columns if c.name not in chosen.levels and len(c)]
    constant = [
        c.name
        for c in chosen.columns
        if (_n_levels(c) == 1 if c.name in chosen.levels else _is_constant(c.values))
    ]
    identifiers = [c.name for c in numeric if _identifies_rows(c)]
    remarks = []
    if constant:
        remarks.append(f"constant columns: {_shown(map(quoted, constant))}")
    if identifiers:
        remarks.append(
            f"likely row identifiers: {_shown(map(quoted, identifiers))} (leave out with "
            f"'drop: {yaml_list(identifiers)}')"
        )
    return remarks


def repeated_rows(X: NDArray[np.float64], y: NDArray[Any]) -> list[str]:
    """Return a sentence where more than half of the rows have an exact copy.

    Fewer are usual in data of few small whole numbers.
    """
    rows = zip((row.tobytes() for row in X), y.tolist(), strict=True)
    copied = sum(count for count in Counter(map(hash, rows)).values() if count > 1)
    if len(y) < _LEAST_ROWS_COUNTED or 2 * copied <= len(y):
        return []
    return [
        f"{copied:,} of {len(y):,} rows have an exact copy, the target included: methods are "
        "tested on rows that they were trained on"
    ]


def _filled(used: Chosen) -> list[str]:
    numbers = [c for c in used.columns if c.name not in used.levels and c.missing.any()]
    levels = [c for c in used.columns if c.name in used.levels and c.missing.any()]
    remarks = []
    for columns, kind, done in (
        (numbers, "column", "filled by the median of the training rows"),
        (levels, "categorical column", "encoded as zeros"),
    ):
        if columns:
            shown = _shown(f"{_short(c)} {int(c.missing.sum()):,}" for c in columns)
            total = counted(sum(int(c.missing.sum()) for c in columns), "missing value")
            remarks.append(f"{total} in {counted(len(columns), kind)} {done} ({shown})")
    return remarks


def _is_constant(values: NDArray[np.float64]) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool((known == known[0]).all())


def _identifies_rows(column: Column) -> bool:
    """Return whether the column counts the rows, or is called an identifier and differs in each."""
    values = column.values
    n = len(values)
    if n < 2 or np.isnan(values).any() or (values != np.floor(values)).any():
        return False
    if n >= _LEAST_ROWS_COUNTED and values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return True
    named = _IDENTIFIER.fullmatch(column.name) or _CAMEL_IDENTIFIER.fullmatch(column.name)
    return bool(named) and len(np.unique(values)) == n


def _n_levels(column: Column) -> int:
    assert column.labels is not None
    return len({label for label in column.labels if label is not None})


def _short(column: Column) -> str:
    return " ".join(column.name.split())[:40]


def _shown(names: Iterable[str]) -> str:
    return listing(names, _MOST_SHOWN)
