"""What can only be seen from another process: crashes, determinism, kernels not compiled."""

import json
import os
import subprocess
import sys

import pytest

_DATA = """
import json, warnings
import numpy as np
warnings.simplefilter("error")
from boostbench.trees import *
rng = np.random.default_rng(0)
X = rng.random((60, 3))
y = np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 2]
"""


def _python(code, data=_DATA, **environment):
    """Run ``code`` after the preamble ``data``; return the JSON of its last line."""
    clean = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", data + code],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **environment},
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    return json.loads(done.stdout.splitlines()[-1])


_BITS = """
import hashlib
models = {
    "srt": SoftRegressionTree(random_state=7),
    "l2": SoftRegressionTree(2, "l2", n_restarts=3, n_clusterings=4, random_state=7),
    "convergent": SoftRegressionTree(2, "l2", convergent_after=6, random_state=7),
    "orrt": RandomizedRegressionTree(2, mu=1.0, branch_bound=None, max_iter=30, random_state=7),
    "ort": OptimalRegressionTree(3, l1=1e-4, n_restarts=2, random_state=7),
}
def bits(model):
    return hashlib.sha256(model.fit(X, y).predict(X).tobytes()).hexdigest()
first = {name: bits(model) for name, model in models.items()}
assert first == {name: bits(model) for name, model in models.items()}
assert all(bits(model.set_params(random_state=8)) != first[n] for n, model in models.items())
print(json.dumps(first))
"""


def test_the_same_seed_gives_the_same_bits_in_every_process_and_another_seed_others():
    once = _python(_BITS, OMP_NUM_THREADS="1")
    assert once == _python(_BITS, PYTHONHASHSEED="1", OMP_NUM_THREADS="1")


_SMALL = """
results = []
for model in (
    SoftRegressionTree(2, max_iter=1, max_branch_iter=3, n_clusterings=2, random_state=0),
    SoftRegressionTree(2, "l2", max_iter=1, max_branch_iter=3, convergent_after=0, random_state=0),
    SoftRegressionTree(1, max_iter=1, imbalance_threshold=0.5, random_state=0),
    RandomizedRegressionTree(1, mu=1.0, branch_bound=None, max_iter=2, random_state=0),
    OptimalRegressionTree(2, n_restarts=1, random_state=0),
):
    model.fit(X[:40], y[:40])
    results.append([float(model.objective_), float(model.predict(X).sum())])
print(json.dumps(results))
"""


@pytest.mark.filterwarnings("ignore")
def test_the_kernels_give_the_same_when_not_compiled():
    plain = _python(_SMALL, NUMBA_DISABLE_JIT="1")
    compiled = _python(_SMALL)
    for one, other in zip(plain, compiled, strict=True):
        assert one == pytest.approx(other, rel=1e-6)


# A mistaken shape must not be read beyond its end, which would crash or give garbage.
_MISFITS = """
X, y, ones = np.ones((20, 3)), np.ones(20), np.ones
misfits = {
    "route: columns": lambda: route(ones((3, 3)), X),
    "route: rows": lambda: route(ones((2, 4)), X),
    "branch_probabilities: columns": lambda: branch_probabilities(ones((3, 3)), X),
    "leaf_probabilities: rows": lambda: leaf_probabilities(ones((2, 4)), X),
    "leaf_outputs: columns": lambda: leaf_outputs(ones((4, 3)), X),
    "predict_hard: leaves": lambda: predict_hard(ones((3, 4)), ones((1, 4)), X),
    "predict_hard: leaf columns": lambda: predict_hard(ones((3, 4)), ones((4, 2)), X),
    "objective: branch rows": lambda: srt_objective(ones((2, 4)), ones((4, 4)), X, y),
    "objective: leaves": lambda: srt_objective(ones((3, 4)), ones((3, 4)), X, y),
    "objective: columns": lambda: orrt_objective(ones((3, 3)), ones((4, 4)), X, y),
    "objective: no rows": lambda: srt_objective(ones((3, 4)), ones((4, 4)), X[:0], y[:0]),
    "objective: mu": lambda: srt_objective(ones((3, 4)), ones((4, 4)), X, y, 0.0),
    "leaf_step: weights": lambda: leaf_step(ones((10, 2)), X, y),
    "leaf_step: target": lambda: leaf_step(ones((20, 2)), X, y[:10]),
    "reassign_points: sides": lambda: reassign_points(X, y[:5], y),
    "reassign_points: residuals": lambda: reassign_points(X, y, y[:5]),
    "davies_bouldin_index: too few": lambda: davies_bouldin_index(X, np.arange(10) % 2),
    "davies_bouldin_index: too many": lambda: davies_bouldin_index(X, np.arange(30) % 2),
    "davies_bouldin_index: negative": lambda: davies_bouldin_index(X, np.arange(20) % 2 - 1),
    "cluster_leaves: not a table": lambda: cluster_leaves(y, 2),
}
import os
route(ones((3, 4)), X), predict_hard(ones((3, 4)), ones((4, 4)), X)
leaf_step(ones((20, 2)), X, y), reassign_points(X, y, y), cluster_leaves(X, 2)
answers = {}
for name, call in misfits.items():
    # A child for each: one crash must not hide the others.
    child = os.fork()
    if child == 0:
        try:
            call()
        except ValueError as error:
            os._exit(0 if "\\n" not in str(error) else 3)
        except BaseException:
            os._exit(2)
        os._exit(1)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        answers[name] = os.waitstatus_to_exitcode(status)
print(json.dumps(answers))
"""


def test_array_functions_refuse_shapes_that_do_not_fit():
    assert _python(_MISFITS) == {}


_READ_ONLY = """
import sys
def compiled():
    trees = [module for name, module in sys.modules.items() if name.startswith("boostbench.trees")]
    values = {id(value): value for module in trees for value in vars(module).values()}
    return sum(len(getattr(value, "overloads", ())) for value in values.values())
SoftRegressionTree(2, max_iter=1, random_state=0).fit(X, y).predict(X)
OptimalRegressionTree(2, n_restarts=2).fit(X, y)
before = compiled()
X.flags.writeable = y.flags.writeable = False
SoftRegressionTree(2, max_iter=1, random_state=0).fit(X, y).predict(X)
OptimalRegressionTree(2, "hyperplane", l1=0, cp=0.01, n_restarts=2).fit(X, y)
OptimalRegressionTreeCV(2, n_restarts=2, penalty_weight="points", penalty_scale="raw").fit(X, y)
print(json.dumps([before > 0, compiled() - before]))
"""


def test_read_only_data_compile_nothing_more():
    # numba takes read-only arrays for another type: half a minute, in the middle of a measurement.
    assert _python(_READ_ONLY) == [True, 0]
