"""Runs that others made, by the names of a paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from boostbench.grouping import grouped
from boostbench.papers.metrics import Metric, known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.settings import Setting
from boostbench.values import RunKey


class RunElsewhere(NamedTuple):
    """One run: its data set and method as the table and as the paper call them, and its scores.

    ``published`` is "" for a data set that the paper does not have. ``setting`` has the values of
    the paper's conditions, None where the table has none. ``scores`` are by metric.
    """

    label: str
    published: str
    method: str
    role: str
    setting: Setting
    run: RunKey
    scores: Mapping[str, float]
    place: str


@dataclass(frozen=True)
class RunTable:
    """A table of runs: its ``metric``, the ``column`` of that, the runs, and columns not used."""

    path: Path
    paper: Paper
    metric: Metric
    column: str
    runs: Sequence[RunElsewhere]
    not_used: Sequence[str]

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], Sequence[RunElsewhere]]:
        """The runs by the labels of their data set and method."""
        return grouped(((run.label, run.method), run) for run in self.runs)

    @cached_property
    def splits(self) -> Mapping[str, int]:
        """The number of splits of a partition of each data set, by its label."""
        places = {(run.label, *run.run[:2]) for run in self.runs}
        several = {label: len({p for own, p, _ in places if own == label}) for label, *_ in places}
        each = Counter(label for label, _, _ in places)
        return {label: number // several[label] for label, number in each.items()}

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of which some run has a score, by name."""
        known = known_metrics({}, self.paper)
        return {name: known[name] for name in known if any(name in r.scores for r in self.runs)}

    def column_of(self, metric: str) -> str:
        """Return the column with the scores of a metric."""
        return self.column if metric == self.metric.name else metric.casefold()

    @property
    def without_runs(self) -> list[tuple[str, str]]:
        """The data sets and methods of which there are no runs together."""
        labels = dict.fromkeys(label for label, _ in self.by_cell)
        methods = dict.fromkeys(method for _, method in self.by_cell)
        return [cell for cell in product(labels, methods) if cell not in self.by_cell]

    @property
    def not_published(self) -> list[str]:
        """The data sets that the paper does not have."""
        return list(dict.fromkeys(run.label for run in self.runs if not run.published))
