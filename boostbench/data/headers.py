"""Whether the first row of delimited text holds the names of the columns."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from boostbench.data.text_format import TextFormat, looks_like_number
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

COMMENTS = ("#", "%", "//")

_SAMPLE = 50

Below = Callable[[], Iterator[Sequence[str]]]
"""Gives, each time it is called, the values of each row below the first."""


def has_header(first: Sequence[str], below: Below, where: str, texts: TextFormat) -> bool:
    """Return whether the ``first`` row holds names.

    It does

    - if it has no numbers, and one of its texts is above a number,
    - if more than half of its columns have a text above a number.

    It does not

    - if it has nothing but numbers,
    - if its texts are all above texts, and one of them occurs again in its column,
    - if its texts are all above texts, and two of its numbers are equal.

    Raises
    ------
    DataError
        with both readings, if none of these is so, as where all rows are text; and if it has
        nothing but 0, 1, 2, ... or 1, 2, 3, ..., of which there are many, or above fractions
    """
    sample = list(islice(below(), _SAMPLE))
    shift = _names_left_out(first, sample)
    answer, is_sure = _answer(first, sample, shift, below, texts)
    # Rows of another length are refused where they are read.
    if not is_sure and all(len(row) == len(first) + shift for row in sample):
        raise _doubtful(first, below, where)
    return answer


def _answer(
    first: Sequence[str],
    sample: Sequence[Sequence[str]],
    shift: int,
    below: Below,
    texts: TextFormat,
) -> tuple[bool, bool]:
    """Return whether the first row holds names, and whether that is sure."""
    kinds = [_kind(token, texts) for token in first]
    numeric = {j - shift for j in _numeric_columns(sample, texts)}
    texts_at = {j for j, kind in enumerate(kinds) if kind == "text"}
    above_numbers = len(texts_at & numeric)
    has_row_names = 0 in numeric and _lacks_first_name(kinds)
    if not sample:
        return set(kinds) == {"text"}, True
    if "number" not in kinds and (above_numbers or has_row_names):
        return True, True
    if above_numbers:
        are_most = 2 * above_numbers > len(first)
        return are_most, are_most
    if texts_at:
        return False, "number" in kinds and _cannot_be_names(first, kinds, below)
    return False, not _counts_columns(first, sample)


def _lacks_first_name(kinds: Sequence[str]) -> bool:
    """Return whether there are names but for the first, as R and pandas name rows."""
    return kinds[0] == "missing" and set(kinds[1:]) == {"text"}


def _names_left_out(first: Sequence[str], sample: Sequence[Sequence[str]]) -> int:
    """Return 1 where all rows have a value more than the first, as R writes it; else 0."""
    longer = bool(sample) and all(len(row) == len(first) + 1 for row in sample)
    return int(longer and not first[0].startswith(COMMENTS) and bool(sample[0][-1]))


def _kind(token: str, texts: TextFormat) -> str:
    if token in texts.missing:
        return "missing"
    is_number = texts.number(token) is not None or looks_like_number(token, any_groups=True)
    return "number" if is_number else "text"


def _numeric_columns(rows: Sequence[Sequence[str]], texts: TextFormat) -> set[int]:
    """Return the columns whose first value that is not missing is a number."""
    kinds: dict[int, str] = {}
    for row in rows:
        for j, token in enumerate(row):
            if j not in kinds and (kind := _kind(token, texts)) != "missing":
                kinds[j] = kind
    return {j for j, kind in kinds.items() if kind == "number"}


def _cannot_be_names(first: Sequence[str], kinds: Sequence[str], below: Below) -> bool:
    """Return whether two numbers are equal, or a text is also below: names are different."""
    numbers = [token for token, kind in zip(first, kinds, strict=True) if kind == "number"]
    if len(set(numbers)) < len(numbers):
        return True
    places = [j for j, kind in enumerate(kinds) if kind == "text"]
    return any(row[j] == first[j] for row in below() for j in places if j < len(row))


def _counts_columns(first: Sequence[str], sample: Sequence[Sequence[str]]) -> bool:
    """Return whether a row counts: as it is unlikely to where it is long, or above fractions.

    Pandas writes such a row above an array, and no name above the numbers of the rows.
    """
    numbers = list(first[1:] if first[0] == "" else first)
    from_0 = list(map(str, range(len(numbers))))
    from_1 = list(map(str, range(1, len(numbers) + 1)))
    has_fractions = any("." in token for row in sample for token in row)
    return numbers in (from_0, from_1) and len(numbers) > (2 if has_fractions else 4)


def _doubtful(first: Sequence[str], below: Below, where: str) -> DataError:
    n_below = sum(1 for _ in below())
    shown = listing([repr(token[:40]) for token in first], 8)
    numbered = "column x1" if len(first) == 1 else f"columns x1 to x{len(first)}"
    return DataError(
        f"{where} does not show whether its first row holds names or data: {shown}; "
        f"add to the data set: 'header: true' ({counted(n_below, 'row')} below these names) or "
        f"'header: false' ({counted(n_below + 1, 'row')} of the {numbered})"
    )
