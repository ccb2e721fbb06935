"""Comparisons of methods as tables of a page, and one pair of them in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from boostbench import numbers, stats
from boostbench.papers.metrics import Metric
from boostbench.report.comparisons import (
    DRAWS,
    DRAWS_SEED,
    LEAST_DATASETS,
    Comparisons,
    PairComparison,
    Ranking,
)
from boostbench.report.page import Column, Item, Section, Table

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


def section(found: Comparisons | None, metric: Metric, printed: Mapping[str, str]) -> list[Section]:
    """Return the section of the comparisons, in a list, or none where there are none.

    ``printed`` are the mean ranks that the paper prints, by method.
    """
    if found is None:
        return []
    tables = [_pairs(found, metric), *([_ranks(found.ranking, printed)] if found.ranking else [])]
    return [Section("comparisons", "Comparisons of methods", tables=tables)]


def _pairs(found: Comparisons, metric: Metric) -> Table:
    pairs = found.pairs
    tests = [pair.wilcoxon for pair in pairs]
    columns = [
        Column.of("Method", [pair.left for pair in pairs], left=True),
        Column.of("Against", [pair.right for pair in pairs], left=True),
        Column.of("Data sets", [numbers.count(len(pair.datasets)) for pair in pairs]),
        Column.of("Runs", [numbers.count(pair.runs) for pair in pairs]),
        Column.of("Means", [_means(pair) for pair in pairs]),
        Column.of("Ratio, sets like these", [_ratio(pair.ratio) for pair in pairs]),
        Column.of("Ratio, these sets", [_ratio(pair.fixed) for pair in pairs]),
        Column.of("Wins, ties, losses", [_three(pair.practical) for pair in pairs]),
        Column.of("Decided", [f"{pair.decided[0]}, {pair.decided[1]}" for pair in pairs]),
        Column.of("p", [_p(test.p) if test else "" for test in tests]),
        Column.of("p, Holm", ["" if p is None else _p(p) for p in found.p_holm]),
        Column.of("Effect", [numbers.signed(test.effect, 2) if test else "" for test in tests]),
        Column.of("Without", [_without(pair) for pair in pairs]),
    ]
    family = f"all against {found.against}" if found.against else "all pairs"
    texts = [_PAIRS.format(rope=metric.least_words, family=family, favours=_favours(metric))]
    texts += [*_included(pairs), *_lacking(pairs)]
    if any(pair.wilcoxon is None for pair in pairs):
        texts.append(f"Nothing is tested over fewer than {LEAST_DATASETS} data sets.")
    shown = [column for column in columns if column.filled]
    return Table.of_columns("pairs", "Pairs of methods", shown, legend=" ".join(texts))


def _ranks(found: Ranking, printed: Mapping[str, str]) -> Table:
    test, n = found.friedman, len(found.datasets)
    order = sorted(zip(test.ranks, found.methods, strict=True))
    legend = _RANKS.format(
        n=n,
        chi2=numbers.fixed(test.chi2, 2),
        p=_p(test.p),
        f="∞" if math.isinf(test.f) else numbers.fixed(test.f, 2),
        p_f=_p(test.p_f),
        cd=numbers.fixed(found.cd, 2),
    )
    if found.left_out:
        legend += f" Not all methods have runs of {', '.join(found.left_out)}."
    columns = [
        Column.of("Method", [label for _, label in order], left=True),
        Column.of("Mean rank", [numbers.fixed(rank, 2) for rank, _ in order]),
    ]
    beside = Column.of("Published", [printed.get(label, "") for _, label in order])
    if beside.filled:
        columns.append(beside)
        legend += " Published ranks are among the paper's methods, over its data sets."
    return Table.of_columns("ranks", "Mean ranks (1 is the best)", columns, legend=legend)


def _included(pairs: Sequence[PairComparison]) -> list[str]:
    """Return a sentence on the runs that have exploded and are in the means, or none."""
    found: dict[str, int] = {}
    for pair in pairs:
        for label, runs in zip((pair.left, pair.right), pair.exploded, strict=True):
            found[label] = max(runs, found.get(label, 0))
    parts = [f"{runs} of {label}" for label, runs in found.items() if runs]
    label = pairs[0].metric.exploded_label
    return [f"Runs with {label} are included: {', '.join(parts)}."] if parts else []


def _lacking(pairs: Sequence[PairComparison]) -> list[str]:
    """Return a sentence on the data sets that are left out of pairs, and why, or none."""
    why: dict[str, list[str]] = {}
    for pair in pairs:
        for dataset, reason in pair.lacking.items():
            names = why.setdefault(reason, [])
            if dataset not in names:
                names.append(dataset)
    parts = [f"{', '.join(names)} ({reason})" for reason, names in why.items()]
    return [f"Left out: {'; '.join(parts)}."] if parts else []


def sentences(pair: PairComparison) -> list[str]:
    """Return a pair of methods compared, in plain words, one sentence or two for each question."""
    left, right, metric, n = pair.left, pair.right, pair.metric, len(pair.datasets)
    texts = [
        f"{left} against {right} on {_sets(n)}, over the {pair.runs:,} runs that both have: mean "
        f"{metric.words} {metric.text(pair.left_mean)} and {metric.text(pair.right_mean)}."
    ]
    texts += _ratios(pair)
    if pair.published is not None:
        texts.append(_published(pair))
    texts.append(
        f"{left} wins on {_sets(pair.strict.wins)}, ties on {pair.strict.ties} and loses on "
        f"{pair.strict.losses}; with ties of up to {metric.least_words}: {_three(pair.practical)}."
        + _wilcoxon(pair)
    )
    texts.append(
        f"The corrected t-test decides {sum(pair.decided)} of {_sets(n)} after Holm: "
        f"{pair.decided[0]} for {left}, {pair.decided[1]} for {right}."
    )
    if pair.without is not None:
        texts.append(
            f"The ratio without {pair.without[0]}, which changes it most, is "
            f"{_ratio(pair.without[1])}."
        )
    texts += _exploded(pair)
    return texts + _lacking([pair])


def _ratios(pair: PairComparison) -> list[str]:
    n = len(pair.datasets)
    parts = []
    if pair.ratio is not None:
        parts.append(f"{_ratio(pair.ratio)} for data sets like these")
    if pair.fixed is not None:
        parts.append(f"{_ratio(pair.fixed)} on exactly {'these' if n > 1 else 'this'} {n}")
    if pair.bootstrap is not None:
        parts.append(
            f"{_ratio(pair.bootstrap)} by the BCa bootstrap ({DRAWS:,} draws of data sets, seed "
            f"{DRAWS_SEED})"
        )
    if not parts:
        return [f"There is no ratio of means: that of {pair.right} is not clearly above 0."]
    favours = _favours(pair.metric)
    return [f"The ratio of the means{favours} is {', '.join(parts)} (95 % intervals)."]


def _favours(metric: Metric) -> str:
    return "" if metric.greater_is_better else " (below 1 it favours the method on the left)"


def _published(pair: PairComparison) -> str:
    found = pair.published
    assert found is not None
    tables = " and ".join(found.tables)
    text = f"The paper's rows (Table {tables}, {_sets(found.datasets)}) give {_ratio(found.ratio)}"
    if found.difference is None:
        return f"{text}."
    gap = found.difference
    low, high = numbers.signed(gap.low, 3), numbers.signed(gap.high, 3)
    return f"{text}; measured − published is {numbers.signed(gap.ratio, 3)} [{low}, {high}]."


def _wilcoxon(pair: PairComparison) -> str:
    test = pair.wilcoxon
    if test is None:
        return f" Nothing is tested over fewer than {LEAST_DATASETS} data sets."
    effect = numbers.signed(test.effect, 2)
    return f" Wilcoxon's exact test over data sets: p = {_p(test.p)}, effect {effect}."


def _exploded(pair: PairComparison) -> list[str]:
    label = pair.metric.exploded_label
    if not label:
        return []
    if not any(pair.exploded):
        return [f"No run has {label}."]
    counts = ", ".join(
        f"{count} of {name}"
        for count, name in zip(pair.exploded, (pair.left, pair.right), strict=True)
        if count
    )
    where = [one.dataset for one in pair.datasets if any(one.exploded)]
    text = f"Runs with {label} are included: {counts} ({', '.join(where)})."
    rest = pair.without_exploded
    if rest is None:
        return [text]
    parts = [f"the means are {_means(rest)}"]
    if rest.ratio is not None:
        parts.append(f"the ratio is {_ratio(rest.ratio)}")
    if rest.wilcoxon is not None:
        parts.append(f"p = {_p(rest.wilcoxon.p)}")
    return [text, f"Without these runs on both sides {', '.join(parts)}."]


def _means(pair: PairComparison) -> str:
    return f"{pair.metric.text(pair.left_mean)} : {pair.metric.text(pair.right_mean)}"


def _ratio(found: stats.Ratio | stats.FixedRatio | None) -> str:
    if found is None:
        return ""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{numbers.fixed(found.ratio, 3)} [unbounded]"
    low, high = numbers.fixed(found.low, 3), numbers.fixed(found.high, 3)
    return f"{numbers.fixed(found.ratio, 3)} [{low}, {high}]"


def _without(pair: PairComparison) -> Item:
    if pair.without is None:
        return Item("")
    dataset, ratio = pair.without
    return Item(_ratio(ratio), note=dataset)


def _three(found: stats.WinTieLoss) -> str:
    return f"{found.wins}, {found.ties}, {found.losses}"


def _p(value: float) -> str:
    if math.isnan(value):
        return numbers.DASH
    return f"{value:.3f}" if value >= 0.1 else f"{value:.2g}" if value >= 1e-4 else f"{value:.1e}"


def _sets(n: int) -> str:
    return f"{n} data set{'' if n == 1 else 's'}"
