"""The page: its contents for a results folder, in order, as plain data.

A page is a list of blocks, each of a ``kind`` for which a template has a macro; the purpose of an
experiment decides which of them are open. Sentences that all pages share are in
:mod:`boostbench.report.sentences.guide`.
"""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boostbench import numbers
from boostbench.config.loading import config_names
from boostbench.methods import get_method, method_names
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import ClaimReadings, ClaimVerdict
from boostbench.papers.measured import FigureValue
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.roles import roles_at
from boostbench.report import answer
from boostbench.report.answer import AverageBesidePrint
from boostbench.report.appearance import appearance
from boostbench.report.axes import limit
from boostbench.report.cell import Cell, CellVerdict
from boostbench.report.cellcards import card_key, cards
from boostbench.report.claimtable import by_verdict, claim_lines, value_text
from boostbench.report.document import ReportDocument, document
from boostbench.report.figures.charts import methods_charts, runs_chart
from boostbench.report.ledger import JUDGED
from boostbench.report.reportdata import PartitionResults, ReportData
from boostbench.report.sentences import assertions, beside_print, captions, findings, legends
from boostbench.report.table import Item, Section, TextTable, make_table
from boostbench.report.tables import agreement_lines
from boostbench.report.views import (
    Bar,
    CardsView,
    CellView,
    ChartsView,
    ClaimGroup,
    ClaimsView,
    ClaimView,
    DifferencesView,
    Mark,
    MatrixView,
    Page,
    PanelsView,
    Stack,
    StackPart,
    StepsView,
    TablesView,
    View,
)
from boostbench.report.winners import Standing
from boostbench.report.words import cited, series, title_of, verb
from boostbench.suggest import counted

MOST_CHARTS = 4
"""The most data sets with a chart each; more are rows of one table."""
MOST_COLUMNS = 6
"""The most printed columns with marks beside the numbers."""
_ABOVE = {"results", "claims"}
_OPEN = {"table": _ABOVE | {"agreement"}, "curves": _ABOVE, "runs": _ABOVE | {"itself"}}
"""The sections in the open part of a page; a first run is not about the paper itself."""


def make_page(
    results: ReportData,
    claims: Sequence[ClaimReadings],
    text: ReportDocument | None = None,
    when: str = "",
    partition_results: PartitionResults | None = None,
) -> Page:
    """Return the page of ``results``.

    ``text`` is their report as text, whose tables are in the closed parts, ``when`` says when they
    ran, and ``partition_results`` are undecided cells that other results decide.
    """
    kind = answer.purpose(results)
    text = text or document(results, claims)
    intro, *warnings, source = text.remarks
    closed: list[View] = [
        TablesView(key=each.key, title=each.title, tables=each.tables, notes=each.paragraphs)
        for each in text.sections
        if each.key not in _OPEN[kind]
    ]
    blocks: list[View] = []
    if not results.done.empty:
        # An experiment on choices shows them first.
        blocks = [view for view in closed if view.key == "choices"]
        blocks += _open(results, claims, kind, text, partition_results)
        below = [view for view in closed if view.key != "choices"]
        closed = [*_closed(results, text.sections, kind), *below]
    return Page(
        name=results.experiment["name"] or "results",
        title=text.title,
        intro=intro,
        warnings=warnings,
        answer=[*text.answer, *text.calibration] or [findings.NO_RUN],
        stacks=[] if kind == "runs" else list(_stacks(results, claims)),
        blocks=blocks,
        closed=closed,
        footer=[*filter(None, (source, when))],
        metric=results.metric,
        compares=results.compares,
        judges=bool(answer.judged_claims(claims)),
        names=results.names,
    )


def _stacks(results: ReportData, claims: Sequence[ClaimReadings]) -> Iterator[Stack]:
    """Yield the bars of counts below the answer."""
    counts: Mapping[str, Mapping[CellVerdict, int] | Mapping[ClaimVerdict, int]] = {
        "printed cell": answer.cells_by_verdict(results),
        "judged claim": answer.judged_claims(claims),
    }
    for what, own in counts.items():
        parts = [StackPart(appearance(word).colour, n, word) for word, n in own.items()]
        if parts:
            yield Stack(counted(sum(own.values()), what), parts)


