"""``boostbench compare``: what differs between two results folders beyond noise, and why."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli import complete, options
from boostbench.suggest import counted

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.experiment.comparison import CellChange, Comparison
    from boostbench.papers.metrics import Metric

_HELP = "A results folder, its name below ./results, an experiment file or a shipped config's name."


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=_HELP, autocompletion=complete.configs)],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]",
            help="The results to compare with A. Default: A itself, compared with what it recorded "
            "before, by other versions of methods, parameters, data or code.",
            autocompletion=complete.configs,
        ),
    ] = None,
    metric: options.Metric = None,
    only: options.Only = None,
    as_json: options.Json = False,
) -> None:
    """Compare two results: which cells changed beyond noise, and why.

    Runs are paired by data set, method, fold and seed. A cell has changed where the corrected
    resampled t-test over its folds says so at 5 %, adjusted for the number of cells.
    """
    from contextlib import ExitStack

    from boostbench.cli.console import Screen
    from boostbench.experiment.comparison import compare as compare_stores
    from boostbench.experiment.folders import find_results
    from boostbench.store.store import Store

    screen = Screen()
    folders = [find_results(name, note=screen.warn) for name in (a, b) if name is not None]
    with ExitStack() as opened:
        stores = [
            opened.enter_context(Store.open(folder, create=False, read_only=True, only=only or []))
            for folder in folders
        ]
        found = compare_stores(stores[0], stores[1] if b else None, metric)
    names = [str(folder) for folder in folders]
    if b is None:
        names.insert(0, f"{names[0]} as recorded before")
    if as_json:
        screen.json(_as_json(found, names))
    else:
        _show(screen, found, names)


def _as_json(found: "Comparison", folders: list[str]) -> dict[str, Any]:
    import dataclasses
    import math

    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    cells = [
        {
            **{name: plain(value) for name, value in dataclasses.asdict(cell).items()},
            "difference": plain(cell.difference),
        }
        for cell in found.cells
    ]
    return {
        "a": folders[0],
        "b": folders[1],
        "metric": found.metric.name,
        "environments": list(found.environments),
        "cells": cells,
    }


def _show(screen: "Screen", found: "Comparison", folders: list[str]) -> None:
    from collections import Counter

    from boostbench.experiment.comparison import Change

    screen.say(f"A: {folders[0]}, B: {folders[1]}; {found.metric.words}", "bold")
    told_below = {Change.EQUAL, Change.EQUAL_SO_FAR, Change.ONLY_A, Change.ONLY_B}
    rows = [_row(cell, found.metric) for cell in found.cells if cell.change not in told_below]
    header = ["data set", "method", "runs", "A", "B", "B - A", "95 % interval", "change", "why"]
    if rows:
        screen.table(header, rows, left=(0, 1, 7, 8))
    for only in (Change.ONLY_A, Change.ONLY_B):
        methods = Counter(cell.method for cell in found.cells if cell.change is only)
        if methods:
            names = ", ".join(f"{name} ({counted(n, 'data set')})" for name, n in methods.items())
            screen.say(f"{only}: {names}")
    if found.environments:
        screen.say(f"B ran in another environment: {', '.join(found.environments)}", "yellow")
    counts = Counter(str(cell.change) for cell in found.cells)
    text = ", ".join(f"{count:,} {change}" for change, count in counts.most_common())
    screen.say(f"cells: {text or 'none'}")


def _row(cell: "CellChange", metric: "Metric") -> list[str]:
    import math

    known = not math.isnan(cell.a)
    interval = ""
    if not math.isnan(cell.p):
        interval = f"[{metric.difference(cell.low)}, {metric.difference(cell.high)}]"
    a, b, difference = _digits(cell, metric) if known else ("", "", "")
    return [
        cell.dataset,
        cell.method,
        f"{cell.runs:,}" if cell.runs else "",
        a,
        b,
        difference,
        interval,
        str(cell.change),
        ", ".join(cell.why),
    ]


def _digits(cell: "CellChange", metric: "Metric") -> tuple[str, str, str]:
    """Return both means and their difference with the digits that show it, at least as printed."""
    import math

    from boostbench import numbers

    a, b = metric.scale * cell.a, metric.scale * cell.b
    gap = abs(b - a)
    digits = metric.digits
    if 0 < gap < 10.0**-digits:
        digits = min(12, 1 - math.floor(math.log10(gap)))
    return numbers.fixed(a, digits), numbers.fixed(b, digits), numbers.signed(b - a, digits)
