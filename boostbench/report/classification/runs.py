"""The runs of a classification experiment, one record each, and what was planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boostbench.report.choices import chosen_in
from boostbench.report.frame import dataset_infos, method_infos, paper_of

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.plan.trial import Trial
    from boostbench.report.frame import DatasetInfo, MethodInfo, ResultsStore
    from boostbench.store.types import Outcome


@dataclass(frozen=True)
class Run:
    """One planned run; all but the first four are unknown or empty unless ``status`` is ``ok``.

    ``error`` and ``train_error`` are shares of misclassified rows. ``iterations`` counts what the
    training finished, and ``stop`` says why it ended there. ``chosen`` holds the parameters that
    were chosen on a part of the training rows. Times are in seconds; ``fit_s`` is what the method's
    own clock showed at its last iteration, as in the figures, and of a method without one
    (``clocked``) the wall time of all of ``fit``. ``curve`` maps objective, train_error,
    test_error, fit_s and solver_s, as far as they were recorded, to one value an iteration.
    """

    dataset: str
    method: str
    status: str
    reason: str
    error: float | None = None
    train_error: float | None = None
    objective: float | None = None
    iterations: int | None = None
    stop: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    fit_s: float | None = None
    solver_s: float | None = None
    choose_s: float | None = None
    n_rows: int | None = None
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def clocked(self) -> bool:
        """Whether the method has a clock of its own."""
        return bool(self.curve.get("fit_s"))


@dataclass(frozen=True)
class Results:
    """All that a report on classification is made of; ``runs`` are in the order of the plan."""

    runs: Sequence[Run]
    datasets: Sequence[DatasetInfo]
    methods: Sequence[MethodInfo]
    experiment: Mapping[str, Any]
    paper: Paper | None


def load_results(store: ResultsStore) -> Results:
    """Read ``store`` once; an empty or partly filled one is as good as a full one."""
    plan, outcomes, experiment = store.part(), store.outcomes(), store.experiment()
    paper = paper_of(experiment)
    return Results(
        runs=[_run(trial, outcomes.get(trial.key)) for trial in plan],
        datasets=dataset_infos(plan, experiment, paper),
        methods=method_infos(plan, experiment, paper),
        experiment=experiment,
        paper=paper,
    )


def _run(trial: Trial, outcome: Outcome | None) -> Run:
    if outcome is None:
        return Run(trial.dataset, trial.method, "pending", "")
    if outcome.status != "ok":
        return Run(trial.dataset, trial.method, outcome.status, outcome.reason)
    metrics, times = outcome.metrics, outcome.times
    error = _number(metrics.get("error"))
    if error is None:
        return Run(trial.dataset, trial.method, "error", "the run recorded no test error")
    curve = {**(outcome.curve or {}), **(outcome.time_curve or {})}
    clock, solver = curve.get("fit_s"), curve.get("solver_s")
    iterations = _number(metrics.get("n_iter"))
    parts = [_number(metrics.get(name)) for name in ("n_train", "n_test")]
    return Run(
        dataset=trial.dataset,
        method=trial.method,
        status="ok",
        reason="",
        error=error,
        train_error=_number(metrics.get("train_error")),
        objective=_number(metrics.get("objective")),
        iterations=None if iterations is None else int(iterations),
        stop=str(metrics.get("stop_reason") or ""),
        chosen=chosen_in(metrics),
        fit_s=clock[-1] if clock else _number(times.get("fit_s")),
        solver_s=solver[-1] if solver else None,
        choose_s=_number(times.get("choose_s")),
        n_rows=int(sum(part or 0 for part in parts)) or None,
        curve=curve,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
