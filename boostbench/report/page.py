"""The page: what it shows of a results folder, and in which order. Nothing here has a format.

There are three kinds of it: of a printed table, of a printed figure of curves, and of a first run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench.plan.absent import not_run, unplanned, without_data
from boostbench.report.answer import IN_SENTENCES, answer, counted_cells, judged_claims, purpose
from boostbench.report.blocks import MOST_COLUMNS, Closed, Page, Stack
from boostbench.report.cards import TONES, cards
from boostbench.report.curvepage import blocks_of_curves, score_block
from boostbench.report.firstpage import blocks_of_runs
from boostbench.report.judged import TONES as RULING_TONES
from boostbench.report.judged import reasons
from boostbench.report.printedpage import blocks_of_table, matrix
from boostbench.report.runs import number_of
from boostbench.report.table import Item, Section, Table
from boostbench.report.words import cited, names_of, plural, series
from boostbench.suggest import counted

Names = Mapping[str, str]
_BLOCKS = {"table": blocks_of_table, "curves": blocks_of_curves, "runs": blocks_of_runs}
_ABOVE = {"results", "claims"}
_ELSEWHERE = {"table": _ABOVE, "curves": _ABOVE | {"last-values"}, "runs": _ABOVE | {"itself"}}
"""The sections that the open part of a page has; a first run is not about the paper itself."""
LEAST_CLAIMS = 5
"""Fewer judged claims than these need no bar."""


def make_page(
    results: Any, ledger: Any, sections: Sequence[Section] = (), footer: Sequence[str] = ()
) -> Page:
    """Return the page of ``results`` with the tables of ``sections`` in its closed parts."""
    names, kind = names_of(results.methods), purpose(results)
    name = str(results.experiment.get("name") or "results")
    done = (results.runs.status == "ok").any()
    blocks = _BLOCKS[kind](results, ledger, names) if done else []
    closed = [_reading(results, ledger), *_closed(results, ledger, kind, names)] if done else []
    shown = [each for each in sections if each.key not in _ELSEWHERE[kind]]
    return Page(
        name,
        str(results.experiment.get("title") or name),
        _intro(results, kind),
        _warnings(results),
        answer(results, ledger),
        _stacks(results, ledger, kind),
        [block for block in blocks if block is not None],
        [*closed, *map(_section, shown)],
        footer,
        names,
    )


def _section(section: Section) -> Closed:
    title = "Notes" if section.key == "notes" else section.title
    return Closed(section.key, title, paragraphs=section.paragraphs, tables=section.tables)


def _intro(results: Any, kind: str) -> str:
    """Return what was run: data sets, folds, seeds, runs, and whether all have finished."""
    experiment, paper, table = results.experiment, results.paper, results.experiment.get("table")
    splits, seeds = experiment.get("splits"), number_of(experiment.get("seeds"))
    several = number_of(experiment.get("split_seeds"))
    how = [counted(several, "partition")] if several > 1 else []
    if isinstance(splits, Mapping):
        how.append(counted(int(splits.get("n") or 1), "split"))
    elif experiment.get("folds"):
        how.append(counted(experiment["folds"], "fold"))
    how += [counted(seeds, "seed")] if seeds > 1 else []
    planned, done = results.all_planned, int((results.runs.status == "ok").sum())
    state = "all finished" if done == planned else f"{done:,} finished"
    sets = plural(len(results.datasets), "data set")
    runs = f"{' × '.join(how)}, {counted(planned, 'run')}, {state}."
    if paper is not None and table and kind != "runs":
        what = table if table in paper.figures else f"Table {table}"
        return f"{what} of {cited(paper)}, measured again: {sets}, {runs}"
    methods = plural(len(results.methods), "method")
    return f"{methods[:1].upper()}{methods[1:]} on {sets}: {runs}"


def _warnings(results: Any) -> list[str]:
    """Return what of the plan is not here, and what has changed since."""
    experiment, states = results.experiment, results.runs.status
    found = []
    if (states != "ok").any():
        counts = states[states != "ok"].value_counts()
        words = series(f"{number:,} {status}" for status, number in counts.items())
        found.append(f"{counted(int(counts.sum()), 'run')} without a result: {words}.")
    if left := experiment.get("not_run"):
        found.append(f"{not_run(experiment)}: {series([*left['datasets'], *left['methods']])}.")
    if lacking := unplanned(experiment, {data.label for data in results.datasets}):
        found.append(f"Not loaded, and so not among these runs: {series(lacking)}.")
    for why, sets in without_data(experiment).items():
        found.append(f"No data for {series(sets)}: {why}.")
    if shard := experiment.get("shard"):
        found.append(f"Shard {shard} of the plan: `boostbench merge` brings all together.")
    return found + ([f"Changed since: {'; '.join(results.changed)}."] if results.changed else [])


def _stacks(results: Any, ledger: Any, kind: str) -> list[Stack]:
    """Return the bars of counts below the answer."""
    cells, claims = counted_cells(results), judged_claims(ledger)
    found, total = [], sum(claims.values())
    if kind == "table":
        words = {"agrees": "agree", "differs": "differ", "undecided": "undecided"}
        parts = [(TONES[v], number, words[v]) for v, number in cells.items() if number]
        found.append(Stack(counted(sum(cells.values()), "printed cell"), parts))
    if total >= LEAST_CLAIMS and kind != "runs":
        parts = [(RULING_TONES[r], claims[r], r.value) for r in IN_SENTENCES if claims[r]]
        title = f"{counted(total, 'claim')} judged, of {len(ledger.entries):,}"
        found.append(Stack(title, parts))
    return found


def _reading(results: Any, ledger: Any) -> Closed:
    """Return how to read the page: its verdicts, and what a run and an interval are."""
    metric, words = results.metric, []
    if results.compares:
        words = [
            ("yes", "agrees", "The 90 % interval of measured minus printed lies inside the margin: "
             f"{metric.least_words} or {metric.spread_tolerance:g} times the printed sd, the "
             "larger one."),
            ("no", "differs", "The interval lies wholly outside the margin."),
            ("open", "undecided", "The interval reaches over the edge of the margin: these runs "
             "decide neither."),
            ("none", "not comparable", "Another setting or other data than the printed cell; the "
             "reason is in the cell."),
        ]  # fmt: skip
    if any(judged_claims(ledger).values()):
        words += [
            ("yes", "reproduced", "A claim whose figures lie within the bounds set for it."),
            ("weak", "weaker", "The claim holds, but not by as much."),
            ("no", "not reproduced", "The claim does not hold."),
            ("open", "undecided", "The interval reaches from figures that contradict the claim to "
             "figures that do not, or trees of a depth that it is about were not run."),
        ]  # fmt: skip
    paragraphs = [
        "A run is one fit: one method, one data set, one part of the rows held out, one seed. All "
        "methods see the same parts. A partition is one way to split the rows into folds. The "
        "interval of a mean is for other rows of the same kind (corrected resampled t, 95 %)"
        f"{'; it never goes beyond 1' if metric.is_share else ''}.",
        "“Separate” means that the test of the fold means decides at 5 %, after Holm’s correction "
        "for all that are compared with the best.",
    ]
    return Closed("reading", "How to read this page", "verdicts, margins, intervals", paragraphs,
                  words)  # fmt: skip


def _closed(results: Any, ledger: Any, kind: str, names: Names) -> list[Closed]:
    """Return the closed parts that are made of cells, claims and curves."""
    cells, found = results.only_cells, []
    printed, counts = set(cells.method[cells.published.notna()]), set(cells.method[cells.counts])
    others = [label for label in names if label in printed - counts]
    for place in range(0, len(others) if kind == "table" else 0, MOST_COLUMNS):
        block = matrix(results, names, others[place : place + MOST_COLUMNS], "variants", "Variants")
        hint = f"{plural(len(others), 'other reading')}, not counted above"
        found.append(Closed(f"variants-{place}", "Variants of the methods, cell by cell", hint,
                            blocks=[block]))  # fmt: skip
    if len(results.curves):
        curves = results.convergence
        scores = score_block(curves, names) if kind != "curves" or curves.excess else None
        if scores is not None:
            title = f"The {scores.groups[0][0].quantity} along the way"
            found.append(Closed("scores", title, "by iterations and by seconds", blocks=[scores]))
    rest = reasons(ledger) if kind != "runs" else []
    if rest:
        count = len(ledger.entries) - sum(judged_claims(ledger).values())
        rows = [[Item(text) for text in row] for row in rest]
        table = Table("not-judged", "", ("why", "claims", "which"), rows, left=frozenset({0, 2}))
        found.append(Closed("not-judged", "Claims that are not judged here",
                            f"{count:,} of {len(ledger.entries):,}", tables=[table]))  # fmt: skip
    every = cards(results, names)
    hint = f"{plural(len(every), 'cell')} with {'its' if len(every) == 1 else 'their'} runs"
    return [*found, Closed("cells", "Every cell in full", hint, cards=every)]
