"""What can only be seen from another process: determinism, kernels compiled, or not compiled."""

import numpy as np
import pytest
from small_fits import bits_of_trees, small_boosters, small_trees, told_by

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

# numba takes read-only arrays for another type: half a minute, in the middle of a measurement.
_READ_ONLY = """
import sys
from boostbench.trees import OptimalRegressionTree, OptimalRegressionTreeCV, SoftRegressionTree
from small_fits import X, Y, bits_of_trees
told = {"bits": bits_of_trees(7)}
def compiled():
    trees = [module for name, module in sys.modules.items() if name.startswith("boostbench.trees")]
    values = {id(value): value for module in trees for value in vars(module).values()}
    return sum(len(getattr(value, "overloads", ())) for value in values.values())
before = compiled()
X.flags.writeable = Y.flags.writeable = False
SoftRegressionTree(2, max_iter=1, random_state=0).fit(X, Y).predict(X)
OptimalRegressionTree(2, "hyperplane", l1=0, cp=0.01, n_restarts=2).fit(X, Y)
OptimalRegressionTreeCV(2, n_restarts=2, penalty_weight="points", penalty_scale="raw").fit(X, Y)
told["compiled"] = [before > 0, compiled() - before]
"""


@pytest.fixture(scope="module")
def told():
    """What another process tells of its fits."""
    return told_by(_READ_ONLY, PYTHONHASHSEED="1")


def test_the_same_seed_gives_the_same_bits_in_every_process_and_another_seed_others(told):
    bits = bits_of_trees(7)
    assert told["bits"] == bits == bits_of_trees(7)
    others = bits_of_trees(8)
    assert all(others[name] != bits[name] for name in bits)


def test_the_kernels_give_the_same_when_not_compiled():
    plain = told_by(
        """
from small_fits import small_boosters, small_trees
told = {"trees": small_trees(), "boosters": small_boosters()}
""",
        NUMBA_DISABLE_JIT="1",
    )
    for one, other in zip(plain["trees"], small_trees(), strict=True):
        assert one == pytest.approx(other, rel=1e-6)
    for (stumps, scores), (compiled_stumps, compiled_scores) in zip(
        plain["boosters"], small_boosters(), strict=True
    ):
        assert stumps == compiled_stumps
        # Fused multiply-adds move the exponentials by an ulp, and solving carries that on.
        np.testing.assert_allclose(scores, compiled_scores, rtol=0, atol=1e-8)


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
