"""What a reader must know to judge a report's numbers; a paper adds its own notes."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pandas as pd

from boostbench.papers import Paper
from boostbench.report.results import Results
from boostbench.report.runs import parts, records, runs_over
from boostbench.report.words import say
from boostbench.suggest import counted, listing


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
