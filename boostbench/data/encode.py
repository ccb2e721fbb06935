"""From a parsed table to the arrays for methods, with remarks on the conversion."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from boostbench.data.class_labels import doubtful_labels, mixed_truth
from boostbench.data.columns import Encoding, Features, choose, levels, target_of
from boostbench.data.dataset import Dataset, with_fingerprint
from boostbench.data.dates import is_date
from boostbench.data.doubts import doubtful_columns, repeated_rows
from boostbench.data.marks import remarks_on_marks
from boostbench.data.problems import Problems, quoted, yaml_list
from boostbench.data.table import Table, is_text
from boostbench.errors import DataError, UnknownColumnError
from boostbench.suggest import counted, listing, nearest

# A column of text with more levels, or with more than a few in over a tenth of the rows, is named.
_MANY_LEVELS, _FEW_LEVELS = 100, 10


def encode(table: Table, encoding: Encoding, *, name: str, task: str, source: str) -> Dataset:
    """Return the data set that ``encoding`` makes of ``table``.

    ``remarks`` of the data set report conversions that were not asked for explicitly, and possible
    mistakes; there are none if ``encoding`` is strict.

    Raises
    ------
    DataError
        if a column is unknown; naming all columns with text, missing or infinite values that the
        encoding does not convert; if the target is constant, or fewer than two rows or no feature
        remain
    """
    label = _find(table, encoding.target)
    for wanted in (*encoding.drop, *encoding.onehot, *encoding.codes):
        _find(table, wanted)
    left_out = {label, *encoding.drop}
    kept = [n for n in encoding.order or table.names if n not in left_out and n in table.frame]
    if not kept:
        raise DataError(f"{table.where} has no column left to be a feature")
    table = _with_labels(table, label, task, encoding)
    problems = Problems(table, label)
    chosen = choose(table, kept, encoding, problems)
    lacking = table.frame[label].isna()
    rows = ~lacking
    for column in chosen.columns if encoding.missing == "drop" else ():
        rows &= column.notna()
    values, classes = target_of(table.frame[label][rows], task, encoding, chosen, problems)
    for column in (values, *chosen.columns):
        if not is_text(column) and np.isinf(column).any():
            problems.add("infinite values", column, np.isinf(column), show=False)
    for column in (table.frame[label], *chosen.columns):
        if encoding.missing == "error" and column.isna().any():
            what = "missing values" if column.notna().any() else "no values"
            gaps = column.isna() & (what == "missing values")
            problems.add(what, column, gaps, show=False)
    problems.raise_any()
    if not encoding.classes and mixed_truth(classes):
        both = f"both true/false and 1/0 in the target column {quoted(label)}"
        raise DataError(f"{table.where} has {both}; write its classes in one way")
    if not chosen.columns:
        gone = ", ".join(chosen.left_out)
        raise DataError(f"{table.where} has no column left to be a feature; left out: {gone}")
    if rows.sum() < 2 <= len(rows):
        lacks = _gaps([table.frame[label], *(chosen.columns if encoding.missing == "drop" else [])])
        worst = max(lacks, key=lacks.__getitem__)
        left = f"{table.where} has {int(rows.sum())} of {len(rows):,} rows left without gaps"
        advice = "leave it out with drop:, or set 'missing: median'"
        raise DataError(f"{left}, {lacks[worst]:,} of them in column {worst!r}; {advice}")
    X, feature_names = chosen.arrays(rows, table.where)
    y = values.to_numpy()
    remarks: list[str] = []
    if not encoding.strict:
        used, labels = [column[rows] for column in chosen.columns], table.frame[label][rows]
        remarks = [
            *table.remarks,
            *remarks_on_marks(table, label, chosen, encoding.na_values),
            *_remarks(chosen, rows, lacking, encoding.missing),
            *doubtful_labels(classes, encoding.texts),
            *doubtful_columns(used, labels, are_classes=task == "classification"),
            *repeated_rows(X, y),
        ]
    about = tuple(feature_names), label, task, "", source, classes, tuple(remarks)
    absent = tuple(np.flatnonzero(~rows).tolist())
    return with_fingerprint(Dataset(name, X, y, *about, encoding.missing, absent))


def _with_labels(table: Table, label: str, task: str, encoding: Encoding) -> Table:
    """Return a user's table with the texts of the file where columns have labels or levels."""
    if encoding.strict:
        return table
    classes = [label] if task == "classification" else []
    return table.with_texts_of({*classes, *encoding.onehot})


