"""From the store to one table of runs, with their methods and data sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.config.loading import recorded_config
from boostbench.data.cards import Catalog
from boostbench.methods import ResolvedMethod
from boostbench.papers import Paper, paper_of
from boostbench.papers.metrics import Metric, known_metrics, metric_of
from boostbench.papers.planned import PlannedDataset, PlannedMethod
from boostbench.papers.roles import methods_in_paper
from boostbench.papers.settings import USUAL, Conditions
from boostbench.plan.trial import Trial
from boostbench.report.frames.datasets import planned_datasets
from boostbench.report.frames.kept_metrics import kept_scores
from boostbench.report.frames.run_columns import curves_of, frame_of_runs
from boostbench.report.sentences.elsewhere import sentences_on
from boostbench.report.words import names_apart, names_of
from boostbench.stats.paired import as_array
from boostbench.store.store import Store
from boostbench.store.types import PlannedCell, PlannedResults, Scalar, without_unstarted
from boostbench.store.types import RecordedRun as Command
from boostbench.suggest import counted, listing
from boostbench.values import RUN, Record

MOST_NAMES = 6
TEST_RATIO = "test_ratio"
"""The metric of a run that others made with n_test / n_train, of which neither is known."""


@dataclass(frozen=True)
class Runs:
    """The data of a report.

    ``runs`` has one row per run that has ended, and one for those of a split of a cell that have
    not, in the order of the plan. It has the columns in
    :data:`~boostbench.report.frames.run_columns.COLUMNS` and every other recorded number.

    Data sets and methods without runs are left out, unless none has any; ``planned`` has all
    cells. ``environments`` and ``commands`` say where and how the runs took place, ``changed``
    what changed since, if the caller knows that, and ``catalog`` has the cards of data sets.
    """

    runs: pd.DataFrame
    datasets: Sequence[PlannedDataset]
    methods: Sequence[PlannedMethod]
    experiment: Record
    paper: Paper | None
    metric: Metric
    recorded_curves: Mapping[int, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    environments: Mapping[str, Record] = field(default_factory=dict)
    commands: Sequence[Command] = ()
    changed: Sequence[str] = ()
    planned: Sequence[PlannedCell] = ()
    catalog: Catalog = field(default_factory=Catalog)

    @cached_property
    def method_of(self) -> Mapping[str, PlannedMethod]:
        """The methods by their labels."""
        return {method.label: method for method in self.methods}

    @property
    def conditions(self) -> Conditions:
        """The conditions of the paper, or the usual ones."""
        return self.paper.conditions if self.paper else USUAL

    @cached_property
    def dataset_of(self) -> Mapping[str, PlannedDataset]:
        """The data sets by their labels."""
        return {data.label: data for data in self.datasets}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name that each method has everywhere in the report, by its label."""
        return names_of(self.methods, self.paper.titles if self.paper else {})

    @cached_property
    def dataset_names(self) -> Mapping[str, str]:
        """The name of each data set in figures and in tables for a paper, by its label."""
        return names_apart({data.label: data.title or data.label for data in self.datasets})

    @cached_property
    def done(self) -> pd.DataFrame:
        """The runs that ended well, with a score, in the order of the plan."""
        return self.runs[self.runs.status == "ok"]

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], pd.DataFrame]:
        """The planned runs by (data set, method)."""
        return by_cell(self.runs)

    @cached_property
    def finished(self) -> Mapping[tuple[str, str], pd.DataFrame]:
        """The runs that ended well, by (data set, method), indexed by split seed, fold and seed."""
        return {labels: ended_well(own) for labels, own in self.by_cell.items()}

    @property
    def with_runs(self) -> list[str]:
        """The labels of the methods that have a finished run."""
        done = {method for (_, method), own in self.finished.items() if len(own)}
        return [method.label for method in self.methods if method.label in done]

    @cached_property
    def scores_on(self) -> Mapping[str, pd.DataFrame]:
        """The scores on each data set, runs by methods, NaN where a run has not ended well."""
        # A frame of all columns takes three times as long to sort.
        known = self.done[[*RUN, "dataset", "method", "score", "status", "one_split"]]
        done = {
            data.label: ended_well(known[known.dataset == data.label]) for data in self.datasets
        }
        return {
            label: own.set_index("method", append=True)
            .score.unstack()
            .reindex(columns=self.with_runs)
            for label, own in done.items()
        }

    def of(self, dataset: str, method: str) -> pd.DataFrame:
        """Return the finished runs of a method on a data set, none if it was not planned."""
        own = self.finished.get((dataset, method))
        return ended_well(self.runs.iloc[:0]) if own is None else own

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The number of rows of each data set for which a run recorded it."""
        known = self.runs[self.runs.n_rows.notna()].groupby("dataset", sort=False).n_rows.first()
        return {str(name): int(rows) for name, rows in known.items()}

    @cached_property
    def repeated(self) -> Mapping[str, str]:
        """The data sets that are an earlier one, or published as it, each with the label of that.

        Friedman's data and the generated ones are two data sets of an experiment and one in print,
        and one table may be divided in several ways: the first counts.
        """
        first: dict[object, str] = {}
        known = [data for data in self.datasets if data.published_as or data.table]
        same = {
            data.label: first.setdefault(
                (data.published_as, *data.conditions.items()) if data.published_as else data.table,
                data.label,
            )
            for data in known
        }
        return {label: other for label, other in same.items() if other != label}

    @property
    def counted(self) -> list[PlannedDataset]:
        """The data sets without those that are an earlier one, or published as it."""
        return [data for data in self.datasets if data.label not in self.repeated]

    @property
    def all_planned(self) -> int:
        """The number of planned runs, including data sets and methods without any run yet."""
        return sum(cell.trials for cell in self.planned) or int(self.runs.trials.sum())

    @property
    def elsewhere(self) -> list[str]:
        """What is to be said of runs that others made, nothing where they are ours."""
        return sentences_on(self.experiment)

    @cached_property
    def not_run(self) -> str:
        """The data sets and methods that are left out because they have no runs, or ""."""
        left_out = self.all_planned - int(self.runs.trials.sum())
        here = {*self.runs.dataset.unique(), *self.runs.method.unique()}
        names = dict.fromkeys(name for cell in self.planned for name in (cell.dataset, cell.method))
        others = listing([name for name in names if name not in here], MOST_NAMES)
        return f"{counted(left_out, 'trial')} not run, of {others}" if left_out else ""


def by_cell(runs: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return runs by (data set, method), in their order."""
    groups = runs.groupby(["dataset", "method"], sort=False)
    return {(str(label[0]), str(label[1])): own for label, own in groups}


