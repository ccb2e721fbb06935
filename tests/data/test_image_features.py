"""Features of one image: pixel values, HOG and GIST, against formulas and slow references."""

from collections.abc import Callable

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")

from boostbench.data import image_features as features  # noqa: E402
from boostbench.data.image_files import SIDE, grey_square  # noqa: E402


def grating(across: float, down: float, side: int = SIDE) -> np.ndarray:
    """Return waves in bytes, with these frequencies in cycles a pixel."""
    rows, columns = np.mgrid[:side, :side]
    return np.rint(127 + 100 * np.sin(2 * np.pi * (across * columns + down * rows))).astype("u1")


def noise(*shape: int) -> np.ndarray:
    """Return random bytes, somewhat smooth."""
    made = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    return np.asarray(cv2.GaussianBlur(made, (5, 5), 1.0))


def test_pixels_are_planes_of_red_green_and_blue() -> None:
    # Two rows of three pixels: blue, green and red are 1, 2 and 3 with the place in tens.
    image = 10 * np.arange(6, dtype=np.uint8).reshape(2, 3, 1) + np.array([1, 2, 3], np.uint8)
    found = features.pixels(image)
    red, green, blue = ([10 * i + colour for i in range(6)] for colour in (3, 2, 1))
    assert found.tolist() == [*red, *green, *blue]
    # A grey image has three equal planes.
    assert features.pixels(image[:, :, 0]).tolist() == blue * 3
    # 16 bits are rounded to the bytes that they are made of.
    np.testing.assert_array_equal(features.pixels(image.astype(np.uint16) * 257), found)


def slow_hog(values: np.ndarray, cell: int, n_bins: int, signed: bool = False) -> np.ndarray:
    """Return the histograms of oriented gradients in blocks of 2 x 2 cells, pixel by pixel.

    As N. Dalal and B. Triggs have them: the gradient of the strongest colour, shares by the
    distances to the centres of cells and orientations, weights that fall from the centre of a
    block, and norms that are bounded. As OpenCV orders them: blocks and cells column by column.
    """
    height, width = values.shape[:2]
    values = np.atleast_3d(values).astype(float)
    extended = np.pad(values, ((1, 1), (1, 1), (0, 0)), mode="reflect")
    right = extended[1:-1, 2:] - extended[1:-1, :-2]
    down = extended[2:, 1:-1] - extended[:-2, 1:-1]
    strongest = np.expand_dims((right**2 + down**2).argmax(axis=2), 2)
    right, down = (np.take_along_axis(g, strongest, 2)[:, :, 0] for g in (right, down))
    turn = 2 * np.pi if signed else np.pi
    place = np.arctan2(down, right) % turn / turn * n_bins - 0.5
    bins = np.zeros((*right.shape, n_bins))
    for (row, column), at in np.ndenumerate(place):
        low, share = int(np.floor(at)), at - np.floor(at)
        length = np.hypot(right[row, column], down[row, column])
        bins[row, column, low % n_bins] += length * (1 - share)
        bins[row, column, (low + 1) % n_bins] += length * share

    side = 2 * cell
    fall = np.exp(-((np.arange(side) - cell) ** 2) / (2 * (side / 4) ** 2))
    # The share of each of the two cells in a row of a block, by the distance to their centres.
    at = (np.arange(side) + 0.5) / cell - 0.5
    shares = np.array([np.clip(1 - np.abs(at - k), 0, 1) for k in (0, 1)])
    found = []
    for left in range(0, width - side + 1, cell):
        for top in range(0, height - side + 1, cell):
            block = bins[top : top + side, left : left + side]
            weighted = block * fall[:, np.newaxis, np.newaxis] * fall[:, np.newaxis]
            cells = np.einsum("xj,yi,ijb->xyb", shares, shares, weighted).ravel()
            bounded = np.minimum(cells / (np.linalg.norm(cells) + 0.1 * len(cells)), 0.2)
            found.append(bounded / (np.linalg.norm(bounded) + 1e-3))
    return np.concatenate(found)


# OpenCV computes in float32, and its arc tangent is an approximation.
CLOSE = {"rtol": 0, "atol": 3e-4}


def test_hog_is_that_of_a_slow_reference() -> None:
    for image in (noise(SIDE, SIDE), noise(90, 200, 3)):
        found = features.hog(image)
        assert found.shape == (1764,)
        grey = np.rint(255 * grey_square(image)).astype(np.uint8)
        np.testing.assert_allclose(found, slow_hog(grey, 16, 9), **CLOSE)


