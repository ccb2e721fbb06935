"""Printed names as identifiers, and what a name is by itself: an average, a size, a metric."""

import re
import unicodedata

from boostbench.papers.reading import MEAN_RANK

_AVERAGE = re.compile(r"\b(avg|average|mean|overall|aggregate|total|median)\b|\brank", re.I)
_METRICS = {
    "rmse": r"root.?mean.?squared?.?error|rmse",
    "mae": r"mean.?absolute.?error|mae",
    "mse": r"mean.?squared?.?error|mse",
    "r2": r"r_?\^?\{?[2²]\}?|coefficient of determination",
    "balanced_accuracy": r"balanced.?acc(uracy)?",
    "accuracy": r"acc(uracy|uracies)?\.?|top-?1",
    "error": r"(test|classification|misclassification).?errors?|error.?rates?",
    "roc_auc": r"au-?(roc|c)|roc.?auc",
    "log_loss": r"log.?loss|cross.?entropy",
}
_OTHER_METRICS = (
    r"f_?1|f1-?score|precision|recall|nll|brier|ece|bleu|m?ap|m?iou|psnr|ssim|lpips|fid|mcc|"
    r"top-?5|mape|time|seconds|perplexity|auprc|sd|std|median|min|max"
)
_ROWS = r"n|size|#?\s*(samples|instances|objects|rows|examples|points|data)"
_FEATURES = r"d|p|#?\s*(features|attributes|inputs|variables|dim(ension)?s?)"
_WELL_KNOWN = """boston housing concrete energy kin8nm naval power protein wine yacht year iris
    glass vehicle pima ionosphere sonar letter mnist fashionmnist cifar10 cifar100 svhn imagenet
    omniglot adult covertype higgs bank breast heart diabetes abalone segment satimage pendigits
    optdigits usps isolet vowel yeast ecoli shuttle splice waveform german australian sst2 mrpc rte
    cola qnli mnli qqp stsb imdb yelp agnews celeba coco kitti voc cora citeseer pubmed reddit
    weather traffic electricity airfoil elevators ailerons bike credit churn california"""
_KNOWN_SETS = frozenset(re.findall(r"\w+", _WELL_KNOWN))


def identifier(text: str) -> str:
    """Return a printed name in letters, digits and underscores, as claims need it."""
    spelt = []
    text = text.replace("-∞", " minus inf ").replace("∞", "inf")
    for letter in unicodedata.normalize("NFKD", text):
        if letter.isascii() and letter.isalnum():
            spelt.append(letter.lower())
        elif letter.isalpha():
            name = unicodedata.name(letter, "").split(" ")[-1].lower()
            spelt.append(f" {'lambda' if name == 'lamda' else name} ")
        elif letter in "-−–" and "".join(spelt).strip() == "":
            spelt.append("minus ")
        elif letter == "+":
            spelt.append(" plus ")
        elif not unicodedata.combining(letter):
            spelt.append(" ")
    name = "_".join("".join(spelt).split())
    return f"m_{name}" if name[:1].isdigit() or not name else name


def is_average(name: str) -> bool:
    """Return whether a name is that of averages or ranks over data sets."""
    return bool(_AVERAGE.search(name))


def proposed_average(name: str) -> str:
    """Return what a name says that it averages: ranks, geometric or arithmetic means."""
    if re.search("rank", name, re.I):
        return MEAN_RANK
    return "geometric_mean" if re.search(r"geo", name, re.I) else "arithmetic_mean"


def is_data_set(name: str, known: frozenset[str]) -> bool:
    """Return whether a name is that of a well-known data set, or one of ``known``."""
    whole = re.sub(r"[^a-z0-9]", "", name.lower())
    first = re.sub(r"[^a-z]", "", (name.lower().split() or [""])[0])
    return bool({whole, first} & (_KNOWN_SETS | known))


def metric_of(name: str) -> str:
    """Return the metric that a name is of, by its name here or by its own; "" for none."""
    text = re.sub(r"[↑↓()%_{}$]", " ", name).strip().lower()
    for metric, pattern in _METRICS.items():
        if re.fullmatch(pattern, text):
            return metric
    return identifier(text) if re.fullmatch(_OTHER_METRICS, text) else ""


def metric_in(caption: str) -> str:
    """Return the metric that a caption speaks of, "" if it is none that is known here."""
    for metric, pattern in _METRICS.items():
        if re.search(rf"\b({pattern})\b", caption, re.I):
            return metric
    return ""


def size_of(name: str) -> str:
    """Return the column of datasets.csv that a printed size is for, "" for none."""
    text = name.strip("$ .").lower()
    if re.fullmatch(_ROWS, text):
        return "n_samples"
    return "n_features" if re.fullmatch(_FEATURES, text) else ""
