"""Small fits of every estimator, which tests make in this process and in others."""

import hashlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.boosting import AdaBoostECC, AdaBoostMH, AdaBoostMO, MultiBoost, MultiBoostCW
from boostbench.trees import OptimalRegressionTree, RandomizedRegressionTree, SoftRegressionTree

X = np.random.default_rng(0).random((60, 3))
Y = np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 2]


def bits_of_trees(seed: int) -> dict[str, str]:
    """Return a digest of the predictions of each kind of tree, fitted with a seed."""
    models = {
        "srt": SoftRegressionTree(),
        "l2": SoftRegressionTree(2, "l2", n_restarts=3, n_clusterings=4),
        "convergent": SoftRegressionTree(2, "l2", convergent_after=6),
        "orrt": RandomizedRegressionTree(2, mu=1.0, branch_bound=None, max_iter=30),
        "ort": OptimalRegressionTree(3, l1=1e-4, n_restarts=2),
    }
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, model in models.items():
            predicted = model.set_params(random_state=seed).fit(X, Y).predict(X)
            found[name] = hashlib.sha256(predicted.tobytes()).hexdigest()
    return found


def small_trees() -> list[list[float]]:
    """Return the objective and the sum of the predictions of small trees."""
    models = [
        SoftRegressionTree(2, max_iter=1, max_branch_iter=3, n_clusterings=2, random_state=0),
        SoftRegressionTree(
            2, "l2", max_iter=1, max_branch_iter=3, convergent_after=0, random_state=0
        ),
        SoftRegressionTree(1, max_iter=1, imbalance_threshold=0.5, random_state=0),
        RandomizedRegressionTree(1, mu=1.0, branch_bound=None, max_iter=2, random_state=0),
        OptimalRegressionTree(2, n_restarts=1, random_state=0),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in models:
            model.fit(X[:40], Y[:40])
        return [[float(model.objective_), float(model.predict(X).sum())] for model in models]


def small_boosters() -> list[list[list]]:
    """Return the stumps and the scores of each booster after two rounds."""
    generator = np.random.default_rng(0)
    points, y = np.round(generator.normal(size=(40, 3)), 1), np.arange(40) % 3
    models = [
        MultiBoostCW(max_iter=2, random_state=0),
        AdaBoostMH(max_iter=2),
        AdaBoostMO(max_iter=2),
        AdaBoostECC(max_iter=2, random_state=0),
        MultiBoost(max_iter=2, solver="fcd", random_state=0),
    ]
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for model in models:
            scores = model.fit(points, y).decision_function(points)
            found.append([[list(stump) for stump in model.stumps_.tolist()], scores.tolist()])
    return found


def told_by(code: str, **environment: str) -> dict[str, Any]:
    """Return the ``told`` that ``code`` makes in a process of its own, which finds helpers."""
    clean = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    folders = [str(Path(__file__).parent), *filter(None, [clean.get("PYTHONPATH")])]
    clean |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{code}\nimport json\nprint(json.dumps(told))"],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **environment},
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
