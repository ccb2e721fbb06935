"""Files of images: each whole one becomes pixels, and each other one a sentence."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from boostbench.errors import DataError

cv2 = pytest.importorskip("cv2")

from boostbench.data.image_files import (  # noqa: E402
    SIDE,
    colour_bytes,
    grey_bytes,
    grey_square,
    load_opencv,
    read_image,
)

HEIGHT, WIDTH = 24, 40


def picture(height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Return (height, width, 3) red, green and blue that differ everywhere, and change slowly."""
    rows, columns = np.mgrid[:height, :width]
    red = 255 * columns / (width - 1)
    green = 255 * rows / (height - 1)
    blue = 127 + 100 * np.sin(rows / 5) * np.cos(columns / 7)
    return np.stack([red, green, blue], axis=2).astype(np.uint8)


def opacities() -> np.ndarray:
    """Return (HEIGHT, WIDTH) every opacity from 0 to 255."""
    return (np.arange(HEIGHT * WIDTH).reshape(HEIGHT, WIDTH) * 256 // (HEIGHT * WIDTH)).astype(
        np.uint8
    )


def on_white(colours: np.ndarray, opacity: np.ndarray, white: int = 255) -> np.ndarray:
    share = (opacity / 255)[:, :, np.newaxis]
    return np.rint(share * colours + (1 - share) * white)


def saved(path: Path, pixels: np.ndarray) -> Path:
    """Write pixels as OpenCV has them, which keeps their depth, and no loss in TIFF."""
    assert cv2.imwrite(str(path), pixels, [cv2.IMWRITE_TIFF_COMPRESSION, 1])
    return path


def refusal(path: Path, **options: object) -> str:
    """Return the one sentence by which a file is refused, without the file's name."""
    with pytest.raises(DataError) as caught:
        read_image(path, **options)  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert sentence.startswith(f"{path} ")
    assert "\n" not in sentence
    return sentence.removeprefix(f"{path} ")


@pytest.mark.parametrize("percent", [5, 50, 90])
@pytest.mark.parametrize("ending", ["jpg", "ppm", "pgm", "png", "bmp", "tif"])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, ending: str, percent: int) -> None:
    path = tmp_path / f"x.{ending}"
    grey = "L" if ending == "pgm" else "RGB"
    Image.fromarray(picture(120, 160)).convert(grey).save(path)
    read_image(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * percent // 100])
    # The reason is that of Pillow: OpenCV 4.10 returns an image of most of these JPEG files.
    assert re.match("cannot be read as an image: .*truncated", refusal(path), re.IGNORECASE)


@pytest.mark.parametrize("content", [b"", b"a text, which is no image at all\n", bytes(5000)])
def test_a_file_that_is_no_image_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(content)
    assert refusal(path) == "cannot be read as an image: OpenCV knows no such format"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"there is no file {tmp_path / 'x.png'}"):
        read_image(tmp_path / "x.png")


def test_the_size_that_is_expected_is_height_and_width(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.ppm", picture(31, 31))
    expected = "has 31 x 31 pixels, but the card expects 32 x 32"
    assert refusal(path, size=(32, 32)) == expected
    saved(path, picture(32, 30))
    assert read_image(path, (32, 30)).shape == (32, 30, 3)
    assert refusal(path, size=(30, 32)) == "has 32 x 30 pixels, but the card expects 30 x 32"


def test_colours_are_in_the_order_blue_green_and_red(tmp_path: Path) -> None:
    # Red, green, blue, and a colour of all three.
    colours = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [1, 2, 3]]], dtype=np.uint8)
    Image.fromarray(colours).save(tmp_path / "x.png")
    found = read_image(tmp_path / "x.png")
    expected = [[[0, 0, 255], [0, 255, 0]], [[255, 0, 0], [3, 2, 1]]]
    assert found.tolist() == colour_bytes(found).tolist() == expected
    # The weights of red, green and blue in the luma of ITU-R BT.601.
    assert grey_bytes(found).tolist() == [[76, 150], [29, 2]]


# How each EXIF orientation stores an upright image: rows and columns exchanged, or from the end.
STORED: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.swapaxes(0, 1),
    6: lambda a: a.swapaxes(0, 1)[::-1],
    7: lambda a: a.swapaxes(0, 1)[::-1, ::-1],
    8: lambda a: a.swapaxes(0, 1)[:, ::-1],
}


