"""A results folder with a few outcomes."""

import pytest
from store_parts import OK, PLAN

from boostbench.store.store import Store
from boostbench.store.types import Outcome


@pytest.fixture
def folder(tmp_path):
    with Store.open(tmp_path / "results") as store:
        store.set_plan({"name": "d3", "folds": 4}, PLAN)
        store.record(PLAN[0], OK, "env")
        store.record(PLAN[1], Outcome("error", "ValueError: no"), "env")
        store.record(PLAN[2], Outcome("skipped", "no R here"), "env")
    return tmp_path / "results"
