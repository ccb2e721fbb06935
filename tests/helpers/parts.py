"""What reports are made of, by hand: trials, outcomes, stores in memory, results and papers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trials import make_trial

from boostbench.config.loading import load_experiment
from boostbench.data.splits import SplitRule
from boostbench.methods import BUILTIN, get_method
from boostbench.papers import Paper
from boostbench.papers.design import Design
from boostbench.papers.metrics import R2, Metric
from boostbench.papers.planned import PlannedDataset, PlannedMethod
from boostbench.papers.settings import Condition
from boostbench.plan.expand import expand
from boostbench.plan.trial import Trial
from boostbench.report.frames.results import ReportData, collect
from boostbench.store.record import DEFAULTS
from boostbench.store.types import Outcome, PlannedCell, PlannedResults, PlannedTrials

Scores = Sequence[Any]
"""Seeds, (folds, seeds) or (partitions, folds, seeds): scores, outcomes, or None: not run yet."""
Cells = Mapping[tuple[str, str], Scores]
EXPERIMENT: dict[str, Any] = {
    "name": "small",
    "title": "A small experiment",
    "description": "Made by hand.",
    "paper": "srt",
    "folds": 4,
    "seeds": 2,
    "scale_features": "minmax",
    "scale_target": "standard",
}
BOOSTING: dict[str, Any] = {
    "name": "small",
    "title": "A small boosting experiment",
    "description": "Made by hand.",
    "paper": "multiboost",
    "splits": {"n": 2, "test_size": 0.25},
    "seeds": 1,
    "scale_features": "none",
}
OF_BOOSTING: dict[str, Any] = {
    "task": "classification",
    "folds": 2,
    "scale_features": "none",
    "scale_target": "none",
    "split": "shuffle",
    "test_size": 0.25,
    "curves": True,
}
HERE = {"python": "3.11.2", "cwd": "/somewhere", "cpu": "a processor"}
A = [[0.80, 0.82, 0.81], [0.75, 0.77, 0.79], [0.85, 0.84, 0.86], [0.78, 0.80, 0.79]]
B = [[0.78, 0.79, 0.77], [0.76, 0.74, 0.75], [0.80, 0.82, 0.81], [0.79, 0.77, 0.78]]
"""The arrays of the specification of the statistics, folds in rows."""
FOUR_FOLDS = SplitRule("kfold", 4)
_BEHIND = {
    "best": (0.0, 0.0, 0.0, 0.0), "a": (0.02, 0.04, 0.05, 0.03), "b": (0.06, -0.02, 0.05, 0.01),
    "c": (0.03, 0.0, -0.01, 0.05), "d": (0.1, -0.05, 0.0, 0.02), "e": (0.02, -0.01, 0.03, 0.0),
}  # fmt: skip
OPEN = {
    ("set", name): [[score - away for score in fold] for fold, away in zip(A, own, strict=True)]
    for name, own in _BEHIND.items()
}
"""Of five comparisons with the best, ``a`` has a p below 5 % by itself, and above it adjusted."""


def results_as_columns(
    planned: Sequence[Trial], outcomes: Sequence[Outcome | None], places: Sequence[str]
) -> PlannedResults:
    """Return what a report reads of the outcomes of trials, of which some have none."""
    ended = [one or Outcome("pending") for one in outcomes]
    columns = ("split_seed", "fold", "seed", "rows", "key")
    place = ([getattr(one, name) for one in planned] for name in columns)
    numbers = range(len(planned))
    return PlannedResults(
        PlannedTrials(dict(enumerate(planned)), numbers, *place),
        position=numbers,
        trials=[1] * len(planned),
        status=[one.status for one in ended],
        reason=[one.reason for one in ended],
        metrics=[one.metrics for one in ended],
        times=[one.times for one in ended],
        time_curve=[one.time_curve or {} for one in ended],
        environment_id=places,
    )


@dataclass(frozen=True)
class Memory:
    """What a report reads of a store (``boostbench.store.store.Store``), in memory."""

    planned: Sequence[Trial]
    recorded: Mapping[str, Outcome] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Any] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    commands: Sequence[Any] = ()
    folder: Path = Path()

    def cells(self) -> list[PlannedCell]:
        cells: dict[tuple[str, str], PlannedCell] = {}
        for trial in self.planned:
            cell = cells.setdefault((trial.dataset, trial.method), PlannedCell(trial, 0, {}, {}))
            ended = sum(cell.recorded.values()) + (trial.key in self.recorded)
            recorded = {"some": ended} if ended else {}
            cell = cell._replace(trials=cell.trials + 1, recorded=recorded)
            cells[cell.dataset, cell.method] = cell
        return list(cells.values())

    def results(self) -> Iterator[PlannedResults]:
        keys = [trial.key for trial in self.planned]
        outcomes, places = map(self.recorded.get, keys), (self.ids.get(key, "") for key in keys)
        yield results_as_columns(self.planned, list(outcomes), list(places))

    def curves(self) -> dict[int, dict[str, list[float]]]:
        each = enumerate(self.recorded.get(trial.key) for trial in self.planned)
        ended = {number: one for number, one in each if one and one.status == "ok"}
        return {
            number: {**(one.curve or {}), **(one.time_curve or {})} for number, one in ended.items()
        }

    def record_of_run(self) -> dict[str, Any]:
        return {**DEFAULTS, **self.settings}

    def environments(self) -> Mapping[str, Any]:
        return self.places

    def runs(self) -> Sequence[Any]:
        return self.commands


def of_file(name: str, run: Callable[[Trial], Outcome] | None, *overrides: str) -> Memory:
    """Return the store of an experiment's file, of which every trial has run (None: none has)."""
    experiment = load_experiment(name, list(overrides))
    names = [entry.name for entry in experiment.datasets]
    planned = expand(experiment, {name: f"{n:064x}" for n, name in enumerate(names)})
    recorded = {one.key: run(one) for one in planned} if run else {}
    return Memory(planned, recorded, experiment.model_dump(mode="json"))


