"""The tables of cells: methods side by side, each method in full, agreement with print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from boostbench import numbers
from boostbench.papers.agreement import Agreement, agreement
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.report.cells import CELL
from boostbench.report.evidence import AGREES, DIFFERS, NOT_COMPARABLE, UNDECIDED, VERDICTS
from boostbench.report.results import Results
from boostbench.report.runs import runs_over
from boostbench.report.table import Column, Item, Table, make_table
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

    def column(method: Method) -> Column:
        def text(row: str) -> Item:
            cell = results.cell(row, method.label)
            if row in results.averages:
                return average_item(cell, metric)
            return cell_item(cell, metric, compares, places.get(row, {}).get(method.label, ""))

        return Column(method.label, text)

    title = f"{metric.title[:1].upper()}{metric.title[1:]}"
    made = make_table(
        "overview",
        "Measured beside printed" if compares else title,
        [Column("Data set", str, left=True), *map(column, results.methods)],
        results.labels,
        len(results.averages),
    )
    legend = " ".join(_overview_legend(results, made.rows))
    return Table(made.key, made.title, made.header, made.rows, made.averages, legend=legend)


def _places(found: Sequence[Standing]) -> dict[str, str]:
    """Return which methods are best on a data set, and which a test does not separate from it."""
    if len(found) < 2 or not found[0].best:
        return {}
    return {each.method: "best" if each.best else "close" for each in found if not each.separate}


def _overview_legend(results: Results, rows: Sequence[Sequence[Item]]) -> list[str]:
    metric = results.metric
    words = f"Mean {metric.words}{' in percent' if metric.unit else ''}"
    runs = f"over {runs_over(results.experiment)}"
    model = ", with the model of the last iteration" if results.recorded_curves else ""
    if results.compares:
        texts = [f"{words} {runs}{model}, printed in parentheses."]
        printed = list(results.only_cells.printed.dropna())
        if any(not one.not_comparable for one in printed):
            texts.append(verdict_legend(metric))
        if any(one.value.se is not None for one in printed):
            texts.append(_STANDARD_ERRORS)
        texts += not_comparable(results)
    elif len(results.methods) > 1:
        extreme = "highest" if metric.greater_is_better else "lowest"
        texts = [
            f"{words} ± sd {runs}{model}; * and bold: the {extreme} mean of the data set, pair by "
            f"pair over the runs that both methods have; ~: the corrected resampled t-test "
            f"on fold means does not separate it from the best (5 %, Holm over the row)."
        ]
    else:
        texts = [f"{words} ± sd {runs}{model}."]
    texts += _averages_legend(results)
    if any("/" in item.note for row in rows for item in row):
        texts.append(BRACKETS)
    if results.only_cells.leaves_out.any():
        texts.append(OUT.format(exploded=metric.exploded_label))
    return texts


def verdict_legend(metric: Metric) -> str:
    """Return what the three marks of a cell mean."""
    share = (
        "a quarter" if metric.spread_tolerance == 0.25 else f"{100 * metric.spread_tolerance:g} %"
    )
    return VERDICT.format(least=metric.least_words, share=share)


def not_comparable(results: Results) -> list[str]:
    """Return a sentence on the cells without a comparable published value, and why, or none."""
    cells = results.only_cells[results.only_cells.not_comparable != ""]
    reasons = cells.groupby("not_comparable", sort=False).method.unique()
    parts = [
        str(why) if len(found) == len(results.methods) else f"{', '.join(map(str, found))} ({why})"
        for why, found in reasons.items()
    ]
    return [f"Not comparable with the printed values: {'; '.join(parts)}."] if parts else []


def _averages_legend(results: Results) -> list[str]:
    """Return sentences on the data sets behind averages, where these are not simply all."""
    texts = [
        f"{label} is published as the same data as {first}: only the first is averaged and counted."
        for label, first in results.repeated.items()
    ]
    names = next(
        (own.common.iloc[0] for own in results.averages.values() if own.common.iloc[0]), ()
    )
    if names:
        where = "" if len(names) == len(results.datasets) else f", on {', '.join(names)}"
        texts.append(
            f"Averages of common runs are over the runs that all methods have{where}; only these "
            "compare methods with one another."
        )
    return texts


def cell_item(cell: Any, metric: Metric, compares: bool, standing: str = "") -> Item:
    """Return a cell's score with its verdict and printed value, or with its sd.

    ``cell`` is a row of :attr:`Results.cells` (``None``: not planned), ``standing`` "best", "close"
    or "": a mark of its own where nothing is printed.
    """
    if cell is None:
        return Item(numbers.DASH, note="not planned", tone="empty")
    beside = metric.printed(cell.printed.value if cell.printed else None)
    runs = (cell.dataset, cell.method)
    if cell.compared is None:
        failed: Counter[str] = Counter()
        for status, _, count in cell.missing:
            failed[status] += count
        why = ", ".join(f"{count} {status}" for status, count in failed.items())
        if cell.leaves_out:
            why = f"all {cell.finished} runs have {metric.exploded_label}"
        return Item(numbers.DASH, beside=beside, note=why, tone="empty", runs=runs)
    notes = [numbers.of(cell.finished, cell.planned)] if cell.finished < cell.planned else []
    if cell.not_comparable and compares:
        notes.append(NOT_COMPARABLE)
    exploded = int(cell.exploded or 0)
    if cell.leaves_out:
        notes.append(f"{exploded} {metric.exploded_label} out")
    elif exploded:
        kept = cell.kept_mean
        without = "" if kept is None else f", {metric.text(kept)} without"
        notes.append(f"{exploded} {metric.exploded_label}{without}")
    return Item(
        metric.text(cell.compared)
        if compares
        else with_sd(metric, cell.compared, cell.compared_sd),
        mark=SIGNS[cell.verdict] if compares else _STANDINGS[standing],
        beside=beside,
        note=", ".join(notes),
        tone=cell.verdict if compares else standing,
        runs=runs,
        words=cell.verdict if compares else standing,
        standing=standing,
    )


def average_item(average: Any, metric: Metric) -> Item:
    """Return an average's score beside the printed one."""
    used, of = int(average.finished), int(average.planned)
    notes = [numbers.of(used, of)] if 0 < used < of else []
    kept = average.kept_mean
    if kept is not None and kept != average.compared:
        notes.append(f"{metric.text(kept)} without {metric.exploded_label}")
    if average.compared is None:
        return Item(numbers.DASH, note="; ".join([average.problem, *notes]), tone="empty")
    return Item(
        metric.text(average.compared),
        beside=metric.text(average.published),
        note=", ".join(notes),
    )


