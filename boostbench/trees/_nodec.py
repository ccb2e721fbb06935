"""NODEC-DR (Consolo, Amaldi, Manno 2026, Section 5), the convergence conditions switched off."""

from boostbench.kernels.arrays import matrix
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import gather, make_workspace
from boostbench.trees._branch_step import branch_step
from boostbench.trees._expected_losses import error_of, make_expected, points_reaching, refresh
from boostbench.trees._heap import copy_tree, levels_moved
from boostbench.trees._initialisation import initialise_tree
from boostbench.trees._leaf_step import leaf_step
from boostbench.trees._reassignment import decayed, is_imbalanced, reassign_chosen
from boostbench.trees._types import Tree, TreeChange


@kernel
def nodec_dr(points, clustered, tree, uniforms, max_inner, step, imbalance, penalty, history):
    """Fill ``tree`` by the initialisation procedure, then by the iterate of least error (7) met.

    ``uniforms`` (r, 2**depth - 1, 2) are the random numbers of the initialisation, ``clustered``
    the points that it clusters. Runs ``max_inner`` inner iterations; ``history``
    (max_inner + 1,) gets the error after each.
    """
    depth = tree.depth
    n_leaves = 2**tree.depth
    n_rows = tree.leaf.shape[1]
    space = make_workspace(points, depth)
    # In one kernel, the stages share compiled code.
    initialise_tree(points, clustered, tree, uniforms, penalty, space)
    expected = make_expected(points, depth)
    best_tree = Tree(depth, matrix(n_leaves - 1, n_rows), matrix(n_leaves, n_rows))
    copy_tree(tree, best_tree)
    total = refresh(points, tree, expected, TreeChange(1, depth, True))
    best = error_of(points, tree, total, penalty)
    history[0] = best
    for k in range(1, max_inner + 1):
        t = (k - 1) % (n_leaves - 1) + 1
        if t == 1 and k > 1:
            imbalance = decayed(imbalance, imbalance.decay)
        count = points_reaching(expected, t, space.chosen)
        if count == 0:
            history[k] = history[k - 1]
            continue
        imbalanced = is_imbalanced(points, expected, t, count, imbalance, space)
        here = points if t == 1 else gather(points, space.chosen, count, space.local)
        down = levels_moved(t, depth)
        with_leaves = t > 1 or depth == 1
        if imbalanced:
            reassign_chosen(here, expected, t, imbalance, tree.branch[t - 1], space)
            levels = 1
        else:
            branch_step(here, tree, expected, t, down, step, penalty, space)
            levels = down
        if with_leaves:
            leaf_step(here, here.weights, tree, t, down, penalty, space)
        total = refresh(points, tree, expected, TreeChange(t, levels, with_leaves))
        history[k] = error_of(points, tree, total, penalty)
        if history[k] < best:
            best = history[k]
            copy_tree(tree, best_tree)
    copy_tree(best_tree, tree)
