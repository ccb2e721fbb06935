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
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from calibration_worlds import KINDS, ROOT, TrueMeasurements, World, make_world, setting_of
from joblib import Parallel, delayed

from boostbench.papers import folder_of
from boostbench.papers.claims import read_claims
from boostbench.papers.conditions import Scope
from boostbench.papers.estimates import estimate
from boostbench.papers.evidence import Evidence
from boostbench.papers.figures import FIGURES, is_resampled, is_spread, is_timed, option
from boostbench.papers.judge import AGAINST, FOR, ClaimVerdict, JudgedReading, decide
from boostbench.papers.language import Unknown, Values
from boostbench.papers.measured import FigureValue
from boostbench.papers.readings import judge_all
from boostbench.report.frames.results import ReportData
from boostbench.report.verdicts.calibrated import DESIGNS, FILE
from boostbench.report.verdicts.ledger import evidence_of

Verdict = tuple[str, str, str, str]
"""What was judged, the table (or the kind of an interval), the truth, and the verdict."""
OUT, PAPER = ROOT / "calibration", folder_of("srt")
CLAIMS = ("not reproduced", "undecided", "weaker", "reproduced")
RANKS = {"differs": 0, "agrees": 1} | {verdict: rank for rank, verdict in enumerate(CLAIMS)}
"""Truths and verdicts, the more favourable the higher; "undecided" lies between the bands."""


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


def outcomes(kind: str, design: str, seed: int) -> list[Verdict]:
    """Return the program's verdicts on a world, beside the truth."""
    world = make_world(kind, design, seed)
    # The printed values and the data sets of a world hardly change the verdicts on claims.
    found: list[Verdict] = []
    for results in world.results:
        # As a page does, which has one depth.
        found += _claims(results, world) if kind == "fitted" else []
        found += [*_cells(results, world), *_ratios(results, world, kind == "sets")]
    return found


def held(kind: str, low: float, high: float, truth: float) -> Verdict:
    """Return whether an interval holds the truth."""
    return "interval", kind, "", str(low - 1e-12 <= truth <= high + 1e-12)


def _cells(results: ReportData, world: World) -> Iterator[Verdict]:
    methods = {method.label: method for method in results.methods}
    assert results.paper is not None
    for cell in results.counted_cells:
        method = methods[cell.method]
        column, setting = results.paper.names[method.registered], setting_of(results.paper, method)
        theirs = world.published.get((cell.dataset, column, setting))
        own = world.true[cell.dataset, method.registered, setting]
        if theirs is None or cell.margin is None or cell.printed is None:
            continue
        away = (own.kept if cell.printed.counted else own.score) - theirs
        true = "agrees" if abs(away) <= cell.margin else "differs"
        yield "cells", str(results.experiment["table"]), true, str(cell.verdict)
        if cell.low is not None and cell.high is not None:
            name = f"difference from print, by {cell.interval_from} (90 %)"
            yield held(name, cell.low, cell.high, away)


def _ratios(results: ReportData, world: World, drawn: bool) -> Iterator[Verdict]:
    """Yield the intervals of ratios: for these data sets, or for others where sets are drawn."""
    assert results.paper is not None
    role = {m.label: (m.registered, setting_of(results.paper, m)) for m in results.methods}

    def mean_of(label: str) -> float:
        if drawn:
            return world.population[role[label][1], label]
        scores = [world.true[data.label, *role[label]].score for data in results.counted]
        return float(np.mean(scores))

    title = "ratio of means, sets like these" if drawn else "ratio of means, these sets (95 %)"
    for pair in (each for each in results.method_pairs if each.shown):
        interval = pair.ratio if drawn else pair.fixed
        if interval is not None:
            truth = mean_of(pair.method) / mean_of(pair.against)
            yield held(title, interval.low, interval.high, float(truth))


