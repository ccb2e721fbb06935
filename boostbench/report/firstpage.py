"""The page of a first run: who won on each data set, how sure that is, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace as Block
from typing import Any

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.report.figures.methods import bounds, run_rows
from boostbench.report.printedpage import claims_block, methods_block
from boostbench.report.table import Item, Table, make_table
from boostbench.report.winners import Standing, champions
from boostbench.report.words import cited, say

Names = Mapping[str, str]
Found = Mapping[str, Sequence[Standing]]
MOST_CHARTS = 4
"""With more data sets than these they are rows of one table, without a chart each."""


def blocks_of_runs(results: Any, ledger: Any, names: Names) -> list[Block | None]:
    """Return what the page of a first run shows, in order."""
    found = champions(results)
    claims, steps = claims_block(results, ledger, names), _next(results, found)
    if len(found) > MOST_CHARTS:
        return [methods_block(results), _all_numbers(results, found, names), claims, steps]
    compared = any(len(own) > 1 for own in found.values())
    tables = [_standing(results, dataset, own, names) for dataset, own in found.items()]
    title = "The numbers, and how sure they are"
    standing = _numbers(results, title, tables, names, "standing") if compared else None
    return [_charts(results, found, names), standing, claims, steps]


def _charts(results: Any, found: Found, names: Names) -> Block:
    metric, charts = results.metric, []
    for dataset, own in found.items():
        best, several = own[0], " is best" if own[1:] else ""
        score = f"{metric.text(best.mean)}{' ' if metric.unit else ''}{metric.unit}"
        title = f"{dataset}: {names[best.method]}{several}, {score}"
        count = results.rows.get(dataset)
        charts.append(
            Block(title=title, rows=run_rows(results, dataset, own), log=False,
                  bounds=bounds(metric), caption="", remark=f"{count:,} rows" if count else "")
        )  # fmt: skip
    printed = any(row.printed == row.printed for chart in charts for row in chart.rows)
    return Block(kind="charts", key="figure", title="Who won", charts=charts, quiet=True,
                 notes=say("runs", metric=metric.name, printed=printed))  # fmt: skip


def _numbers(results: Any, title: str, tables: Sequence[Table], names: Names, note: str) -> Block:
    """Return tables of means, with what each method is."""
    known, glossary = method_names(), []
    for method in results.methods:
        text = method.estimator
        if method.registered in known:
            text = get_method(method.registered).description.replace(" l2", " ℓ₂")
        changed = ", ".join(f"{key} = {value}" for key, value in method.changed.items())
        text += f" Here with {changed}." if changed else ""
        glossary.append((names[method.label], text))
    return Block(kind="tables", key="numbers", title=title, tables=tables, notes=say(note),
                 pairs=note == "standing", glossary=glossary)  # fmt: skip


def _standing(results: Any, dataset: str, own: Sequence[Standing], names: Names) -> Table:
    metric, rows = results.metric, []
    mean, behind, printed = (
        f"mean {metric.label.removeprefix('Test ')}",
        "behind the best",
        "printed",
    )
    for each in own:
        cell = results.cell(dataset, each.method)
        away = Item("best", tone="best") if each.best else Item(numbers.DASH)
        if math.isfinite(each.low):
            ends = f"[{metric.text(each.low)}, {metric.text(each.high)}]"
            away = Item(metric.text(each.behind), note=ends)
        beside = Item(cell.verdict if cell.verdict == "not comparable" else numbers.DASH)
        if cell.counts:
            beside = Item(metric.printed(cell.printed.value), note=cell.verdict, tone=cell.verdict)
        value = Item(metric.text(each.mean), runs=(dataset, each.method))
        rows.append({"method": names[each.method], mean: value, behind: away, printed: beside})
    if not any(results.cell(dataset, each.method).counts for each in own):
        rows = [{name: row[name] for name in ("method", mean, behind)} for row in rows]
    done = {each.method for each in own}
    for label, name in names.items():
        if label not in done and results.cell(dataset, label) is not None:
            # None of its runs has a result: the card says why.
            why = Item("no result", tone="empty", runs=(dataset, label))
            rows.append({**dict.fromkeys(rows[0], ""), "method": name, mean: why})
    return make_table(f"numbers-{dataset}", dataset, rows, ("method",))


def _all_numbers(results: Any, found: Found, names: Names) -> Block:
    """Return the means of all methods on many data sets."""
    rows = []
    for dataset, own in found.items():
        row: dict[str, Any] = {"data set": dataset, **dict.fromkeys(names.values(), numbers.DASH)}
        for each in own:
            tone = "best" if each.best else "far" if each.separate else ""
            text = results.metric.text(each.mean)
            row[names[each.method]] = Item(text, tone=tone, runs=(dataset, each.method))
        rows.append(row)
    table = make_table("numbers-all", "", rows, ("data set",))
    title = f"Mean {results.metric.title} on each data set"
    return _numbers(results, title, [table], names, "ranking")


def _next(results: Any, found: Found) -> Block | None:
    """Return three commands that follow."""
    if not found:
        return None
    dataset, own = list(found.items())[-1]
    return Block(kind="steps", key="next", title="What to do next",
                 name=str(results.experiment.get("name") or "results"),
                 cell=f"{dataset}/{own[0].method}",
                 paper=cited(results.paper) if results.paper is not None else "")  # fmt: skip
