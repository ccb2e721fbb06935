"""How an experiment divides rows into training and test rows: folds, random splits, given rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from boostbench.data.cards import Card
from boostbench.data.splits import SplitRule
from boostbench.errors import DataError
from boostbench.yamltree import read_yaml

Share = Annotated[float, Field(gt=0, lt=1)]
_KEY_TEXTS = read_yaml(Path(__file__).with_name("keys.yaml")).value

NumberOfSplits = Annotated[int, Field(ge=1, le=100_000)]


class Part(BaseModel):
    """A part of an experiment file, with known keys and values of the declared types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @classmethod
    def key_texts(cls) -> dict[str, str]:
        """Return the text of ``keys.yaml`` for each key: its allowed values and its purpose."""
        return dict(_KEY_TEXTS[cls.__name__])


def text_error(text: str) -> PydanticCustomError:
    """Return an error of pydantic with ``text``, a whole sentence, as its message."""
    return PydanticCustomError("sentence", "{text}", {"text": text})


def _expand_given(value: object) -> object:
    return {"given": True} if value == "given" else value


class RowFiles(Part):
    """The files that list the training and the test rows of one split."""

    train: Annotated[str, Field(min_length=1)]
    test: Annotated[str, Field(min_length=1)]


class DatasetSplits(Part):
    """How the rows of one data set are divided, in place of the experiment's own splits."""

    given: bool = False
    test_size: Share | None = None
    n: NumberOfSplits | None = None
    test_rows: Annotated[list[str], Field(min_length=1)] | None = None
    files: Annotated[list[RowFiles], Field(min_length=1)] | None = None
    splitter: Annotated[str, Field(min_length=1)] | None = None
    params: dict[str, object] = Field(default={})
    train_rows: Annotated[int, Field(ge=2)] | None = None
    train_per_class: Annotated[int, Field(ge=1)] | None = None
    train_batches: Annotated[int, Field(ge=1)] | None = None

    _shorthand = model_validator(mode="before")(_expand_given)

    @model_validator(mode="after")
    def _check_combination(self) -> "DatasetSplits":
        rows = (self.train_rows, self.train_per_class, self.train_batches)
        is_given_rows = any(value is not None for value in rows)
        ways = [self.given, self.test_size is not None, self.test_rows is not None, is_given_rows]
        ways += [self.files is not None, self.splitter is not None]
        if sum(ways) > 1:
            raise text_error(
                "given, test_size, test_rows, files, splitter and train_rows (with train_per_class "
                "and train_batches) are six ways to divide the rows; leave all but one out"
            )
        _check_splitter_keys(self, ["n"])
        if self.train_batches is not None and self.train_rows is None:
            raise text_error("train_batches divides the first train_rows rows; give train_rows too")
        if not any(ways) and self.n is None:
            raise text_error(
                "give one of n, test_size, test_rows, files, splitter, train_rows and "
                "train_per_class"
            )
        return self

    @property
    def says_only_how_many(self) -> bool:
        """Whether they say how many splits there are, and not how the rows are divided."""
        return self.model_fields_set <= {"n"}


class Splits(Part):
    """Splits into training and test rows: random ones, or those of the cards."""

    n: NumberOfSplits = 5
    test_size: Share = 0.25
    given: bool = False
    splitter: Annotated[str, Field(min_length=1)] | None = None
    params: dict[str, object] = Field(default={})

    _shorthand = model_validator(mode="before")(_expand_given)

    @model_validator(mode="after")
    def _check_combination(self) -> "Splits":
        _check_splitter_keys(self, ["n", "test_size", "given"])
        return self


def _check_splitter_keys(splits: DatasetSplits | Splits, others: Sequence[str]) -> None:
    """Raise an error where a splitter has ``others`` beside it, or is missing beside params."""
    if splits.splitter is None:
        if splits.params:
            raise text_error("params are those of a splitter; give splitter too")
        return
    if beside := [key for key in others if key in splits.model_fields_set]:
        raise text_error(
            f"a splitter says itself how the rows are divided; leave {' and '.join(beside)} out, "
            "and give the splitter its parameters by params, such as params: {n_splits: 5}"
        )


