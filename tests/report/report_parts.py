"""Trials, outcomes and an experiment made by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boostbench.config.loading import load_experiment
from boostbench.methods import builtin_method_names, get_method
from boostbench.plan.expand import expand
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

Cells = Mapping[tuple[str, str], Sequence[float | Outcome | None]]
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

    def part(self) -> list[Trial]:
        return list(self.planned)

    def outcomes(self) -> dict[str, Outcome]:
        return dict(self.recorded)

    def experiment(self) -> dict[str, Any]:
        return dict(self.settings)

    def environments(self) -> Mapping[str, Any]:
        return self.places

    def environment_ids(self) -> Mapping[str, str]:
        return self.ids

    def runs(self) -> Sequence[Any]:
        return self.commands


def of_file(name: str, run: Callable[[Trial], Outcome] | None, *overrides: str) -> Memory:
    """Return the store of an experiment's file, of which every trial has run (None: none has)."""
    experiment = load_experiment(name, list(overrides))
    names = [entry.name for entry in experiment.datasets]
    planned = expand(experiment, {name: f"{n:064x}" for n, name in enumerate(names)})
    recorded = {one.key: run(one) for one in planned} if run else {}
    return Memory(planned, recorded, experiment.model_dump(mode="json"))


def trial(dataset: str, method: str, seed: int, depth: int = 3) -> Trial:
    registered = method.partition("@")[0]
    known = get_method(registered) if registered in builtin_method_names() else None
    return Trial(
        dataset=dataset,
        method=method,
        estimator=f"boostbench.trees:{method}",
        method_version=known.version if known else "1",
        fingerprint=dataset.encode().hex().ljust(64, "0"),
        task="regression",
        folds=4,
        fold=0,
        split_seed=0,
        seed=seed,
        scale_features="minmax",
        scale_target="standard",
        params={**(known.params if known else {}), "depth": depth},
    )


def ok(r2: float, fit_s: float = 0.5) -> Outcome:
    return Outcome("ok", metrics={"r2": r2, "n_train": 231, "n_test": 77}, times={"fit_s": fit_s})
