"""Folders of images as data sets: which images, their classes, and features that are kept."""

import itertools
import math
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pictures import Images, picture, save
from shelf import files_in

from boostbench.data import DataAccess
from boostbench.data.access import NotComputed, Transfer
from boostbench.errors import UnavailableDataError
from boostbench.numbers import duration

cv2 = pytest.importorskip("cv2")

from boostbench.data import image_features, images  # noqa: E402
from boostbench.data.visual_words import histograms  # noqa: E402


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Images of two classes, one in a folder inside a folder, and a file of another kind."""
    inside = tmp_path / "mirror" / "images" / "set"
    for label in ("upright", "a/level"):
        for i in range(4):
            save(inside / label / f"{i}.png", picture(i, upright=label == "upright"))
    (inside / "upright" / "notes.txt").write_text("no image")
    return inside


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def access(tmp_path: Path, notes: list[str], monkeypatch: pytest.MonkeyPatch) -> DataAccess:
    """Access to the mirror, with notes going to ``notes``; features are computed here."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    # No notes of how long it will take, however busy the machine is.
    monkeypatch.setattr(images, "_NOTE_EVERY_S", math.inf)
    (tmp_path / "mirror").mkdir(exist_ok=True)
    return DataAccess(tmp_path / "cache", tmp_path / "mirror", True, notes.append)


@pytest.fixture
def these(shelf: Path, access: DataAccess) -> Images:
    """The images of ``folder``."""
    return Images(shelf, access)


WIDTHS = {"pixels": 4800, "hog": 1764, "gist": 320, "gtsrb_hog": 6052, "bag_of_words": 6200}


@pytest.mark.parametrize(("kind", "width"), WIDTHS.items())
def test_a_folder_becomes_a_data_set(folder, these, notes, access, kind: str, width: int) -> None:
    # 16 patches each: 20 images have more than 200.
    for i in range(4, 10):
        for label in ("upright", "a/level"):
            save(folder / label / f"{i}.png", picture(i, upright=label == "upright"))
    data = these.load(kind)
    assert data.X.shape == (20, width)
    assert data.X.dtype == np.float64
    assert data.classes == ("a/level", "upright")
    assert data.y.tolist() == [0] * 10 + [1] * 10
    assert data.feature_names[0] == f"{kind}_1"
    assert data.feature_names[-1] == f"{kind}_{width}"
    assert data.source == f"{kind} of 20 images"
    (kept,) = files_in(access.cache_dir)
    what = f"{kind} of 20 images"
    assert notes == [f"computing {what} in {folder}, once", f"{what} are kept in {kept}"]
    with np.load(kept) as stored:
        arrays = dict(stored)
    np.testing.assert_array_equal(arrays.pop("X"), data.X)
    for i, (label, at) in enumerate((label, at) for label in data.classes for at in range(10)):
        image = picture(at, upright=label == "upright")
        if kind == "bag_of_words":
            expected = histograms(image, arrays["words"])
        else:
            expected = image_features.FEATURES[kind](image)
        np.testing.assert_array_equal(data.X[i], expected)
    assert {name: values.shape for name, values in arrays.items()} == (
        {"words": (200, 128)} if kind == "bag_of_words" else {}
    )
    # From the cache.
    assert these.load(kind).fingerprint == data.fingerprint
    assert len(notes) == 2


def test_features_are_kept_until_an_image_or_the_features_change(
    folder, these, access, notes, monkeypatch
) -> None:
    first = these.load().fingerprint

    def same_after(computed: int) -> bool:
        same = these.load().fingerprint == first
        return same and sum(note.startswith("computing") for note in notes) == computed

    assert same_after(1)
    image = folder / "upright" / "0.png"
    before = image.read_bytes()
    save(image, picture(8))
    assert these.load().fingerprint != first
    image.write_bytes(before)
    assert same_after(2)
    # Another name or folder is another set, as rows are in the order of names.
    image.rename(folder / "a" / "level" / "9.png")
    assert these.load().y.tolist() == [0] * 5 + [1] * 3
    (folder / "a" / "level" / "9.png").rename(image)
    assert same_after(3)
    monkeypatch.setattr(images, "VERSION", images.VERSION + 1)
    assert same_after(4)
    # Files that are damaged, or of fewer images, are computed again.
    for path in files_in(access.cache_dir):
        path.write_bytes(b"damaged")
    assert same_after(5)
    for path in files_in(access.cache_dir):
        np.savez(path, X=np.ones((7, 3)))
    assert same_after(6)
    assert same_after(6)


