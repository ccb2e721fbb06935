"""A table as a file holds it, before encoding: a pandas frame of numbers and of texts."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.text_format import EMPTY, PLAIN, date_rows
from boostbench.errors import DataError

TEXT = pd.StringDtype(na_value=np.nan)
"""The type of texts: that of pandas 3, in pandas 2 too, where a missing one would become "nan"."""


def is_text(column: pd.Series) -> bool:
    """Return whether a column of a table holds texts; else it is of float64."""
    return column.dtype != np.float64


def declares_levels(column: pd.Series) -> bool:
    """Return whether the file itself declares the values of a column of a table as levels."""
    return isinstance(column.dtype, pd.CategoricalDtype)


@dataclass(frozen=True)
class Table:
    """A frame of numbers (float64), texts, and categories where the file itself declares levels.

    ``where`` is its origin, and ``outputs`` are the outputs that the file names. ``unnamed`` are
    the columns without a name in the file. ``lines`` are the numbers of the first line (or sheet
    row) of each row, where one file has them all; ``unit`` is "line" or "row". ``remarks`` report
    parts that the reader left out. ``marks`` are the texts that were read as missing, by column,
    with the number of each; ``nulls`` those by which the format itself means missing. ``dates`` are
    the columns that the file declares as such. ``read_texts`` returns columns as the file has them,
    without blanks around their texts, and ``find_codes`` the columns of numbers that the file
    writes as :func:`boostbench.data.text_kinds.are_codes` has it.
    """

    frame: pd.DataFrame
    where: str
    outputs: tuple[str, ...] = ()
    unnamed: frozenset[str] = frozenset()
    lines: Sequence[int] | None = None
    unit: str = "line"
    remarks: tuple[str, ...] = ()
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    nulls: frozenset[str] = EMPTY
    dates: frozenset[str] = frozenset()
    read_texts: Callable[[Sequence[str]], pd.DataFrame] | None = None
    find_codes: Callable[[], Collection[str]] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self.frame]

    def line_of(self, row: int) -> str:
        """Return the place of row ``row`` (from 0), as in ``line 7``."""
        return f"row {row + 1}" if self.lines is None else f"{self.unit} {self.lines[row]}"

    def date_values(self, column: pd.Series) -> pd.Series:
        """Return which values of a column of texts are dates: all where it is declared as such."""
        return column.notna() if column.name in self.dates else date_rows(column)

    def without(self, na_values: Collection[str]) -> "Table":
        """Return the table with values that are one of ``na_values``, or its number, missing."""
        numbers = [n for text in na_values if (n := PLAIN.number(text)) is not None]
        # Said for texts, among which some versions of pandas find 7.0 by the number and some not.
        texts_to_find = [*na_values, *map(str, numbers)]
        gaps = self.frame.apply(
            lambda column: column.isin(texts_to_find if is_text(column) else numbers)
        )
        marks = {name: Counter(counts) for name, counts in self.marks.items()}
        for name in gaps.columns[gaps.any()]:
            values = self.frame[name][gaps[name]]
            texts = values if is_text(values) else values.map("{:.15g}".format)
            marks.setdefault(str(name), Counter()).update(texts)
        return replace(self, frame=self.frame.mask(gaps), marks=marks)

    def with_texts_of(self, names: Iterable[str]) -> "Table":
        """Return the table with the texts of the file in place of numbers in these columns."""
        numeric = [name for name in names if not is_text(self.frame[name])]
        if self.read_texts is None or not numeric:
            return self
        texts, frame = self.read_texts(numeric), self.frame.copy(deep=False)
        for name in numeric:
            frame[name] = texts[name].astype(TEXT).where(self.frame[name].notna())
        return replace(self, frame=frame)

    def renamed(self, names: Sequence[str], rows: tuple[int, int] | None) -> "Table":
        """Return the table with these column names, if any, and of its rows this range, if any."""
        frame = self.frame
        lines = self.lines
        unnamed = self.unnamed
        if names:
            if len(names) != frame.shape[1]:
                raise DataError(
                    f"{self.where} has {frame.shape[1]} columns, but {len(names)} are expected"
                )
            frame = frame.set_axis(list(names), axis=1)
            unnamed = frozenset()
        if rows is not None:
            if len(frame) < rows[1]:
                raise DataError(
                    f"{self.where} has {len(frame)} rows, but at least {rows[1]} are expected"
                )
            frame = frame[slice(*rows)].reset_index(drop=True)
            lines = lines and lines[slice(*rows)]
        return replace(self, frame=frame, lines=lines, unnamed=unnamed)


def table_of_arrays(
    X: NDArray[np.float64], y: NDArray[np.float64], where: str, names: Sequence[str] = ()
) -> Table:
    """Return the table of ``X`` (n, p) and, as its last column, ``target``, ``y`` (n,)."""
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names or [f"x{j}" for j in range(1, X.shape[1] + 1)])
    frame["target"] = y
    return Table(frame, where, ("target",))


def in_one_form(name: str) -> str:
    """Return a name with each accented letter encoded as one character (Unicode's form NFC)."""
    return unicodedata.normalize("NFC", name)


def check_names(names: Sequence[str], where: str) -> list[str]:
    """Return the names of columns in one form.

    Raises DataError for columns without a name or with equal names, naming all of them.
    """
    places_of: dict[str, list[int]] = {"": []}
    for i, name in enumerate(names):
        places_of.setdefault(in_one_form(name), []).append(i)
    wrong = []
    for name, places in places_of.items():
        numbers = ", ".join(str(i + 1) for i in places[:20])
        if not name and places:
            wrong.append(f"an unnamed column (column {numbers})")
        elif len({names[i] for i in places}) > 1:
            wrong.append(f"two encodings of the same name {name[:60]!r} (columns {numbers})")
        elif len(places) > 1:
            wrong.append(f"two columns named {name[:60]!r} (columns {numbers})")
    if wrong:
        raise DataError(
            f"{where} has {' and '.join(wrong[:20])}; give each column a name of its own; a first "
            "row of names has no title above it"
        )
    return [in_one_form(name) for name in names]


def check_cells(n_rows: int, n_columns: int, where: str) -> None:
    """Raise DataError for a table with more than ``bounds.MAX_CELLS`` values."""
    if n_rows * n_columns > bounds.MAX_CELLS:
        raise DataError(
            f"{where} has {n_rows:,} rows of {n_columns:,} columns; "
            f"at most {bounds.MAX_CELLS:,} values are allowed"
        )