def _open(
    results: ReportData,
    claims: Sequence[ClaimReadings],
    kind: str,
    text: ReportDocument,
    partition_results: PartitionResults | None,
) -> list[View]:
    """Return the open parts in order: the experiment's purpose, claims, and the methods."""
    judged = _claims(results, claims)
    views: list[View | None]
    if kind == "table":
        views = [
            _matrix(results),
            _differences(results, partition_results),
            judged,
            _methods(results),
        ]
    elif kind == "curves":
        objective = _panels(results, "objective")
        ends = TablesView(key="ends", title="Where each method ends", tables=text.overviews)
        methods = None if objective else _methods(results)
        views = [objective or _panels(results, "score"), judged, ends, methods]
    else:
        views = _of_runs(results, judged, text)
    return [view for view in views if view is not None]


def _of_runs(results: ReportData, claims: View | None, text: ReportDocument) -> list[View | None]:
    """Return the open parts of an experiment that repeats no table or figure of a paper."""
    champions = results.champions
    if not champions:
        return [claims]
    dataset, standings = list(champions.items())[-1]
    steps = _next(results, f"{dataset}/{standings[0].method}")
    if len(champions) > MOST_CHARTS:
        return [_numbers(results, text), claims, _methods(results), steps]
    winners = ChartsView(
        key="figure",
        title="Who won",
        charts=[runs_chart(results, dataset, own) for dataset, own in champions.items()],
        notes=[captions.single_runs(results.metric, printed=results.compares)],
    )
    return [winners, _numbers(results, text), claims, steps]


def _methods(results: ReportData) -> ChartsView | None:
    charts = methods_charts(results)
    title = "The methods side by side"
    return ChartsView(key="methods", title=title, charts=charts) if charts else None


def _next(results: ReportData, cell: str) -> StepsView:
    """Return what to do next, as commands that work as they are printed."""
    record = results.experiment
    name = record["name"]
    config = _without_folders(record["config"] or name)
    # Results elsewhere than below ./results are not found by the experiment's name.
    of = _without_folders(record["results"] or name)
    return StepsView(
        key="next",
        title="What to do next",
        shipped=config in config_names(),
        run=shlex.join(_run_again(config, record["overrides"])),
        show=shlex.join(["boostbench", "show", cell, "--in", of]),
        verify=shlex.join(["boostbench", "verify", of]),
        report=shlex.join(["boostbench", "report", of, "--format", "csv,figure"]),
        paper=cited(results.paper) if results.paper else "",
    )


def _run_again(config: str, overrides: Sequence[str]) -> list[str]:
    """Return the words of a command that runs an experiment again, or a shipped one as one's own.

    A shipped experiment has a file that is not the user's to edit.
    """
    if config in config_names():
        own = ("name=", "results=", "seeds=")
        overrides = [text for text in overrides if not text.startswith(own)]
        overrides = [*overrides, "name=mine", "seeds=1"]
    words = ["boostbench", "run", config]
    for text in overrides:
        key, equals, value = text.partition("=")
        words += ["--set", f"{key}{equals}{_without_folders(value)}"]
    return words


def _without_folders(path: str) -> str:
    """Return the name of a file or folder that is given by a path of this machine."""
    return Path(path).name if path.startswith(("/", "~", "..")) else path


