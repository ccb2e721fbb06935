"""The page: what it shows of a results folder, and in which order. Nothing here has a format.

There are three kinds of it: of a printed table, of a printed figure of curves, and of a first run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.papers.metrics import Metric
from boostbench.plan.absent import not_run, unplanned, without_data
from boostbench.report.answer import (
    answer,
    averages,
    counted_cells,
    judged_claims,
    purpose,
)  # fmt: skip
from boostbench.report.cards import TONES, Card, Mark, card_key, cards, mark
from boostbench.report.convergence import NEAR, Curves
from boostbench.report.figures import forest
from boostbench.report.figures.groups import Group, colours, objective_groups, score_groups
from boostbench.report.figures.methods import (
    bounds,
    mean_rows,
    run_rows,
    shared_datasets,
    time_rows,
)  # fmt: skip
from boostbench.report.figures.rows import Row
from boostbench.report.judged import TONES as RULING_TONES
from boostbench.report.judged import ClaimGroup, claim_groups, reasons
from boostbench.report.runs import number_of
from boostbench.report.table import Item, Section, Table
from boostbench.report.winners import champions
from boostbench.report.words import cited, names_of, plural, series, spelt, typeset
from boostbench.suggest import counted

_VERDICTS = (("agrees", "agree"), ("differs", "differ"), ("undecided", "undecided"))
MOST_COLUMNS = 6
"""With more printed columns than these there is no room for the marks beside the numbers."""


@dataclass(frozen=True)
class Stack:
    """A bar of counts: its title and (tone, number, words) of each part."""

    title: str
    parts: Sequence[tuple[str, int, str]]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of the printed table: measured, printed, its mark and the card it opens."""

    card: str
    tone: str
    verdict: str
    measured: str
    printed: str
    mark: Mark | None
    note: str = ""


@dataclass(frozen=True)
class Matrix:
    """A printed table: measured beside printed, one column per method.

    ``columns`` are (name, counts by tone and word); ``mean`` is the row of averages, with its
    title; ``ends`` are the ends of the axis that all marks share.
    """

    key: str
    title: str
    columns: Sequence[tuple[str, Sequence[tuple[str, int, str]]]]
    mean: tuple[str, Sequence[tuple[str, str, str]]] | None
    rows: Sequence[tuple[str, Sequence[MatrixCell | None]]]
    ends: tuple[str, str, str]
    note: str = ""
    kind: str = "matrix"

    @property
    def marked(self) -> bool:
        """Whether there is room for the marks."""
        return len(self.columns) <= MOST_COLUMNS


@dataclass(frozen=True)
class Differences:
    """The cells that differ, by data set, and why the rest is undecided."""

    title: str
    lead: str
    rows: Sequence[tuple[str, str, MatrixCell, str]]
    aside: str
    why: Sequence[str]
    key: str = "differs"
    kind: str = "differences"


@dataclass(frozen=True)
class Claims:
    """The claims by verdict."""

    title: str
    lead: str
    groups: Sequence[ClaimGroup]
    total: int
    key: str = "claims"
    kind: str = "claims"


@dataclass(frozen=True)
class Chart:
    """A chart of rows: the finding as its title."""

    title: str
    rows: Sequence[Row]
    log: bool = False
    bounds: tuple[float, float] = (0.0, 0.0)
    caption: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Charts:
    """Charts side by side; ``note`` is of all of them."""

    key: str
    title: str
    charts: Sequence[Chart]
    note: str = ""
    quiet: bool = False
    kind: str = "charts"


@dataclass(frozen=True)
class Panels:
    """Learning curves: groups of panels, and (colour, dashed, name) of each line."""

    key: str
    title: str
    groups: Sequence[tuple[Group, str]]
    legend: Sequence[tuple[str, bool, str]]
    note: str
    kind: str = "panels"


@dataclass(frozen=True)
class Plain:
    """Tables below a title; ``pairs`` beside each other."""

    key: str
    title: str
    tables: Sequence[Table]
    note: str = ""
    pairs: bool = False
    glossary: Sequence[tuple[str, str]] = ()
    kind: str = "tables"


