"""A paper as it is drafted: its printed cells, data sets and doubts, before it is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from boostbench.papers.design import Design
from boostbench.papers.drafts.names import identifier
from boostbench.papers.runs_beside import Run

TODO = "TODO"
"""The answer to a question that nobody has answered."""
SPREADS = ("sd", "se", "neither")
SD, SE, NEITHER = SPREADS
TIME_METRICS = ("time", "seconds", "runtime")


@dataclass(frozen=True)
class DraftCell:
    """A printed cell: what it is of, its digits, and where it stands."""

    table: str
    dataset: str
    method: str
    metric: str
    value: str
    spread: str = ""
    spread_kind: str = NEITHER
    is_percent: bool = False
    runs: str = ""
    row: str = ""
    column: str = ""
    at: str = ""


@dataclass
class DraftDataset:
    """A data set: its name here, its printed name and sizes, and the card with the same data."""

    name: str
    title: str
    n_samples: str = ""
    n_features: str = ""
    card: str = ""
    file: str = ""


@dataclass(frozen=True)
class DraftMetric:
    """A metric: its name and, where that is not known here, its direction and its function."""

    name: str
    is_known: bool = True
    better: str = "greater"
    function: str = ""


class Doubt(NamedTuple):
    """A cell that is not written, or only since somebody said so, and why."""

    table: str
    row: str
    column: str
    value: str
    spread: str
    doubt: str
    at: str
    answer: str


@dataclass
class Draft:
    """All that is written into a paper's folder."""

    source: str
    title: str = TODO
    authors: str = TODO
    metrics: list[DraftMetric] = field(default_factory=list)
    runs: str = ""
    design: Design | None = None
    is_design_open: bool = False
    units: str = ""
    captions: dict[str, str] = field(default_factory=dict)
    cells: list[DraftCell] = field(default_factory=list)
    datasets: list[DraftDataset] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    printed_names: dict[str, str] = field(default_factory=dict)  # of methods
    methods: Sequence[str] = ()  # of the experiment
    beside: str = ""  # the printed method that these are set beside
    runs_beside: list[Run] = field(default_factory=list)

    @property
    def metric(self) -> str:
        """The main metric: the first one."""
        return self.metrics[0].name if self.metrics else TODO

    def name_cards(self, ask: Callable[[], None]) -> None:
        """Let ``ask`` give the data sets their cards, and use the names that they then have."""
        before = [data.name for data in self.datasets]
        ask()
        new = dict(zip(before, (data.name for data in self.datasets), strict=True))
        self.cells = [
            replace(cell, dataset=new.get(cell.dataset, cell.dataset)) for cell in self.cells
        ]
        self.runs_beside = [
            replace(
                run,
                dataset=new.get(identifier(run.dataset), run.dataset),
                method=identifier(run.method),
            )
            for run in self.runs_beside
        ]
