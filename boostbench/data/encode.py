"""From a parsed table to the arrays that methods are given."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.arrays import fingerprint
from boostbench.data.dataset import Dataset
from boostbench.data.table import Column, Table, check_cells
from boostbench.errors import DataError


class TextTarget(DataError):
    """The target of a regression holds text."""


@dataclass(frozen=True)
class Encoding:
    """How a table becomes ``X`` and ``y``.

    :param target: a column's name, or its number from 1 (negative: from the end); None takes
        the one output that the file itself names
    :param columns: names given to the table's columns by position, or none to keep its own
    :param order: the order of features, where it is not the table's; columns not in it drop out
    :param codes: nominal columns that become one feature: the position of the level in its list
    :param onehot: columns that become one 0/1 feature a level, levels sorted
    :param strict: whether nominal columns in neither must be numbers; else they become one-hot
    :param drop_missing: whether rows with a missing value are left out; else they are refused
    :param rows: the range of rows that is used, all if None
    :param classes: the target's labels in the order of their codes, sorted if none are given
    """

    target: str | int | None = None
    columns: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    onehot: tuple[str, ...] = ()
    strict: bool = False
    drop_missing: bool = False
    rows: tuple[int, int] | None = None
    classes: tuple[str, ...] = ()


def encode(table: Table, encoding: Encoding, *, name: str, task: str, source: str) -> Dataset:
    """Return the data set that ``encoding`` makes of ``table``.

    :raises DataError: if a column is unknown or not numeric, a value missing or infinite, or the
        target constant, or fewer than two rows or no feature are left
    """
    table = _rename(table, encoding)
    target = _find(table, encoding.target)
    for wanted in (*encoding.drop, *encoding.onehot, *encoding.codes):
        _find(table, wanted)
    kept = [
        column
        for column in table.columns
        if column is not target and column.name not in encoding.drop
    ]
    if encoding.order:
        by_name = {column.name: column for column in kept}
        kept = [by_name[n] for n in encoding.order if n in by_name]
    if not kept:
        raise DataError(f"{table.where} has no column left to be a feature")

    features: list[tuple[str, NDArray[np.float64]]] = []
    for column in kept:
        features += _encode_column(column, encoding, table)
        check_cells(table.n_rows, len(features), table.where)
    y, classes = _encode_target(target, task, table.where, encoding.classes)

    X = np.empty((table.n_rows, len(features)))
    for j, (_, values) in enumerate(features):
        X[:, j] = values
    if encoding.drop_missing:
        complete = ~np.isnan(X).any(axis=1) & (~np.isnan(y) if y.dtype.kind == "f" else y >= 0)
        X, y = X[complete], y[complete]
        table = replace(table, lines=None if table.lines is None else table.lines[complete])
    _check_values(X, y, [feature for feature, _ in features], target.name, table)
    return make_dataset(
        name, X, y, [feature for feature, _ in features], target.name, task, source, classes
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
) -> Dataset:
    """Return a data set of arrays without missing values, after the checks common to all.

    :raises DataError: if there are fewer than two rows, or the target is constant
    """
    if len(y) < 2:
        raise DataError(f"data set {name!r} has {len(y)} row(s); at least two are needed")
    if np.all(y == y[0]):
        raise DataError(
            f"data set {name!r} has the constant target {target!r}: there is nothing to learn"
        )
    # Adding zero turns -0.0 into 0.0, so that equal data have equal bytes.
    X = np.ascontiguousarray(X, dtype=np.float64) + 0.0
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
    )


def _rename(table: Table, encoding: Encoding) -> Table:
    columns = table.columns
    if encoding.columns:
        if len(encoding.columns) != len(columns):
            raise DataError(
                f"{table.where} has {len(columns)} columns, "
                f"but {len(encoding.columns)} are expected"
            )
        columns = tuple(
            replace(column, name=name)
            for column, name in zip(columns, encoding.columns, strict=True)
        )
    if encoding.rows:
        start, stop = encoding.rows
        if table.n_rows < stop:
            raise DataError(
                f"{table.where} has {table.n_rows} rows, but at least {stop} are expected"
            )
        if table.lines is not None:
            table = replace(table, lines=table.lines[start:stop])
        columns = tuple(
            replace(
                column,
                values=column.values[start:stop],
                labels=None if column.labels is None else column.labels[start:stop],
            )
            for column in columns
        )
    return replace(table, columns=columns)


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
            raise DataError(
                f"{table.where} has no column {wanted}; its columns are 1 to {len(names)}"
            )
        return table.columns[wanted - 1 if wanted > 0 else wanted]
    for column in table.columns:
        if column.name == wanted:
            return column
    near = difflib.get_close_matches(str(wanted), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"its columns are {_listing(names)}"
    raise DataError(f"{table.where} has no column {wanted!r}; {hint}")


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(" ".join(name[:60].split()) for name in names[:12])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 12 else "")


def _encode_column(
    column: Column, encoding: Encoding, table: Table
) -> list[tuple[str, NDArray[np.float64]]]:
    where = table.where
    if column.name in encoding.codes:
        levels = [str(level) for level in encoding.codes[column.name]]
        return [(column.name, _to_codes(column, levels, where))]
    if column.name in encoding.onehot or (column.nominal and not encoding.strict):
        labels = _labels(column)
        missing = np.array([label is None for label in labels])
        if missing.any():
            if encoding.drop_missing:
                raise DataError(f"{where} has missing values in column {column.name!r}")
            _refuse_missing(column.name, missing, table)
        levels = sorted({label for label in labels if label is not None})
        if len(levels) > bounds.MAX_LEVELS:
            raise DataError(
                f"{where} has {len(levels):,} different values in column {column.name!r}; "
                f"at most {bounds.MAX_LEVELS:,} can become features; drop it or make it numeric"
            )
        return [(f"{column.name}={x}", (labels == x).astype(np.float64)) for x in levels]
    if column.labels is None:
        return [(column.name, column.values)]
    try:
        numbers = [np.nan if label is None else float(label) for label in column.labels]
    except ValueError:
        seen = column.first_text or repr(
            next(x for x in column.labels if x is not None and not _is_float(x))[:40]
        )
        raise DataError(
            f"{where} has text in column {column.name!r} ({seen}), which must be numeric; "
            "name it under categorical: or under drop:"
        ) from None
    return [(column.name, np.array(numbers))]


def _to_codes(column: Column, levels: Sequence[str], where: str) -> NDArray[np.float64]:
    position = {level: float(i) for i, level in enumerate(levels)}
    labels = _labels(column)
    unknown = {label for label in labels if label is not None} - position.keys()
    if unknown:
        raise DataError(
            f"{where} has {min(unknown)!r} in column {column.name!r}, "
            f"whose levels are {', '.join(levels)}"
        )
    return np.array([np.nan if label is None else position[label] for label in labels])


def _encode_target(
    column: Column, task: str, where: str, order: Sequence[str] = ()
) -> tuple[NDArray[np.float64] | NDArray[np.int64], tuple[str, ...]]:
    if task == "regression":
        if column.labels is None:
            return column.values, ()
        try:
            return np.array([np.nan if x is None else float(x) for x in column.labels]), ()
        except ValueError:
            seen = column.first_text or repr(str(column.labels[0])[:40])
            raise TextTarget(
                f"{where} has text in the target column {column.name!r} ({seen}); "
                "a regression needs a numeric target"
            ) from None
    labels = _labels(column)
    found = {label for label in labels if label is not None}
    if len(found) > bounds.MAX_LEVELS:
        raise DataError(
            f"{where} has {len(found):,} classes in column {column.name!r}; "
            f"at most {bounds.MAX_LEVELS:,} are allowed"
        )
    if order and not found <= set(order):
        raise DataError(
            f"{where} has the class {min(found - set(order))!r} in column {column.name!r}; "
            f"{_listing(order)} are expected"
        )
    classes = sorted(found, key=float) if all(map(_is_float, found)) else sorted(found)
    classes = list(order) or classes
    position = {label: i for i, label in enumerate(classes)}
    return np.array([position.get(label, -1) for label in labels], dtype=np.int64), tuple(classes)


def _labels(column: Column) -> NDArray[np.object_]:
    """Return the values as text, whole numbers without a point, so that 6.0000 and 6 are one."""
    if column.labels is not None:
        return column.labels
    return np.array(
        [
            None
            if np.isnan(v)
            else (str(int(v)) if v == int(v) else repr(float(v)))
            if np.isfinite(v)
            else str(v)
            for v in column.values
        ],
        dtype=object,
    )


def _check_values(
    X: NDArray[np.float64],
    y: NDArray[np.float64] | NDArray[np.int64],
    names: Sequence[str],
    target: str,
    table: Table,
) -> None:
    missing_y = np.isnan(y) if y.dtype.kind == "f" else y < 0
    if missing_y.any():
        _refuse_missing(target, missing_y, table)
    _refuse_infinite(target, y, table)
    if np.isfinite(X).all():
        return
    for j, name in enumerate(names):
        missing = np.isnan(X[:, j])
        if missing.any():
            _refuse_missing(name, missing, table)
        _refuse_infinite(name, X[:, j], table)


def _refuse_missing(name: str, missing: NDArray[np.bool_], table: Table) -> None:
    raise DataError(
        f"{table.where} has {missing.sum()} missing value(s) in column {name!r}"
        f"{_first_line(missing, table)}; fill them, or leave out the rows or the column"
    )


def _refuse_infinite(name: str, values: NDArray[Any], table: Table) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"{table.where} has an infinite value in column {name!r}{_first_line(infinite, table)}"
        )


def _first_line(rows: NDArray[np.bool_], table: Table) -> str:
    if table.lines is None:
        return ""
    lines = table.lines[rows]
    return f" ({'from ' * (len(lines) > 1)}line {lines[0]})"


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
