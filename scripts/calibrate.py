"""How often intervals hold the truth, and verdicts are wrong, where the truth is known.

Runs are drawn from a nested model that is fitted to the kept results on five partitions: a mean for
each data set and method; parts for the partition and for the folds within it, drawn as normal and
jointly for all methods, so that these stay correlated; and a part for the seed, drawn as it was.
The program's own code judges them, on one partition with 20 seeds as d2 and d3 have, and on five
with 4. What the paper prints is drawn anew as well: as far from our means as it is (``fitted``; the
noise of one draw that is in this distance is taken as true, so that errors of cells are rather
overstated), or as another draw of our own methods (``null``); with ``sets`` the data sets are drawn
from those there are.

It does not speak of other data, nor of rows of the same kind. Intervals of sds, of seconds from one
partition and of ratios for data sets like these are wider than their formulas say, by what an
earlier calibration found. From one partition those of means and of differences from print are too
wide by design: nothing in it says how much its folds complete each other.

``python scripts/calibrate.py`` writes ``results/calibration``.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from boostbench.papers import folder_of
from boostbench.papers.claims import read_claims
from boostbench.papers.evidence import Depth, Sets
from boostbench.papers.figures import FIGURES, estimate, is_resampled, is_spread, is_timed, option
from boostbench.papers.judge import AGAINST, FOR, Ruling, decide, judge_all
from boostbench.papers.language import Scope, Unknown
from boostbench.papers.paper import Paper
from boostbench.papers.results import Method
from boostbench.report.calibrated import DESIGNS, FILE
from boostbench.report.claims import evidence_of
from boostbench.report.comparisons import compare_methods
from boostbench.report.results import Results, collect
from boostbench.report.runs import INDEX, records, scores
from boostbench.stats.paired import as_array
from boostbench.store.store import Store

Floats = NDArray[np.float64]
Outcome = tuple[str, str, str, str]
"""What was judged, the table (or the kind of an interval), the truth, and the verdict."""
ROOT = Path(__file__).parents[1] / "results"
OUT, PAPER = ROOT / "calibration", folder_of("srt")
PARTITIONS, FOLDS = 5, 4
KINDS = ("fitted", "null", "sets")
CLAIMS = ("not reproduced", "undecided", "weaker", "reproduced")
RANKS = {"differs": 0, "agrees": 1} | {verdict: rank for rank, verdict in enumerate(CLAIMS)}
"""Truths and verdicts, the more favourable the higher; "undecided" lies between the bands."""
REPEATS = 200
"""Draws for the true sd of a cell and its true share of failures."""


HEAD = """\
# Calibration: {0}
Worlds of each kind in each design: {worlds}.

## Intervals that hold the truth

| interval | design | share | of |
|:--|:--|--:|--:|
{coverage}

## Verdicts that decide, where the paper is as far from our means as it is

| of | table | design | verdict | number | too favourable | too strict |
|:--|:--|:--|:--|--:|--:|--:|
{wrong}

