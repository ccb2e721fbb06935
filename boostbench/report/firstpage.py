"""The page of a first run: who won on each data set, how sure that is, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.report.blocks import Chart, Charts, Plain, Steps
from boostbench.report.figures.methods import bounds, run_rows
from boostbench.report.printedpage import claims_block, methods_block
from boostbench.report.table import Item, Table
from boostbench.report.winners import Standing, champions
from boostbench.report.words import cited

Names = Mapping[str, str]
Found = Mapping[str, Sequence[Standing]]
MOST_CHARTS = 4
"""With more data sets than these they are rows of one table, without a chart each."""
_MEANING = {
    "r2": "R² is the share of the target’s variance that a method explains on rows it has not "
    "seen: 1 is perfect, 0 no better than the mean.",
    "error": "Test error is the share of rows not seen before that a method puts into the wrong "
    "class.",
}


def blocks_of_runs(results: Any, ledger: Any, names: Names) -> list[Any]:
    """Return what the page of a first run shows, in order."""
    found = champions(results)
    claims, steps = claims_block(results, ledger, names), _next(results, found)
    if len(found) > MOST_CHARTS:
        return [methods_block(results), _all_numbers(results, found, names), claims, steps]
    compared = any(len(own) > 1 for own in found.values())
    standing = _numbers(results, found, names) if compared else None
    return [_charts(results, found, names), standing, claims, steps]


def _charts(results: Any, found: Found, names: Names) -> Charts:
    metric, charts = results.metric, []
    for dataset, own in found.items():
        best, several = own[0], " is best" if own[1:] else ""
        score = f"{metric.text(best.mean)}{' ' if metric.unit else ''}{metric.unit}"
        count = results.rows.get(dataset)
        charts.append(
            Chart(f"{dataset}: {names[best.method]}{several}, {score}",
                  run_rows(results, dataset, own), bounds=bounds(metric),
                  remark=f"{count:,} rows" if count else "")
        )  # fmt: skip
    printed = any(row.printed == row.printed for chart in charts for row in chart.rows)
    ochre = "; ochre line: the mean printed in the paper" if printed else ""
    note = f"{_MEANING.get(metric.name, '')} Pale dots: single runs; line: their mean{ochre}."
    return Charts("figure", "Who won", charts, note.strip(), quiet=True)


def _numbers(results: Any, found: Found, names: Names) -> Plain:
    note = (
        "Choose a mean to see its runs. In brackets: the 95 % interval of the difference; one that "
        "reaches below 0 leaves open which of the two is better on other rows of the same kind."
    )
    tables = [_standing(results, dataset, own, names) for dataset, own in found.items()]
    return Plain("numbers", "The numbers, and how sure they are", tables, note, pairs=True,
                 glossary=_glossary(results, names))  # fmt: skip


def _standing(results: Any, dataset: str, own: Sequence[Standing], names: Names) -> Table:
    metric = results.metric
    cells = [results.cell(dataset, each.method) for each in own]
    printed = any(cell.counts for cell in cells)
    rows = []
    for each, cell in zip(own, cells, strict=True):
        behind = Item("best", tone="best") if each.best else Item(numbers.DASH)
        if math.isfinite(each.low):
            ends = f"[{metric.text(each.low)}, {metric.text(each.high)}]"
            behind = Item(metric.text(each.behind), note=ends)
        beside = Item(cell.verdict if cell.verdict == "not comparable" else numbers.DASH)
        if cell.counts:
            text = metric.printed(cell.printed.value)
            beside = Item(text, note=cell.verdict, tone=cell.verdict)
        mean = Item(metric.text(each.mean), runs=(dataset, each.method))
        rows.append([Item(names[each.method]), mean, behind, *([beside] if printed else [])])
    done = {each.method for each in own}
    for label, name in names.items():
        cell = results.cell(dataset, label)
        if label not in done and cell is not None:
            # None of its runs has a result: the card says why.
            why = Item("no result", tone="empty", runs=(dataset, label))
            rows.append([Item(name), why, Item(""), *([Item("")] if printed else [])])
    header = ["method", f"mean {metric.label.removeprefix('Test ')}", "behind the best"]
    return Table(f"numbers-{dataset}", dataset, header + (["printed"] if printed else []), rows)


def _all_numbers(results: Any, found: Found, names: Names) -> Plain:
    """Return the means of all methods on many data sets."""
    rows = []
    for dataset, own in found.items():
        by = {each.method: each for each in own}
        row = [Item(dataset)]
        for label in names:
            each = by.get(label)
            tone = "" if each is None else "best" if each.best else "far" if each.separate else ""
            text = results.metric.text(each.mean) if each else numbers.DASH
            row.append(Item(text, tone=tone, runs=(dataset, label) if each else None))
        rows.append(row)
    note = (
        "Choose a mean to see its runs. Bold: the best; grey: a test of the fold means says that "
        "the method is worse."
    )
    table = Table("numbers-all", "", ["data set", *names.values()], rows)
    return Plain("numbers", f"Mean {results.metric.title} on each data set", [table], note,
                 glossary=_glossary(results, names))  # fmt: skip


def _glossary(results: Any, names: Names) -> list[tuple[str, str]]:
    """Return what each method is."""
    known, found = method_names(), []
    for method in results.methods:
        text = method.estimator
        if method.registered in known:
            text = get_method(method.registered).description.replace(" l2", " ℓ₂")
        changed = ", ".join(f"{key} = {value}" for key, value in method.changed.items())
        found.append((names[method.label], f"{text}{f' Here with {changed}.' if changed else ''}"))
    return found


def _next(results: Any, found: Found) -> Steps | None:
    """Return three commands that follow."""
    if not found:
        return None
    name = str(results.experiment.get("name") or "results")
    dataset, own = list(found.items())[-1]
    last = ("Keep the numbers", f"boostbench report {name} --format csv,figure",
            "Writes every number to table.csv, and the figures as PNG, SVG and PDF.")  # fmt: skip
    if results.paper is not None:
        last = ("Judge the paper’s claims", f"boostbench verify {name}",
                f"What these runs say of {cited(results.paper)}, claim by claim.")  # fmt: skip
    own_data = (
        "Add a scikit-learn estimator or a CSV file to the experiment: no code is needed, and only "
        "what is new is run."
    )
    show = f"boostbench show {dataset}/{own[0].method}"
    return Steps("What to do next", [
        ("Look behind a number", show, "Lists its single runs, and how to run each again."),
        ("Try your own method or data", f"boostbench run {name}.yaml", own_data),
        last,
    ])  # fmt: skip
