"""The page: its contents for a results folder, in order, as plain data.

A page is a list of blocks, each of a ``kind`` for which a template has a macro; the purpose of an
experiment decides which of them are open. Sentences that all pages share are in
:mod:`boostbench.report.sentences.guide`.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.config.loading import config_names
from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.settings import each_of
from boostbench.report.appearance import appearance
from boostbench.report.document import answer, provenance
from boostbench.report.document.answer import warnings
from boostbench.report.document.main_tables import agreement_lines
from boostbench.report.document.report import Report
from boostbench.report.document.table import Section
from boostbench.report.figures.charts import methods_charts, runs_chart
from boostbench.report.frames.cell import CellVerdict
from boostbench.report.frames.results import ReportData
from boostbench.report.page.cell_cards import cards
from boostbench.report.page.claims_view import claims_view
from boostbench.report.page.matrix_view import differences_view, matrix_view
from boostbench.report.page.numbers_view import MOST_CHARTS, numbers_view
from boostbench.report.page.views import (
    CardsView,
    ChartsView,
    Page,
    PanelsView,
    Stack,
    StepsView,
    TablesView,
    View,
)
from boostbench.report.sentences import captions, findings
from boostbench.report.words import cited, series
from boostbench.suggest import counted

_ABOVE = {"own", "results", "claims"}
_OPEN = {"table": _ABOVE, "curves": _ABOVE, "runs": _ABOVE | {"itself"}}
"""The sections in the open part of a page; a first run is not about the paper itself."""


def make_page(report: Report) -> Page:
    """Return the page of a report, with the tables of its text in the closed parts."""
    results, claims = report.results, report.claims
    kind = answer.purpose(results)
    closed: list[View] = [
        _section(results, each) for each in report.sections if each.key not in _OPEN[kind]
    ]
    blocks: list[View] = []
    if not results.done.empty:
        # An experiment on choices shows them first.
        blocks = [view for view in closed if view.key == "choices"]
        blocks += _open(report, kind)
        below = [view for view in closed if view.key != "choices"]
        closed = [*_closed(report, kind), *below]
    own = (_section(results, each) for each in report.sections if each.key == "own")
    return Page(
        name=report.name,
        title=report.title,
        intro=report.intro,
        warnings=warnings(results),
        answer=[*report.answer, *report.calibration] or [findings.NO_RUN],
        own=next(own, None),
        stacks=[] if kind == "runs" else list(_stacks(results, claims)),
        blocks=blocks,
        closed=closed,
        footer=[*filter(None, (report.source, provenance.when(results.commands)))],
        metric=results.metric,
        compares=results.compares,
        judges=bool(answer.judged_claims(claims)),
        settings=each_of(results.conditions),
        names=results.names,
    )


def _section(results: ReportData, section: Section) -> TablesView:
    """Return a section of the report as text; sentences about columns have the methods' names."""
    lines = section.paragraphs
    if section.key == "agreement":
        lines = agreement_lines(results, results.names)
    tables = section.below_one_another
    return TablesView(key=section.key, title=section.title, tables=tables, notes=lines)


def _stacks(results: ReportData, claims: Sequence[ClaimReadings]) -> Iterator[Stack]:
    """Yield the bars of counts below the answer."""
    counts: Mapping[str, Mapping[CellVerdict, int] | Mapping[ClaimVerdict, int]] = {
        "printed cell": answer.cells_by_verdict(results),
        "judged claim": answer.judged_claims(claims),
    }
    for what, own in counts.items():
        parts = [(appearance(word).colour, n, str(word)) for word, n in own.items()]
        if parts:
            yield Stack(counted(sum(own.values()), what), parts)


def _open(report: Report, kind: str) -> list[View]:
    """Return the open parts in order: the experiment's purpose, claims, and the methods."""
    results = report.results
    judged = claims_view(results, report.claims)
    views: list[View | None]
    if kind == "table":
        views = [
            matrix_view(results),
            differences_view(results, report.elsewhere()),
            judged,
            _methods(results),
        ]
    elif kind == "curves":
        objective = _panels(results, "objective")
        ends = TablesView(key="ends", title="Where each method ends", tables=[report.overview])
        methods = None if objective else _methods(results)
        views = [objective or _panels(results, "score"), judged, ends, methods]
    else:
        views = _of_runs(report, judged)
    return [view for view in views if view is not None]


def _of_runs(report: Report, claims: View | None) -> list[View | None]:
    """Return the open parts of an experiment that repeats no table or figure of a paper."""
    results = report.results
    champions = results.champions
    if champions.empty:
        return [claims]
    last = champions.drop_duplicates("dataset").iloc[-1]
    steps = None if results.elsewhere else _next(results, f"{last.dataset}/{last.method}")
    if champions.dataset.nunique() > MOST_CHARTS:
        return [numbers_view(report), claims, _methods(results), steps]
    by_dataset = champions.groupby("dataset", sort=False)
    charts = [runs_chart(results, str(dataset), own) for dataset, own in by_dataset]
    most = max(len(row.runs) for chart in charts for row in chart.rows)
    winners = ChartsView(
        key="figure",
        title="Who won",
        charts=charts,
        notes=[captions.single_runs(results.metric, most, printed=results.compares)],
    )
    return [winners, numbers_view(report), claims, steps]


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


def _closed(report: Report, kind: str) -> Iterator[View]:
    """Yield the closed parts with cells, claims and curves."""
    results = report.results
    shown = _panels(results, "score") if results.recorded_curves else None
    if shown and (kind != "curves" or results.convergence.panels["objective"]):
        yield replace(shown, key="scores", title=f"The {shown.quantity} along the way")
    for section in report.sections:
        if section.key == "claims" and kind != "runs":
            for table in section.tables:
                yield TablesView(key=table.key, title=table.title, tables=[table])
    every = cards(results)
    hint = counted(len(every), "cell")
    yield CardsView(key="cells", title="Every cell in full", hint=hint, cards=every)
