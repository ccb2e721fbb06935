"""The grid of an experiment as ordered trials."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from boostbench.config.model import Experiment
from boostbench.data.splits import SplitRule
from boostbench.estimators import build
from boostbench.methods import ResolvedMethod, resolve
from boostbench.plan.trial import Trial


def expand(
    experiment: Experiment,
    fingerprints: Mapping[str, str],
    methods: Sequence[ResolvedMethod] | None = None,
    rules: Mapping[str, SplitRule] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> list[Trial]:
    """Return the trials, ordered as the experiment lists them.

    That is by data set, method, split seed, fold and seed.

    ``fingerprints`` maps the names of data sets to their fingerprints; a data set that it lacks is
    left out. ``methods`` are the resolved methods, where they are known already; ``rules`` say how
    the rows of loaded data sets are divided, where that is known (:mod:`boostbench.plan.division`);
    ``labels`` has the classes of those data sets that were loaded, for metrics.
    Raises ConfigError as :func:`boostbench.methods.resolve` does.
    """
    if methods is None:
        methods = [resolve(entry, experiment.defaults) for entry in experiment.methods]
    built = {m.label: build(m.estimator, m.some_params, 0) for m in methods}
    staged = {label: hasattr(estimator, "staged_predict") for label, estimator in built.items()}
    metrics = {n: m.function for n, m in experiment.asked_metrics.items() if m.function}
    heads = [
        Trial(
            dataset=request.name,
            method=method.label,
            estimator=method.estimator,
            method_version=method.version,
            fingerprint=fingerprints[request.name],
            task=request.task,
            fold=0,
            split_seed=0,
            seed=0,
            scale_features=experiment.scale_features,
            scale_target=experiment.scale_target if request.task == "regression" else "none",
            params=method.params,
            choose=method.choose,
            choose_with=method.choose_with,
            curves=experiment.curves and request.task == "classification" and staged[method.label],
            code=method.code,
            units=experiment.units if request.task == "regression" else "scaled",
            metrics=metrics,
            labels=tuple((labels or {}).get(request.name, ())) if metrics else (),
            positive=experiment.positive(request.name),
            **asdict(rule),
        )
        for request in experiment.requests()
        if request.name in fingerprints
        for rule in [
            (rules or {}).get(request.name) or experiment.split_rule(request.name, request.task)
        ]
        for method in methods
    ]
    seeds = experiment.seed_list
    return [
        replace(head, split_seed=split_seed, fold=fold, seed=seed)
        for head in heads
        for split_seed in experiment.split_seeds_of(head.split_rule)
        for fold in range(head.folds)
        for seed in seeds
    ]
