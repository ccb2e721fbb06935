"""A column is one entry, which is shown in each of its places by the name that it has there."""

import importlib
import json
import re
from pathlib import Path

import pytest
from pages import csv_of, files_of, page_of
from parts import A, B, results_of, store_of

from boostbench.papers.metrics import METRICS, R2, RMSE
from boostbench.report import for_python
from boostbench.report.document import columns
from boostbench.report.document.columns import (
    CARD,
    COLUMNS,
    CSV,
    DETAIL,
    FRAME,
    MAIN,
    PAPER,
    Column,
    Place,
    Shown,
    columns_in,
)
from boostbench.report.document.main_tables import overview
from boostbench.report.page.cell_cards import cards

ROOT = Path(__file__).parents[2]
CELLS = {("d", "a"): A, ("d", "b"): B}


def _range(at: Shown) -> float:
    scores = at.results.of(at.cell.dataset, at.cell.method).score
    return float(scores.max() - scores.min())


def _add(monkeypatch: pytest.MonkeyPatch, **places: object) -> None:
    where = {Place[name]: title for name, title in places.items()}
    added = Column(
        where,
        value=_range,
        text=lambda at: f"{_range(at):.2f}",
        meaning="the largest less the smallest score",
    )
    monkeypatch.setattr(columns, "COLUMNS", [*COLUMNS, added])


def test_one_entry_is_shown_in_all_its_places(monkeypatch: pytest.MonkeyPatch) -> None:
    _add(monkeypatch, DETAIL=("Measured", "Range"), CSV="range", FRAME="range", CARD="range")
    store, results = store_of(CELLS, paper=None), results_of(CELLS)
    means = for_python.means(results)
    ranges = means.range.tolist()
    assert len(set(ranges)) == 2
    assert str(means.dtypes["range"]) == "float64"
    told = json.loads(json.dumps(for_python.records(means)))
    assert [row["range"] for row in told] == ranges
    assert [float(row["range"]) for row in csv_of(store)] == ranges
    texts = [f"{each:.2f}" for each in ranges]
    assert [page_of(store).rows(name)[0]["Range"] for name in ("a", "b")] == texts
    assert [dict(card.facts)["range"] for card in cards(results)] == texts
    html = files_of(store, "html")["table.html"].decode()
    assert re.findall(r"<dt>range</dt><dd>(.*?)</dd>", html) == texts
    assert "Measured: Range" in files_of(store, "latex")["table.tex"].decode()


def test_it_is_shown_in_no_other_place(monkeypatch: pytest.MonkeyPatch) -> None:
    _add(monkeypatch, CSV="range")
    store, results = store_of(CELLS, paper=None), results_of(CELLS)
    assert "range" in csv_of(store)[0]
    assert "range" not in for_python.means(results)
    for name in ("table.md", "table.tex", "table.html"):
        assert "range" not in files_of(store, "md", "latex", "html")[name].decode().lower()


def test_a_further_column_of_the_main_table_makes_groups_of_the_methods(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = results_of({**CELLS, ("e", "a"): A})
    assert overview(results).header == ["Data set", "a", "b"]
    _add(monkeypatch, MAIN="Range")
    table = overview(results)
    assert table.grouped_header == ["Data set", "a: R²", "a: Range", "b: R²", "b: Range"]
    assert [item.text for item in table.rows[1][3:]] == ["–", "–"]


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_names_are_different_in_each_place(metric) -> None:
    for place in (MAIN, PAPER, DETAIL, CARD, CSV, FRAME):
        names = [name for name, _ in columns_in(place, metric)]
        assert len(set(names)) == len(names) > 0, place


def test_columns_of_runs_that_explode_are_only_for_metrics_with_such_runs() -> None:
    assert "negative_runs" in dict(columns_in(CSV, R2))
    assert [name for name, _ in columns_in(CSV, RMSE) if "negative" in name] == []
    assert ("Measured", "R² < 0") in dict(columns_in(DETAIL, R2))


def test_docs_and_schema_have_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    snapshots = importlib.import_module("snapshots")
    docs, schema = (path.read_text("utf-8") for path in (snapshots.DOCS, snapshots.SCHEMA))
    assert (snapshots.described(docs), snapshots.in_schema(schema)) == (docs, schema)
    more = {**snapshots.COLUMNS, "range": Column({}, dtype="int", meaning="the range")}
    monkeypatch.setattr(snapshots, "COLUMNS", more)
    assert "\n| `range` | the range |\n" in snapshots.described(docs)
    means = json.loads(snapshots.in_schema(schema))["$defs"]["report"]["properties"]["means"]
    told = {"type": "integer", "description": "The range."}
    assert means["items"]["properties"]["range"] == told
    assert "range" in means["items"]["required"]
