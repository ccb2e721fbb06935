"""Sums over many slots are sums of blocks, whose number depends only on the data."""

from typing import Any

import numpy as np
import pytest
from boosters import BOOSTERS
from sklearn.base import clone

from boostbench.boosting import _slots


def _data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12))
    X[:, 3] = np.round(X[:, 3])
    X[:, 7] = 1.0
    y = np.digitize(X[:, 1] + X[:, 3] * X[:, 8], [-1.0, 0.0, 0.4, 2.0])
    # The same splits once more, and as good ones the other way round: the lowest feature wins.
    X[:, 9], X[:, 10], X[:, 11] = X[:, 1], -X[:, 3], X[:, 8]
    weight = rng.random(3000)
    weight[::7] = 0.0
    return X, y, weight


@pytest.mark.parametrize("name", [name for name in BOOSTERS if name != "multiboost"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sums_of_blocks_are_those_of_all_slots(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, weight = _data()
    whole = clone(BOOSTERS[name]).set_params(max_iter=4).fit(X, y, weight)
    assert set(whole.stumps_["feature"]) <= {*range(-1, 9)}
    monkeypatch.setattr(_slots, "_BLOCK", 500)
    blocks = clone(BOOSTERS[name]).set_params(max_iter=4).fit(X, y, weight)
    np.testing.assert_allclose(blocks.objective_history_, whole.objective_history_, rtol=1e-6)


def test_the_number_of_blocks_depends_on_the_number_of_slots_only() -> None:
    sizes = [_slots.make_slots(np.zeros(n, dtype=np.intp), 1).n_blocks for n in (1, 32_760, 10**5)]
    assert sizes == [1, 1, 6]
