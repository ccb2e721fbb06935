"""How a paper measured its printed values; only measurements of the same design compare."""

from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, PositiveInt

from boostbench.data.splits import SplitRule
from boostbench.suggest import did_you_mean
from boostbench.values import Record

SPLITS = ("kfold", "stratified", "shuffle", "listed", "given")


def _stated(rule: SplitRule) -> SplitRule:
    """Return a rule that a paper can state; ValueError for any other."""
    if rule.split not in SPLITS:
        raise ValueError(f"there is no split '{rule.split}'{did_you_mean(rule.split, SPLITS)}")
    if rule.folds < 1:
        raise ValueError(f"'folds' must be at least 1, not {rule.folds}")
    if (rule.split == "shuffle") != (0.0 < (rule.test_size or 0.0) < 1.0):
        raise ValueError("'test_size', between 0 and 1, belongs to 'split: shuffle'")
    return rule


@dataclass(frozen=True)
class Design:
    """The division of the rows, the seeds of each fold, scaling and units (``None``: not stated).

    ``split`` has the number of folds, or of random splits; a mean over another number of random
    splits estimates the same value, one over another number of folds does not, since the training
    parts differ. ``partitions`` is the number of divisions of the rows: 10 x 10 folds are 10 folds
    of each of 10 partitions.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    split: Annotated[SplitRule, AfterValidator(_stated)]
    seeds: PositiveInt = 1
    scale_features: str | None = None
    scale_target: str | None = None
    partitions: PositiveInt = 1
    units: str | None = None

    @property
    def parts(self) -> int:
        """The number of divisions into training and test rows behind a printed mean."""
        return self.split.folds * self.partitions

    @property
    def runs(self) -> int:
        """The number of runs behind a printed mean."""
        return self.parts * self.seeds

    def difference(self, rule: SplitRule | None, experiment: Record) -> str:
        """Return the difference of an experiment that makes figures incomparable, "" for none.

        ``rule`` is its division of the rows of a data set (``None``: unknown).
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
    """Return the keys of a design from a file, with those of its split nested."""
    if not isinstance(given, dict):
        return given
    rule = {key: value for key, value in given.items() if key in RULE_KEYS}
    others = {key: value for key, value in given.items() if key not in RULE_KEYS}
    return {"split": {"split": "kfold", **rule}, **others}


def _division(rule: SplitRule) -> str:
    return rule.words or f"{rule.folds} {'stratified ' * (rule.split == 'stratified')}folds"
