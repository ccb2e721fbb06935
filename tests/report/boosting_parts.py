"""Classification trials and outcomes with learning curves, made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from boostbench.methods import builtin_method_names, get_method
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

Cells = Mapping[tuple[str, str], Sequence[Outcome | None]]
EXPERIMENT: dict[str, Any] = {
    "name": "small",
    "title": "A small boosting experiment",
    "description": "Made by hand.",
    "paper": "multiboost",
    "splits": {"n": 2, "test_size": 0.25},
    "seeds": 1,
    "scale_features": "none",
}


def trial(dataset: str, method: str, split: int, params: Mapping[str, Any] | None = None) -> Trial:
    return Trial(
        dataset=dataset,
        method=method,
        # With a C of their own they are one formulation, distinguished by their solvers.
        estimator=f"boostbench.boosting:{'MultiBoostCW' if 'C' in (params or {}) else method}",
        method_version=get_method(method).version if method in builtin_method_names() else "1",
        fingerprint=dataset.encode().hex().ljust(64, "0")[:64],
        task="classification",
        folds=2,
        fold=split,
        split_seed=0,
        seed=0,
        scale_features="none",
        scale_target="none",
        params=dict(params or {}),
        split="shuffle",
        test_size=0.25,
        curves=True,
    )


def ok(
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


def fill(
    store: Store,
    cells: Cells,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    reverse: bool = False,
    **experiment: Any,
) -> Store:
    """Plan and record ``cells``, the runs of a cell being splits 0, 1, ..."""
    planned = [
        (trial(dataset, method, split, (params or {}).get(method)), outcome)
        for (dataset, method), outcomes in cells.items()
        for split, outcome in enumerate(outcomes)
    ]
    names = dict.fromkeys(dataset for dataset, _ in cells)
    experiment.setdefault("datasets", [{"name": name, "card": name} for name in names])
    store.set_plan({**EXPERIMENT, **experiment}, [item for item, _ in planned])
    store.add_environment("e1", {"python": "3.11.2", "cwd": "/somewhere"})
    for item, outcome in reversed(planned) if reverse else planned:
        if outcome is not None:
            store.record(item, outcome, "e1")
    return store
