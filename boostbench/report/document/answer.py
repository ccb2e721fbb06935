"""How a report begins: the answer in sentences, what was run, what is missing or has changed."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.readings import ClaimReadings
from boostbench.papers.settings import others_of
from boostbench.plan.absent import unplanned, without_data
from boostbench.report.document.comparisons import own_sentences
from boostbench.report.frames.averages import is_near
from boostbench.report.frames.cell import (
    DECIDED_OR_NOT,
    Cell,
    CellVerdict,
    RemarkKind,
    missing_text,
)
from boostbench.report.frames.curves import TOLERANCE
from boostbench.report.frames.pairs import PairVerdict, caveats_of
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.run_columns import NO_SCORE
from boostbench.report.frames.runs import number_of
from boostbench.report.sentences import findings, introduction
from boostbench.report.sentences.findings import ApartAlone, BestOn, WithoutScore
from boostbench.report.verdicts.ledger import JUDGED
from boostbench.report.verdicts.one_run import one_run_sentences
from boostbench.report.verdicts.winners import certainty, is_separate
from boostbench.report.words import times
from boostbench.suggest import counted

MOST_GAPS = 4
"""The most groups of methods without a score that are named one by one."""
MOST_WINNERS = 4
"""The most methods whose data sets are counted."""
CERTAINTIES = ("sure", "partly sure", "not sure")


def purpose(results: ReportData) -> str:
    """Return the purpose of an experiment.

    Parameters
    ----------
    results : ReportData
        The runs and cells of a results folder.

    Returns
    -------
    str
        ``table`` (of a paper), ``curves`` (a figure of one) or ``runs`` (neither).
    """
    wanted, paper = results.experiment.get("table"), results.paper
    if paper is None or not wanted:
        return "runs"
    if wanted in paper.figures:
        return "curves" if results.recorded_curves else "runs"
    return "table" if results.counted_cells else "runs"


def answer(results: ReportData, claims: Sequence[ClaimReadings]) -> list[str]:
    """Return the result in sentences, the answer first.

    Parameters
    ----------
    results : ReportData
        The runs and cells of a results folder.
    claims : sequence of ClaimReadings
        The paper's claims as judged on them, if it has any.

    Returns
    -------
    list of str
        Plain text; what follows the first one says how sure it is, or gives the averages.
    """
    gaps = without_score(results)
    if results.done.empty:
        return gaps or [findings.NO_RUN]
    said = [*own_sentences(results), *_of_experiment(results, claims)]
    conclusions = partial(_on_methods, names_best=purpose(results) == "runs")
    return [*said, *one_run_sentences(results, claims, said, conclusions), *gaps]


def _on_methods(results: ReportData, *, names_best: bool) -> list[str]:
    """Return whether own methods are better, and which methods are the best, how surely."""
    return [*own_sentences(results), *(winners(results)[:2] if names_best else [])]


def _of_experiment(results: ReportData, claims: Sequence[ClaimReadings]) -> list[str]:
    """Return what the experiment's table, curves or runs say, whoever's the methods are."""
    kind, counts = purpose(results), judged_claims(claims)
    judged = findings.verdicts_on_claims(counts) if counts else ""
    judged = f"{judged} {lacking_settings(claims)}".strip()
    if kind == "table":
        return [f"{cells_sentence(results)} {judged}".strip(), *_averages(results)]
    finding = who_converges_first(results) if kind == "curves" else ""
    first, *rest = [f"{finding}."] if finding else winners(results)
    return [f"{judged} {first}".strip() if kind == "curves" else first, *rest]


def cells_by_verdict(results: ReportData) -> dict[CellVerdict, int]:
    """Return how many cells with a printed value have each verdict."""
    counts = Counter(cell.verdict for cell in results.counted_cells)
    return {verdict: counts[verdict] for verdict in DECIDED_OR_NOT if counts[verdict]}


def judged_claims(claims: Sequence[ClaimReadings]) -> dict[ClaimVerdict, int]:
    """Return how many claims have each of the verdicts :data:`JUDGED`, not reproduced first."""
    counts = Counter(claim.judged.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in JUDGED if counts[verdict]}


def lacking_settings(claims: Sequence[ClaimReadings]) -> str:
    """Return how many claims are undecided for want of other settings, in a sentence."""
    judged = [claim.judged for claim in claims if claim.judged.lacks]
    others = [others_of(own.conditions, name) for own in judged for name in own.lacks]
    return findings.lacking(len(judged), list(dict.fromkeys(others))) if judged else ""


def cells_sentence(results: ReportData) -> str:
    """Return the numbers of printed cells by verdict in a sentence, "" if none is compared."""
    counts = cells_by_verdict(results)
    return findings.verdicts_on_cells(counts) if counts else ""


@dataclass(frozen=True)
class AverageBesidePrint:
    """A measured and a printed average, and their difference, as they are written.

    ``is_near`` says that the difference is within the metric's tolerance.
    """

    measured: str
    printed: str
    difference: str
    is_near: bool


def averages(results: ReportData) -> dict[str, AverageBesidePrint]:
    """Return the averages with a printed one, by method."""
    methods = {cell.method for cell in results.counted_cells}
    return {
        cell.method: _beside_print(results, cell)
        for cell in results.cells
        if cell.average == "arithmetic" and not cell.common
        if cell.method in methods and cell.difference is not None
    }


def _beside_print(results: ReportData, cell: Cell) -> AverageBesidePrint:
    metric = results.metric
    is_elsewhere = cell.about_print and cell.about_print.kind is RemarkKind.ELSEWHERE
    return AverageBesidePrint(
        measured=metric.text(cell.compared),
        printed=metric.text(cell.published) + " over the same data sets" * bool(is_elsewhere),
        difference=metric.difference(cell.difference),
        is_near=bool(is_near(cell, metric)),
    )


def _averages(results: ReportData) -> list[str]:
    near: list[str] = []
    far: list[str] = []
    for label, one in averages(results).items():
        text = f"{results.names[label]} {one.measured} (printed {one.printed})"
        (near if one.is_near else far).append(text)
    return [findings.averages_beside_print(near, far, results.metric)] if near or far else []


def winners(results: ReportData) -> list[str]:
    """Return the best method of each data set, and how certain that is."""
    champions = results.champions
    of_runs = "score" if (results.runs.status == NO_SCORE).any() else "finished run"
    if champions.empty:
        return [findings.no_best_method(of_runs)]
    datasets: dict[str, list[str]] = defaultdict(list)
    for data, own in champions.groupby("dataset", sort=False):
        datasets[certainty(own)].append(str(data))
    tested = {word: datasets[word] for word in CERTAINTIES if word in datasets}
    on_one_split, in_windows = datasets[PairVerdict.ONE_SPLIT], datasets[PairVerdict.WINDOWS]
    sentences = [_best_methods(results)]
    if tested:
        sentences += [findings.how_sure(tested), *_apart_alone(results)]
    elif not on_one_split and not in_windows:
        sentences.append(findings.nothing_compared(of_runs))
    pairs = results.pairs
    caveats = caveats_of(pairs[pairs.dataset.isin([*chain.from_iterable(tested.values())])])
    limited = replace(caveats, one_split=on_one_split, windows=in_windows)
    return [*sentences, *limited.sentences]


def _best_methods(results: ReportData) -> str:
    """Return the best method of each data set; equal ones share the first place."""
    names, metric = results.names, results.metric
    best: list[BestOn] = []
    wins = Counter[str]()
    for data, own in results.champions.groupby("dataset", sort=False):
        methods = [names[label] for label in own.method[own.is_best]]
        score = f"{metric.text(own['mean'].iloc[0])} {metric.unit}".strip()
        best.append(BestOn(str(data), methods, score, is_compared=len(own) > 1))
        wins.update(methods)
    return findings.best_methods(best, dict(wins.most_common(MOST_WINNERS)), metric)


def _apart_alone(results: ReportData) -> list[str]:
    """Return where an interval says more than the adjusted p, in a sentence if anywhere."""
    champions = results.champions
    apart = champions[(champions.low > 0.0) & ~is_separate(champions)]
    alone = []
    for data, own in apart.groupby("dataset", sort=False):
        methods = [results.names[label] for label in own.method]
        comparisons = int(own.comparisons.iloc[0])
        alone.append(ApartAlone(str(data), methods, own.p_deciding.min(), comparisons))
    return [findings.apart_alone(alone)] if alone else []


def without_score(results: ReportData) -> list[str]:
    """Return which finished runs have no score, and why, in sentences; none where all have one."""
    methods: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for cell in results.only_cells:
        why = missing_text(one for one in cell.missing if one.status == NO_SCORE)
        if why:
            methods[cell.dataset, why, cell.fewer].append(results.names[cell.method])
    groups = [WithoutScore(data, own, why, fewer) for (data, why, fewer), own in methods.items()]
    sentences = []
    if groups and results.done.empty:
        sentences.append(findings.no_scores(results.metric))
    sentences += map(findings.without_score, groups[:MOST_GAPS])
    if len(groups) > MOST_GAPS:
        sentences.append(findings.more_without_score(len(groups) - MOST_GAPS))
    return sentences


def who_converges_first(results: ReportData) -> str:
    """Return which method comes near the lowest objective sooner, "" if that is unknown."""
    times_by_method, names = results.convergence.time_to_tolerance, results.names
    if times_by_method is None:
        return ""
    first, last = times_by_method.index
    ratios = times_by_method.loc[last] / times_by_method.loc[first]
    ends = list(dict.fromkeys([times(ratios.min()), times(ratios.max())]))
    return findings.reaches_objective_sooner(names[first], names[last], TOLERANCE, ends)


# -- what was run ----------------------------------------------------------------------------------


def intro(results: ReportData) -> str:
    """Return the introduction: data sets, folds, seeds, runs, and whether all have finished."""
    experiment = results.experiment
    done = int(results.runs.status.isin(["ok", NO_SCORE]).sum())
    table, paper = experiment.get("table"), results.paper
    datasets = len(results.datasets)
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
    """Return that others made the runs, the missing parts of the plan, and the changes since."""
    experiment, runs = results.experiment, results.runs
    lost = runs[~runs.status.isin(["ok", NO_SCORE])]
    counts = lost.groupby("status", sort=False).trials.sum()
    failed = {str(status): int(number) for status, number in counts.items()}
    failed = dict(Counter(failed).most_common())
    not_loaded = unplanned(experiment, [cell.dataset for cell in results.planned])
    sentences = results.elsewhere
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


def source(results: ReportData) -> str:
    """Return the paper, and the tables with which the measured values are compared."""
    paper = results.paper
    names = sorted({c.published_table for c in results.only_cells if c.published_table})
    if paper is None or (paper.cells and not names):
        return ""
    return introduction.source(paper, names)