@dataclass(frozen=True)
class Steps:
    """What to do next: (title, command, words)."""

    title: str
    steps: Sequence[tuple[str, str, str]]
    key: str = "next"
    kind: str = "steps"


@dataclass(frozen=True)
class Closed:
    """A section that is closed at first."""

    key: str
    title: str
    hint: str = ""
    paragraphs: Sequence[str] = ()
    words: Sequence[tuple[str, str, str]] = ()
    tables: Sequence[Table] = ()
    blocks: Sequence[Any] = ()
    cards: Sequence[Card] = ()


@dataclass(frozen=True)
class Page:
    """The whole page."""

    name: str
    title: str
    intro: str
    warnings: Sequence[str]
    answer: Sequence[str]
    stacks: Sequence[Stack]
    blocks: Sequence[Any]
    closed: Sequence[Closed]
    footer: Sequence[str]
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[tuple[str, str]]:
        """The parts to jump to."""
        short = {"claims": "Claims", "differs": "What differs", "methods": "Methods",
                 "next": "What next", "numbers": "Numbers", "figure": "Who won",
                 "ends": "Last iteration"}  # fmt: skip
        found = [(b.key, short.get(b.key, b.title.partition(":")[0])) for b in self.blocks]
        return [*found, ("more", "Everything else")]


def make_page(
    results: Any, ledger: Any, sections: Sequence[Section] = (), footer: Sequence[str] = ()
) -> Page:
    """Return the page of ``results`` with the tables of ``sections`` in its closed parts."""
    names = names_of(results.methods)
    experiment = results.experiment
    name = str(experiment.get("name") or "results")
    kind = purpose(results)
    done = (results.runs.status == "ok").any()
    blocks: list[Any] = []
    if done:
        parts = {"table": _of_table, "curves": _of_curves, "runs": _of_runs}
        blocks = parts[kind](results, ledger, names)
    return Page(
        name,
        str(experiment.get("title") or name),
        _intro(results, kind),
        _warnings(results),
        answer(results, ledger),
        _stacks(results, ledger, kind),
        [block for block in blocks if block is not None],
        [*_reading(results, ledger, kind, names), *_closed(results, ledger, kind, names, sections)],
        footer,
        names,
    )


def _intro(results: Any, kind: str) -> str:
    """Return what was run: data sets, folds, seeds, runs, and whether all have finished."""
    experiment, paper = results.experiment, results.paper
    splits, seeds = experiment.get("splits"), number_of(experiment.get("seeds"))
    several = number_of(experiment.get("split_seeds"))
    parts = counted(splits.get("n") or 1, "split") if isinstance(splits, Mapping) else (
        counted(experiment["folds"], "fold") if experiment.get("folds") else ""
    )  # fmt: skip
    how = [counted(several, "partition")] if several > 1 else []
    how += [parts] if parts else []
    how += [counted(seeds, "seed")] if seeds > 1 or not parts.endswith("splits") else []
    planned, done = results.all_planned, int((results.runs.status == "ok").sum())
    state = "all finished" if done == planned else f"{done:,} finished"
    runs = f"{' × '.join(how)}, {counted(planned, 'run')}, {state}."
    sets, table = counted(len(results.datasets), "data set"), experiment.get("table")
    if paper is not None and table and kind != "runs":
        what = table if table in paper.figures else f"Table {table}"
        return f"{what} of {cited(paper)}, measured again: {sets}, {runs}"
    methods = plural(len(results.methods), "method")
    return f"{methods[:1].upper()}{methods[1:]} on {sets}: {runs}"


def _warnings(results: Any) -> list[str]:
    """Return what of the plan is not here, and what has changed since."""
    experiment, runs = results.experiment, results.runs
    open_ = runs[runs.status != "ok"]
    found = []
    if len(open_):
        counts = open_.status.value_counts()
        words = series(f"{n:,} {status}" for status, n in counts.items())
        found.append(f"{counted(len(open_), 'run')} without a result: {words}.")
    if experiment.get("not_run"):
        left = experiment["not_run"]
        found.append(f"{not_run(experiment)}: {series([*left['datasets'], *left['methods']])}.")
    lacking = unplanned(experiment, {data.label for data in results.datasets})
    if lacking:
        found.append(f"Not loaded, and so not among these runs: {series(lacking)}.")
    found += [f"No data for {series(n)}: {why}." for why, n in without_data(experiment).items()]
    if experiment.get("shard"):
        found.append(
            f"Shard {experiment['shard']} of the plan: `boostbench merge` brings all together."
        )
    if results.changed:
        found.append(f"Changed since: {'; '.join(results.changed)}.")
    return found


