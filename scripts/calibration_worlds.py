"""Worlds of runs, drawn from a nested model that is fitted to the kept results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.papers.evidence import Measurements
from boostbench.papers.paper import Paper
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.settings import Setting
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.frames.runs import in_folds
from boostbench.report.verdicts.calibrated import DESIGNS
from boostbench.store.store import Store
from boostbench.values import RUN

Floats = NDArray[np.float64]
ROOT = Path(__file__).parents[1] / "results"
PARTITIONS, FOLDS = 5, 4
KINDS = ("fitted", "null", "sets")
REPEATS = 200
"""Draws for the true sd of a cell and its true share of failures."""


@dataclass(frozen=True)
class Variation:
    """How the runs of a method on a data set vary: see :func:`fit` and :func:`draw`.

    ``mean``; ``partitions`` (P,) and ``folds`` (P k,), deviations that are drawn as combinations
    of these; ``seeds``, deviations within folds, drawn as they are; ``times``, how the logarithms
    of the seconds vary.
    """

    mean: float
    partitions: Floats
    folds: Floats
    seeds: Floats
    times: "Variation | None" = None


@dataclass(frozen=True)
class CellTruth:
    """The truth of a cell: its mean, that of runs of at least 0, sd, failures and seconds."""

    score: float
    kept: float
    sd: float
    failures: float
    time: float


def fit(runs: Floats, times: Variation | None = None) -> Variation:
    """Return the parts of ``runs`` (partitions, folds, seeds).

    The deviations of partitions and of folds are freed of the noise of means of few seeds.
    """
    n, k, seeds = runs.shape
    folds = runs.mean(axis=2)
    partitions = folds.mean(axis=1)
    within = runs - folds[..., None]
    noise = float((within**2).sum()) / (n * k * (seeds - 1)) / seeds
    return Variation(
        mean=float(partitions.mean()),
        partitions=_freed(partitions - partitions.mean(), n - 1, noise / k),
        folds=_freed((folds - partitions[:, None]).ravel(), n * (k - 1), noise),
        seeds=within.ravel() * np.sqrt(seeds / (seeds - 1)),
        times=times,
    )


def _freed(deviations: Floats, df: int, noise: float) -> Floats:
    """Return ``deviations`` with ``noise`` taken off their variance, over the root of ``df``."""
    variance = float((deviations**2).sum()) / df
    share = max(0.0, 1.0 - noise / variance) if variance > 0 else 0.0
    return np.asarray(deviations * np.sqrt(share / df))


def draw(
    part: Variation, common: Mapping[str, Floats], random: np.random.Generator, seeds: int
) -> Floats:
    """Return runs (..., partitions, folds, seeds): ``common`` are the weights of all methods."""
    partitions = common["partitions"] @ part.partitions
    folds = common["folds"] @ part.folds
    folds = folds - folds.mean(axis=-1, keepdims=True)
    runs = part.mean + partitions[..., None] + folds
    return np.asarray(runs[..., None] + random.choice(part.seeds, (*runs.shape, seeds)))


def weights(random: np.random.Generator, partitions: int, *before: int) -> dict[str, Floats]:
    """Return the weights by which a data set's partitions and folds are drawn, for all methods."""
    shape = (*before, partitions)
    return {
        "partitions": random.standard_normal((*shape, PARTITIONS)),
        "folds": random.standard_normal((*shape, FOLDS, PARTITIONS * FOLDS)),
    }


def fitted(results: ReportData) -> dict[tuple[str, str], Variation]:
    """Return the parts of all complete cells of results on five partitions."""
    found = {}
    for labels, own in results.finished.items():
        runs = in_folds(own.score)
        if runs.shape[:2] == (PARTITIONS, FOLDS) and not np.isnan(runs).any():
            times = in_folds(own.fit_s)
            found[labels] = fit(runs, fit(np.log(times)))
    return found


