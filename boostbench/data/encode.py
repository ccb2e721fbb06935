"""From a parsed table to the arrays for methods, with remarks on the conversion."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from boostbench.data.class_labels import doubtful_labels, mixed_truth
from boostbench.data.columns import ChosenColumns, Encoding, UsedColumns, choose, target_of
from boostbench.data.dataset import Dataset, with_fingerprint
from boostbench.data.date_columns import expand_dates
from boostbench.data.doubts import doubtful_columns, merged_numbers, number_sentinels, repeated_rows
from boostbench.data.options import DatasetOptions
from boostbench.data.problems import Problems, quoted, yaml_list
from boostbench.data.row_columns import check_roles, read_row_columns
from boostbench.data.table import Table, is_text
from boostbench.data.text_format import EMPTY, MISSING, is_date
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
        if a column is unknown, if columns have text, missing or infinite values that the encoding
        does not convert (all of them are named), if the target is constant, or if fewer than two
        rows or no feature remain
    """
    options = encoding.options
    label = _find(table, options.target)
    of_rows = list(options.of_rows.values())
    for wanted in (*options.drop, *options.onehot, *encoding.codes, *of_rows):
        _find(table, wanted)
    check_roles(options, label, table.where)
    table = _with_texts(table, label, task, encoding)
    levels = {*options.onehot, *encoding.codes}
    names = _possible_features(table, label, encoding)
    dates = expand_dates(table, names, levels, options.dates)
    table = dates.table
    problems = Problems(table, label, in_frame=options.features == "frame")
    dates.add_to(problems)
    chosen = choose(table, dates.names, encoding, problems)
    chosen.left_out += dates.left_out
    lacking = table.frame[label].isna()
    # Without these a row is left out with 'missing: drop'.
    needed = [*chosen.columns, *(table.frame[name] for name in of_rows)]
    rows = _complete(~lacking, needed) if options.missing == "drop" else ~lacking
    values, classes = target_of(table.frame[label][rows], task, encoding, chosen, problems)
    _add_infinite([values, *chosen.columns], problems)
    if options.missing == "error":
        _add_missing([table.frame[label], *chosen.columns], problems)
    problems.raise_any()
    if not encoding.classes:
        _check_truth(table, label, classes)
    used = chosen.used(rows)
    _check_left(table, label, rows, chosen, used, needed if options.missing == "drop" else [])
    columns_of_rows = read_row_columns(table, rows, options)
    X, feature_names = used.arrays(len(values), table.where)
    y = values.to_numpy()
    remarks: list[str] = []
    if not encoding.strict:
        features = [column[rows] for column in chosen.columns if column.name not in dates.parts]
        remarks = [
            *table.remarks,
            *_remarks_on_target(options.target, label),
            *_remarks_on_marks(table, label, needed, options.na_values),
            *dates.remarks,
            *columns_of_rows.remarks(options),
            *_remarks(chosen, used, rows, lacking, needed, options),
            *_remarks_on_sentinels([values, *chosen.columns], dates.made, task, options),
            *doubtful_labels(classes, options.texts),
            *_remarks_on_features(features, table, table.frame[label][rows], task),
            *repeated_rows(X, y),
        ]
    return with_fingerprint(
        Dataset(
            name=name,
            X=X,
            y=y,
            feature_names=tuple(feature_names),
            target=label,
            task=task,
            fingerprint="",
            source=source,
            classes=classes,
            remarks=tuple(remarks),
            missing="median" if options.missing == "keep" else options.missing,
            left_out=tuple(np.flatnonzero(~rows).tolist()),
            frame=chosen.frame(rows) if options.features == "frame" else None,
            groups=columns_of_rows.groups,
            times=columns_of_rows.times,
            weights=columns_of_rows.weights,
        )
    )


