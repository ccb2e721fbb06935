"""How a report begins: what was run, by which design, and what is missing or has changed."""

from collections import Counter
from collections.abc import Mapping

from boostbench.plan.absent import unplanned, without_data
from boostbench.report.document.answer import purpose
from boostbench.report.frames.results import ReportData
from boostbench.report.frames.run_columns import NO_SCORE
from boostbench.report.frames.runs import number_of
from boostbench.report.sentences import introduction
from boostbench.suggest import counted


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