def test_hog_of_traffic_signs_is_that_of_a_slow_reference() -> None:
    image = noise(40, 40, 3)
    found = features.gtsrb_hog(image)
    assert found.shape == (6052,)
    parts = np.split(found, [1568, 1568 * 2])
    for part, setting in zip(parts, [(5, 8, False), (5, 8, True), (4, 9, False)], strict=True):
        # Here with roots of the values.
        np.testing.assert_allclose(part, slow_hog(np.sqrt(image.astype(float)), *setting), **CLOSE)


def test_hog_of_traffic_signs_is_that_of_opencv_on_40_x_40_pixels() -> None:
    image = noise(32, 32, 3)
    resized = cv2.resize(image, (40, 40), interpolation=cv2.INTER_LINEAR)
    parts = []
    for cell, n_bins, signed in ((5, 8, False), (5, 8, True), (4, 9, False)):
        sizes = {"_winSize": (40, 40), "_blockSize": (2 * cell,) * 2, "_cellSize": (cell,) * 2}
        sizes |= {"_blockStride": sizes["_cellSize"], "_nbins": n_bins}
        hog = cv2.HOGDescriptor(**sizes, _gammaCorrection=True, _signedGradient=signed)
        parts.append(hog.compute(resized))
    np.testing.assert_array_equal(features.gtsrb_hog(image), np.concatenate(parts))
    # A grey image is one of three equal colours.
    grey = image[:, :, 0]
    same = features.gtsrb_hog(np.stack([grey] * 3, axis=2))
    np.testing.assert_array_equal(features.gtsrb_hog(grey), same)


def test_hog_finds_the_orientation() -> None:
    strongest = []
    for angle in np.deg2rad(10 + 20 * np.arange(9)):
        waves = grating(np.cos(angle) / 8, np.sin(angle) / 8)
        # The mean over the 7 x 7 blocks and their 2 x 2 cells.
        means = features.hog(waves).reshape(-1, 9).mean(axis=0)
        assert means.max() > 5 * np.median(means)
        strongest.append(means.argmax())
    assert strongest == list(range(9))


# The prefilter pads the image by 5 pixels on each side.
PADDED = SIDE + 10
N_ORIENTATIONS = (8, 8, 4)
# The scale, the turn and the number of turns of each filter.
FILTERS = [(scale, turn, n) for scale, n in enumerate(N_ORIENTATIONS) for turn in range(n)]


def energies(image: np.ndarray) -> np.ndarray:
    """Return (20, 4, 4) GIST: filters, and rows and columns of blocks."""
    found = features.gist(image)
    assert found.shape == (320,)
    return found.reshape(20, 4, 4)


@pytest.mark.parametrize("index", range(20))
def test_a_grating_excites_the_filter_of_its_frequency_and_orientation(index: int) -> None:
    scale, turn, n = FILTERS[index]
    frequency, angle = 0.3 / 1.85**scale, np.pi * turn / n
    # Angles of the filters are against the direction of rows.
    found = energies(grating(frequency * np.cos(angle), -frequency * np.sin(angle)))
    means = found.mean(axis=(1, 2))
    order = means.argsort()[::-1]
    assert order[0] == index
    # Of the others, the strongest is beside it: of the same scale, or of the same orientation.
    other_scale, other_turn, other_n = FILTERS[order[1]]
    beside = other_scale == scale and (other_turn - turn) % n in (1, n - 1)
    assert beside or other_turn / other_n == turn / n
    assert means[index] > 1.5 * means[order[1]]
    # All blocks have the same waves; those at the edges are next to mirrored ones.
    assert (found[index] > 0.9 * means[index]).all()


@pytest.mark.parametrize("frequency", [0.09, 0.13, 0.2, 0.33])
@pytest.mark.parametrize("degrees", [0, 10, 50, 75, 160])
@pytest.mark.parametrize("height", [0.1, 1.0])
def test_gist_of_a_grating_is_that_of_the_formula(
    frequency: float, degrees: float, height: float
) -> None:
    # The logarithm of these values is a wave of this height.
    angle, rows_columns = np.deg2rad(degrees), np.mgrid[:SIDE, :SIDE]
    along = -np.sin(angle) * rows_columns[0] + np.cos(angle) * rows_columns[1]
    wave = height * np.sin(2 * np.pi * frequency * along)
    found = energies((np.exp(1.5 + wave) - 1) / 255)
    # A Gaussian that is half at four cycles of the padded image takes away its share of the wave,
    # and what remains is divided by its deviation and 0.2.
    height *= 1 - 0.5 ** ((frequency * PADDED / 4) ** 2)
    height /= 0.2 + height / np.sqrt(2)
    expected = []
    for scale, turn, n in FILTERS:
        distance = frequency / (0.3 / 1.85**scale) - 1
        # The wave in one direction and in the other; the filter passes one of them, or neither.
        turned = (angle - np.pi * turn / n + np.pi / 2) % np.pi - np.pi / 2
        expected.append(height / 2 * np.exp(-3.5 * distance**2 - np.pi * n**2 / 32 * turned**2))
    # At the inner blocks, as waves at the edges of the image meet mirrored ones.
    inner = found[:, 1:3, 1:3].transpose(1, 2, 0)
    closeness = {"rtol": 0, "atol": 0.01 * max(expected)}
    np.testing.assert_allclose(inner, np.broadcast_to(expected, inner.shape), **closeness)