def true_of(part: Variation, random: np.random.Generator, design: tuple[int, int]) -> CellTruth:
    """Return the truth of a cell, with its sd and failures from many draws."""
    partitions, seeds = design
    shared = weights(random, partitions, REPEATS)
    runs = draw(part, shared, random, seeds).reshape(REPEATS, -1)
    assert part.times is not None
    seconds = float(np.exp(draw(part.times, shared, random, seeds)).mean())
    sd, failed = runs.std(axis=1, ddof=1).mean(), runs < 0
    kept = float(runs[~failed].mean()) if not failed.all() else np.nan
    return CellTruth(part.mean, kept, float(sd), float(failed.mean()), seconds)


def printed(
    paper: Paper,
    parts: Mapping[Any, Variation],
    true: Mapping[Any, CellTruth],
    shift: bool,
    seed: int,
) -> tuple[Paper, dict[Any, float]]:
    """Return the paper with printed cells of a draw, and the truth of each column.

    ``parts`` and ``true`` are by (data set, column, setting).
    """
    cells = []
    known: dict[Any, float] = {}
    made: dict[Any, Floats] = {}
    for cell in paper.cells:
        key = (cell.dataset, cell.method, cell.setting)
        if key not in parts or np.isnan(cell.mean):
            cells.append(cell)
            continue
        left_out = bool(cell.exploded_runs)
        own = true[key].kept if left_out else true[key].score
        away = cell.mean - own if shift else 0.0
        if key not in made:
            random = np.random.default_rng([seed, len(made), 3])
            runs = draw(parts[key], weights(random, 1), random, DESIGNS["one partition"][1]).ravel()
            made[key] = runs[runs >= 0] if left_out and (runs >= 0).any() else runs
        runs = made[key] + away
        # Its first table is the one that cells are compared with; others print other means.
        known.setdefault(key, own + away)
        digits = round(-np.log10(2 * cell.rounding)) if cell.rounding else 3
        sd = None if cell.sd is None else float(runs.std(ddof=1))
        cells.append(replace(cell, mean=round(float(runs.mean()), digits), sd=sd))
    new = replace(paper)
    vars(new)["cells"] = cells
    return new, known


@dataclass(frozen=True)
class TrueMeasurements(Measurements):
    """The truth of methods and data sets, as input of figures."""

    true: Mapping[Any, CellTruth] = field(default_factory=dict)

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return the true value, NaN for values that are not in the model."""
        keys = ((name, method, setting) for setting in (self.setting, (None,)))
        found = next((self.true[key] for key in keys if key in self.true), None)
        return float(getattr(found, of, np.nan))


def sources(design: str) -> list[ReportData]:
    """Return the kept results of the paper's table at depths 2 and 3, in a design."""
    names = [f"d{depth}{'_partitions' if design == 'five partitions' else ''}" for depth in (3, 2)]
    found = []
    for folder in (ROOT / name / "archive" for name in names):
        if not folder.is_dir():
            raise SystemExit(f"{folder} is not there: the model is fitted to both depths")
        with Store.read(folder) as store:
            found.append(collect(store))
    return found


@cache
def known(design: str) -> tuple[list[ReportData], list[dict[tuple[str, str], Variation]]]:
    """Return the results to be filled in a design, and the parts of their cells."""
    several = sources("five partitions")
    parts = [fitted(results) for results in several]
    return (several if design == "five partitions" else sources(design)), parts


def filled(
    results: ReportData,
    parts: Mapping[Any, Variation],
    design: tuple[int, int],
    seed: tuple[int, int],
    paper: Paper,
) -> ReportData:
    """Return ``results`` with drawn scores and times in the place of the recorded ones.

    ``seed`` is that of the world, which all depths share as they share folds, and the depth's own.
    """
    partitions, seeds = design
    frames = []
    for place, (dataset, own) in enumerate(results.runs.groupby("dataset", sort=False)):
        shared = weights(np.random.default_rng([seed[0], place, 1]), partitions)
        for method, runs in own.groupby("method", sort=False):
            if (part := parts.get((dataset, method))) is None:
                continue
            random = np.random.default_rng([*seed, place, 2, len(frames)])
            assert part.times is not None
            score, seconds = (draw(p, shared, random, seeds).ravel() for p in (part, part.times))
            rows = {name: runs[name].max() for name in ("n_rows", "n_test")}
            ordered = runs.sort_values([*RUN])
            known_of = {"status": "ok", "reason": "", "score": score, "fit_s": np.exp(seconds)}
            frames.append(ordered.assign(**known_of, **rows))
    made = pd.concat(frames).sort_index()
    methods = [method for method in results.methods if method.label in set(made.method)]
    return replace(results, runs=made, methods=methods, paper=paper, recorded_curves={})