def _possible_features(table: Table, label: str, encoding: Encoding) -> list[str]:
    """Return the columns but for the target and those to be dropped; DataError for none."""
    left_out = {label, *encoding.options.drop, *encoding.options.of_rows.values()}
    names = [
        name
        for name in encoding.order or table.names
        if name not in left_out and name in table.frame
    ]
    if not names:
        raise DataError(f"{table.where} has no column left to be a feature")
    return names


def _add_infinite(columns: Iterable[pd.Series], problems: Problems) -> None:
    """Add the columns with infinite values to the problems."""
    for column in columns:
        if not is_text(column) and np.isinf(column).any():
            problems.add("infinite values", column, np.isinf(column), show=False)


def _add_missing(columns: Iterable[pd.Series], problems: Problems) -> None:
    """Add the columns with missing values to the problems."""
    for column in columns:
        gaps = column.isna()
        if not gaps.any():
            continue
        if gaps.all():
            problems.add("no values", column, gaps & False, show=False)
        else:
            problems.add("missing values", column, gaps, show=False)


def _check_truth(table: Table, label: str, classes: Sequence[str]) -> None:
    """Raise DataError where classes are true and false beside 1 and 0."""
    if mixed_truth(classes):
        raise DataError(
            f"{table.where} has both true/false and 1/0 in the target column {quoted(label)}; "
            "write its classes in one way"
        )


def _complete(rows: pd.Series, columns: Iterable[pd.Series]) -> pd.Series:
    """Return which of ``rows`` have a value in all columns."""
    for column in columns:
        rows = rows & column.notna()
    return rows


def _check_left(
    table: Table,
    label: str,
    rows: pd.Series,
    chosen: ChosenColumns,
    used: UsedColumns,
    needed: Sequence[pd.Series],
) -> None:
    """Raise DataError unless there are a feature and, of a table that has them, two rows left."""
    if not used.columns:
        raise DataError(
            f"{table.where} has no column left to be a feature; "
            f"left out: {', '.join([*chosen.left_out, *chosen.not_in_matrix])}"
        )
    if rows.sum() < 2 <= len(rows):
        gaps = _gaps([table.frame[label], *needed])
        worst = max(gaps, key=gaps.__getitem__)
        raise DataError(
            f"{table.where} has {int(rows.sum())} of {len(rows):,} rows left without gaps, "
            f"{gaps[worst]:,} of them in column {worst!r}; leave it out with drop:, or set "
            "'missing: median'"
        )


def _with_texts(table: Table, label: str, task: str, encoding: Encoding) -> Table:
    """Return a user's table with the texts of the file where columns have labels, levels or codes.

    Codes are numbers such as 007 among the features.
    """
    if encoding.strict:
        return table
    options = encoding.options
    wanted = {label} if task == "classification" else set()
    # Float64 does not tell long numbers of groups apart.
    wanted |= {*options.onehot, *([] if options.group is None else [options.group])}
    if table.find_codes is not None:
        features = _possible_features(table, label, encoding)
        wanted |= set(features).intersection(table.find_codes())
    return table.with_texts_of(wanted)


def _find(table: Table, wanted: str | int | None) -> str:
    """Return a column's name, by name or number; None is the one output that the file names."""
    names = table.names
    known = listing((" ".join(name[:60].split()) for name in names), 12)
    if wanted is None:
        if len(table.outputs) != 1:
            raise DataError(
                f"{table.where} does not say which column is the target; "
                f"give target: with one of {known}"
            )
        wanted = table.outputs[0]
    if isinstance(wanted, int):
        if (name := _numbered(names, wanted)) is not None:
            return name
        hint = f"its columns are 1 to {len(names)}"
        if _has_numbers_as_names(names):
            hint = f"where numbers are names, a number is a name: its columns are {known}"
    elif wanted in names:
        return wanted
    else:
        near = nearest(wanted, names)
        hint = f"did you mean {near!r}?" if near else f"its columns are {known}"
    raise UnknownColumnError(f"{table.where} has no column {wanted!r}; {hint}")


