"""Cells that tests of reports share."""

import pytest
from parts import Cells

from boostbench.store.types import Outcome


@pytest.fixture(scope="session")
def cells() -> Cells:
    """Cells of every kind: any verdict, exploded, partial, failed, skipped, pending."""
    skipped = Outcome("skipped", "Rscript is not installed")
    slow = Outcome("timeout", "over the limit of 10 s")
    killed, wrong = Outcome("killed", "by SIGKILL"), Outcome("error", "singular | matrix")
    return {
        ("yacht", "srt"): [0.99, 0.98],
        ("yacht", "srt_l2"): [0.95, 0.96],
        ("yacht", "orrt"): [0.64, -3.0],
        ("yacht", "orrt_trained"): [0.99, 0.99],
        ("yacht", "random_forest_r"): [skipped, skipped],
        ("housing", "srt"): [0.8, -29.0],
        ("housing", "srt_l2"): [0.95, slow],
        ("housing", "orrt"): [killed, wrong],
        ("housing", "orrt_trained"): [None, None],
        ("housing", "random_forest_r"): [skipped, skipped],
    }
