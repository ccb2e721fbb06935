"""What a reader must know to judge a report's numbers; a paper adds its own notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import pandas as pd

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.report.results import Results
from boostbench.report.runs import parts, records, runs_over
from boostbench.report.table import Item, Table, make_table
from boostbench.report.words import say
from boostbench.suggest import counted, listing

Stated = Sequence[float] | str


def notes(results: Results) -> list[str]:
    """Return the paragraphs that apply."""
    experiment, paper = results.experiment, results.paper
    done = results.runs[results.runs.status == "ok"]
    without = done.method[~done.clocked.astype(bool)].unique()
    texts = say(
        "notes",
        parts=parts(experiment),
        runs=runs_over(experiment),
        held=bool(results.recorded_curves),
        clocked=done.clocked.any(),
        without=[f"`{name}`" for name in without],
        processors=_processors(done),
        exploded=_exploded(results),
        metric=results.metric,
    )
    return [*texts, *(paper.notes(_used(results, paper)) if paper else ())]


def _processors(done: pd.DataFrame) -> list[str]:
    """Return which methods were timed on which processors, nothing where all were on one."""
    if done.processor[done.processor != ""].nunique() < 2:
        return []
    total, where = Counter(done.method), []
    for processor, own in done.groupby("processor", sort=False):
        methods = [
            f"`{name}`" + ("" if n == total[name] else f" ({n:,} of {counted(total[name], 'run')})")
            for name, n in Counter(map(str, own.method)).items()
        ]
        where.append(f"{str(processor) or 'unknown'} ({listing(methods)})")
    return where


def _exploded(results: Results) -> list[str]:
    metric, cells = results.metric, results.only_cells
    found = []
    for cell in records(cells[(cells.exploded > 0) & ~cells.leaves_out.astype(bool)]):
        text = f"{cell.method} on {cell.dataset}, {int(cell.exploded)} of {cell.finished} runs, "
        text += f"mean {metric.text(cell.mean)}, median {metric.text(cell.median)}"
        known = cell.kept_mean == cell.kept_mean
        found.append(f"{text}, mean without them {metric.text(cell.kept_mean)}" if known else text)
    return found


def _used(results: Results, paper: Paper) -> set[str]:
    """Return the methods, roles and cards that a paper's notes may be about."""
    methods = {method.registered for method in results.methods}
    roles = (paper.roles_of(m.registered, m.params, bool(m.choose)) for m in results.methods)
    return {*methods, *chain(*roles), *(data.card for data in results.datasets)}


def protocol(results: Results) -> Table | None:
    """Return the paper's protocol beside this experiment's, ``None`` where it states none."""
    paper = results.paper
    if paper is None or not paper.protocol or results.only_cells.empty:
        return None
    rows = [
        {"": what, "Paper": there, "Here": Item(here, tone="" if there == here else "partly")}
        for what, there, here in (
            (what, _words(there), _words(here)) for what, there, here in _rows(results, paper)
        )
    ]
    title = "The paper's protocol and this one"
    return make_table("protocol", title, rows, ("", "Paper", "Here"))


def _rows(results: Results, paper: Paper) -> Iterator[tuple[str, Stated, Stated]]:
    stated, splits = paper.protocol, results.experiment.get("splits") or {}
    if paper.runs:
        planned = sorted(set(map(int, results.only_cells.planned)))
        yield "Runs per method and data set", [paper.runs], planned
    folds = results.experiment.get("folds")
    share = splits.get("test_size") or (1 / folds if isinstance(folds, int) else None)
    test = splits.get("test_size")
    how = f"split {100 - 100 * test:g}/{100 * test:g}" if test else f"in {folds} folds"
    divided = {
        data.label: (
            listed.division,
            f"{data.per_class:,} per class, {how}" if data.per_class else data.rule.words,
        )
        for data in results.datasets
        for listed in paper.datasets.values()
        if data.rule and data.card in listed.cards and listed.division
    }
    if share is not None and stated.get("test_size") and len(divided) < len(results.datasets):
        yield "Share of test rows", [stated["test_size"]], [share]
    for label, (there, here) in divided.items():
        yield f"Rows of {label}", there, here
    for name, value in (stated.get("params") or {}).items():
        found = {method.params.get(name, value) for method in results.methods}
        yield name, [value], sorted(found)
    for name, values in (stated.get("choose") or {}).items():
        chosen = [tuple(m.choose[name]) for m in results.methods if name in m.choose]
        for own in dict.fromkeys(chosen):
            yield f"{name} chosen from", values, own


def _words(values: Stated) -> str:
    return values if isinstance(values, str) else ", ".join(map(numbers.setting, values))
