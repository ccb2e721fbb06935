"""Cost-complexity pruning on J: weakest link.

Source: Breiman et al., Classification and Regression Trees, 1984, section 3.3.
"""

from collections.abc import Iterator
from typing import NamedTuple

from boostbench.trees.local_search.problem import Problem
from boostbench.trees.local_search.tree import (
    Branch,
    Node,
    Path,
    n_splits,
    replace,
)


class Pruned(NamedTuple):
    """A tree of the path and the price of a split from which on it is the best of the path."""

    cp: float
    tree: Node


def cost_complexity_path(root: Node, problem: Problem) -> list[Pruned]:
    """Return the trees that pruning ``root`` passes through, cp rising from 0, the root leaf last.

    The weakest link is the branch whose removal raises J, without the price of splits, least for
    each split that it saves.
    """
    out = [Pruned(0.0, root)]
    tree = root
    while tree is not None:
        rises = [
            (_rise(node, path, problem), -n_splits(node), path)
            for path, node in _branches(tree, ())
        ]
        rise, _, path = min(rises)
        tree = replace(tree, path, None)
        cp = max(rise / problem.n, out[-1].cp)
        if cp <= out[-1].cp:
            out[-1] = Pruned(out[-1].cp, tree)
        else:
            out.append(Pruned(cp, tree))
    return out


def _rise(node: Branch, path: Path, problem: Problem) -> float:
    return (problem.leaf_cost(path) - problem.cost(node, path)) / n_splits(node)


def _branches(node: Node, path: Path) -> Iterator[tuple[Path, Branch]]:
    if node is not None:
        yield path, node
        yield from _branches(node.left, (*path, (node.split, True)))
        yield from _branches(node.right, (*path, (node.split, False)))
