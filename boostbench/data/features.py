"""What becomes of each column of a table: numbers, 0/1 features of its levels, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.numbers import formats_of
from boostbench.data.problems import Problems, quoted
from boostbench.data.table import Column, Table, check_cells, numbers_of
from boostbench.data.texts import convert, describe
from boostbench.errors import DataError

if TYPE_CHECKING:
    from boostbench.data.encode import Encoding

Feature = tuple[str, NDArray[np.float64]]


@dataclass
class Chosen:
    """The columns that become features: numeric ones, and (``levels``) those of categories.

    ``converted`` lists the columns of text that were read as numbers, by their content (``true
    and false`` or ``percentages``); ``left_out`` says which columns are no features, and why.
    """

    columns: list[Column] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    converted: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def take(self, rows: NDArray[np.bool_]) -> "Chosen":
        """Return the same with these rows only."""
        return replace(self, columns=[column.take(rows) for column in self.columns])


def choose(
    columns: Sequence[Column], table: Table, encoding: "Encoding", problems: Problems
) -> Chosen:
    """Return what becomes of ``columns`` of ``table``; add those of no use to ``problems``."""
    chosen = Chosen()
    for column in columns:
        if column.name in encoding.codes:
            codes = _to_codes(column, encoding.codes[column.name], table.where)
            chosen.columns.append(Column(column.name, codes))
        elif column.name in encoding.onehot or (column.nominal and not encoding.strict):
            chosen.levels.append(column.name)
            chosen.columns.append(Column(column.name, column.values, labels_of(column)))
        elif column.unnamed and not encoding.strict:
            # R and pandas give the names of rows no name; others end each row with a separator.
            what = "empty" if column.missing.all() else "names of rows"
            at = table.names.index(column.name) + 1
            chosen.left_out.append(f"column {at} (unnamed, {what})")
        elif column.labels is None:
            chosen.columns.append(column)
        else:
            _choose_text(column, encoding, chosen, problems)
    if encoding.missing != "error":
        empty = [column.name for column in chosen.columns if column.missing.all()]
        chosen.columns = [column for column in chosen.columns if column.name not in empty]
        chosen.left_out += [f"{quoted(name)} (empty)" for name in empty]
    return chosen


def _choose_text(column: Column, encoding: "Encoding", chosen: Chosen, problems: Problems) -> None:
    assert column.labels is not None
    numbers = numbers_of(column.labels, encoding.number_format)
    if numbers is not None:
        known = {label for label in column.labels if label is not None}
        chosen.columns.append(Column(column.name, numbers, formats=formats_of(known)))
        return
    read = None if encoding.strict else convert(column.labels, encoding.number_format)
    if read is not None:
        chosen.converted.setdefault(read.kind, []).append(quoted(column.name))
        chosen.columns.append(Column(column.name, read.values, formats=read.formats))
        return
    texts = describe(column.labels, encoding.number_format)
    if not encoding.every_text or not (texts.can_be_levels or texts.are_names):
        problems.texts(column, texts, strict=encoding.strict)
        if encoding.missing == "error" and not texts.are_names and column.missing.any():
            problems.missing(column.name, column.missing)
    elif texts.are_names:
        of = f"{texts.n_levels:,} different texts in {texts.n_known:,} values"
        chosen.left_out.append(f"{quoted(column.name)} ({of})")
    elif texts.n_levels > bounds.MAX_LEVELS:
        problems.too_many_levels(column.name, texts.n_levels)
    else:
        chosen.levels.append(column.name)
        chosen.columns.append(column)


def encode_columns(chosen: Chosen, table: Table) -> list[Feature]:
    """Return the features, names and (n,) values, NaN where a number is missing.

    A column of categories gives one 0/1 feature per level, in sorted order; a row without a value
    has none of the levels.

    :raises DataError: if there are too many levels or features
    """
    features: list[Feature] = []
    for column in chosen.columns:
        features += (
            _levels(column, table.where)
            if column.name in chosen.levels
            else [(column.name, column.values)]
        )
        check_cells(len(column), len(features), table.where)
    return features


def _levels(column: Column, where: str) -> list[Feature]:
    labels = column.labels
    assert labels is not None
    levels = sorted({label for label in labels if label is not None})
    if len(levels) > bounds.MAX_LEVELS:
        raise DataError(
            f"{where} has {len(levels):,} different values in column {quoted(column.name)}; "
            f"at most {bounds.MAX_LEVELS:,} can become features; drop it or make it numeric"
        )
    return [(f"{column.name}={x}", (labels == x).astype(np.float64)) for x in levels]


def _to_codes(column: Column, levels: Sequence[object], where: str) -> NDArray[np.float64]:
    position = {str(level): float(i) for i, level in enumerate(levels)}
    labels = labels_of(column)
    unknown = {label for label in labels if label is not None} - position.keys()
    if unknown:
        raise DataError(
            f"{where} has {min(unknown)!r} in column {column.name!r}, "
            f"whose levels are {', '.join(position)}"
        )
    return np.array([np.nan if label is None else position[label] for label in labels])


def labels_of(column: Column) -> NDArray[np.object_]:
    """Return (n,) values as text, whole numbers without a point: 6.0000 and 6 are one."""
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
