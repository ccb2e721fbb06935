"""Which texts of a table were read as missing, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence

from boostbench.data.columns import ChosenColumns
from boostbench.data.problems import quoted
from boostbench.data.table import Table
from boostbench.data.text_format import EMPTY, MISSING
from boostbench.suggest import listing


def remarks_on_marks(
    table: Table, target: str, chosen: ChosenColumns, na_values: Sequence[str] | None
) -> list[str]:
    """Return what was read as missing, and which of these marks a list of ``na_values`` lacks.

    Nothing is said of a table that has nothing but its format's own marks, such as empty cells.
    """
    marks = Counter(table.marks.get(target, {}))
    for column in chosen.columns:
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
