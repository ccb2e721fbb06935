"""Averages of cells over data sets, beside the paper's averages over the same data sets."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from boostbench.papers import Paper
from boostbench.papers.plausible import average_of_cells, averaged_sets, shown_average
from boostbench.papers.tables import Column
from boostbench.report.cells import PRINTED, kept, known, make_cell
from boostbench.report.runs import Runs, records
from boostbench.report.words import series
from boostbench.stats.paired import common
from boostbench.suggest import counted

_AVERAGED = (
    "mean", "sd", "kept_mean", "kept_sd", "compared", "compared_sd", "train_mean", "fit_s_mean",
    "solver_s_mean",
)  # fmt: skip
Columns = Mapping[str, Column | None]


def average(kind: str, values: Iterable[float | None]) -> float:
    """Return the "arithmetic" or "geometric" mean of the values.

    NaN if there are none, if one is unknown (the mean of the others would be shown beside means of
    all), and for a geometric mean with a value that is not positive.
    """
    found = [known(value) for value in values]
    if not found or math.isnan(sum(found)) or (kind == "geometric" and min(found) <= 0):
        return math.nan
    if kind == "arithmetic":
        return math.fsum(found) / len(found)
    return math.exp(math.fsum(map(math.log, found)) / len(found))


def rows(runs: Runs, cells: pd.DataFrame, columns: Columns) -> list[dict[str, object]]:
    """Return the averages over the paper's data sets, and over all data sets.

    A data set that is published as an earlier one is left out. If methods have different runs,
    averages over the common ones come last.
    """
    everything = [data.label for data in runs.counted]
    prints = runs.paper is not None and bool(runs.paper.cells)
    of_paper = [data.label for data in runs.counted if data.published_as and prints]
    found: list[dict[str, object]] = []
    if len(of_paper) > 1:
        scope = "" if len(of_paper) == len(everything) else ", the paper's data sets"
        found += _kinds(runs, cells, of_paper, scope, columns)
    if len(of_paper) != len(everything) and len(everything) > 1:
        scope = ", all data sets" if prints else ""
        found += _kinds(runs, cells, everything, scope, {} if of_paper else columns)
    shared = _common(runs, cells, of_paper if len(of_paper) > 1 else everything)
    names = list(dict.fromkeys(shared.dataset)) if len(shared) else []
    if len(names) > 1:
        scope = f" of common runs, {len(names)} data sets"
        common_rows = _kinds(runs, shared, names, scope, columns)
        found += [row | {"common": tuple(names)} for row in common_rows]
    return found


def _common(runs: Runs, cells: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Return the cells of the runs that all methods have, nothing if these are all runs.

    Methods without a finished run on any of ``datasets`` are ignored; a run that one method's mean
    leaves out, as the printed one does, is left out of all.
    """
    own = {
        (cell.dataset, cell.method): (cell, kept(found, runs.metric, cell.leaves_out))
        for cell in records(cells[cells.dataset.isin(datasets)])
        if len(found := runs.of(cell.dataset, cell.method))
    }
    methods = list(dict.fromkeys(method for _, method in own))
    made, all_alike = [], True
    for dataset in datasets:
        sides = {m: own[dataset, m] for m in methods if (dataset, m) in own}
        shared = common(*(found.index for _, found in sides.values()))
        shared = shared if len(sides) == len(methods) else []
        all_alike &= all(len(found) == len(shared) for _, found in sides.values())
        if shared:
            made += [
                make_cell(dataset, method, found.loc[shared], runs.metric, cell.printed)
                for method, (cell, found) in sides.items()
            ]
    return pd.DataFrame([] if all_alike else made)


def _kinds(
    runs: Runs, cells: pd.DataFrame, datasets: Sequence[str], scope: str, columns: Columns
) -> Iterator[dict[str, object]]:
    measured = cells[cells.dataset.isin(datasets) & cells.compared.notna()]
    for kind in runs.metric.averages:
        for method in runs.methods:
            mine, column = measured[measured.method == method.label], columns.get(method.label)
            comparable = mine[mine.published.notna() & (mine.not_comparable == "")]
            beside = column is not None and len(comparable) > 0
            # With a data set that the column lacks, it would not average the printed data sets.
            mine = comparable if beside else mine
            found = average_of(runs, kind, mine, len(datasets), column if beside else None)
            row = f"{kind.capitalize()} mean{scope}"
            yield found | {"row": row, "common": (), "method": method.label}


def about_print(
    paper: Paper, column: Column, kind: str, names: Sequence[str]
) -> tuple[str, str] | tuple[()]:
    """Return a kind of remark on a printed average beside one over ``names``, and the average.

    Empty if the printed average is over the same data sets.
    """
    average = f"{kind} mean of {column.method}, {shown_average(column, kind)}"
    over = averaged_sets(paper, column, kind)
    if not over:
        of_cells = average_of_cells(column, kind, column.datasets)
        return "contradicted", f"{average} ({shown_average(column, kind, of_cells)})"
    if set(over) == set(names):
        return ()
    here = f"over {counted(len(over), 'data set')}, ours over {len(names)}"
    return "elsewhere", f"{average} ({here})"


def remarks_on_print(cells: Iterable[tuple[str, str] | tuple[()]]) -> list[str]:
    """Return the remarks of :func:`about_print` as sentences."""
    found = dict.fromkeys(cells)
    several = {kind: [own[1] for own in found if own and own[0] == kind] for kind in _ABOUT}
    return [f"{_ABOUT[kind]}: {series(own)}." for kind, own in several.items() if own]


_ABOUT = {
    "elsewhere": "Printed averages over other data sets than ours, beside which is the average of "
    "the printed means of the same data sets",
    "contradicted": "Printed averages that are not those of their cells (in parentheses)",
}


def average_of(
    runs: Runs, kind: str, cells: pd.DataFrame, datasets: int, column: Column | None
) -> dict[str, object]:
    """Return the average of the ``cells`` of one method, of so many ``datasets``.

    The paper's average is returned with it, NaN where a cell has no comparable value of ``column``:
    the printed average if it covers the same data sets, else that of the printed rows. Then, and
    where its cells contradict it, ``about_print`` has a kind of remark and the printed average.
    """
    found: dict[str, Any] = {"kind": kind, "dataset": "", "planned": datasets}
    found |= {"finished": len(cells), "fewer": "", "problem": "", "about_print": ()}
    found |= {name: average(kind, cells[name]) for name in _AVERAGED}
    found["exploded"] = average(kind, cells.exploded) if kind == "arithmetic" else math.nan
    if math.isnan(found["compared"]):
        worst = cells.sort_values("compared").dataset.iloc[0] if len(cells) else ""
        found["problem"] = f"{worst} is not positive" if worst else "no finished run"
    if column is None or runs.paper is None:
        return found
    comparable = cells.published.notna() & (cells.not_comparable == "")
    printed = [each.value for each in cells.printed[comparable]]
    whole = column.cells.get(f"{kind}_mean")
    if whole is not None and printed:
        names = [value.dataset for value in printed]
        found["about_print"] = about_print(runs.paper, column, kind, names)
        over = averaged_sets(runs.paper, column, kind) or runs.paper.averaged(column.table)
        whole = whole if sorted(names) == sorted(over) else None
    for name, title in PRINTED.items():
        own = [getattr(value, name) for value in printed]
        mean = average(kind, own) if whole is None else known(getattr(whole, name))
        found[title] = mean if comparable.all() and printed else math.nan
    if kind != "arithmetic":
        found["published_exploded"] = math.nan
    return found | {"difference": found["compared"] - found["published"]}
