"""Lay the tables, notes and facts of a summary out as one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boostbench.report import claimtable, listings, notes, numbers, provenance, tables
from boostbench.report.page import Page, Section
from boostbench.report.stats import Summary, Verdict

NOTHING = "Nothing is planned here yet: run the experiment first."


def compose(summary: Summary, environments: Mapping[str, Mapping[str, Any]]) -> Page:
    """Return the page of ``summary``; ``environments`` are the store's, by id."""
    experiment = summary.results.experiment
    name = str(experiment.get("name") or "results")
    return Page(
        title=str(experiment.get("title") or name),
        description=str(experiment.get("description") or "").strip(),
        facts=_facts(summary),
        sections=_sections(summary, environments) if summary.cells else [_nothing()],
    )


def _nothing() -> Section:
    return Section("results", "Results", [NOTHING])


def _facts(summary: Summary) -> list[tuple[str, str, str]]:
    facts = [("Runs finished", numbers.of(summary.finished, summary.planned), _unfinished(summary))]
    cells = list(summary.cells.values())
    printed = [cell for cell in cells if cell.published]
    if printed:
        counts = listings.count_verdicts(printed)
        facts.append(
            (
                "Cells reproduced",
                numbers.of(counts[Verdict.REPRODUCED], len(printed)),
                f"{counts[Verdict.ABOVE]} above, {counts[Verdict.BELOW]} below, "
                f"{len(printed) - sum(counts.values())} open",
            )
        )
    protocol = _protocol(summary.results.experiment)
    if protocol:
        facts.append(("Protocol", *protocol))
    paper = summary.paper
    if paper and printed:
        sources = sorted({cell.published.table for cell in printed if cell.published})
        facts.append(
            (
                "Measured against",
                f"Table{'s' if len(sources) > 1 else ''} {', '.join(sources)}",
                f"{paper.authors}: {paper.title}. {paper.journal}. "
                f"doi:{paper.doi}, arXiv:{paper.arxiv}. {paper.runs} runs a cell.",
            )
        )
    return facts


def _unfinished(summary: Summary) -> str:
    counts: dict[str, int] = {}
    for cell in summary.cells.values():
        for status, runs in tables.statuses(cell):
            counts[status] = counts.get(status, 0) + runs
    return ", ".join(f"{runs:,} {status}" for status, runs in sorted(counts.items()))


def _protocol(experiment: Mapping[str, Any]) -> tuple[str, str] | None:
    folds, seeds = experiment.get("folds"), experiment.get("seeds")
    number = len(seeds) if isinstance(seeds, list) else seeds
    if not folds or not number:
        return None
    scaling = [
        f"{what}: {experiment[key]}"
        for what, key in (("features", "scale_features"), ("target", "scale_target"))
        if experiment.get(key)
    ]
    remark = (
        f"the same folds for every method; scaling fit on the training fold ({', '.join(scaling)})"
    )
    value = f"{_plural(folds, 'fold')} × {_plural(number, 'seed')}"
    return value, remark if scaling else "the same folds for all"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _sections(summary: Summary, environments: Mapping[str, Mapping[str, Any]]) -> list[Section]:
    overview, gaps = tables.overview(summary), listings.gaps(summary)
    verdicts, where = listings.verdict_counts(summary), provenance.table(environments)
    claims = claimtable.claim_tables(summary)
    details = [tables.detail(summary, method) for method in summary.methods]
    what_ran = [listings.datasets(summary), listings.methods(summary)]
    return [
        Section("results", overview.title, tables=[overview]),
        *([Section("gaps", gaps.title, tables=[gaps])] if gaps.rows else []),
        Section("figure", "Figure", figure=True),
        *([Section("verdicts", verdicts.title, tables=[verdicts])] if summary.compares else []),
        *([Section("claims", "The paper's claims", tables=claims)] if claims else []),
        Section("notes", "How to read this", notes.notes(summary)),
        Section("layout", "In the paper's layout", tables=tables.paper_layout(summary)),
        Section("details", "Each method in full", tables=details),
        Section("what", "Data sets and methods", tables=what_ran),
        *([Section("where", "Where it ran", tables=[where])] if where.rows else []),
    ]
