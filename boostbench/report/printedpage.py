"""The page of a printed table: measured beside printed, what differs, and the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace as Block
from typing import Any

from boostbench import numbers
from boostbench.report.answer import averages, judged_claims
from boostbench.report.cards import TONES, card_key
from boostbench.report.figures import forest
from boostbench.report.figures.methods import bounds, mean_rows, shared_datasets, time_rows
from boostbench.report.judged import claim_groups
from boostbench.report.tables import agreements
from boostbench.report.words import every, plural, say, spelt

Names = Mapping[str, str]
MOST_COLUMNS = 6
"""With more printed columns than these there is no room for the marks beside the numbers."""


def blocks_of_table(results: Any, ledger: Any, names: Names) -> list[Block | None]:
    """Return what the page of a printed table shows, in order."""
    cells = results.only_cells
    meant = [m.label for m in results.methods if cells.counts[cells.method == m.label].any()]
    title = f"Table {results.experiment['table']}: {results.metric.title}, measured beside printed"
    return [
        matrix(results, names, meant, "table", title, main=True),
        _differences(results, names),
        claims_block(results, ledger, names),
        methods_block(results),
    ]


def matrix(
    results: Any, names: Names, methods: Sequence[str], key: str, title: str, main: bool = False
) -> Block | None:
    """Return measured beside printed of some methods; all marks have one scale.

    The ``main`` one has the averages, and says which columns other tables print.
    """
    cells, metric = results.only_cells, results.metric
    own = cells[cells.method.isin(methods) & cells.published.notna()]
    if not len(own):
        return None
    end = forest.limit((cells[cells.counts] if cells.counts.any() else own).difference)
    counts = own.groupby("method").verdict.value_counts()
    text = f"{metric.scale * end:g}".removeprefix("0")
    return Block(
        kind="matrix",
        key=key,
        title=title,
        columns=[
            (
                names[label],
                [(TONES[v], counts[label, v], v) for v in TONES if v and (label, v) in counts],
            )
            for label in methods
        ],
        mean=_mean_row(results, methods) if main else None,
        rows=[
            (data.label, [_cell(results, data.label, label, end) for label in methods])
            for data in results.datasets
            if data.label in set(own.dataset)
        ],
        ends=(f"{numbers.MINUS}{text}", "0", f"+{text}"),
        marked=len(methods) <= MOST_COLUMNS,
        notes=_elsewhere(results, names, methods) if main else [],
        agreements=_agreements(results, names, methods) if main else [],
    )


def _agreements(results: Any, names: Names, methods: Sequence[str]) -> list[str]:
    """Return a line on each column: cells near the printed ones, mean distance and spread."""
    found = {label: one for label, one in agreements(results).items() if label in methods}
    return say("agreements", found=found, names=names, metric=results.metric)


def _cell(results: Any, dataset: str, label: str, end: float) -> Block | None:
    cell, metric = results.cell(dataset, label), results.metric
    if cell is None or cell.published is None:
        return None
    mark = None
    if cell.verdict in forest.MARKS and cell.difference is not None:
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
        mark=mark,
        note=f"{cell.finished:,} of {cell.planned:,} runs" if cell.finished < cell.planned else "",
    )


def _mean_row(
    results: Any, methods: Sequence[str]
) -> tuple[str, Sequence[tuple[str, str, str]]] | None:
    metric = results.metric
    found = {each["method"]: each for each in averages(results)}
    if not found:
        return None
    row = [("", "", "") for _ in methods]
    for place, label in enumerate(methods):
        if label in found:
            mean, printed = found[label]["compared"], found[label]["published"]
            row[place] = metric.text(mean), metric.text(printed), metric.difference(mean - printed)
    return f"Mean of {max(int(each['planned']) for each in found.values())}", row


def _elsewhere(results: Any, names: Names, methods: Sequence[str]) -> list[str]:
    """Return which columns another table prints, and the geometric means."""
    cells = results.only_cells[results.only_cells.method.isin(methods)]
    other = cells[~cells.published_table.isin(("", str(results.experiment["table"])))]
    tables = {
        table: [names[label] for label in methods if label in set(own.method)]
        for table, own in other.groupby("published_table", sort=False)
    }
    geometric = [each for each in averages(results, "geometric") if each["method"] in methods]
    return say("elsewhere", tables=tables, geometric=geometric, names=names, metric=results.metric)


def _differences(results: Any, names: Names) -> Block | None:
    own = results.only_cells[results.only_cells.counts]
    differ, open_ = own[own.verdict == "differs"], own[own.verdict == "undecided"]
    if not len(differ) and not len(open_):
        return None
    reach = forest.limit(differ.difference)
    rows = [
        (each.dataset, names[each.method], _cell(results, each.dataset, each.method, reach),
         results.metric.difference(each.difference))
        for each in differ.itertuples()
    ]  # fmt: skip
    title, *lead = say("differing", sets=list(dict.fromkeys(differ.dataset)), number=len(differ),
                       below=int((differ.difference < 0).sum()))  # fmt: skip
    aside, why = f"Why {spelt(len(open_))} {'is' if len(open_) == 1 else 'are'} undecided", []
    if len(open_):
        why = _undecided(open_)
    return Block(kind="differences", key="differs", title=title, lead=lead, rows=rows, aside=aside,
                 why=why)  # fmt: skip


def _undecided(cells: Any) -> list[str]:
    """Return why cells are undecided, in counts."""
    because = cells.because[cells.because != ""]
    plans = cells.to_decide[(cells.because == "") & (cells.to_decide != "")]
    plans = plans.str.replace("split seed", "partition")
    alike, found = plans.str.replace(r"\d[\d.,]*", "…", regex=True), {}
    for pattern, count in alike.value_counts().items():
        own = plans[alike == pattern]
        words = own.iloc[0] if own.nunique() == 1 else str(pattern).partition(":")[0]
        found[words.replace("… ", "more ", 1)] = count
    near = int((cells.difference.abs() <= cells.margin).sum())
    return say("undecided", total=len(cells), near=near, number=len(because), plans=found,
               because=list(dict.fromkeys(because)),
               left_out=because.str.contains("left out").all())  # fmt: skip


def claims_block(results: Any, ledger: Any, names: Names) -> Block | None:
    """Return the judged claims, nothing where there are none."""
    counts = judged_claims(ledger)
    total = sum(counts.values())
    if not total:
        return None
    first = next(ruling for ruling in counts if counts[ruling])
    number, verb = counts[first], "is" if counts[first] == 1 else "are"
    title = f"{spelt(number, True)} of {spelt(total)} claims {verb} {first.value}"
    if number == total:
        title = f"{every(total, 'claim', start=True)} judged {verb} {first.value}"
    return Block(kind="claims", key="claims", title=title, whole=len(ledger.entries), total=total,
                 groups=claim_groups(ledger, results, names))  # fmt: skip


def methods_block(results: Any) -> Block | None:
    """Return the means and the seconds of the methods, side by side."""
    datasets, metric = shared_datasets(results), results.metric
    rows = mean_rows(results, datasets) if datasets else []
    if len(rows) < 2:
        return None
    extreme = "highest" if metric.greater_is_better else "lowest"
    title = f"{rows[0].name} has the {extreme} mean {metric.words}, {rows[0].text}"
    where = plural(len(datasets), "data set")
    where += " that all methods have" if len(datasets) < len(results.datasets) else ""
    printed = any(row.printed == row.printed for row in rows)
    (caption,) = say("means", title=metric.title, where=where, printed=printed)
    charts = [
        Block(title=title, rows=rows, log=False, bounds=bounds(metric), caption=caption, remark="")
    ]
    times = time_rows(results, datasets)
    if times:
        same = [row for row in times if not row.hollow]
        title = "Seconds of one fit"
        if len(same) > 1 and same[-1].value > 1.1 * same[0].value:
            ratio = numbers.ratio(float(f"{same[-1].value / same[0].value:.2g}")).strip("× ")
            title = f"{same[-1].name} takes {ratio} times as long to train as {same[0].name}"
        (caption,) = say("times", hollow=len(same) < len(times))
        charts.append(Block(title=title, rows=times, log=True, bounds=(0.0, float("inf")),
                            caption=caption, remark=""))  # fmt: skip
    return Block(kind="charts", key="methods", title="The methods side by side", charts=charts,
                 notes=[], quiet=False)  # fmt: skip
