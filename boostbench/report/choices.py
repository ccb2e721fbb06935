"""The effect of settings, printed or ours: variants in place of a registered method."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from boostbench import numbers, stats
from boostbench.estimators import default_params
from boostbench.papers.claims import Claim, read_claims
from boostbench.papers.evidence import Evidence
from boostbench.papers.figures import is_timed
from boostbench.papers.judge import judge_all
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.report.cells import LEVEL
from boostbench.report.claims import evidence_of
from boostbench.report.evidence import DIFFERS
from boostbench.report.results import Results
from boostbench.report.runs import records, scores
from boostbench.report.table import Item, Table, make_table
from boostbench.report.words import names_of, say, series

Verdicts = Mapping[str, str]


class Choice(NamedTuple):
    """A ``method`` that differs from the registered one of its column, ``base``, in a parameter.

    The parameter is ``name``, with the ``values`` of both. ``better`` is by how much its mean over
    the ``datasets`` that both have completely is better, ``half`` half the width of the 95 %
    interval of that for other seeds and partitions; ``nearer`` is by how much its means are nearer
    to the printed ones, on average. ``flips`` are the verdicts, of cells by data set and of claims
    by id, that it would change, as (before, after).
    """

    base: Method
    method: Method
    name: str
    values: tuple[object, object]
    datasets: Sequence[str]
    better: float
    half: float
    nearer: float
    flips: Mapping[str, tuple[str, str]]


def choices(results: Results) -> list[Choice]:
    """Return the methods that differ from the registered one of their column in one parameter.

    There are none where all methods are registered ones.
    """
    meant = set(results.only_cells.method[results.only_cells.counts])
    others = [method for method in results.methods if method.label not in meant]
    if results.paper is None or not any(method.changed for method in others):
        return []
    # Seconds differ from run to run, so that a choice is not the cause of their flips.
    timeless = [c for c in read_claims(results.paper) if not any(map(is_timed, c.figures))]
    evidence, found = evidence_of(results.paper, [results]), []
    for base in (method for method in results.methods if method.label in meant):
        claims = [claim for claim in timeless if base.registered in claim.roles]
        before = _verdicts(results, base, base, claims, evidence, list(results.rows))
        for method in others:
            if _column(results, method) != _column(results, base):
                continue
            differing = _differing(base, method)
            shared = _whole_on(results, base.label, method.label)
            if len(differing) != 1 or not shared:
                continue
            ((name, values),) = differing.items()
            after = _verdicts(results, base, method, claims, evidence, shared)
            flips = {key: (before[key], after[key]) for key in before
                     if key in after and before[key] != after[key]}  # fmt: skip
            worth = _worth(results, base.label, method.label, shared)
            found.append(Choice(base, method, name, values, shared, *worth, flips))
    return found


def _differing(base: Method, method: Method) -> dict[str, tuple[object, object]]:
    """Return the parameters in which two methods of one estimator differ, with both values."""
    known = default_params(base.estimator)[0]
    mine, other = ({**known, **each.params} for each in (base, method))
    return {name: (mine[name], other.get(name)) for name in mine if mine[name] != other.get(name)}


def _whole_on(results: Results, *labels: str) -> list[str]:
    """Return the data sets on which all these methods have finished every run."""
    cells = results.only_cells[results.only_cells.method.isin(labels)]
    whole = cells[cells.finished == cells.planned].dataset.value_counts() == len(labels)
    return [data.label for data in results.counted if whole.get(data.label, False)]


def _column(results: Results, method: Method) -> tuple[str, str, int | None]:
    assert results.paper is not None
    return method.estimator, results.paper.names.get(method.registered, ""), method.depth


def _verdicts(
    results: Results,
    base: Method,
    method: Method,
    claims: Sequence[Claim],
    evidence: Evidence,
    datasets: Sequence[str],
) -> Verdicts:
    """Return verdicts on ``datasets`` with the runs of ``method`` as those of ``base``."""
    runs = results.runs[results.runs.dataset.isin(datasets)]
    runs = runs[runs.method == method.label].assign(method=base.label)
    other = replace(results, runs=runs, methods=[base])
    cells = records(other.only_cells)
    found = {str(cell.dataset): str(cell.verdict) for cell in cells if cell.verdict}
    own = evidence_of(evidence.paper, [other]).cells
    replaced = {(role, depth) for role, depth, _ in own}
    rest = {key: cell for key, cell in evidence.cells.items() if key[:2] not in replaced}
    entries = judge_all(claims, replace(evidence, cells={**rest, **own}))
    judged = {entry.claim.id: str(entry.judged.verdict) for entry in entries if entry.judged.shown}
    return found | judged


def _worth(
    results: Results, base: str, label: str, shared: Sequence[str]
) -> tuple[float, float, float]:
    """Return by how much a method is better, half the interval of that, and how much nearer."""
    both = [[scores(results.of(data, each)).mean(axis=2) for each in (label, base)]
            for data in shared]  # fmt: skip
    better = [results.metric.sign * (mine - theirs) for mine, theirs in both]
    # The variances of the data sets add up, as those of the two sides of a difference do.
    error = reduce(
        stats.difference_se, (stats.se_over_partitions(each[..., None]) for each in better)
    )
    half = float(scipy.special.stdtrit(error.df, 0.5 + LEVEL / 2)) * error.se / len(shared)
    away = distances(results, [base, label]).mean()
    return float(np.mean([each.mean() for each in better])), half, float(away[base] - away[label])


def distances(results: Results, labels: Sequence[str]) -> pd.DataFrame:
    """Return the distances of means from printed ones, data sets by methods, if all are known."""
    cells = results.only_cells[results.only_cells.method.isin(labels)]
    away = (cells.compared - cells.published).abs()
    table = cells.assign(away=away).pivot(index="dataset", columns="method", values="away")
    return table[list(labels)].astype(float).dropna()


def chosen_on_the_others(away: pd.DataFrame) -> list[str]:
    """Return, for each data set, the method nearest to the printed means on all other ones."""
    rest = away.sum() - away
    return [str(label) for label in rest.idxmin(axis=1)]


def choice_tables(results: Results) -> tuple[list[str], list[Table]]:
    """Return the value of a choice on fourteen data sets for the fifteenth, and all choices."""
    found = choices(results)
    if not found or results.paper is None:
        return [], []
    names, metric, known = names_of(results.methods), results.metric, results.paper.choices
    lines = []
    for base in dict.fromkeys(each.base.label for each in found):
        # A setting that the paper prints is not our choice.
        ours = [each.method.label for each in found if each.base.label == base
                and not known.get(each.name, "").startswith(("printed", '"'))]  # fmt: skip
        labels = [base, *ours]
        away = distances(results, labels)
        if len(away) < 2 or not ours:
            continue
        picked = chosen_on_the_others(away)
        mean = np.mean([away.loc[at] for at in zip(away.index, picked, strict=True)])
        others = [names[label] for label in dict.fromkeys(picked) if label != base]
        usual = metric.text(float(away[base].mean()))
        lines += say("chosen", name=names[base], kept=picked.count(base), sets=len(away),
                     own=metric.text(float(mean)), usual=usual, others=others)  # fmt: skip
    sets = len(results.counted)
    rows = [
        {
            "Method": names[each.base.label],
            "Choice": each.name,
            "Registered": _text(each.values[0]),
            "Instead": _text(each.values[1]),
            "Better by": Item(metric.difference(each.better), note=_spread(each, sets, metric)),
            "Nearer to print by": "" if np.isnan(each.nearer) else metric.difference(each.nearer),
            "Other verdicts": "; ".join(
                f"{name}: {before} → {after}" for name, (before, after) in each.flips.items()
            ) or "none",
            "How it was chosen": known.get(each.name, ""),
        }
        for each in found
    ]  # fmt: skip
    words = ("Method", "Choice", "Registered", "Instead", "Other verdicts", "How it was chosen")
    title = "What each setting changes"
    legend = " ".join(say("choices"))
    made = make_table("choices", title, rows, words, legend=legend, keys=4)
    return lines, [made, _causes(results, found)]


def _causes(results: Results, found: Sequence[Choice]) -> Table:
    """Return the cells that differ from print, and the settings with which they would not."""
    names, rows = names_of(results.methods), []
    cells = results.only_cells[results.only_cells.counts]
    for cell in records(cells[cells.verdict == DIFFERS]):
        tried = [each for each in found
                 if each.base.label == cell.method and cell.dataset in each.datasets]  # fmt: skip
        named = [(f"{each.name} {_text(each.values[1])}", each.flips.get(cell.dataset))
                 for each in tried]  # fmt: skip
        others = series(f"{text} ({flip[1]})" for text, flip in named if flip)
        rows.append({
            "Data set": cell.dataset,
            "Method": names[cell.method],
            "Measured − printed": results.metric.difference(cell.difference),
            "Another verdict with": others or ("none of these" if tried else "nothing was tried"),
            "Differs with": series(text for text, flip in named if not flip),
        })  # fmt: skip
    words = ("Data set", "Method", "Another verdict with", "Differs with")
    title = "Cells that differ from print, and what was tried"
    return make_table("causes", title, rows, words, legend=" ".join(say("causes")), keys=2)


def _spread(choice: Choice, sets: int, metric: Metric) -> str:
    half = "one fold" if np.isnan(choice.half) else f"± {metric.text(choice.half)}"
    few = "" if len(choice.datasets) == sets else f", on {len(choice.datasets)} of {sets} data sets"
    return f"{half}{few}"


def _text(value: Any) -> str:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return numbers.setting(value) if plain else str(value)