Where the paper is another draw of our own methods: {null}.
"""


@dataclass(frozen=True)
class Part:
    """How the runs of a method on a data set vary: see :func:`fit` and :func:`draw`.

    ``mean``; ``partitions`` (P,) and ``folds`` (P k,), deviations that are drawn as combinations
    of these; ``seeds``, deviations within folds, drawn as they are; ``times``, how the logarithms
    of the seconds vary.
    """

    mean: float
    partitions: Floats
    folds: Floats
    seeds: Floats
    times: "Part | None" = None


@dataclass(frozen=True)
class Truth:
    """The truth of a cell: its mean, that of runs of at least 0, sd, failures and seconds."""

    score: float
    kept: float
    sd: float
    failures: float
    time: float


def fit(runs: Floats, times: Part | None = None) -> Part:
    """Return the parts of ``runs`` (partitions, folds, seeds).

    The deviations of partitions and of folds are freed of the noise of means of few seeds.
    """
    n, k, seeds = runs.shape
    folds = runs.mean(axis=2)
    partitions = folds.mean(axis=1)
    within = runs - folds[..., None]
    noise = float((within**2).sum()) / (n * k * (seeds - 1)) / seeds
    return Part(
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
    part: Part, common: Mapping[str, Floats], random: np.random.Generator, seeds: int
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


def fitted(results: Results) -> dict[tuple[str, str], Part]:
    """Return the parts of all complete cells of results on five partitions."""
    found = {}
    for labels, own in results.finished.items():
        runs = scores(own)
        if runs.shape[:2] == (PARTITIONS, FOLDS) and not np.isnan(runs).any():
            times = as_array(dict(zip(own.index, own.fit_s.astype(float), strict=True)))
            found[labels] = fit(runs, fit(np.log(times)))
    return found


def true_of(part: Part, random: np.random.Generator, design: tuple[int, int]) -> Truth:
    """Return the truth of a cell, with its sd and failures from many draws."""
    partitions, seeds = design
    shared = weights(random, partitions, REPEATS)
    runs = draw(part, shared, random, seeds).reshape(REPEATS, -1)
    assert part.times is not None
    seconds = float(np.exp(draw(part.times, shared, random, seeds)).mean())
    sd, failed = runs.std(axis=1, ddof=1).mean(), runs < 0
    kept = float(runs[~failed].mean()) if not failed.all() else np.nan
    return Truth(part.mean, kept, float(sd), float(failed.mean()), seconds)


def printed(
    paper: Paper, parts: Mapping[Any, Part], true: Mapping[Any, Truth], shift: bool, seed: int
) -> tuple[Paper, dict[Any, float]]:
    """Return the paper with printed cells of a draw, and the truth of each column.

    ``parts`` and ``true`` are by (data set, column, depth).
    """
    cells, known, made = [], {}, {}
    for cell in paper.cells:
        key = (cell.dataset, cell.method, cell.depth)
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


@dataclass
class TrueSets(Sets):
    """The truth of methods and data sets, as input of figures."""

    true: Mapping[Any, Truth] = field(default_factory=dict)

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return the true value, NaN for values that are not in the model."""
        keys = ((name, method, depth) for depth in (self.depth, None))
        found = next((self.true[key] for key in keys if key in self.true), None)
        return float(getattr(found, of, np.nan))


def sources(design: str) -> list[Results]:
    """Return the kept results of the paper's table at depths 2 and 3, in a design."""
    names = [f"d{depth}{'_partitions' if design == 'five partitions' else ''}" for depth in (3, 2)]
    found = []
    for folder in (ROOT / name / "archive" for name in names):
        if not folder.is_dir():
            raise SystemExit(f"{folder} is not there: the model is fitted to both depths")
        with Store.open(folder, create=False, read_only=True) as store:
            found.append(collect(store))
    return found


@cache
def known(design: str) -> tuple[list[Results], list[dict[tuple[str, str], Part]]]:
    """Return the results to be filled in a design, and the parts of their cells."""
    several = sources("five partitions")
    parts = [fitted(results) for results in several]
    return (several if design == "five partitions" else sources(design)), parts


def filled(results: Results, parts: Mapping[Any, Part], design: tuple[int, int],
           seed: tuple[int, int], paper: Paper) -> Results:  # fmt: skip
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
            ordered = runs.sort_values(INDEX)
            known_of = {"status": "ok", "reason": "", "score": score, "fit_s": np.exp(seconds)}
            frames.append(ordered.assign(**known_of, **rows))
    made = pd.concat(frames).sort_index()
    methods = [method for method in results.methods if method.label in set(made.method)]
    return replace(results, runs=made, methods=methods, paper=paper, recorded_curves={})


@dataclass(frozen=True)
class World:
    """The runs of a world by depth, and their truth.

    ``true`` is by (data set, registered method, depth), ``published`` by (data set, printed column,
    depth), and ``population``, the mean over the data sets from which a world's are drawn, by
    (depth, method).
    """

    results: list[Results]
    true: Mapping[Any, Truth]
    published: Mapping[Any, float]
    population: Mapping[Any, float]


def depth_of(paper: Paper, method: Method) -> Depth:
    """Return the depth that is printed of a method, ``None`` of forests."""
    return method.depth if paper.has_depth(method.registered) else None