def split_rule(
    splits: Splits,
    own: DatasetSplits | None,
    name: str,
    card: Card | None,
    listed: SplitRule | None = None,
) -> SplitRule:
    """Return how the rows of the data set ``name`` are divided.

    ``own`` has its entry's splits, ``listed`` the division into the rows that its files list. One
    training set with one test set is one split, whatever number is asked for. DataError if the
    ``card`` is wrong, or names no splits where the experiment asks for them.
    """
    if listed is not None:
        return replace(listed, folds=(own and own.n) or listed.folds)
    if (own or splits).splitter is not None:
        return SplitRule("splitter", 0)
    n = _number_of_splits(splits, own, name)
    given = _given_splits(splits, own, name, card)
    if given is None:
        return SplitRule("shuffle", n, splits.test_size)
    return _rule_of(given, n, splits.test_size)


def _number_of_splits(splits: Splits, own: DatasetSplits | None, name: str) -> int:
    if own is None or own.n is None:
        return splits.n
    if splits.splitter is not None and own.test_size is None:
        raise DataError(
            f"data set '{name}': the experiment's splitter says how many splits there are; leave "
            "'n' out of its splits, or give test_size too, for random splits"
        )
    return own.n


def _rule_of(own: DatasetSplits, n: int, usual_test_size: float) -> SplitRule:
    """Return the rule of ``n`` splits of a data set's own, given or random ones."""
    if own.train_rows is None and own.train_per_class is None:
        return SplitRule("shuffle", n, own.test_size or usual_test_size)
    rule = SplitRule("given", n, None, own.train_rows, own.train_per_class, own.train_batches)
    return replace(rule, folds=1) if rule.is_one_split else rule


def _given_splits(
    splits: Splits, own: DatasetSplits | None, name: str, card: Card | None
) -> DatasetSplits | None:
    """Return the card's splits where these are asked for, else the data set's ``own``."""
    if own is not None:
        return _on_card(name, card, required=True) if own.given else own
    if not splits.given:
        return None
    has_fallback = "test_size" in splits.model_fields_set
    return _on_card(name, card, required=not has_fallback)


def _on_card(name: str, card: Card | None, *, required: bool) -> DatasetSplits | None:
    """Return the splits that the card names, else its own test rows, if any."""
    if card is not None and (card.splits or card.train_rows):
        try:
            return DatasetSplits.model_validate(card.splits or {"train_rows": card.train_rows})
        except ValidationError as error:
            wrong = f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}"
            raise DataError(f"the card '{card.name}' is wrong: splits {wrong}") from None
    if not required:
        return None
    what = "no card" if card is None else "a card that names no test rows"
    raise DataError(
        f"data set '{name}' has {what}, so that no splits are given; say how to divide it, such as "
        "splits: {test_size: 0.25}, or by train_rows, how many of its first rows are for training"
    )


def with_columns(rule: SplitRule, *, has_group: bool, has_time: bool) -> SplitRule:
    """Return a rule for folds or random splits, as the columns of groups and of times have it.

    With both, training rows are earlier, and of no group that is tested.
    """
    if rule.split not in ("kfold", "shuffle"):
        return rule
    if has_time:
        return replace(rule, split="time", folds=rule.folds if rule.split == "kfold" else 1)
    return replace(rule, split="group") if has_group else rule


def check_rule(rule: SplitRule, per_class: int | None, task: str) -> None:
    """Raise DataError where the rows of a data set cannot be divided by ``rule``."""
    lists_rows = bool(rule.test_rows) or rule.split == "files"
    if per_class is not None and (rule.train_rows is not None or lists_rows):
        instead = "give splits: {train_rows: ..., train_per_class: ...} in its place"
        if lists_rows:
            instead = "leave per_class out"
        raise DataError(
            "per_class takes a part of all rows, so that the given test rows are no longer known; "
            f"{instead}"
        )
    if rule.train_per_class is not None and task != "classification":
        raise DataError(f"train_per_class is for classes, but the data set is for {task}")
    if rule.train_batches is not None and rule.folds > rule.train_batches:
        raise DataError(
            f"there are {rule.train_batches} batches of training rows, fewer than the "
            f"{rule.folds} splits; set splits.n to at most {rule.train_batches}"
        )
