"""NODEC-DR with the convergence conditions (15) and (16) on: monotone, towards a stationary point.

Works on the true problem: all points, weighted by their probability of reaching the node. Steps and
norms are those of omega, error values those of (7): weighted means over the points.
"""

import numpy as np

from boostbench.kernels.arrays import vector
from boostbench.kernels.jit import helper, kernel
from boostbench.trees._blocks import gather, make_workspace
from boostbench.trees._branch_step import minimise_subtree, penalised_subtree_loss
from boostbench.trees._expected_losses import (
    error_of,
    make_expected,
    points_reaching,
    reach_of,
    refresh,
)
from boostbench.trees._heap import copy_tree, levels_moved, put_subtree, take_subtree
from boostbench.trees._leaf_step import leaf_step
from boostbench.trees._reassignment import decayed, is_imbalanced, reassign_chosen
from boostbench.trees._types import Subtree, Tree, TreeChange


@helper
def squared_norm(gradient):
    total = 0.0
    for t in range(gradient.shape[0]):
        for j in range(gradient.shape[1]):
            total += gradient[t, j] * gradient[t, j]
    return total


@helper
def armijo_update(subtree, total, coef, value, gradient, penalty, convergence, nodes):
    """Armijo's rule along steepest descent: the new coefficients and the error there.

    ``total`` is the sum of the points' weights, ``gradient`` that of the mean error in
    omega = coef / omega_scale. Backtracks while
    E(new) > E - gamma * alpha * |gradient|^2 (the test printed in Appendix B.2 is inverted).
    Returns ``coef`` and its error ``value`` when no step lowers it.
    """
    squared = squared_norm(gradient)
    alpha = convergence.armijo_step
    trial, scratch = np.empty(coef.shape), np.empty(coef.shape)
    for _ in range(100):
        for t in range(coef.shape[0]):
            for j in range(coef.shape[1]):
                trial[t, j] = coef[t, j] - alpha * convergence.omega_scale[j] * gradient[t, j]
        error = penalised_subtree_loss(subtree, trial, scratch, penalty, nodes) / total
        if error <= value - convergence.armijo_slope * alpha * squared:
            return trial, error
        alpha *= convergence.armijo_shrink
    return coef, value


@helper
def candidate_update(points, subtree, current, expected, node, step, imbalance, penalty, space):
    """Return the update of ``current`` by the free algorithm: a branch step or a reassignment."""
    candidate = current.copy()
    count = points_reaching(expected, node, space.chosen)
    if count > 0 and is_imbalanced(points, expected, node, count, imbalance, space):
        here = gather(points, space.chosen, count, space.local)
        reassign_chosen(here, expected, node, imbalance, candidate[0], space)
    else:
        minimise_subtree(subtree, candidate, step, 0.0, penalty, space.nodes)
    return candidate


@helper
def convergent_update(
    points,
    subtree,
    current,
    expected,
    node,
    threshold,
    step,
    imbalance,
    penalty,
    convergence,
    space,
):
    """Return the candidate, if it meets conditions (15) and (16), else Armijo's update; and True.

    ``current`` itself and False if the gradient's norm is at most ``threshold``.
    """
    total, scale = points.total, convergence.omega_scale
    gradient = np.empty(current.shape)
    here = penalised_subtree_loss(subtree, current, gradient, penalty, space.nodes) / total
    for u in range(current.shape[0]):
        for j in range(current.shape[1]):
            gradient[u, j] *= scale[j] / total
    if not np.sqrt(squared_norm(gradient)) > threshold:
        return current, False
    reference, reference_value = armijo_update(
        subtree, total, current, here, gradient, penalty, convergence, space.nodes
    )
    candidate = candidate_update(
        points, subtree, current, expected, node, step, imbalance, penalty, space
    )
    value = penalised_subtree_loss(subtree, candidate, gradient, penalty, space.nodes) / total
    moved = 0.0
    for u in range(current.shape[0]):
        for j in range(current.shape[1]):
            d = (candidate[u, j] - current[u, j]) / scale[j]
            moved += d * d
    if value <= reference_value and value <= here - convergence.sufficient_decrease * moved:
        return candidate, True
    return reference, True


@kernel
def nodec_dr_convergent(
    points, tree, first_inner, max_inner, step, imbalance, penalty, convergence, history
):
    """Inner iterations ``first_inner`` + 1 to ``max_inner``, in place; never raises the error (7).

    Steps are skipped where the gradient's norm is at most skip_factor**k; 0 never skips. Leaves are
    solved exactly, which meets the leaf step's conditions at every k. Fills
    ``history[first_inner + 1:]``.
    """
    depth, n_branches = tree.depth, 2**tree.depth - 1
    space = make_workspace(points, depth)
    expected = make_expected(points, depth)
    reach = vector(points.n)
    old_tree = Tree(depth, np.empty(tree.branch.shape), np.empty(tree.leaf.shape))
    total = refresh(points, tree, expected, TreeChange(1, depth, True))
    value = error_of(points, tree, total, penalty)
    history[first_inner] = value
    for k in range(first_inner, max_inner):
        t = k % n_branches + 1
        thresholds = decayed(imbalance, imbalance.decay ** (k // n_branches))
        down = levels_moved(t, depth)
        with_leaves = t > 1 or depth == 1
        current = take_subtree(tree.branch, t, down)
        reach_of(points, expected, t, reach)
        bottoms = expected.loss[t << down : (t + 1) << down]
        subtree = Subtree(points.blocks, points.n, reach, bottoms)
        updated, moved = convergent_update(
            points,
            subtree,
            current,
            expected,
            t,
            convergence.skip_factor ** (k + 1.0),
            step,
            thresholds,
            penalty,
            convergence,
            space,
        )
        if moved:
            put_subtree(updated, t, down, tree.branch)
            refresh(points, tree, expected, TreeChange(t, down, False))
        if with_leaves:
            copy_tree(tree, old_tree)
            reach_of(points, expected, t, reach)
            leaf_step(points, reach, tree, t, down, penalty, space)
        total = refresh(points, tree, expected, TreeChange(t, 0, True))
        new_value = error_of(points, tree, total, penalty)
        if with_leaves and new_value > value:
            copy_tree(old_tree, tree)
            total = refresh(points, tree, expected, TreeChange(t, 0, True))
            new_value = error_of(points, tree, total, penalty)
        value = new_value
        history[k + 1] = value