def _claims(results: ReportData, world: World) -> Iterator[Verdict]:
    """Yield the intervals of figures in claims, each figure once, and the verdicts on claims."""
    paper = results.paper
    assert paper is not None
    evidence = evidence_of(paper, [results])
    seen: set[tuple[object, ...]] = set()
    for judged in (entry.judged for entry in judge_all(read_claims(paper), evidence)):
        if judged.verdict not in (*FOR, AGAINST, ClaimVerdict.UNDECIDED) or not judged.shown:
            continue
        try:
            true = _true_figures(judged, evidence, world)
        except Unknown:
            continue
        for one, exact in zip(judged.shown, true, strict=True):
            # Observed figures have no interval; the same figure of two claims counts once.
            asked = one.title, one.unit, tuple(judged.datasets)
            if asked in seen or "failures" in (one.call.figure, option(one.call, "of")):
                continue
            seen.add(asked)
            yield from _held_ends(one, exact)
        scope = Scope(judged.datasets, judged.settings, conditions=judged.conditions)
        both = zip(judged.shown, true, strict=True)
        named = {one.call.name: exact for one, exact in both if one.call.name}
        ruling = decide(judged.claim, scope, named).verdict
        yield "claims", str(results.experiment["table"]), str(ruling), str(judged.verdict)


def _true_figures(judged: JudgedReading, evidence: Evidence, world: World) -> list[Values]:
    """Return the true value of each figure that a claim was judged by."""
    every = [
        TrueMeasurements(evidence, judged.datasets, setting, {}, true=world.true)
        for setting in judged.settings
    ]
    true = []
    for one in judged.shown:
        sets = [each.only(one.call.kept(judged.datasets)) for each in every]
        true.append(estimate(one.call, sets, lambda call, sets, point: 0 * point))
    return true


def _held_ends(one: FigureValue, exact: Values) -> Iterator[Verdict]:
    ends = (one.values.low, one.values.high, exact.point)
    for low, high, value in zip(*(each.ravel() for each in ends), strict=True):
        if np.isfinite(low):
            yield held(f"{_kind(one.call)} in claims (95 %)", low, high, value)


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
    own = counts[counts.what == "interval"]
    own = own.assign(held=own.number * (own.said == "True"))
    sums = own.groupby(["kind", "design"])[["held", "number"]].sum()
    return (sums.held / sums.number).rename("share").to_frame().join(sums.number).reset_index()


def errors(counts: pd.DataFrame) -> pd.DataFrame:
    """Return, of verdicts that decide, the shares that are too favourable and too strict.

    They are those of the worlds in which the paper is as far from our means as it is.
    """
    own = counts.query("what != 'interval' and world == 'fitted' and said != 'undecided'")
    said, true = own.said.map(RANKS), own.truth.map(RANKS)
    own = own.assign(
        table=own.kind,
        too_favourable=own.number * (said > true),
        too_strict=own.number * (said < true),
    )
    shares = ["too_favourable", "too_strict"]
    sums = own.groupby(["table", "design", "what", "said"])[["number", *shares]].sum()
    sums[shares] = sums[shares].div(sums.number, axis=0).round(4)
    return sums.reset_index()


def page(counts: pd.DataFrame, worlds: int) -> str:
    """Return the results in Markdown."""
    covered, wrong = coverage(counts), errors(counts)
    rows = [
        f"| {row.kind} | {row.design} | {100 * row.share:.1f} % | {row.number:,} |"
        for row in covered.itertuples()
    ]
    wrongs = [
        f"| {row.what} | {row.table} | {row.design} | {row.said} | {row.number:,} | "
        f"{100 * row.too_favourable:.1f} % | {100 * row.too_strict:.1f} % |"
        for row in wrong.itertuples()
    ]
    null = counts.query("world == 'null' and what == 'cells'")
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
    asked = [
        (kind, design, seed) for kind in KINDS for design in DESIGNS for seed in range(given.worlds)
    ]
    # Forked, so that each process keeps its caches between worlds.
    parallel = Parallel(n_jobs=given.jobs, backend="multiprocessing", verbose=1)
    each = parallel(delayed(outcomes)(*one) for one in asked)
    counts = tally(
        (kind, design, *row)
        for (kind, design, _), rows in zip(asked, each, strict=True)
        for row in rows
    )
    OUT.mkdir(parents=True, exist_ok=True)
    counts.to_csv(OUT / "counts.csv", index=False)
    errors(counts).to_csv(PAPER / FILE, index=False)
    (OUT / "README.md").write_text(page(counts, given.worlds), encoding="utf-8")


if __name__ == "__main__":
    main()
