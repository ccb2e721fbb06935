"""Metrics tried on made-up predictions, before anything is run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from boostbench.data.dataset import Dataset
from boostbench.engine.probe import synthetic, try_metrics
from boostbench.errors import ConfigError
from boostbench.experiment.run import Run
from boostbench.plan.check import place_of_metric
from boostbench.plan.expand import expand
from boostbench.store.types import MISSING, Outcome

# What a metric asks of made-up estimators and they lack, and a metric without a value for them.
_OF_MADE_UP = ("MadeUp", "it returned")


def tried_metrics(run: Run, datasets: Sequence[Dataset]) -> list[str]:
    """Call each metric once for each of ``datasets``, those that were read; return remarks.

    For a task of which no data set was read, random numbers are one. Raises ConfigError for a
    metric that fails wherever it was tried, unless only made-up predictions may be the reason.
    """
    if not run.metrics:
        return []
    tried = {dataset.name: dataset for dataset in datasets}
    tasks = {request.task: request.name for request in run.experiment.requests()}
    read = {dataset.task for dataset in datasets}
    made_up = {name: _unread(task) for task, name in tasks.items() if task not in read}
    outcomes = _outcomes(run, tried | made_up)
    remarks, complaints = list[str](), list[str]()
    for metric in run.metrics:
        failed = {
            name: outcome for name, outcome in outcomes.items()
            if outcome.metrics.get(metric) is None
        }  # fmt: skip
        sentences = [
            f"{metric} on made-up predictions for '{name}': {_reason(metric, outcome)}"
            for name, outcome in failed.items()
        ]
        # Classes that were not read may have other labels.
        unknown = {name for name, dataset in made_up.items() if dataset.classes}
        is_wrong = all(_is_wrong(metric, outcome) for outcome in failed.values())
        if is_wrong and len(failed) == len(outcomes) and not unknown & failed.keys():
            place = run.experiment.where(*place_of_metric(run.experiment, metric))
            complaints += [f"{place}: {sentence}" for sentence in sentences]
        else:
            remarks += [f"{sentence}: not known to be right" for sentence in sentences]
    if complaints:
        raise ConfigError("\n".join(complaints))
    return remarks


def _unread(task: str) -> Dataset:
    """Return random numbers; classes are 0 and 1, on which most metrics of classes are defined."""
    made = synthetic(task, (200, 3))
    return replace(made, y=made.y % 2, classes=("0", "1")) if made.classes else made


def _outcomes(run: Run, tried: Mapping[str, Dataset]) -> dict[str, Outcome]:
    """Return the outcome of one trial with made-up predictions on each data set, by its name."""
    marks = {name: dataset.fingerprint for name, dataset in tried.items()}
    labels = {name: dataset.classes for name, dataset in tried.items()}
    planned = expand(run.experiment, marks, run.methods[:1], labels=labels)
    first = {trial.dataset: trial for trial in reversed(planned)}
    found = try_metrics([first[name] for name in tried], list(tried.values()))
    return dict(zip(tried, found, strict=True))


def _reason(metric: str, outcome: Outcome) -> str:
    return str(outcome.metrics.get(metric + MISSING) or outcome.reason)


def _is_wrong(metric: str, outcome: Outcome) -> bool:
    """Return whether a metric failed for another reason than that predictions were made up."""
    reason = _reason(metric, outcome)
    return outcome.status == "ok" and not any(words in reason for words in _OF_MADE_UP)
