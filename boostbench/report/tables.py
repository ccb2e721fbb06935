"""The tables of cells: methods side by side, each method in full, agreement with print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from boostbench import numbers
from boostbench.papers.agreement import Agreement, agreement
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.report.cells import CELL
from boostbench.report.evidence import AGREES, DIFFERS, NOT_COMPARABLE, UNDECIDED, VERDICTS
from boostbench.report.results import Results
from boostbench.report.runs import runs_over
from boostbench.report.table import Item, Table, make_table
from boostbench.report.winners import Standing

SIGNS = {AGREES: "≈", DIFFERS: "≠", UNDECIDED: "?", NOT_COMPARABLE: "", "": ""}
OUT = (
    "[k {exploded} out]: k runs with {exploded} are left out of the mean, as the printed mean "
    "must leave them out."
)
BRACKETS = "[k/n] counts finished of planned runs, or the data sets behind an average."
VERDICT = (
    "≈ agrees: the 90 % interval of measured − printed lies within a margin of {least} or {share} "
    "of the printed sd, whichever is larger; ≠ differs: it lies outside; ? undecided: these runs "
    "decide neither."
)
_STANDARD_ERRORS = (
    "The paper prints standard errors: its sds are these times the root of the number of its runs."
)
_MARKED = (
    "; * and bold: the {extreme} mean of the data set, pair by pair over the runs that both "
    "methods have; ~: the corrected resampled t-test on fold means does not separate it from the "
    "best (5 %, Holm over the row)"
)
_STANDINGS = {"best": "*", "close": "~", "": ""}
_MIXED = (
    "No mean objective (–) is given of runs that chose different values: they minimised different "
    "functions."
)
_DETAIL = (
    "The interval is the 90 % interval of measured − printed, widened by half a unit of the last "
    "printed decimal. It takes all of the printed variance to be between folds. A plan for the "
    "next run is no licence to stop when a verdict is reached."
)
_AGREEMENT = (
    "✓: four of five cells lie within one printed sd (or {least}) of the printed mean, the mean "
    "distance is at most {twice} and the average within {least}. Spread and time: geometric mean "
    "of the ratios to the printed sds and seconds; these were taken on another machine."
)


def overview(results: Results) -> Table:
    """Return the main table: data sets by methods.

    Where anything was published that is a mean with the published one beside it and a verdict,
    else a mean with its sd, the best of each data set marked.
    """
    compares, metric = results.compares, results.metric
    places = {} if compares else {name: _places(own) for name, own in results.standings.items()}

    def item(row: str, method: str) -> Item:
        cell = results.cell(row, method)
        if row in results.averages:
            return average_item(cell, metric)
        return cell_item(cell, metric, compares, places.get(row, {}).get(method, ""))

    made = make_table(
        "overview",
        "Measured beside printed" if compares else f"{metric.title[:1].upper()}{metric.title[1:]}",
        [
            {"Data set": row} | {m.label: item(row, m.label) for m in results.methods}
            for row in results.labels
        ],
        averages=len(results.averages),
    )
    return replace(made, legend=" ".join(_overview_legend(results, made.rows)))


def _places(found: Sequence[Standing]) -> dict[str, str]:
    """Return which methods are best on a data set, and which a test does not separate from it."""
    if len(found) < 2 or not found[0].best:
        return {}
    return {each.method: "best" if each.best else "close" for each in found if not each.separate}


def _overview_legend(results: Results, rows: Sequence[Sequence[Item]]) -> Iterator[str]:
    metric = results.metric
    model = ", with the model of the last iteration" if results.recorded_curves else ""
    words = f"Mean {metric.words}{' in percent' if metric.unit else ''}"
    words += f"{{}} over {runs_over(results.experiment)}{model}"
    if results.compares:
        yield f"{words.format('')}, printed in parentheses."
        printed = list(results.only_cells.printed.dropna())
        if any(not one.not_comparable for one in printed):
            share = metric.spread_tolerance
            words = "a quarter" if share == 0.25 else f"{100 * share:g} %"
            yield VERDICT.format(least=metric.least_words, share=words)
        if any(one.value.se is not None for one in printed):
            yield _STANDARD_ERRORS
        yield from not_comparable(results)
    else:
        extreme = "highest" if metric.greater_is_better else "lowest"
        several = _MARKED.format(extreme=extreme) if len(results.methods) > 1 else ""
        yield f"{words.format(' ± sd')}{several}."
    yield from _averages_legend(results)
    if any("/" in item.note for row in rows for item in row):
        yield BRACKETS
    if results.only_cells.leaves_out.any():
        yield OUT.format(exploded=metric.exploded_label)


def not_comparable(results: Results) -> list[str]:
    """Return a sentence on the cells without a comparable published value, and why, or none."""
    cells = results.only_cells[results.only_cells.not_comparable != ""]
    reasons = cells.groupby("not_comparable", sort=False).method.unique()
    parts = [
        str(why) if len(found) == len(results.methods) else f"{', '.join(map(str, found))} ({why})"
        for why, found in reasons.items()
    ]
    return [f"Not comparable with the printed values: {'; '.join(parts)}."] if parts else []


def _averages_legend(results: Results) -> Iterator[str]:
    """Return sentences on the data sets behind averages, where these are not simply all."""
    for label, first in results.repeated.items():
        yield (
            f"{label} is published as the same data as {first}: only the first is averaged and "
            "counted."
        )
    names = max((own.common.iloc[0] for own in results.averages.values()), key=len, default=())
    if names:
        where = "" if len(names) == len(results.datasets) else f", on {', '.join(names)}"
        yield (
            f"Averages of common runs are over the runs that all methods have{where}; only these "
            "compare methods with one another."
        )


def cell_item(cell: Any, metric: Metric, compares: bool, standing: str = "") -> Item:
    """Return a cell's score with its verdict and printed value, or with its sd.

    ``cell`` is a row of :attr:`Results.cells` (``None``: not planned), ``standing`` "best", "close"
    or "": a mark of its own where nothing is printed.
    """
    if cell is None:
        return Item(numbers.DASH, note="not planned", tone="empty")
    tone = cell.verdict if compares else standing
    own: Any = {
        "beside": metric.printed(cell.printed.value if cell.printed else None),
        "runs": (cell.dataset, cell.method),
    }
    exploded = int(cell.exploded or 0)
    if cell.compared is None:
        failed: Counter[str] = Counter()
        for status, _, count in cell.missing:
            failed[status] += count
        why = ", ".join(f"{count} {status}" for status, count in failed.items())
        if cell.leaves_out:
            why = f"all {cell.finished} runs have {metric.exploded_label}"
        return Item(numbers.DASH, note=why, tone="empty", **own)
    notes = [numbers.of(cell.finished, cell.planned)] if cell.finished < cell.planned else []
    notes += [NOT_COMPARABLE] if cell.not_comparable and compares else []
    if exploded:
        without = "" if cell.kept_mean is None else f", {metric.text(cell.kept_mean)} without"
        how = " out" if cell.leaves_out else without
        notes.append(f"{exploded} {metric.exploded_label}{how}")
    mean, sd = cell.compared, None if compares else cell.compared_sd
    return Item(
        with_sd(metric, mean, sd),
        mark=SIGNS[tone] if compares else _STANDINGS[standing],
        note=", ".join(notes),
        tone=tone,
        words=tone,
        standing=standing,
        **own,
    )


def average_item(average: Any, metric: Metric) -> Item:
    """Return an average's score beside the printed one."""
    used, of = int(average.finished), int(average.planned)
    notes = [numbers.of(used, of)] if 0 < used < of else []
    if average.kept_mean not in (None, average.compared):
        notes.append(f"{metric.text(average.kept_mean)} without {metric.exploded_label}")
    if average.compared is None:
        return Item(numbers.DASH, note="; ".join([average.problem, *notes]), tone="empty")
    mean, printed = metric.text(average.compared), metric.text(average.published)
    return Item(mean, beside=printed, note=", ".join(notes))


