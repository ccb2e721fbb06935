"""Small pictures in files, and data sets of them."""

from pathlib import Path

import numpy as np
import pytest
from cards import put_card
from PIL import Image

from boostbench.data import DataAccess, Dataset, load_dataset
from boostbench.errors import UnavailableDataError


def picture(seed: int, side: int = 40, upright: bool = False) -> np.ndarray:
    """Return (side, side, 3) blue, green and red of waves with noise."""
    rows, columns = np.mgrid[:side, :side]
    waves = np.sin((columns if upright else rows) * (0.5 + seed % 7 / 20))[:, :, np.newaxis]
    noise = np.random.default_rng(seed).normal(size=(side, side, 3)) / 10
    return np.clip(127 + 80 * (waves + noise), 0, 255).astype(np.uint8)


def save(path: Path, pixels: np.ndarray) -> None:
    """Write blue, green and red into a file, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1])).save(path)


class Images:
    """The images in the mirror's folder ``set``, to be loaded by a card on the shelf."""

    def __init__(self, shelf: Path, access: DataAccess) -> None:
        self._shelf = shelf
        self.access = access

    def load(
        self,
        kind: str = "pixels",
        access: DataAccess | None = None,
        n_samples: int = 0,
        **values: object,
    ) -> Dataset:
        """Load them by a card with these values of its source."""
        source = {"kind": "images", "folder": "set", "features": kind, **values}
        about = {"target": "class", "task": "classification", "obtain": "take photographs"}
        sizes = {"n_samples": n_samples, "n_features": 0}
        request = put_card(self._shelf, sources=[source], **sizes, **about)
        return load_dataset(request, access or self.access)

    def refusal(self, **values: object) -> str:
        """Return the one sentence by which they are refused, without its beginning."""
        with pytest.raises(UnavailableDataError) as caught:
            self.load(**values)  # type: ignore[arg-type]
        sentence = str(caught.value)
        assert "\n" not in sentence
        return sentence.removeprefix("data set 'toy' cannot be loaded: images in set: ")
