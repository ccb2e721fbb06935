"""Folders of images as data sets: a folder per class, features computed once and kept."""

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boostbench.data.access import DataAccess, NotComputed
from boostbench.data.arrays import reading, write_arrays
from boostbench.data.cards import Card, Source
from boostbench.data.dataset import Dataset, with_fingerprint
from boostbench.data.image_features import FEATURES, SIDE, VERSION
from boostbench.data.sources import find_folder, walk
from boostbench.data.table import check_cells
from boostbench.errors import DataError
from boostbench.suggest import counted

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff"})
_CIFAR_FILES = (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin")
_CIFAR_RECORD = 1 + 3 * 32 * 32
_CIFAR_CLASSES = (
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
)  # fmt: skip

# Modes of Pillow whose channels are neither grey nor red, green and blue.
_CONVERTED = {
    "CMYK": "RGB", "HSV": "RGB", "LA": "RGBA", "P": "RGB", "PA": "RGBA", "YCbCr": "RGB",
}  # fmt: skip


def load_images(card: Card, source: Source, access: DataAccess) -> Dataset:
    """Return the data set of the images in the mirror's folder ``source.folder``.

    Each folder below it that holds images is a class, named by its path. Rows are in the order of
    the classes and file names, those of CIFAR-10's binary files in file order. Features are kept
    in the cache, by the content of the images and the kind of features.

    Raises
    ------
    NotLocal
        if there is no such folder
    NotComputed
        if the cache has no features, and ``access`` does not let them be computed
    DataError
        if scikit-image is not installed, an image cannot be read, or there are too few
    """
    folder = find_folder(source.folder, access)
    if find_spec("skimage") is None:
        raise DataError("features of images need scikit-image: pip install 'boostbench[images]'")
    is_cifar = source.layout == "cifar"
    images = _cifar(folder) if is_cifar else _in_folders(folder, source.per_folder)
    classes = _CIFAR_CLASSES if is_cifar else tuple(sorted(set(images.labels)))
    if len(classes) < 2:
        many = counted(len(classes), "folder")
        raise DataError(f"{folder} has {many} with images; at least two are needed, one a class")
    if card.n_samples and len(images) != card.n_samples:
        many = counted(len(images), "image")
        raise DataError(f"{folder} has {many}, but the card expects {card.n_samples:,}")
    X = _features(images, source.features, folder, access)
    y = np.array([classes.index(label) for label in images.labels], dtype=np.int64)
    names = tuple(f"{source.features}_{j}" for j in range(1, X.shape[1] + 1))
    where = f"{source.features} of {counted(len(y), 'image')}"
    about = names, card.target, card.task, "", where, classes
    return with_fingerprint(Dataset(access.subject, X, y, *about))


@dataclass(frozen=True)
class _Images(Sequence[NDArray[np.float64]]):
    """Grey images of one size, read on access, their classes, and a sha256 of all."""

    labels: list[str]
    read: Callable[[int], NDArray[np.float64]]
    digest: str

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.read(index)


def _in_folders(folder: Path, per_folder: int | None) -> _Images:
    by_folder: dict[Path, list[Path]] = {}
    for path in sorted(place / name for place, _, names in walk(folder) for name in names):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            by_folder.setdefault(path.parent, []).append(path)
    if folder in by_folder:
        itself = f"images itself, such as {by_folder[folder][0].name}"
        raise DataError(f"{folder} holds {itself}; put each class into its own folder")
    for inside, found in sorted(by_folder.items()):
        if len(found) < (per_folder or 0):
            many = counted(len(found), "image")
            raise DataError(f"{inside} has {many}, but the card expects {per_folder}")
    paths = [path for _, found in sorted(by_folder.items()) for path in found[:per_folder]]
    labels = [path.parent.relative_to(folder).as_posix() for path in paths]
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return _Images(labels, lambda index: read_image(paths[index]), digest.hexdigest())


def _cifar(folder: Path) -> _Images:
    """Return the images of CIFAR-10's binary version: records of a label and 3 x 32 x 32 bytes."""
    parts = []
    for path in (folder / name for name in _CIFAR_FILES):
        if not path.is_file():
            raise DataError(f"{folder} lacks {path.name} of CIFAR-10's binary version")
        content = path.read_bytes()
        if len(content) % _CIFAR_RECORD or not content:
            raise DataError(f"{path} does not consist of records of {_CIFAR_RECORD:,} bytes")
        parts.append(np.frombuffer(content, np.uint8).reshape(-1, _CIFAR_RECORD))
    records = np.concatenate(parts)
    codes = records[:, 0]
    if codes.max() >= len(_CIFAR_CLASSES):
        raise DataError(f"{folder} has the label {codes.max()}; labels are 0 to 9")

    def read(index: int) -> NDArray[np.float64]:
        pixels = records[index, 1:].reshape(3, 32, 32)
        return grey_square(np.ascontiguousarray(pixels.transpose(1, 2, 0)))

    labels = [_CIFAR_CLASSES[code] for code in codes]
    return _Images(labels, read, hashlib.sha256(records.tobytes()).hexdigest())


def read_image(path: Path) -> NDArray[np.float64]:
    """Return the grey square of an image file; DataError naming it if it cannot be read."""
    from PIL import Image
    from skimage.io import imread

    pixels = None
    try:
        # Pillow cannot open every format that scikit-image reads.
        with contextlib.suppress(OSError), Image.open(path) as image:
            if image.mode in _CONVERTED:
                pixels = np.asarray(image.convert(_CONVERTED[image.mode]))
        # The name's ending selects the reader; an open file, or a link's target, may have none.
        return grey_square(imread(str(path)) if pixels is None else pixels)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except Exception as error:  # readers of images raise many kinds
        reason = " ".join(str(error).split())[:200]
        if reason.startswith("Could not find a backend"):
            reason = "no reader knows its format"
        raise DataError(f"{path} cannot be read as an image: {reason}") from None


def grey_square(pixels: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return (SIDE, SIDE) grey values in [0, 1] of (h, w), (h, w, 3) or (h, w, 4) pixels."""
    from skimage.color import rgb2gray, rgba2rgb
    from skimage.transform import resize
    from skimage.util import img_as_float64

    values = img_as_float64(pixels)
    if values.ndim == 3 and values.shape[2] == 4:
        values = rgba2rgb(values)
    if values.ndim == 3 and values.shape[2] == 3:
        values = rgb2gray(values)
    if values.ndim != 2 or 0 in values.shape:
        raise DataError(f"an image of shape {pixels.shape}; grey or colours are expected")
    return np.asarray(resize(values, (SIDE, SIDE), anti_aliasing=True), dtype=np.float64)


def _features(images: _Images, kind: str, folder: Path, access: DataAccess) -> NDArray[np.float64]:
    """Return (n, p) features, from the cache where it has them."""
    library = f"{version('scikit-image')} {version('scikit-learn')}"
    key = hashlib.sha256(f"{images.digest} {kind} {VERSION} {library}".encode()).hexdigest()
    path = access.cache_dir / "features" / f"{key}.npz"
    with contextlib.suppress(DataError), reading(path) as stored:
        X: NDArray[np.float64] = stored["X"]
        if len(X) == len(images):
            return X
    if not access.may_compute:
        raise NotComputed(f"{kind} of {counted(len(images), 'image')} in {folder}")
    access.notify(f"computing {kind} of {counted(len(images), 'image')} in {folder}, once")
    for i, row in enumerate(FEATURES[kind](images)):
        if i == 0:
            check_cells(len(images), len(row), str(folder))
            X = np.empty((len(images), len(row)))
        X[i] = row
    # If the disk is full, they are computed again next time.
    with contextlib.suppress(DataError):
        write_arrays(path, "features", X=X)
    return X