def make_world(kind: str, design: str, seed: int) -> World:
    """Return a world of a kind in a design."""
    templates, fits = known(design)
    paper = templates[0].paper
    assert paper is not None
    # Worlds of different kinds have no draw in common.
    number = len(KINDS) * seed + KINDS.index(kind)
    random = np.random.default_rng([number])
    names = [data.label for data in templates[0].datasets]
    taken = random.choice(names, len(names)) if kind == "sets" else names
    moved = random.standard_normal((len(names), PARTITIONS)) / np.sqrt(PARTITIONS)
    parts_of: list[dict[Any, Part]] = []
    by_column: dict[Any, Part] = {}
    true: dict[Any, Truth] = {}
    theirs: dict[Any, Truth] = {}
    population: dict[Any, float] = {}
    for results, parts in zip(templates, fits, strict=True):
        labels = {label for _, label in parts}
        whole = {label for label in labels if all((name, label) in parts for name in names)}
        own: dict[Any, Part] = {}
        for method in results.methods:
            label = method.label
            if label not in whole:
                continue
            depth, column = depth_of(paper, method), paper.names.get(method.registered, "")
            wanted = [name for name in paper.meant_by(column) if name in whole]
            population[depth, label] = float(np.mean([parts[name, label].mean for name in names]))
            for name, source, shift in zip(names, taken, moved, strict=True):
                part = parts[str(source), label]
                part = replace(part, mean=part.mean + float(shift @ part.partitions))
                own[name, label] = part
                true[name, method.registered, depth] = true_of(part, random, DESIGNS[design])
                if [method.registered] == wanted[:1]:
                    by_column[name, column, depth] = part
                    theirs[name, column, depth] = true[name, method.registered, depth]
        parts_of.append(own)
    paper, published = printed(paper, by_column, theirs, kind != "null", number)
    several = [
        filled(results, own, DESIGNS[design], (number, place), paper)
        for place, (results, own) in enumerate(zip(templates, parts_of, strict=True))
    ]
    return World(several, true, published, population)


def outcomes(kind: str, design: str, seed: int) -> list[Outcome]:
    """Return the program's verdicts on a world, beside the truth."""
    world = make_world(kind, design, seed)
    # The printed values and the data sets of a world hardly change the verdicts on claims.
    found: list[Outcome] = []
    for results in world.results:
        # As a page does, which has one depth.
        found += _claims(results, world) if kind == "fitted" else []
        found += [*_cells(results, world), *_ratios(results, world, kind == "sets")]
    return found


def held(kind: str, low: float, high: float, truth: float) -> Outcome:
    """Return whether an interval holds the truth."""
    return "interval", kind, "", str(low - 1e-12 <= truth <= high + 1e-12)


def _cells(results: Results, world: World) -> Iterator[Outcome]:
    methods = {method.label: method for method in results.methods}
    assert results.paper is not None
    for cell in records(results.only_cells[results.only_cells.counts]):
        method = methods[cell.method]
        column, depth = results.paper.names[method.registered], depth_of(results.paper, method)
        theirs = world.published.get((cell.dataset, column, depth))
        own = world.true[cell.dataset, method.registered, depth]
        if theirs is None or np.isnan(cell.margin):
            continue
        away = (own.kept if cell.printed.counted else own.score) - theirs
        yield (
            "cells",
            _table(results),
            "agrees" if abs(away) <= cell.margin else "differs",
            str(cell.verdict),
        )
        if not np.isnan(cell.low):
            name = f"difference from print, by {cell.way} (90 %)"
            yield held(name, cell.low, cell.high, away)


def _ratios(results: Results, world: World, drawn: bool) -> Iterator[Outcome]:
    """Yield the intervals of ratios: for these data sets, or for others where sets are drawn."""
    assert results.paper is not None
    role = {m.label: (m.registered, depth_of(results.paper, m)) for m in results.methods}
    for pair in compare_methods(results):
        both = pair.left, pair.right
        if drawn and pair.ratio is not None:
            left, right = (world.population[role[label][1], label] for label in both)
            title, own = "ratio of means, sets like these", pair.ratio
        elif not drawn and pair.fixed is not None:
            left, right = (
                np.mean([world.true[data.label, *role[label]].score for data in results.counted])
                for label in both
            )
            title, own = "ratio of means, these sets (95 %)", pair.fixed
        else:
            continue
        yield held(title, own.low, own.high, float(left / right))


def _table(results: Results) -> str:
    return str(results.experiment["table"])


def _claims(results: Results, world: World) -> Iterator[Outcome]:
    paper, seen = results.paper, set()
    assert paper is not None
    evidence = evidence_of(paper, [results])
    for judged in (entry.judged for entry in judge_all(read_claims(paper), evidence)):
        if judged.ruling not in (*FOR, AGAINST, Ruling.UNDECIDED) or not judged.shown:
            continue
        every = [TrueSets(evidence, judged.datasets, depth, {}, true=world.true)
                 for depth in judged.depths]  # fmt: skip
        true = []
        try:
            for one in judged.shown:
                sets = [each.only(one.call.kept(judged.datasets)) for each in every]
                true.append(estimate(one.call, sets, _exactly))
        except Unknown:
            continue
        for one, exact in zip(judged.shown, true, strict=True):
            # Observed figures have no interval; the same figure of two claims counts once.
            asked = one.title, one.unit, tuple(judged.datasets)
            if asked in seen or "failures" in (one.call.figure, option(one.call, "of")):
                continue
            seen.add(asked)
            ends = (one.values.low, one.values.high, exact.point)
            for low, high, value in zip(*(each.ravel() for each in ends), strict=True):
                if np.isfinite(low):
                    yield held(f"{_kind(one.call)} in claims (95 %)", low, high, value)
        scope = Scope(judged.datasets, judged.depths)
        both = zip(judged.shown, true, strict=True)
        named = {one.call.name: exact for one, exact in both if one.call.name}
        ruling = decide(judged.claim, scope, named).ruling
        yield "claims", _table(results), str(ruling), str(judged.ruling)


