"""OpenCV, image files as arrays of pixels, and pixels as grey values.

Pixels are (height, width) grey values or (height, width, 3) values of blue, green and red, as
OpenCV has them: of 8 or 16 bits, or floats from 0 to 1. An image is turned as its EXIF orientation
says, so that it has the position in which viewers show it, and transparent parts are white.
"""

import io
import os
import re
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from boostbench.data.content import read_file
from boostbench.errors import DataError

Pixels = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

SIDE = 128
"""The side of the grey squares of which GIST and HOG are computed, in pixels."""

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff"})

# The header of a binary PGM or PPM file, which has the width, the height and the value of white.
_BINARY_PNM = re.compile(rb"P[56](?:(?:\s|#.*\n)+(\d+)){3}")
_MODES_WITH_ALPHA = {"LA", "La", "PA", "RGBA", "RGBa"}
_INSTALL = "install it by: pip install 'boostbench[images]'"
# OpenCV's code for AVX-512 rounds otherwise than that for AVX2, and it is chosen at the import.
_CHOICE_OF_CODE = "OPENCV_CPU_DISABLE"
_NOT_CHOSEN = "AVX512-SKX"


def load_opencv() -> ModuleType:
    """Return the module ``cv2``, set up so that x86-64 processors with AVX2 give equal bits.

    Raises
    ------
    DataError
        if OpenCV is missing, or is a version without the descriptors that features are made of
    """
    own_choice = os.environ.get(_CHOICE_OF_CODE)
    os.environ.setdefault(_CHOICE_OF_CODE, _NOT_CHOSEN)
    try:
        module = import_module("cv2")
    except ImportError:
        raise DataError(f"features of images need OpenCV 4; {_INSTALL}") from None
    finally:
        if own_choice is None:
            del os.environ[_CHOICE_OF_CODE]
    if not module.__version__.startswith("4.") or not hasattr(module, "HOGDescriptor"):
        raise DataError(
            f"features of images need OpenCV 4, but version {module.__version__} is installed; "
            f"{_INSTALL}"
        )
    module.setNumThreads(1)
    # Intel's library chooses its code by the processor too.
    module.ipp.setUseIPP(False)
    return module


def read_image(path: Path, size: tuple[int, int] | None = None) -> Pixels:
    """Return the pixels of an image file.

    Parameters
    ----------
    size : the height and the width that are expected, if they are

    Raises
    ------
    DataError
        naming the file, if it cannot be read, is cut off, has another size, or values of another
        kind
    """
    content = read_file(path)
    try:
        layers = _layers_of_whole(content)
        pixels = _decoded(content)
        _check_values(pixels)
    except DataError as error:
        raise DataError(f"{path} cannot be read as an image: {error}") from None
    if size is not None and pixels.shape[:2] != size:
        raise DataError(
            f"{path} has {pixels.shape[0]} x {pixels.shape[1]} pixels, but the card expects "
            f"{size[0]} x {size[1]}"
        )
    return pixels if layers is None else _on_white(pixels, layers)


def grey_bytes(pixels: Pixels) -> Bytes:
    """Return (height, width) grey values of 8 bits; 16 bits and floats are rounded."""
    return _as_bytes(_grey(pixels))


def colour_bytes(pixels: Pixels) -> Bytes:
    """Return (height, width, 3) values of blue, green and red of 8 bits."""
    values = _as_bytes(pixels)
    return values if values.ndim == 3 else np.stack([values] * 3, axis=2)


def grey_square(pixels: Pixels) -> Floats:
    """Return (SIDE, SIDE) grey values from 0 to 1.

    A larger image is reduced by the means of areas, a smaller one enlarged linearly.
    """
    cv2 = load_opencv()
    grey = np.asarray(_grey(pixels) / _largest(pixels), dtype=np.float64)
    shrinks = grey.size > SIDE * SIDE
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(grey, (SIDE, SIDE), interpolation=how), dtype=np.float64)


