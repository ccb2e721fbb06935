"""Comparisons of methods: over their common runs, then over data sets.

A mean of a method on a data set is that of its fold means, over the (split seed, fold, seed) runs
that all sides of the comparison have; over data sets the unit is the data set. A data set that is
published as an earlier one counts once. The formulas are those of :mod:`boostbench.stats`.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import numbers, stats
from boostbench.report.printed import printed_ranks
from boostbench.report.results import Results
from boostbench.report.runs import Row, Runs, records
from boostbench.report.sentences import findings, legends
from boostbench.report.table import Item, Table, make_table
from boostbench.report.winners import compare_on
from boostbench.report.words import names_of, series
from boostbench.stats.paired import mean_of_folds

Floats = NDArray[np.float64]
LEAST_DATASETS = 5
"""The fewest data sets for a statement about others like them."""
MOST_METHODS = 6
"""The most methods that are compared in all pairs, and not only with the first one."""
LEVEL = 0.95
SETS_LEVEL = 0.98
"""Fieller's intervals of 95 % held the ratio of other data sets in 90 % of simulated runs."""
_EQUAL = 5e-13


@dataclass(frozen=True)
class Ranking:
    """Friedman's test of all ``methods`` on the ``datasets`` that all of them have.

    ``friedman.ranks`` are mean ranks in the order of ``methods``, 1 the best. ``cd`` is Nemenyi's
    critical difference at 5 %; pairs are tested by Wilcoxon. ``left_out`` are the data sets that
    not all methods have.
    """

    methods: Sequence[str]
    datasets: Sequence[str]
    friedman: stats.Friedman
    cd: float
    left_out: Sequence[str] = ()


def compare_methods(results: Results) -> list[Row]:
    """Return the pairs of methods that have runs in common, as named tuples.

    With more than :data:`MOST_METHODS` only the pairs of the first one, on the right, are ``shown``
    and tested. ``left`` and ``right`` are over all ``datasets`` with common runs, those of
    :func:`compare_on`; ``left_mean`` and ``right_mean`` are over data sets, ``runs`` counts those
    of all. Ratios are of the left mean to the right one: ``ratio`` with Fieller's interval, for
    data sets like these; ``fixed`` by the delta method, on exactly these; ``without`` is (data set,
    ratio) without the one that changes it most. Values that need :data:`LEAST_DATASETS`, or a
    positive mean on the right, are ``None`` otherwise, and where no mean over data sets is
    meaningful. ``wins`` counts those of the left method, with ties within the metric's tolerance,
    ``decided`` the data sets on which the corrected t-test decides after Holm, for the left and for
    the right method: over the pair's data sets, and for the best method of a data set also over all
    that are compared with it (:func:`~boostbench.report.winners.standings`). ``p_holm`` is the p of
    ``wilcoxon`` adjusted for all pairs. ``lacking`` are the data sets without a common run.
    """
    labels = measured(results)
    wanted = [*combinations(labels, 2)]
    if many := len(labels) > MOST_METHODS:
        wanted = [two[::-1] if two[0] == labels[0] else two for two in wanted]
    found = [pair for two in wanted if (pair := _compare(results, *two))]
    for pair in found:
        pair["shown"] = not many or pair["right"] == labels[0]
    tested = [pair for pair in found if pair["wilcoxon"] and pair["shown"]]
    adjusted = stats.holm([pair["wilcoxon"].p for pair in tested]) if tested else ()
    for pair, p in zip(tested, adjusted, strict=True):
        pair["p_holm"] = float(p)
    return records(pd.DataFrame(found, dtype=object))


def rank_methods(results: Runs) -> Ranking | None:
    """Return the ranks of three methods or more, ``None`` where they share too few data sets."""
    labels = measured(results)
    if len(labels) < 3:
        return None
    found = {data.label: results.shared(data.label, labels) for data in results.counted}
    names = [name for name, own in found.items() if own]
    if len(names) < LEAST_DATASETS:
        return None
    means = [[mean_of_folds(own) for own in found[name]] for name in names]
    left_out = [name for name in found if name not in names]
    test = stats.friedman(means, greater_is_better=results.metric.greater_is_better)
    return Ranking(labels, names, test, stats.nemenyi_cd(len(labels), len(names)), left_out)


