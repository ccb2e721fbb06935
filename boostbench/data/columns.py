"""Columns as numbers, as 0/1 features of their levels, as classes, or left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.class_labels import are_numbers, as_labels, in_order
from boostbench.data.options import DatasetOptions
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import TEXT, Table, check_cells, declares_levels, is_text
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.data.text_kinds import FEW_LEVELS, TextKind, are_codes, kind_of
from boostbench.errors import DataError
from boostbench.suggest import listing

_PROBLEM = {
    TextKind.NUMBERS: "values that are no numbers",
    TextKind.MISTYPED: "text among the numbers",
    TextKind.NAMES: "text",
    TextKind.LEVELS: "text",
}
_CODES_AS_NUMBERS = "values that begin with 0 read as numbers ('categorical' makes levels of them)"


@dataclass(frozen=True)
class Encoding:
    """How a table becomes ``X`` and ``y``: by its options, and by what only a card says.

    Parameters
    ----------
    options : those of the data set; ``target`` None takes the one output that the file itself names
    order : the order of features, where it is not the table's; columns not in it drop out
    codes : nominal columns that become one feature: the position of the level in its list
    strict : whether other nominal columns must be numbers, unless they are to become one-hot
    classes : the target's labels in the order of their codes, sorted if none are given
    """

    options: DatasetOptions
    order: tuple[str, ...] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    strict: bool = False
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class UsedColumns:
    """The used rows of the columns that become features; ``levels`` are those of text, sorted."""

    columns: Sequence[pd.Series]
    levels: Mapping[str, Sequence[str]]

    def arrays(self, n_rows: int, where: str) -> tuple[NDArray[np.float64], list[str]]:
        """Return X (n_rows, p), NaN where a number is missing, and the features' names.

        A column of text gives one 0/1 feature per level, in sorted order; a row without a value has
        none of the levels.
        """
        for name, known in self.levels.items():
            if len(known) > bounds.MAX_LEVELS:
                raise DataError(
                    f"{where} has {len(known):,} levels in column {quoted(name)}; "
                    f"at most {bounds.MAX_LEVELS:,} become features; drop it"
                )
        n_numeric = len(self.columns) - len(self.levels)
        n_features = n_numeric + sum(map(len, self.levels.values()))
        check_cells(n_rows, n_features, where)
        names: list[str] = []
        X = np.empty((n_rows, n_features))
        for j, (name, values) in enumerate(self._features()):
            names.append(name)
            X[:, j] = values
        return X, names

    def _features(self) -> Iterator[tuple[str, pd.Series]]:
        """Yield the name and the values of each feature."""
        for column in self.columns:
            name = str(column.name)
            if name not in self.levels:
                yield name, column
            for level in self.levels.get(name, ()):
                yield f"{name}={level}", column == level


@dataclass
class ChosenColumns:
    """The columns that become features; a column of text becomes one 0/1 feature per level.

    ``read_as`` lists the columns of text that were read as numbers, by their kind of content;
    ``left_out`` says which columns are no features, and why, and ``only_in_frame`` why those of
    ``columns`` that it names are none of the matrix. ``coded`` are the texts of the columns that
    the matrix has as codes, and ``truths`` name the columns of true and false.
    """

    columns: list[pd.Series] = field(default_factory=list)
    read_as: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    only_in_frame: dict[str, str] = field(default_factory=dict)
    coded: dict[str, pd.Series] = field(default_factory=dict)
    truths: set[str] = field(default_factory=set)

    def labels_of(self, column: pd.Series, encoding: Encoding) -> pd.Series:
        """Return a column's labels: its texts, whole numbers without a point."""
        texts = texts_of(column)
        if encoding.strict or declares_levels(column):
            return texts
        labels, merged = as_labels(texts, encoding.options.texts)
        if merged:
            self.add_reading(
                f"numbers written in two ways read as one ({listing(merged, 3)})", column
            )
        return labels

    def add_reading(self, how: str, column: pd.Series) -> None:
        """Add how the texts of a column were read; "" says nothing."""
        if how:
            self.read_as.setdefault(how, []).append(quoted(column.name))

    @property
    def not_in_matrix(self) -> list[str]:
        """The columns of the frame only, each with the reason."""
        return [f"{quoted(name)} ({why})" for name, why in self.only_in_frame.items()]

    def used(self, rows: pd.Series) -> UsedColumns:
        """Return the columns of the matrix in these rows."""
        columns = [column for column in self.columns if column.name not in self.only_in_frame]
        # A copy of all columns may be large.
        columns = columns if rows.all() else [column[rows] for column in columns]
        texts = {str(column.name): levels(column) for column in columns if is_text(column)}
        return UsedColumns(columns, texts)

    def frame(self, rows: pd.Series) -> pd.DataFrame:
        """Return the columns of the frame in these rows, numbered from 0."""
        columns: dict[str, pd.Series] = {}
        for column in self.columns:
            name = str(column.name)
            used = self.coded.get(name, column)[rows]
            if is_text(used):
                known = pd.Index(levels(used), dtype=TEXT)
                used = used.astype(TEXT).astype(pd.CategoricalDtype(known))
            elif name in self.truths and not used.hasnans:
                used = used == 1.0
            else:
                # -0.0 becomes 0.0, so that equal data have equal bytes.
                used = used + 0.0
            columns[name] = used
        return pd.DataFrame(columns).reset_index(drop=True)