def _numbered(names: Sequence[str], number: int) -> str | None:
    """Return the column that has a number as its name, else the one at that place, counted from 1.

    Where other columns have numbers as names only places from the end count, -1 for the last.
    """
    if str(number) in names:
        return str(number)
    if 1 <= number <= len(names) and not _has_numbers_as_names(names):
        return names[number - 1]
    return names[number] if -len(names) <= number <= -1 else None


def _has_numbers_as_names(names: Sequence[str]) -> bool:
    return any(name.isdecimal() for name in names)


def _remarks(
    chosen: ChosenColumns,
    used: UsedColumns,
    rows: pd.Series,
    lacking: pd.Series,
    needed: Sequence[pd.Series],
    options: DatasetOptions,
) -> list[str]:
    """Return the remarks on the chosen columns, of which ``rows`` are used."""
    remarks = []
    if options.features == "frame":
        remarks = _remarks_on_frame(chosen, rows, options.missing)
    remarks += _remarks_on_levels(used.levels, int(rows.sum()))
    remarks += [f"{how} in {listing(names, 8)}" for how, names in chosen.read_as.items()]
    if options.missing in ("median", "keep"):
        remarks += _remarks_on_gaps(used.columns)
    if not rows.all():
        gaps = _gaps(needed) if options.missing == "drop" else {}
        gaps |= {"target": int(lacking.sum())} if lacking.any() else {}
        remarks.append(
            f"{int((~rows).sum()):,} of {counted(len(rows), 'row')} left out for missing values "
            f"({_counts(gaps)})"
        )
    if chosen.left_out:
        remarks.append(f"left out: {listing(chosen.left_out, 8)}")
    return remarks


def _remarks_on_target(wanted: str | int | None, label: str) -> list[str]:
    """Return which column is the target where a number says so."""
    return [f"target {wanted} is the column {quoted(label)}"] if isinstance(wanted, int) else []


def _remarks_on_frame(chosen: ChosenColumns, rows: pd.Series, missing: str) -> list[str]:
    """Return that there is a frame, and which of its columns the matrix does not have."""
    gaps = _gaps(column[rows] for column in chosen.columns) if missing == "keep" else {}
    kept = f", gaps kept ({_counts(gaps)})" if gaps else ""
    n_columns = counted(len(chosen.columns), "column")
    remarks = [f"a frame of {n_columns}{kept}, and, for methods that take none, a matrix"]
    if chosen.only_in_frame:
        remarks.append(f"not in the matrix: {listing(chosen.not_in_matrix, 8)}")
    return remarks


def _remarks_on_marks(
    table: Table, target: str, columns: Iterable[pd.Series], na_values: Sequence[str] | None
) -> list[str]:
    """Return what was read as missing, and which of these marks a list of ``na_values`` lacks.

    Nothing is said of a table that has nothing but its format's own marks, such as empty cells.
    """
    marks = Counter(table.marks.get(target, {}))
    for column in columns:
        marks.update(table.marks.get(str(column.name), {}))
    if marks.keys() <= table.nulls:
        return []
    remarks = [f"read as missing: {_in_words(marks)}"]
    usual = {mark: n for mark, n in marks.items() if mark in MISSING - table.nulls - EMPTY}
    if na_values is None and usual:
        remarks[0] += "; 'na_values: []' leaves only empty cells missing"
    if na_values and (unlisted := {mark: n for mark, n in usual.items() if mark not in na_values}):
        remarks.append(
            f"na_values adds to the usual marks, of which the file has {_in_words(unlisted)}: "
            "list these too, since the next version takes only what is listed"
        )
    return remarks


def _in_words(marks: Mapping[str, int]) -> str:
    """Return texts that mean missing, with the number of each, the most frequent first."""
    ordered = sorted(marks.items(), key=lambda pair: (-pair[1], not pair[0], pair[0]))
    shown = (f"{quoted(mark, 20) if mark else 'empty'} {many:,}" for mark, many in ordered)
    return listing(shown, 8)


