"""Comparisons of methods: over their common runs, then over data sets.

A mean of a method on a data set is that of its fold means, over the (split seed, fold, seed) runs
that all sides of the comparison have; over data sets the unit is the data set. A data set that is
published as an earlier one counts once. The formulas are those of :mod:`boostbench.stats`.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd

from boostbench import numbers, stats
from boostbench.papers.metrics import Metric
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.frames.cell import WithoutRun
from boostbench.report.frames.over_datasets import LEAST_DATASETS, MethodPair, Ranking
from boostbench.report.frames.pairs import caveats_of
from boostbench.report.frames.printed import printed_ranks
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.runs import in_folds
from boostbench.report.sentences import findings, legends, one_run
from boostbench.report.words import series
from boostbench.stats.paired import mean_of_folds


def comparison_section(results: ReportData) -> tuple[list[str], list[TextTable]]:
    """Return the fragility of orders in words, and the tables of pairs and of mean ranks."""
    pairs, ranking = results.method_pairs, results.ranking
    shown = [pair for pair in pairs if pair.shown]
    tables = [_pairs(shown, results.metric)] if pairs else []
    ranks = [_ranks(ranking, printed_ranks(results))] if ranking else []
    return _fragility(results, pairs), [*tables, *ranks]


def _pairs(pairs: Sequence[MethodPair], metric: Metric) -> TextTable:
    legend = legends.pairs(
        metric,
        LEAST_DATASETS,
        list(dict.fromkeys(name for pair in pairs for name in pair.lacking)),
        caveats_of(pd.concat([pair.pairs for pair in pairs]).sort_index()),
        is_adjusted=any(pair.comparisons > 1 for pair in pairs),
    )
    rows = [pair_row(pair, metric) for pair in pairs]
    words = ("Method", "Against")
    return make_table("pairs", "Pairs of methods", rows, words, legend=legend, keys=2)


def pair_row(pair: MethodPair, metric: Metric) -> dict[str, Item | str]:
    """Return what is known of a pair of methods over data sets."""
    without, is_averaged = pair.without, "arithmetic" in metric.averages
    return {
        "Method": pair.method,
        "Against": pair.against,
        "Data sets": numbers.count(len(pair.datasets)),
        "Runs": numbers.count(pair.runs),
        "Means": means_text(pair.mean, pair.mean_against, metric) if is_averaged else "",
        "Ratio, sets like these": ratio_text(pair.ratio),
        "Ratio, these sets": ratio_text(pair.fixed),
        "Wins, ties, losses": f"{pair.wins.wins}, {pair.wins.ties}, {pair.wins.losses}",
        legends.DECIDED: "{}, {}".format(*pair.decided) if pair.decided else "",
        "p": numbers.p(pair.p),
        legends.P_OVER_PAIRS: numbers.p(pair.p_adjusted),
        "Reversed without": _reversing_sets(pair),
        "Without": Item(ratio_text(without.ratio), note=without.dataset) if without else "",
    }


def _ranks(ranking: Ranking, printed: Mapping[str, str]) -> TextTable:
    test = ranking.friedman
    sentences = [
        legends.mean_ranks(len(ranking.datasets), test.chi2, test.p, ranking.cd, ranking.left_out)
    ]
    if printed.keys() & ranking.methods:
        sentences.append(legends.PRINTED_RANKS)
    rows = [
        {"Method": label, "Mean rank": numbers.fixed(rank, 2), "Printed": printed.get(label, "")}
        for rank, label in sorted(zip(test.ranks, ranking.methods, strict=True))
    ]
    title = "Mean ranks (1 is the best)"
    return make_table("ranks", title, rows, ("Method",), legend=" ".join(sentences))


def _fragility(results: ReportData, pairs: Sequence[MethodPair]) -> list[str]:
    """Return in a sentence how many orders of two methods depend on one data set, or on two.

    An order is tried if the two methods share :data:`LEAST_DATASETS`; the sentence counts others.
    """
    tried = sum(pair.is_tested for pair in pairs)
    others = len([*combinations(results.with_runs, 2)]) - tried
    orders = [pair for pair in pairs if pair.tries_order]
    few: dict[int, list[str]] = {1: [], 2: []}
    for pair in orders:
        without = pair.reversed_without
        if without and len(without) in few:
            few[len(without)].append(f"{_order(results, pair)} without {series(without)}")
    if not orders:
        return []
    text = findings.fragile_orders(len(orders), few[1], len(few[2]), others)
    said = [f"{text} {findings.orders_not_tried(others, LEAST_DATASETS)}" if others else text]
    return [*said, *_orders_by_one_run(results, orders)]


def _orders_by_one_run(results: ReportData, orders: Sequence[MethodPair]) -> list[str]:
    """Return which orders of two methods are others without a run that moves a mean."""
    found = [
        f"{_order(results, pair)} without {one_run.on_dataset(left)} of {results.names[method]}"
        for pair in orders
        for method in (pair.method, pair.against)
        for left in _left_out(results, pair, method)
        if _is_reversed(results, pair, method, left)
    ]
    return [findings.orders_by_one_run(found)] if found else []


def _left_out(results: ReportData, pair: MethodPair, method: str) -> list[WithoutRun]:
    """Return the runs of a method that move its mean on a data set of a pair."""
    runs = [results.decisive_runs.get((dataset, method)) for dataset in pair.datasets]
    return [left for left in runs if left is not None]


def _is_reversed(results: ReportData, pair: MethodPair, method: str, left: WithoutRun) -> bool:
    """Return whether the order of two means is another without a run of one of them."""
    both = results.scores_on(left.dataset)[[pair.method, pair.against]].dropna()
    others = both.drop(index=left.run, errors="ignore")
    if others.empty:
        return False
    a, b = (mean_of_folds(in_folds(others[name])) for name in others)
    before = pair.pairs.set_index("dataset").difference[left.dataset]
    moved = (a - b) - before
    lead = pair.mean - pair.mean_against
    return lead * (lead + moved / len(pair.datasets)) < 0


def _order(results: ReportData, pair: MethodPair) -> str:
    """Return the order of two methods by their means, in words."""
    names = results.names
    two = names[pair.method], names[pair.against]
    is_ahead = results.metric.sign * (pair.mean - pair.mean_against) > 0
    return " before ".join(two if is_ahead else two[::-1])


def _reversing_sets(pair: MethodPair) -> str:
    """Return the data sets without which an order reverses, or how many these are."""
    if not pair.tries_order:
        return "equal" if pair.is_tested else ""
    without = pair.reversed_without
    if without is None:
        return "never"
    return series(without) if len(without) <= 2 else f"{len(without)} of {len(pair.datasets)}"


def means_text(mean: float, against: float, metric: Metric) -> str:
    """Return the means of a pair of methods side by side."""
    return f"{metric.text(mean)} : {metric.text(against)}"


def ratio_text(ratio: stats.Ratio | stats.FixedRatio | None) -> str:
    """Return a ratio with its interval."""
    if ratio is None:
        return ""
    if not (math.isfinite(ratio.low) and math.isfinite(ratio.high)):
        return f"{numbers.fixed(ratio.ratio, 3)} [unbounded]"
    low, high = numbers.fixed(ratio.low, 3), numbers.fixed(ratio.high, 3)
    return f"{numbers.fixed(ratio.ratio, 3)} [{low}, {high}]"
