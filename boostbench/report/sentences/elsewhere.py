"""What is said of runs that others made: they are not rerun, and some things are not known."""

from collections.abc import Sequence

from boostbench.suggest import counted, listing
from boostbench.values import Record

REMARK = "measured elsewhere, not rerun"
KEY = "measured_elsewhere"
"""The key of an experiment's record with the sentences on runs that others made."""
UNKNOWN = (
    "Not known: which rows each split trains and tests on, whether they are the paper's, what the "
    "seeds set, and with which parameters the methods ran."
)
AS_IN_DESIGN = "The division of the rows is taken to be the paper's."
AS_FOLDS = (
    "The paper's folder states no `design`: no cell is decided, and for intervals of means and "
    "tests of differences the splits are taken to be folds."
)


def sentences_on(experiment: Record) -> list[str]:
    """Return the sentences on runs that others made, none where the runs are ours."""
    return [str(sentence) for sentence in experiment.get(KEY) or ()]


def runs_in(table: str, runs: int) -> str:
    """Return where the runs are from."""
    return f"{REMARK.capitalize()}: {counted(runs, 'run')} in {table}."


def without_runs(cells: Sequence[tuple[str, str]]) -> str:
    """Return which methods have no runs on which data sets."""
    return f"No runs: {listing([f'{method} on {dataset}' for dataset, method in cells], 8)}."


def not_published(datasets: Sequence[str]) -> str:
    """Return which data sets are not the paper's."""
    return f"Not in the paper, and compared among methods only: {listing(datasets)}."


def not_used(columns: Sequence[str]) -> str:
    """Return which columns of a table say nothing here."""
    return f"Columns that are not used: {listing(columns)}."
