"""A cell of the main table: a method on a data set, or its average over data sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import NamedTuple, Self

import pandas as pd

from boostbench.numbers import Setting
from boostbench.report.frames.printed import Printed
from boostbench.values import RunKey


class CellVerdict(StrEnum):
    """What a cell's runs say of the printed mean; a cell without a printed value has no verdict."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"


DECIDED_OR_NOT = (CellVerdict.AGREES, CellVerdict.DIFFERS, CellVerdict.UNDECIDED)
"""The verdicts of cells that are compared with print, in the order in which they are counted."""


@dataclass(frozen=True)
class Spread:
    """A mean and the sample sd (n - 1), each ``None`` where it is unknown."""

    mean: float | None = None
    sd: float | None = None


class MissingRuns(NamedTuple):
    """So many ``runs`` without a score, with one status and for one reason (or "")."""

    status: str
    reason: str
    runs: int


class RunsToDecide(NamedTuple):
    """The number of seeds per fold that would decide, or of split seeds if ``by_partitions``.

    ``None`` where no known number does.
    """

    number: int | None
    by_partitions: bool


class RemarkKind(StrEnum):
    """Why a printed average cannot stand beside ours."""

    ELSEWHERE = "over other data sets"
    CONTRADICTED = "not that of its cells"


class PrintRemark(NamedTuple):
    """A remark on a printed ``average``, which is named in words."""

    kind: RemarkKind
    average: str


@dataclass(frozen=True)
class WithoutRun:
    """A cell, or an average, without one run of ``dataset``: the farthest from its cell's mean.

    ``part`` is "fold" or "split", and ``moves`` says that the mean moves by more than its margin.
    """

    dataset: str
    part: str
    run: RunKey
    score: float
    cell: "Cell"
    moves: bool


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A method on a data set over all its runs, or the average of such cells over data sets.

    What is unknown, or not compared, is ``None``.
    """

    row: str
    """The label of the data set, or that of the average."""
    method: str
    """The label of the method."""
    average: str = ""
    """The kind of an average, "arithmetic" or "geometric"; "" for a cell of one data set."""
    common: Sequence[str] = ()
    """The data sets of an average over the runs that all methods have."""

    planned: int
    """The number of planned runs; of data sets in an average."""
    finished: int
    """The number of runs with a score; of data sets in an average."""
    fewer: str = ""
    """Over how many of the planned folds or splits the mean is, "" where it is over all."""
    missing: Sequence[MissingRuns] = ()
    """The runs without a score."""
    problem: str = ""
    """Why there is no mean, "" where there is one and all runs have finished."""

    mean: float | None = None
    """The mean score of all finished runs, as a share."""
    sd: float | None = None
    half_width: float | None = None
    """Half the width of the 95 % interval of ``mean`` for new rows of the same kind."""
    median: float | None = None
    exploded: float | None = None
    """The number of runs that exploded (R2 < 0); its mean in an average."""
    kept_mean: float | None = None
    """The mean score without the runs that exploded."""
    kept_sd: float | None = None
    leaves_out: bool = False
    """Whether the mean beside the printed one is without exploded runs.

    It is where the paper itself counts such runs in this cell: its ailerons has 44 of 80 and still
    a mean R2 of 0.784 for ORRT.
    """
    compared: float | None = None
    """The mean that stands beside the printed one."""
    compared_sd: float | None = None
    compared_half_width: float | None = None
    """Half the width of the 95 % interval of ``compared``, as that of ``mean``."""
    without: WithoutRun | None = None
    """The cell without its farthest run; ``None`` where it has few runs."""

    train: Spread = Spread()
    """The score on the training rows."""
    objective: Spread = Spread()
    iterations: Spread = Spread()
    fit_s: Spread = Spread()
    """The seconds of training."""
    solver_s: Spread = Spread()
    choose_s: Spread = Spread()
    """The seconds of the choice of parameters."""
    chosen: Mapping[str, Mapping[Setting, int]] = field(default_factory=dict)
    """How often each value of a parameter was chosen, by parameter."""
    stops: Mapping[Setting, int] = field(default_factory=dict)
    """How often a training ended for each reason."""

    printed: Printed | None = None
    """The printed value of a cell with all that is known of it; ``None`` for averages."""
    published: float | None = None
    """The printed mean."""
    published_sd: float | None = None
    published_time_s: float | None = None
    published_exploded: float | None = None
    published_table: str = ""
    """The paper's table with the printed value."""
    not_comparable: str = ""
    """Why the cell cannot be compared with the printed one, "" where it can."""
    duplicate_of: str = ""
    """The earlier data set with the same printed value, "" where there is none."""
    about_print: PrintRemark | None = None
    """A remark on the printed average."""

    primary: bool = False
    """Whether the method is the paper's main reading of the printed column."""
    counts: bool = False
    """Whether the cell counts in the answer."""

    difference: float | None = None
    """``compared`` less ``published``."""
    verdict: CellVerdict | None = None
    margin: float | None = None
    """The difference within which a mean agrees with the printed one."""
    low: float | None = None
    """The lower end of the 90 % interval of the difference of means."""
    high: float | None = None
    interval_from: str = ""
    """The source of the interval's standard error: "folds", "partitions" or "rows"."""
    p_equivalent: float | None = None
    p_different: float | None = None
    undecided_reason: str = ""
    """Why the verdict is *undecided* whatever the interval."""
    to_decide: RunsToDecide | None = None
    """How many runs would decide an undecided cell; ``None`` where that was not asked."""

    @property
    def dataset(self) -> str:
        """The label of the data set, "" for an average."""
        return "" if self.average else self.row

    @property
    def mixed(self) -> bool:
        """Whether its runs chose different values of a parameter."""
        return any(len(counts) > 1 for counts in self.chosen.values())

    @property
    def as_shown(self) -> Self:
        """The cell as readers see it: a value that is not comparable is for programs only."""
        if not self.not_comparable:
            return self
        return replace(
            self,
            printed=None,
            published=None,
            published_sd=None,
            published_time_s=None,
            published_exploded=None,
        )

    @property
    def moved_by_one_run(self) -> WithoutRun | None:
        """The cell without one run, if that moves its mean by more than its margin."""
        return self.without if self.without and self.without.moves else None

    @property
    def is_decided_by_one_run(self) -> bool:
        """Whether its verdict is another one without one run."""
        return self.without is not None and self.without.cell.verdict is not self.verdict

    @property
    def by_one_run(self) -> WithoutRun | None:
        """The cell without one run, if that moves its mean or changes its verdict."""
        return self.without if self.is_decided_by_one_run else self.moved_by_one_run

    @property
    def is_compared(self) -> bool:
        """Whether a printed value stands beside it that is the same thing."""
        return self.published is not None and not self.not_comparable


def frame_of_cells(cells: Iterable[Cell]) -> pd.DataFrame:
    """Return cells of data sets as a frame: a row each, the fields of :class:`Cell` as columns.

    Numbers that may be unknown are NaN there.
    """
    columns = fields(Cell)
    frame = pd.DataFrame(map(vars, cells), columns=[each.name for each in columns])
    numbers = {each.name: float for each in columns if each.type == float | None}
    return frame.astype(numbers).rename(columns={"row": "dataset"})


def missing_text(missing: Iterable[MissingRuns]) -> str:
    """Return how many runs of a cell have no result, and why."""
    return "; ".join(f"{n} {status}: {why}".removesuffix(": ") for status, why, n in missing)
