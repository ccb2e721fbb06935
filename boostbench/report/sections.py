"""The page of a report: the facts to be read first, and its sections in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from boostbench import numbers
from boostbench.data.splits import SplitRule
from boostbench.papers.judge import Ruling
from boostbench.plan.absent import not_run, unplanned, without_data
from boostbench.report import (
    claimtable,
    comparisontables,
    details,
    listings,
    notes,
    provenance,
    tables,
)
from boostbench.report.agreementtable import agreement_table
from boostbench.report.collect import number_of
from boostbench.report.figures.figure import Figure
from boostbench.report.lastvalues import last_values
from boostbench.report.marks import WORDS
from boostbench.report.page import Page, Section
from boostbench.report.papertables import paper_tables
from boostbench.report.reference import printed_ranks
from boostbench.report.summary import Summary
from boostbench.suggest import counted

NOTHING = "Nothing is planned here yet: run the experiment first."
Fact = tuple[str, str, str]
_JUDGED = (Ruling.REPRODUCED, Ruling.WEAKER, Ruling.NOT_REPRODUCED, Ruling.UNDECIDED)


def page(summary: Summary, figures: Sequence[Figure] = ()) -> Page:
    """Return the page of ``summary`` with ``figures`` in it."""
    experiment = summary.experiment
    name = str(experiment.get("name") or "results")
    nothing = [Section("results", "Results", [NOTHING])]
    return Page(
        title=str(experiment.get("title") or name),
        description=str(experiment.get("description") or "").strip(),
        facts=_facts(summary),
        sections=_sections(summary, figures) if summary.cells else nothing,
    )


def _facts(summary: Summary) -> list[Fact]:
    return [
        *_purpose(summary),
        ("Runs finished", numbers.of(summary.finished, summary.all_planned), _unfinished(summary)),
        *_left_out(summary),
        *_changed(summary),
        *_published_cells(summary),
        *_claims(summary),
        *_protocol(summary),
        *_best(summary),
        *_source(summary),
    ]


def _purpose(summary: Summary) -> list[Fact]:
    """Return which table or figure of the paper the experiment is for."""
    table, paper = summary.experiment.get("table"), summary.paper
    if not table or paper is None:
        return []
    compared = {cell.published.table for cell in summary.cells.values() if cell.published}
    of = f"of {paper.authors}: {paper.title}"
    if table in paper.figures:
        return [("Reproduces", table, of)]
    if table in compared or not compared or table in paper_tables(summary):
        return [("Reproduces", f"Table {table}", of)]
    return [("Asked for", f"Table {table}, which has nothing of these methods and settings", of)]


def _unfinished(summary: Summary) -> str:
    """Return how many runs are in each state except ``ok``, in words."""
    counts: dict[str, int] = {}
    for cell in summary.cells.values():
        for status, _, runs in cell.reasons:
            counts[status] = counts.get(status, 0) + runs
    return ", ".join(f"{runs:,} {status}" for status, runs in sorted(counts.items()))


def _left_out(summary: Summary) -> list[Fact]:
    """Return what of the plan the page does not show."""
    experiment = summary.experiment
    facts = []
    left_out = experiment.get("not_run")
    if left_out:
        names = ", ".join([*left_out["datasets"], *left_out["methods"]])
        facts.append(("Not run", not_run(experiment).replace(" not run", ""), names))
    lacking = unplanned(experiment, {data.label for data in summary.datasets})
    if lacking:
        facts.append(("Not loaded", ", ".join(lacking), "not among these runs"))
    facts += [("No data", ", ".join(n), why) for why, n in without_data(experiment).items()]
    if experiment.get("shard"):
        index, _, count = str(experiment["shard"]).partition("/")
        remark = "a part of the plan only; `boostbench merge` brings the shards together"
        facts.append(("Shard", f"{index} of {count}", remark))
    return facts


def _changed(summary: Summary) -> list[Fact]:
    """Return what has changed since the results were recorded."""
    found = summary.collected.changed
    return [("Changed since", found[0], "; ".join(found[1:]))] if found else []


def _published_cells(summary: Summary) -> list[Fact]:
    """Return how many published cells have each verdict, each cell counted once.

    It is counted by the reading that is meant as the paper's, and by the first data set that is
    published as it.
    """
    cells = [cell for cell in summary.cells.values() if cell.counts and cell.meant]
    if not cells:
        why = {cell.not_comparable for cell in summary.cells.values() if cell.not_comparable}
        return [("Published cells", "none comparable", "; ".join(sorted(why)))] if why else []
    evidence, counts = listings.count_evidence(cells), listings.count_verdicts(cells)
    methods = dict.fromkeys(cell.method for cell in cells)
    others = dict.fromkeys(
        cell.method
        for cell in summary.cells.values()
        if cell.comparable and cell.method not in methods
    )
    repeated = dict.fromkeys(
        f"{cell.dataset} (published as {cell.reference.repeats})"
        for cell in summary.cells.values()
        if cell.reference and cell.reference.repeats
    )
    remarks = [
        "by the simple rule "
        + ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counts.items()),
        f"{len(cells) - sum(counts.values())} open",
        f"of {', '.join(methods)}",
    ]
    remarks += [f"not counted: {', '.join([*others, *repeated])}"] if others or repeated else []
    value = ", ".join(f"{verdict.value} {number}" for verdict, number in evidence.items())
    return [("Published cells", f"{value} of {len(cells)}", "; ".join(remarks))]


def _claims(summary: Summary) -> list[Fact]:
    """Return how many of the paper's claims have which verdict, nothing where none is measured."""
    ledger = summary.ledger
    if ledger is None or not ledger.measured:
        return []
    counts = ledger.counts()
    judged = sum(counts[ruling] for ruling in _JUDGED)
    words = ", ".join(f"{counts[ruling]} {ruling.value}" for ruling in _JUDGED if counts[ruling])
    return [("Claims judged", numbers.of(judged, len(ledger.entries)), words)]


