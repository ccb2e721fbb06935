"""What a report measures: a score's name, direction, format and bounds, for any task and paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from boostbench.papers.results import Spread
from boostbench.report import numbers

if TYPE_CHECKING:
    from boostbench.papers import Paper


class Verdict(StrEnum):
    """Where a measured mean lies against the published one, given the tolerance."""

    REPRODUCED = "reproduced"
    ABOVE = "above"
    BELOW = "below"
    NONE = ""


MARKS = {Verdict.REPRODUCED: "✓", Verdict.ABOVE: "▲", Verdict.BELOW: "▼", Verdict.NONE: ""}


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
    higher_is_better: bool
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
        return round(self.scale * value, self.digits) * (1 if self.higher_is_better else -1)

    def verdict(self, difference: float | None, tolerance: float) -> Verdict:
        """Return the verdict on ``difference`` = measured - published (``None``: unknown)."""
        if difference is None:
            return Verdict.NONE
        if abs(difference) <= tolerance + 1e-12:
            return Verdict.REPRODUCED
        return Verdict.ABOVE if difference > 0 else Verdict.BELOW


R2 = Metric(
    name="r2",
    task="regression",
    words="test R²",
    label="R²",
    train_label="Training R²",
    higher_is_better=True,
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
    higher_is_better=False,
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
    higher_is_better=True,
)
_METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (R2, ERROR, ACCURACY)}
_DEFAULT = {"regression": R2, "classification": ERROR}


def metric_of(task: str, paper: Paper | None) -> Metric:
    """Return the metric of a report: the one that the paper prints, if it is of the task."""
    printed = _METRICS[paper.metric] if paper is not None else None
    return printed if printed is not None and printed.task == task else _DEFAULT[task]