def measured(results: Runs) -> list[str]:
    """Return the labels of the methods that have a finished run."""
    done = {method for (_, method), own in results.finished.items() if len(own)}
    return [method.label for method in results.methods if method.label in done]


def _compare(results: Results, left: str, right: str) -> dict[str, Any]:
    """Return the comparison of two methods, empty without common runs."""
    metric = results.metric
    each = {data.label: compare_on(results, data.label, left, right) for data in results.counted}
    found = pd.DataFrame([one for one in each.values() if one])
    if found.empty:
        return {}
    # What is said of the best method of a data set holds here too.
    among = [_p_among_methods(results, name, left, right) for name in found.dataset]
    found["p_holm"] = np.maximum(stats.holm(found.p.fillna(1.0)), among)
    a, b, better = (found[name].to_numpy() for name in ("left", "right", "better"))
    # Ties are found after rounding to 12 decimals, as everywhere.
    ties = np.array([metric.least_difference(mean) for mean in b]) + _EQUAL
    decided = np.sign(better[found.p_holm < 1.0 - LEVEL])
    averaged = "arithmetic" in metric.averages
    enough = averaged and len(found) >= LEAST_DATASETS
    positive = enough and float(b.mean()) > 0.0
    fixed = without = None
    # A mean of 0 or a single fold gives no ratio.
    with suppress(ValueError):
        mine, theirs = (
            np.array([*zip_longest(*side, fillvalue=np.nan)]).T
            for side in (found.left_parts, found.right_parts)
        )
        fixed = stats.ratio_interval_fixed(mine, theirs, LEVEL) if averaged else None
    with suppress(ValueError):
        if positive:
            carrier = stats.ratio_means(a, b).carrier
            rest = np.arange(len(a)) != carrier
            without = found.dataset[carrier], stats.ratio_interval(a[rest], b[rest], SETS_LEVEL)
    return {
        "left": left,
        "right": right,
        "datasets": records(found),
        "left_mean": float(a.mean()),
        "right_mean": float(b.mean()),
        "runs": int(found.runs.sum()),
        "wins": stats.win_tie_loss(np.where(np.abs(better) > ties, better, 0.0), 0.0),
        "decided": (int((decided > 0).sum()), int((decided < 0).sum())),
        "wilcoxon": stats.wilcoxon(better) if enough else None,
        "p_holm": None,
        "ratio": stats.ratio_interval(a, b, SETS_LEVEL) if positive else None,
        "fixed": fixed,
        "without": without,
        "reversed_without": None
        if (few := stats.fewest_to_reverse(better)) is None
        else [found.dataset[place] for place in few],
        "lacking": [label for label, one in each.items() if not one],
    }


def _p_among_methods(results: Results, dataset: str, left: str, right: str) -> float:
    """Return the p of two methods adjusted for all that are compared with the best, 0 otherwise."""
    best, *others = results.standings[dataset]
    found = {each.method: each.p for each in others}
    p = found.get(right if best.method == left else left, math.nan)
    return p if best.method in (left, right) and not math.isnan(p) else 0.0


def comparison_section(results: Results) -> tuple[list[str], list[Table]]:
    """Return the fragility of orders in words, and the tables of pairs and of mean ranks."""
    pairs, ranking = compare_methods(results), rank_methods(results)
    shown = [pair for pair in pairs if pair.shown]
    found = [_pairs(shown, results)] if pairs else []
    ranks = [_ranks(ranking, printed_ranks(results))] if ranking else []
    return _fragility(results, pairs), [*found, *ranks]