@dataclass(frozen=True)
class World:
    """The runs of a world by depth, and their truth.

    ``true`` is by (data set, registered method, setting), ``published`` by (data set, printed
    column, setting), and ``population``, the mean over the data sets from which a world's are
    drawn, by (setting, method).
    """

    results: list[ReportData]
    true: Mapping[Any, CellTruth]
    published: Mapping[Any, float]
    population: Mapping[Any, float]


def setting_of(paper: Paper, method: PlannedMethod) -> Setting:
    """Return the setting that is printed of a method, without a depth of forests."""
    own = zip(paper.setting_of(method.conditions), paper.depends(method.registered), strict=True)
    return tuple(value if depends else None for value, depends in own)


class _WorldTruth:
    """The truth of a world of a kind, method by method, with the parts that its runs vary by.

    ``theirs`` and ``by_column`` are by (data set, printed column, setting); for the rest see
    :class:`World`.
    """

    def __init__(self, paper: Paper, kind: str, design: str, names: list[str], number: int) -> None:
        self.random = np.random.default_rng([number])
        self.paper = paper
        self.design = DESIGNS[design]
        self.names = names
        self.taken = self.random.choice(names, len(names)) if kind == "sets" else names
        moved = self.random.standard_normal((len(names), PARTITIONS))
        self.moved = moved / np.sqrt(PARTITIONS)
        self.by_column: dict[Any, Variation] = {}
        self.true: dict[Any, CellTruth] = {}
        self.theirs: dict[Any, CellTruth] = {}
        self.population: dict[Any, float] = {}

    def add(
        self, results: ReportData, parts: Mapping[tuple[str, str], Variation]
    ) -> dict[Any, Variation]:
        """Draw the truth of the methods of results that have all data sets; return its parts."""
        labels = {label for _, label in parts}
        whole = {label for label in labels if all((name, label) in parts for name in self.names)}
        own: dict[Any, Variation] = {}
        for method in results.methods:
            if method.label in whole:
                own |= self._add_method(method, parts, whole)
        return own

    def _add_method(
        self, method: PlannedMethod, parts: Mapping[tuple[str, str], Variation], whole: set[str]
    ) -> dict[Any, Variation]:
        label = method.label
        setting = setting_of(self.paper, method)
        column = self.paper.names.get(method.registered, "")
        wanted = [name for name in self.paper.meant_by(column) if name in whole]
        means = [parts[name, label].mean for name in self.names]
        self.population[setting, label] = float(np.mean(means))
        own: dict[Any, Variation] = {}
        for name, source, shift in zip(self.names, self.taken, self.moved, strict=True):
            part = parts[str(source), label]
            part = replace(part, mean=part.mean + float(shift @ part.partitions))
            own[name, label] = part
            truth = true_of(part, self.random, self.design)
            self.true[name, method.registered, setting] = truth
            if [method.registered] == wanted[:1]:
                self.by_column[name, column, setting] = part
                self.theirs[name, column, setting] = truth
        return own


def make_world(kind: str, design: str, seed: int) -> World:
    """Return a world of a kind in a design."""
    templates, fits = known(design)
    paper = templates[0].paper
    assert paper is not None
    # Worlds of different kinds have no draw in common.
    number = len(KINDS) * seed + KINDS.index(kind)
    names = [data.label for data in templates[0].datasets]
    truth = _WorldTruth(paper, kind, design, names, number)
    parts_of = [truth.add(results, parts) for results, parts in zip(templates, fits, strict=True)]
    paper, published = printed(paper, truth.by_column, truth.theirs, kind != "null", number)
    several = [
        filled(results, own, DESIGNS[design], (number, place), paper)
        for place, (results, own) in enumerate(zip(templates, parts_of, strict=True))
    ]
    return World(several, truth.true, published, truth.population)