def _protocol(summary: Summary) -> list[Fact]:
    """Return how rows are split and how often, nothing if not known."""
    experiment = summary.experiment
    scaled = ("features", "target") if summary.metric.task == "regression" else ("features",)
    splits, number = experiment.get("splits"), number_of(experiment.get("seeds"))
    random = splits if isinstance(splits, Mapping) else {}
    parts = random.get("n") if random else experiment.get("folds")
    if not parts or not number:
        return []
    word, part = ("split", "part") if random else ("fold", "fold")
    remarks = []
    remarks += _divided(summary, random)
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
    value = f"{counted(parts, word)} × {counted(number, 'seed')}"
    several = number_of(experiment.get("split_seeds"))
    if several > 1:
        value = f"{several} split seeds × {value}"
    return [("Protocol", value, "; ".join(remarks))]


def _divided(summary: Summary, splits: Mapping[str, object]) -> list[str]:
    """Return how rows are divided, and of which data sets where they differ in that."""
    ways: dict[str, list[str]] = {}
    for data in summary.datasets:
        if data.rule is not None and data.rule.words:
            ways.setdefault(data.rule.words, []).append(data.label)
    if not ways and splits.get("test_size"):
        ways[SplitRule("shuffle", 0, float(str(splits["test_size"]))).words] = []
    if len(ways) == 1:
        return list(ways)
    return [f"{', '.join(labels)}: {words}" for words, labels in ways.items()]


def _best(summary: Summary) -> list[Fact]:
    """Return which method is best most often, and where; nothing beside published values."""
    won: dict[str, list[str]] = {}
    for data in () if summary.compares else summary.datasets:
        for label in summary.best(data.label):
            won.setdefault(label, []).append(data.label)
    if not won:
        return []
    most = max(map(len, won.values()))
    first = ", ".join(label for label, sets in won.items() if len(sets) == most)
    where = "; ".join(f"{label}: {', '.join(sets)}" for label, sets in won.items())
    extreme = "Highest" if summary.metric.greater_is_better else "Lowest"
    return [(f"{extreme} mean {summary.metric.words}", first, where)]


def _source(summary: Summary) -> list[Fact]:
    """Return the paper, and which of its tables the measured values are compared with."""
    paper = summary.paper
    if paper is None:
        return []
    ids = [
        f"{kind}:{value}" for kind, value in (("doi", paper.doi), ("arXiv", paper.arxiv)) if value
    ]
    cited = [
        f"{paper.authors}: {paper.title}. {paper.journal}.",
        *([f"{', '.join(ids)}."] if ids else []),
    ]
    names = sorted({cell.published.table for cell in summary.cells.values() if cell.published})
    if names:
        cited += [f"{paper.runs} runs per cell."] if paper.runs else []
        value = f"Table{'s' if len(names) > 1 else ''} {', '.join(names)}"
        return [("Measured against", value, " ".join(cited))]
    if paper.cells:
        return []
    return [("After", paper.authors.split(",")[0] + " et al.", " ".join(cited))]


def _sections(summary: Summary, figures: Sequence[Figure]) -> list[Section]:
    overview, gaps = tables.overview(summary), listings.gaps(summary)
    verdicts = listings.verdict_counts(summary)
    claims = claimtable.claim_tables(summary.ledger, summary.metric)
    protocol = notes.protocol(summary)
    agreement = agreement_table(summary)
    others = tables.also_published(summary)
    printed = [table for parts in paper_tables(summary).values() for table in parts]
    pictures, ends = [figure.picture for figure in figures], last_values(summary)
    return [
        Section("results", overview.title, tables=[overview]),
        *([Section("agreement", agreement.title, tables=[agreement])] if agreement else []),
        *([Section("claims", "The paper's claims", tables=claims)] if claims else []),
        *([Section("verdicts", verdicts.title, tables=[verdicts])] if summary.compares else []),
        *([Section("gaps", gaps.title, tables=[gaps])] if gaps.rows else []),
        *(
            Section(f"figure-{number}" if number else "figure", picture.title, picture=picture)
            for number, picture in enumerate(pictures)
        ),
        *([Section("last-values", ends.title, tables=[ends])] if ends else []),
        *comparisontables.section(
            summary.comparisons, summary.metric, printed_ranks(summary.collected)
        ),
        *([Section("paper-tables", "The paper's tables", tables=printed)] if printed else []),
        Section(
            "notes",
            "How to read this",
            notes.notes(summary, any(picture.curves for picture in pictures)),
            [protocol] if protocol else [],
        ),
        Section(
            "layout",
            "Scores and times",
            tables=[*tables.layout(summary), *([others] if others else [])],
        ),
        Section(
            "details",
            "Each method in full",
            tables=[details.detail(summary, method) for method in summary.methods],
        ),
        Section(
            "what",
            "Data sets and methods",
            tables=[listings.datasets(summary), listings.methods(summary)],
        ),
        *provenance.sections(summary.collected.environments, summary.collected.commands),
    ]
