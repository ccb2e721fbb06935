"""The scan of the local search written plainly: every threshold, every leaf, one after the other.

Running sums of the rows on either side, and cyclic coordinate descent that starts from the solution
at the threshold before: the peer of ``bench_ort.py``.
"""

import numpy as np
from numba import njit

from boostbench.trees.local_search.search import Search
from boostbench.trees.local_search.tree import Split, leaf_paths, midpoint, reach


@njit(cache=True, error_model="numpy")
def leaf_cost(products, half, by_count, coef, tolerance, max_sweeps):
    """RSS + sum_j 2 half_j |b_j| from the products of [1, x, y], improving ``coef`` (p,)."""
    p = len(coef)
    n = products[0, 0]
    if n < 0.5:
        return 0.0
    centred = products - np.outer(products[0], products[0]) / n
    total = max(centred[p + 1, p + 1], 0.0)
    times = n if by_count else 1.0
    gradient = centred[p + 1, 1 : p + 1].copy()
    for j in range(p):
        if centred[j + 1, j + 1] <= 1e-10 * n:
            coef[j] = 0.0
        gradient -= coef[j] * centred[j + 1, 1 : p + 1]
    for _ in range(max_sweeps):
        most = 0.0
        for j in range(p):
            curvature = centred[j + 1, j + 1]
            if curvature <= 1e-10 * n:
                continue
            z = gradient[j] + curvature * coef[j]
            limit = times * half[j]
            new = np.sign(z) * max(abs(z) - limit, 0.0) / curvature
            step = new - coef[j]
            if step != 0.0:
                coef[j] = new
                gradient -= step * centred[j + 1, 1 : p + 1]
                most = max(most, curvature * step * step)
        if most <= tolerance * total:
            break
    cost = total
    for j in range(p):
        cost -= coef[j] * (centred[p + 1, j + 1] + gradient[j])
        cost += 2.0 * times * half[j] * abs(coef[j])
    return cost


@njit(cache=True, error_model="numpy")
def plain_scan(
    rows, order, rank, inside, leaf, n_leaves, half, by_count, least, tolerance, max_sweeps
):
    """(cost, feature, row below, row above) of the best threshold; ``rows`` (n, p + 2)."""
    p = rows.shape[1] - 2
    k_left, k = n_leaves[0], n_leaves[0] + n_leaves[1]
    best = (np.inf, -1, -1, -1)
    for feature in range(p):
        here = np.array([i for i in order[feature] if inside[i]])
        products = np.zeros((k, p + 2, p + 2))
        count = np.zeros(k, np.int64)
        coef = np.zeros((k, p))
        for i in here:
            products[k_left + leaf[1, i]] += np.outer(rows[i], rows[i])
            count[k_left + leaf[1, i]] += 1
        costs = np.zeros(k)
        for u in range(k_left, k):
            costs[u] = leaf_cost(products[u], half, by_count, coef[u], tolerance, max_sweeps)
        for cut in range(1, len(here)):
            i = here[cut - 1]
            product = np.outer(rows[i], rows[i])
            left, right = leaf[0, i], k_left + leaf[1, i]
            products[left] += product
            products[right] -= product
            count[left] += 1
            count[right] -= 1
            if count[right] == 0:
                products[right] = 0.0
            for u in (left, right):
                if u >= 0:
                    costs[u] = leaf_cost(
                        products[u], half, by_count, coef[u], tolerance, max_sweeps
                    )
            if rank[feature, i] == rank[feature, here[cut]]:
                continue
            if np.any((count > 0) & (count < least)):
                continue
            total = costs.sum()
            if total < best[0]:
                best = (total, feature, i, here[cut])
    return best


class PlainSearch(Search):
    """The local search with the plain scan; everything else is the package's."""

    tolerance, max_sweeps = 1e-6, 200

    def full_scan(self, path, children):
        """(cost, feature, row below, row above) of the best threshold of the node at ``path``."""
        problem = self.problem
        sample, p = problem.sample, problem.p
        width = problem.penalty.half.size
        columns = [width, *range(p), width + 1]
        return plain_scan(
            np.ascontiguousarray(sample.rows[:, columns]),
            sample.order,
            sample.rank,
            problem.rows_at(path),
            np.stack([reach(child, problem.columns) for child in children]).astype(np.int64),
            np.array([sum(1 for _ in leaf_paths(child)) for child in children]),
            problem.penalty.half,
            problem.penalty.by_count,
            problem.min_samples_leaf,
            self.tolerance,
            self.max_sweeps,
        )

    def best_split(self, path, children, cutoff):
        """Return the split of the least cost below ``cutoff``, or None."""
        cost, feature, below, above = self.full_scan(path, children)
        if feature < 0 or not cost < cutoff:
            return None
        column = self.problem.columns[feature]
        return Split(feature, midpoint(float(column[below]), float(column[above])))