def _matrix(results: ReportData) -> MatrixView:
    """Return measured beside printed values of the main readings; all marks share a scale."""
    metric, names = results.metric, results.names
    counted_methods = {cell.method for cell in results.counted_cells}
    methods = [m.label for m in results.methods if m.label in counted_methods]
    printed = {
        cell.dataset
        for cell in results.only_cells
        if cell.method in methods and cell.published is not None
    }
    end = limit(cell.difference for cell in results.counted_cells)
    text = f"{metric.scale * end:g}".removeprefix("0")
    averages = answer.averages(results)
    return MatrixView(
        key="table",
        title=f"Table {results.experiment['table']}: {metric.title}, measured beside printed",
        columns=[names[label] for label in methods],
        averages=[averages.get(label, _NO_AVERAGE) for label in methods],
        rows=[
            (data.label, _row(results, data.label, methods, end))
            for data in results.datasets
            if data.label in printed
        ],
        ends=(f"{numbers.MINUS}{text}", "0", f"+{text}"),
        marked=len(methods) <= MOST_COLUMNS,
        notes=agreement_lines(results, names),
    )


_NO_AVERAGE = AverageBesidePrint("", "", "", is_near=False)


def _row(
    results: ReportData, dataset: str, methods: Sequence[str], end: float
) -> list[CellView | None]:
    cells = [results.cell(dataset, label) for label in methods]
    return [_cell(cell, results.metric, end) if cell else None for cell in cells]


def _cell(cell: Cell, metric: Metric, end: float) -> CellView | None:
    """Return a cell beside the printed one, ``None`` where nothing is printed."""
    if cell.printed is None or cell.published is None:
        return None
    lacks_runs = cell.finished < cell.planned
    return CellView(
        card=card_key(cell.dataset, cell.method),
        colour=appearance(cell.verdict).colour,
        verdict=cell.verdict or "no result",
        measured=metric.text(cell.compared) or numbers.DASH,
        printed=metric.printed(cell.printed.value),
        away=metric.difference(cell.difference),
        mark=_mark(cell, metric, end),
        note=f"{cell.finished:,} of {cell.planned:,} runs" if lacks_runs else "",
    )


def _mark(cell: Cell, metric: Metric, end: float) -> Mark | None:
    """Return the difference from print on an axis to ``end``, ``None`` without one."""
    if cell.margin is None or cell.difference is None or cell.published is None:
        return None
    return Mark(
        at=cell.difference / end,
        interval=[x / end for x in (cell.low, cell.high) if x is not None],
        margin=cell.margin / end,
        # No interval exceeds the highest possible mean.
        top=(metric.bounds[1] / metric.scale - cell.published) / end,
    )


def _differences(
    results: ReportData, partition_results: PartitionResults | None
) -> DifferencesView | None:
    """Return the cells that differ from print, and why others are undecided."""
    names = results.names
    differ = [c for c in results.counted_cells if c.verdict is CellVerdict.DIFFERS]
    undecided = [c for c in results.counted_cells if c.verdict is CellVerdict.UNDECIDED]
    if not differ and not undecided:
        return None
    end = limit(cell.difference for cell in differ)
    datasets = list(dict.fromkeys(cell.dataset for cell in differ))
    views = [(cell, _cell(cell, results.metric, end)) for cell in differ]
    return DifferencesView(
        key="differs",
        title=beside_print.differing_cells(datasets, len(differ)),
        rows=[(cell.dataset, names[cell.method], view) for cell, view in views if view],
        aside=f"Why {len(undecided)} {verb('undecided', len(undecided))}",
        why=list(_why_undecided(undecided, partition_results)),
    )


def _why_undecided(
    undecided: Sequence[Cell], partition_results: PartitionResults | None
) -> Iterator[str]:
    """Yield why cells are undecided, and what would decide."""
    number = len(undecided)
    if near := sum(_is_within_margin(cell) for cell in undecided):
        yield beside_print.undecided_by_width(number, near)
    if never := sum(bool(cell.undecided_reason) for cell in undecided):
        yield beside_print.undecidable_cells(never)
    if more := sum(bool(cell.to_decide and cell.to_decide.number) for cell in undecided):
        yield beside_print.decidable_by_more_runs(more)
    if partition_results is not None:
        name, cells, page = partition_results
        yield beside_print.decided_by_partitions(number, len(cells), name, page)


def _is_within_margin(cell: Cell) -> bool:
    known = cell.difference is not None and cell.margin is not None
    return known and abs(cell.difference or 0.0) <= (cell.margin or 0.0)


