"""Where one run decides: the means, verdicts and conclusions that are others without it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from boostbench.papers.readings import ClaimReadings
from boostbench.report.frames.cell import Cell, WithoutRun
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import one_run
from boostbench.report.sentences.one_run import Moved

MOST_NAMED = 3
"""The most runs that are named one by one."""


def one_run_sentences(
    results: ReportData,
    claims: Sequence[ClaimReadings],
    said: Sequence[str],
    conclusions: Callable[[ReportData], Sequence[str]],
) -> list[str]:
    """Return what is another without one run, in sentences; none where nothing is.

    ``conclusions`` returns the sentences about methods of some results, which are tried again:
    those of all runs are among the sentences ``said``.
    """
    moved = [cell for cell in results.only_cells if cell.moved_by_one_run]
    moved.sort(key=_by_how_much, reverse=True)
    before = {_without_numbers(text) for text in said}
    named = []
    for cell in moved[:MOST_NAMED]:
        left = cell.moved_by_one_run
        assert left is not None
        after = conclusions(_without(results, cell, left))
        changed = [text for text in after if _without_numbers(text) not in before]
        averages = _averages_moved(results, cell, left)
        named.append(Moved(results.names[cell.method], cell, left, averages, changed))
    verdicts = one_run.verdicts(
        sum(cell.is_decided_by_one_run for cell in results.counted_cells),
        sum(_is_another(claim) for claim in claims),
    )
    means = one_run.means(named, len(moved) - len(named), results.metric)
    return [*means, *filter(None, [verdicts])]


def _by_how_much(cell: Cell) -> float:
    """Return by how much its farthest run moves a mean."""
    left = cell.without.cell.compared if cell.without else None
    return abs((left or 0.0) - (cell.compared or 0.0))


def _averages_moved(results: ReportData, cell: Cell, left: WithoutRun) -> list[Cell]:
    """Return the averages over all runs that move by the run that moves a cell."""
    averages = []
    for own in results.cells:
        moved = own.moved_by_one_run
        is_of_run = moved is not None and (moved.dataset, moved.run) == (left.dataset, left.run)
        if is_of_run and own.average and not own.common and own.method == cell.method:
            averages.append(own)
    return averages


def _is_another(claim: ClaimReadings) -> bool:
    left = claim.without_one_run
    return left is not None and left.judged.verdict is not claim.judged.verdict


def _without(results: ReportData, cell: Cell, left: WithoutRun) -> ReportData:
    """Return the results without the farthest run of a cell."""
    run = results.of(cell.dataset, cell.method).run[left.run]
    return replace(results, runs=results.runs[results.runs.run != run])


def _without_numbers(text: str) -> str:
    """Return a sentence without its scores, which move with every run."""
    return re.sub(r"\d+\.\d+", "", text)
