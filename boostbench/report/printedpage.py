"""What the page has of a printed table: measured beside printed, and what differs."""

from types import SimpleNamespace
from typing import Any

from boostbench import numbers
from boostbench.report.answer import averages, does
from boostbench.report.cards import TONES, card_key
from boostbench.report.figures.rows import limit
from boostbench.report.tables import agreements
from boostbench.report.words import names_of, say, series
from boostbench.suggest import counted

Block = SimpleNamespace
MORE = ["seeds_to_decide", "partitions_to_decide"]
MOST_COLUMNS = 6
"""With more printed columns than these there is no room for the marks beside the numbers."""


def block(kind: str, key: str, title: str, hint: str = "", **content: Any) -> Block:
    """Return a block of the page, of a ``kind`` for which a template has a macro."""
    empty = dict.fromkeys(("notes", "tables", "glossary"), ())
    return Block(kind=kind, key=key, title=title, hint=hint, **{**empty, **content})


def matrix(results: Any) -> Block:
    """Return measured beside printed of the methods that are meant; all marks have one scale."""
    cells, metric, names = results.only_cells, results.metric, names_of(results.methods)
    methods = [m.label for m in results.methods if cells.counts[cells.method == m.label].any()]
    own = cells[cells.method.isin(methods) & cells.published.notna()]
    end = limit(cells[cells.counts].difference)
    text = f"{metric.scale * end:g}".removeprefix("0")
    return block(
        "matrix",
        "table",
        f"Table {results.experiment['table']}: {metric.title}, measured beside printed",
        columns=[names[label] for label in methods],
        mean=[averages(results).get(label, ("", "", "", False)) for label in methods],
        rows=[
            (data.label, [_cell(results, data.label, label, end) for label in methods])
            for data in results.datasets
            if data.label in set(own.dataset)
        ],
        ends=(f"{numbers.MINUS}{text}", "0", f"+{text}"),
        marked=len(methods) <= MOST_COLUMNS,
        notes=say("agreements", found=agreements(results), names=names, metric=metric),
    )


def _cell(results: Any, dataset: str, label: str, end: float) -> Block | None:
    cell, metric = results.cell(dataset, label), results.metric
    if cell is None or cell.published is None:
        return None
    mark = None
    if cell.margin is not None and cell.difference is not None:
        # As parts of the axis; no interval goes beyond the highest mean that there can be.
        top = ((1.0 if metric.is_share else float("inf")) - cell.published) / end
        ends = [x / end for x in (cell.low, cell.high) if x is not None]
        mark = Block(top=top, interval=ends, at=cell.difference / end, margin=cell.margin / end)
    return Block(
        card=card_key(dataset, label),
        tone=TONES[cell.verdict],
        verdict=cell.verdict or "no result",
        measured=metric.text(cell.compared) or numbers.DASH,
        printed=metric.printed(cell.printed.value),
        away=metric.difference(cell.difference),
        mark=mark,
        note=f"{cell.finished:,} of {cell.planned:,} runs" if cell.finished < cell.planned else "",
    )


def differences(results: Any) -> Block | None:
    """Return the cells that differ, and why others are undecided."""
    names, own = names_of(results.methods), results.only_cells[results.only_cells.counts]
    differ, open_ = own[own.verdict == "differs"], own[own.verdict == "undecided"]
    if not len(differ) and not len(open_):
        return None
    end = limit(differ.difference)
    title = f"{counted(len(differ), 'cell')} {does('differs', len(differ))}"
    if len(differ):
        title += f", on {series(dict.fromkeys(differ.dataset))}"
    return block(
        "differences", "differs", title,
        rows=[(each.dataset, names[each.method], _cell(results, each.dataset, each.method, end))
              for each in differ.itertuples()],
        aside=f"Why {len(open_)} {does('undecided', len(open_))}",
        why=say("undecided", total=len(open_), never=int((open_.because != "").sum()),
                near=int((open_.difference.abs() <= open_.margin).sum()),
                more=int(open_[MORE].notna().any(axis=1).sum())),
    )  # fmt: skip