def test_features_of_another_kind_are_kept_beside_them(folder, these, access) -> None:
    these.load("gist")
    these.load("hog")
    names = [path.name.partition("-")[0] for path in files_in(access.cache_dir)]
    assert sorted(names) == ["gist", "hog"]


@pytest.mark.parametrize("kind", ["gist", "bag_of_words"])
def test_results_do_not_depend_on_the_number_of_tasks(
    folder, these, access, tmp_path, monkeypatch, kind: str
) -> None:
    for i in range(4, 10):
        save(folder / "upright" / f"{i}.png", picture(i))
    whole = these.load(kind)
    monkeypatch.setattr(images, "_IMAGES_A_TASK", 3)
    watched: list[tuple[int, int | None, bool]] = []

    def watch(transfer: Transfer) -> None:
        assert transfer.unit == "images"
        watched.append((transfer.received, transfer.total, transfer.ended))

    for jobs in (1, 2):
        monkeypatch.setenv("LOKY_MAX_CPU_COUNT", str(jobs))
        watched.clear()
        there = replace(access, cache_dir=tmp_path / f"cache {jobs}", watch=watch)
        assert these.load(kind, access=there).fingerprint == whole.fingerprint
        # Images of which words are made are read twice.
        total = 28 if kind == "bag_of_words" else 14
        steps = [3, 6, 9, 12, 14, 17, 20, 23, 26, 28][: total * 5 // 14]
        assert watched == [*((done, total, False) for done in steps), (total, total, True)]


def test_now_and_then_a_note_says_how_much_is_done(
    folder, these, access, notes, monkeypatch
) -> None:
    monkeypatch.setattr(images, "_IMAGES_A_TASK", 3)
    monkeypatch.setattr(images, "_NOTE_EVERY_S", 60.0)
    # Each part takes 40 seconds.
    clock = SimpleNamespace(monotonic=partial(next, itertools.count(1000.0, 40.0)))
    monkeypatch.setattr(images, "time", clock)
    for i in range(4, 6):
        save(folder / "upright" / f"{i}.png", picture(i))
    these.load()
    done = [(60, duration(80 * 4 / 6)), (100, duration(0.0))]
    assert notes[1:-1] == [
        f"pixels of 10 images: {percent} % done, about {left} left" for percent, left in done
    ]


def test_an_interrupt_leaves_nothing_in_the_cache(folder, these, access, monkeypatch) -> None:
    monkeypatch.setattr(images, "_IMAGES_A_TASK", 3)

    def interrupt(transfer: Transfer) -> None:
        if transfer.received == 6 and not transfer.ended:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        these.load(access=replace(access, watch=interrupt))
    assert not access.cache_dir.exists()
    assert these.load().X.shape == (8, 4800)


def test_nothing_is_computed_where_that_is_not_allowed(folder, these, access, notes) -> None:
    only_kept = replace(access, may_compute=False)
    with pytest.raises(NotComputed, match=f"^pixels of 8 images in {folder}$"):
        these.load(access=only_kept)
    assert notes == []
    assert not access.cache_dir.exists()
    assert these.load().fingerprint == these.load(access=only_kept).fingerprint


def test_features_that_cannot_be_kept_are_there_all_the_same(folder, these, access, notes) -> None:
    # As where the disk is full.
    access.cache_dir.write_text("in the way")
    assert these.load().X.shape == (8, 4800)
    assert notes == [f"computing pixels of 8 images in {folder}, once"]


def test_folders_that_are_not_as_expected(folder: Path, these, access, tmp_path, notes) -> None:
    with pytest.raises(UnavailableDataError, match=r"'toy' cannot be loaded: take photographs$"):
        these.load(access=DataAccess(tmp_path / "cache", offline=True))
    with pytest.raises(UnavailableDataError, match=r"'toy' cannot be loaded: take photographs$"):
        these.load(folder="absent")
    level = folder / "a" / "level"
    assert these.refusal(per_folder=5) == f"{level} has 4 images, but the card expects 5"
    assert these.refusal(n_samples=9) == f"{folder} has 8 images, but the card expects 9"
    said = f"{folder} has 2 folders with images, but the card expects 15 classes"
    assert these.refusal(n_classes=15) == said
    (folder / "upright" / "3.png").rename(folder / "loose.png")
    said = "images itself, such as loose.png; put each class into its own folder"
    assert these.refusal() == f"{folder} holds {said}"
    (folder / "loose.png").unlink()
    for path in level.iterdir():
        path.unlink()
    said = "1 folder with images; at least two are needed, one a class"
    assert these.refusal() == f"{folder} has {said}"
    assert notes == []
    assert not access.cache_dir.exists()


def test_numbers_of_images_and_classes_that_are_as_expected(folder: Path, these) -> None:
    data = these.load(n_samples=8, n_classes=2, image_size=[40, 40])
    assert data.X.shape == (8, 4800)
    # The first three by name of each folder.
    some = these.load(n_samples=6, per_folder=3)
    np.testing.assert_array_equal(some.X, data.X[[0, 1, 2, 4, 5, 6]])


def test_an_image_that_is_not_as_expected_is_named(folder: Path, these, monkeypatch) -> None:
    image = folder / "upright" / "2.png"
    save(image, picture(0, 39))
    said = f"{image} has 39 x 39 pixels, but the card expects 40 x 40"
    assert these.refusal(image_size=[40, 40]) == said
    # Pixel values of images of several sizes, in one task and in two.
    one_size = "pixel values are comparable where all images have one size"
    said = f"{image} has another size than the images before it; {one_size}"
    assert these.refusal() == said
    assert these.load("hog").X.shape == (8, 1764)
    monkeypatch.setattr(images, "_IMAGES_A_TASK", 1)
    assert these.refusal() == f"{folder} has images of several sizes; {one_size}"
    save(image, picture(0)[:, :15])
    said = f"{image}: an image of 40 x 15 pixels is smaller than a patch of 16 x 16"
    assert these.refusal(kind="bag_of_words") == said
    image.write_bytes(b"no image")
    for kind in ("gist", "bag_of_words"):
        said = f"{image} cannot be read as an image: OpenCV knows no such format"
        assert these.refusal(kind=kind) == said


def test_too_few_patches_for_a_code_book_are_one_sentence(folder: Path, these) -> None:
    patches = "all images have 128 patches of 16 x 16 pixels"
    assert these.refusal(kind="bag_of_words") == f"{patches}; 200 words need as many at least"


def test_a_name_that_is_not_utf_8_is_refused(folder: Path, these) -> None:
    name = "caf\udce9"
    try:
        (folder / "upright").rename(folder / name)
    except OSError:
        pytest.skip("names of files are texts here")
    assert these.refusal() == f"'{folder}/caf\\udce9/0.png' has a name that is not UTF-8"


def test_without_opencv_one_sentence_says_so(folder: Path, these, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    assert these.refusal().endswith(
        "need OpenCV 4; install it by: pip install 'boostbench[images]'"
    )


def test_other_images_than_those_of_the_card_are_refused(folder: Path, these) -> None:
    digest = "0" * 64
    said = these.refusal(images_sha256=digest)
    expected = "does not have the images that the card expects: their sha256 is"
    assert said.startswith(f"{folder} {expected} ")
    found = said.removeprefix(f"{folder} {expected} ").removesuffix(f", not {digest}")
    assert these.load(images_sha256=found).X.shape == (8, 4800)
    because = "has copies, for which there is another card"
    assert these.refusal(refused={found: because}) == f"{folder} {because}"
    assert these.load(refused={digest: because}).X.shape == (8, 4800)
    # An image that is damaged is the reason that is given first.
    image = folder / "upright" / "2.png"
    image.write_bytes(image.read_bytes()[:-100])
    assert these.refusal(images_sha256=found).startswith(f"{image} cannot be read as an image: ")
    save(image, picture(0, 39))
    said = f"{image} has 39 x 39 pixels, but the card expects 40 x 40"
    assert these.refusal(images_sha256=found, image_size=[40, 40]) == said


def test_endings_in_capitals_and_linked_files_count_and_hidden_files_do_not(
    folder: Path, these, tmp_path: Path
) -> None:
    expected = these.load().fingerprint
    image = folder / "upright" / "2.png"
    image.rename(tmp_path / "a blob")
    image.symlink_to(tmp_path / "a blob")
    (folder / "upright" / "._0.png").write_bytes(b"no image")
    (folder / "upright" / "3.png").rename(folder / "upright" / "3.PNG")
    assert these.load().fingerprint == expected
