"""Walk points down a tree, one path each."""

from boostbench.kernels.jit import kernel


@kernel
def walk(X, inner, out):
    """Fill ``out`` (n,) with the leaf, in heap order, that each row of ``X`` (n, p) ends in."""
    n_branches = inner.shape[0]
    for i in range(X.shape[0]):
        t = 1
        while t <= n_branches:
            row = inner[t - 1]
            z = row[0]
            for j in range(X.shape[1]):
                z += row[j + 1] * X[i, j]
            t = 2 * t if z >= 0.0 else 2 * t + 1
        out[i] = t


@kernel
def leaf_values(X, leaf_coef, node, out):
    """Fill ``out`` (n,) with the regression of leaf ``node`` (n,) at each row of ``X``."""
    first_leaf = leaf_coef.shape[0]
    for i in range(X.shape[0]):
        row = leaf_coef[node[i] - first_leaf]
        value = row[0]
        for j in range(X.shape[1]):
            value += row[j + 1] * X[i, j]
        out[i] = value