def choose(table: Table, names: list[str], encoding: Encoding, problems: Problems) -> ChosenColumns:
    """Return the features of the table's columns ``names``; add unusable ones to ``problems``."""
    chosen = ChosenColumns()
    for name in names:
        column = table.frame[name]
        if _is_unnamed(table, name, encoding):
            # R and pandas give the names of rows no name; others end each row with a separator.
            what = "empty" if column.isna().all() else "names of rows"
            chosen.left_out.append(f"column {table.names.index(name) + 1} (unnamed, {what})")
            continue
        feature = _feature(column, encoding, chosen, problems)
        if feature is None:
            continue
        if encoding.options.missing != "error" and feature.isna().all():
            chosen.left_out.append(f"{quoted(name)} (empty)")
            continue
        chosen.columns.append(feature)
        if encoding.options.features == "frame":
            _note_for_frame(column, feature, encoding, chosen)
    return chosen


def _note_for_frame(
    column: pd.Series, feature: pd.Series, encoding: Encoding, chosen: ChosenColumns
) -> None:
    """Note what the frame has otherwise than the matrix: texts, and true and false."""
    name = str(column.name)
    if name in encoding.codes:
        chosen.coded[name] = texts_of(column)
    elif is_text(column) and not is_text(feature):
        words = column.dropna().str.casefold()
        if words.isin(["true", "false"]).any():
            chosen.truths.add(name)
    elif is_text(feature) and feature.nunique() > bounds.MAX_LEVELS:
        chosen.only_in_frame.setdefault(name, f"{feature.nunique():,} levels")


def _is_unnamed(table: Table, name: str, encoding: Encoding) -> bool:
    """Return whether a column has no name in a user's file, nor a use that the user gave it."""
    if encoding.strict or name in encoding.codes or name in encoding.options.onehot:
        return False
    return name in table.unnamed and not declares_levels(table.frame[name])


def _feature(
    column: pd.Series, encoding: Encoding, chosen: ChosenColumns, problems: Problems
) -> pd.Series | None:
    """Return a column as a feature of numbers or of levels; None where it is none.

    Then it is added to ``problems``, or to what is left out.
    """
    name = str(column.name)
    if name in encoding.codes:
        return _to_codes(column, encoding.codes[name], problems.where)
    if name in encoding.options.onehot or (declares_levels(column) and not encoding.strict):
        return chosen.labels_of(column, encoding)
    if not is_text(column):
        return column
    if problems.add_dates(column):
        return None
    numbers, how = numbers_in(column, encoding.options.texts, percent=not encoding.strict)
    if numbers is not None and are_codes(column.dropna().unique()):
        if encoding.options.categorical == "auto":
            numbers = None
        else:
            how = _CODES_AS_NUMBERS
    chosen.add_reading(how, column)
    if numbers is not None:
        return numbers
    return column if _is_nominal(column, encoding, chosen, problems) else None


def _is_nominal(
    column: pd.Series, encoding: Encoding, chosen: ChosenColumns, problems: Problems
) -> bool:
    kind, odd = kind_of(column, encoding.options.texts)
    n_levels, known = column.nunique(), column.notna()
    in_frame = encoding.options.features == "frame"
    if encoding.options.every_text and kind == TextKind.NAMES:
        why = f"{n_levels:,} different texts in {known.sum():,} values"
        if in_frame:
            chosen.only_in_frame[str(column.name)] = why
            return True
        chosen.left_out.append(f"{quoted(column.name)} ({why})")
    elif encoding.options.every_text and kind == TextKind.LEVELS:
        if in_frame or n_levels <= bounds.MAX_LEVELS:
            return True
        problems.add("too many levels", column, odd)
    else:
        problems.add(_PROBLEM[kind], column, odd)
        if encoding.options.missing == "error" and kind != TextKind.NAMES and not known.all():
            problems.add("missing values", column, ~known, show=False)
    return False


def levels(column: pd.Series) -> list[str]:
    """Return the different texts of a column, sorted."""
    return sorted(column.dropna().unique())


