"""Runs that others made, as a store in memory: judged like ours, and said not to be rerun."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.experiment.listener import Listener
from boostbench.experiment.reporting import Reported, written
from boostbench.papers import folder_of, get_paper, is_folder
from boostbench.papers.design import Design
from boostbench.papers.paper import Paper
from boostbench.papers.run_table import read_run_table
from boostbench.papers.runs_elsewhere import RunElsewhere, RunTable
from boostbench.papers.settings import Value, matches
from boostbench.plan.trial import Trial
from boostbench.report.build import build_report
from boostbench.report.frames.runs import TEST_RATIO
from boostbench.report.render.formats import format_names
from boostbench.report.sentences import elsewhere
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.values import Record

_ENDINGS = (".csv", ".tsv", ".txt", ".dat")


def table_of(names: Sequence[str], paper: str | None) -> Path | None:
    """Return the table of runs that is named, None for results; ConfigError if it misses something.

    It is named beside a ``paper``, or has the ending of a table.
    """
    tables = [name for name in names if paper is not None or name.lower().endswith(_ENDINGS)]
    if not tables and paper is None:
        return None
    if paper is None:
        raise ConfigError(
            f"{tables[0]} is a table of runs: name the paper that they are measured against by "
            "--paper, its name or its folder"
        )
    if len(names) != 1:
        raise ConfigError(
            "--paper judges one table of runs that others made: name it, and nothing else, as in "
            f"boostbench verify runs.csv --paper {paper}"
        )
    return Path(tables[0])


def store_of_table(path: Path, paper: str, metric: str | None = None) -> Store:
    """Return the runs of a table as a store in memory; ConfigError where one is wrong.

    ``paper`` is its name or its folder, and ``metric`` that of the scores, by default its first.
    """
    table = read_run_table(path, get_paper(paper), metric)
    published = {run.label: run.published for run in table.runs}
    divisions = {label: _division(table, label, name) for label, name in published.items()}
    trials = [_trial(table, run, divisions[run.label].rule) for run in table.runs]
    outcomes = [
        Outcome("ok", metrics={**run.scores, TEST_RATIO: divisions[run.label].test_ratio})
        for run in table.runs
    ]
    return Store.made(path, _record(table, place_of_paper(paper)), trials, outcomes)


def place_of_paper(paper: str) -> str:
    """Return the absolute path of a paper's folder, or the name of one that is known."""
    return str(folder_of(paper)) if is_folder(paper) else paper


def report_on_table(store: Store, listener: Listener, out: Path | None) -> Reported:
    """Return the report of a table of runs, which is written where ``out`` is given."""
    if out is None:
        return Reported(build_report(store, None), None)
    return Reported(written(store, out, listener, format_names(), []), out)


def _trial(table: RunTable, run: RunElsewhere, rule: SplitRule) -> Trial:
    """Return a run as the trial that a plan would have for it, as far as it is known."""
    partition, fold, seed = run.run
    return Trial(
        **vars(rule),
        dataset=run.label,
        method=run.method,
        estimator=f"{elsewhere.REMARK}: {run.role}",
        method_version="",
        fingerprint=f"{elsewhere.REMARK}: {run.label}",
        task=table.metric.task or "regression",
        fold=fold,
        split_seed=partition,
        seed=int(seed),
        scale_features="none",
        scale_target="none",
        params=_params(table.paper, run),
    )


def _params(paper: Paper, run: RunElsewhere) -> dict[str, Value]:
    """Return the parameters of a method that have its values of the paper's conditions."""
    names = [run.role, *([paper.names[run.role]] if run.role in paper.names else [])]
    pairs = zip(paper.conditions.values(), run.setting, strict=True)
    found = {each.parameter(names): value for each, value in pairs if value is not None}
    return {name: value for name, value in found.items() if name}


def _entry(paper: Paper, run: RunElsewhere) -> dict[str, object]:
    """Return the entry of a data set, with its values of the paper's conditions."""
    pairs = zip(paper.conditions.values(), run.setting, strict=True)
    own = {each.data: value for each, value in pairs if each.data and value is not None}
    return {"name": run.label, **own}


class _Division(NamedTuple):
    """How the rows of a data set are taken to be divided, and n_test / n_train, 0 if unknown."""

    rule: SplitRule
    test_ratio: float


def _division(table: RunTable, label: str, published: str) -> _Division:
    """Return the division of a data set: the paper's, else as many folds as there are splits."""
    design = table.paper.design_of(published) if published else None
    splits = table.splits[label]
    rule = SplitRule("shuffle", splits) if design is None else design.split
    if rule.test_size:
        return _Division(rule, rule.test_size / (1 - rule.test_size))
    folds = rule.folds if rule.makes_folds else splits
    return _Division(rule, 1 / (folds - 1) if folds > 1 else 0.0)


def _record(table: RunTable, paper: str) -> Record:
    """Return the record of an experiment that would have made these runs, as far as it is known."""
    design = table.paper.design
    seeds = {run.run[2] for run in table.runs}
    partitions = sorted({run.run[0] for run in table.runs})
    splits = set(table.splits.values())
    roles = {run.method: run.role for run in table.runs}
    published = {run.label: run.published for run in table.runs}
    first = {run.label: run for run in reversed(table.runs)}
    return {
        "name": table.path.stem,
        "title": f"{table.path.name}, {elsewhere.REMARK}",
        "paper": paper,
        "table": _printed_table(table),
        "metric": table.metric.name,
        "datasets": [_entry(table.paper, first[name]) for name in published],
        "methods": [{"name": name, "plays": role} for name, role in roles.items()],
        "published_as": {label: name for label, name in published.items() if name},
        "seeds": len(seeds),
        "split_seeds": partitions,
        **({"splits": {"n": splits.pop()}} if len(splits) == 1 else {}),
        **_as_stated(design),
        elsewhere.KEY: _unknown(table, design),
    }


def _as_stated(design: Design | None) -> dict[str, object]:
    """Return the scaling and the units that a paper states, as those of the runs."""
    names = ("scale_features", "scale_target", "units")
    stated = {name: getattr(design, name, None) for name in names}
    return {name: value for name, value in stated.items() if value is not None}


def _printed_table(table: RunTable) -> str | None:
    """Return the paper's table that prints the most of the measured cells."""
    paper = table.paper
    measured = {(run.published, run.role, paper.with_defaults(run.setting)) for run in table.runs}
    counts: Counter[str] = Counter()
    for column in paper.columns:
        names = [name for name, own in paper.names.items() if own == column.method]
        counts[column.table] += sum(
            dataset in column.cells and role in names and matches(column.setting, setting)
            for dataset, role, setting in measured
        )
    return next((name for name, number in counts.most_common(1) if number), None)


def _unknown(table: RunTable, design: Design | None) -> list[str]:
    """Return in sentences which runs these are, and what cannot be known of them."""
    return [
        elsewhere.runs_in(table.path.name, len(table.runs)),
        elsewhere.UNKNOWN,
        elsewhere.AS_IN_DESIGN if design else elsewhere.AS_FOLDS,
        *([elsewhere.without_runs(cells)] if (cells := table.without_runs) else []),
        *([elsewhere.not_published(names)] if (names := table.not_published) else []),
        *([elsewhere.not_used(table.not_used)] if table.not_used else []),
    ]
