"""How a paper measured its printed values: other measurements must share this to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from boostbench.data.splits import SplitRule


@dataclass(frozen=True)
class Design:
    """The division of the rows, the seeds of each fold, and the scaling (``None``: not stated).

    ``split`` has the number of folds, or of random splits; a mean over other than that many random
    splits estimates the same, one over other folds does not, since their training parts differ.
    """

    split: SplitRule
    seeds: int
    scale_features: str | None = None
    scale_target: str | None = None

    def difference(self, rule: SplitRule | None, experiment: Mapping[str, Any]) -> str:
        """Return in what an experiment differs so that no figure compares, "" if in nothing.

        ``rule`` is how it divides the rows of a data set (``None``: not known).
        """
        if rule is not None and not self._divides_alike(rule):
            return f"{_division(rule)}, in the paper {_division(self.split)}"
        for what in ("features", "target"):
            theirs, ours = getattr(self, f"scale_{what}"), experiment.get(f"scale_{what}")
            if theirs is not None and ours is not None and theirs != ours:
                return f"scale_{what} is {ours}, in the paper {theirs}"
        return ""

    def _divides_alike(self, rule: SplitRule) -> bool:
        if rule.split in ("kfold", "stratified"):
            return rule == self.split
        return replace(rule, folds=self.split.folds) == self.split


def _division(rule: SplitRule) -> str:
    if rule.words:
        return rule.words
    return f"{rule.folds} {'stratified ' if rule.split == 'stratified' else ''}folds"