def _stacks(results: Any, ledger: Any, kind: str) -> list[Stack]:
    found = []
    counts = counted_cells(results)
    if kind == "table":
        parts = [(TONES[v], counts[v], words) for v, words in _VERDICTS if counts[v]]
        found.append(Stack(counted(sum(counts.values()), "printed cell"), parts))
    claims = judged_claims(ledger)
    total = sum(claims.values())
    if total and kind != "runs":
        order = [*reversed(list(claims))]
        order = [order[0], order[2], order[3], order[1]]
        parts = [(RULING_TONES[r], claims[r], r.value) for r in order if claims[r]]
        of = len(ledger.entries)
        found.append(Stack(f"{counted(total, 'claim')} judged, of {of:,}", parts))
    return found if kind == "table" or total > len(claims) else []


# ---- a printed table ----


def _of_table(results: Any, ledger: Any, names: Mapping[str, str]) -> list[Any]:
    cells = results.only_cells
    meant = [m.label for m in results.methods if cells.counts[cells.method == m.label].any()]
    table = str(results.experiment["table"])
    words = results.metric.title
    title = f"Table {table}: {words}, measured beside printed"
    return [
        _matrix(results, names, meant, "table", title, mean=True),
        _differences(results, names),
        _claims(results, ledger, names),
        _methods(results),
    ]


def _matrix(
    results: Any, names: Mapping[str, str], methods: Sequence[str], key: str, title: str,
    mean: bool = False,
) -> Matrix | None:  # fmt: skip
    """Return measured beside printed of some methods; all marks have one scale."""
    cells, metric = results.only_cells, results.metric
    own = cells[cells.method.isin(methods) & cells.published.notna()]
    if not len(own):
        return None
    shown = cells[cells.counts.astype(bool)] if cells.counts.any() else own
    end = forest.limit(shown.difference)
    datasets = [data.label for data in results.datasets if data.label in set(own.dataset)]
    rows = [
        (name, [_matrix_cell(results, name, label, end) for label in methods]) for name in datasets
    ]
    columns = []
    for label in methods:
        counts = own.verdict[own.method == label].value_counts()
        known = [(TONES[v], int(counts[v]), v) for v in (*TONES,) if v and v in counts]
        columns.append((names[label], known))
    text = f"{metric.scale * end:g}".removeprefix("0").replace("0.", ".")
    ends = (f"{numbers.MINUS}{text}", "0", f"+{text}")
    note = _printed_elsewhere(results, names, methods) if mean else ""
    average = _mean_row(results, methods) if mean else None
    return Matrix(key, title, columns, average, rows, ends, note)


def _matrix_cell(results: Any, dataset: str, label: str, end: float) -> MatrixCell | None:
    cell, metric = results.cell(dataset, label), results.metric
    if cell is None or cell.published is None:
        return None
    drawn = None
    if cell.verdict in forest.MARKS and cell.difference is not None:
        drawn = mark(cell, end, metric_most(metric))
    short = f"{cell.finished:,} of {cell.planned:,} runs" if cell.finished < cell.planned else ""
    return MatrixCell(
        card_key(dataset, label), TONES[cell.verdict], cell.verdict or "no result",
        metric.text(cell.compared) or numbers.DASH, metric.printed(cell.printed.value), drawn, short,
    )  # fmt: skip


def metric_most(metric: Metric) -> float:
    """Return the highest mean that there can be."""
    return 1.0 if metric.is_share else float("inf")


def _mean_row(
    results: Any, methods: Sequence[str]
) -> tuple[str, Sequence[tuple[str, str, str]]] | None:
    metric = results.metric
    found = {each["method"]: each for each in averages(results)}
    if not found:
        return None
    sets = {int(each["planned"]) for each in found.values()}
    row = []
    for label in methods:
        if label in found:
            mean, printed = found[label]["compared"], found[label]["published"]
            texts = (metric.text(mean), metric.text(printed), metric.difference(mean - printed))
            row.append(texts)
        else:
            row.append(("", "", ""))
    return f"Mean of {max(sets)}", row


