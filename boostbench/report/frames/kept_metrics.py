"""Metrics that were not recorded, measured on kept predictions for a report.

scikit-learn, whose import takes half of the time of most commands, is only imported to measure.
"""

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.estimators import Scorer
from boostbench.papers import Paper
from boostbench.papers.metrics import METRICS, known_metrics
from boostbench.plan.trial import Trial
from boostbench.store.record import ExperimentRecord
from boostbench.store.store import Store
from boostbench.store.types import MISSING, Scalar
from boostbench.user_code import forget


def kept_scores(
    store: Store,
    experiment: ExperimentRecord,
    paper: Paper | None,
    metric: str | None,
    folder: Path | None,
) -> tuple[Mapping[str, Mapping[str, Scalar]], ExperimentRecord]:
    """Return the scores by trials that did not record a ``metric``, and the experiment with it.

    It is measured where predictions are kept. ``folder`` is that of the experiment file, whose
    modules may have it. Raises ConfigError where it needs the fitted estimator, or has no value for
    any trial.
    """
    if metric is None or metric in METRICS:
        return {}, experiment
    trials = _lacking(store, metric)
    known = known_metrics(experiment, paper)
    function = (known[metric].function if metric in known else "") or metric
    scorer = _scorer(function, folder, is_asked=metric in known) if trials else None
    if scorer is None:
        return {}, experiment
    scores = {trial.key: _scores(store, trial, metric, function, scorer) for trial in trials}
    if metric in known:
        return scores, experiment
    if all(own[metric] is None for own in scores.values()):
        reason = next(iter(scores.values()))[metric + MISSING]
        raise ConfigError(f"no kept predictions have a value of '{metric}': {reason}")
    return scores, _asking(experiment, metric)


def _lacking(store: Store, metric: str) -> list[Trial]:
    """Return the trials that ended well, did not record a metric and keep their predictions."""
    kept = store.with_predictions()
    if not kept:
        return []
    return [
        planned.trial
        for results in store.results()
        for planned, status, metrics in zip(
            results.planned.each, results.status, results.metrics, strict=True
        )
        if planned.key in kept and status == "ok" and metric not in metrics
    ]


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
