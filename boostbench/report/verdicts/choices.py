"""The effect of settings, printed or ours: variants in place of a registered method."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import numbers, stats
from boostbench.estimators import default_params
from boostbench.objects.names import is_saved
from boostbench.papers.claims import Claim
from boostbench.papers.evidence import Evidence
from boostbench.papers.figures import is_timed
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.readings import judge_all
from boostbench.papers.settings import Setting
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.runs import in_folds
from boostbench.report.sentences import variants
from boostbench.report.verdicts.ledger import evidence_of
from boostbench.report.words import series

Verdicts = Mapping[str, str]


@dataclass(frozen=True)
class Choice:
    """A ``method`` that differs from the registered one of its column, ``base``, in a parameter.

    The parameter is ``name``, with the ``values`` of both. ``better`` is by how much its mean over
    the ``datasets`` that both have completely is better, ``half`` half the width of the 95 %
    interval of that for other seeds and partitions; ``nearer`` is by how much its means are nearer
    to the printed ones, on average. ``flips`` are the verdicts, of cells by data set and of claims
    by id, that it would change, as (before, after).
    """

    base: PlannedMethod
    method: PlannedMethod
    name: str
    values: tuple[object, object]
    datasets: Sequence[str]
    better: float
    half: float
    nearer: float
    flips: Mapping[str, tuple[str, str]]


def choices(results: ReportData) -> list[Choice]:
    """Return the methods that differ from the registered one of their column in one parameter.

    There are none where all methods are registered ones.
    """
    registered = {cell.method for cell in results.counted_cells}
    others = [method for method in results.methods if method.label not in registered]
    if results.paper is None or not any(method.changed for method in others):
        return []
    # Seconds differ from run to run, so that a choice is not the cause of their flips.
    timeless = [c for c in results.claims if not any(map(is_timed, c.figures))]
    evidence = evidence_of(results.paper, [results])
    made: list[Choice] = []
    for base in results.methods:
        if base.label in registered:
            made += _choices_instead(results, base, others, timeless, evidence)
    return made


def _choices_instead(
    results: ReportData,
    base: PlannedMethod,
    others: Sequence[PlannedMethod],
    timeless: Sequence[Claim],
    evidence: Evidence,
) -> Iterator[Choice]:
    """Yield the choices in place of a registered method, with the verdicts that they change."""
    claims = [claim for claim in timeless if base.registered in claim.roles]
    before = _verdicts(results, base, base, claims, evidence, list(results.rows))
    for method in others:
        labels = [base.label, method.label]
        shared, differing = _whole_on(results, labels), _differing(base, method)
        is_choice = _column(results, method) == _column(results, base) and len(differing) == 1
        if is_choice and shared:
            ((name, values),) = differing.items()
            better, half = _lead(results, base.label, method.label, shared)
            away = distances(results, labels).mean()
            nearer = float(away[base.label] - away[method.label])
            after = _verdicts(results, base, method, claims, evidence, shared)
            flips = _flips(before, after)
            yield Choice(base, method, name, values, shared, better, half, nearer, flips)


def _flips(before: Verdicts, after: Verdicts) -> dict[str, tuple[str, str]]:
    """Return the verdicts that are others afterwards."""
    both = {key: (before[key], after[key]) for key in before if key in after}
    return {key: verdicts for key, verdicts in both.items() if verdicts[0] != verdicts[1]}


def _differing(base: PlannedMethod, method: PlannedMethod) -> dict[str, tuple[object, object]]:
    """Return the parameters in which two methods of one estimator differ, with both values."""
    # A stored object would have to be loaded, which runs code: its parameters are those given.
    known = {} if is_saved(base.estimator) else default_params(base.estimator)[0]
    mine, other = ({**known, **each.params} for each in (base, method))
    return {name: (mine[name], other.get(name)) for name in mine if mine[name] != other.get(name)}


def _whole_on(results: ReportData, labels: Sequence[str]) -> list[str]:
    """Return the data sets on which all these methods have finished every run."""
    whole = {(c.dataset, c.method) for c in results.only_cells if c.finished == c.planned}
    datasets = [data.label for data in results.counted]
    return [name for name in datasets if all((name, label) in whole for label in labels)]


def _column(results: ReportData, method: PlannedMethod) -> tuple[str, str, Setting]:
    assert results.paper is not None
    column = results.paper.names.get(method.registered, "")
    return method.estimator, column, results.paper.setting_of(method.conditions)


def _verdicts(
    results: ReportData,
    base: PlannedMethod,
    method: PlannedMethod,
    claims: Sequence[Claim],
    evidence: Evidence,
    datasets: Sequence[str],
) -> Verdicts:
    """Return verdicts on ``datasets`` with the runs of ``method`` as those of ``base``."""
    runs = results.runs[results.runs.dataset.isin(datasets)]
    runs = runs[runs.method == method.label].assign(method=base.label)
    other = replace(results, runs=runs, methods=[base])
    of_cells = {cell.dataset: str(cell.verdict) for cell in other.only_cells if cell.verdict}
    own = evidence_of(evidence.paper, [other]).cells
    replaced = {(role, setting) for role, setting, _ in own}
    rest = {key: cell for key, cell in evidence.cells.items() if key[:2] not in replaced}
    entries = judge_all(claims, replace(evidence, cells={**rest, **own}))
    judged = {entry.claim.id: str(entry.judged.verdict) for entry in entries if entry.judged.shown}
    return of_cells | judged


def _lead(results: ReportData, base: str, label: str, shared: Sequence[str]) -> tuple[float, float]:
    """Return by how much a method is better than its base, and half the interval of that."""
    sign = results.metric.sign
    better = [
        sign * (_fold_means(results, data, label) - _fold_means(results, data, base))
        for data in shared
    ]
    # The variances of the data sets add up, as those of the two sides of a difference do.
    error = reduce(
        stats.difference_se, (stats.se_over_partitions(each[..., None]) for each in better)
    )
    half = error.half_width() / len(shared)
    return float(np.mean([each.mean() for each in better])), half


def _fold_means(results: ReportData, dataset: str, label: str) -> NDArray[np.float64]:
    return np.asarray(in_folds(results.of(dataset, label).score).mean(axis=2))


def distances(results: ReportData, labels: Sequence[str]) -> pd.DataFrame:
    """Return the distances of means from printed ones, data sets by methods, if all are known."""
    cells = results.cell_frame.set_index(["dataset", "method"])
    away = (cells.compared - cells.published).abs().unstack()
    return away[list(labels)].dropna()


def chosen_on_the_others(away: pd.DataFrame) -> list[str]:
    """Return, for each data set, the method nearest to the printed means on all other ones."""
    rest = away.sum() - away
    return [str(label) for label in rest.idxmin(axis=1)]


def choice_tables(results: ReportData) -> tuple[list[str], list[TextTable]]:
    """Return what it is worth to choose settings on all data sets but one, and all choices.

    The first are sentences for each registered method, without the settings of which
    the paper says something and with them; the second are tables.
    """
    made = choices(results)
    if not made or results.paper is None:
        return [], []
    known = results.paper.choices
    lines = []
    for base in dict.fromkeys(each.base.label for each in made):
        tried = [each for each in made if each.base.label == base]
        printed = [e for e in tried if known.get(e.name, "").startswith(("printed", '"'))]
        # A setting that the paper prints is not our choice.
        lines += _chosen_on_the_others(results, tried, left_out=printed)
        lines += _chosen_on_the_others(results, tried, left_out=[]) if printed else []
    rows = [_choice_row(results, each, known.get(each.name, "")) for each in made]
    words = (
        "Method",
        "Choice",
        "Registered",
        "Instead",
        "Other verdicts",
        "How it was chosen",
    )
    title = "What each setting changes"
    table = make_table("choices", title, rows, words, legend=variants.CHOICES, keys=4)
    return lines, [table, _causes(results, made)]


def _chosen_on_the_others(
    results: ReportData, tried: Sequence[Choice], left_out: Sequence[Choice]
) -> list[str]:
    """Return what it is worth to choose among settings of a method on all data sets but one."""
    base = tried[0].base.label
    others = [choice.method.label for choice in tried if choice not in left_out]
    away = distances(results, [base, *others])
    if len(away) < 2 or not others:
        return []
    names, metric = results.names, results.metric
    picked = chosen_on_the_others(away)
    mean = np.mean([away.loc[at] for at in zip(away.index, picked, strict=True)])
    sentence = variants.chosen_on_the_others(
        names[base],
        registered=picked.count(base),
        datasets=len(away),
        instead=[names[label] for label in dict.fromkeys(picked) if label != base],
        away=metric.text(float(mean)),
        usual=metric.text(float(away[base].mean())),
        left_out=list(dict.fromkeys(choice.name for choice in left_out)),
    )
    return [sentence]


def _choice_row(results: ReportData, choice: Choice, how: str) -> dict[str, Item | str]:
    metric, n_datasets = results.metric, len(results.counted)
    flips = [f"{name}: {before} → {after}" for name, (before, after) in choice.flips.items()]
    better = Item(metric.difference(choice.better), note=_spread(choice, n_datasets, metric))
    return {
        "Method": results.names[choice.base.label],
        "Choice": choice.name,
        "Registered": _text(choice.values[0]),
        "Instead": _text(choice.values[1]),
        "Better by": better,
        "Nearer to print by": "" if np.isnan(choice.nearer) else metric.difference(choice.nearer),
        "Other verdicts": "; ".join(flips) or "none",
        "How it was chosen": how,
    }


def _causes(results: ReportData, made: Sequence[Choice]) -> TextTable:
    """Return the cells that differ from print, and the settings with which they would not."""
    differ = [c for c in results.counted_cells if c.verdict is CellVerdict.DIFFERS]
    rows = [_cause_row(results, cell, made) for cell in differ]
    words = ("Data set", "Method", "Another verdict with", "Differs with")
    title = "Cells that differ from print, and what was tried"
    return make_table("causes", title, rows, words, legend=variants.CAUSES, keys=2)


def _cause_row(results: ReportData, cell: Cell, made: Sequence[Choice]) -> dict[str, Item | str]:
    tried = [c for c in made if c.base.label == cell.method and cell.dataset in c.datasets]
    settings = [(f"{c.name} {_text(c.values[1])}", c.flips.get(cell.dataset)) for c in tried]
    others = series(f"{text} ({flip[1]})" for text, flip in settings if flip)
    return {
        "Data set": cell.dataset,
        "Method": results.names[cell.method],
        "Measured − printed": results.metric.difference(cell.difference),
        "Another verdict with": others or ("none of these" if tried else "nothing was tried"),
        "Differs with": series(text for text, flip in settings if not flip),
    }


def _spread(choice: Choice, n_datasets: int, metric: Metric) -> str:
    """Return half the width of a choice's interval, and on how many data sets it is if not all."""
    half = "one fold" if np.isnan(choice.half) else f"± {metric.text(choice.half)}"
    here = len(choice.datasets)
    return half if here == n_datasets else f"{half}, on {here} of {n_datasets} data sets"


def _text(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return numbers.setting(value)
    return str(value)
