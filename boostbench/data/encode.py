"""From a parsed table to the arrays that methods are given, and what is worth knowing of it."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data.columns import (
    Encoding,
    Features,
    Target,
    choose,
    class_target,
    levels,
    regression_target,
)
from boostbench.data.dataset import Dataset, make_dataset
from boostbench.data.problems import Problems, quoted, yaml_list
from boostbench.data.table import Column, Table
from boostbench.errors import DataError, UnknownColumnError
from boostbench.suggest import counted, listing

_LEAST_ROWS_COUNTED = 10
_IDENTIFIER = re.compile(
    r"(?i:(?:.*[ _.-])?(?:id|idx|index|key|uid|uuid|nr|no|obs|row)"
    r"|rows?[ _.-]?(?:nr|no|num|number|names?)|unnamed.*|#)|.*[a-z](?:Id|ID|Index)"
)


def encode(table: Table, encoding: Encoding, *, name: str, task: str, source: str) -> Dataset:
    """Return the data set that ``encoding`` makes of ``table``.

    ``remarks`` of the data set say what was done that nobody asked for by name, and what looks
    like a mistake; there are none if ``encoding`` is strict.

    Raises
    ------
    DataError
        if a column is unknown; naming all columns that hold text, missing or infinite values which
        the encoding makes nothing of; if the target is constant, or fewer than two rows or no
        feature are left
    """
    table = _rename(table, encoding)
    target_column = _find(table, encoding.target)
    for wanted in (*encoding.drop, *encoding.onehot, *encoding.codes):
        _find(table, wanted)
    kept = [c for c in table.columns if c is not target_column and c.name not in encoding.drop]
    if encoding.order:
        by_name = {column.name: column for column in kept}
        kept = [by_name[n] for n in encoding.order if n in by_name]
    if not kept:
        raise DataError(f"{table.where} has no column left to be a feature")

    problems = Problems(table)
    whole = choose(kept, table, encoding, problems)
    target = _encode_target(target_column, task, encoding, problems)
    rows = _usable_rows(whole, target, target_column.name, encoding.missing, problems)
    problems.raise_any(lambda: [] if encoding.strict else _doubtful_columns(whole))
    if not whole.columns:
        gone = ", ".join(whole.left_out)
        raise DataError(f"{table.where} has no column left to be a feature; left out: {gone}")

    chosen, lacking = whole, target.missing
    if not rows.all():
        _check_rows_left(rows, whole, table, encoding.missing)
        chosen = whole.take(rows)
        # Levels and classes of which all rows are left out are none.
        target = _encode_target(target_column.take(rows), task, encoding, problems)
        problems.raise_any()
    X, feature_names = chosen.arrays(table.where)
    remarks: list[str] = []
    if not encoding.strict:
        remarks = [*table.remarks, *_remarks(whole, chosen, rows, lacking, encoding.missing)]
        remarks += [target.remark] * bool(target.remark) + _repeated_rows(X, target.values)
    y, label = target.values, target_column.name
    return make_dataset(
        name, X, y, feature_names, label, task, source, target.classes,
        remarks=remarks, missing=encoding.missing, n_left_out=int((~rows).sum()),
    )  # fmt: skip


def _rename(table: Table, encoding: Encoding) -> Table:
    if encoding.columns:
        found, expected = len(table.columns), len(encoding.columns)
        if found != expected:
            raise DataError(f"{table.where} has {found} columns, but {expected} are expected")
        pairs = zip(table.columns, encoding.columns, strict=True)
        renamed = tuple(replace(column, name=name, unnamed=False) for column, name in pairs)
        table = replace(table, columns=renamed)
    if encoding.rows is None:
        return table
    start, stop = encoding.rows
    if table.n_rows < stop:
        raise DataError(f"{table.where} has {table.n_rows} rows, but at least {stop} are expected")
    return table.take(slice(start, stop))


def _find(table: Table, wanted: str | int | None) -> Column:
    """Return the column by name or number; None is the one output that the file names."""
    names = table.names
    known = listing((" ".join(name[:60].split()) for name in names), 12)
    if wanted is None:
        if len(table.outputs) != 1:
            hint = f"give target: with one of {known}"
            raise DataError(f"{table.where} does not say which column is the target; {hint}")
        wanted = table.outputs[0]
    if isinstance(wanted, int):
        if 1 <= wanted <= len(names) or -len(names) <= wanted <= -1:
            return table.columns[wanted - 1 if wanted > 0 else wanted]
        hint = f"its columns are 1 to {len(names)}"
    elif wanted in names:
        return table.columns[names.index(wanted)]
    else:
        near = difflib.get_close_matches(wanted, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its columns are {known}"
    raise UnknownColumnError(f"{table.where} has no column {wanted!r}; {hint}")


def _encode_target(column: Column, task: str, encoding: Encoding, problems: Problems) -> Target:
    if task == "classification":
        return class_target(column, encoding.classes, problems)
    return regression_target(column, encoding.texts, problems)


def _usable_rows(
    chosen: Features, target: Target, target_name: str, missing: str, problems: Problems
) -> NDArray[np.bool_]:
    """Return which rows are used; add columns with values that cannot be to ``problems``."""
    rows = ~target.missing
    numbers = [(c.name, c.values, False) for c in chosen.columns if not c.is_text]
    for name, values, is_target in [(target_name, target.values, True), *numbers]:
        if np.isinf(values).any():
            problems.add("infinite values", name, np.isinf(values), target=is_target)
    lacking = [(c.name, c.missing, False) for c in chosen.columns]
    for name, gone, is_target in [(target_name, target.missing, True), *lacking]:
        if gone.all() and missing == "error":
            problems.add("no values", name, ~gone, target=is_target)
        elif gone.any() and missing == "error":
            problems.add("missing values", name, gone, target=is_target)
        elif missing == "drop":
            rows &= ~gone
    return rows


def _check_rows_left(rows: NDArray[np.bool_], chosen: Features, table: Table, missing: str) -> None:
    if rows.sum() >= 2 or table.n_rows < 2:
        return  # reported by make_dataset
    left = f"{table.where} has {int(rows.sum())} of {table.n_rows:,} rows left"
    worst = max(chosen.columns, key=lambda column: int(column.missing.sum()))
    gaps = int(worst.missing.sum())
    if missing == "drop" and gaps:
        raise DataError(
            f"{left} by 'missing: drop'; column {worst.name!r} has no value in {gaps:,} of them: "
            "leave it out with drop:, or set 'missing: median'"
        )
    raise DataError(f"{left} that have a target; at least two are needed")


def _remarks(
    whole: Features,
    used: Features,
    rows: NDArray[np.bool_],
    lacking_target: NDArray[np.bool_],
    missing: str,
) -> list[str]:
    """Return what was done to the columns ``whole``, of which ``rows`` are ``used``."""
    remarks = []
    categories = [column for column in used.columns if column.is_text]
    if categories:
        shown = _counts(categories, [len(levels(column)) for column in categories])
        remarks.append(f"{counted(len(categories), 'column')} one-hot encoded (levels: {shown})")
    remarks += [f"{how} in {listing(names, 8)}" for how, names in whole.read_as.items()]
    for kind, done, is_text in (
        ("column", "filled by the median of the training rows", False),
        ("categorical column", "encoded as zeros", True),
    ):
        gaps = [c for c in used.columns if c.is_text == is_text and c.missing.any()]
        if gaps and missing == "median":
            many = [int(column.missing.sum()) for column in gaps]
            remarks.append(
                f"{counted(sum(many), 'missing value')} in {counted(len(gaps), kind)} {done} "
                f"({_counts(gaps, many)})"
            )
    if not rows.all():
        gaps = [c for c in whole.columns if missing == "drop" and c.missing.any()]
        gaps += [Column("target", np.where(lacking_target, np.nan, 0.0))] * bool(
            lacking_target.any()
        )
        shown = _counts(gaps, [int(column.missing.sum()) for column in gaps])
        left_out = f"{int((~rows).sum()):,} of {counted(len(rows), 'row')} left out"
        remarks.append(f"{left_out} for missing values ({shown})")
    if whole.left_out:
        remarks.append(f"left out: {listing(whole.left_out, 8)}")
    return remarks + _doubtful_columns(used)


def _counts(columns: Sequence[Column], counts: Iterable[int]) -> str:
    """Return ``name 3, other 1``."""
    pairs = zip(columns, counts, strict=True)
    return listing((f"{' '.join(c.name.split())[:40]} {count:,}" for c, count in pairs), 8)


def _doubtful_columns(chosen: Features) -> list[str]:
    """Return a sentence on constant columns, and one on those that identify the rows."""
    constant = [
        quoted(column.name)
        for column in chosen.columns
        if len(set(column.values[~column.missing].tolist())) == 1
    ]
    identifiers = [c.name for c in chosen.columns if not c.is_text and _identifies_rows(c)]
    remarks = [f"constant columns: {listing(constant, 8)}"] if constant else []
    if identifiers:
        remarks.append(
            f"likely row identifiers: {listing(map(quoted, identifiers), 8)} (leave out with "
            f"'drop: {yaml_list(identifiers)}')"
        )
    return remarks


def _identifies_rows(column: Column) -> bool:
    """Return whether the column counts the rows, or is called an identifier and differs in each."""
    values = column.values
    n = len(values)
    if n < 2 or np.isnan(values).any() or (values != np.floor(values)).any():
        return False
    if n >= _LEAST_ROWS_COUNTED and values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return True
    return bool(_IDENTIFIER.fullmatch(column.name)) and len(np.unique(values)) == n


def _repeated_rows(X: NDArray[np.float64], y: NDArray[Any]) -> list[str]:
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
