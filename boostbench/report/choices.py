"""What choices that a paper does not print are worth: others in a registered method's place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from boostbench import numbers, stats
from boostbench.estimators import default_params
from boostbench.papers.claims import Claim, read_claims
from boostbench.papers.judge import judge_all
from boostbench.papers.results import Method
from boostbench.report.cells import LEVEL
from boostbench.report.claims import evidence_of
from boostbench.report.results import Results
from boostbench.report.runs import scores
from boostbench.report.table import Item, Table, make_table
from boostbench.report.words import names_of, say
from boostbench.stats.paired import common

Verdicts = Mapping[str, str]


class Choice(NamedTuple):
    """A ``method`` that differs from the registered one of its column, ``base``, in parameters.

    ``params`` has the value of each of both. ``better`` is by how much its mean over the data sets
    is better, ``half`` half the width of the 95 % interval of that for other seeds and partitions;
    ``nearer`` by how much nearer to print its means are, on average. ``flips`` are the verdicts, of
    cells by data set and of claims by id, that would be others with it, as (before, after).
    """

    base: Method
    method: Method
    params: Mapping[str, tuple[Any, Any]]
    better: float
    half: float
    nearer: float
    flips: Mapping[str, tuple[str, str]]


def choices(results: Results) -> list[Choice]:
    """Return the methods of an experiment that others differ from in parameters, and these.

    There are none where all methods are registered ones.
    """
    meant = set(results.only_cells.method[results.only_cells.counts])
    others = [method for method in results.methods if method.label not in meant]
    if results.paper is None or not any(method.changed for method in others):
        return []
    claims, found = read_claims(results.paper), []
    for base in (method for method in results.methods if method.label in meant):
        before = _verdicts(results, base, base, claims, meant)
        for method in others:
            if _column(results, method) != _column(results, base):
                continue
            after = _verdicts(results, base, method, claims, meant)
            flips = {name: (before[name], after[name]) for name in before
                     if name in after and before[name] != after[name]}  # fmt: skip
            found.append(_choice(results, base, method, flips))
    return found


def _column(results: Results, method: Method) -> tuple[str, str, int | None]:
    assert results.paper is not None
    return method.estimator, results.paper.names.get(method.registered, ""), method.depth


def _verdicts(
    results: Results, base: Method, method: Method, claims: Sequence[Claim], meant: set[str]
) -> Verdicts:
    """Return the verdicts of cells and claims with the runs of ``method`` as those of ``base``."""
    kept = (meant - {base.label}) | {method.label}
    runs = results.runs[results.runs.method.isin(kept)]
    runs = runs.assign(method=runs.method.replace(method.label, base.label))
    methods = [each for each in results.methods if each.label in meant]
    other = replace(results, runs=runs, methods=methods)
    cells = other.only_cells[other.only_cells.method == base.label]
    found = {str(cell.dataset): str(cell.verdict) for cell in cells.itertuples() if cell.verdict}
    assert results.paper is not None
    own = [claim for claim in claims if base.registered in claim.roles]
    entries = judge_all(own, evidence_of(results.paper, [other]))
    judged = {entry.claim.id: str(entry.judged.ruling) for entry in entries if entry.judged.shown}
    return found | judged


def _choice(
    results: Results, base: Method, method: Method, flips: Mapping[str, tuple[str, str]]
) -> Choice:
    values = [{**default_params(each.estimator)[0], **each.params} for each in (base, method)]
    params = {
        name: (value, values[1].get(name))
        for name, value in values[0].items()
        if value != values[1].get(name)
    }
    by_part: list[NDArray[np.float64]] = []
    for data in results.counted:
        sides = [results.of(data.label, each.label) for each in (method, base)]
        if shared := common(*(runs.index for runs in sides)):
            mine, theirs = (scores(runs.loc[shared]) for runs in sides)
            by_part.append(results.metric.sign * np.nanmean(mine - theirs, axis=2))
    average = np.mean([each for each in by_part if each.shape == by_part[0].shape], axis=0)
    error = stats.se_over_partitions(average[..., None])
    half = float(scipy.special.stdtrit(error.df, 0.5 + LEVEL / 2)) * error.se
    away = distances(results, [base.label, method.label]).mean()
    return Choice(base, method, params, float(average.mean()), half,
                  float(away.iloc[0] - away.iloc[1]), flips)  # fmt: skip


def distances(results: Results, labels: Sequence[str]) -> pd.DataFrame:
    """Return how far means are from print, data sets by methods, where all are known."""
    cells = results.only_cells[results.only_cells.method.isin(labels)]
    away = (cells.compared - cells.published).abs()
    table = cells.assign(away=away).pivot(index="dataset", columns="method", values="away")
    return table[list(labels)].astype(float).dropna()


def chosen_on_the_others(away: pd.DataFrame) -> list[str]:
    """Return, for each data set, the method that is nearest to print on all the other ones."""
    rest = away.sum() - away
    return [str(label) for label in rest.idxmin(axis=1)]


def choice_tables(results: Results) -> tuple[list[str], list[Table]]:
    """Return what a choice on fourteen data sets is worth on the fifteenth, and each choice."""
    found = choices(results)
    if not found or results.paper is None:
        return [], []
    names, metric, known = names_of(results.methods), results.metric, results.paper.choices
    lines = []
    for base in dict.fromkeys(each.base.label for each in found):
        labels = [base, *(each.method.label for each in found if each.base.label == base)]
        away = distances(results, labels)
        picked = chosen_on_the_others(away)
        mean = np.mean(
            [away.loc[row, label] for row, label in zip(away.index, picked, strict=True)]
        )
        others = [names[label] for label in dict.fromkeys(picked) if label != base]
        usual = metric.text(float(away[base].mean()))
        lines += say("chosen", name=names[base], kept=picked.count(base), sets=len(away),
                     own=metric.text(float(mean)), usual=usual, others=others)  # fmt: skip
    rows = [
        {
            "Method": names[each.base.label],
            "Choice": ", ".join(each.params),
            "Registered": ", ".join(_text(mine) for mine, _ in each.params.values()),
            "Instead": ", ".join(_text(other) for _, other in each.params.values()),
            "Better by": Item(metric.difference(each.better), note=f"± {metric.text(each.half)}"),
            "Nearer to print by": metric.difference(each.nearer),
            "Other verdicts": "; ".join(
                f"{name}: {before} → {after}" for name, (before, after) in each.flips.items()
            ) or "none",
            "How it was chosen": known.get(next(iter(each.params), ""), ""),
        }
        for each in found
    ]  # fmt: skip
    words = ("Method", "Choice", "Registered", "Instead", "Other verdicts", "How it was chosen")
    title = "Choices that the paper does not print"
    legend = " ".join(say("choices", metric=metric))
    return lines, [make_table("choices", title, rows, words, legend=legend)]


def _text(value: Any) -> str:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return numbers.setting(value) if plain else str(value)
