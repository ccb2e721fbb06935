"""The grid of an experiment as ordered trials."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Never

from boostbench.config.model import Experiment
from boostbench.data.dataset import Dataset
from boostbench.data.request import DataRequest
from boostbench.data.splits import SplitRule
from boostbench.methods import ResolvedMethod, resolve
from boostbench.papers.metrics import Metric
from boostbench.plan.grid import Grid, Plan, PlannedSplit
from boostbench.plan.rows import Place
from boostbench.plan.trial import Trial
from boostbench.user_code import own_sources

_UNKNOWN: Mapping[str, Never] = {}


def expand(
    experiment: Experiment,
    fingerprints: Mapping[str, str],
    methods: Sequence[ResolvedMethod] | None = None,
    rules: Mapping[str, SplitRule] = _UNKNOWN,
    labels: Mapping[str, Sequence[str]] = _UNKNOWN,
    rows: Mapping[str, Mapping[Place, str]] = _UNKNOWN,
) -> Plan:
    """Return the trials, ordered as the experiment lists them.

    That is by data set, method, split seed, fold and seed.

    ``fingerprints`` maps the names of data sets to their fingerprints; a data set that it lacks is
    left out. ``methods`` are the resolved methods, where they are known already; ``rules`` say how
    the rows of loaded data sets are divided, where that is known (:mod:`boostbench.plan.division`);
    ``labels`` has the classes of those data sets that were loaded, for metrics; ``rows`` has the
    digests of the rows of each split, where the plan lists them: without those a data set is left
    out.
    Raises ConfigError as :func:`boostbench.methods.resolve` does.
    """
    if methods is None:
        methods = [resolve(entry, experiment.defaults) for entry in experiment.methods]
    staged = _staged(methods)
    metrics = functions_of_metrics(experiment)
    grids: list[Grid] = []
    for request in experiment.requests():
        if request.name not in fingerprints:
            continue
        rule = rules.get(request.name) or experiment.split_rule(request.name, request.task)
        digests = rows.get(request.name, {})
        if rule.is_by_rows and not digests:
            continue
        for method in methods:
            first = _first_trial(
                experiment,
                request,
                method,
                rule,
                fingerprint=fingerprints[request.name],
                has_stages=method.label in staged,
                metrics=metrics,
                labels=tuple(labels.get(request.name, ())) if metrics else (),
            )
            grids.append(_on_each_split(experiment, first, digests))
    return Plan(grids)


def expand_to_try(
    experiment: Experiment,
    datasets: Sequence[Dataset],
    methods: Sequence[ResolvedMethod],
) -> Plan:
    """Return trials in which methods and metrics are tried, on data sets that may be made up.

    A random split takes the place of one whose rows the plan would list. Raises ConfigError as
    :func:`expand` does.
    """
    random = SplitRule("shuffle", 1, test_size=0.1)
    rules = {
        name: random if rule.is_by_rows else rule for name, rule in experiment.split_rules.items()
    }
    fingerprints = {dataset.name: dataset.fingerprint for dataset in datasets}
    labels = {dataset.name: dataset.classes for dataset in datasets}
    return expand(experiment, fingerprints, methods, rules, labels)


def _staged(methods: Sequence[ResolvedMethod]) -> set[str]:
    """Return the labels of methods that predict after each round, as learning curves need."""
    built = {m.label: m.made() for m in methods}
    return {label for label, estimator in built.items() if hasattr(estimator, "staged_predict")}


def functions_of_metrics(experiment: Experiment) -> dict[str, str]:
    """Return the functions of the metrics that have one, by name."""
    return {n: metric.function for n, metric in experiment.asked_metrics.items() if metric.function}


def choose_by(metric: Metric) -> str:
    """Return a metric as :class:`~boostbench.plan.trial.Trial` has it to choose by.

    That is its function or its name, after ``-`` where less is better, and before ``@`` and the
    digest of the user's own sources behind it, if there are any.
    """
    name = metric.function or metric.name
    digest = own_sources(name).digest if ":" in name else ""
    sign = "" if metric.greater_is_better else "-"
    return f"{sign}{name}{'@' if digest else ''}{digest}"


def _first_trial(
    experiment: Experiment,
    request: DataRequest,
    method: ResolvedMethod,
    rule: SplitRule,
    *,
    fingerprint: str,
    has_stages: bool,
    metrics: Mapping[str, str],
    labels: Sequence[str],
) -> Trial:
    """Return a trial of a method on a data set, from which the others differ by their places.

    ``has_stages`` says that the method predicts after each round, as learning curves need.
    """
    is_regression = request.task == "regression"
    gets_frame = request.features == "frame" and method.input == "frame"
    ignoring = experiment.entry(request.name).weights_ignored_by
    return Trial(
        dataset=request.name,
        method=method.label,
        estimator=method.estimator,
        method_version=method.version,
        fingerprint=fingerprint,
        task=request.task,
        fold=0,
        split_seed=0,
        seed=0,
        scale_features="none" if gets_frame else experiment.scale_features,
        scale_target=experiment.scale_target if is_regression and not gets_frame else "none",
        params=method.params,
        choose=method.choose,
        choose_with=method.choose_with,
        curves=experiment.curves and has_stages and not is_regression,
        code=method.code,
        units=experiment.units if is_regression else "scaled",
        metrics=metrics,
        labels=labels,
        positive=experiment.positive(request.name),
        features="frame" if gets_frame else "matrix",
        weighted=request.weights is not None and method.label not in ignoring,
        choose_by=choose_by(experiment.metric_named(method.choose_by)) if method.choose_by else "",
        choose_folds=method.choose_folds,
        keep=tuple(experiment.keep),
        described=method.described,
        **asdict(rule),
    )


def _on_each_split(experiment: Experiment, first: Trial, digests: Mapping[Place, str]) -> Grid:
    """Return the trials like ``first`` of all splits and seeds; ``digests`` are those of rows."""
    rule = first.split_rule
    places = experiment.places_of(rule)
    splits = [PlannedSplit(*place, digests.get(place, "")) for place in places]
    like = replace(first, rows=next(iter(digests.values()), ""))
    return Grid(like, splits, experiment.seed_list)
