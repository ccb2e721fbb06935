"""Lay the tables, figures and facts of a classification experiment out as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.report import listings, numbers, provenance
from boostbench.report.classification import claimtable, notes, tables
from boostbench.report.compose import (
    NOTHING,
    not_run_fact,
    protocol_fact,
    purpose_fact,
    shard_fact,
    unfinished,
    unloaded_fact,
)
from boostbench.report.page import Page, Picture, Section

if TYPE_CHECKING:
    from boostbench.report.classification.curves import Curve
    from boostbench.report.classification.layout import Layout
    from boostbench.report.classification.stats import ErrorSummary
    from boostbench.store.types import Run

Curves = Mapping[tuple[str, str], "Curve"]


def compose(
    summary: ErrorSummary,
    curves: Curves,
    figures: Mapping[str, Layout],
    environments: Mapping[str, Mapping[str, Any]],
    runs: Sequence[Run] = (),
) -> Page:
    """Return the page of ``summary``; ``figures`` are by the stem of their files."""
    experiment = summary.results.experiment
    name = str(experiment.get("name") or "results")
    sections = [Section("results", "Results", [NOTHING])]
    if summary.cells:
        sections = _sections(summary, curves, figures, environments, runs)
    return Page(
        title=str(experiment.get("title") or name),
        description=str(experiment.get("description") or "").strip(),
        facts=_facts(summary),
        sections=sections,
    )


def _facts(summary: ErrorSummary) -> list[tuple[str, str, str]]:
    finished = numbers.of(summary.finished, summary.planned)
    facts = purpose_fact(summary.results.experiment, summary.paper)
    facts += [("Runs finished", finished, unfinished(summary))]
    facts += not_run_fact(summary.results.experiment)
    facts += unloaded_fact(summary.results.experiment, summary.datasets)
    facts += shard_fact(summary.results.experiment)
    protocol = protocol_fact(summary.results.experiment, ("features",))
    if protocol:
        facts.append(("Protocol", *protocol))
    wins = _wins(summary)
    if wins:
        facts.append(("Lowest mean test error", wins[0], wins[1]))
    paper = summary.paper
    if paper and not paper.columns:
        cited = f"{paper.authors}: {paper.title}. {paper.journal}."
        facts.append(("After", paper.authors.split(",")[0] + " et al.", _with_ids(cited, paper)))
    return facts


def _with_ids(cited: str, paper: Any) -> str:
    ids = [
        f"{kind}:{value}" for kind, value in (("doi", paper.doi), ("arXiv", paper.arxiv)) if value
    ]
    return f"{cited} {', '.join(ids)}." if ids else cited


def _wins(summary: ErrorSummary) -> tuple[str, str] | None:
    """Return who is best most often, and where."""
    won: dict[str, list[str]] = {}
    for data in summary.datasets:
        for label in sorted(summary.best(data.label)):
            won.setdefault(label, []).append(data.label)
    if not won:
        return None
    most = max(map(len, won.values()))
    first = ", ".join(label for label, sets in won.items() if len(sets) == most)
    return first, "; ".join(f"{label}: {', '.join(sets)}" for label, sets in won.items())


def _sections(
    summary: ErrorSummary,
    curves: Curves,
    figures: Mapping[str, Layout],
    environments: Mapping[str, Mapping[str, Any]],
    runs: Sequence[Run],
) -> list[Section]:
    overview, gaps = tables.overview(summary), listings.gaps(summary)
    claims = claimtable.claim_tables(summary, curves)
    protocol = notes.protocol(summary)
    seen: dict[str, float | None] = {}
    for run in summary.results.runs:
        if run.n_rows:
            seen.setdefault(run.dataset, float(run.n_rows))
    what_ran = [
        listings.dataset_table(summary.datasets, seen, summary.paper),
        listings.methods(summary),
    ]
    details = [tables.detail(summary, method) for method in summary.methods]
    return [
        Section("results", overview.title, tables=[overview]),
        *([Section("gaps", gaps.title, tables=[gaps])] if gaps.rows else []),
        *_figure_sections(figures),
        *([Section("claims", "The paper's claims", tables=claims)] if claims else []),
        Section(
            "notes",
            "How to read this",
            notes.notes(summary, bool(figures)),
            [protocol] if protocol else [],
        ),
        Section("layout", "Errors and times", tables=tables.layout(summary)),
        Section("details", "Each method in full", tables=details),
        Section("what", "Data sets and methods", tables=what_ran),
        *provenance.sections(environments, runs),
    ]


def _figure_sections(figures: Mapping[str, Layout]) -> Sequence[Section]:
    return [
        Section(
            f"figure-{number}" if number else "figure",
            layout.title,
            picture=Picture(
                file=stem,
                alt=layout.title,
                caption=(
                    "Mean over runs with a band of one sd to either side; the legends give mean ± "
                    "sd at the last iteration of each run."
                ),
            ),
        )
        for number, (stem, layout) in enumerate(figures.items())
    ]