def trial(dataset: str, method: str, depth: int = 3, **changed: Any) -> Trial:
    """Return a trial of a tree; the method ``srt_l2@2`` is ``srt_l2`` at depth 2."""
    name, _, own_depth = method.partition("@")
    known = get_method(name) if name in BUILTIN else None
    params = {**(known.params if known else {}), "depth": int(own_depth or depth)}
    version = known.version if known else "1"
    return make_trial(dataset, method, **{"method_version": version, "params": params, **changed})


def ok(r2: float, fit_s: float = 0.5, **metrics: Any) -> Outcome:
    values = {"r2": r2, "n_train": 231, "n_test": 77, **metrics}
    return Outcome("ok", metrics=values, times={"fit_s": fit_s})


def boosted(
    errors: Sequence[float],
    seconds: float = 0.01,
    objective: Sequence[float] | None = None,
    stop: str = "max_iter",
    **metrics: Any,
) -> Outcome:
    """Return a run whose test error after iteration i is ``errors[i - 1]``.

    An iteration takes ``seconds``, a half of them in the solver.
    """
    steps = range(1, len(errors) + 1)
    losses = [100.0 / step for step in steps] if objective is None else list(objective)
    return Outcome(
        "ok",
        metrics={
            "error": errors[-1],
            "accuracy": 1.0 - errors[-1],
            "train_error": errors[-1] / 2,
            "objective": losses[-1],
            "n_iter": len(errors),
            "stop_reason": stop,
            "n_train": 75,
            "n_test": 25,
            **metrics,
        },
        times={"fit_s": seconds * len(errors), "choose_s": 0.5},
        curve={
            "iteration": [float(step) for step in steps],
            "objective": losses,
            "train_error": [error / 2 for error in errors],
            "test_error": list(errors),
        },
        time_curve={
            "fit_s": [seconds * step for step in steps],
            "solver_s": [seconds * step / 2 for step in steps],
        },
    )


def store_of(
    cells: Cells,
    depth: int = 3,
    reverse: bool = False,
    where: Callable[[Trial], str] | None = None,
    run: Callable[..., Outcome] = ok,
    **experiment: Any,
) -> Memory:
    """Return the store of an experiment on trees, recorded in the order of the plan or reversed.

    Runs took place on the processors of ``where``; ``run`` makes an outcome of a score.
    """
    planned = [
        (trial(*labels, depth, split_seed=partition, fold=fold, seed=seed), value)
        for labels, scores in cells.items()
        for partition, fold, seed, value in _places(scores)
    ]
    methods = dict.fromkeys(label for _, label in cells)
    if any("@" in label for label in methods):
        entries = [{"name": label, "method": label.partition("@")[0]} for label in methods]
        experiment.setdefault("methods", entries)
    done = [
        (one.key, value if isinstance(value, Outcome) else run(value))
        for one, value in planned
        if value is not None
    ]
    settings = _settings(EXPERIMENT, cells, experiment)
    places, ids = {"e1": HERE}, dict.fromkeys(dict(done), "e1")
    if where:
        ids = {one.key: where(one) for one, _ in planned}
        places = {name: {"cpu": name} for name in ids.values()}
    recorded = dict(reversed(done) if reverse else done)
    return Memory([one for one, _ in planned], recorded, settings, places, ids)


