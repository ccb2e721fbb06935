"""A tree with hard splits as nested tuples, which compare by value and serve as keys."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.trees._types import BoolArray, FloatArray


class Split(NamedTuple):
    """A row goes left when its value is below ``threshold``.

    The value is that of the feature ``feature``, or, where ``weights`` (p,) is not empty, the sum
    of the features times the weights; ``feature`` is then -2.
    """

    feature: int
    threshold: float
    weights: tuple[float, ...] = ()


class Branch(NamedTuple):
    """A split and the subtrees of its sides; a leaf is None."""

    split: Split
    left: "Node"
    right: "Node"


Node = Branch | None
Path = tuple[tuple[Split, bool], ...]  # the splits from the root on, with whether it went left


def midpoint(below: float, above: float) -> float:
    """Return the threshold between two neighbouring values: halfway, but above the lower one."""
    middle = 0.5 * (below + above)
    if not np.isfinite(middle):
        middle = 0.5 * below + 0.5 * above
    return middle if middle > below else above


def goes_left(split: Split, columns: FloatArray) -> BoolArray:
    """Return which rows go left; ``columns`` (p, n) are the features."""
    values = projection(split.weights, columns) if split.weights else columns[split.feature]
    left: BoolArray = values < split.threshold
    return left


def projection(weights: tuple[float, ...], columns: FloatArray) -> FloatArray:
    """Return the weighted sum of ``columns`` (p, n), (n,), always added in the same order."""
    total = np.zeros(columns.shape[1])
    for j, weight in enumerate(weights):
        if weight != 0.0:
            total += weight * columns[j]
    return total


def n_splits(node: Node) -> int:
    """Return the number of branches of the subtree."""
    return 0 if node is None else 1 + n_splits(node.left) + n_splits(node.right)


def nodes(node: Node, place: int = 1) -> Iterator[tuple[int, Node]]:
    """Yield each node with its number in heap order: root 1, children 2t (left) and 2t + 1."""
    yield place, node
    if node is not None:
        yield from nodes(node.left, 2 * place)
        yield from nodes(node.right, 2 * place + 1)


def descend(root: Node, place: int) -> tuple[Path, Node] | None:
    """Return the path to ``place`` and the subtree there, or None if the tree has no such node."""
    node, path = root, []
    for step in range(place.bit_length() - 2, -1, -1):
        if node is None:
            return None
        left = not (place >> step) & 1
        path.append((node.split, left))
        node = node.left if left else node.right
    return tuple(path), node


def replace(root: Node, path: Path, subtree: Node) -> Node:
    """Return the tree with ``subtree`` at the end of ``path``."""
    if not path:
        return subtree
    assert root is not None
    if path[0][1]:
        return Branch(root.split, replace(root.left, path[1:], subtree), root.right)
    return Branch(root.split, root.left, replace(root.right, path[1:], subtree))


def leaf_paths(node: Node, path: Path = ()) -> Iterator[Path]:
    """Yield the path to each leaf of the subtree at ``path``, from left to right."""
    if node is None:
        yield path
    else:
        yield from leaf_paths(node.left, (*path, (node.split, True)))
        yield from leaf_paths(node.right, (*path, (node.split, False)))


def reach(node: Node, columns: FloatArray) -> NDArray[np.int8]:
    """Return the leaf, counted from the left, that each row would reach: (n,)."""
    out = np.zeros(columns.shape[1], dtype=np.int8)
    _reach(node, columns, None, 0, out)
    return out


def _reach(
    node: Node,
    columns: FloatArray,
    rows: BoolArray | None,
    first: int,
    out: NDArray[np.int8],
) -> int:
    """Assign numbers from ``first`` to the leaves of ``node``; return the next number."""
    if node is None:
        if rows is None:
            out[:] = first
        else:
            out[rows] = first
        return first + 1
    left = goes_left(node.split, columns)
    after = _reach(node.left, columns, left if rows is None else rows & left, first, out)
    return _reach(node.right, columns, ~left if rows is None else rows & ~left, after, out)
