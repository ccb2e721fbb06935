"""Bags of visual words: patches, their descriptors, code books, and histograms of windows."""

from fractions import Fraction

import numpy as np
import pytest

from boostbench.errors import DataError

cv2 = pytest.importorskip("cv2")

from boostbench.data import visual_words as words_of  # noqa: E402


def textures(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Return grey values whose left half has other waves than the right one, and some noise."""
    rows, columns = np.mgrid[:height, :width]
    waves = np.where(columns < width // 2, np.sin(rows / 2), np.sin(columns / 3))
    noise = np.random.default_rng(seed).normal(size=(height, width)) / 5
    return np.clip(127 + 60 * (waves + noise), 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def words() -> np.ndarray:
    """Ten words of a code book of small images."""
    sampled = [words_of.descriptors(textures(64, 64, seed)) for seed in range(4)]
    return words_of.code_book(np.concatenate(sampled), n_words=10)


def test_centres_of_patches_are_8_pixels_apart_while_patches_are_inside() -> None:
    assert words_of.grid(16, 16).tolist() == [[8, 8]]
    # Row by row, x before y. The last patch ends at the edge, or before it.
    assert words_of.grid(24, 33).tolist() == [[8, 8], [16, 8], [24, 8], [8, 16], [16, 16], [24, 16]]
    assert len(words_of.grid(200, 300)) == 24 * 36
    for height, width in ((15, 100), (100, 15)):
        assert words_of.grid(height, width).shape == (0, 2)


def test_an_image_smaller_than_a_patch_is_refused() -> None:
    said = "an image of 40 x 15 pixels is smaller than a patch of 16 x 16"
    with pytest.raises(DataError, match=said):
        words_of.descriptors(textures(40, 15))
    assert words_of.descriptors(textures(40, 16)).shape == (4, 128)


@pytest.mark.parametrize("coloured", [False, True])
def test_descriptors_are_those_of_opencvs_sift(coloured: bool) -> None:
    image = textures(50, 70)
    places = [(x, y) for y in (8, 16, 24, 32, 40) for x in (8, 16, 24, 32, 40, 48, 56)]
    keypoints = [cv2.KeyPoint(x, y, 8 / 3, 0) for x, y in places]
    kept, expected = cv2.SIFT_create().compute(image, keypoints)
    assert [point.pt for point in kept] == places
    found = words_of.descriptors(np.stack([image] * 3, axis=2) if coloured else image)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected)
    # As whole numbers of a norm of 512.
    assert np.abs(np.linalg.norm(found.astype(float), axis=1) - 512).max() < 16


def test_a_descriptor_is_of_the_patch_at_its_place() -> None:
    image = textures(80, 80)
    before = words_of.descriptors(image)
    centres = words_of.grid(80, 80)
    changed = image.copy()
    changed[60:64, 12:16] = 255 - changed[60:64, 12:16]
    differs = (words_of.descriptors(changed) != before).any(axis=1)
    # SIFT smooths the image, and its four cells are followed by half of one.
    near = np.abs(centres - [14, 62]).max(axis=1)
    assert differs[near <= 8].all()
    assert not differs[near > 24].any()


def test_the_sample_has_the_same_number_of_descriptors_of_each_image(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words_of, "_SAMPLE", 100)
    image = textures(64, 64)
    every = words_of.descriptors(image).tolist()
    assert len(every) == 49
    found = [words_of.sample(image, index, 7).tolist() for index in range(7)]
    # 100 // 7 of them, each once, and others of each image.
    assert {len(part) for part in found} == {14}
    for part in found:
        assert len({tuple(each) for each in part}) == 14
        assert all(each in every for each in part)
    assert found[0] != found[1]
    assert found[0] == words_of.sample(image, 0, 7).tolist()
    # At least one of each, and no more than it has.
    assert len(words_of.sample(image, 0, 1000)) == 1
    assert len(words_of.sample(image, 0, 1)) == 49
    assert len(words_of.sample(textures(16, 24), 0, 7)) == 2


def test_a_code_book_is_of_whole_numbers_and_the_same_again(words: np.ndarray) -> None:
    assert words.shape == (10, 128)
    assert words.dtype == np.float64
    np.testing.assert_array_equal(words, np.rint(words))
    sampled = np.concatenate([words_of.descriptors(textures(64, 64, seed)) for seed in range(4)])
    np.testing.assert_array_equal(words_of.code_book(sampled, n_words=10), words)


def test_a_code_book_has_the_means_of_groups() -> None:
    rng = np.random.default_rng(1)
    # An odd number of each, as a mean of an even one may lie half-way between two whole numbers.
    groups = np.repeat([[20] * 128, [200] * 128], 21, axis=0) + rng.integers(0, 9, (42, 128))
    found = words_of.code_book(groups.astype(np.uint8), n_words=2)
    expected = np.rint(groups.reshape(2, 21, 128).mean(axis=1))
    assert sorted(found.tolist()) == sorted(expected.tolist())


def test_too_few_patches_for_a_code_book_are_one_sentence() -> None:
    said = "all images have 49 patches of 16 x 16 pixels; 200 words need as many at least"
    with pytest.raises(DataError, match=said):
        words_of.code_book(words_of.descriptors(textures(64, 64)))


def test_the_windows_are_those_of_the_pyramid() -> None:
    found = words_of.windows()
    assert len(found) == len(set(found)) == 31
    quarter, half, whole = Fraction(1, 4), Fraction(1, 2), Fraction(1)
    assert [side for _, _, side in found] == [quarter] * 25 + [half] * 5 + [whole]
    # 4 x 4 beside each other, 3 x 3 between them, 2 x 2 and the one in the middle, row by row.
    eighths = [(int(8 * top), int(8 * left)) for top, left, _ in found]
    assert eighths == [
        *((top, left) for top in (0, 2, 4, 6) for left in (0, 2, 4, 6)),
        *((top, left) for top in (1, 3, 5) for left in (1, 3, 5)),
        *((top, left) for top in (0, 4) for left in (0, 4)),
        (2, 2),
        (0, 0),
    ]
    # Those beside each other cover the image once.
    for part, parts in ((found[:16], 4), (found[25:29], 2)):
        cells = [(top * parts, left * parts) for top, left, _ in part]
        assert sorted(cells) == [(row, column) for row in range(parts) for column in range(parts)]


def slow_histograms(image: np.ndarray, words: np.ndarray) -> list[float]:
    """Return the shares of words in each window, patch by patch, without any rounding of places."""
    height, width = image.shape[:2]
    places = [(x, y) for y in range(8, height - 7, 8) for x in range(8, width - 7, 8)]
    nearest = []
    for descriptor in words_of.descriptors(image).astype(float):
        distances = [float(((word - descriptor) ** 2).sum()) for word in words]
        nearest.append(distances.index(min(distances)))
    found = []
    for top, left, side in words_of.windows():
        counts = [0] * len(words)
        for (x, y), word in zip(places, nearest, strict=True):
            across, down = Fraction(x, width), Fraction(y, height)
            if left <= across < left + side and top <= down < top + side:
                counts[word] += 1
        found += [count / sum(counts) if any(counts) else 0.0 for count in counts]
    return found


# In the first the windows begin at centres of patches, in the others most of them between two.
@pytest.mark.parametrize("size", [(64, 64), (64, 96), (61, 83), (24, 129), (256, 200)])
def test_histograms_are_those_of_a_slow_reference(words: np.ndarray, size: tuple[int, int]) -> None:
    image = textures(*size)
    found = words_of.histograms(image, words)
    assert found.shape == (310,)
    np.testing.assert_array_equal(found, slow_histograms(image, words))


def test_a_centre_between_two_windows_belongs_to_the_one_that_begins_there() -> None:
    image = textures(64, 64)
    # Each patch is a word of its own.
    words = words_of.descriptors(image).astype(float)
    assert len(np.unique(words, axis=0)) == 49
    found = words_of.histograms(image, words).reshape(31, 49)
    # Windows of 16 pixels: the first has the centre 8, each other one two centres a side.
    sides = [1, 2, 2, 2]
    inside = [int((found[i] > 0).sum()) for i in range(16)]
    assert inside == [rows * columns for rows in sides for columns in sides]
    centres = words_of.grid(64, 64)
    assert centres[found[5] > 0].tolist() == [[16, 16], [24, 16], [16, 24], [24, 24]]
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_a_window_without_a_patch_has_zeros(words: np.ndarray) -> None:
    # One patch, whose centre lies in the last of 2 x 2 windows.
    found = words_of.histograms(textures(16, 16), words).reshape(31, 10)
    has_it = [
        top <= 0.5 < top + side and left <= 0.5 < left + side
        for top, left, side in words_of.windows()
    ]
    assert 0 < sum(has_it) < 31
    assert found.sum(axis=1).tolist() == has_it
    assert np.isfinite(found).all()


def test_the_halves_of_an_image_have_their_own_words(words: np.ndarray) -> None:
    image = textures(128, 128)
    found = words_of.histograms(image, words).reshape(31, 10)
    mirrored = words_of.histograms(np.ascontiguousarray(image[:, ::-1]), words).reshape(31, 10)

    def unlike(one: np.ndarray, other: np.ndarray) -> float:
        return float(np.abs(one - other).sum())

    # Windows 0 and 3 are at the upper edge, left and right.
    assert unlike(found[0], found[3]) > 1.5
    assert unlike(mirrored[0], found[3]) < 0.5 * unlike(mirrored[0], found[0])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
