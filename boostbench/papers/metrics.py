"""What is measured: a score's name, direction, format and bounds, for any task and paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.papers.results import Spread


class Verdict(StrEnum):
    """Where a measured mean lies against the published one, given the tolerance.

    This simple rule looks at no uncertainty: :class:`boostbench.report.equivalence.Evidence` does.
    """

    WITHIN = "within"
    ABOVE = "above"
    BELOW = "below"
    NONE = ""


@dataclass(frozen=True)
class Metric:
    """A score of one run.

    ``name`` is the score's name in the store and in CSV files, ``words`` and ``label`` its name in
    sentences and above a column. It is written as ``scale`` times its value with ``digits``
    decimals, its sd with ``sd_digits``; ``curve`` is its learning curve. A score below
    ``explodes_below`` is said to have exploded (``exploded_name`` in CSV files, else
    ``exploded_label``): one such run can decide a mean. ``tolerance`` is the least difference from
    a published mean that counts, and ``kinds`` are the averages over data sets that make sense.
    """

    name: str
    task: str
    words: str
    label: str
    train_label: str
    greater_is_better: bool
    scale: float = 1.0
    digits: int = 3
    sd_digits: int = 4
    unit: str = ""
    curve: str = ""
    explodes_below: float | None = None
    exploded_name: str = ""
    exploded_label: str = ""
    tolerance: float = 0.01
    kinds: tuple[str, ...] = ("arithmetic",)

    def text(self, value: float | None) -> str:
        """Return a score as it is written, blank where it is unknown."""
        return "" if value is None else numbers.fixed(self.scale * value, self.digits)

    def sd(self, sd: float | None, mean: float | None) -> str:
        """Return an sd as it is written beside or apart from its mean."""
        if sd is None or mean is None:
            return ""
        return numbers.spread(self.scale * sd, self.scale * mean, self.sd_digits)

    def with_sd(self, spread: Spread | None) -> str:
        """Return ``mean ± sd``."""
        if spread is None:
            return ""
        sd = self.sd(spread.sd, spread.mean)
        return f"{self.text(spread.mean)} ± {sd}" if sd else self.text(spread.mean)

    def difference(self, value: float | None) -> str:
        """Return a difference of scores, always with a sign."""
        return "" if value is None else numbers.signed(self.scale * value, self.digits)

    def width(self, value: float | None) -> str:
        """Return a tolerance as it is written."""
        return self.sd(value, value)

    def exploded(self, value: float) -> bool:
        """Return whether a run of this score has exploded."""
        return self.explodes_below is not None and value < self.explodes_below

    def rounded(self, value: float) -> float:
        """Return a score rounded as it is written, its sign such that larger is better."""
        return round(self.scale * value, self.digits) * (1 if self.greater_is_better else -1)

    def verdict(self, difference: float | None, tolerance: float) -> Verdict:
        """Return the verdict on ``difference`` = measured - published (``None``: unknown)."""
        if difference is None:
            return Verdict.NONE
        if abs(difference) <= tolerance + 1e-12:
            return Verdict.WITHIN
        return Verdict.ABOVE if difference > 0 else Verdict.BELOW


R2 = Metric(
    name="r2",
    task="regression",
    words="test R²",
    label="R²",
    train_label="Training R²",
    greater_is_better=True,
    curve="test_r2",
    explodes_below=0.0,
    exploded_name="negative",
    exploded_label="R² < 0",
    kinds=("arithmetic", "geometric"),
)
ERROR = Metric(
    name="error",
    task="classification",
    words="test error",
    label="Test error, %",
    train_label="Training error, %",
    greater_is_better=False,
    scale=100.0,
    digits=2,
    sd_digits=2,
    unit="%",
    curve="test_error",
)
ACCURACY = replace(
    ERROR,
    name="accuracy",
    words="test accuracy",
    label="Test accuracy, %",
    train_label="Training accuracy, %",
    greater_is_better=True,
)
BALANCED_ACCURACY = replace(
    ACCURACY,
    name="balanced_accuracy",
    words="test balanced accuracy",
    label="Balanced test accuracy, %",
    train_label="Balanced training accuracy, %",
)
MAE = Metric(
    name="mae",
    task="regression",
    words="test mean absolute error",
    label="MAE",
    train_label="Training MAE",
    greater_is_better=False,
)
RMSE = replace(
    MAE,
    name="rmse",
    words="test root mean squared error",
    label="RMSE",
    train_label="Training RMSE",
)
MSE = replace(
    MAE,
    name="mse",
    words="test mean squared error",
    label="MSE",
    train_label="Training MSE",
)
LOG_LOSS = Metric(
    name="log_loss",
    task="classification",
    words="test log loss",
    label="Log loss",
    train_label="Training log loss",
    greater_is_better=False,
)
ROC_AUC = Metric(
    name="roc_auc",
    task="classification",
    words="test area under the ROC curve",
    label="AUC",
    train_label="Training AUC",
    greater_is_better=True,
)
METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        R2, RMSE, MSE, MAE, ERROR, ACCURACY, BALANCED_ACCURACY, LOG_LOSS, ROC_AUC,
    )
}  # fmt: skip
"""What a table can show, by the names in ``trials.csv``, which are scikit-learn's."""
_DEFAULT = {"regression": R2, "classification": ERROR}


def metric_of(task: str, paper: Paper | None, chosen: str | None = None) -> Metric:
    """Return the metric of a report: the ``chosen`` one, else the one that the paper prints.

    Either must be of the task; else it is R2, or the error of a classifier.
    """
    found = METRICS.get(chosen or "")
    if found is not None and found.task == task:
        return found
    printed = METRICS[paper.metric] if paper is not None else None
    return printed if printed is not None and printed.task == task else _DEFAULT[task]