def _find(table: Table, wanted: str | int | None) -> str:
    """Return a column's name, by name or number; None is the one output that the file names."""
    names = table.names
    known = listing((" ".join(name[:60].split()) for name in names), 12)
    if wanted is None:
        if len(table.outputs) != 1:
            hint = f"give target: with one of {known}"
            raise DataError(f"{table.where} does not say which column is the target; {hint}")
        wanted = table.outputs[0]
    if isinstance(wanted, int):
        if 1 <= wanted <= len(names) or -len(names) <= wanted <= -1:
            return names[wanted - 1 if wanted > 0 else wanted]
        hint = f"its columns are 1 to {len(names)}"
    elif wanted in names:
        return wanted
    else:
        near = nearest(wanted, names)
        hint = f"did you mean {near!r}?" if near else f"its columns are {known}"
    raise UnknownColumnError(f"{table.where} has no column {wanted!r}; {hint}")


def _remarks(chosen: Features, rows: pd.Series, lacking: pd.Series, missing: str) -> list[str]:
    """Return the remarks on the chosen columns, of which ``rows`` are used."""
    used = [column[rows] for column in chosen.columns]
    remarks = []
    categories = {str(column.name): len(levels(column)) for column in used if is_text(column)}
    if categories:
        many = counted(len(categories), "column")
        remarks.append(f"{many} one-hot encoded (levels: {_counts(categories)})")
    if large := {name: n for name, n in categories.items() if _is_many(n, int(rows.sum()))}:
        advice = f"'drop: {yaml_list(list(large))}' leaves them out"
        remarks.append(f"many levels for {int(rows.sum()):,} rows: {_counts(large)}; {advice}")
    if mixed := [quoted(str(column.name)) for column in used if _has_a_date(column)]:
        why = "spreadsheets make dates of texts such as 2-3; correct the file, or leave them out"
        remarks.append(f"dates among other levels: {listing(mixed, 8)} ({why})")
    remarks += [f"{how} in {listing(names, 8)}" for how, names in chosen.read_as.items()]
    for kind, done, texts in (
        ("column", "filled by the median of the training rows", False),
        ("categorical column", "encoded as zeros", True),
    ):
        gaps = _gaps(column for column in used if is_text(column) == texts)
        if gaps and missing == "median":
            many = f"{counted(sum(gaps.values()), 'missing value')} in {counted(len(gaps), kind)}"
            remarks.append(f"{many} {done} ({_counts(gaps)})")
    if not rows.all():
        gaps = _gaps(chosen.columns) if missing == "drop" else {}
        gaps |= {"target": int(lacking.sum())} if lacking.any() else {}
        left_out = f"{int((~rows).sum()):,} of {counted(len(rows), 'row')} left out"
        remarks.append(f"{left_out} for missing values ({_counts(gaps)})")
    if chosen.left_out:
        remarks.append(f"left out: {listing(chosen.left_out, 8)}")
    return remarks


def _is_many(n_levels: int, n_rows: int) -> bool:
    return n_levels > _MANY_LEVELS or (n_levels > _FEW_LEVELS and 10 * n_levels > n_rows)


def _has_a_date(column: pd.Series) -> bool:
    """Return whether some levels of a column are dates, and most are not."""
    found = [is_date(level) for level in levels(column)] if is_text(column) else []
    return 0 < 2 * sum(found) < len(found)


def _gaps(columns: Iterable[pd.Series]) -> dict[str, int]:
    """Return the number of missing values of each column that has some."""
    return {str(column.name): int(column.isna().sum()) for column in columns if column.hasnans}


def _counts(counts: Mapping[str, int]) -> str:
    """Return ``name 3, other 1``."""
    return listing((f"{' '.join(name.split())[:40]} {n:,}" for name, n in counts.items()), 8)
