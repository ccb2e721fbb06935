"""Features of grey images: HOG, GIST, and bags of visual words over a pyramid of windows.

Every image is a square array in [0, 1] with a side of :data:`SIDE` pixels.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float64]
"""(SIDE, SIDE) grey values in [0, 1]."""

SIDE = 128
N_WORDS = 200
VERSION = 3
"""Raised whenever the features of an image change."""

_GIST_BLOCKS = 4
_GIST_ORIENTATIONS = (8, 8, 4)
_MARGIN = 32
_DESCRIPTORS_FOR_WORDS = 200_000


def hog(image: Image) -> NDArray[np.float64]:
    """Return (1764,) histograms of oriented gradients (N. Dalal, B. Triggs, CVPR 2005).

    There are 9 orientations in 8 x 8 cells of 16 pixels, normalised in 7 x 7 blocks of 2 x 2 cells.
    """
    from skimage.feature import hog as of_image

    found = of_image(image, orientations=9, pixels_per_cell=(16, 16), cells_per_block=(2, 2))
    return np.asarray(found, dtype=np.float64)


def gist(image: Image) -> NDArray[np.float64]:
    """Return (320,) energies of 20 Gabor filters in 4 x 4 blocks: the GIST of a grey image.

    A. Oliva, A. Torralba, "Modeling the shape of the scene", IJCV 42 (2001): the mean magnitude in
    each block of the image, with normalised contrast, filtered at three scales with 8, 8 and 4
    orientations. The order is filter by filter, with the blocks of each row by row.
    """
    extended = np.pad(_normalise_contrast(image), _MARGIN, mode="symmetric")
    spectrum = np.fft.fft2(extended)
    energies = []
    for gabor in _gabor_bank(len(extended)):
        magnitude = np.abs(np.fft.ifft2(spectrum * gabor))[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
        block = len(magnitude) // _GIST_BLOCKS
        blocks = magnitude.reshape(_GIST_BLOCKS, block, _GIST_BLOCKS, block)
        energies.append(blocks.mean(axis=(1, 3)).ravel())
    return np.concatenate(energies)


def _normalise_contrast(image: Image) -> NDArray[np.float64]:
    """Return the image without low frequencies and differences of local contrast."""
    from scipy.ndimage import gaussian_filter

    # A low-pass of four cycles an image, as in the authors' prefilter.
    sigma = len(image) * np.sqrt(np.log(2)) / (2 * np.pi * 4)
    logarithm = np.log1p(255 * image)
    detail = logarithm - gaussian_filter(logarithm, sigma, mode="reflect")
    contrast = np.sqrt(gaussian_filter(detail**2, sigma, mode="reflect"))
    evened: NDArray[np.float64] = detail / (0.2 + contrast)
    return evened


@lru_cache(maxsize=2)
def _gabor_bank(size: int) -> NDArray[np.float64]:
    """Return (20, size, size) transfer functions of Gabor filters, frequency zero first."""
    frequency = np.fft.fftfreq(size)
    radius = np.hypot(frequency[:, np.newaxis], frequency)
    angle = np.arctan2(frequency[:, np.newaxis], frequency)
    bank = []
    for scale, n_orientations in enumerate(_GIST_ORIENTATIONS):
        centre = 0.3 / 1.85**scale
        width = 16 * n_orientations**2 / 32**2
        for turn in range(n_orientations):
            turned = angle + np.pi / n_orientations * turn
            turned = (turned + np.pi) % (2 * np.pi) - np.pi
            bank.append(
                np.exp(-10 * 0.35 * (radius / centre - 1) ** 2 - 2 * width * np.pi * turned**2)
            )
    return np.array(bank)


def descriptors(image: Image) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (n, 36) local descriptors on a regular grid, and (n, 2) their places in [0, 1].

    Each has the gradients of 2 x 2 cells of 8 pixels in 9 orientations, normalised.
    """
    from skimage.feature import hog as of_image

    blocks = of_image(
        image, orientations=9, pixels_per_cell=(8, 8), cells_per_block=(2, 2), feature_vector=False
    )
    rows, columns = blocks.shape[:2]
    places = np.array(list(product(np.arange(1, rows + 1), np.arange(1, columns + 1))))
    size = np.array([rows + 1, columns + 1])
    return np.asarray(blocks, dtype=np.float64).reshape(rows * columns, -1), places / size


def windows() -> list[tuple[float, float, float]]:
    """Return the 31 windows of the pyramid as top, left and side, in shares of the image.

    4 x 4 windows and the 3 x 3 between them, 2 x 2 and the one between them, and the whole image:
    J. Wu, J. Rehg, "CENTRIST: a visual descriptor for scene categorization", PAMI 33 (2011).
    """
    found = []
    for parts in (4, 2):
        for between in (0, 1):
            starts = [(i + between / 2) / parts for i in range(parts - between)]
            found += [(top, left, 1 / parts) for top, left in product(starts, starts)]
    return [*found, (0.0, 0.0, 1.0)]


def code_book(images: Sequence[Image], n_words: int = N_WORDS) -> NDArray[np.float64]:
    """Return (n_words, 36) words: centres of k-means of the images' descriptors, without labels.

    At most :data:`_DESCRIPTORS_FOR_WORDS` descriptors are used, equally many of each image.
    """
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.RandomState(0)
    per_image = max(1, _DESCRIPTORS_FOR_WORDS // max(1, len(images)))
    chosen = []
    for image in images:
        found, _ = descriptors(image)
        chosen.append(found[rng.permutation(len(found))[:per_image]])
    # One thread has one order of summation, so that words do not depend on the processors.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        means = MiniBatchKMeans(n_words, random_state=0, n_init=3, batch_size=4096)
        centres: NDArray[np.float64] = means.fit(np.concatenate(chosen)).cluster_centers_
    return centres


def histograms(image: Image, words: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (31 * n_words,) shares of each window's descriptors by their nearest word.

    Parameters
    ----------
    words : (n_words, 36) as :func:`code_book` returns them
    """
    found, places = descriptors(image)
    nearest = (np.sum(words**2, axis=1) - 2 * found @ words.T).argmin(axis=1)
    parts = []
    for top, left, side in windows():
        corner = np.array([top, left])
        inside = ((places >= corner) & (places < corner + side)).all(axis=1)
        counts = np.bincount(nearest[inside], minlength=len(words))
        parts.append(counts / max(1, counts.sum()))
    return np.concatenate(parts)


def _bags(images: Sequence[Image]) -> Iterable[NDArray[np.float64]]:
    words = code_book(images)
    return (histograms(image, words) for image in images)


FEATURES: Mapping[str, Callable[[Sequence[Image]], Iterable[NDArray[np.float64]]]] = {
    "hog": lambda images: map(hog, images),
    "gist": lambda images: map(gist, images),
    "bag_of_words": _bags,
}
"""From a sequence of images, which are read on each pass, to a row of features for each."""