def _printed_elsewhere(results: Any, names: Mapping[str, str], methods: Sequence[str]) -> str:
    """Return which columns another table prints, and the geometric means."""
    cells, table = results.only_cells, str(results.experiment["table"])
    elsewhere: dict[str, list[str]] = {}
    for label in methods:
        own = cells[(cells.method == label) & (cells.published_table != "")].published_table
        for other in dict.fromkeys(own):
            if other != table:
                elsewhere.setdefault(other, []).append(names[label])
    parts = [
        f"{series(own)} {'is' if len(own) == 1 else 'are'} printed in Table {other}."
        for other, own in elsewhere.items()
    ]
    rows = results.cells
    rows = rows[(rows.kind == "geometric") & rows.published.notna() & rows.compared.notna()]
    rows = rows[rows.method.isin(methods) & ~rows.common.map(bool)]
    if len(rows):
        first = rows[rows.row == rows.row.iloc[0]]
        text = results.metric.text
        means = [f"{names[m]} {text(a)} ({text(b)})" for m, a, b in
                 zip(first.method, first.compared, first.published, strict=True)]  # fmt: skip
        parts.append(f"Geometric means: {', '.join(means)}.")
    return " ".join(["Choose a cell to see its runs, and why it has its verdict.", *parts])


def _differences(results: Any, names: Mapping[str, str]) -> Differences | None:
    cells, metric = results.only_cells, results.metric
    own = cells[cells.counts.astype(bool)]
    differ, open_ = own[own.verdict == "differs"], own[own.verdict == "undecided"]
    if not len(differ) and not len(open_):
        return None
    reach = forest.limit(differ.difference) if len(differ) else 1.0
    rows = []
    for cell in (results.cell(d, m) for d, m in zip(differ.dataset, differ.method, strict=True)):
        drawn = mark(cell, reach, metric_most(metric), width=270)
        shown = MatrixCell(card_key(cell.dataset, cell.method), "no", "differs",
                           metric.text(cell.compared), metric.printed(cell.printed.value),
                           drawn)  # fmt: skip
        rows.append((cell.dataset, names[cell.method], shown, metric.difference(cell.difference)))
    sets = list(dict.fromkeys(differ.dataset))
    number = len(differ)
    where = f"on {plural(len(sets), 'data set')}" + (f": {series(sets)}" if len(sets) < 5 else "")
    verb = "cell differs" if number == 1 else "cells differ"
    title = f"{spelt(number, start=True)} {verb}, {where}" if number else "No cell differs"
    below = int((differ.difference < 0).sum())
    lead = ""
    if number > 1:
        lead = f"{spelt(below, True)} of them {_lie(below)} below the printed value, "
        lead += f"{spelt(number - below)} above it."
        if below in (0, number):
            lead = f"All lie {'below' if below else 'above'} the printed value."
    return Differences(title, lead, rows, f"Why {spelt(len(open_))} {_are(len(open_))} undecided",
                       _undecided(open_))  # fmt: skip


def _lie(number: int) -> str:
    return "lies" if number == 1 else "lie"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _undecided(cells: Any) -> list[str]:
    """Return why cells are undecided, in counts."""
    total = len(cells)
    if not total:
        return []
    near = int((cells.difference.abs() <= cells.margin).sum())
    found = [
        f"Undecided is not wrong: in {near:,} of the {total:,} the measured mean lies within the "
        "margin of the printed one, but the interval is too wide to exclude a larger difference."
    ]
    reasons_ = cells[cells.because != ""]
    if len(reasons_):
        label = "too many printed runs are left out of the printed mean"
        whole = reasons_.because.str.contains("left out").all()
        why = label if whole else series(dict.fromkeys(reasons_.because), "or")
        found.append(f"In {len(reasons_):,} no interval can decide: {why}.")
    plans = cells[(cells.because == "") & (cells.to_decide != "")].to_decide
    if len(plans):
        groups = plans.str.replace(r"\d[\d.,]*", "…", regex=True).value_counts()
        for pattern, count in groups.items():
            texts = dict.fromkeys(plans[plans.str.replace(r"\d[\d.,]*", "…", regex=True) == pattern])
            first = next(iter(texts)) if len(texts) == 1 else str(pattern).partition(":")[0]
            if len(texts) > 1 and pattern.startswith("…"):
                first = f"more{first.removeprefix('…')}"
            found.append(f"In {count:,} {first}.")
    return found


