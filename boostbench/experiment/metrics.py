"""Metrics tried on made-up predictions, before anything is run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from boostbench.data.dataset import Dataset
from boostbench.engine.probe import synthetic, try_metrics
from boostbench.errors import ConfigError
from boostbench.experiment.preparation import Preparation
from boostbench.plan.check import place_of_metric
from boostbench.plan.expand import expand_to_try
from boostbench.store.types import MISSING, Outcome

# What a metric asks of made-up estimators and they lack, and a metric without a value for them.
_OF_MADE_UP = ("MadeUp", "it returned")


def tried_metrics(run: Preparation, datasets: Sequence[Dataset]) -> list[str]:
    """Call each metric once for each of ``datasets``, those that were read; return remarks.

    For a task of which no data set was read, random numbers are one. Raises ConfigError for a
    metric that fails wherever it was tried, unless only made-up predictions may be the reason.
    """
    if not run.metrics:
        return []
    made_up = _made_up(run, datasets)
    outcomes = _outcomes(run, {dataset.name: dataset for dataset in datasets} | made_up)
    # Classes that were not read may have other labels.
    guessed = {name for name, dataset in made_up.items() if dataset.classes}
    remarks: list[str] = []
    complaints: list[str] = []
    for metric in run.metrics:
        failed = _failed(metric, outcomes)
        sentences = _sentences(metric, failed)
        everywhere = len(failed) == len(outcomes) and not guessed & failed.keys()
        if everywhere and _are_wrong(metric, failed):
            place = run.experiment.where(*place_of_metric(run.experiment, metric))
            complaints += [f"{place}: {sentence}" for sentence in sentences]
        else:
            remarks += [f"{sentence}: not known to be right" for sentence in sentences]
    if complaints:
        raise ConfigError("\n".join(complaints))
    return remarks


def _made_up(run: Preparation, datasets: Sequence[Dataset]) -> dict[str, Dataset]:
    """Return random numbers for each task of which no data set was read, by a name of that task."""
    tasks = {request.task: request.name for request in run.experiment.requests()}
    read = {dataset.task for dataset in datasets}
    return {name: _unread(task) for task, name in tasks.items() if task not in read}


def _sentences(metric: str, failed: Mapping[str, Outcome]) -> list[str]:
    return [
        f"{metric} on made-up predictions for '{name}': {_reason(metric, outcome)}"
        for name, outcome in failed.items()
    ]


def _failed(metric: str, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the outcomes without a value of a metric, by data set."""
    return {name: one for name, one in outcomes.items() if one.metrics.get(metric) is None}


def _unread(task: str) -> Dataset:
    """Return random numbers; classes are 0 and 1, on which most metrics of classes are defined."""
    made = synthetic(task, (200, 3))
    return replace(made, y=made.y % 2, classes=("0", "1")) if made.classes else made


def _outcomes(run: Preparation, tried: Mapping[str, Dataset]) -> dict[str, Outcome]:
    """Return the outcome of one trial with made-up predictions on each data set, by its name."""
    named = [replace(dataset, name=name) for name, dataset in tried.items()]
    planned = expand_to_try(run.experiment, named, run.methods[:1])
    first = {grid.like.dataset: next(iter(grid)) for grid in planned.grids}
    outcomes = try_metrics([first[name] for name in tried], list(tried.values()))
    return dict(zip(tried, outcomes, strict=True))


def _reason(metric: str, outcome: Outcome) -> str:
    return str(outcome.metrics.get(metric + MISSING) or outcome.reason)


def _are_wrong(metric: str, failed: Mapping[str, Outcome]) -> bool:
    """Return whether a metric failed for other reasons than that predictions were made up."""
    return all(
        outcome.status == "ok"
        and not any(words in _reason(metric, outcome) for words in _OF_MADE_UP)
        for outcome in failed.values()
    )