def low_passed(padded: np.ndarray) -> np.ndarray:
    """Return what the authors' prefilter keeps of a padded square: exp(-f^2 / s^2) of each wave.

    With s = fc / sqrt(ln 2) and fc = 4, f in cycles of the square. By sums over all frequencies.
    """
    n = len(padded)
    cycles = np.arange(n) - n // 2
    waves = np.exp(2j * np.pi / n * np.outer(cycles, np.arange(n)))
    amplitudes = waves.conj() @ padded @ waves.conj().T / n**2
    kept = np.exp(-(cycles[:, np.newaxis] ** 2 + cycles**2) / (4 / np.sqrt(np.log(2))) ** 2)
    return np.asarray((waves.T @ (amplitudes * kept) @ waves).real)


# In the middle, and where its mirror image in the padding lies beside it.
@pytest.mark.parametrize("place", [(60, 70), (0, 3), (127, 127)])
def test_gist_of_an_impulse_has_the_prefilter_of_the_authors(
    place: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    impulse = np.zeros((SIDE, SIDE))
    impulse[place] = 1.0
    padded = np.pad(np.log(255 * impulse + 1), 5, mode="symmetric")
    detail = padded - low_passed(padded)
    expected = detail / (0.2 + np.sqrt(np.abs(low_passed(detail**2))))
    # A filter that passes all makes GIST the means of the magnitudes of what it is given.
    monkeypatch.setattr(features, "_gabor_bank", lambda size: np.ones((20, size, size)))
    found = energies(impulse)
    side = SIDE // 4
    means = np.abs(expected[5:-5, 5:-5]).reshape(4, side, 4, side).mean(axis=(1, 3))
    np.testing.assert_allclose(found, np.broadcast_to(means, found.shape), rtol=0, atol=1e-12)


def test_the_image_is_mirrored_beyond_its_edges() -> None:
    # Without an end of the waves at the upper and the lower edge, all rows of blocks are equal.
    found = energies(grating(0.2, 0))
    np.testing.assert_allclose(found, np.repeat(found[:, :1], 4, axis=1), rtol=0, atol=1e-9)


def test_gist_finds_the_place() -> None:
    image = np.full((SIDE, SIDE), 127, dtype=np.uint8)
    image[: SIDE // 4, SIDE // 2 : -SIDE // 4] = grating(0.3, 0)[: SIDE // 4, : SIDE // 4]
    found = energies(image)[0]
    assert np.unravel_index(found.argmax(), (4, 4)) == (0, 2)
    assert found[0, 2] > 20 * np.sort(found.ravel())[-2]


@pytest.mark.parametrize("made", [lambda: noise(SIDE, SIDE), lambda: noise(200, 200)])
def test_a_turned_image_has_its_orientations_and_blocks_turned(
    made: Callable[[], np.ndarray],
) -> None:
    image = made()
    found, turned = energies(image), energies(np.rot90(image))
    start = 0
    for n in N_ORIENTATIONS:
        for turn in range(n):
            there = start + (turn + n // 2) % n
            expected = np.rot90(found[start + turn])
            # Frequencies of half a cycle a pixel, which have one sign only, are not turned.
            np.testing.assert_allclose(turned[there], expected, rtol=1e-3)
        start += n
    # Other orientations do not fit.
    assert np.abs(turned - [np.rot90(block) for block in found]).max() > 0.1 * found.max()


@pytest.mark.parametrize("value", [0, 77, 255])
def test_a_flat_image_has_no_gradients_and_no_waves(value: int) -> None:
    image = np.full((50, 60, 3), value, dtype=np.uint8)
    assert (features.hog(image) == 0).all()
    assert (features.gtsrb_hog(image) == 0).all()
    # Rounding in sums of numbers up to log 256.
    assert np.abs(features.gist(image)).max() < 1e-12


def test_gist_of_a_colour_is_that_of_its_grey() -> None:
    image = noise(60, 80, 3)
    np.testing.assert_array_equal(
        features.gist(image), features.gist(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    )


@pytest.mark.parametrize("kind", features.FEATURES)
def test_features_are_finite_and_the_same_again(kind: str) -> None:
    image = noise(32, 32, 3)
    found = features.FEATURES[kind](image)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, features.FEATURES[kind](image.copy()))