def with_sd(metric: Metric, mean: float | None, sd: float | None) -> str:
    """Return ``mean ± sd``, blank where the mean is not known."""
    if mean is None:
        return ""
    text = metric.sd(sd, mean)
    return f"{metric.text(mean)} ± {text}" if text else metric.text(mean)


def detail(results: Results, method: Method) -> Table:
    """Return everything about one method: one row per data set, measured, printed, compared."""
    cells, metric = results.only_cells[results.only_cells.method == method.label], results.metric
    exploded = bool((cells.exploded > 0).any())
    legend = [_DETAIL] if cells.margin.notna().any() else []
    if exploded:
        legend.append(f"“Without”: over the runs without {metric.exploded_label} only.")
    if (cells.mixed.eq(True) & cells.objective_mean.notna()).any():
        legend.append(_MIXED)
    sources = sorted({table for table in cells.published_table if table})
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            {"Data set": row.dataset or row.row}
            | {
                (group, header): item
                for group, items in _details(row, metric, exploded).items()
                for header, item in items.items()
                if header
            }
            for name in results.labels
            if (row := results.cell(name, method.label))
        ],
        ("Data set", "Ended by", "Verdict", "Why, or what would decide"),
        len(results.averages),
        " ".join(legend),
    )


def _details(row: Any, metric: Metric, exploded: bool) -> dict[str, dict[str, Item | str]]:
    """Return what is known of a cell or an average, by group and header."""
    empty = Item(numbers.DASH, tone="empty")
    if row.row == CELL:
        tone, runs = "partial" if row.finished < row.planned else "", (row.dataset, row.method)
        count = Item(numbers.of(row.finished, row.planned), tone=tone, runs=runs)
    else:
        count = Item(f"{int(row.finished)} of {int(row.planned)} sets")
    without = {
        f"{metric.label} without": metric.text(row.kept_mean),
        "sd without": metric.sd(row.kept_sd, row.kept_mean),
    }
    objective = "" if row.objective_mean is None else numbers.objective(row.objective_mean)
    return {
        "Measured": {
            "Runs": count,
            metric.label: metric.text(row.mean) or empty,
            "sd": metric.sd(row.sd, row.mean),
            "Median": metric.text(row.median),
            metric.exploded_label: numbers.count(row.exploded),
            **(without if exploded else {}),
            metric.train_label: with_sd(metric, row.train_mean, row.train_sd),
            "Objective": empty if objective and row.mixed else objective,
            "Iterations": numbers.count(row.iterations_mean),
            "Ended by": numbers.counted(row.stops or {}),
            "Chosen": numbers.chosen(row.chosen or {}),
            "Time, s": _seconds(row.fit_s_mean, row.fit_s_sd),
            "Solver, s": _seconds(row.solver_s_mean, row.solver_s_sd),
            "Choice, s": _seconds(row.choose_s_mean, row.choose_s_sd),
        },
        "Printed": {
            metric.label: metric.printed(row.printed.value)
            if row.printed
            else metric.text(row.published),
            "sd": metric.sd(row.published_sd, row.published),
            metric.exploded_label: numbers.count(row.published_exploded),
            "Time, s": numbers.seconds(row.published_time_s),
        },
        "Compared": {
            "Measured": metric.text(row.compared) if row.compared != row.mean else "",
            "Difference": metric.difference(row.difference),
            "90 % interval": interval(metric, row),
            "Margin": metric.width(row.margin),
            "Verdict": Item(row.verdict, mark=SIGNS[row.verdict], tone=row.verdict),
            "Why, or what would decide": row.not_comparable or row.because or row.to_decide,
        },
    }


