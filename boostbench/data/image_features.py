"""Features of one image: pixel values, histograms of oriented gradients, and GIST.

Pixels are those of :mod:`boostbench.data.image_files`.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from boostbench.data.image_files import Floats, Pixels, colour_bytes, grey_square, load_opencv

Features = NDArray[np.float64] | NDArray[np.float32] | NDArray[np.uint8]

VERSION = 5
"""Raised whenever the features of an image change."""

_GIST_BLOCKS = 4
_GIST_ORIENTATIONS = (8, 8, 4)
_MARGIN = 32
_PREFILTER_MARGIN = 5
_PREFILTER_CYCLES = 4

_GTSRB_SIDE = 40
# The side of a cell in pixels, the number of orientations, and whether they are signed.
_GTSRB_HOG = ((5, 8, False), (5, 8, True), (4, 9, False))


def pixels(image: Pixels) -> Features:
    """Return (3 * height * width,) values from 0 to 255: the planes of red, green and blue."""
    return np.ascontiguousarray(colour_bytes(image)[:, :, ::-1].transpose(2, 0, 1)).ravel()


def hog(image: Pixels) -> Features:
    """Return (1764,) histograms of oriented gradients (N. Dalal, B. Triggs, CVPR 2005).

    There are 9 orientations in 8 x 8 cells of 16 pixels of the grey square, normalised in 7 x 7
    blocks of 2 x 2 cells.
    """
    cv2 = load_opencv()
    grey = np.rint(255 * grey_square(image)).astype(np.uint8)
    descriptor = cv2.HOGDescriptor(grey.shape, (32, 32), (16, 16), (16, 16), 9)
    return np.asarray(descriptor.compute(grey), dtype=np.float32).ravel()


def gtsrb_hog(image: Pixels) -> Features:
    """Return (6052,) features: 1,568 + 1,568 + 2,916 histograms of oriented gradients.

    They have the dimensions of HOG 1, 2 and 3 of GTSRB (J. Stallkamp et al., "Man vs. computer",
    Neural Networks 32, 2012), whose settings were inferred from these: the coloured image is
    resized to 40 x 40 pixels, with cells of 5, 5 and 4 pixels, 8, 8 and 9 orientations, the second
    set signed, normalised in blocks of 2 x 2 cells.
    """
    cv2 = load_opencv()
    side = _GTSRB_SIDE, _GTSRB_SIDE
    resized = cv2.resize(colour_bytes(image), side, interpolation=cv2.INTER_LINEAR)
    parts = []
    for cell, n_orientations, signed in _GTSRB_HOG:
        block, step = (2 * cell, 2 * cell), (cell, cell)
        # After the number of orientations: as in ``HOGDescriptor()``, up to ``signedGradient``.
        descriptor = cv2.HOGDescriptor(
            side, block, step, step, n_orientations, 1, -1, 0, 0.2, True, 64, signed
        )
        parts.append(descriptor.compute(resized).ravel())
    return np.concatenate(parts)


def gist(image: Pixels) -> Features:
    """Return (320,) energies of 20 Gabor filters in 4 x 4 blocks of the grey square: its GIST.

    A. Oliva, A. Torralba, "Modeling the shape of the scene", IJCV 42 (2001): the mean magnitude in
    each block of the image, with normalised contrast, filtered at three scales with 8, 8 and 4
    orientations. The order is filter by filter, with the blocks of each row by row. Unlike in the
    authors' code, grey is luminance, and its values are not stretched to 0 to 255 in each image.
    """
    extended = np.pad(_normalise_contrast(grey_square(image)), _MARGIN, mode="symmetric")
    spectrum = np.fft.fft2(extended)
    energies = []
    for gabor in _gabor_bank(len(extended)):
        magnitude = np.abs(np.fft.ifft2(spectrum * gabor))[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
        block = len(magnitude) // _GIST_BLOCKS
        blocks = magnitude.reshape(_GIST_BLOCKS, block, _GIST_BLOCKS, block)
        energies.append(blocks.mean(axis=(1, 3)).ravel())
    return np.concatenate(energies)


def _normalise_contrast(grey: Floats) -> Floats:
    """Return the image without low frequencies and differences of local contrast.

    This is the authors' prefilter, on grey values from 0 to 1.
    """
    margin = _PREFILTER_MARGIN
    logarithm = np.pad(np.log1p(255 * grey), margin, mode="symmetric")
    low_pass = _prefilter(len(logarithm))
    detail = logarithm - _filtered(logarithm, low_pass)
    # Where there is no contrast, rounding can make the mean of squares negative.
    contrast = np.sqrt(np.abs(_filtered(detail**2, low_pass)))
    return (detail / (0.2 + contrast))[margin:-margin, margin:-margin]


def _filtered(values: Floats, transfer: Floats) -> Floats:
    """Return the real part of the square after a filter with this transfer function."""
    return np.fft.ifft2(np.fft.fft2(values) * transfer).real


@lru_cache(maxsize=2)
def _prefilter(size: int) -> Floats:
    """Return the (size, size) transfer function of the prefilter's low-pass, frequency zero first.

    It is a Gaussian that is half at four cycles of the square.
    """
    cycles = size * np.fft.fftfreq(size)
    squared = cycles[:, np.newaxis] ** 2 + cycles**2
    width = _PREFILTER_CYCLES / np.sqrt(np.log(2))
    return np.asarray(np.exp(-squared / width**2))


@lru_cache(maxsize=2)
def _gabor_bank(size: int) -> Floats:
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


FEATURES: Mapping[str, Callable[[Pixels], Features]] = {
    "pixels": pixels,
    "hog": hog,
    "gist": gist,
    "gtsrb_hog": gtsrb_hog,
}
"""The features that are computed of each image by itself, from its pixels."""
