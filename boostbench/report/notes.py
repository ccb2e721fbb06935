"""What a reader must know to judge a report's numbers; a paper adds its own notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.report.results import Results
from boostbench.report.runs import parts, records, runs_over
from boostbench.report.table import Item, Table, make_table
from boostbench.suggest import counted, listing

Stated = Sequence[float] | str
_SPREAD = (
    "The sd (±) is the sample standard deviation (n − 1) over all finished {runs} "
    "together. The {parts} overlap in their training rows, so that it understates the uncertainty "
    "of the mean."
)
_HELD = (
    "A curve of scores is the mean over runs. On logarithmic axes (times, objectives) it is the "
    "median. The score after an iteration is that of the model with the coefficients of that "
    "iteration. A training that stopped early keeps its last values; where trainings were cut off "
    "by a time budget, the curve ends where the first of them does. A method that recorded no "
    "stages has its final score or time. The CSV files have all values."
)
_CLOCK = (
    "Times are of training only, one thread per run, and the same in figures and tables: what the "
    "method's own clock shows at the end of its last iteration. It starts with `fit`, so that "
    "checking and sorting the data are inside. Outside are the choice of parameters, errors after "
    "each iteration, and what `fit` does after the last one: certificates of the optimum, putting "
    "the model together."
)
_WALL = "Times are of training only, one thread per run: the wall time of all of `fit`."
_WALL_OF = "Of {methods}, without such a clock, it is the wall time of all of `fit`."
_EXPLODED = (
    "One run with {label} can decide a mean: {cells}. Read the median and the count of runs with "
    "{label} beside the mean."
)
_PROCESSORS = (
    "The runs were timed on {count}: {where}. Means of times, and figures of them, take them "
    "together; claims and gains compare only times of runs of the same data set, fold and seed "
    "on the same processor."
)


def notes(results: Results) -> list[str]:
    """Return the paragraphs that apply."""
    experiment, paper = results.experiment, results.paper
    texts = [_SPREAD.format(parts=parts(experiment), runs=runs_over(experiment))]
    texts += [_HELD] if results.recorded_curves else []
    texts += [_times(results), *_processors(results), *_exploded(results)]
    return [*texts, *(paper.notes(_used(results, paper)) if paper else ())]


def _times(results: Results) -> str:
    done = results.runs[results.runs.status == "ok"]
    without = dict.fromkeys(f"`{name}`" for name in done.method[~done.clocked.astype(bool)])
    if not done.clocked.any():
        return _WALL
    return " ".join([_CLOCK, *([_WALL_OF.format(methods=", ".join(without))] if without else [])])


def _processors(results: Results) -> list[str]:
    """Return which methods were timed on which processors, nothing where all were on one."""
    done = results.runs[results.runs.status == "ok"]
    if done.processor[done.processor != ""].nunique() < 2:
        return []
    total: Counter[str] = Counter(done.method)
    where = []
    for processor, own in done.groupby("processor", sort=False):
        methods = [
            f"`{name}`" + ("" if n == total[name] else f" ({n:,} of {counted(total[name], 'run')})")
            for name, n in Counter(map(str, own.method)).items()
        ]
        where.append(f"{str(processor) or 'unknown'} ({listing(methods)})")
    return [_PROCESSORS.format(count=counted(len(where), "processor"), where="; ".join(where))]


def _exploded(results: Results) -> list[str]:
    metric, cells = results.metric, results.only_cells
    found = [
        f"{cell.method} on {cell.dataset}, {int(cell.exploded)} of {cell.finished} runs, "
        f"mean {metric.text(cell.mean)}, median {metric.text(cell.median)}"
        f"{_without(metric.text(cell.kept_mean)) if cell.kept_mean == cell.kept_mean else ''}"
        for cell in records(cells[(cells.exploded > 0) & ~cells.leaves_out.astype(bool)])
    ]
    return [_EXPLODED.format(label=metric.exploded_label, cells="; ".join(found))] if found else []


def _without(mean: str) -> str:
    return f", mean without them {mean}"


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
