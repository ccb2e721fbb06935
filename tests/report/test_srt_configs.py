"""The shipped experiments on regression trees fill the paper's tables, every row of them."""

from collections.abc import Iterator

import pytest
from pages import Page, page_of
from report_parts import of_file

from boostbench.papers import get_paper
from boostbench.store.types import Outcome

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


RUN = Outcome("ok", metrics={"r2": 0.8, "objective": 0.2}, times={"fit_s": 1.0})


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: page_of(of_file(name, lambda _: RUN, "seeds=2")) for name in FILLS}


def tables(page: Page) -> list[str]:
    names = [h.removeprefix("Table ").partition(":")[0] for h in page.headings()]
    return list(dict.fromkeys(name for name in names if name in SRT.printed_tables))


def reached(page: Page) -> Iterator[tuple[str, str, str, str]]:
    """Yield (table, data set or average, registered method, depth) of each printed score shown."""
    registered = {
        row["Method"]: (row.get("Registered as") or row["Method"], row["Parameters"])
        for row in page.rows("Methods")
    }
    for heading in page.headings():
        table = heading.removeprefix("Table ").partition(":")[0]
        for row in page.rows(heading) if heading.startswith("Table ") and table != "3" else ():
            for header, text in row.items():
                label = header.partition(":")[0].partition(", D=")[0]
                if not header.endswith("R²") or "(" not in text:
                    continue
                name, parameters = registered[label]
                depth = parameters.partition("depth = ")[2][:1]
                column = SRT.names[name]
                data = row["Data set"].lower().replace(" ", "_")
                yield table, data, column, "" if column == "random_forest" else depth


@pytest.mark.parametrize(("name", "made"), FILLS.items())
def test_the_tables_that_an_experiment_fills(pages, name: str, made: list[str]) -> None:
    assert tables(pages[name]) == made


@pytest.mark.parametrize("table", ["2", "C.4", "D.5", "D.6", "E.7", "F.8", "G.9"])
def test_every_printed_row_is_reached_by_a_shipped_experiment(pages, table: str) -> None:
    found = {cell for page in pages.values() for cell in reached(page)}
    printed = {
        (cell.table, cell.dataset, cell.method, str(cell.depth or ""))
        for cell in SRT.cells
        if cell.table == table
    }
    assert printed - found == set()


def test_all_improvements_are_shown_by_the_experiment_for_them(pages) -> None:
    (heading,) = [h for h in pages["improvements"].headings() if h.startswith("Table 3")]
    rows = pages["improvements"].rows(heading)
    assert [row["Data set"] for row in rows] == list(SRT.datasets)
    shown = [text.partition("(")[2] for row in rows for text in row.values() if "(" in text]
    assert len(", ".join(shown).split(", ")) == 60
