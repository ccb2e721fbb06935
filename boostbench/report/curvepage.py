"""The page of a printed figure: learning curves, and where each method ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace as Block
from typing import Any

from boostbench import numbers
from boostbench.report.answer import sooner
from boostbench.report.convergence import Curves
from boostbench.report.figures.traces import Group, colours, objective_groups, score_groups
from boostbench.report.printedpage import claims_block, methods_block
from boostbench.report.table import make_table
from boostbench.report.tables import with_sd
from boostbench.report.words import say, series

Names = Mapping[str, str]


def blocks_of_curves(results: Any, ledger: Any, names: Names) -> list[Block | None]:
    """Return what the page of a printed figure shows, in order."""
    curves = results.convergence
    groups = objective_groups(curves)
    first = score_block(curves, names)
    if groups:
        first = _block(curves, groups, sooner(results), "objective", names)
    claims, ends = claims_block(results, ledger, names), _ends(curves, names)
    return [first, claims, ends, None if groups else methods_block(results)]


def score_block(curves: Curves, names: Names) -> Block | None:
    """Return the test scores along the way, nothing where they were not recorded."""
    groups = score_groups(curves)
    return _block(curves, groups, "", "score", names) if groups else None


def _block(curves: Curves, groups: Sequence[Group], finding: str, note: str, names: Names) -> Block:
    looks, words = colours(curves.results), groups[0].quantity
    table = curves.results.experiment.get("table") or "Learning curves"
    what = "the objective" if note == "objective" else words
    return Block(
        kind="panels", key="figure", groups=groups, notes=say(note, words=words),
        title=finding or f"{table}: {what} by {series(group.by for group in groups)}",
        legend=[(*look, names[label]) for label, look in looks.items()],
    )  # fmt: skip


def _ends(curves: Curves, names: Names) -> Block | None:
    """Return what each method had at its last iteration: mean ± sd, iterations, seconds."""
    results, metric = curves.results, curves.results.metric
    score = metric.label.replace("Test", "test")
    clock = f"{curves.clock_words.partition(' ')[0]} s"
    rows = []
    for label, name in names.items():
        row: dict[Any, str] = {"method": name}
        for dataset in curves.drawn:
            cell, above = results.cell(dataset, label), curves.excess.get((dataset, label))
            spent = cell and getattr(cell, f"{curves.clock or 'fit_s'}_mean")
            row |= {
                (dataset, score): with_sd(metric, cell.compared, cell.compared_sd) if cell else "",
                (dataset, "% above lowest"): numbers.fixed(above.values[-1], 2) if above else "",
                (dataset, "iterations"): _rounded(cell and cell.iterations_mean),
                (dataset, clock): _rounded(spent, 2),
            }
        rows.append(row)
    table = make_table("last", "", rows, ("method",))
    if len(table.header) < 2:
        return None
    return Block(kind="tables", key="ends", title="Where each method ends", tables=[table],
                 notes=say("ends", objective=bool(curves.excess)), pairs=False,
                 glossary=())  # fmt: skip


def _rounded(value: float | None, digits: int = 9) -> str:
    """Return a number with at most so many significant digits, a whole one from 10 on."""
    return "" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.{digits}g}"