def _remarks_on_levels(levels: Mapping[str, Sequence[str]], n_rows: int) -> list[str]:
    """Return which columns become one feature per level, and which have many, or dates."""
    if not levels:
        return []
    n_levels = {name: len(known) for name, known in levels.items()}
    one_hot = counted(len(n_levels), "column")
    remarks = [f"{one_hot} one-hot encoded (levels: {_counts(n_levels)})"]
    large = {name: n for name, n in n_levels.items() if _is_many(n, n_rows)}
    if large:
        remarks.append(
            f"many levels for {n_rows:,} rows: {_counts(large)}; "
            f"'drop: {yaml_list(list(large))}' leaves them out"
        )
    if mixed := [quoted(name) for name, known in levels.items() if _has_a_date(known)]:
        remarks.append(
            f"dates among other levels: {listing(mixed, 8)} (spreadsheets make dates of texts such "
            "as 2-3; correct the file, or leave them out)"
        )
    return remarks


def _remarks_on_gaps(used: Sequence[pd.Series]) -> list[str]:
    """Return how many missing values are filled, and how many are of categories."""
    remarks = []
    if gaps := _gaps(column for column in used if not is_text(column)):
        remarks.append(
            f"{counted(sum(gaps.values()), 'missing value')} in {counted(len(gaps), 'column')} "
            f"filled by the median of the training rows ({_counts(gaps)})"
        )
    if gaps := _gaps(column for column in used if is_text(column)):
        remarks.append(
            f"{counted(sum(gaps.values()), 'missing value')} in "
            f"{counted(len(gaps), 'categorical column')} encoded as zeros ({_counts(gaps)})"
        )
    return remarks


def _remarks_on_features(
    features: Sequence[pd.Series], table: Table, target: pd.Series, task: str
) -> list[str]:
    """Return which columns of long numbers lose digits, and which others are likely mistakes."""
    merged = merged_numbers(features, table)
    others = [column for column in features if column.name not in merged]
    doubts = doubtful_columns(others, target, are_classes=task == "classification")
    if not merged:
        return doubts
    shown = listing((f"{quoted(name)} ({how})" for name, how in merged.items()), 8)
    names = yaml_list(list(merged))
    return [
        f"numbers of more digits than 64 bits hold: {shown}; 'drop: {names}' leaves out what "
        f"identifies rows, 'categorical: {names}' makes levels of them",
        *doubts,
    ]


def _remarks_on_sentinels(
    columns: Sequence[pd.Series], of_dates: Collection[str], task: str, options: DatasetOptions
) -> list[str]:
    """Return which numbers of the target, the first column, and of the features may mean missing.

    Columns that were made ``of_dates`` are not looked at, nor are classes.
    """
    numeric = columns if task == "regression" else columns[1:]
    return [
        sentence
        for column in numeric
        if not is_text(column) and column.name not in of_dates
        for sentence in number_sentinels(column, options.texts)
    ]


def _is_many(n_levels: int, n_rows: int) -> bool:
    return n_levels > _MANY_LEVELS or (n_levels > _FEW_LEVELS and 10 * n_levels > n_rows)


def _has_a_date(levels: Sequence[str]) -> bool:
    """Return whether some levels are dates, and most are not."""
    return 0 < 2 * sum(map(is_date, levels)) < len(levels)


def _gaps(columns: Iterable[pd.Series]) -> dict[str, int]:
    """Return the number of missing values of each column that has some."""
    return {str(column.name): int(column.isna().sum()) for column in columns if column.hasnans}


def _counts(counts: Mapping[str, int]) -> str:
    """Return ``name 3, other 1``."""
    return listing((f"{' '.join(name.split())[:40]} {n:,}" for name, n in counts.items()), 8)
