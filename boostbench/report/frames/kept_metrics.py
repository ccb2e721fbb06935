"""Metrics that were not recorded, measured on kept predictions for a report.

scikit-learn, whose import takes half of the time of most commands, is only imported to measure.
"""

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.estimators import Scorer
from boostbench.papers import Paper
from boostbench.papers.metrics import METRICS, known_metrics
from boostbench.plan.trial import Trial
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import MISSING, Outcome, Scalar
from boostbench.user_code import forget


def with_kept_scores(
    store: Store,
    planned: Sequence[Trial],
    experiment: ExperimentRecord,
    paper: Paper | None,
    metric: str | None,
    folder: Path | None,
) -> tuple[Mapping[str, Outcome], ExperimentRecord]:
    """Return the outcomes and the experiment, with a ``metric`` that trials did not record.

    It is measured where predictions are kept. ``folder`` is that of the experiment file, whose
    modules may have it. Raises ConfigError where it needs the fitted estimator, or has no value for
    any trial.
    """
    outcomes = store.outcomes()
    if metric is None or metric in METRICS:
        return outcomes, experiment
    trials = _lacking(store, planned, outcomes, metric)
    known = known_metrics(experiment, paper)
    function = (known[metric].function if metric in known else "") or metric
    scorer = _scorer(function, folder, is_asked=metric in known) if trials else None
    if scorer is None:
        return outcomes, experiment
    scores = {trial.key: _scores(store, trial, metric, function, scorer) for trial in trials}
    measured = {
        key: replace(outcomes[key], metrics={**outcomes[key].metrics, **own})
        for key, own in scores.items()
    }
    if metric in known:
        return {**outcomes, **measured}, experiment
    if all(own[metric] is None for own in scores.values()):
        reason = next(iter(scores.values()))[metric + MISSING]
        raise ConfigError(f"no kept predictions have a value of '{metric}': {reason}")
    return {**outcomes, **measured}, _asking(experiment, metric)


def _lacking(
    store: Store, planned: Sequence[Trial], outcomes: Mapping[str, Outcome], metric: str
) -> list[Trial]:
    """Return the trials that ended well, did not record a metric and keep their predictions."""
    ended = {key for key in store.with_predictions() if outcomes[key].status == "ok"}
    return [t for t in planned if t.key in ended and metric not in outcomes[t.key].metrics]


def _scorer(function: str, folder: Path | None, *, is_asked: bool) -> Scorer | None:
    """Return a function of predictions as a scorer; None for one of estimators that is recorded."""
    from boostbench.engine.kept_scores import scorer_of_predictions

    place = str(folder or Path.cwd())
    sys.path.insert(0, place)
    if ":" in function:
        # A notebook outlives edits of the file.
        forget(function)
    try:
        return scorer_of_predictions(function)
    except ConfigError:
        if is_asked:
            return None
        raise
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(place)


def _scores(
    store: Store, trial: Trial, metric: str, function: str, scorer: Scorer
) -> dict[str, Scalar]:
    from boostbench.engine.kept_scores import scores_of_kept

    kept = store.predictions(trial.key)
    assert kept is not None
    return scores_of_kept(trial, kept, metric, function, scorer)


def _asking(experiment: ExperimentRecord, metric: str) -> ExperimentRecord:
    """Return an experiment that asks for one more metric."""
    return {**experiment, "metrics": [*experiment.get("metrics", ()), {"name": metric}]}