def _seconds(mean: float | None, sd: float | None) -> str:
    if mean is None or sd is None:
        return numbers.seconds(mean)
    return f"{numbers.seconds(mean)} ± {numbers.spread(sd, mean, numbers.second_digits(mean))}"


def interval(metric: Metric, cell: Any) -> str:
    """Return the 90 % interval of measured - printed as it is written."""
    low, high = cell.low, cell.high
    if low is None or high is None:
        return "unbounded" if cell.margin is not None and cell.way else ""
    return f"{metric.difference(low)} to {metric.difference(high)}"


def agreements(results: Results) -> dict[str, Agreement]:
    """Return how the column of each method that is measured against one agrees with it."""
    metric, found = results.metric, {}
    cells = results.only_cells
    cells = cells[cells.published.notna() & (cells.not_comparable == "") & (cells.repeats == "")]
    for method, own in cells[cells.compared.notna()].groupby("method", sort=False):
        made = agreement(
            own.compared,
            own.published,
            [max(p.sd or 0.0, metric.least_difference(p.value.mean)) for p in own.printed],
            metric.tolerance,
            (own.compared_sd, own.published_sd),
            (own.fit_s_mean, own.published_time_s),
        )
        if made is not None:
            found[str(method)] = made
    return found


def agreement_table(results: Results) -> Table | None:
    """Return one line for each printed column that a method is measured against, if any."""
    metric, found = results.metric, agreements(results)
    if not found:
        return None
    verdicts = results.only_cells.groupby("method").verdict.value_counts()
    rows = [
        {
            "Method": label,
            "Printed column": _against(results, label),
            **{f"{SIGNS[v]} {v}": numbers.count(int(verdicts.get((label, v), 0)))
               for v in VERDICTS},
            "Within one sd": numbers.of(own.within, own.of),
            "Mean distance": metric.text(own.distance),
            "Average": Item(
                metric.difference(own.average),
                mark="✓" if own.agrees else "",
                tone=AGREES if own.agrees else "",
                note="" if own.average_agrees else "off",
            ),
            "Spread": "" if own.spread is None else numbers.ratio(own.spread),
            "Time": "" if own.time is None else numbers.ratio(own.time),
        }
        for label, own in found.items()
    ]  # fmt: skip
    least, twice = (metric.width(k * metric.tolerance).rstrip("0") for k in (1, 2))
    return make_table(
        "agreement",
        "Agreement with the printed columns",
        rows,
        ("Method", "Printed column"),
        legend=_AGREEMENT.format(least=least, twice=twice),
    )


def _against(results: Results, method: str) -> str:
    own = results.only_cells[results.only_cells.method == method]
    value = own.printed.dropna().iloc[0].value
    depth = "" if value.depth is None else f", D = {value.depth}"
    return f"Table {value.table}, {value.method}{depth}" + (
        "" if own.meant.any() else ", another reading of it"
    )
