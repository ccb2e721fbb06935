"""Lay the tables, notes and facts of a summary out as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.report import claimtable, listings, notes, numbers, provenance, tables
from boostbench.report.frame import not_run, unplanned
from boostbench.report.page import Page, Picture, Section
from boostbench.report.stats import Summary, Verdict

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.frame import DatasetInfo
    from boostbench.store.types import Run

NOTHING = "Nothing is planned here yet: run the experiment first."
PICTURE = Picture(
    file="figure",
    alt="Mean test R², measured and published, by method",
    caption=(
        "Mean test R² by data set, a panel a method; on the right of each row measured minus "
        "published, or the measured mean where nothing is published."
    ),
    panel="Mean test R² of {}, measured and published",
    verdicts=True,
)
PICTURE_ALONE = Picture(
    file=PICTURE.file,
    alt="Mean test R² by method",
    caption="Mean test R² ± sd by data set, a panel a method; the mean on the right of each row.",
    panel="Mean test R² of {}",
)


def compose(
    summary: Summary, environments: Mapping[str, Mapping[str, Any]], runs: Sequence[Run] = ()
) -> Page:
    """Return the page of ``summary``; ``environments``, by id, and ``runs`` are the store's."""
    experiment = summary.results.experiment
    name = str(experiment.get("name") or "results")
    return Page(
        title=str(experiment.get("title") or name),
        description=str(experiment.get("description") or "").strip(),
        facts=_facts(summary),
        sections=_sections(summary, environments, runs) if summary.cells else [_nothing()],
    )


def _nothing() -> Section:
    return Section("results", "Results", [NOTHING])


def _facts(summary: Summary) -> list[tuple[str, str, str]]:
    facts = purpose_fact(summary.results.experiment, summary.paper)
    facts += [("Runs finished", numbers.of(summary.finished, summary.planned), unfinished(summary))]
    facts += not_run_fact(summary.results.experiment)
    facts += unloaded_fact(summary.results.experiment, summary.datasets)
    facts += shard_fact(summary.results.experiment)
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
    protocol = protocol_fact(summary.results.experiment)
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


def purpose_fact(experiment: Mapping[str, Any], paper: Paper | None) -> list[tuple[str, str, str]]:
    """Return which table or figure of the paper the experiment is for, nothing where none is."""
    table = experiment.get("table")
    if not table or paper is None:
        return []
    name = table if table in paper.figures else f"Table {table}"
    return [("Reproduces", name, f"of {paper.authors}: {paper.title}")]


def shard_fact(experiment: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return that the page is of one shard of a plan, nothing where it is of all of it."""
    shard = experiment.get("shard")
    if not shard:
        return []
    index, _, count = str(shard).partition("/")
    return [
        (
            "Shard",
            f"{index} of {count}",
            "a part of the plan alone; `boostbench merge` brings the shards together",
        )
    ]


def not_run_fact(experiment: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return what is left out since nothing of it has run, nothing where all has."""
    left_out = experiment.get("not_run")
    if not left_out:
        return []
    names = ", ".join([*left_out["datasets"], *left_out["methods"]])
    return [("Not run", not_run(experiment), names)]


def unloaded_fact(
    experiment: Mapping[str, Any], datasets: Sequence[DatasetInfo]
) -> list[tuple[str, str, str]]:
    """Return the data sets of ``experiment`` that are not planned, nothing where all are."""
    lacking = unplanned(experiment, {data.label for data in datasets})
    return [("Not loaded", ", ".join(lacking), "not among these runs")] if lacking else []


def unfinished(summary: listings.Counted) -> str:
    """Return how many runs are in each state but ``ok``, in words."""
    counts: dict[str, int] = {}
    for cell in summary.cells.values():
        for status, _, runs in cell.reasons:
            counts[status] = counts.get(status, 0) + runs
    return ", ".join(f"{runs:,} {status}" for status, runs in sorted(counts.items()))


def protocol_fact(
    experiment: Mapping[str, Any], scaled: Sequence[str] = ("features", "target")
) -> tuple[str, str] | None:
    """Return (value, remark) on how rows are split and how often, ``None`` if not known.

    ``scaled`` names what the task scales.
    """
    splits, seeds = experiment.get("splits"), experiment.get("seeds")
    number = len(seeds) if isinstance(seeds, list) else seeds
    random = splits if isinstance(splits, Mapping) else {}
    parts = random.get("n") if random else experiment.get("folds")
    if not parts or not number:
        return None
    word, part = ("split", "part") if random else ("fold", "fold")
    remarks = []
    if random.get("test_size"):
        share = 100 * float(random["test_size"])
        remarks.append(f"{100 - share:g} % of the rows for training, {share:g} % for the test")
    scaling = {what: experiment.get(f"scale_{what}") for what in scaled}
    known = ", ".join(f"{what}: {how}" for what, how in scaling.items() if how)
    if set(scaling.values()) == {"none"}:
        remarks.append(f"the same {word}s for every method; nothing is scaled")
    elif known:
        remarks.append(
            f"the same {word}s for every method; scaling fit on the training {part} ({known})"
        )
    else:
        remarks.append(f"the same {word}s for all")
    return f"{_plural(parts, word)} × {_plural(number, 'seed')}", "; ".join(remarks)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _sections(
    summary: Summary, environments: Mapping[str, Mapping[str, Any]], runs: Sequence[Run]
) -> list[Section]:
    overview, gaps = tables.overview(summary), listings.gaps(summary)
    verdicts = listings.verdict_counts(summary)
    claims = claimtable.claim_tables(summary)
    details = [tables.detail(summary, method) for method in summary.methods]
    what_ran = [listings.datasets(summary), listings.methods(summary)]
    return [
        Section("results", overview.title, tables=[overview]),
        *([Section("gaps", gaps.title, tables=[gaps])] if gaps.rows else []),
        Section("figure", "Figure", picture=PICTURE if summary.compares else PICTURE_ALONE),
        *([Section("verdicts", verdicts.title, tables=[verdicts])] if summary.compares else []),
        *([Section("claims", "The paper's claims", tables=claims)] if claims else []),
        Section("notes", "How to read this", notes.notes(summary)),
        Section(
            "layout",
            "In the paper's layout" if summary.paper else "R² and times",
            tables=tables.paper_layout(summary),
        ),
        Section("details", "Each method in full", tables=details),
        Section("what", "Data sets and methods", tables=what_ran),
        *provenance.sections(environments, runs),
    ]
