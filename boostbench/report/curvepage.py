"""The page of a printed figure: learning curves, and where each method ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers
from boostbench.report.answer import times
from boostbench.report.blocks import Panels, Plain
from boostbench.report.convergence import NEAR, Curves
from boostbench.report.figures.groups import Group, colours, objective_groups, score_groups
from boostbench.report.printedpage import claims_block, methods_block
from boostbench.report.table import Item, Table
from boostbench.report.tables import with_sd
from boostbench.report.words import series

Names = Mapping[str, str]
_OBJECTIVE = (
    "Objective above the lowest that any method reached on the same split, in percent: medians "
    "over splits, a run’s last value held; both axes logarithmic. The axis ends at 0.1 %: a line "
    "that leaves it has reached the lowest objective."
)
_SCORE = (
    "Mean {words} over the runs, each run’s last value held; iterations and seconds on logarithmic "
    "axes. The axis ends where the lines differ: what lies beyond is cut off, and a method that "
    "stays outside is named at the edge with its last value."
)


def blocks_of_curves(results: Any, ledger: Any, names: Names) -> list[Any]:
    """Return what the page of a printed figure shows, in order."""
    curves = results.convergence
    groups = objective_groups(curves)
    first = _objective(curves, groups, names) if groups else score_block(curves, names)
    claims, ends = claims_block(results, ledger, names), _ends(curves, names)
    return [first, claims, ends, None if groups else methods_block(results)]


def _block(curves: Curves, groups: Sequence[Group], title: str, note: str, names: Names) -> Panels:
    legend = [(*look, names[label]) for label, look in colours(curves.results).items()]
    return Panels("figure", title, [(group, f"By {group.by}") for group in groups], legend, note)


def _objective(curves: Curves, groups: Sequence[Group], names: Names) -> Panels:
    title = f"{_figure(curves)}: the objective by {series(group.by for group in groups)}"
    if curves.sooner:
        first, last, _ = curves.sooner
        title = f"{names[first]} comes within {NEAR:g} % of the lowest objective {times(curves)} "
        title += f"sooner than {names[last]}"
    return _block(curves, groups, title, _OBJECTIVE, names)


def score_block(curves: Curves, names: Names) -> Panels | None:
    """Return the test scores along the way, nothing where they were not recorded."""
    groups = score_groups(curves)
    if not groups:
        return None
    words = groups[0].quantity
    title = f"{_figure(curves)}: {words} by {series(group.by for group in groups)}"
    return _block(curves, groups, title, _SCORE.format(words=words), names)


def _figure(curves: Curves) -> str:
    return str(curves.results.experiment.get("table") or "Learning curves")


def _ends(curves: Curves, names: Names) -> Plain | None:
    """Return what each method had at its last iteration: mean ± sd, iterations, seconds."""
    results, metric = curves.results, curves.results.metric
    header, groups = ["method"], [("", 1)]
    columns: list[Sequence[str]] = []
    for dataset in curves.drawn:
        cells = [results.cell(dataset, label) for label in names]
        last = [curves.excess.get((dataset, label)) for label in names]
        made = {
            metric.label.replace("Test", "test"): [
                with_sd(metric, cell.compared, cell.compared_sd) if cell else "" for cell in cells
            ],
            "% above lowest": [numbers.fixed(line.values[-1], 2) if line else "" for line in last],
            "iterations": [_rounded(cell and cell.iterations_mean) for cell in cells],
            f"{curves.clock_words.partition(' ')[0]} s": [
                _rounded(cell and getattr(cell, f"{curves.clock or 'fit_s'}_mean"), 2)
                for cell in cells
            ],
        }
        filled = {title: texts for title, texts in made.items() if any(texts)}
        groups.append((dataset, len(filled)))
        header += filled
        columns += filled.values()
    if not columns:
        return None
    rows = [
        [Item(name), *(Item(column[i]) for column in columns)]
        for i, name in enumerate(names.values())
    ]
    note = "Mean ± sd over the runs, each at its own last iteration"
    note += "; of the objective the median." if curves.excess else "."
    return Plain("ends", "Where each method ends", [Table("last", "", header, rows, groups=groups)],
                 note)  # fmt: skip


def _rounded(value: float | None, digits: int = 9) -> str:
    """Return a number with at most so many significant digits, a whole one from 10 on."""
    return "" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.{digits}g}"
