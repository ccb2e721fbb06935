"""Images as data sets: features computed once, in parallel, and kept."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from joblib import Parallel, cpu_count, delayed
from numpy.typing import NDArray

from boostbench.data import visual_words
from boostbench.data.access import DataAccess, NotComputed, Transfer
from boostbench.data.arrays import reading, write_arrays
from boostbench.data.cards import Card, Source
from boostbench.data.dataset import Dataset, with_fingerprint
from boostbench.data.image_features import FEATURES, VERSION
from boostbench.data.image_files import Pixels, load_opencv
from boostbench.data.image_sets import (
    ImageSet,
    StoredImage,
    cifar_images,
    gtsrb_images,
    images_in_folders,
)
from boostbench.data.sources import find_folder
from boostbench.data.table import check_cells
from boostbench.errors import DataError
from boostbench.numbers import duration
from boostbench.suggest import counted

BAG_OF_WORDS = "bag_of_words"

_IMAGES_A_TASK = 128
_NOTE_EVERY_S = 30.0
_ONE_SIZE = "pixel values are comparable where all images have one size"

_Number = TypeVar("_Number", bound=np.generic)
PartFunction = Callable[[Sequence[StoredImage]], NDArray[_Number]]
"""Makes an array with at least one row of each image of a part."""


def load_images(card: Card, source: Source, access: DataAccess) -> Dataset:
    """Return the data set of the images in the mirror's folder ``source.folder``.

    Rows are in the order of :mod:`boostbench.data.image_sets`. Features are kept in the cache, by
    the content of the images and the kind of features.

    Raises
    ------
    NotLocal
        if there is no such folder
    NotComputed
        if the cache has no features, and ``access`` does not let them be computed
    DataError
        if OpenCV is not installed, an image cannot be read, or they are not those of the card
    """
    folder = find_folder(source.folder, access)
    load_opencv()
    images = _images(source, folder)
    _check_images(images, card, source, folder)
    X = _features(images, source.features, folder, access)
    codes = {label: code for code, label in enumerate(images.classes)}
    y = np.array([codes[label] for label in images.labels], dtype=np.int64)
    return with_fingerprint(
        Dataset(
            name=access.subject,
            X=X,
            y=y,
            feature_names=tuple(f"{source.features}_{j}" for j in range(1, X.shape[1] + 1)),
            target=card.target,
            task=card.task,
            fingerprint="",
            source=f"{source.features} of {counted(len(y), 'image')}",
            classes=tuple(images.classes),
        )
    )


def _images(source: Source, folder: Path) -> ImageSet:
    match source.layout:
        case "cifar":
            return cifar_images(folder)
        case "gtsrb":
            return gtsrb_images(folder, source.image_size)
        case _:
            return images_in_folders(folder, source.per_folder, source.image_size)


def _check_images(images: ImageSet, card: Card, source: Source, folder: Path) -> None:
    """Raise DataError for other images than the card expects."""
    if source.n_classes is not None and len(images.classes) != source.n_classes:
        raise DataError(
            f"{folder} has {counted(len(images.classes), 'folder')} with images, but the card "
            f"expects {source.n_classes} classes"
        )
    if card.n_samples and len(images) != card.n_samples:
        raise DataError(
            f"{folder} has {counted(len(images), 'image')}, but the card expects {card.n_samples:,}"
        )
    if images.digest in source.refused:
        raise DataError(f"{folder} {source.refused[images.digest]}")
    if images.digest == (source.images_sha256 or images.digest):
        return
    # An image that is damaged, or of another size, is a better reason than the sha256.
    for image in images.images:
        image.read()
    raise DataError(
        f"{folder} does not have the images that the card expects: their sha256 is "
        f"{images.digest}, not {source.images_sha256}"
    )


def _features(images: ImageSet, kind: str, folder: Path, access: DataAccess) -> NDArray[np.float64]:
    """Return (n, p) features, from the cache where it has them."""
    path = _cache_path(images, kind, access)
    with contextlib.suppress(DataError), reading(path) as stored:
        kept = stored["X"]
        if len(kept) == len(images):
            return np.asarray(kept, dtype=np.float64)
    what = f"{kind} of {counted(len(images), 'image')}"
    if not access.may_compute:
        raise NotComputed(f"{what} in {folder}")
    access.notify(f"computing {what} in {folder}, once")
    arrays: dict[str, NDArray[np.generic]] = {}
    with _Progress(what, len(images), access) as progress:
        if kind == BAG_OF_WORDS:
            # The images are read twice: their descriptors together would fill gigabytes.
            progress.total *= 2
            sampling = partial(_sampled, n_images=len(images))
            sampled = np.concatenate(list(_over_parts(sampling, images, progress)))
            arrays["words"] = words = visual_words.code_book(sampled)
            of_part = partial(_rows, partial(visual_words.histograms, words=words))
        else:
            of_part = partial(_rows, FEATURES[kind])
        arrays["X"] = _all_rows(of_part, images, progress, str(folder))
    # If the disk is full, they are computed again next time.
    with contextlib.suppress(DataError):
        write_arrays(path, "features", **arrays)
        access.notify(f"{what} are kept in {path}")
    return np.asarray(arrays["X"], dtype=np.float64)


def _cache_path(images: ImageSet, kind: str, access: DataAccess) -> Path:
    libraries = [load_opencv().__version__]
    if kind == BAG_OF_WORDS:
        libraries.append(version("scikit-learn"))
    parts = [images.digest, kind, str(VERSION), *libraries]
    key = hashlib.sha256(" ".join(parts).encode()).hexdigest()
    return access.cache_dir / "features" / f"{kind}-{key[:32]}.npz"


@dataclass
class _Progress(contextlib.AbstractContextManager["_Progress"]):
    """Shows how many images are done, as a transfer, and now and then how long it will take."""

    what: str
    total: int
    access: DataAccess
    done: int = 0

    def __enter__(self) -> Self:
        self._started = self._noted = time.monotonic()
        self._transfer = Transfer(self.what, "", unit="images")
        return self

    def add(self, n_images: int) -> None:
        """Count images, and show it."""
        self.done += n_images
        self._transfer.received, self._transfer.total = self.done, self.total
        self.access.watch(self._transfer)
        now = time.monotonic()
        if now - self._noted >= _NOTE_EVERY_S:
            self._noted = now
            left_s = (now - self._started) * (self.total - self.done) / self.done
            share = f"{100 * self.done // self.total} % done"
            self.access.notify(f"{self.what}: {share}, about {duration(left_s)} left")

    def __exit__(self, *_: object) -> None:
        self._transfer.ended = True
        self.access.watch(self._transfer)


def _all_rows(
    of_part: PartFunction[_Number], images: ImageSet, progress: _Progress, where: str
) -> NDArray[_Number]:
    """Return the features of all images in one array of the type that they have."""
    done = 0
    for rows in _over_parts(of_part, images, progress):
        if done == 0:
            check_cells(len(images), rows.shape[1], where)
            X = np.empty((len(images), rows.shape[1]), dtype=rows.dtype)
        elif rows.shape[1] != X.shape[1]:
            raise DataError(f"{where} has images of several sizes; {_ONE_SIZE}")
        X[done : done + len(rows)] = rows
        done += len(rows)
    return X


def _over_parts(
    of_part: PartFunction[_Number], images: ImageSet, progress: _Progress
) -> Iterator[NDArray[_Number]]:
    """Yield what ``of_part`` makes of each part of the images, in order, on all processors."""
    starts = range(0, len(images), _IMAGES_A_TASK)
    parts = [images.images[start : start + _IMAGES_A_TASK] for start in starts]
    run = Parallel(n_jobs=min(cpu_count(), len(parts)), return_as="generator")
    made = run(delayed(of_part)(part) for part in parts)
    for part, rows in zip(parts, made, strict=True):
        progress.add(len(part))
        yield rows


def _rows(
    of_image: Callable[[Pixels], NDArray[np.generic]], images: Sequence[StoredImage]
) -> NDArray[np.generic]:
    """Return (n, p) features of the images of a part."""
    rows: list[NDArray[np.generic]] = []
    for image in images:
        rows.append(_features_of(of_image, image))
        if len(rows[-1]) != len(rows[0]):
            raise DataError(f"{image.name} has another size than the images before it; {_ONE_SIZE}")
    return np.stack(rows)


def _sampled(images: Sequence[StoredImage], *, n_images: int) -> NDArray[np.uint8]:
    """Return (m, 128) random descriptors of the images of a part."""
    descriptors = [
        _features_of(partial(visual_words.sample, index=image.place, n_images=n_images), image)
        for image in images
    ]
    return np.concatenate(descriptors)


def _features_of(
    of_image: Callable[[Pixels], NDArray[_Number]], image: StoredImage
) -> NDArray[_Number]:
    """Return the features of an image; a DataError names the image."""
    pixels = image.read()
    try:
        return of_image(pixels)
    except DataError as error:
        raise DataError(f"{image.name}: {error}") from None
