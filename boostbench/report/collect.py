"""From the store to runs: one record per planned run, and what methods and data sets are."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from boostbench.config.loading import recorded_config
from boostbench.methods import changed_params, registered_name
from boostbench.papers import Paper, paper_of, published_as
from boostbench.papers.metrics import Metric, metric_of
from boostbench.papers.results import Dataset, Method
from boostbench.plan.trial import Trial
from boostbench.report.freshness import changed_since
from boostbench.report.paired import Index, finished
from boostbench.store.types import Outcome
from boostbench.store.types import Run as Command

_CHOSEN = "chosen_"


class ReportStore(Protocol):
    """What the report reads of a store, which is in ``folder``; it writes nothing to it."""

    folder: Path

    def part(self) -> list[Trial]:
        """Return the planned trials that are reported, in order: those of a shard, or all."""
        ...

    def outcomes(self) -> dict[str, Outcome]:
        """Return what is recorded, by trial key."""
        ...

    def experiment(self) -> dict[str, Any]:
        """Return the experiment as JSON values."""
        ...

    def environments(self) -> Mapping[str, Mapping[str, Any]]:
        """Return where the runs took place, by id."""
        ...

    def environment_ids(self) -> Mapping[str, str]:
        """Return the id of where each trial ran, by trial key."""
        ...

    def runs(self) -> Sequence[Command]:
        """Return the runs in which what is planned was recorded."""
        ...


@dataclass(frozen=True)
class Run:
    """One planned run; what follows ``seed`` is unknown or empty unless ``status`` is ``ok``.

    ``seed`` is that of the training on fold (or split) ``fold`` of the partition ``split_seed``.
    ``score`` and ``train`` are in the report's metric. ``iterations`` counts what the training
    finished, and ``stop`` says why it ended there. ``chosen`` holds the parameters that were chosen
    on a part of the training rows. Times are in seconds; ``fit_s`` is what the method's own clock
    showed at its last iteration, and of a method without one (``clocked``) the wall time of all of
    ``fit``, on ``processor`` ("" where unknown). Of ``n_rows`` rows ``n_test`` were tested.
    ``curve`` maps the recorded quantities to one value per iteration, ``metrics`` has all that was
    recorded as a number.
    """

    dataset: str
    method: str
    status: str
    reason: str
    split_seed: int = 0
    fold: int = 0
    seed: int = 0
    score: float | None = None
    train: float | None = None
    objective: float | None = None
    iterations: int | None = None
    stop: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    fit_s: float | None = None
    solver_s: float | None = None
    choose_s: float | None = None
    n_rows: int | None = None
    n_test: int | None = None
    processor: str = ""
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def clocked(self) -> bool:
        """Whether the method has a clock of its own."""
        return bool(self.curve.get("fit_s"))


@dataclass(frozen=True)
class Collected:
    """All that a report is made of; ``runs`` are in the order of the plan.

    Data sets and methods of which nothing has run are left out, unless that is all of them;
    ``experiment`` then names them under ``not_run``. ``environments`` and ``commands`` say where
    and how the runs took place, ``changed`` what has changed since.
    """

    runs: Sequence[Run]
    datasets: Sequence[Dataset]
    methods: Sequence[Method]
    experiment: Mapping[str, Any]
    paper: Paper | None
    metric: Metric
    environments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    commands: Sequence[Command] = ()
    changed: Sequence[str] = ()

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], Sequence[Run]]:
        """The planned runs by (data set, method)."""
        groups: dict[tuple[str, str], list[Run]] = {}
        for run in self.runs:
            groups.setdefault((run.dataset, run.method), []).append(run)
        return groups

    @cached_property
    def finished(self) -> Mapping[tuple[str, str], Mapping[Index, Run]]:
        """The runs that ended well, by (data set, method) and then by index."""
        return {labels: finished(own) for labels, own in self.by_cell.items()}

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """How many rows each data set has, of those of which a run says so."""
        known: dict[str, int] = {}
        for run in self.runs:
            if run.n_rows:
                known.setdefault(run.dataset, run.n_rows)
        return known


def collect(store: ReportStore, metric: str | None = None) -> Collected:
    """Read ``store`` once, which may be empty or filled in part.

    ``metric`` is shown in place of the experiment's. Raises ConfigError where that or the
    experiment's paper is not known.
    """
    planned, outcomes, experiment = store.part(), store.outcomes(), store.experiment()
    planned, not_run = _with_results(planned, outcomes)
    environments, ids = store.environments(), store.environment_ids()
    processors = {name: str(values.get("cpu") or "") for name, values in environments.items()}
    if not_run:
        experiment = {**experiment, "not_run": not_run}
    config = recorded_config(experiment, store.folder)
    paper = paper_of(experiment, config.parent if config else None)
    task, chosen = planned[0].task if planned else "regression", experiment.get("metric")
    shown = metric_of(task, paper, chosen, experiment, option=metric)
    if paper is not None and (chosen or metric or paper.prints(shown.name)):
        # All that it prints and claims in another metric is left out.
        paper = paper.in_metric(shown.name) if paper.prints(shown.name) else None
    return Collected(
        runs=[
            _run(trial, outcomes.get(trial.key), shown, processors.get(ids.get(trial.key, ""), ""))
            for trial in planned
        ],
        datasets=_datasets(planned, experiment, paper),
        methods=_methods(planned, experiment, paper),
        experiment=experiment,
        paper=paper,
        metric=shown,
        environments=environments,
        commands=store.runs(),
        changed=changed_since(experiment, planned, environments, config),
    )


def parts(experiment: Mapping[str, Any]) -> str:
    """Return what an experiment divides the rows into, in a word."""
    return "splits" if experiment.get("splits") else "folds"


def runs_over(experiment: Mapping[str, Any]) -> str:
    """Return over what the runs of a cell go, such as "folds × seeds"."""
    several = number_of(experiment.get("split_seeds"))
    return f"{'split seeds × ' if several > 1 else ''}{parts(experiment)} × seeds"


def number_of(seeds: Any) -> int:
    """Return how many seeds an experiment has, given as a number or a list; 0 where not known."""
    return len(seeds) if isinstance(seeds, list) else int(seeds or 0)


def _with_results(
    planned: list[Trial], outcomes: Mapping[str, Outcome]
) -> tuple[list[Trial], dict[str, Any]]:
    """Return the trials of data sets and methods of which any has run, and what is left out."""
    done = [trial for trial in planned if trial.key in outcomes]
    datasets, methods = {t.dataset for t in done}, {t.method for t in done}
    kept = [t for t in planned if t.dataset in datasets and t.method in methods]
    if not done or len(kept) == len(planned):
        return planned, {}
    return kept, {
        "datasets": _without(datasets, (t.dataset for t in planned)),
        "methods": _without(methods, (t.method for t in planned)),
        "trials": len(planned) - len(kept),
    }


def _without(seen: Collection[str], names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in seen]


def _run(trial: Trial, outcome: Outcome | None, metric: Metric, processor: str) -> Run:
    which: dict[str, Any] = {"split_seed": trial.split_seed, "fold": trial.fold, "seed": trial.seed}
    if outcome is None:
        return Run(trial.dataset, trial.method, "pending", "", **which)
    if outcome.status != "ok":
        return Run(trial.dataset, trial.method, outcome.status, outcome.reason, **which)
    metrics, times = outcome.metrics, outcome.times
    score, train = score_of(metrics, metric.name), score_of(metrics, f"train_{metric.name}")
    if score is None:
        reason = f"the run recorded no {metric.words}"
        if metric.function and metric.name not in metrics:
            reason += ", which was asked for later"
        return Run(trial.dataset, trial.method, "error", reason, **which)
    curve = {**(outcome.curve or {}), **(outcome.time_curve or {})}
    clock, solver = curve.get("fit_s"), curve.get("solver_s")
    iterations = _number(metrics.get("n_iter"))
    rows = [_number(metrics.get(name)) for name in ("n_train", "n_test")]
    return Run(
        dataset=trial.dataset,
        method=trial.method,
        status="ok",
        reason="",
        **which,
        score=score,
        train=train,
        objective=_number(metrics.get("objective")),
        iterations=None if iterations is None else int(iterations),
        stop=str(metrics.get("stop_reason") or ""),
        chosen={
            name.removeprefix(_CHOSEN): value
            for name, value in metrics.items()
            if name.startswith(_CHOSEN)
        },
        fit_s=clock[-1] if clock else _number(times.get("fit_s")),
        solver_s=solver[-1] if solver else None,
        choose_s=_number(times.get("choose_s")),
        n_rows=int(sum(part or 0 for part in rows)) or None,
        n_test=None if rows[1] is None else int(rows[1]),
        processor=processor,
        curve=curve,
        metrics={name: float(v) for name, v in metrics.items() if isinstance(v, int | float)},
    )


def score_of(metrics: Mapping[str, Any], name: str) -> float | None:
    """Return a recorded score, or what follows from another one in runs of earlier versions.

    That is the accuracy from the error, and the root of the mean squared error.
    """
    value = _number(metrics.get(name))
    if value is None and name.endswith("accuracy"):
        error = _number(metrics.get(name.replace("accuracy", "error")))
        return None if error is None else 1.0 - error
    if value is None and name in ("rmse", "train_rmse"):
        squared = _number(metrics.get(name.replace("rmse", "mse")))
        return None if squared is None else math.sqrt(squared)
    return value


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _methods(
    planned: Sequence[Trial], experiment: Mapping[str, Any], paper: Paper | None
) -> list[Method]:
    entries = {entry.get("name"): entry for entry in _entries(experiment, "methods")}
    first = {trial.method: trial for trial in planned}
    return [_method(trial, entries.get(trial.method), paper) for trial in first.values()]


def _method(trial: Trial, entry: Mapping[str, Any] | None, paper: Paper | None) -> Method:
    registered = registered_name(trial.method, entry)
    if not registered and paper is not None:
        registered = paper.role_of_estimator(trial.estimator, trial.params)
    depth = trial.params.get("depth")
    if depth is None and paper is not None:
        depth = paper.default_depth
    return Method(
        label=trial.method,
        registered=registered,
        estimator=trial.estimator,
        version=trial.method_version,
        params=dict(trial.params),
        depth=depth,
        choose=dict(trial.choose),
        choose_with=dict(trial.choose_with),
        changed=changed_params(registered, trial.params, trial.choose),
    )


def _datasets(
    planned: Sequence[Trial], experiment: Mapping[str, Any], paper: Paper | None
) -> list[Dataset]:
    entries = {entry.get("name"): entry for entry in _entries(experiment, "datasets")}
    published = experiment.get("published_as")
    if published is None:
        # Stores from before it was recorded with the plan.
        fingerprints = {trial.dataset: trial.fingerprint for trial in planned}
        published = published_as(paper, [*entries.values()], fingerprints)
    remarks = experiment.get("data_remarks") or {}
    first = {trial.dataset: trial for trial in planned}
    return [
        Dataset(
            label=name,
            published_as=published.get(name, ""),
            fingerprint=trial.fingerprint,
            card=str((entries.get(name) or {}).get("card") or ""),
            per_class=(entries.get(name) or {}).get("per_class"),
            remarks=tuple(map(str, remarks.get(name, ()))),
            rule=trial.split_rule,
        )
        for name, trial in first.items()
    ]


def _entries(experiment: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    return [entry for entry in experiment.get(part) or () if isinstance(entry, Mapping)]