def boosting_of(
    cells: Cells, params: Mapping[str, Mapping[str, Any]] | None = None, **experiment: Any
) -> Memory:
    """Return the store of a boosting experiment, the runs of a cell being splits 0, 1, ..."""
    planned = []
    for (dataset, label), outcomes in cells.items():
        own = (params or {}).get(label, {})
        # With a C of their own they are one formulation, distinguished by their solvers.
        estimator = f"boostbench.boosting:{'MultiBoostCW' if 'C' in own else label}"
        for split, outcome in enumerate(outcomes):
            values = {**OF_BOOSTING, "estimator": estimator, "params": own, "fold": split}
            planned.append((trial(dataset, label, **values), outcome))
    recorded = {one.key: outcome for one, outcome in planned if outcome is not None}
    settings = _settings(BOOSTING, cells, experiment)
    return Memory([one for one, _ in planned], recorded, settings, {"e1": {"python": "3.11.2"}})


def _places(scores: Scores) -> list[tuple[int, int, int, Any]]:
    while not (hasattr(scores[0], "__len__") and hasattr(scores[0][0], "__len__")):
        scores = [scores]
    return [
        (partition, fold, seed, value)
        for partition, folds in enumerate(scores)
        for fold, seeds in enumerate(folds)
        for seed, value in enumerate(seeds)
    ]


def _settings(
    usual: Mapping[str, Any], cells: Cells, experiment: Mapping[str, Any]
) -> dict[str, Any]:
    names = dict.fromkeys(dataset for dataset, _ in cells)
    datasets = [{"name": name, "card": name} for name in names]
    return {**usual, "datasets": datasets, **experiment} if cells or experiment else {}


def data(label: str, published_as: str = "", rule: SplitRule = FOUR_FOLDS) -> PlannedDataset:
    return PlannedDataset(label, published_as or label, "0" * 64, card=label, rule=rule)


def method(
    label: str, registered: str = "", changed: Mapping[str, Any] | None = None
) -> PlannedMethod:
    return PlannedMethod(
        label,
        "p:M",
        "1",
        {},
        registered=registered or label,
        conditions={"depth": 3},
        changed=changed or {},
    )


def results_of(
    cells: Cells,
    paper: Paper | None = None,
    metric: Metric = R2,
    datasets: Sequence[PlannedDataset] = (),
    methods: Sequence[PlannedMethod] = (),
    n_rows: int = 400,
    **experiment: Any,
) -> ReportData:
    """Return results beside a paper made by hand; all methods are the registered ones."""
    lost = Outcome("timeout", "over the limit of 10 s")
    made = {
        labels: [[[lost if v is None else v for v in seeds] for seeds in folds] for folds in whole]
        for labels, scores in cells.items()
        for whole in [scores if hasattr(scores[0][0], "__len__") else [scores]]
    }
    found = collect(
        store_of(made, run=lambda r2: ok(r2, 1.0, n_train=n_rows - 100, n_test=100), paper=None)
    )
    return replace(
        found,
        datasets=datasets or [data(name) for name in dict.fromkeys(name for name, _ in cells)],
        methods=methods or [method(name) for name in dict.fromkeys(name for _, name in cells)],
        experiment={**DEFAULTS, "name": "t", **experiment},
        paper=paper,
        metric=metric,
    )


OF_DEPTH = {"depth": Condition(param="depth", of="trees", default=3)}


def paper_of(folder: Path, rows: Sequence[Mapping[str, Any]], **fields: Any) -> Paper:
    """Return a paper whose Table 1 prints ``rows``, to three decimals, over 4 folds x 20 seeds."""
    rows = [*rows, row("another", rows[0]["method"], 0.123)]
    file = folder / "tables.csv"
    names = ("table", "dataset", "depth", "method", "r2_mean", "r2_sd", "negative_r2_runs")
    lines = [",".join(str({"table": 1, **row}.get(name, "")) for name in names) for row in rows]
    file.write_text("\n".join([",".join(names), *lines]) + "\n")
    given = {"runs": 80, "design": Design(FOUR_FOLDS, 20), "conditions": OF_DEPTH, **fields}
    given.setdefault("names", {row["method"]: row["method"] for row in rows})
    return Paper("A paper", "A. Author", "p", "J. 1", folder=folder, **given)


def row(dataset: str = "d", method: str = "srt", mean: float = 0.8, sd: Any = 0.03, out: Any = 0):
    return {
        "dataset": dataset,
        "method": method,
        "depth": 3,
        "r2_sd": sd,
        "r2_mean": mean if isinstance(mean, str) else f"{mean:.3f}",
        "negative_r2_runs": out,
    }
