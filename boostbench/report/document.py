"""What a report says besides its page: the facts to be read first, then all tables in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from boostbench import numbers
from boostbench.data.splits import SplitRule
from boostbench.plan.absent import not_run, unplanned, without_data
from boostbench.report import claimtable, listings, notes, provenance, tables
from boostbench.report.answer import answer
from boostbench.report.claims import Ledger
from boostbench.report.comparisons import compare_methods
from boostbench.report.comparisontables import comparison_section
from boostbench.report.printed import printed_ranks
from boostbench.report.printedtables import printed_tables
from boostbench.report.results import Results
from boostbench.report.runs import number_of
from boostbench.report.table import Section, Table
from boostbench.suggest import counted

NOTHING = "Nothing is planned here yet: run the experiment first."
Fact = tuple[str, str, str]


@dataclass(frozen=True)
class Document:
    """A report in text: its title, the ``answer`` in sentences, ``facts``, and sections.

    A fact is (label, value, remark).
    """

    title: str
    description: str
    answer: Sequence[str]
    facts: Sequence[Fact]
    sections: Sequence[Section]


def document(results: Results, ledger: Ledger | None) -> Document:
    """Return the whole report of ``results`` as text."""
    experiment = results.experiment
    name = str(experiment.get("name") or "results")
    empty = results.only_cells.empty
    return Document(
        title=str(experiment.get("title") or name),
        description=str(experiment.get("description") or "").strip(),
        answer=[] if empty else answer(results, ledger),
        facts=list(facts(results)),
        sections=[Section("results", "Results", [NOTHING])]
        if empty
        else list(sections(results, ledger)),
    )


def facts(results: Results) -> Iterator[Fact]:
    """Return what was run, what was not, what has changed since, and the source."""
    experiment, runs = results.experiment, results.runs
    states = runs.status[runs.status != "ok"].value_counts().sort_index()
    words = ", ".join(f"{number:,} {status}" for status, number in states.items())
    yield "Runs finished", numbers.of(int((runs.status == "ok").sum()), results.all_planned), words
    left_out = experiment.get("not_run")
    if left_out:
        names = ", ".join([*left_out["datasets"], *left_out["methods"]])
        yield "Not run", not_run(experiment).replace(" not run", ""), names
    lacking = unplanned(experiment, {data.label for data in results.datasets})
    if lacking:
        yield "Not loaded", ", ".join(lacking), "not among these runs"
    for why, lost in without_data(experiment).items():
        yield "No data", ", ".join(lost), why
    if experiment.get("shard"):
        index, _, count = str(experiment["shard"]).partition("/")
        remark = "a part of the plan only; `boostbench merge` brings the shards together"
        yield "Shard", f"{index} of {count}", remark
    if results.changed:
        yield "Changed since", results.changed[0], "; ".join(results.changed[1:])
    yield from _design(results)
    yield from _source(results)


def _design(results: Results) -> Iterator[Fact]:
    """Return how rows are split and how often, nothing if not known."""
    experiment = results.experiment
    splits, seeds = experiment.get("splits"), number_of(experiment.get("seeds"))
    random = splits if isinstance(splits, Mapping) else {}
    parts = random.get("n") if random else experiment.get("folds")
    if not parts or not seeds:
        return
    word, part = ("split", "part") if random else ("fold", "fold")
    known = ("features", "target") if results.metric.task == "regression" else ("features",)
    scaling = {what: experiment.get(f"scale_{what}") for what in known}
    how = ", ".join(f"{what}: {how}" for what, how in scaling.items() if how)
    remarks = [*_divided(results, random), f"the same {word}s for every method"]
    if set(scaling.values()) == {"none"}:
        remarks.append("nothing is scaled")
    elif how:
        remarks.append(f"scaling fit on the training {part} ({how})")
    several = number_of(experiment.get("split_seeds"))
    value = f"{several} split seeds × " if several > 1 else ""
    value += f"{counted(parts, word)} × {counted(seeds, 'seed')}"
    yield "Protocol", value, "; ".join(remarks)


def _divided(results: Results, splits: Mapping[str, object]) -> list[str]:
    """Return how rows are divided, and of which data sets where they differ in that."""
    ways: dict[str, list[str]] = {}
    for data in results.datasets:
        if data.rule is not None and data.rule.words:
            ways.setdefault(data.rule.words, []).append(data.label)
    if not ways and splits.get("test_size"):
        ways[SplitRule("shuffle", 0, float(str(splits["test_size"]))).words] = []
    if len(ways) == 1:
        return list(ways)
    return [f"{', '.join(labels)}: {words}" for words, labels in ways.items()]


def _source(results: Results) -> Iterator[Fact]:
    """Return the paper, and which of its tables the measured values are compared with."""
    paper = results.paper
    if paper is None:
        return
    ids = (("doi", paper.doi), ("arXiv", paper.arxiv))
    known = ", ".join(f"{kind}:{value}" for kind, value in ids if value)
    cited = f"{paper.authors}: {paper.title}. {paper.journal}.{f' {known}.' if known else ''}"
    names = sorted({table for table in results.only_cells.published_table if table})
    if names:
        cited += f" {paper.runs} runs per cell." if paper.runs else ""
        word = "Tables" if len(names) > 1 else "Table"
        yield "Measured against", f"{word} {', '.join(names)}", cited
    elif not paper.cells:
        yield "After", paper.authors.split(",")[0] + " et al.", cited


def sections(results: Results, ledger: Ledger | None) -> Iterator[Section]:
    """Return the tables of a report in order, what answers first, without those that are empty."""
    protocol = notes.protocol(results)
    details = [tables.detail(results, method) for method in results.methods]
    ranks = printed_ranks(results)
    compared = comparison_section(compare_methods(results), results.metric, ranks)
    printed = [table for parts in printed_tables(results).values() for table in parts]
    parts: list[tuple[str, str, Sequence[Table | None]]] = [
        ("results", "", [tables.overview(results)]),
        ("agreement", "", [tables.agreement_table(results)]),
        ("claims", "The paper's claims", claimtable.claim_tables(ledger, results.metric)),
        ("gaps", "", [listings.gaps(results)]),
        ("last-values", "", [listings.last_values(results)]),
        *((each.key, each.title, each.tables) for each in compared),
        ("paper-tables", "The paper's tables", printed),
        ("also-published", "", [listings.also_published(results)]),
        ("itself", "", [claimtable.own_contradictions(ledger)]),
        ("notes", "How to read this", [protocol]),
        ("details", "Each method in full", details),
        ("what", "Data sets and methods", [listings.datasets(results), listings.methods(results)]),
        ("where", "Where and how it ran", provenance.where(results.environments, results.commands)),
    ]
    for key, title, found in parts:
        made = [table for table in found if table is not None and table.rows]
        texts = notes.notes(results) if key == "notes" else []
        if made or texts:
            yield Section(key, title or made[0].title, texts, made)
