"""The methods of the user's own beside the others: in a sentence each, and as tables."""

from collections.abc import Sequence

import pandas as pd

from boostbench import numbers
from boostbench.grouping import grouped
from boostbench.papers.metrics import Metric
from boostbench.report.document.comparisons import means_text, pair_row
from boostbench.report.document.table import TableRow, TextTable, make_table
from boostbench.report.frames.over_datasets import LEAST_DATASETS, MethodPair
from boostbench.report.frames.pairs import PairVerdict, caveats_of, is_adjusted, own_methods
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
    pairs = results.method_pairs if labels else ()
    return grouped((pair.method, pair) for pair in pairs if pair.method in labels)


def _about(results: ReportData, label: str, pairs: Sequence[MethodPair]) -> str:
    against = [_against(results.names[pair.against], pair) for pair in pairs]
    return own.verdicts(results.names[label], against)


def _against(other: str, pair: MethodPair) -> own.Against:
    return own.Against(other, dict(zip(pair.datasets, pair.pairs.verdict, strict=True)))


def own_tables(results: ReportData) -> tuple[str, list[TextTable], list[TextTable]]:
    """Return the title, the tables, and the tables by data set where these are long."""
    tables: list[TextTable] = []
    long: list[TextTable] = []
    pairs = _pairs(results)
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
