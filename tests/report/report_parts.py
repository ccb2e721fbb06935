"""Trials, outcomes and an experiment made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench.methods import builtin_method_names, get_method
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


class FromNowhere:
    """What a report reads of a store about where its trials ran, where nothing is recorded."""

    def environments(self) -> Mapping[str, Any]:
        return {}

    def environment_ids(self) -> Mapping[str, str]:
        return {}

    def runs(self) -> Sequence[Any]:
        return []


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