def _exactly(call: Any, sets: Any, point: Floats) -> Floats:
    return np.zeros_like(point)


def _kind(call: Any) -> str:
    if is_resampled(call):
        return "ranks, medians and orders, resampled"
    if is_spread(call):
        return "ratios of sds"
    if is_timed(call):
        return "seconds, their ratios and powers"
    in_percent = call.figure in ("gain", "saving")
    return "ratios" if FIGURES[call.figure].log or in_percent else "means and their differences"


def tally(found: Iterable[tuple[str, ...]]) -> pd.DataFrame:
    """Return how often each outcome occurred."""
    columns = ["world", "design", "what", "kind", "truth", "said"]
    frame = pd.DataFrame(found, columns=columns)
    return frame.value_counts().rename("number").reset_index().sort_values(columns)


def coverage(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the share of intervals that hold the truth, by kind and design, and how many."""
    own = counts[counts.what == "interval"].assign(held=lambda all_: all_.said == "True")
    own["held"] *= own.number
    sums = own.groupby(["kind", "design"])[["held", "number"]].sum()
    return (sums.held / sums.number).rename("share").to_frame().join(sums.number).reset_index()


def errors(counts: pd.DataFrame) -> pd.DataFrame:
    """Return, of verdicts that decide, the shares that are too favourable and too strict.

    They are those of the worlds in which the paper is as far from our means as it is.
    """
    own = counts[(counts.what != "interval") & (counts.world == "fitted")]
    own = own.rename(columns={"kind": "table"})
    own = own[own.said != "undecided"]
    own = own.assign(rank=own.said.map(RANKS), true=own.truth.map(RANKS))
    own["too_favourable"] = own.number * (own["rank"] > own.true)
    own["too_strict"] = own.number * (own["rank"] < own.true)
    sums = own.groupby(["table", "design", "what", "said"])[
        ["number", "too_favourable", "too_strict"]
    ].sum()
    for name in ("too_favourable", "too_strict"):
        sums[name] = (sums[name] / sums.number).round(4)
    return sums.reset_index()


def page(counts: pd.DataFrame, worlds: int) -> str:
    """Return the results in Markdown."""
    covered, wrong = coverage(counts), errors(counts)
    rows = [f"| {row.kind} | {row.design} | {100 * row.share:.1f} % | {row.number:,} |"
            for row in covered.itertuples()]  # fmt: skip
    wrongs = [
        f"| {row.what} | {row.table} | {row.design} | {row.said} | {row.number:,} | "
        f"{100 * row.too_favourable:.1f} % | {100 * row.too_strict:.1f} % |"
        for row in wrong.itertuples()
    ]
    null = counts[(counts.world == "null") & (counts.what == "cells")]
    lines = [
        f"{design}: {int(own.number[own.said == 'differs'].sum()):,} of {int(own.number.sum()):,} "
        "cells differ, all wrongly"
        for design, own in null.groupby("design")
    ]
    tables = {"coverage": "\n".join(rows), "wrong": "\n".join(wrongs)}
    return HEAD.format(__doc__, worlds=worlds, null="; ".join(lines), **tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=200, help="of each kind and design")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    asked = [(kind, design, seed) for kind in KINDS for design in DESIGNS
             for seed in range(given.worlds)]  # fmt: skip
    # Forked, so that each process keeps its caches between worlds.
    parallel = Parallel(n_jobs=given.jobs, backend="multiprocessing", verbose=1)
    each = parallel(delayed(outcomes)(*one) for one in asked)
    counts = tally((kind, design, *row) for (kind, design, _), rows in zip(asked, each, strict=True)
                   for row in rows)  # fmt: skip
    OUT.mkdir(parents=True, exist_ok=True)
    counts.to_csv(OUT / "counts.csv", index=False)
    errors(counts).to_csv(PAPER / FILE, index=False)
    (OUT / "README.md").write_text(page(counts, given.worlds), encoding="utf-8")


if __name__ == "__main__":
    main()