def _claims(results: ReportData, claims: Sequence[ClaimReadings]) -> ClaimsView | None:
    """Return the judged claims by verdict, not reproduced first; None if there are none."""
    counts = answer.judged_claims(claims)
    if not counts or results.paper is None:
        return None
    total, (first, number) = sum(counts.values()), next(iter(counts.items()))
    words = {name: title_of(name) for name in method_names()}
    names, roles = results.names, roles_at(results.paper, results.methods, None)
    words |= {role: names[method.label] for role, method in roles.items()}
    return ClaimsView(
        key="claims",
        title=assertions.claims_with_verdict(number, total, first),
        whole=len(claims),
        total=total,
        groups=[
            _group(verdict, own, results.metric, words)
            for verdict, own in by_verdict(claims).items()
            if verdict in JUDGED
        ],
        depths=answer.at_one_depth(claims),
    )


def _group(
    verdict: ClaimVerdict,
    entries: Sequence[ClaimReadings],
    metric: Metric,
    words: Mapping[str, str],
) -> ClaimGroup:
    return ClaimGroup(
        key=f"claims-{verdict.value.replace(' ', '-')}",
        title=verdict.value.capitalize(),
        colour=appearance(verdict).colour,
        claims=[_view(entry, metric, words) for entry in entries],
    )


def _view(entry: ClaimReadings, metric: Metric, words: Mapping[str, str]) -> ClaimView:
    """Return a claim in two lines, the ``bar`` beside them, and its details."""
    claim, first = entry.claim, entry.judged.shown[0]
    return ClaimView(
        id=claim.id,
        quote=claim.text,
        meta=f"{_named(first.title, words)} · {claim.where}",
        stated=claim.stated,
        measured=value_text(first, metric),
        bar=_bar(first, claim.stated),
        lines=[_named(line, words) for line in claim_lines(entry, metric)[2:]],
    )


def _named(text: str, words: Mapping[str, str]) -> str:
    """Return ``text`` with roles replaced by the names of their methods."""
    return re.sub(r"\b\w+\b", lambda found: words.get(found[0], found[0]), text)


def _bar(one: FigureValue, stated: str) -> Bar | None:
    """Return the first figure on an axis from the least to the largest of its known values."""
    if len(one.depths) > 1 or one.unit == "truth":
        return None
    point, low, high = _ends(one)
    even = FIGURES[one.call.figure].even
    is_numeric = one.unit in ("percent", "count", "ratio", "seconds")
    quoted = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", stated)[:3] if is_numeric else []
    others = [*map(float, quoted), *([] if even is None else [even])]
    places = _places(np.array([point, low, high, *others]), is_ratio=one.unit == "ratio")
    if places is None:
        return None
    at, *ends = places
    return Bar(
        at=at,
        interval=ends[:2] if low != high else None,
        stated=ends[2 : 2 + len(quoted)],
        even=None if even is None else ends[-1],
        label="" if even is None else f"{'×' if one.unit == 'ratio' else ''}{even:g}",
    )


def _ends(one: FigureValue) -> tuple[float, float, float]:
    """Return a figure with the ends of its interval; of values by data set median and range."""
    _, point, low, high = one.rows[0]
    if len(point) > 1:
        return float(np.median(point)), float(np.min(point)), float(np.max(point))
    return float(point[0]), float(low[0]), float(high[0])


def _places(values: NDArray[np.float64], *, is_ratio: bool) -> NDArray[np.float64] | None:
    """Return values as parts of their axis, ``None`` where the first is unknown or all are equal.

    Positive ratios have a logarithmic axis.
    """
    if is_ratio and values[np.isfinite(values)].min() > 0:
        with np.errstate(divide="ignore"):
            values = np.log(np.maximum(values, 0.0))
    finite = values[np.isfinite(values)]
    if not np.isfinite(values[0]) or np.ptp(finite) < 1e-12:
        return None
    places = (values - finite.min()) / np.ptp(finite)
    return np.nan_to_num(places).clip(0, 1)


