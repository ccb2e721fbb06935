"""Nodes in heap order: levels, and copies of a subtree's branch coefficients."""

import numpy as np

from boostbench.kernels.arrays import matrix
from boostbench.kernels.elementwise import copy
from boostbench.kernels.jit import helper
from boostbench.kernels.team import barrier, partial_sums, share


@helper
def level_of(node):
    """The level of a node: 0 for the root."""
    level = 0
    while node >> (level + 1):
        level += 1
    return level


@helper
def levels_moved(node, depth):
    """How many levels of branch nodes a step at ``node`` moves.

    Only the root of a tree of several levels moves without the nodes below it.
    """
    return 1 if node == 1 and depth > 1 else depth - level_of(node)


@helper
def take_subtree(branch, top, down):
    """Return the coefficients (2**down - 1, p + 1) of ``down`` levels from node ``top`` on."""
    rows = matrix((1 << down) - 1, branch.shape[1])
    for step in range(down):
        for u in range(1 << step):
            copy(branch[(top << step) + u - 1], rows[(1 << step) + u - 1], branch.shape[1])
    return rows


@helper
def put_subtree(rows, top, down, branch):
    """Write to ``branch`` what :func:`take_subtree` returned, or its like."""
    for step in range(down):
        for u in range(1 << step):
            copy(rows[(1 << step) + u - 1], branch[(top << step) + u - 1], branch.shape[1])


@helper
def copy_tree(tree, out):
    """Copy the coefficients of ``tree`` to those of ``out``."""
    for t in range(tree.branch.shape[0]):
        copy(tree.branch[t], out.branch[t], tree.branch.shape[1])
    for k in range(tree.leaf.shape[0]):
        copy(tree.leaf[k], out.leaf[k], tree.leaf.shape[1])


@helper
def places(team, count):
    """From how many items each thread has: where its own begin, and how many there are in all."""
    if team.size == 1:
        return 0, count
    counts = partial_sums(team, team.size, 1)
    counts[team.rank, 0] = count
    barrier(team)
    first = 0
    total = 0
    for rank in range(team.size):
        if rank == team.rank:
            first = total
        total += np.int64(counts[rank, 0])
    return first, total


@helper
def members(team, node_of, node, shift, index):
    """Fill ``index`` with the points that ``node_of`` puts below ``node``, and return their number.

    ``node_of`` (n,) are nodes ``shift`` levels further down.
    """
    start, end = share(team, node_of.shape[0])
    count = 0
    if team.size > 1:
        for i in range(start, end):
            count += node_of[i] >> shift == node
    first, total = places(team, count)
    at = first
    for i in range(start, end):
        if node_of[i] >> shift == node:
            index[at] = i
            at += 1
    barrier(team)
    return total if team.size > 1 else at