def with_sd(metric: Metric, mean: float | None, sd: float | None) -> str:
    """Return ``mean ± sd``, blank where the mean is not known."""
    if mean is None:
        return ""
    text = metric.sd(sd, mean)
    return f"{metric.text(mean)} ± {text}" if text else metric.text(mean)


def detail(results: Results, method: Method) -> Table:
    """Return everything about one method: one row per data set, measured, printed, compared."""
    cells = results.only_cells[results.only_cells.method == method.label]
    rows = [row for name in results.labels if (row := results.cell(name, method.label))]
    sources = sorted({table for table in cells.published_table if table})
    legend = [_DETAIL] if cells.margin.notna().any() else []
    if (cells.exploded > 0).any():
        legend.append(f"“Without”: over the runs without {results.metric.exploded_label} only.")
    if (cells.mixed.eq(True) & cells.objective_mean.notna()).any():
        legend.append(_MIXED)
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            Column("Data set", lambda row: row.dataset or row.row, left=True),
            *_measured(results.metric, bool((cells.exploded > 0).any())),
            *_compared(results.metric),
        ],
        rows,
        len(results.averages),
        " ".join(legend),
    )


def _measured(metric: Metric, exploded: bool) -> list[Column]:
    def of(name: str) -> Any:
        return lambda row: getattr(row, name)

    def score(name: str, sd: bool = False) -> Any:
        if sd:
            return lambda row: metric.sd(of(f"{name}sd")(row), of(f"{name}mean")(row))
        return lambda row: metric.text(of(f"{name}mean")(row))

    def dash(text: Any) -> Any:
        return lambda row: text(row) or Item(numbers.DASH, tone="empty")

    def objective(row: Any) -> Item | str:
        value = row.objective_mean if row.row == CELL else None
        if value is None:
            return ""
        return Item(numbers.DASH, tone="empty") if row.mixed else numbers.objective(value)

    def train(row: Any) -> str:
        sd = row.train_sd if row.row == CELL else None
        return with_sd(metric, row.train_mean, sd)

    def runs(row: Any) -> Item | str:
        if row.row != CELL:
            return f"{int(row.finished)} of {int(row.planned)} sets"
        tone = "partial" if row.finished < row.planned else ""
        return Item(
            numbers.of(row.finished, row.planned), tone=tone, runs=(row.dataset, row.method)
        )

    def only(text: Any) -> Any:
        return lambda row: text(row) if row.row == CELL else ""

    group = "Measured"
    found = [
        Column("Runs", runs, group),
        Column(metric.label, dash(score("")), group),
        Column("sd", score("", sd=True), group),
        Column("Median", only(lambda row: metric.text(row.median)), group),
        Column(metric.exploded_label, lambda row: numbers.count(row.exploded), group),
        *(
            [
                Column(f"{metric.label} without", score("kept_"), group),
                Column("sd without", score("kept_", sd=True), group),
            ]
            if exploded
            else []
        ),
        Column(metric.train_label, train, group),
        Column("Objective", objective, group),
        Column("Iterations", only(lambda row: numbers.count(row.iterations_mean)), group),
        Column("Ended by", only(lambda row: numbers.counted(row.stops)), group, left=True),
        Column("Chosen", only(lambda row: numbers.chosen(row.chosen)), group),
        Column("Time, s", _seconds("fit_s"), group),
        Column("Solver, s", _seconds("solver_s"), group),
        Column("Choice, s", only(_seconds("choose_s")), group),
    ]
    return [column for column in found if column.header]