def _numbers(results: ReportData, text: ReportDocument) -> TablesView | None:
    """Return the means, their distances from the best, and descriptions of the methods."""
    champions, names = results.champions, results.names
    if not any(len(own) > 1 for own in champions.values()):
        return None
    is_few = len(champions) <= MOST_CHARTS
    tables = [_standing(results, dataset, own) for dataset, own in champions.items()]
    return TablesView(
        key="numbers",
        title="The numbers, and how sure they are",
        tables=tables if is_few else text.overviews,
        glossary=[(names[method.label], _described(method)) for method in results.methods],
        notes=[legends.standings(results.caveats_on(champions))] if is_few else [],
    )


def _described(method: PlannedMethod) -> str:
    known = method.registered in method_names()
    text = get_method(method.registered).description if known else method.estimator
    return text.replace(" l2", " ℓ₂")


def _standing(results: ReportData, dataset: str, own: Sequence[Standing]) -> TextTable:
    """Return the methods on a data set, those without a result last."""
    standings = {each.method: each for each in own}
    labels = dict.fromkeys([*standings, *results.names])
    cells = [(results.cell(dataset, label), standings.get(label)) for label in labels]
    rows = [_standing_row(results, cell, own) for cell, own in cells if cell is not None]
    return make_table(f"numbers-{dataset}", dataset, rows, ("method",))


def _standing_row(
    results: ReportData, cell: Cell, standing: Standing | None
) -> dict[str, Item | str]:
    metric, verdict = results.metric, cell.verdict
    if not (cell.counts or cell.not_comparable):
        verdict = None
    # If no run has a result, the card says why.
    mean = metric.text(standing.mean) if standing else "no result"
    printed = metric.printed(cell.printed.value) if cell.counts and cell.printed else ""
    return {
        "method": results.names[cell.method],
        f"mean {metric.label.removeprefix('Test ')}": Item(
            mean, note=cell.fewer, runs=(cell.dataset, cell.method)
        ),
        "behind the best": _behind(standing, metric),
        "p, adjusted": numbers.p(standing.p) if standing else "",
        "printed": Item(printed, note=verdict or "", meaning=verdict or ""),
    }


def _behind(standing: Standing | None, metric: Metric) -> Item:
    """Return by how much a method is behind the best, with the interval of that."""
    if standing and math.isfinite(standing.low):
        ends = f"[{metric.text(standing.low)}, {metric.text(standing.high)}]"
        return Item(metric.text(standing.behind), note=ends)
    if standing and standing.best:
        return Item("best", meaning="best")
    return Item(numbers.DASH)


def _panels(results: ReportData, kind: str) -> PanelsView | None:
    """Return the panels of curves, of the objective or the score, None if there are none."""
    names, panels = results.names, results.convergence.panels[kind]
    if not panels:
        return None
    quantity = next(iter(panels.values()))[0].quantity
    table = results.experiment["table"] or "Learning curves"
    finding = answer.who_converges_first(results) if kind == "objective" else ""
    return PanelsView(
        key="figure",
        title=finding or f"{table}: {quantity} by {series(panels)}",
        curve=kind,
        quantity=quantity,
        groups=panels,
        legend=[(colour, names[label]) for label, colour in results.convergence.colours.items()],
        notes=[captions.OBJECTIVE if kind == "objective" else captions.score_curves(quantity)],
    )


def _closed(results: ReportData, sections: Sequence[Section], kind: str) -> Iterator[View]:
    """Yield the closed parts with cells, claims and curves."""
    shown = _panels(results, "score") if results.recorded_curves else None
    if shown and (kind != "curves" or results.convergence.panels["objective"]):
        yield replace(shown, key="scores", title=f"The {shown.quantity} along the way")
    for section in sections:
        if section.key == "claims" and kind != "runs":
            for table in section.tables:
                yield TablesView(key=table.key, title=table.title, tables=[table])
    every = cards(results)
    hint = counted(len(every), "cell")
    yield CardsView(key="cells", title="Every cell in full", hint=hint, cards=every)
