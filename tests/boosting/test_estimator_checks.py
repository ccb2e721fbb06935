"""scikit-learn's own checks, and the rules for the package as a whole."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from boostbench.boosting import AdaBoostECC, AdaBoostMH, AdaBoostMO, MultiBoost, MultiBoostCW


@parametrize_with_checks(
    [
        MultiBoostCW(),
        MultiBoostCW(stagewise=True),
        MultiBoostCW(solver="lbfgsb", max_iter=10),
        MultiBoost(max_iter=20),
        AdaBoostMH(),
        AdaBoostMO(max_iter=100),
        AdaBoostECC(),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


_WITHOUT_COMPILER = """
import json
import numpy as np
from boostbench.boosting import *
rng = np.random.default_rng(0)
X, y = np.round(rng.normal(size=(40, 3)), 1), np.arange(40) % 3
for m in (MultiBoostCW(max_iter=2, random_state=0), AdaBoostMH(max_iter=2),
          AdaBoostMO(max_iter=2), AdaBoostECC(max_iter=2, random_state=0),
          MultiBoost(max_iter=2, solver="fcd", random_state=0)):
    m.fit(X, y)
    print(json.dumps([m.stumps_.tolist(), m.decision_function(X).tolist()]))
"""


def test_kernels_give_the_same_without_the_compiler():
    def outcome(**environment: str) -> list:
        done = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-P", "-c", _WITHOUT_COMPILER],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    plain, compiled = outcome(NUMBA_DISABLE_JIT="1"), outcome()
    assert len(plain) == 5
    for (stumps, scores), (compiled_stumps, compiled_scores) in zip(plain, compiled, strict=True):
        assert stumps == compiled_stumps
        # Fused multiply-adds move the exponentials by an ulp, and solving carries that on.
        np.testing.assert_allclose(scores, compiled_scores, rtol=0, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 12, 50])
def test_any_number_of_classes(n_classes):
    rng = np.random.default_rng(1)
    y = np.arange(300) % n_classes
    X = np.column_stack([y + 0.3 * rng.normal(size=300), rng.normal(size=300)])
    for model in (
        MultiBoostCW(max_iter=30, random_state=0),
        AdaBoostMH(max_iter=30),
        AdaBoostECC(max_iter=30, random_state=0),
    ):
        assert model.fit(X, y).score(X, y) > 1.5 / n_classes
