"""Where one run decides: the means, verdicts and conclusions that are others without it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from boostbench.papers.readings import ClaimReadings
from boostbench.report.cell import Cell
from boostbench.report.reportdata import ReportData
from boostbench.report.sentences import one_run
from boostbench.report.sentences.one_run import Moved

MOST_NAMED = 3
"""The most runs that are named one by one."""


def one_run_sentences(
    results: ReportData,
    claims: Sequence[ClaimReadings],
    conclusions: Callable[[ReportData], Sequence[str]],
) -> list[str]:
    """Return what is another without one run, in sentences; none where nothing is.

    ``conclusions`` returns the sentences about methods of some results, which are tried again.
    """
    moved = sorted(filter(_moves, results.only_cells), key=_by_how_much, reverse=True)
    named = [
        Moved(
            results.names[cell.method],
            cell,
            cell.without,
            [own for own in results.cells if own.average and not own.common and _is_of(own, cell)],
            _changed(results, cell, conclusions),
        )
        for cell in moved[:MOST_NAMED]
        if cell.without is not None
    ]
    verdicts = one_run.verdicts(
        sum(_changes_verdict(cell) for cell in results.counted_cells),
        sum(_is_another(claim) for claim in claims),
    )
    means = one_run.means(named, len(moved) - len(named), results.metric)
    return [*means, *filter(None, [verdicts])]


def _moves(cell: Cell) -> bool:
    return cell.without is not None and cell.without.moves


def _by_how_much(cell: Cell) -> float:
    """Return by how much its farthest run moves a mean."""
    left = cell.without.cell.compared if cell.without else None
    return abs((left or 0.0) - (cell.compared or 0.0))


def _is_of(average: Cell, cell: Cell) -> bool:
    """Return whether an average moves by the run that moves a cell."""
    left, own = average.without, cell.without
    if average.method != cell.method or left is None or own is None:
        return False
    return left.moves and (left.dataset, left.run) == (cell.dataset, own.run)


def _changes_verdict(cell: Cell) -> bool:
    return cell.without is not None and cell.without.cell.verdict is not cell.verdict


def _is_another(claim: ClaimReadings) -> bool:
    left = claim.without_one_run
    return left is not None and left.judged.verdict is not claim.judged.verdict


def _changed(
    results: ReportData, cell: Cell, conclusions: Callable[[ReportData], Sequence[str]]
) -> list[str]:
    """Return the conclusions that are others without the farthest run of a cell."""
    assert cell.without is not None
    run = results.of(cell.dataset, cell.method).run[cell.without.run]
    left = replace(results, runs=results.runs[results.runs.run != run])
    before = {_without_numbers(text) for text in conclusions(results)}
    return [text for text in conclusions(left) if _without_numbers(text) not in before]


def _without_numbers(text: str) -> str:
    """Return a sentence without its scores, which move with every run."""
    return re.sub(r"\d+\.\d+", "", text)
