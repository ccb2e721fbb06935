"""Sets of images as they are distributed: folders of classes, CIFAR-10, and GTSRB."""

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.data.content import read_file, read_text
from boostbench.data.image_files import SUFFIXES, Pixels, read_image
from boostbench.data.sources import only_one_of, walk
from boostbench.errors import DataError
from boostbench.grouping import grouped
from boostbench.suggest import counted

_CIFAR_FILES = (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin")
_CIFAR_SIDE = 32
_CIFAR_RECORD = 1 + 3 * _CIFAR_SIDE**2
_CIFAR_CLASSES = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)

_GTSRB_TRAINING = Path("Final_Training", "Images")
_GTSRB_TEST = Path("Final_Test", "Images")
_GTSRB_TEST_CLASSES = "GT-final_test.csv"
_GTSRB_N_CLASSES = 43


class StoredImage(NamedTuple):
    """An image of a set: its place there, its name in messages, and what reads its pixels."""

    place: int
    name: str
    read: Callable[[], Pixels]


@dataclass(frozen=True)
class ImageSet:
    """The images of a data set with their labels; ``digest`` is a sha256 of all of it."""

    images: Sequence[StoredImage]
    labels: Sequence[str]
    classes: Sequence[str]
    digest: str

    def __len__(self) -> int:
        return len(self.labels)


def images_in_folders(
    folder: Path, per_folder: int | None, size: tuple[int, int] | None
) -> ImageSet:
    """Return the images of the folders below ``folder``, each a class that is named by its path.

    Parameters
    ----------
    per_folder : how many images of each folder are used, the first by name; None for all

    Raises
    ------
    DataError
        if there are fewer than two classes, images outside the classes, or too few in a class
    """
    by_folder = grouped((path.parent, path) for path in _images_below(folder))
    if folder in by_folder:
        raise DataError(
            f"{folder} holds images itself, such as {by_folder[folder][0].name}; put each class "
            "into its own folder"
        )
    for inside, images_inside in sorted(by_folder.items()):
        if len(images_inside) < (per_folder or 0):
            raise DataError(
                f"{inside} has {counted(len(images_inside), 'image')}, but the card expects "
                f"{per_folder}"
            )
    if len(by_folder) < 2:
        raise DataError(
            f"{folder} has {counted(len(by_folder), 'folder')} with images; at least two are "
            "needed, one a class"
        )
    used = (images_inside[:per_folder] for _, images_inside in sorted(by_folder.items()))
    paths = list(chain.from_iterable(used))
    labels = [path.parent.relative_to(folder).as_posix() for path in paths]
    return _set_of_files(folder, paths, labels, sorted(set(labels)), size)


def _set_of_files(
    folder: Path,
    paths: Sequence[Path],
    labels: Sequence[str],
    classes: Sequence[str],
    size: tuple[int, int] | None,
) -> ImageSet:
    """Return the set of images in files, of a given (height, width) where one is expected."""
    images = [
        StoredImage(index, str(path), partial(read_image, path, size))
        for index, path in enumerate(paths)
    ]
    return ImageSet(images, labels, classes, _digest_of_files(folder, paths, labels))


def cifar_images(folder: Path) -> ImageSet:
    """Return the images of CIFAR-10's binary version, the training batches before the test batch.

    Raises
    ------
    DataError
        if a batch is missing, or does not consist of records
    """
    parts = []
    for path in (folder / name for name in _CIFAR_FILES):
        if not path.is_file():
            raise DataError(f"{folder} lacks {path.name} of CIFAR-10's binary version")
        content = read_file(path)
        if len(content) % _CIFAR_RECORD or not content:
            raise DataError(f"{path} does not consist of records of {_CIFAR_RECORD:,} bytes")
        parts.append(np.frombuffer(content, np.uint8).reshape(-1, _CIFAR_RECORD))
    records = np.concatenate(parts)
    codes = records[:, 0]
    if codes.max() >= len(_CIFAR_CLASSES):
        raise DataError(f"{folder} has the label {codes.max()}; labels are 0 to 9")
    labels = [_CIFAR_CLASSES[code] for code in codes]
    digest = hashlib.sha256(records.tobytes()).hexdigest()
    images = [
        StoredImage(index, f"image {index + 1}", partial(_pixels_of_record, record))
        for index, record in enumerate(records)
    ]
    return ImageSet(images, labels, _CIFAR_CLASSES, digest)


