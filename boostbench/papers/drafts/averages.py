"""Rows and columns of averages: what they are, recomputed from the printed digits."""

from collections.abc import Sequence
from dataclasses import replace

from boostbench.papers.drafts.draft import Draft, DraftCell
from boostbench.papers.drafts.names import identifier, is_average, proposed_average
from boostbench.papers.drafts.questions import Answers, Question
from boostbench.papers.reading import MEAN_RANK, MEANS

LEAVE_OUT = "leave out"


def average_of(cell: DraftCell, draft: Draft, answers: Answers) -> DraftCell:
    """Return a cell with the name of its average, without any if it is left out.

    A cell of a data set is returned as it is.
    """
    if not is_average(cell.dataset):
        return cell
    proposal = proposed_average(cell.dataset)
    shown = "" if proposal == MEAN_RANK else _recomputed(cell, draft.cells)
    text = f"'{cell.dataset}': an average of what?{shown}"
    key = f"average.{identifier(cell.dataset)}"
    answer = answers.ask(Question(key, text, (*MEANS, LEAVE_OUT), proposal))
    name = "" if answer == LEAVE_OUT else answer
    return replace(cell, dataset=name, spread="")


def _recomputed(cell: DraftCell, cells: Sequence[DraftCell]) -> str:
    """Return in words the mean of the printed values that a cell may be the average of."""
    own = cell.table, cell.method, cell.metric
    values = [
        float(each.value)
        for each in cells
        if (each.table, each.method, each.metric) == own and not is_average(each.dataset)
    ]
    if not values:
        return ""
    mean = sum(values) / len(values)
    return (
        f" The arithmetic mean of the {len(values)} values of {cell.method} is {mean:.4g}, "
        f"printed is {cell.value}."
    )