@pytest.mark.parametrize(
    ("ending", "opaque"),
    [("jpg", True), ("png", True), ("tif", True), ("png", False), ("tif", False)],
)
def test_every_orientation_of_an_image_gives_the_same_picture(
    tmp_path: Path, ending: str, opaque: bool
) -> None:
    # Blocks of 8 x 8 pixels of one grey, so that JPEG has little to lose.
    grey = np.kron(np.arange(15).reshape(3, 5) * 17, np.ones((8, 8))).astype(np.uint8)
    parts = [grey, grey, grey, *([] if opaque else [opacities()])]
    upright = np.stack(parts, axis=2)
    expected = upright[:, :, :3] if opaque else on_white(upright[:, :, :3], opacities())
    for orientation, stored in STORED.items():
        exif = Image.Exif()
        exif[0x0112] = orientation
        path = tmp_path / f"{orientation}.{ending}"
        options = {"quality": 100} if ending == "jpg" else {}
        Image.fromarray(np.ascontiguousarray(stored(upright))).save(path, exif=exif, **options)
        found = read_image(path, (HEIGHT, WIDTH))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1 if ending == "jpg" else 0)


@pytest.mark.parametrize("ending", ["png", "tif"])
@pytest.mark.parametrize("channels", [1, 3])
def test_16_bits_are_kept_and_rounded_for_bytes(tmp_path: Path, ending: str, channels: int) -> None:
    values = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    made = values if channels == 1 else np.stack([values, values[::-1], values.T], axis=2)
    found = read_image(saved(tmp_path / f"x.{ending}", made))
    assert found.dtype == np.uint16
    np.testing.assert_array_equal(found, made)
    # 257 is 65535 / 255: no value lies half-way between two bytes.
    eight = (made.astype(np.int64) + 128) // 257
    expected = np.stack([eight] * 3, axis=2) if channels == 1 else eight
    np.testing.assert_array_equal(colour_bytes(found), expected)
    grey = eight if channels == 1 else made @ np.array([0.114, 0.587, 0.299]) / 257
    assert grey_bytes(found).dtype == np.uint8
    # OpenCV rounds the grey value of 16 bits, and it is rounded once more to 8 bits.
    np.testing.assert_allclose(grey_bytes(found), grey, rtol=0, atol=0 if channels == 1 else 0.51)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 3])
def test_floats_from_0_to_1_are_accepted(tmp_path: Path, kind: type, channels: int) -> None:
    made = (picture() / 255).astype(kind)
    made = made if channels == 3 else made[:, :, 0]
    found = read_image(saved(tmp_path / "x.tif", made))
    assert found.dtype == kind
    np.testing.assert_array_equal(found, made)
    np.testing.assert_array_equal(colour_bytes(found)[:, :, 0], picture()[:, :, 0])
    for wrong, words in ((-0.5, "from -0.5 to 1"), (1.5, "from 0 to 1.5")):
        made[3, 4] = wrong
        assert f"values are floats {words}; they are" in refusal(saved(tmp_path / "x.tif", made))
    made[3, 4] = np.nan
    assert "values are floats from nan to nan" in refusal(saved(tmp_path / "x.tif", made))


@pytest.mark.parametrize("kind", ["int16", "int32"])
@pytest.mark.parametrize("channels", [1, 3])
def test_other_kinds_of_values_are_refused(tmp_path: Path, kind: str, channels: int) -> None:
    made = np.ones((HEIGHT, WIDTH, channels), dtype=kind)
    said = refusal(saved(tmp_path / "x.tif", made))
    assert f"its values are {kind}; 8 or 16 bits, or floats from 0 to 1, are expected" in said