def test_ratio(runs: pd.DataFrame) -> float:
    """Return n_test / n_train, the mean over finished runs; 0 where it is not recorded.

    Runs that others made have only the ratio. Where rows are in groups, groups are counted: rows of
    one group are no independent observations.
    """
    if TEST_RATIO in runs:
        return float(runs[TEST_RATIO].mean()) if len(runs) else 0.0
    test, rows = runs.n_test.to_numpy(), runs.n_rows.to_numpy()
    if runs.n_test_groups.notna().any():
        test = runs.n_test_groups.to_numpy()
        rows = test + runs.n_train_groups.to_numpy()
    known = (test > 0) & (rows > test)
    return float(np.mean(test[known] / (rows - test)[known])) if known.any() else 0.0


def ended_well(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that ended well, in the order of their index: split seed, fold and seed.

    Where one training set and one test set were recorded as several splits, these are one fold.
    """
    done = runs[runs.status == "ok"].set_index([*RUN], drop=False).sort_index()
    if done.one_split.any():
        names = ["/".join(map(str, place)) for place in done.index]
        one = np.zeros(len(done), dtype=np.int64)
        done.index = pd.MultiIndex.from_arrays([one, one, names], names=RUN)
    return done


def in_folds(values: pd.Series) -> NDArray[np.float64]:
    """Return a column of finished runs as an array (partitions, folds, seeds)."""
    return as_array(values.index, values)


def read_runs(store: Store, metric: str | None = None) -> Runs:
    """Read ``store`` once, which may be empty or incomplete.

    ``metric`` is shown in place of the experiment's: one that was recorded, or one of kept
    predictions. Raises ConfigError where that or the experiment's paper is not known.
    """
    planned, experiment = store.cells(), store.record_of_run()
    cells = without_unstarted(planned)
    environments = store.environments()
    config = recorded_config(experiment, store.folder)
    folder = config.parent if config else None
    paper, catalog = paper_of(experiment, folder), Catalog(folder)
    kept, experiment = kept_scores(store, experiment, paper, metric, folder)
    task = cells[0].like.task if cells else "regression"
    shown = metric_of(task, paper, experiment, option=metric)
    is_asked = bool(experiment.get("metric") or metric)
    paper = None if paper is None else _in_metric(paper, shown, is_asked)
    likes = [cell.like for cell in cells]
    results = _with_kept(store, kept) if kept else store.results()
    runs = _started(frame_of_runs(results, _processors(environments), shown), cells)
    return Runs(
        runs=runs,
        datasets=list(planned_datasets(likes, experiment, paper, catalog)),
        methods=methods_in_paper(_resolved(likes), experiment, paper),
        experiment=experiment,
        paper=paper,
        metric=shown,
        recorded_curves=_curves(store, runs),
        environments=environments,
        commands=store.runs(),
        planned=planned,
        catalog=catalog,
    )


def _with_kept(store: Store, kept: Mapping[str, Mapping[str, Scalar]]) -> Iterator[PlannedResults]:
    """Yield the results of a store with the scores of ``kept`` predictions."""
    for results in store.results():
        both = zip(results.planned.key, results.metrics, strict=True)
        yield results._replace(metrics=[{**own, **kept.get(key, {})} for key, own in both])


def _started(runs: pd.DataFrame, cells: Sequence[PlannedCell]) -> pd.DataFrame:
    """Return the ``runs`` of those of the cells whose data sets and methods have started."""
    datasets, methods = {cell.dataset for cell in cells}, {cell.method for cell in cells}
    started = runs[runs.dataset.isin(datasets) & runs.method.isin(methods)].reset_index(drop=True)
    return started.assign(run=started.index)


def _curves(store: Store, runs: pd.DataFrame) -> dict[int, Mapping[str, Sequence[float]]]:
    """Return the learning curves of ``runs`` by their numbers."""
    recorded = store.curves()
    if not recorded:
        return {}
    known = [(number, recorded.get(place, {})) for number, place in enumerate(runs.position)]
    return {number: curves for number, own in known if (curves := curves_of(own))}


def _processors(environments: Mapping[str, Record]) -> dict[str, str]:
    """Return the name of the processor of each environment, "" where it is unknown."""
    return {name: str(values.get("cpu") or "") for name, values in environments.items()}


def _in_metric(paper: Paper, metric: Metric, is_asked: bool) -> Paper | None:
    """Return a paper with its values and claims in a metric, ``None`` if that is not one of its.

    If no one asked for the metric, a paper whose own one runs can have stays as it is.
    """
    if metric.name in paper.metric_names:
        return paper.in_metric(metric.name)
    is_measured = known_metrics({}, paper)[paper.metric].is_measured
    return None if is_asked or not is_measured else paper


def number_of(seeds: list[int] | int | None) -> int:
    """Return the number of seeds of an experiment, given as a number or a list; 0 if unknown."""
    return len(seeds) if isinstance(seeds, list) else int(seeds or 0)


def _resolved(planned: Sequence[Trial]) -> list[ResolvedMethod]:
    """Return the methods of a plan."""
    trials = {trial.method: trial for trial in planned}
    return [
        ResolvedMethod(
            label,
            trial.estimator,
            trial.method_version,
            trial.params,
            trial.choose,
            trial.choose_with,
            choose_by=trial.choice_metric,
            choose_folds=trial.choose_folds,
            described=trial.described,
        )
        for label, trial in trials.items()
    ]
