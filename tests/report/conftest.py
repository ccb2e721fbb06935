"""Small stores, made by hand, whose cells are known."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boosting_parts
import pytest
from report_parts import EXPERIMENT, Cells, ok, trial

from boostbench.store.store import Store
from boostbench.store.types import Outcome


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Return a function that makes a store of {(data set, method): [R2, Outcome or None, ...]}."""
    made = []

    def make(cells: Cells, depth: int = 3, reverse: bool = False, **experiment: Any) -> Store:
        store = Store.open(tmp_path / f"store{len(made)}", create=True)
        made.append(store)
        planned = [
            (trial(dataset, method, seed, depth), value)
            for (dataset, method), values in cells.items()
            for seed, value in enumerate(values)
        ]
        names = dict.fromkeys(dataset for dataset, _ in cells)
        experiment.setdefault("datasets", [{"name": name, "card": name} for name in names])
        if planned or len(experiment) > 1:
            store.set_plan({**EXPERIMENT, **experiment}, [item for item, _ in planned])
        store.add_environment("e1", {"python": "3.11.2", "cwd": "/somewhere", "cpu": "a processor"})
        for item, value in reversed(planned) if reverse else planned:
            if value is not None:
                outcome = value if isinstance(value, Outcome) else ok(value)
                store.record(item, outcome, "e1")
        return store

    yield make
    for store in made:
        store.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Return a function that makes a store of a boosting experiment: see ``fill``."""
    made = []

    def new(*args: Any, **kwargs: Any) -> Store:
        store = Store.open(tmp_path / f"boosting{len(made)}", create=True)
        made.append(store)
        return boosting_parts.fill(store, *args, **kwargs)

    yield new
    for store in made:
        store.close()


@pytest.fixture
def cells() -> Cells:
    """Cells of every kind: any verdict, exploded, partial, failed, skipped, pending."""
    return {
        ("yacht", "srt"): [0.99, 0.98],
        ("yacht", "srt_l2"): [0.95, 0.96],
        ("yacht", "orrt"): [0.64, -3.0],
        ("yacht", "orrt_trained"): [0.99, 0.99],
        ("yacht", "random_forest_r"): [Outcome("skipped", "Rscript is not installed")] * 2,
        ("housing", "srt"): [0.8, -29.0],
        ("housing", "srt_l2"): [0.95, Outcome("timeout", "over the limit of 10 s")],
        ("housing", "orrt"): [
            Outcome("killed", "by SIGKILL"),
            Outcome("error", "singular | matrix"),
        ],
        ("housing", "orrt_trained"): [None, None],
        ("housing", "random_forest_r"): [Outcome("skipped", "Rscript is not installed")] * 2,
    }


@pytest.fixture
def register(install: Callable[..., None]) -> Callable[..., None]:
    """Return a function that registers papers by name."""
    return partial(install, "boostbench.papers")
