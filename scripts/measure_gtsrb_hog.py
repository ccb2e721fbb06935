"""How well the inferred HOG features of GTSRB do where the benchmark has printed its own figures.

Linear discriminant analysis is trained on each of the three sets of features of the card
gtsrb_images, on the 39,209 training images, and tested on the 12,630 test images. The benchmark
(J. Stallkamp, M. Schlipsing, J. Salmen, C. Igel, "Man vs. computer", Neural Networks 32, 2012) has
the accuracy of LDA on its own HOG features of the original images.

``python scripts/measure_gtsrb_hog.py --mirror DIR`` writes ``results/gtsrb_hog``; DIR holds the
images, as the card says.
"""

import argparse
from pathlib import Path

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from boostbench.data.access import default_access
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest

OUT = Path(__file__).parents[1] / "results" / "gtsrb_hog" / "README.md"
N_TRAIN = 39_209
# The settings, the number of features, and the benchmark's accuracy in percent.
SETS = {
    "HOG 1": ("cells of 5 pixels, 8 unsigned orientations", 1568, 93.18),
    "HOG 2": ("cells of 5 pixels, 8 signed orientations", 1568, 95.68),
    "HOG 3": ("cells of 4 pixels, 9 unsigned orientations", 2916, 92.34),
}


def main() -> None:
    """Measure the accuracies and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", required=True, help="folder with the images")
    access = default_access(parser.parse_args().mirror, offline=True, notify=print)
    data = load_dataset(DataRequest(name="gtsrb_images", card="gtsrb_images"), access)
    title, _, text = str(__doc__).partition("\n")
    lines = [f"# {title}", text, "| features | inferred settings | number | LDA | benchmark |"]
    lines.append("|:--|:--|--:|--:|--:|")
    start = 0
    for name, (settings, n_features, printed) in SETS.items():
        X = data.X[:, start : start + n_features]
        start += n_features
        model = LinearDiscriminantAnalysis().fit(X[:N_TRAIN], data.y[:N_TRAIN])
        accuracy = 100 * model.score(X[N_TRAIN:], data.y[N_TRAIN:])
        lines.append(f"| {name} | {settings} | {n_features:,} | {accuracy:.2f} % | {printed} % |")
        print(lines[-1])
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
