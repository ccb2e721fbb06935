"""The tables of cells: methods side by side, each method in full, agreement with print."""

from __future__ import annotations

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

Header = tuple[str, str]
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
        standing = places.get(row, {}).get(method, "")
        return score_item(results.cell(row, method), metric, compares, standing)

    made = make_table(
        "overview",
        "Measured beside printed" if compares else f"{metric.title[:1].upper()}{metric.title[1:]}",
        [
            [("Data set", row), *((m.label, item(row, m.label)) for m in results.methods)]
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


def score_item(cell: Any, metric: Metric, compares: bool, standing: str = "") -> Item:
    """Return the score of a cell or an average beside the printed one, or with its sd.

    ``cell`` is a row of :attr:`Results.cells` (``None``: not planned), ``standing`` "best", "close"
    or "": a mark of its own where nothing is printed.
    """
    if cell is None:
        return Item(numbers.DASH, note="not planned", tone="empty")
    is_cell, label, notes = cell.row == CELL, metric.exploded_label, []
    if 0 < cell.finished < cell.planned:
        notes.append(numbers.of(int(cell.finished), int(cell.planned)))
    if cell.not_comparable and compares:
        notes.append(NOT_COMPARABLE)
    without = ""
    if cell.kept_mean not in (None, cell.compared):
        without = f"{metric.text(cell.kept_mean)} without"
    if is_cell and cell.exploded:
        how = " out" if cell.leaves_out else f", {without}" if without else ""
        notes.append(f"{int(cell.exploded)} {label}{how}")
    elif without:
        notes.append(f"{without} {label}")
    beside = metric.printed(cell.printed.value) if cell.printed else metric.text(cell.published)
    runs = (cell.dataset, cell.method) if is_cell else None
    if cell.compared is None:
        note = cell.problem if is_cell else "; ".join([cell.problem, *notes])
        return Item(numbers.DASH, "", beside if is_cell else "", note, "empty", runs)
    alone = is_cell and not compares
    tone = standing if alone else cell.verdict or ""
    return Item(
        with_sd(metric, cell.compared, cell.compared_sd if alone else None),
        mark=_STANDINGS[standing] if alone else SIGNS[tone],
        beside=beside,
        note=", ".join(notes),
        tone=tone,
        runs=runs,
    )


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
    if (cells.mixed & cells.objective_mean.notna()).any():
        legend.append(_MIXED)
    sources = sorted({table for table in cells.published_table if table})
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            [("Data set", row.dataset or row.row), *_details(row, metric, exploded)]
            for name in results.labels
            if (row := results.cell(name, method.label))
        ],
        ("Data set", "Ended by", "Verdict", "Why, or what would decide"),
        len(results.averages),
        " ".join(legend),
    )


def _details(row: Any, metric: Metric, exploded: bool) -> Iterator[tuple[Header, Item | str]]:
    """Yield what is known of a cell or an average, by group and header."""
    empty = Item(numbers.DASH, tone="empty")
    if row.row == CELL:
        tone, runs = "partial" if row.finished < row.planned else "", (row.dataset, row.method)
        count = Item(numbers.of(row.finished, row.planned), tone=tone, runs=runs)
    else:
        count = Item(f"{int(row.finished)} of {int(row.planned)} sets")
    yield ("Measured", "Runs"), count
    yield ("Measured", metric.label), metric.text(row.mean) or empty
    yield ("Measured", "sd"), metric.sd(row.sd, row.mean)
    yield ("Measured", "Median"), metric.text(row.median)
    if metric.exploded_label:
        yield ("Measured", metric.exploded_label), numbers.count(row.exploded)
    if exploded:
        yield ("Measured", f"{metric.label} without"), metric.text(row.kept_mean)
        yield ("Measured", "sd without"), metric.sd(row.kept_sd, row.kept_mean)
    yield ("Measured", metric.train_label), with_sd(metric, row.train_mean, row.train_sd)
    objective = "" if row.objective_mean is None else numbers.objective(row.objective_mean)
    yield ("Measured", "Objective"), empty if objective and row.mixed else objective
    yield ("Measured", "Iterations"), numbers.count(row.iterations_mean)
    yield ("Measured", "Ended by"), numbers.counted(row.stops)
    yield ("Measured", "Chosen"), numbers.chosen(row.chosen)
    yield ("Measured", "Time, s"), _seconds(row.fit_s_mean, row.fit_s_sd)
    yield ("Measured", "Solver, s"), _seconds(row.solver_s_mean, row.solver_s_sd)
    yield ("Measured", "Choice, s"), _seconds(row.choose_s_mean, row.choose_s_sd)
    printed = metric.printed(row.printed.value) if row.printed else metric.text(row.published)
    yield ("Printed", metric.label), printed
    yield ("Printed", "sd"), metric.sd(row.published_sd, row.published)
    if metric.exploded_label:
        yield ("Printed", metric.exploded_label), numbers.count(row.published_exploded)
    yield ("Printed", "Time, s"), numbers.seconds(row.published_time_s)
    compared = metric.text(row.compared) if row.compared != row.mean else ""
    yield ("Compared", "Measured"), compared
    yield ("Compared", "Difference"), metric.difference(row.difference)
    yield ("Compared", "90 % interval"), _interval(row, metric)
    yield ("Compared", "Margin"), metric.width(row.margin)
    yield ("Compared", "Verdict"), Item(row.verdict, mark=SIGNS[row.verdict], tone=row.verdict)
    why = row.not_comparable or row.because or row.to_decide
    yield ("Compared", "Why, or what would decide"), why


def _seconds(mean: float | None, sd: float | None) -> str:
    if mean is None or sd is None:
        return numbers.seconds(mean)
    return f"{numbers.seconds(mean)} ± {numbers.spread(sd, mean, numbers.second_digits(mean))}"


def _interval(cell: Any, metric: Metric) -> str:
    """Return the 90 % interval of measured - printed as it is written."""
    if cell.low is None or cell.high is None:
        return "unbounded" if cell.margin is not None and cell.way else ""
    return f"{metric.difference(cell.low)} to {metric.difference(cell.high)}"


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
