"""Comparisons of methods as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers, stats
from boostbench.papers.metrics import Metric
from boostbench.report.comparisons import LEAST_DATASETS, Comparisons, Ranking
from boostbench.report.table import Item, Section, Table, make_table

_PAIRS = (
    "Over the (split seed, fold, seed) runs that both methods have. Ratio: of the two means over "
    "data sets{favours}, with Fieller's 95 % interval for data sets like these, and by the delta "
    "method on exactly these. Wins, ties and losses of the method on the left, a tie being at most "
    "{rope}. Decided: data sets on which the corrected resampled t-test on fold means decides at "
    "5 % after Holm over the pair's data sets, for the left and for the right method. p: "
    "Wilcoxon's exact signed-rank test over data sets, and adjusted by Holm for {family}. Effect: "
    "(R+ − R−) / (R+ + R−). Without: the ratio without the data set that changes it most."
)
_RANKS = (
    "Friedman's test over {n} data sets: χ² = {chi2}, p = {p}; Iman and Davenport's F = {f}, "
    "p = {p_f}. Nemenyi's critical difference at 5 % is {cd}, for the diagram only: mean ranks of "
    "two methods depend on the others. Ranks are of means over the runs that all methods have."
)


def comparison_section(
    found: Comparisons | None, metric: Metric, printed: Mapping[str, str]
) -> list[Section]:
    """Return the section of the comparisons, in a list, or none where there are none.

    ``printed`` are the mean ranks that the paper prints, by method.
    """
    if found is None:
        return []
    tables = [_pairs(found, metric), *([_ranks(found.ranking, printed)] if found.ranking else [])]
    return [Section("comparisons", "Comparisons of methods", tables=tables)]


def _pairs(found: Comparisons, metric: Metric) -> Table:
    rows = [
        {
            "Method": pair.left,
            "Against": pair.right,
            "Data sets": numbers.count(len(pair.datasets)),
            "Runs": numbers.count(pair.runs),
            "Means": f"{metric.text(pair.left_mean)} : {metric.text(pair.right_mean)}",
            "Ratio, sets like these": ratio_text(pair.ratio),
            "Ratio, these sets": ratio_text(pair.fixed),
            "Wins, ties, losses": f"{pair.wins.wins}, {pair.wins.ties}, {pair.wins.losses}",
            "Decided": f"{pair.decided[0]}, {pair.decided[1]}",
            "p": p_text(pair.wilcoxon.p) if pair.wilcoxon else "",
            "p, Holm": p_text(pair.p_holm),
            "Effect": numbers.signed(pair.wilcoxon.effect, 2) if pair.wilcoxon else "",
            "Without": Item(ratio_text(pair.without[1]), note=pair.without[0])
            if pair.without
            else "",
        }
        for pair in found.pairs
    ]
    family = f"all against {found.against}" if found.against else "all pairs"
    favours = "" if metric.greater_is_better else " (below 1 it favours the method on the left)"
    texts = [_PAIRS.format(rope=metric.least_words, family=family, favours=favours)]
    texts += [*_exploded(found.pairs, metric), *_lacking(found.pairs)]
    if any(pair.wilcoxon is None for pair in found.pairs):
        texts.append(f"Nothing is tested over fewer than {LEAST_DATASETS} data sets.")
    words = ("Method", "Against")
    return make_table("pairs", "Pairs of methods", rows, words, legend=" ".join(texts))


def _ranks(found: Ranking, printed: Mapping[str, str]) -> Table:
    test = found.friedman
    legend = _RANKS.format(
        n=len(found.datasets),
        chi2=numbers.fixed(test.chi2, 2),
        p=p_text(test.p),
        f="∞" if math.isinf(test.f) else numbers.fixed(test.f, 2),
        p_f=p_text(test.p_f),
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


def _exploded(pairs: Sequence[Any], metric: Metric) -> list[str]:
    """Return a sentence on the runs that have exploded and are in the means, or none."""
    sides = [side for p in pairs for side in ((p.left, p.exploded[0]), (p.right, p.exploded[1]))]
    most = {label: max(runs for of, runs in sides if of == label) for label, _ in sides}
    parts = [f"{runs} of {label}" for label, runs in most.items() if runs]
    return [f"Runs with {metric.exploded_label} are included: {', '.join(parts)}."] if parts else []


def _lacking(pairs: Sequence[Any]) -> list[str]:
    """Return a sentence on the data sets that are left out of pairs, and why, or none."""
    why = [(reason, name) for pair in pairs for name, reason in pair.lacking.items()]
    parts = [
        f"{', '.join(dict.fromkeys(name for of, name in why if of == reason))} ({reason})"
        for reason in dict.fromkeys(reason for reason, _ in why)
    ]
    return [f"Left out: {'; '.join(parts)}."] if parts else []


def ratio_text(found: stats.Ratio | stats.FixedRatio | None) -> str:
    """Return a ratio with its interval."""
    if found is None:
        return ""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{numbers.fixed(found.ratio, 3)} [unbounded]"
    low, high = numbers.fixed(found.low, 3), numbers.fixed(found.high, 3)
    return f"{numbers.fixed(found.ratio, 3)} [{low}, {high}]"


def p_text(value: float | None) -> str:
    """Return a p-value as it is written."""
    if value is None:
        return ""
    if math.isnan(value):
        return numbers.DASH
    return f"{value:.3f}" if value >= 0.1 else f"{value:.2g}" if value >= 1e-4 else f"{value:.1e}"
