"""Comparisons of methods: over common runs, then over data sets; and those of own methods.

A mean of a method on a data set is that of its fold means, over the (split seed, fold, seed) runs
that all sides of the comparison have; over data sets the unit is the data set. A data set that is
published as an earlier one counts once. The formulas are those of :mod:`boostbench.stats`.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd

from boostbench import numbers, stats
from boostbench.grouping import grouped
from boostbench.papers.metrics import Metric
from boostbench.report.document.table import Item, TableRow, TextTable, make_table
from boostbench.report.frames.cell import WithoutRun
from boostbench.report.frames.over_datasets import LEAST_DATASETS, MethodPair, Ranking
from boostbench.report.frames.pairs import PairVerdict, caveats_of, is_adjusted, own_methods
from boostbench.report.frames.printed import printed_ranks
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.runs import in_folds
from boostbench.report.sentences import findings, legends, one_run, own
from boostbench.report.words import series
from boostbench.stats.paired import mean_of_folds


def comparison_section(results: ReportData) -> tuple[list[str], list[TextTable]]:
    """Return the fragility of orders in words, and the tables of pairs and of mean ranks."""
    pairs, ranking = results.method_pairs, results.ranking
    shown = [pair for pair in pairs if pair.shown]
    tables = [_pairs(shown, results.metric)] if shown else []
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
    both = results.scores_on[left.dataset][[pair.method, pair.against]].dropna()
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


# -- methods of the user's own ---------------------------------------------------------------------


MOST_METHODS = 3
"""The most own methods of which sentences speak."""
MOST_ROWS = 24
"""The most comparisons on one data set each that are not a closed part of the page."""


def own_sentences(results: ReportData) -> list[str]:
    """Return whether each own method is better, than which, and how certain; none without one."""
    pairs = _own_pairs(results)
    sentences: list[str] = []
    for label in own_methods(results)[:MOST_METHODS]:
        if label not in results.with_runs:
            sentences.append(own.no_result(results.names[label]))
        elif label in pairs:
            against = [_against(results.names[pair.against], pair) for pair in pairs[label]]
            sentences.append(own.verdicts(results.names[label], against))
    return sentences


def _own_pairs(results: ReportData) -> dict[str, list[MethodPair]]:
    """Return the comparisons of each own method with others; two own ones are with the first."""
    labels = own_methods(results)
    pairs = results.method_pairs if labels else ()
    return grouped((pair.method, pair) for pair in pairs if pair.method in labels)


def _against(other: str, pair: MethodPair) -> own.Against:
    return own.Against(other, dict(zip(pair.datasets, pair.pairs.verdict, strict=True)))


def own_tables(results: ReportData) -> tuple[str, list[TextTable], list[TextTable]]:
    """Return the title, the tables, and the tables by data set where these are long."""
    tables: list[TextTable] = []
    long: list[TextTable] = []
    pairs = _own_pairs(results)
    for label, compared in pairs.items():
        if any(pair.is_tested for pair in compared):
            tables.append(_table_over_datasets(results, label, compared))
        rows = pd.concat([pair.pairs for pair in compared]).sort_index()
        (tables if len(rows) <= MOST_ROWS else long).append(
            _table_on_datasets(results, label, rows)
        )
    return own.title([results.names[label] for label in pairs]), tables, long


def _table_over_datasets(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> TextTable:
    """Return an own method against each other one, over data sets."""
    rows = [_row_over_datasets(pair, results.metric) for pair in pairs]
    return make_table(
        f"own-{label}",
        f"{label}, over data sets",
        rows,
        ("Against", "Over data sets"),
        legend=own.legend_over_datasets(
            LEAST_DATASETS, is_adjusted=any(pair.comparisons > 1 for pair in pairs)
        ),
    )


def _row_over_datasets(pair: MethodPair, metric: Metric) -> TableRow:
    verdicts = list(pair.pairs.verdict)
    better, worse = verdicts.count(PairVerdict.BETTER), verdicts.count(PairVerdict.WORSE)
    shared = pair_row(pair, metric)
    also = ("Means", "Ratio, sets like these", "p", legends.P_OVER_PAIRS)
    return {
        "Against": pair.against,
        "Over data sets": pair.verdict or "",
        "Data sets": numbers.count(len(verdicts)),
        "Better on": numbers.count(better),
        "Worse on": numbers.count(worse),
        "Undecided on": numbers.count(len(verdicts) - better - worse),
        **{name: shared[name] for name in also},
    }


def _table_on_datasets(results: ReportData, label: str, pairs: pd.DataFrame) -> TextTable:
    """Return an own method against each other one, on each data set."""
    rows = [_row_on_dataset(results.metric, one) for _, one in pairs.iterrows()]
    words = ("Data set", "Against", "Verdict")
    return make_table(
        f"own-{label}-by-data-set",
        f"{label}, on each data set",
        rows,
        words,
        legend=own.legend_on_datasets(
            caveats_of(pairs).same_test_rows, is_adjusted=is_adjusted(pairs)
        ),
        keys=2,
    )


def _row_on_dataset(metric: Metric, one: pd.Series) -> TableRow:
    # One split gives no interval.
    ends = "" if one.limit else f" [{metric.difference(one.low)}, {metric.difference(one.high)}]"
    return {
        "Data set": one.dataset,
        "Against": one.against,
        "Verdict": one.verdict,
        "Better by": f"{metric.difference(one.better)}{ends}",
        "p": numbers.p(one.p),
        legends.P_OVER_METHODS: numbers.p(one.p_adjusted),
        "Means": means_text(one["mean"], one.mean_against, metric),
    }