def _seconds(name: str) -> Any:
    def text(row: Any) -> str:
        mean, sd = getattr(row, f"{name}_mean"), getattr(row, f"{name}_sd")
        if mean is None or sd is None or row.row != CELL:
            return numbers.seconds(mean)
        digits = numbers.second_digits(mean)
        return f"{numbers.seconds(mean)} ± {numbers.spread(sd, mean, digits)}"

    return text


def _compared(metric: Metric) -> list[Column]:
    def printed(row: Any) -> str:
        if row.row == CELL:
            return metric.printed(row.printed.value if row.printed else None)
        return metric.text(row.published)

    def verdict(row: Any) -> Item | str:
        if row.row != CELL or row.published is None:
            return ""
        return Item(row.verdict, mark=SIGNS[row.verdict], tone=row.verdict)

    def why(row: Any) -> str:
        return (row.not_comparable or row.because or row.to_decide) if row.row == CELL else ""

    def left_out(row: Any) -> str:
        return metric.text(row.compared) if row.compared != row.mean else ""

    found = [
        Column(metric.label, printed, "Printed"),
        Column("sd", lambda row: metric.sd(row.published_sd, row.published), "Printed"),
        Column(metric.exploded_label, lambda row: numbers.count(row.published_exploded), "Printed"),
        Column("Time, s", lambda row: numbers.seconds(row.published_time_s), "Printed"),
        Column("Measured", left_out, "Compared"),
        Column("Difference", lambda row: metric.difference(row.difference), "Compared"),
        Column("90 % interval", lambda row: interval(metric, row), "Compared"),
        Column("Margin", lambda row: metric.width(row.margin), "Compared"),
        Column("Verdict", verdict, "Compared", left=True),
        Column("Why, or what would decide", why, "Compared", left=True),
    ]  # fmt: skip
    return [column for column in found if column.header]


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
    cells = results.only_cells
    verdicts = cells.groupby("method").verdict.value_counts()

    def against(label: str) -> str:
        value = cells.printed[cells.method == label].dropna().iloc[0].value
        depth = "" if value.depth is None else f", D = {value.depth}"
        reading = "" if cells.meant[cells.method == label].any() else ", another reading of it"
        return f"Table {value.table}, {value.method}{depth}{reading}"

    def average(label: str) -> Item:
        own = found[label]
        difference = metric.difference(own.average)
        if own.agrees:
            return Item(difference, mark="✓", tone=AGREES)
        return Item(difference, note="" if own.average_agrees else "off")

    def ratio(name: str) -> Any:
        return lambda label: "" if (x := getattr(found[label], name)) is None else numbers.ratio(x)

    def count(verdict: str) -> Any:
        return lambda label: numbers.count(int(verdicts.get((label, verdict), 0)))

    columns = [
        Column("Method", str, left=True),
        Column("Printed column", against, left=True),
        *(Column(f"{SIGNS[v]} {v}", count(v)) for v in VERDICTS),
        Column("Within one sd", lambda label: numbers.of(found[label].within, found[label].of)),
        Column("Mean distance", lambda label: metric.text(found[label].distance)),
        Column("Average", average),
        Column("Spread", ratio("spread")),
        Column("Time", ratio("time")),
    ]
    least, twice = (metric.width(k * metric.tolerance).rstrip("0") for k in (1, 2))
    legend = _AGREEMENT.format(least=least, twice=twice)
    made = make_table("agreement", "Agreement with the printed columns", columns, found, 0, legend)
    return made if found else None
