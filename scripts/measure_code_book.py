"""What changes on SCENE15 if the visual words know nothing of the test images.

The code book of the card `scene15_images` is learned from descriptors of all 4,485 images, test
images included, without their classes. Here it is learned again on each split, from about as many
descriptors (100,000) of its 1,500 training images alone. The splits, seeds and parameters, the
chosen C included, and the errors in the first column are those of `results/fig4_scenes`.

``python scripts/measure_code_book.py --mirror DIR`` writes ``results/code_book``; DIR holds the
images, as the card says. It takes up what an interrupted call has measured.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import boostbench
from boostbench import stats
from boostbench.data import visual_words
from boostbench.data.access import default_access
from boostbench.data.image_sets import ImageSet, images_in_folders
from boostbench.data.sources import find_folder
from boostbench.data.splits import split_indices
from boostbench.estimators import build
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

RESULTS = Path(__file__).parents[1] / "results"
ARCHIVE = RESULTS / "fig4_scenes" / "archive"
OUT = RESULTS / "code_book"
METHODS = ("multiboost_cw", "multiboost_cw1", "multiboost", "adaboost_ecc", "adaboost_mh")
TRAIN_ROWS, ROWS = 1500, 4485


class Measured(NamedTuple):
    """The test errors of a method on a split, with words of all and of the training images."""

    fold: int
    method: str
    all_images: float
    training_images: float


def main() -> None:
    """Measure what is missing, and write all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder with the images")
    access = default_access(parser.parse_args().mirror, offline=True)
    images = images_in_folders(find_folder("scene15", access), None, None)
    y = np.unique(images.labels, return_inverse=True)[1]
    OUT.mkdir(exist_ok=True)
    path = OUT / "errors.csv"
    measured = list(_read(path)) if path.exists() else []
    archived = boostbench.load(ARCHIVE).trials.set_index("key")
    trials = [
        trial
        for trial in Store.read(ARCHIVE).plan()
        if trial.dataset == "scene15_images" and trial.method in METHODS
    ]
    for fold in sorted({trial.fold for trial in trials} - {each.fold for each in measured}):
        of_fold = [trial for trial in trials if trial.fold == fold]
        split = split_indices(y, fold, of_fold[0], of_fold[0].split_seed, stratify=True)
        X = _features(images, split[0])
        for trial in of_fold:
            row = archived.loc[trial.key]
            chosen = {name: float(row[f"chosen_{name}"]) for name in trial.choose}
            error = _error(trial, chosen, X, y, split)
            measured.append(Measured(fold, trial.method, float(row["error"]), error))
            print(measured[-1], flush=True)
        _write(path, measured)
    (OUT / "README.md").write_text(_page(measured), encoding="utf-8")


def _features(images: ImageSet, train: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the histograms of all images, of words of those with the indices ``train``."""
    pixels = [image.read() for image in images.images]
    sampled = [visual_words.sample(pixels[i], int(i), len(train)) for i in train]
    words = visual_words.code_book(np.concatenate(sampled))
    return np.array([visual_words.histograms(each, words) for each in pixels])


def _error(
    trial: Trial,
    chosen: dict[str, float],
    X: np.ndarray,
    y: np.ndarray,
    split: tuple[np.ndarray, np.ndarray],
) -> float:
    """Return the test error of the trial's estimator with the features ``X``."""
    train, test = split
    model = build(trial.estimator, {**trial.params, **chosen}, trial.random_state)
    model.fit(X[train], y[train])
    return float(np.mean(model.predict(X[test]) != y[test]))


def _read(path: Path) -> Iterator[Measured]:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            errors = float(row["all_images"]), float(row["training_images"])
            yield Measured(int(row["fold"]), row["method"], *errors)


def _write(path: Path, measured: list[Measured]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([Measured._fields, *measured])


def _page(measured: list[Measured]) -> str:
    """Return the table in Markdown: means with sds, and the difference with its test."""
    title, _, text = str(__doc__).partition("\n")
    lines = [f"# {title}", text]
    lines.append("| method | words of all images | of training images | difference | p-value |")
    lines.append("|:--|--:|--:|--:|--:|")
    for method in METHODS:
        errors = np.array([100 * np.array(each[2:]) for each in measured if each.method == method])
        test = stats.corrected_ttest(errors[:, 1] - errors[:, 0], (ROWS - TRAIN_ROWS) / TRAIN_ROWS)
        means = [f"{each.mean():.2f} ± {each.std(ddof=1):.2f}" for each in errors.T]
        difference = f"{test.mean:+.2f} \\[{test.low:+.2f}, {test.high:+.2f}\\]"
        lines.append(f"| {method} | {means[0]} | {means[1]} | {difference} | {test.p:.2g} |")
    lines += [
        "",
        "Test error in percent, mean ± sd over five splits; the difference with its 95 % interval "
        "and p-value by the corrected resampled t-test, not adjusted for five comparisons.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
