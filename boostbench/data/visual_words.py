"""Bags of visual words: how often each word of a code book occurs in 31 windows of an image.

The words are local descriptors: SIFT (D. Lowe, "Distinctive image features from scale-invariant
keypoints", IJCV 60, 2004) of patches on a regular grid (S. Lazebnik, C. Schmid, J. Ponce, "Beyond
bags of features", CVPR 2006).
"""

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from boostbench.data.image_files import Pixels, grey_bytes, load_opencv
from boostbench.errors import DataError

N_WORDS = 200
PATCH = 16
"""The side of a patch, in pixels."""
STEP = 8
"""The distance of the centres of neighbouring patches, in pixels."""

_SAMPLE = 100_000
# SIFT has 4 x 4 cells of 3 times this many pixels: here 4 cells of 4 pixels make a patch.
_KEYPOINT_SIZE = PATCH / 4 * 2 / 3

Words = NDArray[np.float64]


def grid(height: int, width: int) -> NDArray[np.int64]:
    """Return (n, 2) centres x and y of the patches that lie inside an image, row by row."""
    margin = PATCH // 2
    rows = range(margin, height - margin + 1, STEP)
    columns = range(margin, width - margin + 1, STEP)
    return np.array([(x, y) for y in rows for x in columns], dtype=np.int64).reshape(-1, 2)


def descriptors(image: Pixels) -> NDArray[np.uint8]:
    """Return (n, 128) SIFT descriptors, whole numbers, of the patches of :func:`grid`.

    Raises
    ------
    DataError
        if the image is smaller than a patch
    """
    cv2 = load_opencv()
    grey = grey_bytes(image)
    centres = grid(*grey.shape)
    if not len(centres):
        size = f"{grey.shape[0]} x {grey.shape[1]} pixels"
        raise DataError(f"an image of {size} is smaller than a patch of {PATCH} x {PATCH}")
    keypoints = [cv2.KeyPoint(float(x), float(y), _KEYPOINT_SIZE, 0) for x, y in centres]
    _, values = cv2.SIFT_create().compute(grey, keypoints)
    return np.asarray(values, dtype=np.uint8)


def sample(image: Pixels, index: int, n_images: int) -> NDArray[np.uint8]:
    """Return (m, 128) random descriptors of the image with this index, of ``n_images``.

    All images together have about 100,000, from each the same number where it has as many.
    """
    own = descriptors(image)
    per_image = max(1, _SAMPLE // n_images)
    return own[np.random.RandomState([0, index]).permutation(len(own))[:per_image]]


def code_book(sampled: NDArray[np.uint8], n_words: int = N_WORDS) -> Words:
    """Return (n_words, 128) words: centres of k-means of (m, 128) descriptors, without labels.

    They are rounded to whole numbers, so that distances to them are exact on every machine.

    Raises
    ------
    DataError
        if there are fewer descriptors than words
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    if len(sampled) < n_words:
        patches = f"all images have {len(sampled):,} patches of {PATCH} x {PATCH} pixels"
        raise DataError(f"{patches}; {n_words} words need as many at least")
    # One thread has one order of summation, so that words do not depend on the processors.
    with threadpool_limits(1):
        means = KMeans(n_words, n_init=1, random_state=0).fit(sampled.astype(np.float64))
    centres: Words = np.rint(means.cluster_centers_)
    return centres


def windows() -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return the 31 windows of the pyramid as top, left and side, in shares of the image.

    4 x 4 windows and the 3 x 3 between them, 2 x 2 and the one between them, and the whole image:
    J. Wu, J. Rehg, "CENTRIST: a visual descriptor for scene categorization", PAMI 33 (2011).
    """
    cells = []
    for parts in (4, 2):
        for between in (0, 1):
            starts = [(i + Fraction(between, 2)) / parts for i in range(parts - between)]
            cells += [(top, left, Fraction(1, parts)) for top, left in product(starts, starts)]
    return [*cells, (Fraction(0), Fraction(0), Fraction(1))]


def histograms(image: Pixels, words: Words) -> NDArray[np.float64]:
    """Return (31 * n_words,) shares of each window's descriptors by their nearest word.

    A window has the patches whose centres it contains, with its upper and left edges and without
    the other two. A window without a patch has zeros.

    Parameters
    ----------
    words : (n_words, 128) as :func:`code_book` returns them
    """
    own = descriptors(image).astype(np.float64)
    nearest = (np.sum(words**2, axis=1) - 2 * own @ words.T).argmin(axis=1)
    height, width = image.shape[:2]
    x, y = grid(height, width).T
    parts = []
    for top, left, side in windows():
        inside = _between(x, left * width, (left + side) * width)
        inside &= _between(y, top * height, (top + side) * height)
        counts = np.bincount(nearest[inside], minlength=len(words))
        parts.append(counts / max(1, counts.sum()))
    return np.concatenate(parts)


def _between(places: NDArray[np.int64], low: Fraction, high: Fraction) -> NDArray[np.bool_]:
    """Return which places are at least ``low`` and below ``high``, without rounding."""
    return np.asarray(
        (places * low.denominator >= low.numerator) & (places * high.denominator < high.numerator)
    )
