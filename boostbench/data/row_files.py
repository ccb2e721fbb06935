"""Files that list the rows of splits."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from boostbench.data.content import read_text
from boostbench.data.splits import Rows
from boostbench.data.text_format import PLAIN
from boostbench.errors import DataError

_MOST = 2**53
"""Up to this number each whole one is exact in float64."""


def read_row_files(paths: Sequence[Path]) -> list[Rows]:
    """Return the row numbers that each file lists, counted from 0.

    Raises DataError if a file cannot be read or does not list distinct row numbers.
    """
    return [_read(path) for path in paths]


def _read(path: Path) -> Rows:
    rows = np.fromiter(_numbers_in(path), dtype=np.int64)
    if not len(rows):
        raise DataError(f"{path} lists no row")
    twice, n = Counter(rows.tolist()).most_common(1)[0]
    if n > 1:
        raise DataError(f"{path} lists the row {twice:,} twice; leave one out")
    return rows


def _numbers_in(path: Path) -> Iterator[int]:
    """Yield the numbers in a file, which are separated by blanks or line ends."""
    for line, text in enumerate(read_text(path).split("\n"), 1):
        for word in text.split():
            number = PLAIN.number(word)
            if number is None or not (0 <= number <= _MOST and number.is_integer()):
                raise DataError(
                    f"{path}:{line} has {word[:40]!r} where the number of a row is expected, whole "
                    "and from 0; numbers are separated by blanks or line ends"
                )
            yield int(number)
