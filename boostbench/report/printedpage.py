"""The page of a printed table: measured beside printed, what differs, and the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers
from boostbench.report.answer import averages, judged_claims
from boostbench.report.blocks import Chart, Charts, Claims, Differences, Matrix, MatrixCell
from boostbench.report.cards import TONES, card_key, mark
from boostbench.report.figures import forest
from boostbench.report.figures.methods import bounds, mean_rows, shared_datasets, time_rows
from boostbench.report.judged import claim_groups
from boostbench.report.tables import agreements
from boostbench.report.words import every, plural, series, spelt

Names = Mapping[str, str]
NUMBERS = r"\d[\d.,]*"


def blocks_of_table(results: Any, ledger: Any, names: Names) -> list[Any]:
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
) -> Matrix | None:
    """Return measured beside printed of some methods; all marks have one scale.

    The ``main`` one has the averages, and says which columns other tables print.
    """
    cells, metric = results.only_cells, results.metric
    own = cells[cells.method.isin(methods) & cells.published.notna()]
    if not len(own):
        return None
    shown = cells[cells.counts] if cells.counts.any() else own
    end = forest.limit(shown.difference)
    rows = [
        (data.label, [_cell(results, data.label, label, end) for label in methods])
        for data in results.datasets
        if data.label in set(own.dataset)
    ]
    columns = []
    for label in methods:
        counts = own.verdict[own.method == label].value_counts()
        columns.append(
            (names[label], [(TONES[v], int(counts[v]), v) for v in TONES if v and v in counts])
        )
    text = f"{metric.scale * end:g}".removeprefix("0")
    ends = (f"{numbers.MINUS}{text}", "0", f"+{text}")
    average = _mean_row(results, methods) if main else None
    note = _elsewhere(results, names, methods) if main else ""
    agree = _agreements(results, names, methods) if main else []
    return Matrix(key, title, columns, average, rows, ends, note, agree)


def _agreements(results: Any, names: Names, methods: Sequence[str]) -> list[str]:
    """Return a line on each column: cells near the printed ones, mean distance and spread."""
    lines, text = [], results.metric.text
    for label, found in agreements(results).items():
        if label in methods:
            line = f"{names[label]}: {found.within} of {found.of} cells within one printed sd, "
            line += f"mean distance {text(found.distance)}"
            if found.spread is not None:
                line += f", sds {numbers.ratio(found.spread).replace(' ', '')} the printed ones"
            lines.append(f"{line}.")
    return lines


def _cell(results: Any, dataset: str, label: str, end: float, width: int = 92) -> MatrixCell | None:
    cell, metric = results.cell(dataset, label), results.metric
    if cell is None or cell.published is None:
        return None
    drawn = None
    if cell.verdict in forest.MARKS and cell.difference is not None:
        drawn = mark(cell, end, 1.0 if metric.is_share else float("inf"), width)
    return MatrixCell(
        card_key(dataset, label),
        TONES[cell.verdict],
        cell.verdict or "no result",
        metric.text(cell.compared) or numbers.DASH,
        metric.printed(cell.printed.value),
        drawn,
        f"{cell.finished:,} of {cell.planned:,} runs" if cell.finished < cell.planned else "",
    )


def _mean_row(
    results: Any, methods: Sequence[str]
) -> tuple[str, Sequence[tuple[str, str, str]]] | None:
    metric = results.metric
    found = {each["method"]: each for each in averages(results)}
    if not found:
        return None
    row = []
    for label in methods:
        mean, printed = (found.get(label, {}).get(key) for key in ("compared", "published"))
        away = None if mean is None or printed is None else mean - printed
        row.append((metric.text(mean), metric.text(printed), metric.difference(away)))
    return f"Mean of {max(int(each['planned']) for each in found.values())}", row


def _elsewhere(results: Any, names: Names, methods: Sequence[str]) -> str:
    """Return which columns another table prints, and the geometric means."""
    cells, text = results.only_cells, results.metric.text
    tables: dict[str, list[str]] = {}
    for label in methods:
        for table in dict.fromkeys(cells.published_table[cells.method == label]):
            if table not in ("", str(results.experiment["table"])):
                tables.setdefault(table, []).append(names[label])
    parts = [
        f"{series(own)} {'is' if len(own) == 1 else 'are'} printed in Table {table}."
        for table, own in tables.items()
    ]
    found = [
        f"{names[each['method']]} {text(each['compared'])} ({text(each['published'])})"
        for each in averages(results, "geometric")
        if each["method"] in methods
    ]
    parts += [f"Geometric means: {', '.join(found)}."] if found else []
    return " ".join(["Choose a cell to see its runs, and why it has its verdict.", *parts])


def _differences(results: Any, names: Names) -> Differences | None:
    own = results.only_cells[results.only_cells.counts]
    differ, open_ = own[own.verdict == "differs"], own[own.verdict == "undecided"]
    if not len(differ) and not len(open_):
        return None
    reach = forest.limit(differ.difference)
    rows = [
        (each.dataset, names[each.method], _cell(results, each.dataset, each.method, reach, 270),
         results.metric.difference(each.difference))
        for each in differ.itertuples()
    ]  # fmt: skip
    number, sets = len(differ), list(dict.fromkeys(differ.dataset))
    title = "No cell differs"
    if number:
        where = f": {series(sets)}" if len(sets) < 5 else ""
        verb = "cell differs" if number == 1 else "cells differ"
        title = f"{spelt(number, start=True)} {verb}, on {plural(len(sets), 'data set')}{where}"
    below, lead = int((differ.difference < 0).sum()), ""
    if number > 1:
        lead = f"All lie {'below' if below else 'above'} the printed value."
        if below not in (0, number):
            verb = "lies" if below == 1 else "lie"
            lead = f"{spelt(below, True)} {verb} below the printed value, "
            lead += f"{spelt(number - below)} above it."
    aside = f"Why {spelt(len(open_))} {'is' if len(open_) == 1 else 'are'} undecided"
    return Differences(title, lead, rows, aside, _undecided(open_))


def _undecided(cells: Any) -> list[str]:
    """Return why cells are undecided, in counts."""
    total, near = len(cells), int((cells.difference.abs() <= cells.margin).sum())
    if not total:
        return []
    found = [
        f"Undecided is not wrong: in {near:,} of the {total:,} the measured mean lies within the "
        "margin of the printed one, but the interval is too wide to exclude a larger difference."
    ]
    because = cells.because[cells.because != ""]
    if len(because):
        left_out = because.str.contains("left out").all()
        why = "too many runs are left out of the printed mean" if left_out else (
            series(dict.fromkeys(because), "or"))  # fmt: skip
        found.append(f"In {len(because):,} no interval can decide: {why}.")
    plans = cells.to_decide[(cells.because == "") & (cells.to_decide != "")]
    alike = plans.str.replace(NUMBERS, "…", regex=True)
    for pattern, count in alike.value_counts().items():
        texts = dict.fromkeys(plans[alike == pattern])
        first = next(iter(texts)) if len(texts) == 1 else str(pattern).partition(":")[0]
        found.append(f"In {count:,} {first.replace('… ', 'more ', 1)}.")
    return [text.replace("split seed", "partition") for text in found]


def claims_block(results: Any, ledger: Any, names: Names) -> Claims | None:
    """Return the judged claims, nothing where there are none."""
    counts = judged_claims(ledger)
    total = sum(counts.values())
    if not total:
        return None
    first = next(ruling for ruling in counts if counts[ruling])
    number = counts[first]
    verb = "is" if number == 1 else "are"
    title = f"{spelt(number, True)} of {spelt(total)} claims {verb} {first.value}"
    if number == total:
        title = f"{every(total, 'claim', start=True)} judged {verb} {first.value}"
    lead = f"The paper makes {len(ledger.entries):,} claims; {total:,} can be judged on these runs."
    return Claims(title, lead if len(ledger.entries) > total else "",
                  claim_groups(ledger, results, names), total)  # fmt: skip


def methods_block(results: Any) -> Charts | None:
    """Return the means and the seconds of the methods, side by side."""
    datasets, metric = shared_datasets(results), results.metric
    rows = mean_rows(results, datasets) if datasets else []
    if len(rows) < 2:
        return None
    where = plural(len(datasets), "data set")
    where += " that all methods have" if len(datasets) < len(results.datasets) else ""
    printed = "; ochre line: printed mean" if any(r.printed == r.printed for r in rows) else ""
    extreme = "highest" if metric.greater_is_better else "lowest"
    first = Chart(
        f"{rows[0].name} has the {extreme} mean {metric.words}, {rows[0].text}", rows,
        bounds=bounds(metric),
        caption=f"Mean {metric.title} over {where}; bar: 95 % interval for other folds of the same "
        f"data sets{printed}. A method far from the others is named at the edge.",
    )  # fmt: skip
    times = time_rows(results, datasets)
    same = [row for row in times if not row.hollow]
    title = "Seconds of one fit"
    if len(same) > 1 and same[-1].value > 1.1 * same[0].value:
        ratio = numbers.ratio(float(f"{same[-1].value / same[0].value:.2g}")).removeprefix("× ")
        title = f"{same[-1].name} takes {ratio} times as long to train as {same[0].name}"
    hollow = " Hollow: timed on another processor, not to be compared."
    caption = f"Mean seconds of one fit.{hollow if len(same) < len(times) else ''}"
    second = [Chart(title, times, log=True, caption=caption)] if times else []
    return Charts("methods", "The methods side by side", [first, *second])
