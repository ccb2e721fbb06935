"""Runs made by hand for the judge: plain arrays, without a report."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from boostbench.papers.claims import Claim
from boostbench.papers.design import Design
from boostbench.papers.evidence import CellRuns, Evidence
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import judge
from boostbench.papers.language import Names, Values
from boostbench.papers.paper import Column, Published, PublishedDataset
from boostbench.papers.settings import USUAL, Setting

SETS = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Invented:
    """A paper as the judge sees one."""

    metric: str = "r2"
    metrics: Sequence[str] = ()
    runs: int | None = 12
    rounds: int = 4
    datasets: Mapping[str, Any] = field(
        default_factory=lambda: {
            name: PublishedDataset(name, name, 100 * 4**i, 10 + i, n_classes=2 + i)
            for i, name in enumerate(SETS)
        }
    )
    meant: Mapping[str, Sequence[str]] = field(default_factory=dict)
    readings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, float] = field(default_factory=dict)
    not_run: Collection[tuple[str, str]] = ()
    design: Design | None = None
    in_metrics: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=lambda: dict(USUAL))

    @property
    def claimed_datasets(self) -> Sequence[str]:
        return [name for name, data in self.datasets.items() if not data.stands_for]

    def design_of(self, dataset: str, table: str = "") -> Design | None:
        return self.design

    def depends(self, method: str) -> Sequence[bool]:
        return [bool(condition.param) for condition in self.conditions.values()]

    def data_depends(self, dataset: str) -> Sequence[bool]:
        return [bool(condition.data) for condition in self.conditions.values()]

    def has_run(self, method: str, dataset: str, setting: Setting = ()) -> bool:
        return (method, dataset) not in self.not_run

    def column(self, method, setting, table=None):
        cells = {n: Published("1", n, method, mean, setting) for n, mean in self.means.items()}
        return Column("1", method, setting, cells)

    def implementation(self, method: str) -> str:
        return self.groups.get(method, "")


def cell(scores, rows: Any = "rows", processor: Any = "p", curves=(), **values: Any) -> CellRuns:
    """Return the runs of ``scores`` (partitions, folds, seeds); NaN is a run that failed."""
    scores = np.asarray(scores, dtype=float)
    while scores.ndim < 3:
        scores = scores[None]
    index = [one for one in np.ndindex(*scores.shape) if not np.isnan(scores[one])]
    own = {"score": scores, **values}
    arrays = {
        name: np.array([np.broadcast_to(value, scores.shape)[one] for one in index], dtype=float)
        for name, value in own.items()
    }
    on = np.broadcast_to(processor, scores.shape)
    return CellRuns(index, arrays, rows, [str(on[one]) for one in index], by_round(curves))


def by_round(curves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the curves of runs as arrays (runs, rounds), NaN after a run has ended."""
    names = curves[0] if curves else ()
    return {
        of: np.array([*zip_longest(*(own[of] for own in curves), fillvalue=np.nan)], float).T
        for of in names
    }


def noisy(mean: float, by: float = 0.0, shape=(1, 4, 3), **values: Any) -> CellRuns:
    """Return runs of a mean, of which folds are above and below it in turn."""
    signs = np.where(np.arange(shape[1]) % 2, by, -by)[None, :, None]
    return cell(mean + np.zeros(shape) + signs, **values)


def evidence(
    cells: Mapping[str, Any], paper: Invented | None = None, depth: int | None = 3, **more: Any
) -> Evidence:
    """Return the same cells on all four data sets, or those of a mapping by data set."""
    found = {
        (method, (depth,), name): [own[name] if isinstance(own, Mapping) else own]
        for method, own in cells.items()
        for name in SETS
        if not isinstance(own, Mapping) or name in own
    }
    signs = {"score": 1, "r2": 1, "rmse": -1}
    return Evidence(paper or Invented(), found, [(depth,)], signs, **more)


def two_depths(*leads: float, depths=(2, 3), by: float = 0.0) -> Evidence:
    """Return runs in which x leads y by so much at each depth, times growing fivefold."""
    cells = {}
    for factor, (depth, lead) in enumerate(zip(depths, leads, strict=True)):
        for name in SETS:
            cells["x", (depth,), name] = [noisy(0.5 + lead, by, time=5.0**factor)]
            cells["y", (depth,), name] = [noisy(0.5, time=5.0**factor)]
    return replace(evidence({}), cells=cells, settings=[(depth,) for depth in depths])


def names(*methods: str) -> Names:
    signatures = {name: inspect.signature(one.function) for name, one in FIGURES.items()}
    choices = {"over": ["mean", "geometric", "median", "observed"], "of": ["score", "sd", "time"]}
    return Names(signatures, methods or ("x", "y", "z"), SETS, choices)


def claim(figures: str, reproduced: str = "", weaker: str = "", against: str = "", **more) -> Claim:
    free = names("x", "y", "z", "w")._replace(choices={})
    return Claim(
        "C-1",
        "abstract",
        "X is better.",
        figures=free.read(figures),
        reproduced_if=reproduced,
        weaker_if=weaker,
        not_reproduced_if=against,
        **more,
    )


def measured(text: str, cells: Any, paper: Invented | None = None) -> Values:
    """Return a figure of these cells, with its interval."""
    one = claim(f"f = {text}", "count(f > -1e9) >= 0")
    judged = judge(one, "", {}, evidence(cells, paper))
    assert judged.shown, judged.why
    return judged.shown[0].values
