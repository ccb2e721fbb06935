"""How a paper measured its printed values: other measurements must share this to be compared."""

from dataclasses import dataclass, fields

from pydantic import ConfigDict

from boostbench.data.splits import SplitRule
from boostbench.values import Record


@dataclass(frozen=True)
class Design:
    """The division of the rows, the seeds of each fold, scaling and units (``None``: not stated).

    ``split`` has the number of folds, or of random splits; a mean over other than that many random
    splits estimates the same, one over other folds does not, since their training parts differ.
    ``partitions`` is how often the rows were divided anew: 10 x 10 folds are 10 folds of each of 10
    partitions.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    split: SplitRule
    seeds: int = 1
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

    def difference(self, rule: SplitRule | None, experiment: Record) -> str:
        """Return in what an experiment differs so that no figure compares, "" if in nothing.

        ``rule`` is how it divides the rows of a data set (``None``: not known).
        """
        if rule is not None and rule.division != self.split.division:
            return f"{_division(rule)}, in the paper {_division(self.split)}"
        for key in ("scale_features", "scale_target", "units"):
            theirs, ours = getattr(self, key), experiment.get(key)
            if theirs is not None and ours is not None and theirs != ours:
                return f"{key} is {ours}, in the paper {theirs}"
        return ""


RULE_KEYS = [each.name for each in fields(SplitRule)]


def nested(given: object) -> object:
    """Return the keys of a design as a file has them, with those of its split apart."""
    if not isinstance(given, dict):
        return given
    rule = {key: value for key, value in given.items() if key in RULE_KEYS}
    others = {key: value for key, value in given.items() if key not in RULE_KEYS}
    return {"split": {"split": "kfold", **rule}, **others}


def _division(rule: SplitRule) -> str:
    return rule.words or f"{rule.folds} {'stratified ' * (rule.split == 'stratified')}folds"
