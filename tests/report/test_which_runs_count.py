"""Which runs count: all, but beside a printed mean that is without those that exploded."""

from dataclasses import replace

import numpy as np
import pytest
from parts import paper_of, results_of, row

from boostbench.report import for_python
from boostbench.report.document.for_paper import PaperLayout, paper_table
from boostbench.report.document.report import Report
from boostbench.report.document.table import TextTable
from boostbench.report.page.page import make_page
from boostbench.report.verdicts.ledger import evidence_of
from boostbench.stats import friedman

NAMES = "abc"
SETS = [f"s{n}" for n in range(5)]
SCORES = {
    (data, name): [[0.9 - 0.1 * j + 0.01 * fold + 0.001 * n] * 2 for fold in range(4)]
    for n, data in enumerate(SETS)
    for j, name in enumerate(NAMES)
}
SCORES["s0", "a"][1] = [-3.0, 0.91]
ALL = float(np.mean([run for fold in SCORES["s0", "a"] for run in fold]))
WITHOUT = (8 * ALL + 3.0) / 7


@pytest.fixture
def results(tmp_path):
    """One run has R2 below 0, in a cell whose printed mean leaves such runs out."""
    return results_of(SCORES, paper_of(tmp_path, [row(d, m, 0.8, out=3) for d, m in SCORES]))


def test_methods_are_compared_with_one_another_over_all_runs(results) -> None:
    means = for_python.means(results).set_index(["dataset", "method"])
    first = means.loc["s0", "a"]
    assert first["mean"] == pytest.approx(ALL)
    assert first["low"] < ALL < first["high"]
    assert (first["runs"], first["left_out"]) == (8, 1)
    wide = means["mean"].unstack()
    # The ranks of these means are the mean ranks.
    ranks = for_python.ranks(results).set_index("method")
    expected = friedman(wide[list(NAMES)].to_numpy())
    assert list(ranks.loc[list(NAMES), "rank"]) == pytest.approx(expected.ranks)
    assert ranks.friedman_chi2.iloc[0] == pytest.approx(expected.chi2)
    pairs = for_python.pairs(results).set_index(["dataset", "method", "against"])
    for (dataset, method, against), pair in pairs.iterrows():
        assert pair["mean"] == pytest.approx(wide.loc[dataset, method])
        assert pair.mean_against == pytest.approx(wide.loc[dataset, against])
    # So is the best, and a table for a paper of one's own.
    assert not first["best"]
    table = paper_table(results, PaperLayout(show=("mean", "rank"))).table
    shown = {line[0].text: [item.text for item in line[1:]] for line in table.rows}
    assert shown["s0"] == [results.metric.text(wide.loc["s0", name]) for name in NAMES]
    assert shown["Mean rank"] == [f"{ranks.loc[name, 'rank']:.2f}" for name in NAMES]


def _tables(report: Report) -> list[TextTable]:
    return [table for section in report.sections for table in section.tables]


def test_a_mean_beside_print_is_without_them_and_says_so(results) -> None:
    means = for_python.means(results).set_index(["dataset", "method"])
    first = means.loc["s0", "a"]
    assert first["compared"] == pytest.approx(WITHOUT)
    assert means["compared"].drop(("s0", "a")).to_numpy() == pytest.approx(
        means["mean"].drop(("s0", "a")).to_numpy()
    )
    text = Report(results, ())
    overview = text.overview
    texts = dict(zip(overview.header, overview.texts[0], strict=True))
    assert texts["a"].startswith(results.metric.text(WITHOUT))
    assert "[1 R² < 0 out]" in texts["a"]
    assert "methods are compared with one another over all runs" in overview.legend
    details = next(table for table in _tables(text) if table.key == "method-a")
    measured = dict(zip(details.grouped_header, details.texts[0], strict=True))
    assert measured["Measured: R²"] == results.metric.text(ALL)
    assert measured["Compared: Difference"] == results.metric.difference(WITHOUT - 0.8)
    assert "Difference: of the mean without runs with R² < 0" in details.legend
    notes = [note for section in text.sections for note in section.paragraphs]
    assert any("A mean beside a printed one" in note for note in notes)


def test_claims_are_without_them_as_the_printed_means_are(results) -> None:
    (cells,) = (
        own
        for (method, _, dataset), own in evidence_of(results.paper, [results]).cells.items()
        if (method, dataset) == ("a", "s0")
    )
    scores = cells[0].values["score"]
    assert np.isnan(scores).sum() == 1
    assert np.nanmean(scores) == pytest.approx(WITHOUT)
    assert cells[0].values["failures"].sum() == 1


def test_where_print_leaves_none_out_and_without_a_paper_all_runs_count(tmp_path) -> None:
    prints_all = results_of(SCORES, paper_of(tmp_path, [row(d, m, 0.8) for d, m in SCORES]))
    for results in (prints_all, results_of(SCORES)):
        first = for_python.means(results).iloc[0]
        assert (first["mean"], first["left_out"]) == (pytest.approx(ALL), 0)
        shown = Report(results, ()).overview.texts[0][1]
        assert shown.startswith(results.metric.text(ALL))
    assert np.isnan(for_python.means(results_of(SCORES)).compared).all()
    assert for_python.means(prints_all).compared.iloc[0] == pytest.approx(ALL)


def test_the_numbers_of_a_page_name_both_means(results) -> None:
    few = replace(results, datasets=results.datasets[:2])
    few = replace(few, runs=few.runs[few.runs.dataset.isin(["s0", "s1"])])
    numbers = next(block for block in make_page(Report(few, ())).blocks if block.key == "numbers")
    rows = {line[0].text: line for line in numbers.tables[0].rows}
    header = numbers.tables[0].header
    printed = rows["a"][header.index("printed")]
    assert rows["a"][1].text == results.metric.text(ALL)
    assert printed.note.endswith(f", {results.metric.text(WITHOUT)} without R² < 0")