def _claims(results: Any, ledger: Any, names: Mapping[str, str]) -> Claims | None:
    groups = claim_groups(ledger, results, names)
    counts = judged_claims(ledger)
    total = sum(counts.values())
    if not total:
        return None
    first = next(ruling for ruling in counts if counts[ruling])
    number, rest = counts[first], len(ledger.entries) - total
    if number == total:
        whole = {1: "The only claim judged is", 2: "Both claims judged are"}
        title = f"{whole.get(total, f'All {spelt(total)} claims judged are')} {first.value}"
    else:
        title = f"{spelt(number, True)} of {spelt(total)} claims {_are(number)} {first.value}"
    lead = f"The paper makes {len(ledger.entries):,} claims; {total:,} can be judged on these runs."
    return Claims(title, lead if rest else "", groups, total)


def _methods(results: Any) -> Charts | None:
    """Return the means and the seconds of the methods, side by side."""
    datasets, metric = shared_datasets(results), results.metric
    rows = mean_rows(results, datasets) if datasets else []
    if len(rows) < 2:
        return None
    times = time_rows(results, datasets)
    where = f"the {len(datasets)} data sets that all methods have" if (
        len(datasets) < len(results.datasets)) else f"{len(datasets)} data sets"  # fmt: skip
    extreme = "highest" if metric.greater_is_better else "lowest"
    printed = any(row.printed == row.printed for row in rows)
    caption = (
        f"Mean {metric.title} over {where}; bar: 95 % interval for other folds of the same data "
        "sets" + ("; ochre line: printed mean." if printed else ".")
    )
    charts = [
        Chart(f"{rows[0].name} has the {extreme} mean {metric.words}, {rows[0].text}", rows,
              bounds=bounds(metric), caption=caption)
    ]  # fmt: skip
    if times:
        same = [row for row in times if not row.hollow]
        title = "Seconds of one fit"
        if len(same) > 1 and same[0].value > 0:
            ratio = numbers.ratio(float(f"{same[-1].value / same[0].value:.2g}"))
            title = f"{same[-1].name} takes {ratio.removeprefix('× ')} times as long to train as "
            title += same[0].name
        hollow = " Hollow: timed on another processor, not to be compared." if (
            len(same) < len(times)) else ""  # fmt: skip
        charts.append(Chart(title, times, True, caption=f"Mean seconds of one fit.{hollow}"))
    return Charts("methods", "The methods side by side", charts)


# ---- a printed figure ----


def _of_curves(results: Any, ledger: Any, names: Mapping[str, str]) -> list[Any]:
    curves = Curves(results)
    groups = objective_groups(curves)
    first = _convergence(curves, groups, names) if groups else _scores(curves, names)
    found = [first, _claims(results, ledger, names), _ends(curves, names)]
    return found


def _legend(results: Any, names: Mapping[str, str]) -> list[tuple[str, bool, str]]:
    return [(*look, names[label]) for label, look in colours(results).items()]


def _convergence(curves: Curves, groups: Sequence[Group], names: Mapping[str, str]) -> Panels:
    from_figure = str(curves.results.experiment.get("table") or "Objective")
    title = f"{from_figure}: the objective by {series(group.by for group in groups)}"
    if curves.sooner:
        first, last, ratios = curves.sooner
        ends = dict.fromkeys(f"{value:.2g}" for value in (min(ratios), max(ratios)))
        title = (
            f"{names[first]} comes within {NEAR:g} % of the lowest objective "
            f"{' to '.join(ends)} times sooner than {names[last]}"
        )
    note = (
        "Objective above the lowest that any method reached on the same split, in percent; medians "
        "over the splits, each run’s last value held; both axes logarithmic. The axis ends at "
        "0.1 %: a line that leaves it has reached the lowest objective."
    )
    shown = [(group, f"By {group.by}") for group in groups]
    return Panels("figure", title, shown, _legend(curves.results, names), note)


