"""A whole page in each format, against the files in ``snapshots``.

``BOOSTBENCH_UPDATE_SNAPSHOTS=1 pytest tests/report/test_snapshots.py`` writes them again: read the
difference before it is committed.
"""

import os
from pathlib import Path

import pytest
from boosting_parts import ok
from pages import files_of

from boostbench.store.types import Outcome

SNAPSHOTS = Path(__file__).with_name("snapshots")
PAGES = {
    "md": ("boosting", "table.md"),
    "csv": ("boosting", "table.csv"),
    "latex": ("boosting", "table.tex"),
}
SLOW = [0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]
FAST = [0.8, 0.4, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]


@pytest.fixture
def stores(make_store, make):
    boosting = {
        ("vowel", "multiboost_cw"): [ok(FAST, chosen_C=1e4), ok(FAST, chosen_C=100)],
        ("vowel", "multiboost"): [ok(SLOW, 0.1), ok(SLOW, 0.1)],
        ("vowel", "adaboost_mh"): [None, Outcome("timeout", "over the limit of 10 s")],
        ("usps", "multiboost_cw"): [ok(FAST), ok([*FAST[:-1], 0.12], stop="optimal")],
        ("usps", "multiboost"): [ok(FAST, 0.1), Outcome("killed", "by SIGKILL")],
        ("usps", "adaboost_mh"): [Outcome("skipped", "not today")] * 2,
    }
    return {
        "boosting": make(boosting, table="Figure 1"),
        "own": make_store(
            {("mine", "x"): [0.5, 0.7], ("mine", "y"): [0.6, -2.0], ("other", "x"): [0.1, 0.2]},
            paper=None,
        ),
    }


@pytest.mark.parametrize("form", PAGES)
def test_pages_are_as_they_were(stores, form: str) -> None:
    name, file = PAGES[form]
    text = files_of(stores[name], form)[file].decode()
    kept = SNAPSHOTS / f"{name}{Path(file).suffix}"
    if os.environ.get("BOOSTBENCH_UPDATE_SNAPSHOTS"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8"), kept.name