def _pairs(pairs: Sequence[Row], results: Runs) -> Table:
    metric = results.metric
    averaged, text = "arithmetic" in metric.averages, metric.text
    rows = [
        {
            "Method": pair.left,
            "Against": pair.right,
            "Data sets": numbers.count(len(pair.datasets)),
            "Runs": numbers.count(pair.runs),
            "Means": f"{text(pair.left_mean)} : {text(pair.right_mean)}" if averaged else "",
            "Ratio, sets like these": _ratio(pair.ratio),
            "Ratio, these sets": _ratio(pair.fixed),
            "Wins, ties, losses": f"{pair.wins.wins}, {pair.wins.ties}, {pair.wins.losses}",
            "Decided": f"{pair.decided[0]}, {pair.decided[1]}",
            "p": numbers.p(pair.wilcoxon and pair.wilcoxon.p),
            "p, Holm": numbers.p(pair.p_holm),
            "Reversed without": _reversing_sets(pair),
            "Without": Item(_ratio(pair.without[1]), note=pair.without[0]) if pair.without else "",
        }
        for pair in pairs
    ]
    lacking = dict.fromkeys(name for pair in pairs for name in pair.lacking)
    compared = [one for pair in pairs for one in pair.datasets]
    single = dict.fromkeys(one.dataset for one in compared if one.splits == 1)
    several = {one.dataset for one in compared if one.splits > 1}
    same_rows = [name for name in results.on_same_test_rows if name in several]
    legend = legends.pairs(metric, LEAST_DATASETS, list(lacking), list(single), same_rows)
    words = ("Method", "Against")
    return make_table("pairs", "Pairs of methods", rows, words, legend=legend, keys=2)


def _ranks(found: Ranking, printed: Mapping[str, str]) -> Table:
    test = found.friedman
    sentences = [
        legends.mean_ranks(len(found.datasets), test.chi2, test.p, found.cd, found.left_out)
    ]
    if printed.keys() & found.methods:
        sentences.append(legends.PRINTED_RANKS)
    rows = [
        {"Method": label, "Mean rank": numbers.fixed(rank, 2), "Printed": printed.get(label, "")}
        for rank, label in sorted(zip(test.ranks, found.methods, strict=True))
    ]
    title = "Mean ranks (1 is the best)"
    return make_table("ranks", title, rows, ("Method",), legend=" ".join(sentences))


def _fragility(results: Results, pairs: Sequence[Row]) -> list[str]:
    """Return in a sentence how many orders of two methods depend on one data set, or on two.

    An order is tried if the two methods share :data:`LEAST_DATASETS`; the sentence counts others.
    """
    names = names_of(results.methods)
    tried = sum(pair.wilcoxon is not None for pair in pairs)
    others = len([*combinations(measured(results), 2)]) - tried
    few: dict[int, list[str]] = {1: [], 2: []}
    orders = [pair for pair in pairs if _reversing_sets(pair) not in ("", "equal")]
    for pair in orders:
        if pair.reversed_without and len(pair.reversed_without) in few:
            two = names[pair.left], names[pair.right]
            ahead = results.metric.sign * (pair.left_mean - pair.right_mean) > 0
            order = " before ".join(two if ahead else two[::-1])
            without = series(pair.reversed_without)
            few[len(pair.reversed_without)].append(f"{order} without {without}")
    if not orders:
        return []
    text = findings.fragile_orders(len(orders), few[1], len(few[2]), others)
    return [f"{text} {findings.orders_not_tried(others, LEAST_DATASETS)}" if others else text]


def _reversing_sets(pair: Row) -> str:
    """Return the data sets without which an order reverses, or how many these are."""
    without = pair.reversed_without
    if pair.wilcoxon is None:
        return ""
    if without is None:
        return "equal" if abs(pair.left_mean - pair.right_mean) < _EQUAL else "never"
    return series(without) if len(without) <= 2 else f"{len(without)} of {len(pair.datasets)}"


def _ratio(found: stats.Ratio | stats.FixedRatio | None) -> str:
    """Return a ratio with its interval."""
    if found is None:
        return ""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{numbers.fixed(found.ratio, 3)} [unbounded]"
    low, high = numbers.fixed(found.low, 3), numbers.fixed(found.high, 3)
    return f"{numbers.fixed(found.ratio, 3)} [{low}, {high}]"
