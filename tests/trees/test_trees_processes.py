"""What can only be seen from another process: determinism, kernels compiled, or not compiled."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from boostbench.trees import (
    branch_probabilities,
    cluster_leaves,
    davies_bouldin_index,
    leaf_outputs,
    leaf_probabilities,
    leaf_step,
    orrt_objective,
    predict_hard,
    reassign_points,
    route,
    srt_objective,
)

_DATA = """
import json, hashlib, sys, warnings
import numpy as np
warnings.simplefilter("error")
from boostbench.trees import *
rng = np.random.default_rng(0)
X = rng.random((60, 3))
y = np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 2]
told = {}
"""

_BITS = """
models = {
    "srt": SoftRegressionTree(random_state=7),
    "l2": SoftRegressionTree(2, "l2", n_restarts=3, n_clusterings=4, random_state=7),
    "convergent": SoftRegressionTree(2, "l2", convergent_after=6, random_state=7),
    "orrt": RandomizedRegressionTree(2, mu=1.0, branch_bound=None, max_iter=30, random_state=7),
    "ort": OptimalRegressionTree(3, l1=1e-4, n_restarts=2, random_state=7),
}
def bits(model):
    return hashlib.sha256(model.fit(X, y).predict(X).tobytes()).hexdigest()
told["bits"] = {name: bits(model) for name, model in models.items()}
assert told["bits"] == {name: bits(model) for name, model in models.items()}
assert all(bits(m.set_params(random_state=8)) != told["bits"][n] for n, m in models.items())
"""

_SMALL = """
told["small"] = []
for model in (
    SoftRegressionTree(2, max_iter=1, max_branch_iter=3, n_clusterings=2, random_state=0),
    SoftRegressionTree(2, "l2", max_iter=1, max_branch_iter=3, convergent_after=0, random_state=0),
    SoftRegressionTree(1, max_iter=1, imbalance_threshold=0.5, random_state=0),
    RandomizedRegressionTree(1, mu=1.0, branch_bound=None, max_iter=2, random_state=0),
    OptimalRegressionTree(2, n_restarts=1, random_state=0),
):
    model.fit(X[:40], y[:40])
    told["small"].append([float(model.objective_), float(model.predict(X).sum())])
"""

# numba takes read-only arrays for another type: half a minute, in the middle of a measurement.
_READ_ONLY = """
def compiled():
    trees = [module for name, module in sys.modules.items() if name.startswith("boostbench.trees")]
    values = {id(value): value for module in trees for value in vars(module).values()}
    return sum(len(getattr(value, "overloads", ())) for value in values.values())
before = compiled()
X.flags.writeable = y.flags.writeable = False
SoftRegressionTree(2, max_iter=1, random_state=0).fit(X, y).predict(X)
OptimalRegressionTree(2, "hyperplane", l1=0, cp=0.01, n_restarts=2).fit(X, y)
OptimalRegressionTreeCV(2, n_restarts=2, penalty_weight="points", penalty_scale="raw").fit(X, y)
told["compiled"] = [before > 0, compiled() - before]
"""


def _python(code, **environment):
    """What ``code`` has told, in a process of its own."""
    clean = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{_DATA}{code}print(json.dumps(told))"],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, "OMP_NUM_THREADS": "1", **environment},
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def told():
    return _python(_BITS + _SMALL + _READ_ONLY)


def test_the_same_seed_gives_the_same_bits_in_every_process_and_another_seed_others(told):
    assert told["bits"] == _python(_BITS, PYTHONHASHSEED="1")["bits"]


def test_the_kernels_give_the_same_when_not_compiled(told):
    for one, other in zip(
        _python(_SMALL, NUMBA_DISABLE_JIT="1")["small"], told["small"], strict=True
    ):
        assert one == pytest.approx(other, rel=1e-6)


def test_read_only_data_compile_nothing_more(told):
    assert told["compiled"] == [True, 0]


# A mistaken shape must not be read beyond its end, which would crash or give garbage.
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (route, [(3, 3), (20, 3)]),
        (route, [(2, 4), (20, 3)]),
        (branch_probabilities, [(3, 3), (20, 3)]),
        (leaf_probabilities, [(2, 4), (20, 3)]),
        (leaf_outputs, [(4, 3), (20, 3)]),
        (predict_hard, [(3, 4), (1, 4), (20, 3)]),
        (predict_hard, [(3, 4), (4, 2), (20, 3)]),
        (srt_objective, [(2, 4), (4, 4), (20, 3), (20,)]),
        (srt_objective, [(3, 4), (3, 4), (20, 3), (20,)]),
        (orrt_objective, [(3, 3), (4, 4), (20, 3), (20,)]),
        (srt_objective, [(3, 4), (4, 4), (0, 3), (0,)]),
        (leaf_step, [(10, 2), (20, 3), (20,)]),
        (leaf_step, [(20, 2), (20, 3), (10,)]),
        (reassign_points, [(20, 3), (5,), (20,)]),
        (reassign_points, [(20, 3), (20,), (5,)]),
        (davies_bouldin_index, [(20, 3), (10,)]),
        (davies_bouldin_index, [(20, 3), (30,)]),
    ],
)
def test_array_functions_refuse_shapes_that_do_not_fit(function, arguments):
    with pytest.raises(ValueError) as refused:
        function(*map(np.ones, arguments))
    assert "\n" not in str(refused.value)


def test_array_functions_refuse_values_that_do_not_fit():
    X, y = np.ones((20, 3)), np.ones(20)
    with pytest.raises(ValueError, match="mu"):
        srt_objective(np.ones((3, 4)), np.ones((4, 4)), X, y, 0.0)
    with pytest.raises(ValueError):
        davies_bouldin_index(X, np.arange(20) % 2 - 1)
    with pytest.raises(ValueError):
        cluster_leaves(y, 2)
