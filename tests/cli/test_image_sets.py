"""The user's own images, from a folder to results, through the command line."""

import re
from pathlib import Path

import numpy as np
import pytest
from cards import put_card
from experiments import write

from boostbench.data import cards
from results import rows as _rows

OBTAIN = (
    "no server has them; put them into DIR/photos, a folder per class, and name DIR by --mirror"
)
PHOTOS = {
    "task": "classification",
    "n_samples": 0,
    "n_features": 0,
    "target": "class",
    "obtain": OBTAIN,
    "sources": [{"kind": "images", "folder": "photos", "features": "gist"}],
    "splits": {"train_per_class": 3},
}


@pytest.fixture
def pictures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder with a mirror, and a card of its images beside that of iris."""
    cv2 = pytest.importorskip("cv2")
    shelf = folder / "cards"
    shelf.mkdir()
    (shelf / "iris.yaml").write_bytes((cards.shipped_dir("datasets") / "iris.yaml").read_bytes())
    put_card(shelf, "photos", **PHOTOS)
    monkeypatch.setattr(cards, "shipped_dir", lambda _: shelf)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(folder / "cache"))
    for label, axis in (("rows", 0), ("columns", 1)):
        inside = folder / "mirror" / "photos" / label
        inside.mkdir(parents=True)
        for i in range(5):
            waves = 127 + 90 * np.sin(np.arange(40) * (0.8 + i / 20))
            pixels = np.tile(waves, (40, 1)) if axis else np.tile(waves[:, np.newaxis], 40)
            cv2.imwrite(str(inside / f"{i}.png"), pixels.astype(np.uint8))
    bayes = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
    write("pictures", bayes, data="iris, photos", splits="{n: 2, test_size: 0.2, given: true}")
    return folder


def test_images_are_skipped_until_they_are_there_and_their_features_kept(cli, pictures) -> None:
    done = cli("run", "pictures.yaml", "-j", "1")
    assert done.code == 4, done.err
    assert f"skipped: data set 'photos' cannot be loaded: {OBTAIN}" in done.err
    assert {row["dataset"] for row in _rows("results/pictures")} == {"iris"}
    # A dry run computes no features.
    dry = ("run", "pictures.yaml", "--dry-run", "--offline", "--mirror", "mirror")
    text = cli.well(*dry).err
    words = "photos: gist of 10 images in mirror/photos would be computed, and are checked only"
    assert words in text
    assert "computing" not in text
    assert not (pictures / "cache" / "features").exists()

    done = cli.run_only("pictures.yaml", "-j", "2", "--mirror", "mirror")
    assert "computing gist of 10 images in mirror/photos, once" in done.err
    (kept,) = (pictures / "cache" / "features").iterdir()
    assert f"gist of 10 images are kept in {kept}" in done.err
    photos = [row for row in _rows("results/pictures") if row["dataset"] == "photos"]
    assert [(row["n_train"], row["n_test"], row["error"]) for row in photos] == [
        ("6", "4", "0.0"),
        ("6", "4", "0.0"),
    ]
    assert "skipped" not in cli("status", "pictures.yaml").out
    # The card has no fingerprint: the whole one can be copied onto it.
    assert re.search(r"\b[0-9a-f]{64}\b", cli("fetch", "photos", "--mirror", "mirror").out)
    assert "would be computed" not in cli.well(*dry).err
    again = cli.run_only("pictures.yaml", "--mirror", "mirror", "--again", "-j", "1")
    assert "computing" not in again.err
    assert "are kept in" not in again.err
    assert [row for row in _rows("results/pictures") if row["dataset"] == "photos"] == photos


def test_rows_in_another_order_than_the_cards_are_skipped(cli, pictures: Path) -> None:
    # The images are sorted by class, so that the first six are not three of each.
    counts = {"n_samples": 10, "class_counts": [[3, 3], [2, 2]], "splits": {"train_rows": 6}}
    put_card(pictures / "cards", "photos", **{**PHOTOS, **counts})
    done = cli("run", "pictures.yaml", "-j", "1", "--mirror", "mirror")
    assert done.code == 4
    assert (
        "skipped: data set 'photos' has 5 rows of the class 'columns' among its rows 1 to 6, where "
        "3 are expected: this copy does not have the original order"
    ) in done.err
    assert {row["dataset"] for row in _rows("results/pictures")} == {"iris"}
    # Divided at random, the same copy serves.
    data = "datasets=[iris, {name: photos, splits: {test_size: 0.2}}]"
    cli.run_only("pictures.yaml", "-j", "1", "--mirror", "mirror", "--set", data)
