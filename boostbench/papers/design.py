"""How a paper measured its printed values; only measurements of the same design compare."""

from dataclasses import dataclass, field, fields
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, PositiveInt

from boostbench.data.splits import SplitRule
from boostbench.suggest import counted, did_you_mean
from boostbench.values import Record

SPLITS = ("kfold", "stratified", "shuffle", "listed", "given")


_ONLY_WITH = {
    "test_size": "shuffle",
    "train_rows": "given",
    "train_per_class": "given",
    "train_batches": "given",
    "test_rows": "listed",
}
"""The keys of a split that say something of one kind of split only."""


def _stated(rule: SplitRule) -> SplitRule:
    """Return a rule that a paper can state; ValueError for any other."""
    if rule.split not in SPLITS:
        raise ValueError(
            f"there is no split '{rule.split}'{did_you_mean(rule.split, SPLITS)}; "
            f"choose one of {', '.join(SPLITS)}"
        )
    least = 2 if rule.makes_folds else 1
    if rule.folds < least:
        raise ValueError(f"'folds' must be at least {least}, not {rule.folds}")
    _check_keys(rule)
    return rule


def _check_keys(rule: SplitRule) -> None:
    """Raise ValueError for a key of another kind of split, or with an impossible value."""
    for key, split in _ONLY_WITH.items():
        if getattr(rule, key) not in (None, "") and rule.split != split:
            raise ValueError(f"'{key}' belongs to 'split: {split}', not to 'split: {rule.split}'")
    if rule.split == "shuffle" and not 0.0 < (rule.test_size or 0.0) < 1.0:
        raise ValueError("'split: shuffle' needs 'test_size', a share between 0 and 1")
    for key in ("train_rows", "train_per_class", "train_batches"):
        number = getattr(rule, key)
        if number is not None and number < 1:
            raise ValueError(f"'{key}' must be at least 1, not {number}")


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
    scale_features: Literal["minmax", "standard", "none"] | None = None
    scale_target: Literal["standard", "none"] | None = None
    partitions: PositiveInt = 1
    units: Literal["scaled", "original"] | None = None

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
            doubt = ""
            if self._is_not_stated and rule.split in ("listed", "given"):
                doubt = ", which may be other rows"
            return f"{_in_words(rule)}, in the paper {self._division}{doubt}"
        for key in ("scale_features", "scale_target", "units"):
            theirs, ours = getattr(self, key), experiment.get(key)
            if theirs is not None and ours is not None and theirs != ours:
                return f"{key} is {ours}, in the paper {theirs}"
        return ""

    @property
    def splits_in_words(self) -> str:
        """The number of splits, and how they divide the rows."""
        return f"{counted(self.split.folds, 'split')}: {self._division}"

    @property
    def _is_not_stated(self) -> bool:
        """Whether the authors' own rows were used, and the paper's folder does not say which."""
        rule = self.split
        stated = rule.test_rows or rule.train_rows or rule.train_per_class
        return rule.split in ("listed", "given") and not stated

    @property
    def _division(self) -> str:
        """The division of the rows in words."""
        if self._is_not_stated:
            own = "splits" if self.split.split == "listed" else "training and test rows"
            return f"the authors' own {own}"
        return _in_words(self.split)


def _texts(given: object) -> object:
    """Return one name, or several, as a list of texts: Table 3 may be the number 3."""
    return [str(each) for each in (given if isinstance(given, list) else [given])]


Names = Annotated[list[str], BeforeValidator(_texts)]


@dataclass(frozen=True)
class DesignFor:
    """A design of some ``tables`` or ``datasets``, of all of either where none is named."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    design: Annotated[Design, BeforeValidator(lambda given: nested(given))]
    tables: Names = field(default_factory=list)
    datasets: Names = field(default_factory=list)

    def __post_init__(self) -> None:
        if not (self.tables or self.datasets):
            raise ValueError("name the 'tables' or the 'datasets' that it is for")

    def is_for(self, table: str, dataset: str) -> bool:
        """Return whether means on a data set in a table were measured so."""
        is_table = not self.tables or table in self.tables
        return is_table and (not self.datasets or dataset in self.datasets)


def whole_designs(usual: object, others: object) -> object:
    """Return the designs for tables or data sets from a file, with the keys of the ``usual`` one.

    One that has another ``split`` has none of the usual division's keys.
    """
    if not isinstance(others, list):
        return others
    common = usual if isinstance(usual, dict) else {}
    return [_whole(common, each) if isinstance(each, dict) else each for each in others]


def _whole(usual: Record, own: Record) -> Record:
    selected = {key: own[key] for key in ("tables", "datasets") if key in own}
    changed = {key: value for key, value in own.items() if key not in selected}
    kept = {key: v for key, v in usual.items() if "split" not in own or key not in RULE_KEYS}
    return {**selected, "design": {**kept, **changed}}


RULE_KEYS = [each.name for each in fields(SplitRule) if each.compare]


def nested(given: object) -> object:
    """Return the keys of a design from a file, with those of its split nested."""
    if not isinstance(given, dict):
        return given
    rule = {key: value for key, value in given.items() if key in RULE_KEYS}
    others = {key: value for key, value in given.items() if key not in RULE_KEYS}
    return {"split": {"split": "kfold", **rule}, **others}


def _in_words(rule: SplitRule) -> str:
    return rule.words or counted(
        rule.folds, "stratified fold" if rule.split == "stratified" else "fold"
    )
