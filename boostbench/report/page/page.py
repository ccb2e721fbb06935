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
from boostbench.report.appearance import appearance
from boostbench.report.document import answer
from boostbench.report.document.cell_tables import agreement_lines
from boostbench.report.document.table import Section
from boostbench.report.document.text import ReportDocument, document
from boostbench.report.figures.charts import methods_charts, runs_chart
from boostbench.report.frames.cell import CellVerdict
from boostbench.report.frames.results import PartitionResults, ReportData
from boostbench.report.page.cell_cards import cards
from boostbench.report.page.claims_view import claims_view
from boostbench.report.page.numbers_view import MOST_CHARTS, numbers_view
from boostbench.report.page.parts import (
    CardsView,
    ChartsView,
    Page,
    PanelsView,
    Stack,
    StackPart,
    StepsView,
    TablesView,
    View,
)
from boostbench.report.page.print_view import differences_view, matrix_view
from boostbench.report.sentences import captions, findings
from boostbench.report.words import cited, series
from boostbench.suggest import counted

_ABOVE = {"own", "results", "claims"}
_OPEN = {"table": _ABOVE, "curves": _ABOVE, "runs": _ABOVE | {"itself"}}
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
        _section(results, each) for each in text.sections if each.key not in _OPEN[kind]
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
        own=next((_section(results, each) for each in text.sections if each.key == "own"), None),
        stacks=[] if kind == "runs" else list(_stacks(results, claims)),
        blocks=blocks,
        closed=closed,
        footer=[*filter(None, (source, when))],
        metric=results.metric,
        compares=results.compares,
        judges=bool(answer.judged_claims(claims)),
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
    judged = claims_view(results, claims)
    views: list[View | None]
    if kind == "table":
        views = [
            matrix_view(results),
            differences_view(results, partition_results),
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
        return [numbers_view(results, text), claims, _methods(results), steps]
    winners = ChartsView(
        key="figure",
        title="Who won",
        charts=[runs_chart(results, dataset, own) for dataset, own in champions.items()],
        notes=[captions.single_runs(results.metric, printed=results.compares)],
    )
    return [winners, numbers_view(results, text), claims, steps]


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
