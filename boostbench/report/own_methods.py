"""The methods of the user's own beside the others: in a sentence each, and as tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from boostbench import numbers, stats
from boostbench.papers.metrics import Metric
from boostbench.report.comparisons import ratio_text
from boostbench.report.pairs import MethodPair, own_methods
from boostbench.report.reportdata import ReportData
from boostbench.report.sentences import own
from boostbench.report.sentences.own import BETTER, UNDECIDED, WORSE
from boostbench.report.table import TableRow, TextTable, make_table
from boostbench.report.winners import ALPHA, LEAST_DATASETS, PairOnDataset

MOST_METHODS = 3
"""The most own methods of which sentences speak."""
MOST_ROWS = 24
"""The most comparisons on one data set each that are not a closed part of the page."""


def own_sentences(results: ReportData) -> list[str]:
    """Return whether each own method is better, than which, and how certain; none without one."""
    pairs = _pairs(results)
    sentences: list[str] = []
    for label in own_methods(results)[:MOST_METHODS]:
        if label not in results.with_runs:
            sentences.append(own.no_result(results.names[label]))
        elif label in pairs:
            sentences.append(_about(results, label, pairs[label]))
    return sentences


def _pairs(results: ReportData) -> dict[str, list[MethodPair]]:
    """Return the comparisons of each own method with others; two own ones are with the first."""
    labels = own_methods(results)
    pairs: dict[str, list[MethodPair]] = {}
    for pair in results.method_pairs if labels else ():
        if pair.left in labels:
            pairs.setdefault(pair.left, []).append(pair)
    return {label: _adjusted(results, label, own) for label, own in pairs.items()}


def _adjusted(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> list[MethodPair]:
    """Return pairs with the p on each data set adjusted by Holm for all methods there.

    Against the best of a data set it is the p that decides which one is the best.
    """
    tests: dict[str, dict[str, float]] = {}
    for pair in pairs:
        for one in pair.datasets:
            tests.setdefault(one.dataset, {})[pair.right] = one.p
    adjusted = {data: _p_against(results, data, label, own) for data, own in tests.items()}
    return [_with_p(pair, adjusted) for pair in pairs]


def _with_p(pair: MethodPair, adjusted: Mapping[str, Mapping[str, float]]) -> MethodPair:
    datasets = [replace(one, p_holm=adjusted[one.dataset][pair.right]) for one in pair.datasets]
    return replace(pair, datasets=datasets)


def _p_against(
    results: ReportData, dataset: str, label: str, raw: Mapping[str, float]
) -> dict[str, float]:
    """Return the adjusted p of a method against each other one on a data set."""
    holm = stats.holm(np.nan_to_num([*raw.values()], nan=1.0))
    adjusted = dict(zip(raw, map(float, holm), strict=True))
    best, *others = results.standings[dataset]
    behind = {each.method: each.p for each in others if best.best and not math.isnan(each.p)}
    if best.method == label:
        return adjusted | {other: p for other, p in behind.items() if other in adjusted}
    if best.method in adjusted and label in behind:
        adjusted[best.method] = behind[label]
    return adjusted


def _about(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> str:
    against = [
        own.Against(results.names[pair.right], {on.dataset: _verdict(on) for on in pair.datasets})
        for pair in pairs
    ]
    return own.verdicts(results.names[label], against)


def _verdict(one: PairOnDataset) -> str:
    """Return what the adjusted p on a data set decides."""
    if math.isnan(one.p) or one.p_holm >= ALPHA:
        return UNDECIDED
    return BETTER if one.better > 0 else WORSE


def _verdict_over_datasets(pair: MethodPair) -> str:
    """Return what the adjusted p over data sets decides."""
    if pair.wilcoxon is None or pair.p_holm is None or pair.p_holm >= ALPHA:
        return UNDECIDED
    return BETTER if pair.wilcoxon.effect > 0 else WORSE


def _interval(one: PairOnDataset, metric: Metric) -> str:
    """Return the interval of a difference; one split gives none."""
    if not (math.isfinite(one.low) and math.isfinite(one.high)):
        return ""
    return f"[{metric.difference(one.low)}, {metric.difference(one.high)}]"


def _p(one: PairOnDataset) -> str:
    return "" if math.isnan(one.p) else numbers.p(one.p_holm)


def own_tables(results: ReportData) -> tuple[str, list[TextTable], list[TextTable]]:
    """Return the title, the tables, and the tables by data set where these are long."""
    tables: list[TextTable] = []
    long: list[TextTable] = []
    pairs = _pairs(results)
    for label, compared in pairs.items():
        if any(pair.wilcoxon for pair in compared):
            tables.append(_table_over_datasets(results, label, compared))
        rows = sum(len(pair.datasets) for pair in compared)
        (tables if rows <= MOST_ROWS else long).append(_table_on_datasets(results, label, compared))
    return own.title([results.names[label] for label in pairs]), tables, long


def _table_over_datasets(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> TextTable:
    """Return an own method against each other one, over data sets."""
    rows = [_row_over_datasets(pair, results.metric) for pair in pairs]
    return make_table(
        f"own-{label}",
        f"{label}, over data sets",
        rows,
        ("Against", "Over data sets"),
        legend=own.legend_over_datasets(LEAST_DATASETS),
    )


def _row_over_datasets(pair: MethodPair, metric: Metric) -> TableRow:
    verdicts = [_verdict(one) for one in pair.datasets]
    means = f"{metric.text(pair.left_mean)} : {metric.text(pair.right_mean)}"
    return {
        "Against": pair.right,
        "Over data sets": _verdict_over_datasets(pair) if pair.wilcoxon else "",
        "Data sets": numbers.count(len(verdicts)),
        "Better on": numbers.count(verdicts.count(BETTER)),
        "Worse on": numbers.count(verdicts.count(WORSE)),
        "Undecided on": numbers.count(verdicts.count(UNDECIDED)),
        "Means": means if "arithmetic" in metric.averages else "",
        "Ratio, sets like these": ratio_text(pair.ratio),
        "p, adjusted": numbers.p(pair.p_holm),
    }


def _table_on_datasets(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> TextTable:
    """Return an own method against each other one, on each data set."""
    compared = {one.dataset for pair in pairs for one in pair.datasets}
    row = partial(_row_on_dataset, results.metric)
    rows = [
        row(pair.right, one)
        for data in results.datasets
        for pair in pairs
        for one in pair.datasets
        if one.dataset == data.label
    ]
    legend = own.legend_on_datasets([d for d in results.on_same_test_rows if d in compared])
    words = ("Data set", "Against", "Verdict")
    return make_table(
        f"own-{label}-by-data-set", f"{label}, on each data set", rows, words, legend=legend, keys=2
    )


def _row_on_dataset(metric: Metric, other: str, one: PairOnDataset) -> TableRow:
    return {
        "Data set": one.dataset,
        "Against": other,
        "Verdict": _verdict(one),
        "Better by": f"{metric.difference(one.better)} {_interval(one, metric)}".rstrip(),
        "p, adjusted": _p(one),
        "Means": f"{metric.text(one.left)} : {metric.text(one.right)}",
    }