def _scores(curves: Curves, names: Mapping[str, str]) -> Panels | None:
    groups = score_groups(curves)
    if not groups:
        return None
    from_figure = str(curves.results.experiment.get("table") or "Curves")
    words = groups[0].quantity
    title = f"{from_figure}: {words} by {series(group.by for group in groups)}"
    note = (
        f"Mean {words} over the runs, each run’s last value held; iterations and seconds on "
        "logarithmic axes. The axis ends where the lines differ: its upper part is cut off, and a "
        "method that stays outside is named at the edge with its last value."
    )
    return Panels("figure", title, [(group, f"By {group.by}") for group in groups],
                  _legend(curves.results, names), note)  # fmt: skip


def _ends(curves: Curves, names: Mapping[str, str]) -> Plain | None:
    """Return what each method had at its last iteration: mean ± sd, seconds, iterations."""
    results, metric = curves.results, curves.results.metric
    groups: list[tuple[str, int]] = [("", 1)]
    header = ["Method"]
    columns: list[list[Item]] = []
    for dataset in curves.drawn:
        own = [results.cell(dataset, label) for label in names]
        last = {label: line.values[-1] for (d, label), line in curves.excess.items() if d == dataset}
        made = {
            metric.label.replace("Test ", "test "): [_with_sd(metric, cell) for cell in own],
            "% above lowest": [numbers.fixed(last[x], 2) if x in last else "" for x in names],
            "iterations": [_around(cell and cell.iterations_mean, 0) for cell in own],
            "solver s": [_seconds(cell and cell.solver_s_mean) for cell in own],
            "training s": [_seconds(cell and cell.fit_s_mean) for cell in own],
        }
        if curves.excess:
            made.pop("training s")
        filled = {title: texts for title, texts in made.items() if any(texts)}
        groups.append((dataset, len(filled)))
        header += filled
        columns += [[Item(text) for text in texts] for texts in filled.values()]
    rows = [[Item(name), *(column[i] for column in columns)] for i, name in enumerate(names.values())]
    if not columns:
        return None
    table = Table("last", "", header, rows, groups=groups)
    note = "Mean ± sd over the runs; of the objective the median." if curves.excess else (
        "Mean ± sd over the runs, each at its own last iteration.")  # fmt: skip
    return Plain("ends", "Where each method ends", [table], note)


