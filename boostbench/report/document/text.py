"""A report as text: the experiment in a paragraph, then all tables in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from boostbench.papers import Paper, not_published
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.roles import roles_of, unknown_rounds, unplayed
from boostbench.plan.absent import unplanned, without_data
from boostbench.report.document import cell_tables, claim_tables, listings, provenance
from boostbench.report.document.answer import answer, purpose
from boostbench.report.document.comparisons import comparison_section
from boostbench.report.document.input_notes import input_notes
from boostbench.report.document.own_methods import own_tables
from boostbench.report.document.paper_tables import printed_tables
from boostbench.report.document.table import Section, TextTable
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.run_columns import NO_SCORE
from boostbench.report.frames.runs import number_of
from boostbench.report.sentences import guide, introduction
from boostbench.report.verdicts.calibrated import calibrated
from boostbench.report.verdicts.choices import choice_tables
from boostbench.suggest import counted

NOTHING = "Nothing is planned here yet: run the experiment first."


@dataclass(frozen=True)
class ReportDocument:
    """A report as text: its title, the ``answer`` in sentences, ``remarks`` and sections.

    The remarks are the introduction, warnings and the source, any of which may be "".
    ``calibration`` says how many verdicts are probably wrong, where that is known.
    """

    title: str
    description: str
    answer: Sequence[str]
    remarks: Sequence[str]
    sections: Sequence[Section]
    calibration: Sequence[str] = ()

    def tables(self, key: str) -> Sequence[TextTable]:
        """Return the tables of a section, none if it is left out."""
        return next((each.tables for each in self.sections if each.key == key), ())

    @property
    def overviews(self) -> Sequence[TextTable]:
        """The main table, if there is one."""
        return self.tables("results")


def document(
    results: ReportData,
    claims: Sequence[ClaimReadings],
    printed: Mapping[str, TextTable] | None = None,
) -> ReportDocument:
    """Return the whole report of ``results`` as text.

    ``printed`` are the paper's tables if they are made already.
    """
    experiment = results.experiment
    title = experiment["title"] or experiment["name"] or "results"
    description = experiment["description"].strip()
    if not results.only_cells:
        nothing = Section("results", "Results", [NOTHING])
        return ReportDocument(title, description, [], ["", *warnings(results), ""], [nothing])
    remarks = [intro(results), *warnings(results), _source(results)]
    said, wrong = answer(results, claims), calibrated(results, claims)
    printed = printed_tables(results) if printed is None else printed
    parts = list(sections(results, claims, [*printed.values()]))
    return ReportDocument(title, description, said, remarks, parts, wrong)


def intro(results: ReportData) -> str:
    """Return the introduction: data sets, folds, seeds, runs, and whether all have finished."""
    experiment = results.experiment
    done = int(results.runs.status.isin(["ok", NO_SCORE]).sum())
    table, paper, datasets = experiment.get("table"), results.paper, len(results.datasets)
    if paper is not None and table and purpose(results) != "runs":
        about = introduction.measured_again(paper, table, datasets)
    else:
        about = introduction.methods_on_datasets(len(results.methods), datasets)
    return introduction.introduction(about, design(results), results.all_planned, done)


def design(results: ReportData) -> str:
    """Return the numbers of partitions, folds or splits, and seeds: 4 folds × 20 seeds."""
    seeds = number_of(results.experiment.get("seeds"))
    return " × ".join([*_partitions(results), *([counted(seeds, "seed")] if seeds > 1 else [])])


def _partitions(results: ReportData) -> list[str]:
    """Return the numbers of partitions, where there are several, and of folds or splits."""
    several = number_of(results.experiment.get("split_seeds"))
    rules = [data.rule for data in results.datasets]
    fixed = all(rule is not None and not rule.uses_split_seed for rule in rules)
    how = [counted(several, "partition")] if several > 1 and not fixed else []
    return [*how, *filter(None, [_parts(results)])]


def _parts(results: ReportData) -> str:
    """Return the number of folds, or those of the splits of the data sets, "" if not recorded."""
    splits, folds = results.experiment.get("splits"), results.experiment.get("folds")
    if isinstance(splits, Mapping):
        return _splits(results, int(splits.get("n") or 1), is_folds=False)
    if any(data.rule is not None and data.rule.is_by_rows for data in results.datasets):
        return _splits(results, int(folds or 1), is_folds=True)
    return counted(folds, "fold") if folds else ""


def _splits(results: ReportData, usual: int, *, is_folds: bool) -> str:
    """Return the numbers of splits of the data sets, ``usual`` unless their rows are given.

    With ``is_folds`` these are folds, where all data sets have some.
    """
    numbers = set[int]()
    for rule in (data.rule for data in results.datasets):
        if rule is None or not (rule.is_by_rows or rule.split in ("given", "listed")):
            numbers.add(usual)
        else:
            numbers.add(1 if rule.is_one_split else rule.folds)
    least = f"{min(numbers)} to " if len(numbers) > 1 else ""
    is_folds &= all(data.rule is not None and data.rule.makes_folds for data in results.datasets)
    return least + counted(max(numbers), "fold" if is_folds else "split")


def warnings(results: ReportData) -> list[str]:
    """Return the missing parts of the plan, and the changes since the runs."""
    experiment, states = results.experiment, results.runs.status
    counts = states[~states.isin(["ok", NO_SCORE])].value_counts()
    failed = {str(status): number for status, number in counts.items()}
    not_loaded = unplanned(experiment, [trial.dataset for trial in results.planned])
    sentences = []
    if failed:
        sentences.append(introduction.runs_without_result(failed))
    if results.not_run:
        sentences.append(f"{results.not_run}.")
    if not_loaded:
        sentences.append(introduction.not_loaded(not_loaded))
    for reason, datasets in without_data(experiment).items():
        sentences.append(introduction.no_data(datasets, reason))
    if shard := experiment.get("shard"):
        sentences.append(introduction.only_a_shard(str(shard)))
    if results.changed:
        sentences.append(introduction.changed_since(results.changed))
    return sentences


def _source(results: ReportData) -> str:
    """Return the paper, and the tables with which the measured values are compared."""
    paper = results.paper
    names = sorted({c.published_table for c in results.only_cells if c.published_table})
    if paper is None or (paper.cells and not names):
        return ""
    return introduction.source(paper, names)


def sections(
    results: ReportData, claims: Sequence[ClaimReadings], printed: Sequence[TextTable]
) -> Iterator[Section]:
    """Yield the parts of a report in order, answers first, without empty ones."""
    labels = {method.label: method.label for method in results.methods}
    lines, metric = cell_tables.agreement_lines(results, labels), results.metric
    details = [cell_tables.detail(results, method) for method in results.methods]
    where = provenance.where(results.environments, results.commands)
    own_title, own, own_on_datasets = own_tables(results)
    parts: list[tuple[str, str, Sequence[str], Sequence[TextTable]]] = [
        ("own", own_title, [], own),
        ("results", "", [], [cell_tables.overview(results)]),
        ("agreement", "Agreement with the printed columns", lines, []),
        ("claims", "The paper's claims", *claim_tables.claim_section(claims, metric)),
        ("choices", "Settings, printed and ours, one at a time", *choice_tables(results)),
        ("comparisons", "Comparisons of methods", *comparison_section(results)),
        ("own-on-datasets", "Own methods on each data set", [], own_on_datasets),
        ("paper-tables", "The paper's tables", [], printed),
        ("itself", "", [], claim_tables.own_contradictions(claims)),
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