@pytest.mark.parametrize(("white", "kind"), [(15, "u1"), (200, "u1"), (1023, ">u2"), (4095, ">u2")])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_value_of_white_in_a_pgm_or_ppm_is_white(tmp_path, white, kind, channels) -> None:
    values = (np.arange(HEIGHT * WIDTH * channels) % (white + 1)).astype(kind)
    assert values.max() < white or white < HEIGHT * WIDTH * channels
    values[:channels] = white
    path = tmp_path / "x.pnm"
    header = f"P{5 if channels == 1 else 6} # made here\n{WIDTH}\n# high\n{HEIGHT} {white}\n"
    path.write_bytes(header.encode() + values.tobytes())
    found = read_image(path)
    most = np.iinfo(found.dtype).max
    assert most == (255 if white < 256 else 65535)
    expected = np.rint(values.reshape(HEIGHT, WIDTH, channels) * (most / white))[:, :, ::-1]
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_cmyk_and_palettes_have_their_colours(tmp_path: Path) -> None:
    Image.fromarray(picture()).convert("CMYK").save(tmp_path / "x.jpg", quality=100)
    found = read_image(tmp_path / "x.jpg")
    # JPEG loses some; without care for CMYK the colours are the opposite ones.
    assert np.abs(found[:, :, ::-1].astype(int) - picture()).max() < 12
    palette = Image.fromarray(picture()).convert("P", palette=Image.Palette.ADAPTIVE, colors=9)
    for ending in ("png", "tif", "bmp"):
        palette.save(tmp_path / f"x.{ending}")
        found = read_image(tmp_path / f"x.{ending}")
        np.testing.assert_array_equal(found[:, :, ::-1], np.asarray(palette.convert("RGB")))


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_transparent_parts_are_white(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    colours, opacity = picture(), opacities()
    Image.fromarray(np.dstack([colours, opacity])).save(path)
    expected = on_white(colours, opacity)
    np.testing.assert_array_equal(read_image(path)[:, :, ::-1], expected)
    assert expected[0, 0].tolist() == [255] * 3
    Image.fromarray(np.dstack([colours[:, :, 0], opacity])).save(path)
    np.testing.assert_array_equal(grey_bytes(read_image(path)), expected[:, :, 0])
    # With 16 bits.
    made = np.dstack([colours, opacity]).astype(np.uint16) * 257
    found = read_image(saved(path, made))
    np.testing.assert_array_equal(found, on_white(made[:, :, :3], opacity, 65535))


def test_a_transparent_colour_of_a_palette_or_of_greys_is_white(tmp_path: Path) -> None:
    palette = Image.fromarray(picture()).convert("P", palette=Image.Palette.ADAPTIVE, colors=9)
    palette.save(tmp_path / "x.png", transparency=3)
    expected = np.asarray(palette.convert("RGB")).copy()
    expected[np.asarray(palette) == 3] = 255
    np.testing.assert_array_equal(read_image(tmp_path / "x.png")[:, :, ::-1], expected)
    grey = picture()[:, :, 0]
    Image.fromarray(grey).save(tmp_path / "x.png", transparency=int(grey[0, 5]))
    expected = np.where(grey == grey[0, 5], 255, grey)
    np.testing.assert_array_equal(grey_bytes(read_image(tmp_path / "x.png")), expected)


def test_grey_images_have_three_equal_colours() -> None:
    grey = picture()[:, :, 0]
    np.testing.assert_array_equal(grey_bytes(grey), grey)
    np.testing.assert_array_equal(colour_bytes(grey), np.stack([grey] * 3, axis=2))


def test_a_grey_square_of_a_larger_image_has_the_means_of_areas() -> None:
    image = picture(2 * SIDE, 3 * SIDE)
    grey = grey_bytes(image) / 255
    slow = np.empty((SIDE, SIDE))
    for row in range(SIDE):
        for column in range(SIDE):
            slow[row, column] = grey[2 * row : 2 * row + 2, 3 * column : 3 * column + 3].mean()
    # OpenCV has the share of each pixel, 1 / 6, as a float32.
    np.testing.assert_allclose(grey_square(image), slow, rtol=0, atol=1e-7)


def test_a_grey_square_of_a_smaller_image_is_enlarged_linearly() -> None:
    image = picture(32, 32)
    grey = grey_bytes(image) / 255
    # The centre of a pixel is half a pixel from its edges; the edges of the image are continued.
    places = np.clip((np.arange(SIDE) + 0.5) * 32 / SIDE - 0.5, 0, 31)
    before = np.minimum(places.astype(int), 30)
    share = places - before
    between = grey[before] * (1 - share)[:, np.newaxis] + grey[before + 1] * share[:, np.newaxis]
    slow = between[:, before] * (1 - share) + between[:, before + 1] * share
    # OpenCV's shares are of float32.
    np.testing.assert_allclose(grey_square(image), slow, rtol=0, atol=1e-6)


def test_a_grey_square_is_the_same_for_every_depth() -> None:
    image = picture(50, 70)
    square = grey_square(image)
    assert square.dtype == np.float64
    assert square.shape == (SIDE, SIDE)
    # The grey of 8 bits is rounded, by half a step.
    deep = grey_square(image.astype(np.uint16) * 257)
    np.testing.assert_allclose(deep, square, rtol=0, atol=0.51 / 255)
    for kind in (np.float32, np.float64):
        floats = grey_square((image / 255).astype(kind))
        # The grey of 16 bits is a sum with weights of 14 bits.
        np.testing.assert_allclose(floats, deep, rtol=0, atol=1e-4)


@pytest.mark.parametrize("version", [None, "5.0.0", "3.4.18", "4.0.0"])
def test_without_opencv_4_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    path = saved(tmp_path / "x.png", picture())
    # None in place of a module makes its import fail.
    fake = None if version is None else SimpleNamespace(__version__=version, HOGDescriptor=None)
    if version == "4.0.0":
        del fake.HOGDescriptor
    monkeypatch.setitem(sys.modules, "cv2", fake)
    said = refusal(path)
    found = "" if version is None else f", but version {version} is installed"
    advice = "install it by: pip install 'boostbench[images]'"
    assert said.endswith(f"features of images need OpenCV 4{found}; {advice}")


def test_opencv_has_one_thread_and_the_environment_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for own_choice in (None, "AVX2"):
        if own_choice is not None:
            monkeypatch.setenv("OPENCV_CPU_DISABLE", own_choice)
        cv2.setNumThreads(2)
        before = dict(os.environ)
        assert load_opencv() is cv2
        assert cv2.getNumThreads() == 1
        assert dict(os.environ) == before