def _grey(pixels: Pixels) -> Pixels:
    """Return the (height, width) grey values, of the same kind; floats become float32."""
    if pixels.ndim == 2:
        return pixels
    cv2 = load_opencv()
    # OpenCV converts no colours of float64.
    coloured = pixels.astype(np.float32) if pixels.dtype == np.float64 else pixels
    grey: Pixels = cv2.cvtColor(coloured, cv2.COLOR_BGR2GRAY)
    return grey


def _as_bytes(pixels: Pixels) -> Bytes:
    if pixels.dtype == np.uint8:
        return np.asarray(pixels, dtype=np.uint8)
    return np.asarray(np.rint(pixels * (255 / _largest(pixels))), dtype=np.uint8)


def _largest(pixels: Pixels) -> float:
    """Return the value of white."""
    return {"uint8": 255.0, "uint16": 65535.0}.get(pixels.dtype.name, 1.0)


def _layers_of_whole(content: bytes) -> Bytes | None:
    """Return red, green, blue and opacity, None where all is opaque; DataError for a cut off image.

    OpenCV returns an image also for a file that was cut off, which Pillow does not. Pillow knows
    fewer formats: an image that it cannot identify is left to OpenCV.
    """
    with warnings.catch_warnings():
        # Warnings about meta data do not concern the pixels.
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(content)) as image:
                image.load()
                if image.mode not in _MODES_WITH_ALPHA and "transparency" not in image.info:
                    return None
                return np.asarray(ImageOps.exif_transpose(image.convert("RGBA")), dtype=np.uint8)
        except UnidentifiedImageError:
            return None
        except Exception as error:  # readers of images raise many kinds
            reason = " ".join(str(error).split())[:200]
            raise DataError(reason or type(error).__name__) from None


def _decoded(content: bytes) -> Pixels:
    cv2 = load_opencv()
    pixels = None
    if content:
        try:
            # With the depth of the file, grey or in colours, turned as its orientation says.
            flags = cv2.IMREAD_ANYDEPTH | cv2.IMREAD_ANYCOLOR
            pixels = cv2.imdecode(np.frombuffer(content, np.uint8), flags)
        except cv2.error as error:
            raise DataError(" ".join(str(error).split())[:200]) from None
    if pixels is None:
        raise DataError("OpenCV knows no such format")
    converted: Pixels = pixels
    header = _BINARY_PNM.match(content)
    if header is None or int(header[1]) == _largest(converted):
        return converted
    # Of these formats, OpenCV scales the values of the one that is text only.
    white = int(header[1])
    return _rounded(np.minimum(converted, white) * (_largest(converted) / white), converted)


def _check_values(pixels: Pixels) -> None:
    kind = pixels.dtype
    if kind not in (np.uint8, np.uint16, np.float32, np.float64):
        raise DataError(f"its values are {kind}; 8 or 16 bits, or floats from 0 to 1, are expected")
    if kind.kind == "f" and not (pixels.min() >= 0 and pixels.max() <= 1):
        raise DataError(
            f"its values are floats from {pixels.min():g} to {pixels.max():g}; they are expected "
            "from 0 to 1"
        )


def _on_white(pixels: Pixels, layers: Bytes) -> Pixels:
    """Return the image in front of white.

    Parameters
    ----------
    layers : (height, width, 4) red, green, blue and opacity
    """
    # In 8 bits OpenCV gives the colours of some TIFF files already multiplied by the opacity.
    colours: Pixels = layers[:, :, 2::-1] if pixels.dtype == np.uint8 else pixels
    opacity = layers[:, :, 3] / 255
    share = opacity if colours.ndim == 2 else opacity[:, :, np.newaxis]
    mixed: Floats = share * colours + (1 - share) * _largest(colours)
    return _rounded(mixed, colours)


def _rounded(values: Floats, pixels: Pixels) -> Pixels:
    """Return ``values`` in the type of ``pixels``, or as they are for floats."""
    if pixels.dtype == np.uint8:
        return np.rint(values).astype(np.uint8)
    return np.rint(values).astype(np.uint16) if pixels.dtype == np.uint16 else values
