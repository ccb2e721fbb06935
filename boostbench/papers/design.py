"""How a paper measured its printed values: other measurements must share this to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boostbench.data.splits import SplitRule


@dataclass(frozen=True)
class Design:
    """The division of the rows, the seeds of each fold, scaling and units (``None``: not stated).

    ``split`` has the number of folds, or of random splits; a mean over other than that many random
    splits estimates the same, one over other folds does not, since their training parts differ.
    ``partitions`` is how often the rows were divided anew: 10 x 10 folds are 10 folds of each of 10
    partitions.
    """

    split: SplitRule
    seeds: int
    scale_features: str | None = None
    scale_target: str | None = None
    partitions: int = 1
    units: str | None = None

    @property
    def parts(self) -> int:
        """How many divisions into training and test rows the printed means are over."""
        return self.split.folds * self.partitions

    @property
    def runs(self) -> int:
        """How many runs the printed means are over."""
        return self.parts * self.seeds

    def difference(self, rule: SplitRule | None, experiment: Mapping[str, Any]) -> str:
        """Return in what an experiment differs so that no figure compares, "" if in nothing.

        ``rule`` is how it divides the rows of a data set (``None``: not known).
        """
        if rule is not None and not self._divides_alike(rule):
            return f"{_division(rule)}, in the paper {_division(self.split)}"
        for key in ("scale_features", "scale_target", "units"):
            theirs, ours = getattr(self, key), experiment.get(key)
            if theirs is not None and ours is not None and theirs != ours:
                return f"{key} is {ours}, in the paper {theirs}"
        return ""

    def _divides_alike(self, rule: SplitRule) -> bool:
        return rule.division == self.split.division


def _division(rule: SplitRule) -> str:
    if rule.words:
        return rule.words
    return f"{rule.folds} {'stratified ' if rule.split == 'stratified' else ''}folds"
