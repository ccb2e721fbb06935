"""From a parsed table to the arrays that methods are given."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from boostbench.data.arrays import fingerprint
from boostbench.data.dataset import Dataset
from boostbench.data.features import Chosen, choose, encode_columns
from boostbench.data.numbers import PLAIN, NumberFormat
from boostbench.data.problems import Problems
from boostbench.data.remarks import doubtful_columns, remarks_of, repeated_rows
from boostbench.data.table import Column, Table
from boostbench.data.targets import Target, class_target, regression_target
from boostbench.errors import DataError, UnknownColumnError


@dataclass(frozen=True)
class Encoding:
    """How a table becomes ``X`` and ``y``.

    :param target: a column's name, or its number from 1 (negative: from the end); None takes
        the one output that the file itself names
    :param columns: names given to the table's columns by position, or none to keep its own
    :param order: the order of features, where it is not the table's; columns not in it drop out
    :param codes: nominal columns that become one feature: the position of the level in its list
    :param onehot: columns that become one 0/1 feature a level, levels sorted
    :param every_text: whether columns of text become that as well, except those of names
    :param strict: whether nominal columns in neither must be numbers; else they become one-hot
    :param missing: ``error`` refuses missing values, ``drop`` leaves out their rows, ``median``
        leaves numbers missing, to be filled from the training rows, and gives a category that is
        missing none of its levels; a row without a target is left out
    :param rows: the range of rows that is used, all if None
    :param classes: the target's labels in the order of their codes, sorted if none are given
    :param number_format: how the table writes numbers that it holds as text
    :param assumed_task: whether nobody has said the task
    """

    target: str | int | None = None
    columns: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    onehot: tuple[str, ...] = ()
    every_text: bool = False
    strict: bool = False
    missing: str = "error"
    rows: tuple[int, int] | None = None
    classes: tuple[str, ...] = ()
    number_format: NumberFormat = PLAIN
    assumed_task: bool = False


def encode(table: Table, encoding: Encoding, *, name: str, task: str, source: str) -> Dataset:
    """Return the data set that ``encoding`` makes of ``table``.

    ``remarks`` of the data set say what was done that nobody asked for by name, and what looks
    like a mistake; there are none if ``encoding`` is strict.

    :raises DataError: if a column is unknown; naming all columns that hold text, missing or
        infinite values which the encoding makes nothing of; if the target is constant, or fewer
        than two rows or no feature are left
    """
    table = _rename(table, encoding)
    target_column = _find(table, encoding.target)
    for wanted in (*encoding.drop, *encoding.onehot, *encoding.codes):
        _find(table, wanted)
    kept = [
        column
        for column in table.columns
        if column is not target_column and column.name not in encoding.drop
    ]
    if encoding.order:
        by_name = {column.name: column for column in kept}
        kept = [by_name[n] for n in encoding.order if n in by_name]
    if not kept:
        raise DataError(f"{table.where} has no column left to be a feature")

    problems = Problems(table, encoding.number_format, encoding.missing)
    chosen = choose(kept, table, encoding, problems)
    target = _encode_target(target_column, task, encoding, problems)
    for column in chosen.columns:
        if column.name not in chosen.levels:
            problems.numbers(column.name, column.formats)
    problems.numbers(target_column.name, target.formats)
    rows = _usable_rows(chosen, target, target_column.name, encoding.missing, problems)
    problems.raise_any(lambda: [] if encoding.strict else doubtful_columns(chosen))
    if not chosen.columns:
        gone = ", ".join(chosen.left_out)
        raise DataError(f"{table.where} has no column left to be a feature; left out: {gone}")

    whole, lacking = chosen, target.missing
    if not rows.all():
        _check_rows_left(rows, whole, table, encoding.missing)
        chosen = chosen.take(rows)
        # Levels and classes of which all rows are left out are none.
        target = _encode_target(target_column.take(rows), task, encoding, problems)
        problems.raise_any()
    features = encode_columns(chosen, table)
    X = np.empty((int(rows.sum()), len(features)))
    for j, (_, values) in enumerate(features):
        X[:, j] = values
    remarks: tuple[str, ...] = ()
    if not encoding.strict:
        done = remarks_of(whole, chosen, rows, lacking, encoding.missing)
        done += [target.remark] if target.remark else []
        remarks = (*table.remarks, *done, *repeated_rows(X, target.values))
    return make_dataset(
        name,
        X,
        target.values,
        [feature for feature, _ in features],
        target_column.name,
        task,
        source,
        target.classes,
        remarks=remarks,
        missing=encoding.missing,
        n_left_out=int((~rows).sum()),
    )


def make_dataset(
    name: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64] | NDArray[np.int64],
    feature_names: Sequence[str],
    target: str,
    task: str,
    source: str,
    classes: Sequence[str] = (),
    *,
    remarks: Sequence[str] = (),
    missing: str = "error",
    n_left_out: int = 0,
) -> Dataset:
    """Return a data set of these arrays, after the checks common to all.

    ``X`` is not copied where it has the right layout, and each -0.0 in it becomes 0.0.

    :param missing: ``median`` where the NaN in ``X`` are to be filled from the training rows
    :param n_left_out: how many rows were left out for missing values
    :raises DataError: if there are fewer than two rows, or the target is constant
    """
    if len(y) < 2:
        raise DataError(f"data set {name!r} has {len(y)} row(s); at least two are needed")
    if np.all(y == y[0]):
        raise DataError(
            f"data set {name!r} has the constant target {target!r}: there is nothing to learn"
        )
    # Adding zero turns -0.0 into 0.0, so that equal data have equal bytes.
    X = np.require(X, np.float64, ["C", "W"])
    X += 0.0
    y = np.ascontiguousarray(y, dtype=np.float64) + 0.0 if task == "regression" else y
    return Dataset(
        name=name,
        X=X,
        y=y,
        feature_names=tuple(feature_names),
        target=target,
        task=task,
        fingerprint=fingerprint(X, y),
        source=source,
        classes=tuple(classes),
        remarks=tuple(remarks),
        missing="median" if missing == "median" and np.isnan(X).any() else "error",
        n_left_out=n_left_out,
    )


def _rename(table: Table, encoding: Encoding) -> Table:
    if encoding.columns:
        if len(encoding.columns) != len(table.columns):
            raise DataError(
                f"{table.where} has {len(table.columns)} columns, "
                f"but {len(encoding.columns)} are expected"
            )
        columns = tuple(
            replace(column, name=name, unnamed=False)
            for column, name in zip(table.columns, encoding.columns, strict=True)
        )
        table = replace(table, columns=columns)
    if encoding.rows is None:
        return table
    start, stop = encoding.rows
    if table.n_rows < stop:
        raise DataError(f"{table.where} has {table.n_rows} rows, but at least {stop} are expected")
    return table.take(slice(start, stop))


def _find(table: Table, wanted: str | int | None) -> Column:
    """Return the column by name or number; None is the one output that the file names."""
    names = table.names
    if wanted is None:
        if len(table.outputs) != 1:
            raise DataError(
                f"{table.where} does not say which column is the target; "
                f"give target: with one of {_listing(names)}"
            )
        wanted = table.outputs[0]
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        if not (1 <= wanted <= len(names) or -len(names) <= wanted <= -1):
            raise UnknownColumnError(
                f"{table.where} has no column {wanted}; its columns are 1 to {len(names)}"
            )
        return table.columns[wanted - 1 if wanted > 0 else wanted]
    for column in table.columns:
        if column.name == wanted:
            return column
    near = difflib.get_close_matches(str(wanted), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"its columns are {_listing(names)}"
    raise UnknownColumnError(f"{table.where} has no column {wanted!r}; {hint}")


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(" ".join(name[:60].split()) for name in names[:12])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 12 else "")


def _encode_target(column: Column, task: str, encoding: Encoding, problems: Problems) -> Target:
    if task == "classification":
        return class_target(column, encoding.classes, problems)
    return regression_target(
        column, encoding.number_format, problems, assumed=encoding.assumed_task
    )


def _usable_rows(
    chosen: Chosen, target: Target, target_name: str, missing: str, problems: Problems
) -> NDArray[np.bool_]:
    """Return which rows are used; add columns with values that cannot be to ``problems``."""
    without_target = target.missing
    if without_target.any() and missing == "error":
        problems.missing(target_name, without_target, target=True)
    problems.infinite(target_name, target.values, target=True)
    rows = ~without_target
    for column in chosen.columns:
        problems.infinite(column.name, column.values)
        gone = column.missing
        if gone.any() and missing == "error":
            problems.missing(column.name, gone)
        elif missing == "drop":
            rows &= ~gone
    return rows


def _check_rows_left(rows: NDArray[np.bool_], chosen: Chosen, table: Table, missing: str) -> None:
    if rows.sum() >= 2 or table.n_rows < 2:
        return  # reported by make_dataset
    left = f"{table.where} has {int(rows.sum())} of {table.n_rows:,} rows left"
    worst = max(chosen.columns, key=lambda column: int(column.missing.sum()))
    if missing == "drop" and worst.missing.any():
        raise DataError(
            f"{left} by 'missing: drop'; column {worst.name!r} has no value in "
            f"{int(worst.missing.sum()):,} of them: leave it out with drop:, or set "
            "'missing: median'"
        )
    raise DataError(f"{left} that have a target; at least two are needed")
