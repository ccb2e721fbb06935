"""Initialisation by recursive two-means clustering, and the Davies-Bouldin index that picks one."""

import numpy as np

from boostbench.kernels.elementwise import FASTMATH, add_products, affine, multiply, total_of
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK, gather, gather_weights


@kernel(fastmath=FASTMATH)
def _add_squared_distance(row, centre, out, n):
    for i in range(n):
        d = row[i] - centre
        out[i] += d * d


@kernel
def _squared_distances(tiles, n, centre, out):
    """Fill ``out`` (n,) with squared distances to ``centre`` (p + 1,); its entry 0 is unused."""
    out[:n] = 0.0
    for b in range((n + BLOCK - 1) // BLOCK):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for j in range(1, centre.shape[0]):
            _add_squared_distance(tiles[b, j], centre[j], out[first : first + m], m)


@kernel
def _point(tiles, i, out):
    for j in range(out.shape[0]):
        out[j] = tiles[i // BLOCK, j, i % BLOCK]


@kernel
def _seed_centres(tiles, n, weight, mass, uniforms, centres, distances):
    """k-means++ for two centres; False when all points are the same.

    ``mass`` is the sum of ``weight``.
    """
    chosen = min(n - 1, int(uniforms[0] * n))
    if weight.shape[0] > 0:
        chosen = 0
        running = weight[0]
        while chosen < n - 1 and not running > uniforms[0] * mass:
            chosen += 1
            running += weight[chosen]
    _point(tiles, chosen, centres[0])
    _squared_distances(tiles, n, centres[0], distances)
    if weight.shape[0] > 0:
        multiply(weight, distances, distances, n)
    total = 0.0
    for i in range(n):
        total += distances[i]
    if not total > 0.0:
        return False
    threshold = uniforms[1] * total
    chosen = -1
    running = 0.0
    for i in range(n):
        if distances[i] > 0.0:
            chosen = i
            running += distances[i]
            if running > threshold:
                break
    _point(tiles, chosen, centres[1])
    return True


@kernel(fastmath=FASTMATH)
def _nearest(z, is_left, n):
    moved = 0.0
    for i in range(n):
        left = 1.0 if z[i] >= 0.0 else 0.0
        moved += abs(left - is_left[i])
        is_left[i] = left
    return moved


@kernel
def two_means(tiles, n, weight, uniforms, is_left, max_iter):
    """Lloyd's algorithm with two centres: fill ``is_left`` (n,) with 1.0 for the first cluster.

    ``weight`` are the points' weights (n,), or empty for weights of 1; ``uniforms`` (2,) are the
    random numbers of the k-means++ seeding. Points that cannot be told apart are cut in half by
    order.
    """
    n_rows = tiles.shape[1]
    centres = np.empty((2, n_rows))
    weighted = weight.shape[0] > 0
    mass = total_of(weight, n) if weighted else float(n)
    if n < 2 or not _seed_centres(tiles, n, weight, mass, uniforms, centres, is_left):
        before = 0.0
        for i in range(n):
            is_left[i] = 1.0 if 2.0 * before < mass else 0.0
            before += weight[i] if weighted else 1.0
        if n > 1:
            is_left[n - 1] = 0.0
        return
    total = np.zeros(n_rows)
    left_weight = np.ones(BLOCK)
    for b in range((n + BLOCK - 1) // BLOCK):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        if weighted:
            left_weight[:m] = weight[first : first + m]
        add_products(tiles[b], left_weight, total, m)
    plane = np.empty(n_rows)
    left_sum = np.empty(n_rows)
    z = np.empty(BLOCK)
    is_left[:n] = -1.0
    for _ in range(max_iter):
        plane[0] = 0.0
        for j in range(1, n_rows):
            a, c = centres[0, j], centres[1, j]
            plane[j] = a - c
            plane[0] -= 0.5 * (a * a - c * c)
        left_sum[:] = 0.0
        moved = 0.0
        n_left = 0.0
        for b in range((n + BLOCK - 1) // BLOCK):
            first = b * BLOCK
            m = min(BLOCK, n - first)
            affine(tiles[b], plane, z, m)
            block_left = is_left[first : first + m]
            moved += _nearest(z, block_left, m)
            if weighted:
                n_left += total_of(block_left, m)
                multiply(weight[first : first + m], block_left, left_weight, m)
                add_products(tiles[b], left_weight, left_sum, m)
            else:
                add_products(tiles[b], block_left, left_sum, m)
        left_mass = left_sum[0]
        if not weighted:
            n_left = left_mass
        if moved < 0.5 or n_left < 0.5 or n_left > n - 0.5:
            break
        for j in range(1, n_rows):
            centres[0, j] = left_sum[j] / left_mass
            centres[1, j] = (total[j] - left_sum[j]) / (mass - left_mass)


@kernel
def davies_bouldin_kernel(tiles, n, weight, labels, n_clusters):
    """Davies-Bouldin index (1979) of ``labels`` (n,) in 0..n_clusters-1, empty clusters left out.

    ``weight`` are the points' weights (n,), or empty for weights of 1. Infinite when fewer than two
    clusters hold points or two centroids coincide.
    """
    n_rows = tiles.shape[1]
    centroids = np.zeros((n_clusters, n_rows))
    counts = np.zeros(n_clusters)
    weighted = weight.shape[0] > 0
    for i in range(n):
        b, c = i // BLOCK, i % BLOCK
        w = weight[i] if weighted else 1.0
        counts[labels[i]] += w
        for j in range(1, n_rows):
            centroids[labels[i], j] += w * tiles[b, j, c]
    for k in range(n_clusters):
        if counts[k] > 0.0:
            centroids[k] /= counts[k]
    spread = np.zeros(n_clusters)
    for i in range(n):
        b, c, k = i // BLOCK, i % BLOCK, labels[i]
        squared = 0.0
        for j in range(1, n_rows):
            d = tiles[b, j, c] - centroids[k, j]
            squared += d * d
        spread[k] += (weight[i] if weighted else 1.0) * np.sqrt(squared)
    filled = 0
    total = 0.0
    for k in range(n_clusters):
        if counts[k] > 0.0:
            spread[k] /= counts[k]
            filled += 1
    if filled < 2:
        return np.inf
    for k in range(n_clusters):
        if counts[k] == 0.0:
            continue
        worst = 0.0
        for other in range(n_clusters):
            if other == k or counts[other] == 0.0:
                continue
            squared = 0.0
            for j in range(1, n_rows):
                d = centroids[k, j] - centroids[other, j]
                squared += d * d
            if squared == 0.0:
                return np.inf
            worst = max(worst, (spread[k] + spread[other]) / np.sqrt(squared))
        total += worst
    return total / filled


@kernel
def cluster_tree(tiles, n, weight, depth, uniforms, max_iter, leaf, work_tiles, index, is_left):
    """Fill ``leaf`` (n,) with each point's leaf, 0..2**depth - 1, by clustering node after node.

    ``weight`` are the points' weights (n,), or empty for weights of 1. ``uniforms`` is
    (2**depth - 1, 2), a row for the seeding at each branch node.
    """
    leaf[:n] = 1
    local_weight = np.empty(weight.shape[0])
    for t in range(1, 2**depth):
        n_node = 0
        for i in range(n):
            if leaf[i] == t:
                index[n_node] = i
                n_node += 1
        if n_node == 0:
            continue
        gather(tiles, index, n_node, work_tiles)
        if weight.shape[0] > 0:
            gather_weights(weight, index, n_node, local_weight)
        two_means(work_tiles, n_node, local_weight, uniforms[t - 1], is_left, max_iter)
        for i in range(n_node):
            leaf[index[i]] = 2 * t if is_left[i] > 0.5 else 2 * t + 1
    for i in range(n):
        leaf[i] -= 2**depth