def _with_sd(metric: Metric, cell: Any) -> str:
    if cell is None or cell.compared is None:
        return ""
    sd = metric.sd(cell.compared_sd, cell.compared)
    return f"{metric.text(cell.compared)} ± {sd}" if sd else metric.text(cell.compared)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def _around(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


# ---- a first run ----


def _of_runs(results: Any, ledger: Any, names: Mapping[str, str]) -> list[Any]:
    found, metric = champions(results), results.metric
    unit = f" {metric.unit}" if metric.unit else ""
    charts, tables = [], []
    for data in results.datasets:
        own = found.get(data.label)
        if not own:
            continue
        best = own[0]
        title = f"{data.label}: {names[best.method]} is best, {metric.text(best.mean)}{unit}"
        if len(own) == 1:
            title = f"{data.label}: {names[best.method]}, {metric.text(best.mean)}{unit}"
        rows = run_rows(results, data.label, own)
        charts.append(Chart(title, rows, bounds=bounds(metric), remark=_described(results, data)))
        tables.append(_standing_table(results, data.label, own, names))
    printed = any(row.printed == row.printed for chart in charts for row in chart.rows)
    note = (_MEANING.get(metric.name, "") + " Pale dots: single runs; line: their mean"
            + ("; ochre line: the mean printed in the paper." if printed else ".")).strip()  # fmt: skip
    few = len(charts) <= 4
    glossary = _glossary(results, names)
    numbers_ = Plain(
        "numbers", "The numbers, and how sure they are", tables,
        "Choose a mean to see its runs. In brackets: the 95 % interval of the difference; one that "
        "reaches below 0 leaves open which of the two is better on other rows of the same kind.",
        pairs=True, glossary=glossary,
    )  # fmt: skip
    shown: list[Any] = []
    if few:
        shown = [Charts("figure", "Who won", charts, note, quiet=True)]
        shown += [numbers_] if any(len(own) > 1 for own in found.values()) else []
    else:
        shown = [_methods(results), _wins_table(results, found, names)]
    return [*shown, _claims(results, ledger, names), _next(results, found)]


_MEANING = {
    "r2": "R² is the share of the target’s variance that a method explains on rows it has not "
    "seen: 1 is perfect, 0 no better than the mean.",
    "error": "Test error is the share of rows not seen before that a method puts into the wrong "
    "class.",
}


def _described(results: Any, data: Any) -> str:
    rows = results.rows.get(data.label)
    return f"{rows:,} rows" if rows else ""


def _standing_table(results: Any, dataset: str, own: Any, names: Mapping[str, str]) -> Table:
    metric = results.metric
    cells = {each.method: results.cell(dataset, each.method) for each in own}
    printed = any(cell.published is not None for cell in cells.values())
    rows = []
    for each in own:
        behind = Item("best", tone="best") if each.best else Item("")
        if each.behind == each.behind and not each.best:
            text = metric.text(each.behind)
            ends = f"[{metric.text(each.low)} to {metric.text(each.high)}]"
            known = each.low > float("-inf")
            behind = Item(text, note=ends if known else "", tone="" if each.separate else "close")
        row = [
            Item(names[each.method]),
            Item(metric.text(each.mean), runs=(dataset, each.method)),
            behind,
        ]
        if printed:
            cell = cells[each.method]
            comparable = cell.published is not None and cell.verdict != "not comparable"
            text = metric.printed(cell.printed.value) if comparable else ""
            row.append(Item(text or cell.verdict or numbers.DASH,
                            note=cell.verdict if comparable else "", tone=cell.verdict))  # fmt: skip
        rows.append(row)
    header = ["method", f"mean {metric.label.removeprefix('Test ')}", "behind the best"]
    return Table(f"numbers-{dataset}", dataset, header + (["printed"] if printed else []), rows)


def _wins_table(results: Any, found: Any, names: Mapping[str, str]) -> Plain:
    """Return the means of all methods on each data set, of many."""
    labels = [label for label in names if any(s.method == label for own in found.values() for s in own)]
    rows = []
    for dataset, own in found.items():
        by = {each.method: each for each in own}
        row = [Item(dataset)]
        for label in labels:
            each = by.get(label)
            tone = "" if each is None else "best" if each.best else "" if each.separate else "close"
            text = results.metric.text(each.mean) if each else numbers.DASH
            row.append(Item(text, tone=tone, runs=(dataset, label) if each else None))
        rows.append(row)
    note = "Bold: the best; grey: a test of the fold means separates it from the best."
    table = Table("numbers-all", "", ["data set", *(names[label] for label in labels)], rows)
    return Plain("numbers", f"Mean {results.metric.title} on each data set", [table],
                 f"Choose a mean to see its runs. {note}", glossary=_glossary(results, names))  # fmt: skip


def _glossary(results: Any, names: Mapping[str, str]) -> list[tuple[str, str]]:
    found = []
    for method in results.methods:
        text = get_method(method.registered).description if method.registered in method_names() else (
            method.estimator)  # fmt: skip
        changed = ", ".join(f"{key} = {value}" for key, value in method.changed.items())
        text = text.replace(" l2", " ℓ₂")
        found.append((names[method.label], f"{text}{f' Here with {changed}.' if changed else ''}"))
    return found


def _next(results: Any, found: Any) -> Steps | None:
    name = str(results.experiment.get("name") or "")
    if not found:
        return None
    dataset, own = list(found.items())[-1]
    steps = [
        ("Look behind a number", f"boostbench show {dataset}/{own[0].method}",
         "Lists its single runs, and how to run each again."),
        ("Try your own method or data", f"boostbench run {name}.yaml",
         "Add a scikit-learn estimator or a CSV file to the experiment: no code is needed, and only "
         "what is new is run."),
    ]  # fmt: skip
    paper = results.paper
    if paper is not None:
        steps.append(("Judge the paper’s claims", f"boostbench verify {name}",
                      f"What these runs say of {cited(paper)}, claim by claim."))  # fmt: skip
    else:
        steps.append(("Keep the numbers", f"boostbench report {name} --format csv,figure",
                      "Writes every number to table.csv, and the figures as PNG, SVG and PDF."))  # fmt: skip
    return Steps("What to do next", steps)


# ---- everything else ----


def _reading(results: Any, ledger: Any, kind: str, names: Mapping[str, str]) -> list[Closed]:
    """Return how to read the page: its two verdicts, or what a run and an interval is."""
    metric, words = results.metric, []
    if results.only_cells.published.notna().any():
        least = metric.least_words
        share = "a quarter" if metric.spread_tolerance == 0.25 else f"{metric.spread_tolerance:g}"
        words += [
            ("yes", "agrees", "The 90 % interval of measured minus printed lies inside the margin: "
             f"{least} or {share} of the printed sd, the larger one."),
            ("no", "differs", "The interval lies wholly outside the margin."),
            ("open", "undecided", "The interval reaches over the edge of the margin: these runs "
             "decide neither."),
            ("none", "not comparable", "Another setting or other data than the printed cell; the "
             "reason is in the cell."),
        ]  # fmt: skip
    if sum(judged_claims(ledger).values()):
        words += [
            ("yes", "reproduced", "A claim whose figures lie within the bounds set for it."),
            ("weak", "weaker", "The claim holds, but not by as much."),
            ("no", "not reproduced", "The claim does not hold."),
            ("open", "undecided", "The interval reaches from figures that contradict the claim to "
             "figures that do not, or trees of a depth that it is about were not run."),
        ]  # fmt: skip
    paragraphs = [
        "A run is one fit: one method, one data set, one part of the rows held out, one seed. Every "
        "method sees the same parts. The interval of a mean is for other rows of the same kind "
        "(corrected resampled t, 95 %)"
        + ("; it never goes beyond 1." if metric.is_share else "."),
        "“Separate” means that the test of the fold means decides at 5 %, after Holm’s correction "
        "for all that are compared with the best.",
    ]
    return [Closed("reading", "How to read this page", "verdicts, margins, intervals", paragraphs,
                   words)]  # fmt: skip


def _closed(
    results: Any, ledger: Any, kind: str, names: Mapping[str, str], sections: Sequence[Section]
) -> list[Closed]:
    cells, found = results.only_cells, []
    other = [
        m.label for m in results.methods
        if cells.published[cells.method == m.label].notna().any()
        and not (kind == "table" and cells.counts[cells.method == m.label].any())
    ]  # fmt: skip
    for place in range(0, len(other), MOST_COLUMNS):
        block = _matrix(results, names, other[place : place + MOST_COLUMNS],
                        f"variants-{place}", "Measured beside printed")  # fmt: skip
        if block is not None:
            hint = f"{plural(len(other), 'method')}, not counted above"
            title = "Variants of the methods, cell by cell" if kind == "table" else block.title
            found.append(Closed(f"other-{place}", title, hint, blocks=[block]))
    if kind == "curves" and Curves(results).excess:
        block = _scores(Curves(results), names)
        if block is not None:
            hint = "by iterations and by seconds"
            found.append(Closed("scores", f"The {block.groups[0][0].quantity}", hint, blocks=[block]))
    rest = reasons(ledger)
    if rest and kind != "runs":
        count = sum(int(number) for _, number, _ in rest)
        rows = [[Item(text) for text in row] for row in rest]
        table = Table("not-judged", "", ("why", "claims", "which"), rows, left=frozenset({0, 2}))
        found.append(Closed("not-judged", "Claims that are not judged here",
                            f"{count:,} of {len(ledger.entries):,}", tables=[table]))  # fmt: skip
    every = cards(results, names, "")
    hint = f"{plural(len(every), 'cell')} with their runs"
    found.append(Closed("cells", "Every cell in full", hint, cards=every))
    found += [
        Closed(section.key, typeset(section.title), paragraphs=section.paragraphs,
               tables=section.tables) for section in sections
    ]  # fmt: skip
    return found
