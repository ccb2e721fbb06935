"""Initialisation by recursive two-means clustering, and the Davies-Bouldin index that picks one."""

import numpy as np

from boostbench.kernels.arrays import indices, matrix, vector, zero_matrix, zero_vector
from boostbench.kernels.elementwise import FASTMATH, add_products, affine, multiply
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of, gather
from boostbench.trees._heap import members
from boostbench.trees._types import Points

_LLOYD_ITER = 100


@helper(fastmath=FASTMATH)
def _add_squared_distance(row, centre, out, n):
    for i in range(n):
        d = row[i] - centre
        out[i] += d * d


@helper
def _squared_distances(points, centre, out):
    """Fill ``out`` (n,) with squared distances to ``centre`` (p + 1,); its entry 0 is unused."""
    blocks, n = points.blocks, points.n
    out[:n] = 0.0
    for b in range(blocks_of(n)):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for j in range(1, centre.shape[0]):
            _add_squared_distance(blocks[b, j], centre[j], out[first : first + m], m)


@helper
def _copy_point(points, i, out):
    for j in range(out.shape[0]):
        out[j] = points.blocks[i // BLOCK, j, i % BLOCK]


@helper
def _drawn(points, uniform):
    """Return the number of a point drawn by weight with the random number ``uniform``."""
    threshold = uniform * points.total
    running = 0.0
    for i in range(points.n):
        running += points.weights[i]
        if running > threshold:
            return i
    return points.n - 1


@helper
def _seed_centres(points, uniforms, centres, distances):
    """k-means++ for two centres; False when all points are the same.

    ``distances`` (n,) is scratch.
    """
    n, weights = points.n, points.weights
    _copy_point(points, _drawn(points, uniforms[0]), centres[0])
    _squared_distances(points, centres[0], distances)
    total = 0.0
    for i in range(n):
        total += weights[i] * distances[i]
    if not total > 0.0:
        return False
    threshold = uniforms[1] * total
    chosen = -1
    running = 0.0
    for i in range(n):
        if distances[i] > 0.0:
            chosen = i
            running += weights[i] * distances[i]
            if running > threshold:
                break
    _copy_point(points, chosen, centres[1])
    return True


@helper(fastmath=FASTMATH)
def _nearest(z, is_left, n):
    moved = 0.0
    for i in range(n):
        left = 1.0 if z[i] >= 0.0 else 0.0
        moved += abs(left - is_left[i])
        is_left[i] = left
    return moved


@helper
def _move(points, plane, is_left, z, left_sum):
    """Move the points to the nearer centre; return how many moved.

    Adds to ``left_sum`` (p + 1,) the weighted sum of each row of the blocks over the first centre's
    points; ``z`` (BLOCK,) is scratch.
    """
    moved = 0.0
    for b in range(blocks_of(points.n)):
        first = b * BLOCK
        m = min(BLOCK, points.n - first)
        affine(points.blocks[b], plane, z, m)
        block_left = is_left[first : first + m]
        moved += _nearest(z, block_left, m)
        multiply(points.weights[first : first + m], block_left, z, m)
        add_products(points.blocks[b], z, left_sum, m)
    return moved


@helper
def two_means(points, uniforms, is_left):
    """Lloyd's algorithm with two centres: fill ``is_left`` (n,) with 1.0 for the first cluster.

    ``uniforms`` (2,) are the random numbers of the k-means++ seeding. Points that are all the same
    are cut in half by order.
    """
    n, n_rows = points.n, points.blocks.shape[1]
    centres = matrix(2, n_rows)
    if n < 2 or not _seed_centres(points, uniforms, centres, is_left):
        for i in range(n):
            is_left[i] = 1.0 if 2 * i < n else 0.0
        return
    total, left_sum = zero_vector(n_rows), vector(n_rows)
    for b in range(blocks_of(n)):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        add_products(points.blocks[b], points.weights[first : first + m], total, m)
    plane, z = vector(n_rows), vector(BLOCK)
    is_left[:n] = -1.0
    for _ in range(_LLOYD_ITER):
        plane[0] = 0.0
        for j in range(1, n_rows):
            a, c = centres[0, j], centres[1, j]
            plane[j] = a - c
            plane[0] -= 0.5 * (a * a - c * c)
        left_sum[:] = 0.0
        moved = _move(points, plane, is_left, z, left_sum)
        # Row 0 of the blocks is 1: these are weights.
        of_left, of_all = left_sum[0], total[0]
        if moved < 0.5 or of_left <= 0.0 or of_left >= of_all:
            break
        for j in range(1, n_rows):
            centres[0, j] = left_sum[j] / of_left
            centres[1, j] = (total[j] - left_sum[j]) / (of_all - of_left)


@helper
def _centroids(points, labels, counts):
    """Return the clusters' means, (n_clusters, p + 1); fill ``counts`` (n_clusters,) by weight."""
    n_rows = points.blocks.shape[1]
    n_clusters = counts.shape[0]
    centroids = zero_matrix(n_clusters, n_rows)
    for i in range(points.n):
        b = i // BLOCK
        c = i % BLOCK
        counts[labels[i]] += points.weights[i]
        for j in range(1, n_rows):
            centroids[labels[i], j] += points.weights[i] * points.blocks[b, j, c]
    for k in range(n_clusters):
        for j in range(1, n_rows if counts[k] > 0.0 else 1):
            centroids[k, j] /= counts[k]
    return centroids


@helper
def _spreads(points, labels, centroids, counts):
    """Return each cluster's mean distance from its centroid, (n_clusters,), 0 if it is empty."""
    spread = zero_vector(counts.shape[0])
    for i in range(points.n):
        b = i // BLOCK
        c = i % BLOCK
        k = labels[i]
        squared = 0.0
        for j in range(1, centroids.shape[1]):
            d = points.blocks[b, j, c] - centroids[k, j]
            squared += d * d
        spread[k] += points.weights[i] * np.sqrt(squared)
    for k in range(counts.shape[0]):
        if counts[k] > 0.0:
            spread[k] /= counts[k]
    return spread


@helper
def _worst_ratio(k, centroids, spread, counts):
    """Return the largest ratio of spreads to distance between cluster ``k`` and any other."""
    worst = 0.0
    for other in range(counts.shape[0]):
        if other == k or counts[other] == 0.0:
            continue
        squared = 0.0
        for j in range(1, centroids.shape[1]):
            d = centroids[k, j] - centroids[other, j]
            squared += d * d
        if squared == 0.0:
            return np.inf
        worst = max(worst, (spread[k] + spread[other]) / np.sqrt(squared))
    return worst


@helper
def davies_bouldin(points, labels, n_clusters):
    """Davies-Bouldin index (1979) of ``labels`` (n,) in 0..n_clusters-1, empty clusters left out.

    Infinite when fewer than two clusters hold points or two centroids coincide.
    """
    counts = zero_vector(n_clusters)
    centroids = _centroids(points, labels, counts)
    spread = _spreads(points, labels, centroids, counts)
    filled = 0
    total = 0.0
    for k in range(n_clusters):
        if counts[k] > 0.0:
            filled += 1
            total += _worst_ratio(k, centroids, spread, counts)
    return total / filled if filled >= 2 else np.inf


@helper
def cluster_tree(points, depth, uniforms, leaf, local, space):
    """Fill ``leaf`` (n,) with each point's leaf, 0..2**depth - 1, by clustering node after node.

    ``uniforms`` is (2**depth - 1, 2), one row per branch node for the seeding there; ``local`` is
    scratch for the points of a node.
    """
    chosen, is_left = space.chosen, space.goes_left
    leaf[:] = 1
    for t in range(1, 2**depth):
        count = members(leaf, t, 0, chosen)
        if count == 0:
            continue
        here = gather(points, chosen, count, local)
        two_means(here, uniforms[t - 1], is_left)
        for i in range(count):
            leaf[chosen[i]] = 2 * t if is_left[i] > 0.5 else 2 * t + 1
    for i in range(points.n):
        leaf[i] -= 2**depth


@helper
def best_clustering(points, depth, uniforms, leaf, space):
    """Fill ``leaf`` (n,) by the one of r clusterings that has the least Davies-Bouldin index.

    ``uniforms`` is (r, 2**depth - 1, 2).
    """
    local = space.local
    if points.blocks.shape[1] != local.blocks.shape[1]:  # the target is one more column
        blocks = vector(points.blocks.size).reshape(points.blocks.shape)
        local = Points(blocks, points.n, local.y, local.weights, local.total)
    candidate = indices(points.n)
    best = np.inf
    for j in range(uniforms.shape[0]):
        cluster_tree(points, depth, uniforms[j], candidate, local, space)
        score = 0.0
        if uniforms.shape[0] > 1:
            score = davies_bouldin(points, candidate, 2**depth)
        if j == 0 or score < best:
            best = score
            for i in range(points.n):
                leaf[i] = candidate[i]
