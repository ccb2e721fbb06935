"""Checks that methods can take what data sets have for them, and choose as they are asked to."""

from collections.abc import Iterator, Sequence

from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.estimators import load_scorer
from boostbench.methods import ResolvedMethod
from boostbench.sample_weights import weight_parameter
from boostbench.suggest import did_you_mean, listing
from boostbench.user_code import taken_name


def what_methods_cannot_take(
    experiment: Experiment, methods: Sequence[ResolvedMethod]
) -> Iterator[str]:
    """Yield the complaints about weights, frames and metrics to choose by, with their places."""
    yield from _unused_keys(experiment)
    yield from _weights(experiment, methods)
    for i, entry in enumerate(experiment.methods):
        if entry.choose_by and (wrong := _why_not_by(experiment, entry.choose_by)):
            yield f"{experiment.where('methods', i, 'choose', 'by')}: {wrong}"


def _unused_keys(experiment: Experiment) -> Iterator[str]:
    """Yield the complaints about keys that would have no effect."""
    if not experiment.has_frames:
        for i, entry in enumerate(experiment.methods):
            if entry.input == "frame":
                yield (
                    f"{experiment.where('methods', i, 'input')}: '{entry.name}' can get no frame, "
                    "as no data set has one; add 'features: frame' to a data set, or leave 'input' "
                    "out"
                )
    labels = [method.name for method in experiment.methods]
    for i, dataset in enumerate(experiment.datasets):
        ignoring = dataset.weights_ignored_by
        place = experiment.where("datasets", i, "weights_ignored_by")
        if ignoring and dataset.weights is None:
            yield (
                f"{place}: the data set '{dataset.name}' has no weights to ignore; name the column "
                "with 'weights', or leave 'weights_ignored_by' out"
            )
        for label in ignoring:
            if label not in labels:
                yield (
                    f"{place}: no method '{label}'{did_you_mean(label, labels)}; the methods here "
                    f"are {listing(labels)}"
                )


def _weights(experiment: Experiment, methods: Sequence[ResolvedMethod]) -> Iterator[str]:
    """Yield a complaint for each data set with weights that some methods do not take."""
    datasets = enumerate(experiment.datasets)
    weighted = [(i, entry) for i, entry in datasets if entry.weights is not None]
    if not weighted:
        return
    without = [method.label for method in methods if not _takes_weights(method)]
    for i, entry in weighted:
        labels = [label for label in without if label not in entry.weights_ignored_by]
        if labels:
            named = listing(map(repr, labels))
            take = "takes" if len(labels) == 1 else "take"
            yield (
                f"{experiment.where('datasets', i, 'weights')}: {named} {take} no sample_weight in "
                f"fit, which the weights of the data set '{entry.name}' are for; if it is meant "
                f"that they are ignored, add 'weights_ignored_by: [{', '.join(labels)}]' to it"
            )


def _takes_weights(method: ResolvedMethod) -> bool:
    return weight_parameter(method.made()) is not None


def refuse_taken_name(experiment: Experiment, path: str | None) -> None:
    """Raise ConfigError where an import path names a file beside the experiment in vain."""
    taken = taken_name(path, experiment.folder) if path and experiment.folder else ""
    if taken:
        raise ConfigError(taken)


def check_scorer(experiment: Experiment, function: str) -> None:
    """Raise ConfigError where the function of a metric, if it has one, cannot be imported."""
    if ":" in function:
        refuse_taken_name(experiment, function)
    if function:
        load_scorer(function)


def _why_not_by(experiment: Experiment, name: str) -> str:
    """Return why values cannot be chosen by the metric ``name``, "" if they can."""
    try:
        metric = experiment.metric_named(name)
        check_scorer(experiment, metric.function)
    except ConfigError as error:
        return str(error)
    tasks = {experiment.request(entry).task for entry in experiment.datasets}
    others = sorted(tasks - {metric.task}) if metric.task else []
    return f"{name} is for {metric.task}, a data set for {others[0]}" if others else ""
