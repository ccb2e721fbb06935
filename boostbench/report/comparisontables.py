"""Comparisons of methods as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers, stats
from boostbench.papers.metrics import Metric
from boostbench.report.comparisons import LEAST_DATASETS, Ranking, compare_methods, rank_methods
from boostbench.report.printed import printed_ranks
from boostbench.report.results import Results
from boostbench.report.table import Item, Table, make_table

_PAIRS = (
    "Over the (split seed, fold, seed) runs that both methods have. Ratio: of the two means over "
    "data sets{favours}, with Fieller's 95 % interval for data sets like these, and by the delta "
    "method on exactly these. Wins, ties and losses of the method on the left, a tie being at most "
    "{rope}. Decided: data sets on which the corrected resampled t-test on fold means decides at "
    "5 % after Holm over the pair's data sets, for the left and for the right method. p: "
    "Wilcoxon's exact signed-rank test over data sets, {least} or more, and adjusted by Holm for "
    "all pairs of this table. Without: the ratio without the data set that changes it most."
)
_RANKS = (
    "Friedman's test over {n} data sets: χ² = {chi2}, p = {p}. Nemenyi's critical difference at "
    "5 % is {cd}, for the diagram only: mean ranks of two methods depend on the others. Ranks are "
    "of means over the runs that all methods have."
)


def comparison_tables(results: Results) -> list[Table]:
    """Return the tables of pairs and of mean ranks, as far as there are any."""
    pairs, ranking = compare_methods(results), rank_methods(results)
    found = [_pairs(pairs, results.metric)] if pairs else []
    return [*found, _ranks(ranking, printed_ranks(results))] if ranking else found


def _pairs(pairs: Sequence[Any], metric: Metric) -> Table:
    rows = [
        {
            "Method": pair.left,
            "Against": pair.right,
            "Data sets": numbers.count(len(pair.datasets)),
            "Runs": numbers.count(pair.runs),
            "Means": f"{metric.text(pair.left_mean)} : {metric.text(pair.right_mean)}",
            "Ratio, sets like these": _ratio(pair.ratio),
            "Ratio, these sets": _ratio(pair.fixed),
            "Wins, ties, losses": f"{pair.wins.wins}, {pair.wins.ties}, {pair.wins.losses}",
            "Decided": f"{pair.decided[0]}, {pair.decided[1]}",
            "p": _p(pair.wilcoxon and pair.wilcoxon.p),
            "p, Holm": _p(pair.p_holm),
            "Without": Item(_ratio(pair.without[1]), note=pair.without[0]) if pair.without else "",
        }
        for pair in pairs
    ]
    favours = "" if metric.greater_is_better else " (below 1 it favours the method on the left)"
    lacking = {f"{name} ({why})": None for pair in pairs for name, why in pair.lacking.items()}
    texts = [
        _PAIRS.format(rope=metric.least_words, favours=favours, least=LEAST_DATASETS),
        f"Left out: {', '.join(lacking)}." if lacking else "",
    ]
    words, legend = ("Method", "Against"), " ".join(filter(None, texts))
    return make_table("pairs", "Pairs of methods", rows, words, legend=legend)


def _ranks(found: Ranking, printed: Mapping[str, str]) -> Table:
    test = found.friedman
    legend = _RANKS.format(
        n=len(found.datasets),
        chi2=numbers.fixed(test.chi2, 2),
        p=_p(test.p),
        cd=numbers.fixed(found.cd, 2),
    )
    if found.left_out:
        legend += f" Not all methods have runs of {', '.join(found.left_out)}."
    if printed.keys() & found.methods:
        legend += " Printed ranks are among the paper's methods, over its data sets."
    rows = [
        {"Method": label, "Mean rank": numbers.fixed(rank, 2), "Printed": printed.get(label, "")}
        for rank, label in sorted(zip(test.ranks, found.methods, strict=True))
    ]
    return make_table("ranks", "Mean ranks (1 is the best)", rows, ("Method",), legend=legend)


def _ratio(found: stats.Ratio | stats.FixedRatio | None) -> str:
    """Return a ratio with its interval."""
    if found is None:
        return ""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{numbers.fixed(found.ratio, 3)} [unbounded]"
    low, high = numbers.fixed(found.low, 3), numbers.fixed(found.high, 3)
    return f"{numbers.fixed(found.ratio, 3)} [{low}, {high}]"


def _p(value: float | None) -> str:
    """Return a p-value as it is written."""
    if value is None or math.isnan(value):
        return ""
    return f"{value:.3f}" if value >= 0.1 else f"{value:.2g}" if value >= 1e-4 else f"{value:.1e}"
