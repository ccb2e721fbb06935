"""Folders of images as data sets, and the features that are computed of them."""

from pathlib import Path

import numpy as np
import pytest
from cards import put_card

from boostbench.data import DataAccess, Dataset, load_dataset
from boostbench.errors import DataError, UnavailableDataError

skimage = pytest.importorskip("skimage")

from skimage.io import imsave  # noqa: E402

from boostbench.data import image_features as features  # noqa: E402
from boostbench.data import images as folders  # noqa: E402

SIDE = features.SIDE


def stripes(angle: float, period: float, side: int = SIDE) -> np.ndarray:
    """Return waves whose crests have this angle to the horizontal, in degrees."""
    rows, columns = np.mgrid[:side, :side]
    turned = rows * np.cos(np.deg2rad(angle)) + columns * np.sin(np.deg2rad(angle))
    return 0.5 + 0.5 * np.sin(2 * np.pi * turned / period)


def test_gist_finds_the_orientation_the_scale_and_the_place() -> None:
    flat = features.gist(np.full((SIDE, SIDE), 0.3))
    assert flat.shape == (4 * 4 * 20,)
    assert np.abs(flat).max() < 1e-6
    strongest = set()
    for angle in (0, 90):
        energies = features.gist(stripes(angle, 4)).reshape(20, 16).mean(axis=1)
        fine, middle, coarse = energies[:8], energies[8:16], energies[16:]
        assert fine.max() > 2 * max(middle.max(), coarse.max())
        strongest.add(int(fine.argmax()))
    # Eight orientations share 180 degrees.
    first, second = sorted(strongest)
    assert second - first == 4
    wide = features.gist(stripes(0, 12)).reshape(20, 16).mean(axis=1)
    assert wide[16:].max() > wide[:8].max()
    half = np.full((SIDE, SIDE), 0.5)
    half[:, : SIDE // 2] = stripes(0, 4)[:, : SIDE // 2]
    left = features.gist(half).reshape(20, 4, 4)[4]
    assert left[:, 0].min() > 10 * left[:, 3].max()


def test_hog_finds_the_orientation() -> None:
    found = features.hog(stripes(0, 8)).reshape(7, 7, 2, 2, 9).mean(axis=(0, 1, 2, 3))
    turned = features.hog(stripes(90, 8)).reshape(7, 7, 2, 2, 9).mean(axis=(0, 1, 2, 3))
    assert found.argmax() != turned.argmax()
    assert found.max() > 5 * np.median(found)


def test_the_windows_are_those_of_the_pyramid() -> None:
    found = features.windows()
    assert len(found) == len(set(found)) == 31
    assert sorted({side for _, _, side in found}) == [0.25, 0.5, 1.0]
    assert [sum(side == s for _, _, side in found) for s in (0.25, 0.5, 1.0)] == [25, 5, 1]
    assert all(top >= 0 and left >= 0 for top, left, _ in found)
    assert all(max(top, left) + side <= 1 for top, left, side in found)
    # Disjoint windows cover the image: their histograms add up to that of the whole.
    assert sum(side**2 for top, left, side in found[:16]) == 1.0


def test_words_are_counted_in_each_window() -> None:
    rng = np.random.default_rng(3)
    made = [
        stripes(angle, period) + rng.random((SIDE, SIDE)) / 2
        for angle in (0, 45, 90)
        for period in (6, 9, 14)
    ]
    words = features.code_book(made, n_words=10)
    assert words.shape == (10, 36)
    np.testing.assert_array_equal(words, features.code_book(made, n_words=10))
    half = np.concatenate([made[0][:, : SIDE // 2], made[6][:, SIDE // 2 :]], axis=1)
    found = features.histograms(half, words).reshape(31, 10)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    level, upright = (features.histograms(made[i], words)[-10:] for i in (0, 6))
    left, right = found[0], found[3]
    assert np.abs(left - level).sum() < np.abs(left - upright).sum()
    assert np.abs(right - upright).sum() < np.abs(right - level).sum()
    # A slow reference: each descriptor's nearest word, one by one.
    slow = np.zeros(10)
    for descriptor in features.descriptors(half)[0]:
        slow[np.linalg.norm(words - descriptor, axis=1).argmin()] += 1
    np.testing.assert_allclose(found[-1], slow / slow.sum())


def _made(folder: Path, name: str = "set") -> Path:
    """Make a mirror with images of two classes, one of them in a folder inside a folder."""
    rng = np.random.default_rng(0)
    for label, angle in (("upright", 90), ("a/level", 0)):
        inside = folder / "images" / name / label
        inside.mkdir(parents=True)
        for i in range(4):
            pixels = np.clip(stripes(angle, 5 + i, 48) + rng.normal(size=(48, 48)) / 20, 0, 1)
            grey = (255 * pixels).astype(np.uint8)
            coloured = np.stack([grey] * (3 + i % 2), axis=2)
            coloured[:, :, 3:] = 255
            imsave(inside / f"{i}.png", grey if i < 2 else coloured, check_contrast=False)
    (folder / "images" / name / "upright" / "notes.txt").write_text("no image")
    return folder


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def access(tmp_path: Path, notes: list[str]) -> DataAccess:
    """Access to a folder of images, with notes going to ``notes``."""
    mirror = _made(tmp_path)
    return DataAccess(tmp_path / "cache", mirror=mirror, offline=True, notify=notes.append)


def _load(shelf, access, kind: str = "hog", n_samples: int = 0, **values: object) -> Dataset:
    source = {"kind": "images", "folder": "set", "features": kind, **values}
    about = {"target": "class", "task": "classification", "obtain": "take photographs"}
    request = put_card(shelf, n_samples=n_samples, n_features=0, sources=[source], **about)
    return load_dataset(request, access)


@pytest.mark.parametrize(("kind", "width"), [("hog", 1764), ("gist", 320), ("bag_of_words", 6200)])
def test_a_folder_becomes_a_data_set(shelf, tmp_path, access, notes, kind: str, width) -> None:
    data = _load(shelf, access, kind)
    assert data.X.shape == (8, width)
    assert data.classes == ("a/level", "upright")
    assert data.y.tolist() == [0] * 4 + [1] * 4
    assert data.feature_names[0] == f"{kind}_1"
    assert np.isfinite(data.X).all()
    # The classes differ more than their images.
    means = [data.X[data.y == code].mean(axis=0) for code in (0, 1)]
    own = np.linalg.norm(data.X - np.array(means)[data.y], axis=1)
    other = np.linalg.norm(data.X - np.array(means)[1 - data.y], axis=1)
    assert (own < other).all()
    assert notes == [f"computing {kind} of 8 images in {tmp_path}/images/set, once"]


def test_features_are_kept_until_an_image_or_the_features_change(
    shelf, tmp_path, access, notes, monkeypatch
) -> None:
    first = _load(shelf, access).fingerprint

    def same_after(computed: int) -> bool:
        return _load(shelf, access).fingerprint == first and len(notes) == computed

    assert same_after(1)
    image = tmp_path / "images" / "set" / "upright" / "0.png"
    before = image.read_bytes()
    imsave(image, (255 * stripes(30, 7, 48)).astype(np.uint8), check_contrast=False)
    assert _load(shelf, access).fingerprint != first
    image.write_bytes(before)
    assert same_after(2)
    monkeypatch.setattr(folders, "VERSION", folders.VERSION + 1)
    assert same_after(3)
    # A damaged file is computed again.
    for path in (tmp_path / "cache" / "features").iterdir():
        path.write_bytes(b"damaged")
    assert same_after(4)


def test_errors_in_a_folder_are_reported(shelf, tmp_path: Path, access) -> None:
    nowhere = DataAccess(tmp_path / "cache", offline=True)
    with pytest.raises(UnavailableDataError, match="'toy' cannot be loaded: take photographs"):
        _load(shelf, nowhere)
    with pytest.raises(DataError, match="take photographs"):
        _load(shelf, access, folder="absent")
    with pytest.raises(DataError, match=r"a/level has 4 images, but the card expects 5"):
        _load(shelf, access, per_folder=5)
    assert _load(shelf, access, per_folder=3).X.shape[0] == 6
    image = tmp_path / "images" / "set" / "upright" / "0.png"
    image.write_bytes(b"no image")
    unknown = r"upright/0\.png cannot be read as an image: no reader knows its format"
    with pytest.raises(DataError, match=unknown):
        _load(shelf, access)
    image.rename(tmp_path / "images" / "set" / "loose.png")
    with pytest.raises(DataError, match=r"holds images itself, such as loose\.png"):
        _load(shelf, access)


def test_another_number_of_images_is_refused_before_features_are_computed(
    shelf, tmp_path, access, notes
) -> None:
    with pytest.raises(DataError, match=r"images/set has 8 images, but the card expects 9"):
        _load(shelf, access, n_samples=9)
    assert not any("computing" in note for note in notes)
    assert not (tmp_path / "cache").exists()
    assert len(_load(shelf, access, n_samples=8).y) == 8


@pytest.mark.parametrize(("mode", "suffix"), [("CMYK", "jpg"), ("P", "tif")])
def test_every_mode_of_colours_gives_the_same_grey(tmp_path: Path, mode: str, suffix: str) -> None:
    from PIL import Image

    grey = (255 * stripes(30, 24)).astype(np.uint8)
    picture = Image.fromarray(np.stack([grey] * 3, axis=2))
    # A grey palette, so that no colour is lost.
    picture = picture.convert("L").convert("P") if mode == "P" else picture.convert(mode)
    picture.save(tmp_path / f"x.{suffix}")
    found = folders.read_image(tmp_path / f"x.{suffix}")
    assert np.abs(found - grey / 255).max() < 0.04


@pytest.mark.parametrize(
    ("kind", "channels", "photometric"), [(np.uint16, 3, "rgb"), (np.float64, 1, "minisblack")]
)
def test_a_tiff_keeps_the_depth_of_its_values(
    tmp_path: Path, kind: type[np.generic], channels: int, photometric: str
) -> None:
    tifffile = pytest.importorskip("tifffile")
    grey = stripes(30, 24)
    whole = np.iinfo(kind).max if np.issubdtype(kind, np.integer) else 1
    values = np.floor(grey * whole).astype(kind) if whole != 1 else grey.astype(kind)
    pixels = np.stack([values] * channels, axis=2) if channels > 1 else values
    tifffile.imwrite(tmp_path / "x.TIF", pixels, photometric=photometric)
    found = folders.read_image(tmp_path / "x.TIF")
    # Half a step of the type, or of the 24 bits of a float32.
    step = 1 / whole if whole != 1 else 2.0**-24
    np.testing.assert_allclose(found, grey, rtol=0, atol=max(step, 1e-9))
    # A link has its own ending, whatever the name of the file that it leads to.
    (tmp_path / "x.TIF").rename(tmp_path / "blob")
    (tmp_path / "x.tif").symlink_to(tmp_path / "blob")
    np.testing.assert_array_equal(folders.read_image(tmp_path / "x.tif"), found)


def test_without_scikit_image_one_sentence_says_so(shelf, access, monkeypatch) -> None:
    monkeypatch.setattr(folders, "find_spec", lambda name: None)
    with pytest.raises(UnavailableDataError, match=r"pip install 'boostbench\[images\]'"):
        _load(shelf, access)


def test_the_binary_version_of_cifar(shelf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "images" / "set"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(2)
    labels = []
    for name in folders._CIFAR_FILES:
        records = rng.integers(0, 256, (3, folders._CIFAR_RECORD)).astype(np.uint8)
        records[:, 0] = rng.integers(0, 10, 3)
        labels += records[:, 0].tolist()
        (folder / name).write_bytes(records.tobytes())
    access = DataAccess(tmp_path / "cache", mirror=tmp_path, offline=True)
    data = _load(shelf, access, "gist", layout="cifar")
    assert data.X.shape == (18, 320)
    assert data.y.tolist() == labels
    assert data.classes[3] == "cat"
    # Red, green and blue planes one after the other, each row by row.
    record = np.frombuffer((folder / "data_batch_1.bin").read_bytes()[1:3073], np.uint8)
    pixels = np.array([[record[i * 32 + j :: 1024] for j in range(32)] for i in range(32)])
    np.testing.assert_array_equal(data.X[0], features.gist(folders.grey_square(pixels)))
    (folder / "test_batch.bin").write_bytes(b"123")
    with pytest.raises(DataError, match="does not consist of records of 3,073 bytes"):
        _load(shelf, access, "gist", layout="cifar")
    (folder / "test_batch.bin").unlink()
    with pytest.raises(DataError, match=r"lacks test_batch\.bin of CIFAR-10's binary version"):
        _load(shelf, access, "gist", layout="cifar")