def _pixels_of_record(record: NDArray[np.uint8]) -> Pixels:
    """Return the pixels of CIFAR-10's record: a label, then planes of red, green and blue."""
    planes = record[1:].reshape(3, _CIFAR_SIDE, _CIFAR_SIDE)
    return np.ascontiguousarray(planes[::-1].transpose(1, 2, 0))


def gtsrb_images(folder: Path, size: tuple[int, int] | None) -> ImageSet:
    """Return the training images of GTSRB, class by class, then its test images in their order.

    Training images lie in ``Final_Training/Images/000NN``, a folder per class, test images in
    ``Final_Test/Images``. Their order and classes are in ``GT-final_test.csv``, anywhere below
    ``folder``.

    Raises
    ------
    DataError
        if a folder or file is missing, or the classes of the test images cannot be read
    """
    paths: list[Path] = []
    labels: list[str] = []
    for code in range(_GTSRB_N_CLASSES):
        inside = folder / _GTSRB_TRAINING / f"{code:05d}"
        if not inside.is_dir():
            raise DataError(f"{inside.parent} lacks the folder {inside.name} of a class")
        images = _images_below(inside)
        if not images:
            raise DataError(f"{inside} has no images")
        paths += images
        labels += [str(code)] * len(images)
    for path, code in _gtsrb_test_images(folder):
        paths.append(path)
        labels.append(str(code))
    classes = [str(code) for code in range(_GTSRB_N_CLASSES)]
    return _set_of_files(folder, paths, labels, classes, size)


def _gtsrb_test_images(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the path and the class of each test image, in the order of their table."""
    tables = [path for path in _files(folder) if path.name == _GTSRB_TEST_CLASSES]
    if not tables:
        raise DataError(
            f"{folder} lacks {_GTSRB_TEST_CLASSES}, which has the classes of the test images"
        )
    table = only_one_of(tables)
    reader = csv.DictReader(io.StringIO(read_text(table), newline=""), delimiter=";")
    try:
        if not {"Filename", "ClassId"} <= set(reader.fieldnames or ()):
            raise DataError(
                f"{table}:1 does not have the columns Filename and ClassId, separated by semicolons"
            )
        for row in reader:
            yield _gtsrb_test_image(folder, row, f"{table}:{reader.line_num}")
    except OSError as error:
        raise DataError(f"{table} cannot be read: {error.strerror or error}") from None
    except csv.Error as error:
        raise DataError(f"{table} cannot be read: {error}") from None


def _gtsrb_test_image(folder: Path, row: Mapping[str, str], place: str) -> tuple[Path, int]:
    """Return the path and the class in a row; DataError naming ``place`` if one is wrong."""
    name = row["Filename"] or ""
    text = row["ClassId"] or ""
    if not (text.isdecimal() and len(text) <= 5 and int(text) < _GTSRB_N_CLASSES):
        raise DataError(
            f"{place} has the class {text[:40]!r}; classes are 0 to {_GTSRB_N_CLASSES - 1}"
        )
    inside = folder / _GTSRB_TEST
    if Path(name).name != name or not (inside / name).is_file():
        raise DataError(f"{place} names {name!r}, which is not in {inside}")
    return inside / name, int(text)


def _images_below(folder: Path) -> list[Path]:
    """Return all files below a folder that are named as images are, sorted."""
    return [path for path in _files(folder) if path.suffix.lower() in SUFFIXES]


def _files(folder: Path) -> list[Path]:
    """Return all files below a folder, sorted."""
    return sorted(place / name for place, _, names in walk(folder) for name in names)


def _digest_of_files(folder: Path, paths: Sequence[Path], labels: Sequence[str]) -> str:
    """Return the sha256 of the paths below ``folder``, labels and contents of files."""
    digest = hashlib.sha256()
    for path, label in zip(paths, labels, strict=True):
        try:
            digest.update(f"{path.relative_to(folder).as_posix()}\0{label}\0".encode())
        except UnicodeEncodeError:
            raise DataError(f"{str(path)!a} has a name that is not UTF-8") from None
        digest.update(hashlib.sha256(read_file(path)).digest())
    return digest.hexdigest()