def numbers_in(
    column: pd.Series, texts: TextFormat, *, percent: bool
) -> tuple[pd.Series | None, str]:
    """Return texts as numbers, None if one is no number, and how they were read.

    With ``percent`` those that are all true or false (or 1 and 0) become 1 and 0, and those that
    are all percentages their number.
    """
    numbers = texts.numbers(column)
    known = column.dropna()
    if numbers is not None or not percent:
        return numbers, ""
    if known.str.casefold().isin(["true", "false", "1", "0"]).all():
        truth = column.str.casefold().replace({"true": "1", "false": "0"})
        return PLAIN.numbers(truth), "true/false read as 1/0"
    if known.str.endswith("%").all():
        numbers = texts.numbers(column.str[:-1].str.rstrip())
        return numbers, "" if numbers is None else "percentages read as numbers (72 for 72%)"
    return None, ""


def _to_codes(column: pd.Series, known: Sequence[object], where: str) -> pd.Series:
    position = {str(level): float(i) for i, level in enumerate(known)}
    texts = texts_of(column)
    if unknown := set(texts.dropna()) - position.keys():
        raise DataError(
            f"{where} has {min(unknown)!r} in column {column.name!r}, not in {', '.join(position)}"
        )
    return texts.map(position).astype(np.float64)


def texts_of(column: pd.Series) -> pd.Series:
    """Return values as text, whole numbers without a point: 6.0000 and 6 are one."""
    if is_text(column):
        return column.astype(TEXT)

    def as_text(value: float) -> str:
        return str(int(value)) if np.isfinite(value) and value == int(value) else str(value)

    return column.map({v: as_text(v) for v in column.dropna().unique().tolist()}).astype(TEXT)


Encoded = tuple[pd.Series, tuple[str, ...]]
"""float64, or codes and their classes."""


def target_of(
    column: pd.Series, task: str, encoding: Encoding, chosen: ChosenColumns, problems: Problems
) -> Encoded:
    """Return numbers for a regression, else codes; add an unusable column to ``problems``."""
    if task == "classification":
        return _classes(column, encoding, chosen, problems)
    if not is_text(column):
        return column, ()
    column = column.astype(TEXT)
    if problems.add_dates(column):
        return column.notna() * 1.0, ()
    numbers, how = numbers_in(column, encoding.options.texts, percent=True)
    if numbers is not None and not how.startswith("true"):
        chosen.add_reading(how, column)
        return numbers, ()
    kind, odd = kind_of(column, encoding.options.texts)
    problems.add(_PROBLEM[kind], column, odd)
    return column.notna() * 1.0, ()


def _classes(
    column: pd.Series, encoding: Encoding, chosen: ChosenColumns, problems: Problems
) -> Encoded:
    """Return the codes of the classes in ``column``, sorted (numbers as such) or as on a card.

    A column whose labels are continuous is added to ``problems``, unless the file declares them as
    levels. Raises DataError if there are too many classes, or one that is not on the card.
    """
    order = encoding.classes
    texts = chosen.labels_of(column, encoding)
    labels, n_known = levels(texts), int(texts.count())
    may_be_numbers = not order and not declares_levels(column)
    if may_be_numbers and _continuous(labels, n_known, encoding.options.texts):
        problems.add("continuous values", texts, texts.notna())
        return texts.notna() * 1, ()
    if len(labels) > bounds.MAX_LEVELS:
        raise DataError(
            f"{problems.where} has {len(labels):,} classes in column {quoted(column.name)}; "
            f"at most {bounds.MAX_LEVELS:,} are allowed"
        )
    unknown = [label for label in labels if order and label not in order]
    if unknown:
        raise DataError(
            f"{problems.where} has the class {unknown[0]!r} in column {column.name!r}; "
            f"{listing(order)} are expected"
        )
    classes = tuple(order or in_order(labels, encoding.options.texts))
    return texts.map({label: i for i, label in enumerate(classes)}).astype(np.int64), classes


def _continuous(labels: Sequence[str], n_rows: int, texts: TextFormat) -> bool:
    """Return whether ``labels`` cannot be classes.

    These are no classes:

    - texts, codes such as 007, and whole numbers of which most occur once, if more than 20;
    - whole numbers of which there are more than 20, with fewer than five rows per label, and gaps
      between them: codes of classes such as 0, 1, 2, ... have none;
    - fractions, if more than 100, or more than five with fewer than five rows per label.
    """
    n_labels = len(labels)
    few_rows, most_once = n_rows < 5 * n_labels, 2 * n_labels > n_rows
    if not are_numbers(labels, texts):
        return n_labels > FEW_LEVELS and most_once
    values = np.array(sorted(float(texts.number(label) or 0.0) for label in labels))
    if (values != np.floor(values)).any():
        return n_labels > 100 or (n_labels > 5 and few_rows)
    if n_labels <= FEW_LEVELS or not few_rows or not np.isfinite(values).all():
        return False
    return most_once or bool(np.ptp(values) / np.diff(values).min() + 1 > 1.2 * n_labels)
