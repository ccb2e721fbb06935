"""The initialisation procedure (Section 5.4): a tree from the best of several clusterings."""

from boostbench.kernels.arrays import indices
from boostbench.kernels.jit import helper, kernel
from boostbench.trees._blocks import gather, make_workspace
from boostbench.trees._clustering import best_clustering
from boostbench.trees._heap import level_of, members
from boostbench.trees._leaf_step import fit_leaves
from boostbench.trees._logistic import fit_logistic


@kernel
def initialise(points, clustered, tree, uniforms, penalty):
    """Fill ``tree`` as :func:`initialise_tree` does, with scratch arrays of its own."""
    space = make_workspace(points, tree.depth)
    initialise_tree(points, clustered, tree, uniforms, penalty, space)


@helper
def initialise_tree(points, clustered, tree, uniforms, penalty, space):
    """Fill ``tree``: logistic regressions at its branches, ridge regressions in its leaves.

    ``clustered`` are the points as the clusterings see them. ``uniforms`` is (r, 2**depth - 1, 2):
    of r clusterings the one of least Davies-Bouldin index is taken.
    """
    n, depth = points.n, tree.depth
    n_leaves = 2**depth
    chosen, goes_left = space.chosen, space.goes_left
    node_of = indices(n)
    best_clustering(clustered, depth, uniforms, node_of, space)
    for i in range(n):
        node_of[i] += n_leaves
    total = 0.0
    for i in range(n):
        total += points.weights[i] * points.y[i]
    mean = total / points.total
    for t in range(1, 2 * n_leaves):
        up = depth - level_of(t)
        count = members(node_of, t, up, chosen)
        here = gather(points, chosen, count, space.local)
        if t < n_leaves:
            for i in range(count):
                child = node_of[chosen[i]] >> (up - 1)
                goes_left[i] = 1.0 - (child & 1)
            tree.branch[t - 1] = 0.0
            fit_logistic(here, goes_left, here.weights, tree.branch[t - 1])
        else:
            coef = tree.leaf[t - n_leaves]
            coef[:] = 0.0
            coef[0] = mean
            if count > 0:
                fit_leaves(
                    here,
                    here.weights[:count].reshape(1, count),
                    penalty.ridge,
                    penalty.lsmr,
                    coef.reshape(1, coef.shape[0]),
                    space.equations,
                )
