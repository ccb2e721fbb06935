"""A draft of a paper from raw results: a CSV file of runs, or a results folder of one's own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from boostbench.data.cards import Catalog
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError
from boostbench.papers.design import Design
from boostbench.papers.drafts.draft import (
    SD,
    TODO,
    Doubt,
    Draft,
    DraftCell,
    DraftDataset,
    DraftMetric,
)
from boostbench.papers.drafts.names import identifier
from boostbench.papers.drafts.questions import (
    Answers,
    Question,
    ask_cards,
    ask_division,
    ask_methods,
    ask_metrics,
    ask_title,
    ask_units,
    not_a_name,
)
from boostbench.papers.runs_beside import Run, differs, scores_of

if TYPE_CHECKING:
    from boostbench.experiment.results import Results


def draft_of_runs(path: Path, runs: Sequence[Run], answers: Answers) -> Draft:
    """Return a draft whose cells are means of the runs of a CSV file."""
    if not runs:
        raise ConfigError(f"{path}: this file has no runs; name one with a row for each run")
    draft = Draft(path.name, runs_beside=list(runs))
    ask_title(draft, answers)
    metric = answers.ask(Question("metric", "the metric of the scores", wrong=not_a_name))
    draft.metrics = ask_metrics([metric], answers)
    draft.cells = _means(runs, metric, _asked_digits(answers), path.name)
    ask_division(draft, answers)
    ask_units(draft, answers)
    names = {run.dataset: identifier(run.dataset) for run in runs}
    draft.datasets = [DraftDataset(name, printed) for printed, name in names.items()]
    draft.name_cards(lambda: ask_cards(draft.datasets, answers))
    ask_methods(draft, answers)
    return draft


def draft_of_results(path: Path, answers: Answers) -> Draft:
    """Return a draft of one's own runs, of which only the digits are asked."""
    # It imports all that runs experiments, which drafts of tables need not.
    from boostbench.api import load

    results = load(path)
    experiment = results.experiment
    metric = _metric_of(results)
    runs = _runs_of(results, metric)
    title = str(experiment.get("title") or experiment["name"])
    draft = Draft(path.name, title, "own runs", [DraftMetric(metric)], runs_beside=runs)
    draft.design = _design_of(results)
    draft.units = str(experiment.get("units") or "scaled")
    draft.cells = _means(runs, metric, _asked_digits(answers), path.name)
    draft.datasets = [_dataset_of(entry) for entry in experiment["datasets"]]
    return draft


def add_runs(draft: Draft, runs: Sequence[Run]) -> None:
    """Put runs beside the printed tables of a draft; means that are not theirs become doubts."""
    titles = {identifier(data.title): data.name for data in draft.datasets}
    draft.runs_beside = [
        replace(
            run,
            dataset=titles.get(identifier(run.dataset), identifier(run.dataset)),
            method=identifier(run.method),
        )
        for run in runs
    ]
    scores = scores_of(draft.runs_beside)
    for cell in draft.cells:
        own = scores.get((cell.table, cell.dataset, cell.method, ()))
        if own and differs(cell.value, own):
            doubt = f"the mean of its {len(own)} runs is {fmean(own):.6g}"
            of = cell.table, cell.row, cell.column, cell.value, cell.spread
            draft.doubts.append(Doubt(*of, doubt, cell.at, "written"))


def _asked_digits(answers: Answers) -> str:
    def wrong(answer: str) -> str:
        is_number = answer.isdigit() and int(answer) <= 12
        return "" if is_number else f"'{answer}' is no number of decimals from 0 to 12"

    return answers.ask(
        Question("digits", "with how many decimals are means printed", (), "4", wrong)
    )


def _means(runs: Sequence[Run], metric: str, digits: str, source: str) -> list[DraftCell]:
    """Return the means and standard deviations of runs; all decimals, if nobody has said."""
    decimals = 12 if digits == TODO else int(digits)
    cells = []
    for (table, dataset, method, _), scores in scores_of(runs).items():
        mean = fmean(scores)
        squares = math.fsum((score - mean) ** 2 for score in scores)
        sd = math.sqrt(squares / (len(scores) - 1)) if len(scores) > 1 else None
        cells.append(
            DraftCell(
                table=table,
                dataset=identifier(dataset),
                method=identifier(method),
                metric=metric,
                value=f"{mean:.{decimals}f}",
                spread="" if sd is None else f"{sd:.{decimals}f}",
                spread_kind=SD,
                runs=str(len(scores)),
                at=source,
            )
        )
    return cells


def _metric_of(results: "Results") -> str:
    """Return the experiment's own metric, by default that of the task of its first data set."""
    metric = results.experiment.get("metric")
    if metric:
        return str(metric["name"] if isinstance(metric, Mapping) else metric)
    is_regression = results.trials["task"].iloc[0] == "regression"
    return "r2" if is_regression else "error"


def _runs_of(results: "Results", metric: str) -> list[Run]:
    frame = results.trials
    done = frame[frame["status"] == "ok"].dropna(subset=[metric])
    if done.empty:
        raise ConfigError(f"{results.folder}: no run has ended with a {metric}; run it first")
    columns = [done[name] for name in ("dataset", "method", "split_seed", "fold", "seed", metric)]
    return [
        Run("1", identifier(dataset), identifier(method), f"{partition}/{fold}", str(seed), score)
        for dataset, method, partition, fold, seed, score in zip(*columns, strict=True)
    ]


def _design_of(results: "Results") -> Design | None:
    """Return how the rows were divided, ``None`` if by files, groups or a splitter."""
    experiment = results.experiment
    splits = experiment.get("splits") or {}
    seeds = int(experiment.get("seeds") or 1)
    partitions = int(experiment.get("split_seeds") or 1)
    if splits.get("test_size") and splits.get("n"):
        rule = SplitRule("shuffle", splits["n"], float(splits["test_size"]))
        return Design(rule, seeds, partitions=partitions)
    if splits or any(entry.get("splits") for entry in experiment["datasets"]):
        return None
    is_regression = (results.trials["task"] == "regression").all()
    rule = SplitRule("kfold" if is_regression else "stratified", int(experiment["folds"]))
    return Design(rule, seeds, partitions=partitions)


def _dataset_of(entry: Mapping[str, object]) -> DraftDataset:
    name = str(entry["name"])
    card = str(entry.get("card") or "")
    file = str(entry.get("file") or "")
    sizes = Catalog().card(card) if card in Catalog().names and not entry.get("per_class") else None
    return DraftDataset(
        identifier(name),
        name,
        str(sizes.n_samples) if sizes else "",
        str(sizes.n_features) if sizes else "",
        card,
        Path(file).name if file else "",
    )
