"""Sets of images as they are distributed: GTSRB's folders, CIFAR-10's files, and their cards."""

import csv
from pathlib import Path

import numpy as np
import pytest
from cards import load_card
from pictures import Images, picture, save

from boostbench.data import DataAccess
from boostbench.errors import DataError

pytest.importorskip("cv2")

from boostbench.data import image_features
from boostbench.data.image_sets import ImageSet, cifar_images, gtsrb_images


@pytest.fixture
def these(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Images:
    """The images in ``tmp_path / "mirror" / "set"``; features are computed in this process."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    (tmp_path / "mirror").mkdir()
    return Images(shelf, DataAccess(tmp_path / "cache", tmp_path / "mirror", offline=True))


def made_gtsrb(folder: Path) -> list[list[object]]:
    """Make GTSRB's layout of 3 + 42 training and 4 test images; return the rows of its table."""
    for code in range(43):
        for i in range(3 if code == 7 else 1):
            save(folder / f"Final_Training/Images/{code:05d}/{i}.ppm", picture(code + i, 32))
    for i in range(4):
        save(folder / f"Final_Test/Images/0000{i}.ppm", picture(50 + i, 32))
    rows = [[f"0000{i}.ppm", 53, 54, code] for i, code in ((2, 42), (0, 7), (3, 0), (1, 7))]
    write_table(folder, rows)
    return rows


def write_table(folder: Path, rows: list[list[object]], delimiter: str = ";") -> Path:
    path = folder / "Final_Test" / "GT-final_test.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([["Filename", "Width", "Height", "ClassId"], *rows])
    return path


def seeds(found: ImageSet, of: range, side: int) -> list[int]:
    """Return which picture each image of a set is."""
    pictures = {picture(seed, side).tobytes(): seed for seed in of}
    return [pictures[image.read().tobytes()] for image in found.images]


def test_gtsrb_has_its_training_images_class_by_class_then_its_test_images(tmp_path: Path) -> None:
    made_gtsrb(tmp_path)
    found = gtsrb_images(tmp_path, (32, 32))
    codes = [*range(7), 7, 7, 7, *range(8, 43), 42, 7, 0, 7]
    assert len(found) == 49
    assert found.labels == [str(code) for code in codes]
    assert found.classes == [str(code) for code in range(43)]
    training = [*range(7), 7, 8, 9, *range(8, 43)]
    assert seeds(found, range(54), 32) == [*training, 52, 50, 53, 51]


def test_gtsrb_as_a_data_set_has_codes_in_the_order_of_numbers(tmp_path: Path, these) -> None:
    made_gtsrb(tmp_path / "mirror" / "set")
    data = these.load(layout="gtsrb", image_size=[32, 32], n_samples=49, n_classes=43)
    assert data.X.shape == (49, 3072)
    # Sorted as texts, the code of class 7 would be 40.
    assert data.y[[7, 8, 9, -4, -3]].tolist() == [7, 7, 7, 42, 7]


def test_gtsrb_that_is_not_as_expected(tmp_path: Path) -> None:
    rows = made_gtsrb(tmp_path)
    table = tmp_path / "Final_Test" / "GT-final_test.csv"
    training = tmp_path / "Final_Training" / "Images"
    here = tmp_path / "Final_Test" / "Images"

    def said() -> str:
        with pytest.raises(DataError) as caught:
            gtsrb_images(tmp_path, (32, 32))
        return str(caught.value)

    columns = "the columns Filename and ClassId, separated by semicolons"
    write_table(tmp_path, rows, ",")
    assert said() == f"{table}:1 does not have {columns}"
    for wrong in ("43", "x", "", "-1", "9" * 5000):
        write_table(tmp_path, [*rows[:2], [*rows[2][:3], wrong]])
        assert said() == f"{table}:4 has the class {wrong[:40]!r}; classes are 0 to 42"
    for wrong in ("00009.ppm", "", "../GT-final_test.csv", str(here / "00000.ppm")):
        write_table(tmp_path, [rows[0], [wrong, 1, 2, 3]])
        assert said() == f"{table}:3 names {wrong!r}, which is not in {here}"
    write_table(tmp_path, [["0" * 5000, 1, 2, 3]])
    assert said() == f"{table} cannot be read: File name too long"
    table.write_bytes(b"Filename;ClassId\n\xff\xfe.ppm;1\n")
    assert said().startswith(f"{table}:2 is not utf-8 text: ")
    table.rename(tmp_path / "GT-final_test.csv.old")
    said_of_table = "GT-final_test.csv, which has the classes of the test images"
    assert said() == f"{tmp_path} lacks {said_of_table}"
    write_table(tmp_path, rows)
    (tmp_path / "GT-final_test.csv.old").rename(tmp_path / table.name)
    both = f"{table}, {tmp_path / table.name}"
    assert said() == f"{both} have the same name; keep one of them"
    (training / "00011" / "0.ppm").unlink()
    assert said() == f"{training / '00011'} has no images"
    (training / "00011").rmdir()
    assert said() == f"{training} lacks the folder 00011 of a class"


def made_cifar(folder: Path) -> list[int]:
    """Make CIFAR-10's binary files of three images each; return the codes of their classes."""
    folder.mkdir(parents=True)
    names = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
    codes = np.random.default_rng(2).integers(0, 10, (6, 3))
    for i, name in enumerate(names):
        content = b""
        for j in range(3):
            # Planes of red, green and blue, each row by row.
            planes = picture(3 * i + j, 32)[:, :, ::-1].transpose(2, 0, 1)
            content += bytes([codes[i, j]]) + planes.tobytes()
        (folder / name).write_bytes(content)
    return codes.ravel().tolist()


def test_the_binary_version_of_cifar(tmp_path: Path, these) -> None:
    folder = tmp_path / "mirror" / "set"
    codes = made_cifar(folder)
    assert seeds(cifar_images(folder), range(18), 32) == list(range(18))
    data = these.load(layout="cifar", n_classes=10)
    assert data.y.tolist() == codes
    assert data.classes[3] == "cat"
    # Pixels are the records.
    record = np.frombuffer((folder / "data_batch_1.bin").read_bytes()[1:3073], np.uint8)
    np.testing.assert_array_equal(data.X[0], record)
    gist = these.load("gist", layout="cifar")
    np.testing.assert_array_equal(gist.X[17], image_features.gist(picture(17, 32)))
    digest = cifar_images(folder).digest
    because = "holds JPEG copies"
    assert these.refusal(layout="cifar", refused={digest: because}) == f"{folder} {because}"
    assert these.load(layout="cifar", images_sha256=digest).fingerprint == data.fingerprint
    batch = folder / "test_batch.bin"
    content = batch.read_bytes()
    batch.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert cifar_images(folder).digest != digest
    for wrong in (content[:-1], b""):
        batch.write_bytes(wrong)
        said = f"{batch} does not consist of records of 3,073 bytes"
        assert these.refusal(layout="cifar") == said
    batch.write_bytes(bytes([10]) + content[1:])
    assert these.refusal(layout="cifar") == f"{folder} has the label 10; labels are 0 to 9"
    batch.unlink()
    said = f"{folder} lacks test_batch.bin of CIFAR-10's binary version"
    assert these.refusal(layout="cifar") == said


def test_cards_of_images_have_the_rows_of_those_that_they_stand_for() -> None:
    assert load_card("gtsrb_images").class_counts == load_card("gtsrb").class_counts
    assert load_card("gtsrb_images").train_rows == load_card("gtsrb").train_rows == 39209
    cifar = [f"cifar10_{kind}" for kind in ("pixels", "gist", "jpeg_pixels", "jpeg_gist")]
    assert len({load_card(name).class_counts for name in cifar}) == 1
    for name in [*cifar, "gtsrb_images", "scene15_images"]:
        card = load_card(name)
        (source,) = (source for source in card.sources if source.kind == "images")
        width = {"pixels": 3072, "gist": 320, "gtsrb_hog": 6052, "bag_of_words": 6200}
        assert card.n_features == width[source.features]
        assert card.order == "file"
    # Copies as JPEG files, by whose sha256 the other two cards tell their users of these.
    for kind in ("pixels", "gist"):
        (copies,) = load_card(f"cifar10_jpeg_{kind}").sources
        refused = load_card(f"cifar10_{kind}").sources[0].refused
        assert refused.keys() == {copies.images_sha256}
        assert refused[copies.images_sha256].endswith(f"there is the card cifar10_jpeg_{kind}")
