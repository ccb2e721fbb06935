"""A report in words and tables: the experiment in a paragraph, then all tables in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from boostbench.papers import Paper, not_published
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.roles import roles_of, unknown_rounds, unplayed
from boostbench.report.document import claim_tables, listings, main_tables, provenance
from boostbench.report.document.answer import answer, intro, source
from boostbench.report.document.comparisons import comparison_section, own_tables
from boostbench.report.document.input_notes import input_notes
from boostbench.report.document.printed_tables import printed_tables
from boostbench.report.document.table import Section, TextTable
from boostbench.report.frames.results import PartitionResults, ReportData
from boostbench.report.sentences import guide
from boostbench.report.verdicts.calibrated import calibrated
from boostbench.report.verdicts.choices import choice_tables
from boostbench.report.verdicts.ledger import make_ledger
from boostbench.report.verdicts.margins import by_margin

if TYPE_CHECKING:
    from boostbench.report.figures.files import Drawing

NOTHING = "Nothing is planned here yet: run the experiment first."


class Report:
    """A report of results in words, tables and figures, each made once, when it is asked for.

    ``claims`` are those of the paper as judged on the results, which takes a while where they are
    not given. ``draw`` returns the figures that are written beside the text, ``elsewhere`` the
    undecided cells that other results decide.
    """

    def __init__(
        self,
        results: ReportData,
        claims: Sequence[ClaimReadings] | None = None,
        draw: Callable[[], Iterable["Drawing"]] = tuple,
        elsewhere: Callable[[], PartitionResults | None] = lambda: None,
    ) -> None:
        self.results = results
        self.elsewhere = elsewhere
        self._draw = draw
        if claims is not None:
            self.claims = claims

    @cached_property
    def claims(self) -> Sequence[ClaimReadings]:
        """The judged claims of the paper, none where nothing is planned."""
        ledger = make_ledger([self.results]) if self.is_planned else None
        return ledger.entries if ledger else ()

    @cached_property
    def figures(self) -> Sequence["Drawing"]:
        """The figures, the main one first."""
        return list(self._draw())

    @property
    def is_planned(self) -> bool:
        """Whether there is anything to report on."""
        return bool(self.results.only_cells)

    @property
    def name(self) -> str:
        """The name of the experiment, or another word where it has none."""
        return self.results.experiment["name"] or "results"

    @property
    def title(self) -> str:
        """The title of the experiment, or else its name."""
        return self.results.experiment["title"] or self.name

    @cached_property
    def answer(self) -> Sequence[str]:
        """The result in sentences."""
        return answer(self.results, self.claims) if self.is_planned else []

    @property
    def calibration(self) -> Sequence[str]:
        """How many verdicts are probably wrong, where that is known."""
        return calibrated(self.results, self.claims) if self.is_planned else []

    @property
    def intro(self) -> str:
        """The introduction, "" where nothing is planned."""
        return intro(self.results) if self.is_planned else ""

    @property
    def source(self) -> str:
        """The paper, and its tables with which the measured values are compared, if any."""
        return source(self.results) if self.is_planned else ""

    @cached_property
    def overview(self) -> TextTable:
        """The main table."""
        return main_tables.overview(self.results)

    @cached_property
    def printed(self) -> Mapping[str, TextTable]:
        """The paper's tables that are filled, by name."""
        return printed_tables(self.results)

    @cached_property
    def contradictions(self) -> Sequence[TextTable]:
        """The claims that the paper's own tables contradict, if any."""
        return claim_tables.own_contradictions(self.claims)

    @cached_property
    def own(self) -> tuple[str, list[TextTable], list[TextTable]]:
        """The comparisons of own methods."""
        return own_tables(self.results)

    @cached_property
    def sections(self) -> Sequence[Section]:
        """The parts in order, answers first, without empty ones."""
        return list(_sections(self)) or [Section("results", "Results", [NOTHING])]


def _sections(report: Report) -> Iterator[Section]:
    if not report.is_planned:
        return
    results = report.results
    labels = {method.label: method.label for method in results.methods}
    lines, metric = main_tables.agreement_lines(results, labels), results.metric
    details = [main_tables.detail(results, method) for method in results.methods]
    where = provenance.where(results.environments, results.commands)
    own_title, own, own_on_datasets = report.own
    parts: list[tuple[str, str, Sequence[str], Sequence[TextTable]]] = [
        ("own", own_title, [], own),
        ("results", "", [], [report.overview]),
        ("agreement", "Agreement with the printed columns", lines, []),
        ("claims", "The paper's claims", *claim_tables.claim_section(report.claims, metric)),
        ("choices", "Settings, printed and ours, one at a time", *choice_tables(results)),
        ("comparisons", "Comparisons of methods", *comparison_section(results)),
        ("own-on-datasets", "Own methods on each data set", [], own_on_datasets),
        ("paper-tables", "The paper's tables", [], [*report.printed.values()]),
        ("itself", "", [], report.contradictions),
        ("notes", "How to read this", notes(results), []),
        ("details", "Each method in full", [], details),
        ("what", "Data sets and methods", [], listings.what_ran(results)),
        ("where", "Where and how it ran", [], where),
    ]
    for key, title, texts, every in parts:
        filled = [table for table in every if table.rows]
        if filled or texts:
            yield Section(key, title or filled[0].title, texts, filled)


def notes(results: ReportData) -> list[str]:
    """Return the applicable paragraphs."""
    paper, done = results.paper, results.done
    texts = [guide.SDS]
    if results.recorded_curves:
        texts.append(guide.CURVES)
    if done.clocked.any():
        without_clock = done.method[~done.clocked].unique()
        texts.append(guide.times_by_own_clock(list(without_clock)))
    else:
        texts.append(guide.WALL_TIMES)
    processors = [name for name in done.processor.unique() if name]
    if len(processors) > 1:
        texts.append(guide.several_processors(processors))
    if results.metric.exploded_label:
        texts.append(guide.exploded_runs(results.metric))
    texts += input_notes(results)
    if paper is None:
        return texts
    if counts := by_margin(results.counted_cells):
        texts.append(guide.margins(counts))
    if results.metric.exploded_label:
        texts.append(guide.runs_beside_print(results.metric))
    remarks = [
        *unplayed(paper, results.methods),
        *unknown_rounds(paper, results.methods),
        *_not_published(results, paper),
    ]
    sentences = [f"{text[0].upper()}{text[1:]}." for text in remarks]
    return [*texts, *sentences, *paper.notes(_used(results, paper))]


def _not_published(results: ReportData, paper: Paper) -> list[str]:
    """Return which data sets seem to be the paper's and are others."""
    entries, labels = results.experiment["datasets"], [d.label for d in results.datasets]
    here = [entry for entry in entries if entry["name"] in labels]
    known = {data.label: data.fingerprint for data in results.datasets}
    rows = results.experiment["data_rows"]
    return not_published(paper, here, known, results.catalog, rows)


def _used(results: ReportData, paper: Paper) -> set[str]:
    """Return the methods, roles and cards to which a paper's notes may refer."""
    methods = {method.registered for method in results.methods}
    roles = (roles_of(paper, method) for method in results.methods)
    return {*methods, *chain(*roles), *(data.card for data in results.datasets)}
