"""The methods of the user's own beside the others: in a sentence each, and as tables."""

import math
from collections.abc import Sequence
from functools import partial

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.document.comparisons import means_text, pair_row
from boostbench.report.document.table import TableRow, TextTable, make_table
from boostbench.report.frames.over_datasets import LEAST_DATASETS, MethodPair
from boostbench.report.frames.pairs import PairOnDataset, PairVerdict, own_methods
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import legends, own

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
        if pair.method in labels:
            pairs.setdefault(pair.method, []).append(pair)
    return pairs


def _about(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> str:
    against = [_against(results.names[pair.against], pair) for pair in pairs]
    return own.verdicts(results.names[label], against)


def _against(other: str, pair: MethodPair) -> own.Against:
    return own.Against(other, {one.dataset: one.verdict for one in pair.datasets})


def _interval(one: PairOnDataset, metric: Metric) -> str:
    """Return the interval of a difference; one split gives none."""
    if not (math.isfinite(one.low) and math.isfinite(one.high)):
        return ""
    return f"[{metric.difference(one.low)}, {metric.difference(one.high)}]"


def own_tables(results: ReportData) -> tuple[str, list[TextTable], list[TextTable]]:
    """Return the title, the tables, and the tables by data set where these are long."""
    tables: list[TextTable] = []
    long: list[TextTable] = []
    pairs = _pairs(results)
    for label, compared in pairs.items():
        if any(pair.is_tested for pair in compared):
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
        legend=own.legend_over_datasets(
            LEAST_DATASETS, is_adjusted=any(pair.comparisons > 1 for pair in pairs)
        ),
    )


def _row_over_datasets(pair: MethodPair, metric: Metric) -> TableRow:
    verdicts = [one.verdict for one in pair.datasets]
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


def _table_on_datasets(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> TextTable:
    """Return an own method against each other one, on each data set."""
    compared = [one for pair in pairs for one in pair.datasets]
    row = partial(_row_on_dataset, results.metric)
    rows = [row(one) for data in results.datasets for one in compared if one.dataset == data.label]
    caveats = results.caveats_on([one.dataset for one in compared])
    words = ("Data set", "Against", "Verdict")
    return make_table(
        f"own-{label}-by-data-set",
        f"{label}, on each data set",
        rows,
        words,
        legend=own.legend_on_datasets(
            caveats.same_test_rows, is_adjusted=any(one.comparisons > 1 for one in compared)
        ),
        keys=2,
    )


def _row_on_dataset(metric: Metric, one: PairOnDataset) -> TableRow:
    return {
        "Data set": one.dataset,
        "Against": one.against,
        "Verdict": one.verdict,
        "Better by": f"{metric.difference(one.better)} {_interval(one, metric)}".rstrip(),
        "p": numbers.p(one.p),
        legends.P_OVER_METHODS: numbers.p(one.p_adjusted),
        "Means": means_text(one, metric),
    }
