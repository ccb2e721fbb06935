"""The shipped experiments on regression trees fill the paper's tables, every row of them."""

from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from parts import of_file, ok

from boostbench.papers import get_paper
from boostbench.report.document.printed_tables import printed_tables
from boostbench.report.document.table import TextTable
from boostbench.report.frames.results import ReportData, collect

SRT = get_paper("srt")
FILLS = {
    "d2": ["3", "C.4", "G.9"],
    "d3": ["2", "3", "G.9"],
    "improvements": ["3"],
    "d2_grid": ["3", "D.5"],
    "d3_grid": ["3", "D.6"],
    "hyperplanes": ["E.7"],
    "forests": ["G.9"],
    "best_starts": ["F.8"],
}


@cache
def results_of(name: str) -> ReportData:
    return collect(of_file(name, lambda _: ok(0.8), "seeds=1"))


@cache
def tables_of(name: str) -> Mapping[str, TextTable]:
    return printed_tables(results_of(name))


def reached(name: str) -> Iterator[tuple[str, str, str, int | None]]:
    """Yield (table, data set or average, column, depth) of each printed score that is shown."""
    methods = {method.label: method for method in results_of(name).methods}
    for key, table in tables_of(name).items():
        for texts in table.texts if key != "3" else ():
            for header, text in zip(table.grouped_header, texts, strict=True):
                label, _, kind = header.partition(": ")
                if kind == "R²" and "(" in text:
                    column = SRT.names[methods[label].registered]
                    depth = (
                        None if column == "random_forest" else methods[label].conditions["depth"]
                    )
                    yield key, texts[0].lower().replace(" ", "_"), column, depth


@pytest.mark.parametrize(("name", "made"), FILLS.items())
def test_the_tables_that_an_experiment_fills(name: str, made: list[str]) -> None:
    assert list(tables_of(name)) == made


def test_every_printed_row_is_reached_by_a_shipped_experiment() -> None:
    found = {cell for name in FILLS for cell in reached(name)}
    printed = {(cell.table, cell.dataset, cell.method, *cell.setting) for cell in SRT.cells}
    assert printed - found == set()


def test_all_improvements_are_shown_by_the_experiment_for_them() -> None:
    rows = tables_of("improvements")["3"].texts
    assert [row[0] for row in rows] == list(SRT.datasets)
    shown = [text.partition("(")[2] for row in rows for text in row if "(" in text]
    assert len(", ".join(shown).split(", ")) == 60
