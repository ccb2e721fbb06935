"""Nodes in heap order: levels, and copies of a subtree's branch coefficients."""

from boostbench.kernels.arrays import matrix
from boostbench.kernels.elementwise import copy
from boostbench.kernels.jit import helper


@helper
def level_of(node):
    """Return the level of a node: 0 for the root."""
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
    """Write the result of :func:`take_subtree`, or a similar one, to ``branch``."""
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
def members(node_of, node, shift, index):
    """Fill ``index`` with the points that ``node_of`` puts below ``node``, and return their number.

    ``node_of`` (n,) are nodes ``shift`` levels further down.
    """
    count = 0
    for i in range(node_of.shape[0]):
        if node_of[i] >> shift == node:
            index[count] = i
            count += 1
    return count
